/**
 * Expresses the checks of some fields as JSON Schema keywords. A check is code, which the schema converter cannot convert. The
 * schemas of `text.ts` need nothing here: they carry their maximum length.
 */
import { sumSchema } from '../../base/exact-sum.ts';
import { idPatternOf, type ResourceWithId } from '../../base/ids.ts';
import { metadataUpdateSchema, newMetadataSchema } from '../../base/metadata.ts';
import type { SchemaObject } from './document-types.ts';
import type { SchemaField, SchemaName } from './named-schemas.ts';

const textUpTo = (maxLength: number): SchemaObject => ({ minLength: 1, maxLength });
/** A text that is not only white space. */
export const freeText = (maxLength: number): SchemaObject => ({ ...textUpTo(maxLength), pattern: '\\S' });
/** An ID of the client's own system, or an email address. The service also checks the labels of the domain. */
const customer: SchemaObject = {
  ...textUpTo(254),
  pattern: '^([A-Za-z0-9][A-Za-z0-9_.:-]{0,127}|[^\\s@]{1,64}@[^\\s@.]+(\\.[^\\s@.]+)+)$',
};
const day = '(19[7-9]\\d|[2-9]\\d{3})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';
const time = '([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?';
/** The forms of ISO 8601 that the service reads. It also checks that the day exists. */
const dueDate: SchemaObject = { pattern: `^${day}([Tt ]${time}([Zz]|[+-]\\d{2}(:?\\d{2})?)?)?$` };
/** A query parameter with a date, or a date and time. */
export const dateOrTime: SchemaObject = { type: 'string', ...dueDate };
const shownDueDate: SchemaObject = {
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{3})?Z$',
};
const notEmpty: SchemaObject = { minLength: 1 };
const uri: SchemaObject = { format: 'uri' };
/** An ID that the service makes. The service refuses all others. */
const idOf = (...resources: readonly ResourceWithId[]): SchemaObject => ({
  pattern: idPatternOf(...resources).source,
});
const timeZone: SchemaObject = { pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$' };
const addressRanges: SchemaObject = { minItems: 1 };
const uniqueItems: SchemaObject = { uniqueItems: true };

const metadata = (text: SchemaObject): SchemaObject => ({
  type: 'object',
  propertyNames: textUpTo(40),
  additionalProperties: text,
});
/** The schemas that are code as a whole. What JSON Schema cannot express, such as a number of bytes, is left out. */
export const customSchemas: ReadonlyMap<object, SchemaObject> = new Map<object, SchemaObject>([
  [newMetadataSchema, { ...metadata({ type: 'string', maxLength: 500 }), maxProperties: 20 }],
  [metadataUpdateSchema, metadata({ type: ['string', 'null'], maxLength: 500 })],
  [sumSchema, { type: 'integer' }],
]);
const email: SchemaObject = { ...textUpTo(254), pattern: '^[^\\s@]{1,64}@[^\\s@.]+(\\.[^\\s@.]+)+$' };
const newCustomer: { readonly [Field in SchemaField<'CreateCustomer'>]?: SchemaObject } = {
  email,
  phone: { ...textUpTo(32), pattern: '^[\\d+(][\\d +().\\-/]*$' },
  taxIds: { uniqueItems: true },
};

export const fieldKeywords: {
  readonly [Name in SchemaName]?: { readonly [Field in SchemaField<Name>]?: SchemaObject };
} = {
  CreateInvoice: { customerId: customer, dueDate },
  UpdateInvoice: { dueDate },
  ReplaceInvoice: { customerId: customer, dueDate },
  CreateDraft: { customerId: customer, dueDate },
  UpdateDraft: { customerId: customer, dueDate },
  Draft: { customerId: notEmpty, dueDate: shownDueDate },
  ScheduleInvoice: { customerId: notEmpty },
  ScheduleInvoiceInput: { customerId: customer },
  ScheduleInvoiceUpdate: { customerId: customer },
  CreateSchedule: { startOn: { pattern: `^${day}$` }, endOn: { pattern: `^${day}$` }, timeZone },
  UpdateSchedule: { endOn: { pattern: `^${day}$` }, timeZone },
  BuyerInput: { email, taxIds: { uniqueItems: true } },
  Invoice: { customerId: notEmpty, dueDate: shownDueDate },
  Payment: { customerId: notEmpty },
  CreatePayment: { invoiceId: idOf('invoice'), receivedOn: { pattern: `^${day}$` } },
  StatementRowInput: { day: { pattern: `^${day}$` } },
  MatchStatementRow: { invoiceId: idOf('invoice'), paymentId: idOf('payment'), refundId: idOf('refund') },
  CreateRefund: { paymentId: idOf('payment') },
  CreateCustomer: newCustomer,
  UpdateCustomer: newCustomer,
  AddressInput: { country: { pattern: '^[A-Z]{2}$' } },
  TaxIdInput: { type: { pattern: '^[a-z]{2}_[a-z0-9]{2,20}$' } },
  SellerInput: {
    timeZone,
  },
  NumberSeriesInput: {
    prefix: { pattern: '^[A-Z0-9/-]*(\\{year\\})?[A-Z0-9/-]*[A-Z/-]$' },
  },
  CreateWebhook: { url: uri, events: uniqueItems },
  UpdateWebhook: { url: uri, events: uniqueItems },
  CreateApiKey: {
    name: freeText(100),
    note: freeText(500),
    permissions: uniqueItems,
    expiresAt: dueDate,
    allowedAddresses: addressRanges,
  },
  UpdateApiKey: { name: freeText(100), note: freeText(500), allowedAddresses: addressRanges },
  RollOverApiKey: { expiresAt: dueDate },
  Webhook: { url: uri },
  WebhookWithSecret: { url: uri },
  // An empty log of events continues from `start`.
  Cursor: {
    next: {
      pattern: `${idPatternOf('event', 'delivery', 'auditEntry', 'document', 'mail').source}|^start$|^\\d{1,15}$`,
    },
  },
};
