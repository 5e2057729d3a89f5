/**
 * Defines the payment: its fields, and the schemas of the requests and responses of its endpoints. `transitions.ts`
 * decides which changes are allowed.
 *
 * Functions make the schemas, so that the bundle of a function omits those that it does not use.
 */
import * as v from 'valibot';
import { isDay } from '../../base/due-date.ts';
import { idPatternOf } from '../../base/ids.ts';
import { mergeMetadata, newMetadataSchema, showMetadata, shownMetadataSchema } from '../../base/metadata.ts';
import { amountSchema, type Currency, currencySchema, maxAmount } from '../../base/money.ts';
import { amountFilter, paginationQuery } from '../../base/pagination.ts';
import { statuses } from '../../base/statuses.ts';
import type { WebhookFault } from '../../base/test-fault.ts';
import { textMessage, typedText } from '../../base/text.ts';
import { type AccountTime, type RealTime, timestampSchema, toTimestamp } from '../../base/time.ts';
import type { PendingRequest } from '../../store/commit/command.ts';
import {
  factFilters,
  isRange,
  rangeMessage,
  statusFilter,
  unlessRepeated,
} from '../../store/lists/filters/list-filters.ts';
import type { NumberedRecord } from '../../store/records.ts';
import { claimIdSchema } from '../invoices/claim.ts';
import { customerFilter, invoiceIdSchema, referenceFilter } from '../invoices/invoice.ts';
import { type CardSummary, cardSchema, cardSummarySchema } from './provider/card.ts';
import { type FailureCode, failureCodeSchema, failures } from './provider/failures.ts';
import type { HostedProviderName } from './provider/hosted-provider.ts';
import { type Settlement, writeOffReasons } from './write-off.ts';

const paymentStatuses = statuses.payment;
const disputeStatuses = ['inquiry', 'open', 'won', 'lost', 'closed'] as const;

/**
 * Why a payment is pending.
 *
 * - `processing`: the provider or the bank does not know the outcome yet.
 * - `not_captured`: the bank has approved the payment, and nobody has captured it yet.
 * - `amount_differs`: the money has arrived, but it is not the amount of the invoice. The merchant decides.
 */
const pendingReasons = ['processing', 'not_captured', 'amount_differs'] as const;
export type PendingReason = (typeof pendingReasons)[number];

/** `credit`: credit of the customer pays, which another payment has received. */
export type PaymentMethod = 'card' | 'offline' | 'provider' | 'credit';

/** A payment that uses the credit of another one. */
export interface CreditUse {
  readonly paymentId: string;
  /** In the smallest unit of the currency. */
  readonly amount: number;
}

/** A dispute: the payer asked the bank to take the money back, and the provider or the bank decides. */
export interface PaymentDispute {
  /** The id of the dispute at the provider. */
  readonly reference: string;
  readonly status: (typeof disputeStatuses)[number];
  /** The provider's word for the reason. */
  readonly reason: string;
  /** In the smallest unit of the currency of the payment. */
  readonly amount: number;
  readonly openedAt: AccountTime;
  /** Whether the provider still takes refunds of the payment. */
  readonly isRefundable: boolean;
  /** Until when the merchant must answer at the provider. */
  readonly respondBy?: RealTime | undefined;
}

/** What the provider keeps of a payment. Amounts are in the smallest unit of `currency`, in which the provider settles. */
export interface PaymentFees {
  /** With the tax. */
  readonly amount: number;
  readonly tax: number;
  /** What the merchant gets. */
  readonly net: number;
  readonly currency: string;
}

