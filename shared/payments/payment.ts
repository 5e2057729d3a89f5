/**
 * The payment as clients see it: its fields, the body and the query that its endpoints take, and what they answer.
 * Which state may follow which is not judged here.
 */
import * as v from 'valibot';
import { customerFilter, invoiceIdSchema } from '../invoices/invoice.ts';
import { amountSchema, type Currency, currencySchema } from '../money.ts';
import { paginationQuery } from '../pagination.ts';
import type { NumberedRecord } from '../store/records.ts';
import type { OpenRequest } from '../store/transition.ts';
import { textSchema } from '../text.ts';
import { type Instant, timestampSchema, toTimestamp } from '../time.ts';
import { type CardSummary, cardSchema, cardSummarySchema } from './card.ts';
import { type FailureCode, failures } from './failures.ts';

export const paymentStatuses = ['pending', 'completed', 'failed'] as const;

export type PaymentMethod = 'card' | 'offline' | 'provider';

/** The payment as the service knows it. Its id is also the provider's key of its capture. */
export interface Payment extends NumberedRecord {
  readonly invoiceId: string;
  readonly customerId: string;
  /** In the smallest unit of the currency; all of the invoice's. */
  readonly amount: number;
  readonly currency: Currency;
  readonly status: (typeof paymentStatuses)[number];
  readonly method: PaymentMethod;
  readonly card: CardSummary | null;
  readonly reference: string | null;
  /** Processed refunds. */
  readonly amountRefunded: number;
  /** Refunds that are pending. */
  readonly amountReserved: number;
  readonly failureCode: FailureCode | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** The request under a key that began it, as long as it has no answer. */
  readonly request?: OpenRequest | undefined;
  /** The provider did not know the outcome at once: it is being asked for again. */
  readonly awaited?: boolean;
  /**
   * Money that came for nothing: `refund`, the whole amount is reserved, and a refund is to be made of it;
   * `reversal`, it was captured though the payment had failed, and goes back at the provider.
   */
  readonly owed?: 'refund' | 'reversal' | undefined;
}

const invoiceIdMessage = 'invoiceId must be the id of one of your invoices, of the form inv_….';
const methodMessage = 'method must be one of offline, card.';
const referenceMessage =
  'reference must be text of 1 to 255 characters, not only white space, without NUL or unpaired surrogates; it goes with the method offline only.';
const cardMissingMessage =
  'card must be an object with number, expMonth, expYear and cvc; it goes with the method card only.';
const statusMessage = `status must be one of ${paymentStatuses.join(', ')}.`;
const invoiceFilterMessage = 'invoiceId must be given once, and not be empty.';

/** Entries stand in the order in which they are judged. An `amount` can only confirm the invoice's. */
export const createPaymentBody = v.pipe(
  v.strictObject({
    invoiceId: v.pipe(v.string(invoiceIdMessage), v.nonEmpty(invoiceIdMessage)),
    method: v.picklist(['offline', 'card'], methodMessage),
    reference: v.nullish(textSchema(255, referenceMessage)),
    card: v.nullish(cardSchema),
    amount: v.nullish(amountSchema),
  }),
  v.forward(
    v.check(({ method, reference }) => method === 'offline' || reference == null, referenceMessage),
    ['reference'],
  ),
  v.forward(
    v.check(({ method, card }) => (method === 'card') === (card != null), cardMissingMessage),
    ['card'],
  ),
);

/** The filter by invoice: an id that is none finds nothing. */
export const invoiceFilter = v.pipe(v.string(invoiceFilterMessage), v.nonEmpty(invoiceFilterMessage));

/** The filters combine with AND. */
export const listPaymentsQuery = v.strictObject({
  ...paginationQuery,
  status: v.optional(v.picklist(paymentStatuses, statusMessage)),
  invoiceId: v.optional(invoiceFilter),
  customerId: v.optional(customerFilter),
});

export type ListPayments = v.InferOutput<typeof listPaymentsQuery>;

/** The id of a payment, in responses. */
export const paymentIdSchema = v.pipe(v.string(), v.regex(/^pay_[0-9a-z]{26}$/));

/** The payment in responses: always all of these fields. */
export const paymentSchema = v.strictObject({
  id: paymentIdSchema,
  invoiceId: invoiceIdSchema,
  customerId: v.string(),
  amount: amountSchema,
  currency: currencySchema,
  status: v.picklist(paymentStatuses),
  method: v.picklist(['card', 'offline', 'provider']),
  card: v.nullable(cardSummarySchema),
  reference: v.nullable(v.string()),
  amountRefunded: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  failureCode: v.nullable(v.picklist(Object.keys(failures) as FailureCode[])),
  failureMessage: v.nullable(v.string()),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

/** The payment as the API shows it. */
export function showPayment(payment: Payment): v.InferOutput<typeof paymentSchema> {
  const { id, invoiceId, customerId, amount, currency, status, method, card, reference } = payment;
  const { amountRefunded, failureCode } = payment;
  return {
    ...{ id, invoiceId, customerId, amount, currency, status, method, card, reference, amountRefunded },
    failureCode,
    failureMessage: failureCode && failures[failureCode],
    createdAt: toTimestamp(payment.createdAt),
    updatedAt: toTimestamp(payment.updatedAt),
  };
}
