/** Defines how refunds are stored. */
import { currencies } from '../../base/money.ts';
import { defineNumberedType } from '../../store/records.ts';
import {
  count,
  flag,
  instant,
  jsonObject,
  nullable,
  oneOf,
  optional,
  positive,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import type { Refund } from './refund.ts';

export const refundType = defineNumberedType<Refund>('refund', {
  attributes: {
    paymentId: text,
    invoiceId: text,
    amount: positive,
    amountOver: optional(positive),
    credits: optional(count),
    currency: oneOf(...currencies),
    reason: nullable(text),
    failureCode: nullable(textOf<NonNullable<Refund['failureCode']>>()),
    providerReference: optional(text),
    isOffline: optional(flag),
    statementRow: optional(text),
    processedAt: optional(instant),
    processedVersion: optional(positive),
    undoneAt: optional(instant),
    webhookFault: optional(textOf<NonNullable<Refund['webhookFault']>>()),
    metadata: optional(jsonObject),
    createdAt: instant,
    updatedAt: instant,
  },
});