/** The payment as the service stores it. Its id is also the provider's key for the capture. */
export interface Payment extends NumberedRecord<'payment'> {
  readonly invoiceId: string;
  readonly customerId: string;
  /** In the smallest unit of the currency. What was due of the invoice, a part of it, or what the provider took. */
  readonly amount: number;
  readonly currency: Currency;
  readonly method: PaymentMethod;
  readonly card: CardSummary | null;
  readonly reference: string | null;
  /** The day on which money outside the service arrived, as `YYYY-MM-DD`. */
  readonly receivedOn?: string | undefined;
  /** The bank or the way by which money outside the service arrived. */
  readonly bank?: string | undefined;
  /** A note for the people of the account. */
  readonly note?: string | undefined;
  /** The row of a bank statement that shows the money. */
  readonly statementRow?: string | undefined;
  /** The claim of the payer that the payment confirms. */
  readonly claim?: string | undefined;
  /** What was still due of the invoice, and is given up with this payment. */
  readonly settle?: Settlement | undefined;
  /** When the service first knew that the money had arrived. Undefined: it has not. */
  readonly receivedAt?: AccountTime | undefined;
  /** When the merchant declared that the money never arrived. Then the payment does not count. */
  readonly voidedAt?: AccountTime | undefined;
  /** Why, for the people of the account. Set together with `voidedAt`. */
  readonly voidReason?: string | undefined;
  /** The sum of the processed refunds. */
  readonly amountRefunded: number;
  /** The sum of the pending refunds, and of a refund that is still to be created. */
  readonly amountReserved: number;
  readonly failureCode: FailureCode | null;
  /** Why a payment at a provider is pending. Undefined: `processing`. */
  readonly pendingReason?: PendingReason | undefined;
  /** Set if the merchant has accepted more than what is due, or another amount of a provider: what is more. All of it, if its invoice was cancelled and it is kept. */
  readonly amountOver?: number | undefined;
  /** The part of `amountRefunded` that no invoice needed, see `refunded-money.ts`. Undefined: nothing. */
  readonly overRefunded?: number | undefined;
  /** The payments of other invoices that use `amountOver`, without voided ones. Undefined: none. */
  readonly creditUses?: readonly CreditUse[] | undefined;
  /** The payment whose credit this one uses, if the method is `credit`. */
  readonly creditFrom?: string | undefined;
  /** The provider that received the money, if the method is `provider`. */
  readonly provider?: HostedProviderName | undefined;
  /** The id of the payment at that provider. */
  readonly providerReference?: string | undefined;
  /** Undefined if the provider has not told them. Only the merchant sees them. */
  readonly fees?: PaymentFees | undefined;
  /** The last dispute about the payment, as the provider reports it. */
  readonly dispute?: PaymentDispute | undefined;
  /** The fault of the events of its outcome, for which the client asked in test mode. */
  readonly webhookFault?: WebhookFault | undefined;
  /** JSON text, see `mergeMetadata`. */
  readonly metadata?: string | undefined;
  readonly createdAt: AccountTime;
  readonly updatedAt: AccountTime;
  /** The request under an idempotency key that created the payment, until that request has an answer. */
  readonly pendingRequest?: PendingRequest | undefined;
  /** The provider did not know the outcome immediately, so it is polled. */
  readonly isPolled?: boolean;
  /**
   * How the service must return money that it should not have received.
   *
   * - `refund`: the invoice could not be paid any more. The whole amount is reserved, and a refund of it must be
   *   created.
   * - `reversal`: the provider captured the money although the payment had failed. The provider must return it.
   */
  readonly pendingCompensation?: 'refund' | 'reversal' | undefined;
  /** The merchant has cancelled its invoice, and its money is refunded. */
  readonly isOfCancelledInvoice?: true | undefined;
}

const invoiceIdMessage = 'invoiceId must be the ID of one of your invoices, in the form inv_….';
const methodMessage = 'method must be one of offline, card, credit.';
const creditFromMessage =
  'creditFrom must be the ID of one of your payments with credit, in the form pay_…. It is allowed only with the method credit.';
const referenceMessage = `${textMessage('reference', 255)} It is allowed only with the method offline.`;
const receivedOnMessage =
  'receivedOn must be the day on which you received the money, such as 2026-03-31. It is allowed only with the method offline.';
const bankMessage = `${textMessage('bank', 100)} It is allowed only with the method offline.`;
const noteMessage = `${textMessage('note', 500)} It is allowed only with the method offline.`;
const acceptOverMessage = 'acceptOver must be true or false. It is allowed only with the method offline.';
const allowMessage = 'allowDuplicateReference must be true or false.';
const claimMessage =
  'claim must be the ID of the open claim of the invoice, in the form clm_…. It is allowed only with the method offline.';
const settleMessage = `settle must be an object with writeOff and reason. It is allowed only with the method offline.`;
const writeOffMessage = `settle.writeOff must be an integer from 1 to ${maxAmount}, in the smallest currency unit.`;
const writeOffReasonMessage = `settle.reason must be one of ${writeOffReasons.join(', ')}.`;
const cardMissingMessage =
  'card must be an object with number, expMonth, expYear and cvc. It is required with the method card, and not allowed with the method offline.';
