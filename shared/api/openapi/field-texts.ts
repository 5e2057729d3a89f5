/** Holds the description of each field of each named schema. */
import { accountFieldTexts } from './account-field-texts.ts';
import { auditFieldTexts } from './audit-field-texts.ts';
import { clockFieldTexts } from './clock-field-texts.ts';
import type { FieldTexts } from './common-field-texts.ts';
import { customerFieldTexts } from './customer-field-texts.ts';
import { documentFieldTexts } from './document-field-texts.ts';
import { draftFieldTexts } from './draft-field-texts.ts';
import { eventFieldTexts } from './event-field-texts.ts';
import { exportFieldTexts } from './export-field-texts.ts';
import { invoiceFieldTexts } from './invoice-field-texts.ts';
import { journalFieldTexts } from './journal-field-texts.ts';
import { keyFieldTexts } from './key-field-texts.ts';
import { mailFieldTexts } from './mail-field-texts.ts';
import { paymentFieldTexts } from './payment-field-texts.ts';
import { productFieldTexts } from './product-field-texts.ts';
import { scheduleFieldTexts } from './schedule-field-texts.ts';
import { searchFieldTexts } from './search-field-texts.ts';
import { statementFieldTexts } from './statement-field-texts.ts';
import { webhookFieldTexts } from './webhook-field-texts.ts';

/** The descriptions, by schema and field. */
export const fieldTexts: FieldTexts = {
  FailureCode: {},
  WebhookDisabledReason: {},
  ...keyFieldTexts,
  ...clockFieldTexts,
  ...invoiceFieldTexts,
  ...paymentFieldTexts,
  ...customerFieldTexts,
  ...productFieldTexts,
  ...draftFieldTexts,
  ...scheduleFieldTexts,
  ...statementFieldTexts,
  ...exportFieldTexts,
  ...documentFieldTexts,
  ...mailFieldTexts,
  ...webhookFieldTexts,
  ...eventFieldTexts,
  ...auditFieldTexts,
  ...journalFieldTexts,
  ...searchFieldTexts,
  ...accountFieldTexts,
};
