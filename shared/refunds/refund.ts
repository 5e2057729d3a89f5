/** The refund as clients see it: its fields, the body and the query that its endpoints take, and what they answer. */
import * as v from 'valibot';
import { invoiceIdSchema } from '../invoices/invoice.ts';
import { amountSchema, type Currency, currencySchema } from '../money.ts';
import { paginationQuery } from '../pagination.ts';
import { type FailureCode, failures } from '../payments/failures.ts';
import { invoiceFilter, paymentIdSchema } from '../payments/payment.ts';
import type { NumberedRecord } from '../store/records.ts';
import { textSchema } from '../text.ts';
import { type Instant, timestampSchema, toTimestamp } from '../time.ts';

export const refundStatuses = ['pending', 'processed', 'failed'] as const;

/** The refund as the service knows it. Its id is also the provider's key of it. */
export interface Refund extends NumberedRecord {
  readonly paymentId: string;
  readonly invoiceId: string;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  readonly currency: Currency;
  readonly status: (typeof refundStatuses)[number];
  readonly reason: string | null;
  readonly failureCode: FailureCode | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const paymentIdMessage = 'paymentId must be the id of one of your payments, of the form pay_….';
const reasonMessage =
  'reason must be text of 1 to 500 characters, not only white space, without NUL or unpaired surrogates.';
const statusMessage = `status must be one of ${refundStatuses.join(', ')}.`;
const paymentFilterMessage = 'paymentId must be given once, and not be empty.';

/** Without an `amount`: all that is left of the payment. */
export const createRefundBody = v.strictObject({
  paymentId: v.pipe(v.string(paymentIdMessage), v.nonEmpty(paymentIdMessage)),
  amount: v.nullish(amountSchema),
  reason: v.nullish(textSchema(500, reasonMessage)),
});

/** The filters combine with AND. */
export const listRefundsQuery = v.strictObject({
  ...paginationQuery,
  status: v.optional(v.picklist(refundStatuses, statusMessage)),
  paymentId: v.optional(v.pipe(v.string(paymentFilterMessage), v.nonEmpty(paymentFilterMessage))),
  invoiceId: v.optional(invoiceFilter),
});

export type CreateRefund = v.InferOutput<typeof createRefundBody>;
export type ListRefunds = v.InferOutput<typeof listRefundsQuery>;

/** The refund in responses: always all of these fields. */
export const refundSchema = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^ref_[0-9a-z]{26}$/)),
  paymentId: paymentIdSchema,
  invoiceId: invoiceIdSchema,
  amount: amountSchema,
  currency: currencySchema,
  status: v.picklist(refundStatuses),
  reason: v.nullable(v.string()),
  failureCode: v.nullable(v.picklist(Object.keys(failures) as FailureCode[])),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

/** The refund as the API shows it. */
export function showRefund(refund: Refund): v.InferOutput<typeof refundSchema> {
  const { id, paymentId, invoiceId, amount, currency, status, reason, failureCode } = refund;
  return {
    ...{ id, paymentId, invoiceId, amount, currency, status, reason, failureCode },
    createdAt: toTimestamp(refund.createdAt),
    updatedAt: toTimestamp(refund.updatedAt),
  };
}