const statusMessage = `status must be one of ${paymentStatuses.join(', ')}.`;
const invoiceFilterMessage = 'invoiceId must be sent only once and must not be empty.';

/** A day that exists, without a time. */
const receivedOnSchema = /* @__PURE__ */ (() =>
  v.pipe(
    v.string(receivedOnMessage),
    v.check((text) => isDay(text), receivedOnMessage),
  ))();

/** What a payment gives up, in requests and responses. */
export const settlementSchema = /* @__PURE__ */ (() =>
  v.strictObject(
    {
      writeOff: v.pipe(
        v.number(writeOffMessage),
        v.integer(writeOffMessage),
        v.minValue(1, writeOffMessage),
        v.maxValue(maxAmount, writeOffMessage),
      ),
      reason: v.picklist(writeOffReasons, writeOffReasonMessage),
    },
    settleMessage,
  ))();

/** The fields that only a payment outside the service has. */
const offlineMessages = {
  reference: referenceMessage,
  receivedOn: receivedOnMessage,
  bank: bankMessage,
  note: noteMessage,
  settle: settleMessage,
  claim: claimMessage,
  acceptOver: acceptOverMessage,
} as const;

/** The fields in the order in which they are validated. */
const newPaymentFields = /* @__PURE__ */ (() =>
  v.strictObject({
    invoiceId: v.pipe(v.string(invoiceIdMessage), v.nonEmpty(invoiceIdMessage)),
    method: v.picklist(['offline', 'card', 'credit'], methodMessage),
    reference: v.nullish(typedText('reference', 255)),
    card: v.nullish(cardSchema),
    amount: v.nullish(amountSchema),
    metadata: v.nullish(newMetadataSchema),
    receivedOn: v.nullish(receivedOnSchema),
    bank: v.nullish(typedText('bank', 100)),
    note: v.nullish(typedText('note', 500)),
    allowDuplicateReference: v.nullish(v.boolean(allowMessage)),
    settle: v.nullish(settlementSchema),
    currency: v.nullish(currencySchema),
    claim: v.nullish(claimIdSchema),
    creditFrom: v.nullish(v.pipe(v.string(creditFromMessage), v.nonEmpty(creditFromMessage))),
    acceptOver: v.nullish(v.boolean(acceptOverMessage)),
  }))();

type NewPaymentFields = v.InferOutput<typeof newPaymentFields>;

/** Refuses a field of a payment outside the service on a payment by card. */
const onlyOffline = <Name extends keyof typeof offlineMessages>(name: Name) =>
  v.forward<NewPaymentFields, v.BaseIssue<unknown>, [Name]>(
    v.check((body) => body.method === 'offline' || body[name] == null, offlineMessages[name]),
    [name],
  );

/** The first invalid field is reported. `amountOf` decides which `amount` an invoice takes. */
export const createPaymentBody = /* @__PURE__ */ (() =>
  v.pipe(
    newPaymentFields,
    onlyOffline('reference'),
    onlyOffline('receivedOn'),
    onlyOffline('bank'),
    onlyOffline('note'),
    onlyOffline('settle'),
    onlyOffline('claim'),
    onlyOffline('acceptOver'),
    v.forward(
      v.check(({ method, card }) => (method === 'card') === (card != null), cardMissingMessage),
      ['card'],
    ),
    v.forward(
      v.check(({ method, creditFrom }) => method === 'credit' || creditFrom == null, creditFromMessage),
      ['creditFrom'],
    ),
  ))();

/** What the client says about money received outside the service. */
export interface OfflineDetails {
  /** In the smallest unit of the currency. Undefined: all that is due of the invoice. */
  readonly amount: number | undefined;
  readonly reference: string | null;
  readonly metadata?: string | undefined;
  readonly receivedOn?: string | undefined;
  readonly bank?: string | undefined;
  readonly note?: string | undefined;
  /** What is given up, so that nothing is due any more. */
  readonly settle?: Settlement | undefined;
  readonly statementRow?: string | undefined;
  /** The claim that the payment confirms. What it says is that of the payment, where the client says nothing else. */
  readonly claim?: string | undefined;
  /** It is other money, although another payment has this reference of this bank. */
  readonly allowDuplicateReference?: boolean | undefined;
  /** More was received than is due, and is kept as `amountOver`. */
  readonly acceptOver?: boolean | undefined;
  /** As in `PartPayment`: what the invoice keeps of the reference. */
  readonly transfer?: string | undefined;
}

