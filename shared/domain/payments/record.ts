/** Defines how payments are stored. Refunds use this file too, because they change payments. */
import { currencies } from '../../base/money.ts';
import type { PendingRequest } from '../../store/commit/command.ts';
import { defineNumberedType } from '../../store/records.ts';
import {
  arrayOf,
  count,
  flag,
  instant,
  integer,
  jsonObject,
  nullable,
  objectOf,
  oneOf,
  optional,
  positive,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import { paymentBalance } from '../journal/chart.ts';
import type { CreditUse, Payment, PaymentDispute, PaymentFees } from './payment.ts';
import type { CardSummary } from './provider/card.ts';
import type { Settlement } from './write-off.ts';

export const paymentType = defineNumberedType<Payment>('payment', {
  attributes: {
    invoiceId: text,
    customerId: text,
    amount: positive,
    currency: oneOf(...currencies),
    method: textOf<Payment['method']>(),
    card: nullable(objectOf<CardSummary>({ brand: textOf(), last4: text })),
    reference: nullable(text),
    receivedOn: optional(text),
    bank: optional(text),
    note: optional(text),
    statementRow: optional(text),
    claim: optional(text),
    settle: optional(objectOf<Settlement>({ writeOff: positive, reason: textOf() })),
    receivedAt: optional(instant),
    voidedAt: optional(instant),
    voidReason: optional(text),
    amountRefunded: count,
    amountReserved: count,
    failureCode: nullable(textOf<NonNullable<Payment['failureCode']>>()),
    pendingReason: optional(textOf<NonNullable<Payment['pendingReason']>>()),
    amountOver: optional(count),
    overRefunded: optional(count),
    creditUses: optional(arrayOf(objectOf<CreditUse>({ paymentId: text, amount: positive }))),
    creditFrom: optional(text),
    provider: optional(textOf<NonNullable<Payment['provider']>>()),
    providerReference: optional(text),
    fees: optional(objectOf<PaymentFees>({ amount: count, tax: count, net: integer, currency: text })),
    dispute: optional(
      objectOf<PaymentDispute>({
        reference: text,
        status: textOf(),
        reason: text,
        amount: positive,
        openedAt: instant,
        isRefundable: oneOf(true, false),
        respondBy: optional(instant),
      }),
    ),
    metadata: optional(jsonObject),
    pendingRequest: optional(objectOf<PendingRequest>({ keyHash: text, fingerprint: text, status: count })),
    isPolled: optional(flag),
    pendingCompensation: optional(oneOf('refund', 'reversal')),
    isOfCancelledInvoice: optional(oneOf(true)),
    webhookFault: optional(textOf<NonNullable<Payment['webhookFault']>>()),
    createdAt: instant,
    updatedAt: instant,
  },
  balanceOf: paymentBalance,
});
