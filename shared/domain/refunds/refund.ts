/** Defines the refund: its fields, and the schemas of the requests and responses of its endpoints. */
import * as v from 'valibot';
import { idPatternOf } from '../../base/ids.ts';
import { newMetadataSchema, showMetadata, shownMetadataSchema } from '../../base/metadata.ts';
import { amountSchema, type Currency, currencySchema } from '../../base/money.ts';
import { paginationQuery } from '../../base/pagination.ts';
import { statuses } from '../../base/statuses.ts';
import type { WebhookFault } from '../../base/test-fault.ts';
import { typedText } from '../../base/text.ts';
import { type AccountTime, timestampSchema, toTimestamp } from '../../base/time.ts';
import { factFilters, isRange, rangeMessage, statusFilter } from '../../store/lists/filters/list-filters.ts';
import type { NumberedRecord } from '../../store/records.ts';
import { invoiceIdSchema } from '../invoices/invoice.ts';
import { invoiceFilter, paymentIdSchema } from '../payments/payment.ts';
import { type FailureCode, failureCodeSchema } from '../payments/provider/failures.ts';

const refundStatuses = statuses.refund;

/** Who made a refund: this service, or somebody in the provider's own dashboard. */
const refundSources = ['remit', 'provider'] as const;

/** How money goes back: through the provider that took it, or outside the service, where it was received. */
const refundMethods = ['provider', 'offline'] as const;

/** The refund as the service stores it. Its id is also the provider's key for the refund. */
export interface Refund extends NumberedRecord<'refund'> {
  readonly paymentId: string;
  readonly invoiceId: string;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  /** The part of a processed refund that no invoice needed, so that no credit note has it. Undefined: nothing. */
  readonly amountOver?: number | undefined;
  /** What the credit note of a processed refund credits. Undefined: all but `amountOver`. */
  readonly credits?: number | undefined;
  readonly currency: Currency;
  readonly reason: string | null;
  readonly failureCode: FailureCode | null;
  /** The id of a refund that somebody made in the provider's own dashboard. Undefined: this service made the refund. */
  readonly providerReference?: string | undefined;
  /** The merchant returns the money outside the service, which only records that. */
  readonly isOffline?: boolean | undefined;
  /** The row of a bank statement that shows its money. Undefined: no row is known. */
  readonly statementRow?: string | undefined;
  /** When it was processed. Undefined: never. `updatedAt` is later if a row of a bank statement shows it. */
  readonly processedAt?: AccountTime | undefined;
  /** The `objectVersion` of its event `refund.processed`. */
  readonly processedVersion?: number | undefined;
  /** When it failed although it was processed: the bank of the payer returned the money. */
  readonly undoneAt?: AccountTime | undefined;
  /** The fault of the events of its outcome, for which the client asked in test mode. */
  readonly webhookFault?: WebhookFault | undefined;
  /** JSON text, see `mergeMetadata`. */
  readonly metadata?: string | undefined;
  readonly createdAt: AccountTime;
  readonly updatedAt: AccountTime;
}

const paymentIdMessage = 'paymentId must be the ID of one of your payments, in the form pay_….';
const statusMessage = `status must be one of ${refundStatuses.join(', ')}.`;
const paymentFilterMessage = 'paymentId must be sent only once and must not be empty.';

/** Without an `amount`, the refund is of all that is left of the payment. */
export const createRefundBody = v.strictObject({
  paymentId: v.pipe(v.string(paymentIdMessage), v.nonEmpty(paymentIdMessage)),
  amount: v.nullish(amountSchema),
  reason: v.nullish(typedText('reason', 500)),
  metadata: v.nullish(newMetadataSchema),
});

/** The filters combine with AND. */
export const listRefundsQuery = v.pipe(
  v.strictObject({
    ...paginationQuery,
    status: v.optional(statusFilter(refundStatuses, statusMessage)),
    paymentId: v.optional(v.pipe(v.string(paymentFilterMessage), v.nonEmpty(paymentFilterMessage))),
    invoiceId: v.optional(invoiceFilter),
    ...factFilters,
  }),
  v.forward(
    v.check((query) => isRange(query), rangeMessage),
    ['createdTo'],
  ),
);

export type CreateRefund = v.InferOutput<typeof createRefundBody>;
export type ListRefunds = v.InferOutput<typeof listRefundsQuery>;

/** The refund in responses. It always has all of these fields. */
export const refundSchema = v.strictObject({
  id: v.pipe(v.string(), v.regex(idPatternOf('refund'))),
  paymentId: paymentIdSchema,
  invoiceId: invoiceIdSchema,
  amount: amountSchema,
  currency: currencySchema,
  status: v.picklist(refundStatuses),
  reason: v.nullable(v.string()),
  failureCode: v.nullable(failureCodeSchema),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  metadata: shownMetadataSchema,
  source: v.picklist(refundSources),
  method: v.picklist(refundMethods),
  amountOver: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  statementRow: v.nullable(v.pipe(v.string(), v.regex(idPatternOf('statementRow')))),
});

export type ShownRefund = v.InferOutput<typeof refundSchema>;

/** Returns the refund as the API shows it. */
export function showRefund(refund: Refund): ShownRefund {
  const { id, paymentId, invoiceId, amount, currency, status, reason, failureCode } = refund;
  return {
    id,
    paymentId,
    invoiceId,
    amount,
    currency,
    status,
    reason,
    failureCode,
    createdAt: toTimestamp(refund.createdAt),
    updatedAt: toTimestamp(refund.updatedAt),
    metadata: showMetadata(refund.metadata),
    source: refund.providerReference === undefined ? 'remit' : 'provider',
    method: refund.isOffline ? 'offline' : 'provider',
    amountOver: refund.amountOver ?? 0,
    statementRow: refund.statementRow ?? null,
  };
}