/** Returns what the body of a request says about money received outside the service. A field of `null` counts as absent. */
export function offlineDetails(body: v.InferOutput<typeof createPaymentBody>): OfflineDetails {
  const { amount, reference, metadata, receivedOn, bank, note, allowDuplicateReference, settle } = body;
  return {
    amount: amount ?? undefined,
    reference: reference ?? null,
    metadata: mergeMetadata(undefined, metadata),
    receivedOn: receivedOn ?? undefined,
    bank: bank ?? undefined,
    note: note ?? undefined,
    settle: settle ?? undefined,
    ...(body.claim != null && { claim: body.claim }),
    allowDuplicateReference: allowDuplicateReference ?? undefined,
    acceptOver: body.acceptOver ?? undefined,
  };
}

/** The filter by invoice. A text that is not an invoice id matches nothing. */
export const invoiceFilter = /* @__PURE__ */ (() =>
  v.pipe(v.string(invoiceFilterMessage), v.nonEmpty(invoiceFilterMessage)))();

const methodFilterMessage = 'method must be one of offline, card, provider, credit.';

const maxReceivedDays = 92;
const dayMs = 24 * 60 * 60 * 1000;
const receivedFilterMessage = `receivedOn must be a day, such as 2026-03-31, or the first and the last of at most ${maxReceivedDays} days, such as 2026-03-01/2026-03-31.`;

/** The filter by the day on which money was received outside Remit. Its output are the days, the last one first. */
const receivedFilter = /* @__PURE__ */ (() =>
  v.pipe(
    v.string(unlessRepeated('receivedOn', receivedFilterMessage)),
    v.transform(daysOf),
    v.minLength(1, receivedFilterMessage),
    v.maxLength(maxReceivedDays, receivedFilterMessage),
  ))();

/** Returns the days from the first to the last one, the last one first. Empty: the text does not name them. */
function daysOf(text: string): readonly string[] {
  const [first = '', last = first, ...others] = text.split('/');
  const [from, to] = [first, last].map((day) => (isDay(day) ? Date.parse(day) : NaN));
  if (from === undefined || to === undefined || !(from <= to) || others.length > 0) return [];
  // One more than allowed shows that there are too many.
  const count = Math.min((to - from) / dayMs, maxReceivedDays) + 1;
  return Array.from({ length: count }, (_, index) => new Date(to - index * dayMs).toISOString().slice(0, 10));
}

/** The filters combine with AND. */
export const listPaymentsQuery = /* @__PURE__ */ (() =>
  v.pipe(
    v.strictObject({
      ...paginationQuery,
      status: v.optional(statusFilter(paymentStatuses, statusMessage)),
      invoiceId: v.optional(invoiceFilter),
      customerId: v.optional(customerFilter),
      amount: v.optional(amountFilter),
      reference: v.optional(referenceFilter),
      method: v.optional(
        v.picklist(['offline', 'card', 'provider', 'credit'], unlessRepeated('method', methodFilterMessage)),
      ),
      receivedOn: v.optional(receivedFilter),
      ...factFilters,
    }),
    v.forward(
      v.check(
        ({ method, amount, reference, receivedOn }) =>
          method === undefined || (amount ?? reference ?? receivedOn) !== undefined,
        'method needs amount, reference or receivedOn. Add one of them, or leave method out.',
      ),
      ['method'],
    ),
    v.forward(
      v.check((query) => isRange(query), rangeMessage),
      ['createdTo'],
    ),
  ))();

export type ListPayments = v.InferOutput<typeof listPaymentsQuery>;

const actionMessage = 'action must be one of accept, refund.';

/** What the merchant decides about a payment of another amount. */
export const resolvePaymentBody = /* @__PURE__ */ (() =>
  v.strictObject({ action: v.picklist(['accept', 'refund'], actionMessage) }))();

/** Why the merchant voids a payment. */
export const voidPaymentBody = /* @__PURE__ */ (() => v.strictObject({ reason: typedText('reason', 500) }))();

/** The id of a payment in responses. */
export const paymentIdSchema = /* @__PURE__ */ (() => v.pipe(v.string(), v.regex(idPatternOf('payment'))))();

/** The dispute in responses. `won`: the merchant keeps the money. `inquiry` and `closed`: no money has moved. */
export const disputeSchema = /* @__PURE__ */ (() =>
  v.strictObject({
    status: v.picklist(disputeStatuses),
    reason: v.string(),
    amount: amountSchema,
    openedAt: timestampSchema,
    respondBy: v.optional(timestampSchema),
  }))();

/** The fees of a payment in responses. */
export const feesSchema = /* @__PURE__ */ (() =>
  v.strictObject({
    amount: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    tax: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    net: v.pipe(v.number(), v.safeInteger()),
    currency: v.string(),
  }))();

/** The payment in responses. It always has all of these fields. */
export const paymentSchema = /* @__PURE__ */ (() =>
  v.strictObject({
    id: paymentIdSchema,
    invoiceId: invoiceIdSchema,
    customerId: v.string(),
    amount: amountSchema,
    currency: currencySchema,
    status: v.picklist(paymentStatuses),
    method: v.picklist(['card', 'offline', 'provider', 'credit']),
    card: v.nullable(cardSummarySchema),
    reference: v.nullable(v.string()),
    amountRefunded: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    failureCode: v.nullable(failureCodeSchema),
    failureMessage: v.nullable(v.string()),
    dispute: v.nullable(disputeSchema),
    pendingReason: v.nullable(v.picklist(pendingReasons)),
    amountOver: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    fees: v.nullable(feesSchema),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
    metadata: shownMetadataSchema,
    receivedOn: v.nullable(v.string()),
    bank: v.nullable(v.string()),
    note: v.nullable(v.string()),
    settle: v.nullable(settlementSchema),
    voidedAt: v.nullable(timestampSchema),
    voidReason: v.nullable(v.string()),
    statementRow: v.nullable(v.pipe(v.string(), v.regex(idPatternOf('statementRow')))),
    claim: v.nullable(v.pipe(v.string(), v.regex(idPatternOf('claim')))),
    amountCredited: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    creditFrom: v.nullable(paymentIdSchema),
  }))();

export type FullPayment = v.InferOutput<typeof paymentSchema>;

/** What a payment shows only if it confirms a claim, or has to do with credit. */
type RelatedPaymentField = 'claim' | 'amountCredited' | 'creditFrom';

/** A payment as it is stored in answers and events. The conversion to a version adds the fields that can lack. */
export type ShownPayment = Omit<FullPayment, RelatedPaymentField> &
  Partial<Pick<FullPayment, RelatedPaymentField>>;

/** Returns the part of a payment that pays other invoices. */
export const amountCreditedOf = ({ creditUses = [] }: Pick<Payment, 'creditUses'>): number =>
  creditUses.reduce((sum, { amount }) => sum + amount, 0);

/** Returns the payment as the API shows it. */
export function showPayment(payment: Payment): ShownPayment {
  const { id, invoiceId, customerId, amount, currency, status, method, card, reference } = payment;
  const { amountRefunded, failureCode } = payment;
  return {
    id,
    invoiceId,
    customerId,
    amount,
    currency,
    status,
    method,
    card,
    reference,
    amountRefunded,
    failureCode,
    // A later version can store other codes.
    failureMessage: (failureCode && failures[failureCode]) ?? null,
    dispute: payment.dispute ? showDispute(payment.dispute) : null,
    pendingReason: status === 'pending' ? (payment.pendingReason ?? 'processing') : null,
    amountOver: payment.amountOver ?? 0,
    fees: payment.fees ?? null,
    createdAt: toTimestamp(payment.createdAt),
    updatedAt: toTimestamp(payment.updatedAt),
    metadata: showMetadata(payment.metadata),
    receivedOn: payment.receivedOn ?? null,
    bank: payment.bank ?? null,
    note: payment.note ?? null,
    settle: payment.settle ? showSettlement(payment.settle) : null,
    voidedAt: payment.voidedAt === undefined ? null : toTimestamp(payment.voidedAt),
    voidReason: payment.voidReason ?? null,
    statementRow: payment.statementRow ?? null,
    ...(payment.claim !== undefined && { claim: payment.claim }),
    ...(payment.creditUses && { amountCredited: amountCreditedOf(payment) }),
    ...(payment.creditFrom !== undefined && { creditFrom: payment.creditFrom }),
  };
}

/** The table does not keep the order of the fields. */
const showSettlement = ({ writeOff, reason }: Settlement): Settlement => ({ writeOff, reason });

const showDispute = ({ status, reason, amount, openedAt, respondBy }: PaymentDispute) => ({
  status,
  reason,
  amount,
  openedAt: toTimestamp(openedAt),
  ...(respondBy !== undefined && { respondBy: toTimestamp(respondBy) }),
});
