/**
 * Decides which changes of an invoice are allowed, and which index entry, event and timer follow from each. The
 * functions are pure: they get the time as an argument and do no input or output.
 *
 * - Statuses only move forward: from `pending` to `overdue`, and from both to `paid` or `cancelled`. Lists depend on
 *   this.
 * - Each change raises `version` by one, because writes are conditional on it.
 * - Each change that the API shows also raises `objectVersion` by one, makes `updatedAt` strictly later and emits an
 *   event.
 */
import { isDeepStrictEqual } from 'node:util';
import { parseDueDate } from '../../base/due-date.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { mergeMetadata } from '../../base/metadata.ts';
import { type Currency, formatAmount } from '../../base/money.ts';
import { statuses } from '../../base/statuses.ts';
import { type AccountTime, toTimestamp } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import { sortedDays } from '../accounts/reminder-plan.ts';
import { changedValues, draftEvent, type EventType } from '../events/event.ts';
import { type Buyer, customerIdWith, toBuyer } from '../parties/buyer.ts';
import { requireUnchanged } from '../versions/read-only-fields.ts';
import { type NewClaim, openClaimOf, requireOpenClaim } from './claim.ts';
import {
  type CreateInvoice,
  fieldsAsSent,
  type Invoice,
  type ReplaceInvoice,
  replaceInvoiceBody,
  showInvoice,
  showWholeInvoice,
  type UpdateInvoice,
  updateInvoiceBody,
} from './invoice.ts';
import { changedCharges, newCharges } from './invoice-charges.ts';
import { requireNoCheckout } from './open-checkout.ts';
import type { Receipt } from './receipt.ts';
import {
  amountDueOf,
  amountPaidOf,
  hasParts,
  isCredited,
  openAmountOf,
  type PartPayment,
  paymentsOf,
} from './received-money.ts';

/** The fields that can change, and that no document of an invoice shows. */
export const notInDocuments: ReadonlySet<string> = new Set([
  'metadata',
  'locale',
  'acceptPartial',
  'reminders',
  'amountPaid',
  'amountDue',
  'amountWrittenOff',
  'claim',
]);

/** The fields that decide what a payer is asked to pay, and for what. */
const contentFields = ['amount', 'charges', 'description', 'dueDate'] as const satisfies (keyof Invoice)[];

const dayMs = 24 * 60 * 60 * 1000;
/** The term of an invoice that is created without a due date. */
const defaultTermMs = 30 * dayMs;
/** Merchants import old invoices, so a due date may be in the past. Such an invoice turns overdue this much later. */
const graceMs = dayMs;

/** The properties that identify a new invoice: owner, id, sequence number, filter keys, payment URL and reference. */
export interface NewInvoiceIdentity extends Owner {
  readonly id: string;
  readonly seq: number;
  readonly filterKeys: readonly string[];
  readonly paymentUrl: string;
  readonly paymentReference?: string | undefined;
  /** Its account has a seller profile. */
  readonly isDocumented?: true | undefined;
  /** The GST code of the seller's state in India. */
  readonly sellerState?: string | undefined;
  /** The schedule that makes it, and the days that it is for. */
  readonly scheduleId?: string | undefined;
  readonly period?: Invoice['period'];
}

/**
 * Creates a `pending` invoice. Without a due date, it is due in 30 days. Emits `invoice.created`, and sets the timer
 * that makes it overdue.
 * @param customer the customer of the customers API that the invoice names, if its address decides taxes
 * @throws ApiError as `newCharges`, `customerIdWith` and `toBuyer`
 * @throws Error if the due date was not validated
 */
export function createInvoice(
  identity: NewInvoiceIdentity,
  body: CreateInvoice,
  now: AccountTime,
  customer?: Buyer,
): Change<Invoice> {
  const { currency, dueDate, metadata, buyer, acceptPartial, reminders } = body;
  const customerId = customerIdWith(body.customerId, buyer);
  const ownBuyer = buyer ? toBuyer(buyer, customerId) : undefined;
  const invoice: Invoice = {
    ...identity,
    version: 1,
    objectVersion: 1,
    customerId,
    ...fieldsAsSent(body),
    ...(ownBuyer && { buyer: ownBuyer }),
    ...newCharges(body, now, {
      sellerState: identity.sellerState,
      customerId,
      buyer: ownBuyer,
      customer,
    }),
    currency: currency as Currency,
    status: 'pending',
    ...dueDateFields(dueDate ?? toTimestamp(now + defaultTermMs), now),
    ...(metadata != null && { metadata: mergeMetadata(undefined, metadata) }),
    ...(acceptPartial && { acceptPartial }),
    ...(reminders && { reminders: sortedDays(reminders) }),
    createdAt: now,
    updatedAt: now,
  };
  return changeTo(invoice, 'invoice.created', { reachesStatus: true, dueDateSet: true, isIssued: true });
}

/**
 * Changes amount, lines, description, due date, buyer, locale, metadata, `acceptPartial` and `reminders` of a pending invoice. The
 * reminders alone can change also of an overdue invoice, and while a payment is in progress. Emits
 * `invoice.updated` with the former values, and sets a timer if the due date changes. If its payments come to the new amount, it is
 * paid: then it also emits `invoice.paid`.
 * @param customer as `changedCharges`
 * @returns undefined if no value differs from the current one
 * @throws ApiError `immutable_field` if another field has a value that differs from the current one,
 *   `invoice_not_pending`, `payment_in_progress`, `invalid_metadata`, `invalid_amount` if the new amount is below what is paid, or
 *   as `changedCharges` and `toBuyer`
 * @throws CheckoutOpenError if the change is allowed and a checkout is open
 */
export function updateInvoice(
  invoice: Invoice,
  body: UpdateInvoice,
  now: AccountTime,
  customer?: Buyer,
): Change<Invoice> | undefined {
  const sent = requireUnchanged('invoices', updateInvoiceBody, shownToCompare(invoice, body), body);
  const isOnlyPlan =
    sent.reminders !== undefined && Object.values(sent).filter((value) => value !== undefined).length === 1;
  if (!isOnlyPlan || !isPayable(invoice)) requirePending(invoice);
  if (!isOnlyPlan) requireNoPayment(invoice);
  const { dueDate } = sent;
  const due = dueDate === undefined ? undefined : dueDateFields(dueDate, now);
  const dueDateSet = due !== undefined && due.dueDate !== invoice.dueDate;
  const values: Partial<Invoice> = isOnlyPlan
    ? sentReminders(sent)
    : { ...sentValues(invoice, sent, customer), ...(dueDateSet && due) };
  const isUnchanged = Object.entries(values).every(([field, value]) =>
    isDeepStrictEqual(value, invoice[field as keyof Invoice]),
  );
  if (isUnchanged) return undefined;
  requireAboveReceived({ ...invoice, ...values });
  if (!isOnlyPlan) requireNoCheckout(invoice);
  const changed: Invoice = { ...nextVersion(invoice, now), ...values };
  const isOtherContent = contentFields.some((field) => !isDeepStrictEqual(changed[field], invoice[field]));
  const open = withContentVersion(changed, contentVersionOf(invoice) + (isOtherContent ? 1 : 0));
  const isPaid = hasParts(open) && amountDueOf(open) === 0;
  const next: Invoice = isPaid ? { ...open, status: 'paid' } : open;
  const show = invoice.charges || next.charges ? showWholeInvoice : showInvoice;
  const shown = (each: Invoice) => ({ acceptPartial: false, reminders: null, claim: null, ...show(each) });
  const previous = changedValues(shown(invoice), shown(next));
  const isIssued = Object.keys(previous).some((field) => !notInDocuments.has(field));
  const change = changeTo(next, 'invoice.updated', { reachesStatus: isPaid, dueDateSet, previous, isIssued });
  if (!isPaid) return change;
  const paid = draftEvent('invoice.paid', next, next.updatedAt, showInvoice(next));
  return { ...change, events: [...change.events, paid] };
}

/** @throws ApiError `invalid_amount` if an invoice has received more than its amount */
function requireAboveReceived(invoice: Invoice): void {
  if (openAmountOf(invoice) >= 0) return;
  const least = invoice.amount - openAmountOf(invoice);
  const show = (minor: number) => `${minor} (${formatAmount(minor, invoice.currency)})`;
  const message = `amount must be at least ${show(least)}, which is paid already. Refunds do not lower that.`;
  throw new ApiError('invalid_amount', { field: 'amount', message });
}

/** An invoice as a client received it. The number is not a part of the record, so a client can send back any. */
function shownToCompare(invoice: Invoice, { number }: Pick<UpdateInvoice, 'number'>) {
  return { ...showWholeInvoice(invoice), number };
}

/** Returns the values of an invoice that a client sends, besides the due date. @throws ApiError as `changedCharges` and `toBuyer` */
function sentValues(
  invoice: Invoice,
  sent: Parameters<typeof changedCharges>[1] &
    Pick<UpdateInvoice, 'metadata' | 'locale' | 'buyer' | 'acceptPartial' | 'reminders'>,
  customer: Buyer | undefined,
): Partial<Invoice> {
  const { metadata, locale, buyer, acceptPartial, description = invoice.description } = sent;
  const merged = mergeMetadata(invoice.metadata, metadata);
  const ownBuyer =
    buyer === undefined ? invoice.buyer : buyer ? toBuyer(buyer, invoice.customerId) : undefined;
  return {
    description,
    ...(invoice.gst && { gst: undefined }),
    ...changedCharges({ ...invoice, buyer: ownBuyer }, sent, customer),
    ...(buyer !== undefined && (ownBuyer || invoice.buyer) && { buyer: ownBuyer }),
    ...(locale !== undefined && { locale: locale ?? undefined }),
    ...(merged !== invoice.metadata && { metadata: merged }),
    ...(acceptPartial !== undefined && { acceptPartial: acceptPartial || undefined }),
    ...sentReminders(sent),
  };
}

/** Returns the days of reminders that a client sends. Null removes those of the invoice. */
const sentReminders = ({ reminders }: Pick<UpdateInvoice, 'reminders'>): Partial<Invoice> =>
  reminders === undefined ? {} : { reminders: reminders ? sortedDays(reminders) : undefined };

/** The identity of an invoice that replaces another one. Its customer can be another one. */
export interface ReplacementIdentity extends Omit<NewInvoiceIdentity, 'filterKeys'> {
  /** Undefined: the customer stays. */
  readonly filterKeys: readonly string[] | undefined;
}

/** The fields of an invoice that say what happened to it. An invoice that replaces it begins without them. */
const withoutHistory = {
  contentVersion: undefined,
  paymentInProgress: undefined,
  openCheckout: undefined,
  checkoutRefusal: undefined,
  receipt: undefined,
  parts: undefined,
  refundedMinor: undefined,
  payerNote: undefined,
  claim: undefined,
  isDocumented: undefined,
  paymentReference: undefined,
  sellerState: undefined,
} satisfies Partial<Invoice>;

/**
 * Cancels a pending or overdue invoice, and issues another one with the changes that a client sends. Emits `invoice.cancelled`
 * and `invoice.created`. Its taxes have the rates of today. An overdue invoice without a new due date is due in 30 days, unless the
 * caller adds the default of the account.
 * @param movesReference whether the new invoice takes the reference over. An erased reference stays
 * @param customer as `changedCharges`
 * @throws ApiError `immutable_field`, `invoice_already_paid`, `invoice_already_cancelled`, `payment_in_progress`,
 *   `invoice_partly_paid`, `invalid_metadata`, or as `changedCharges`
 * @throws CheckoutOpenError if the change is allowed otherwise and a checkout is open
 */
export function replaceInvoice(
  invoice: Invoice,
  identity: ReplacementIdentity,
  body: ReplaceInvoice,
  movesReference: boolean,
  now: AccountTime,
  customer?: Buyer,
): { readonly cancelled: Change<Invoice>; readonly issued: Change<Invoice> } {
  const sent = requireUnchanged('invoices', replaceInvoiceBody, shownToCompare(invoice, body), body);
  requireCancellable(invoice);
  requireNoParts(
    invoice,
    'replaced',
    'Cancel it with the query parameter payments=refund or payments=credit, and create another invoice.',
  );
  requireNoPayment(invoice);
  const {
    customerId = invoice.customerId,
    currency = invoice.currency,
    dueDate = invoice.status === 'overdue' ? toTimestamp(now + defaultTermMs) : invoice.dueDate,
  } = sent;
  const begun: Invoice = {
    ...invoice,
    ...withoutHistory,
    ...identity,
    filterKeys: identity.filterKeys ?? invoice.filterKeys,
    customerId,
    currency: currency as Currency,
    createdAt: now,
    // Another customer is not the buyer of before, and can be in another place.
    ...(customerId !== invoice.customerId && { buyer: undefined, gst: undefined }),
  };
  const next: Invoice = {
    ...begun,
    ...sentValues(begun, sent, customer),
    ...dueDateFields(dueDate, now),
    version: 1,
    objectVersion: 1,
    status: 'pending',
    reference: movesReference ? invoice.reference : undefined,
    replaces: invoice.id,
    replacedBy: undefined,
    updatedAt: now,
  };
  const left = { replacedBy: identity.id, ...(movesReference && { reference: undefined }) };
  return {
    cancelled: cancelInvoice(invoice, now, left),
    issued: changeTo(next, 'invoice.created', { reachesStatus: true, dueDateSet: true, isIssued: true }),
  };
}

/** What an invoice keeps of a paid one that it replaces because a payment of it is voided. */
export interface Reissue {
  /** The payment that is voided. */
  readonly paymentId: string;
  /** That of the last other payment. Undefined: there is none. */
  readonly receipt: Receipt | undefined;
  /** Whether the new invoice takes the reference over. An erased reference stays. */
  readonly movesReference: boolean;
}

/**
 * Credits a paid invoice in full, because one of its payments is voided, and issues another one with the same content and its other
 * payments. The paid one keeps its status and names no payments. Emits `invoice.updated`, with what it counted before, and
 * `invoice.created`. The new one has the same due date. If that has passed, it turns overdue a day later.
 * @throws Error if the invoice is not paid, is credited already, or does not name the payment
 */
export function reissueInvoice(
  invoice: Invoice,
  identity: Omit<NewInvoiceIdentity, 'filterKeys'>,
  { paymentId, receipt, movesReference }: Reissue,
  now: AccountTime,
): { readonly credited: Change<Invoice>; readonly issued: Change<Invoice> } {
  if (invoice.status !== 'paid' || isCredited(invoice) || !paymentsOf(invoice).includes(paymentId))
    throw new Error(`The invoice ${invoice.id} is not paid by the payment ${paymentId}.`);
  const parts = (invoice.parts ?? []).filter((part) => part.paymentId !== paymentId);
  const issued: Invoice = {
    ...invoice,
    ...withoutHistory,
    ...identity,
    // The taxes stay, and with them the state in which they were computed.
    sellerState: invoice.sellerState,
    ...dueDateFields(invoice.dueDate, now),
    ...(parts.length > 0 && { parts, receipt }),
    version: 1,
    objectVersion: 1,
    status: 'pending',
    reference: movesReference ? invoice.reference : undefined,
    replaces: invoice.id,
    replacedBy: undefined,
    createdAt: now,
    updatedAt: now,
  };
  const credited: Invoice = {
    ...nextVersion(invoice, now),
    parts: [],
    receipt: undefined,
    replacedBy: identity.id,
    ...(movesReference && { reference: undefined }),
  };
  return {
    credited: changeWithPrevious(invoice, credited, false),
    issued: changeTo(issued, 'invoice.created', { reachesStatus: true, dueDateSet: true, isIssued: true }),
  };
}

/** What becomes of the payments of an invoice that is cancelled: they are refunded, or kept as credit of the customer. */
export type ReturnedParts = 'refund' | 'credit';

/**
 * Cancels a pending or overdue invoice, for good. Emits `invoice.cancelled`. A payment in progress does not prevent
 * this: its money is refunded automatically.
 * @throws ApiError `invoice_already_paid`, `invoice_already_cancelled`, `invoice_partly_paid`
 * @throws CheckoutOpenError if the invoice can be cancelled and a checkout is open
 * @param next what the cancelled invoice says of the one that replaces it, what the caller does with its payments, and which it still names
 */
export function cancelInvoice(
  invoice: Invoice,
  now: AccountTime,
  {
    payments,
    ...changed
  }: Partial<Pick<Invoice, 'replacedBy' | 'reference' | 'parts' | 'receipt'>> & {
    readonly payments?: ReturnedParts | undefined;
  } = {},
): Change<Invoice> {
  requireCancellable(invoice);
  if (!payments)
    requireNoParts(
      invoice,
      'cancelled',
      'Send the query parameter payments=refund to cancel it and refund them, or payments=credit to keep them as credit of the customer.',
    );
  requireNoCheckout(invoice);
  const next: Invoice = { ...nextVersion(invoice, now), ...changed, status: 'cancelled' };
  return changeTo(next, 'invoice.cancelled', { reachesStatus: true, dueDateSet: false });
}

/** Makes a pending invoice overdue if `overdueAt` has passed, otherwise returns undefined. Emits `invoice.overdue`. */
export function makeOverdue(invoice: Invoice, now: AccountTime): Change<Invoice> | undefined {
  if (invoice.status !== 'pending' || invoice.overdueAt > now) return undefined;
  const overdue: Invoice = { ...nextVersion(invoice, now), status: 'overdue' };
  const next = withContentVersion(overdue, contentVersionOf(invoice));
  return changeTo(next, 'invoice.overdue', { reachesStatus: true, dueDateSet: false });
}

/** Returns an invoice that a command was given. @throws ApiError `invoice_not_found` if it does not exist */
export function requireFoundInvoice(invoice: Invoice | undefined): Invoice {
  if (!invoice) throw new ApiError('invoice_not_found');
  return invoice;
}

/**
 * Checks that a payment can start now: the invoice is `pending` or `overdue`, and no payment is in progress.
 * @throws ApiError `invoice_already_paid`, `invoice_already_cancelled`, `payment_in_progress`
 */
export function requirePayable(invoice: Invoice): void {
  if (invoice.status === 'paid') {
    throw new ApiError('invoice_already_paid', {
      message: 'The invoice is already paid. Nothing was charged.',
    });
  }
  if (invoice.status === 'cancelled') {
    throw new ApiError('invoice_already_cancelled', {
      message: 'The invoice is cancelled and cannot be paid. Nothing was charged.',
    });
  }
  requireKnownStatus(invoice);
  requireNoPayment(invoice);
}

/**
 * Binds the invoice to a payment that starts. The API does not show this, so it is an internal change.
 * @throws ApiError as `requirePayable`
 * @throws CheckoutOpenError if a checkout is open
 */
export function bindPayment(invoice: Invoice, paymentId: string): Change<Invoice> {
  requirePayable(invoice);
  requireNoCheckout(invoice);
  return internalChange({ ...invoice, version: invoice.version + 1, paymentInProgress: paymentId });
}

/**
 * Releases the invoice from a payment that has ended. Returns undefined if the invoice is not bound to that payment.
 */
export function releasePayment(invoice: Invoice, paymentId: string): Change<Invoice> | undefined {
  if (invoice.paymentInProgress !== paymentId) return undefined;
  return internalChange({ ...invoice, version: invoice.version + 1, paymentInProgress: undefined });
}

const withoutBinding = { paymentInProgress: undefined, openCheckout: undefined } as const;

/** What a payment settles of an invoice. In the smallest unit of its currency. */
export interface SettledPart {
  readonly amount: number;
  /** What was paid above it. */
  readonly over?: number | undefined;
  /** What is still due then, and is given up. */
  readonly writtenOff?: number | undefined;
  /** The id of the claim that the payment confirms. The caller has checked that it is open. */
  readonly claim?: string | undefined;
  /** As in `PartPayment`. */
  readonly transfer?: string | undefined;
  /** As in `PartPayment`. */
  readonly shownOn?: string | undefined;
}

/** A completed payment of an invoice. */
export interface ReceivedPart extends SettledPart {
  readonly receipt: Receipt;
}

/** Counts a completed payment, as `receivePayments` does. */
export const receivePayment = (
  invoice: Invoice,
  receipt: Receipt,
  settled: SettledPart,
  now: AccountTime,
): Change<Invoice> => receivePayments(invoice, [{ ...settled, receipt }], now);

/**
 * Counts completed payments, as one change. They pay the invoice if nothing is due any more, as `payInvoice` does. Otherwise they are
 * payments of parts: emits `invoice.updated` with what was paid and due before. A payment in progress and an open checkout end with them.
 * @param received at least one. Together at most what is due
 * @throws Error if the invoice is paid or cancelled, or if it is more than due
 */
export function receivePayments(
  invoice: Invoice,
  received: readonly ReceivedPart[],
  now: AccountTime,
): Change<Invoice> {
  const { claim } = invoice;
  const isConfirmed = claim && received.some((each) => each.claim === claim.id);
  const confirmed = isConfirmed ? { claim: { ...claim, status: 'confirmed' as const } } : {};
  const amount = received.reduce((sum, each) => sum + each.amount, 0);
  const left = received.reduce((sum, { writtenOff = 0 }) => sum - writtenOff, amountDueOf(invoice) - amount);
  const receipt = received.at(-1)?.receipt;
  if (!isPayable(invoice) || left < 0 || !receipt)
    throw new Error(`The invoice ${invoice.id} needs no payment of ${amount}.`);
  if (!hasParts(invoice) && received.length === 1 && amount === invoice.amount)
    return payInvoice({ ...invoice, ...confirmed }, receipt, now);
  const parts = [...(invoice.parts ?? []), ...received.map(toPart)];
  if (left === 0) return payInvoice({ ...invoice, ...confirmed, parts }, receipt, now);
  const next = { ...nextVersion(invoice, now), ...confirmed, parts, receipt, ...withoutBinding };
  return changeWithPrevious(invoice, withContentVersion(next, contentVersionOf(invoice)), true);
}

const toPart = ({
  receipt,
  amount,
  over = 0,
  writtenOff = 0,
  claim,
  transfer,
  shownOn,
}: ReceivedPart): PartPayment => ({
  paymentId: receipt.paymentId,
  amount,
  ...(writtenOff > 0 && { writtenOff }),
  ...(receipt.method === 'credit' && { isCredit: true }),
  ...(transfer !== undefined && { transfer, ...(over > 0 && { over }) }),
  ...(shownOn !== undefined && { shownOn }),
  ...(claim !== undefined && { isClaimed: true }),
});

/**
 * Notes that a row of a bank statement shows the money of a payment that people have recorded. Returns undefined if the invoice says
 * nothing else.
 * @param row its day, and the keyed hash of its reference
 * @param confirmed the open claim whose money it is, and the time. Then `invoice.updated` is emitted, as `confirmClaimBy` does
 */
export function showTransfer(
  invoice: Invoice,
  paymentId: string,
  { day, transfer }: { readonly day: string; readonly transfer: string },
  confirmed?: { readonly claimId: string; readonly now: AccountTime },
): Change<Invoice> | undefined {
  const { parts = [], version } = invoice;
  if (!parts.some((part) => part.paymentId === paymentId && part.transfer !== undefined)) return undefined;
  const shown = parts.map((part) =>
    part.paymentId === paymentId ? { ...part, transfer: transfer || part.transfer, shownOn: day } : part,
  );
  if (confirmed)
    return confirmClaimBy({ ...invoice, parts: shown }, { ...confirmed, paymentId }, confirmed.now);
  return internalChange({ ...invoice, version: version + 1, parts: shown });
}

/**
 * Counts a payment of a part no longer, because the merchant has voided it. Emits `invoice.updated` with what was paid and due before.
 * A payment in progress and an open checkout stay valid, because more is due than before.
 * @param other the receipt of the last payment that is left, if the invoice shows that of the withdrawn one. Undefined: none is left
 * @throws Error if the invoice is paid or cancelled, or does not name the payment
 */
export function withdrawPayment(
  invoice: Invoice,
  paymentId: string,
  other: Receipt | undefined,
  now: AccountTime,
): Change<Invoice> {
  const left = (invoice.parts ?? []).filter((part) => part.paymentId !== paymentId);
  if (!isPayable(invoice) || left.length + 1 !== invoice.parts?.length)
    throw new Error(`The invoice ${invoice.id} does not wait for more than the payment ${paymentId}.`);
  const parts = left.length > 0 ? left : undefined;
  const receipt = invoice.receipt?.paymentId === paymentId ? parts && other : invoice.receipt;
  const next = withContentVersion(
    { ...nextVersion(invoice, now), parts, receipt },
    contentVersionOf(invoice),
  );
  return changeWithPrevious(invoice, next, false);
}

/** The time zone in which a day begins first is so much ahead of UTC. In milliseconds. */
const earliestZoneMs = 14 * 3_600_000;

/** Whether a day, as `YYYY-MM-DD`, has begun somewhere. */
export const hasDayBegun = (day: string, now: AccountTime): boolean =>
  day <= toTimestamp(now + earliestZoneMs).slice(0, day.length);

/** A claim names a day at most so long before its invoice was created, for advance payments: a leap year. In milliseconds. */
const longestAdvanceMs = 366 * 24 * 3_600_000;

/** Whether a day, as `YYYY-MM-DD`, is more than a year before the creation of an invoice. */
const isTooEarly = (day: string, { createdAt }: Invoice): boolean =>
  day < toTimestamp(createdAt - longestAdvanceMs).slice(0, day.length);

/**
 * Returns the fields of a claim that a payable invoice does not take: a day that has begun nowhere yet, or is more than a year before the
 * invoice, and more money than is due. So a wrong year does not move the money into other accounts. A bank takes transfers of any amount, so less is taken: the merchant decides about it.
 * @param claim an amount that is undefined is not judged
 */
export function wrongFieldsOfClaim(
  invoice: Invoice,
  { amount = 0, paidOn }: { readonly amount: number | undefined; readonly paidOn: string },
  now: AccountTime,
): ('paidOn' | 'amount')[] {
  return [
    ...(hasDayBegun(paidOn, now) && !isTooEarly(paidOn, invoice) ? [] : (['paidOn'] as const)),
    ...(amount > amountDueOf(invoice) ? (['amount'] as const) : []),
  ];
}

/**
 * Notes that a payer claims to have paid. The invoice stays payable. Emits `invoice.claimed`.
 * @throws ApiError as `requirePayable`, or `invalid_claim` if another claim is open, or if one of its fields is wrong
 */
export function claimInvoice(invoice: Invoice, claim: NewClaim, now: AccountTime): Change<Invoice> {
  requirePayable(invoice);
  if (openClaimOf(invoice) || wrongFieldsOfClaim(invoice, claim, now).length > 0) {
    const message = 'The invoice has an open claim already, or does not take this day or amount.';
    throw new ApiError('invalid_claim', { field: 'claim', message });
  }
  const next = nextVersion(invoice, now);
  const claimed: Invoice = { ...next, claim: { ...claim, status: 'open', claimedAt: next.updatedAt } };
  const open = withContentVersion(claimed, contentVersionOf(invoice));
  return changeTo(open, 'invoice.claimed', { reachesStatus: false, dueDateSet: false });
}

/**
 * Rejects the open claim of an invoice. The payment page shows the reason. Emits `invoice.updated` with the claim as it was.
 * @throws ApiError `invalid_claim` if the claim with this id is not open
 */
export function rejectClaim(
  invoice: Invoice,
  { claimId, reason }: { readonly claimId: string; readonly reason: string },
  now: AccountTime,
): Change<Invoice> {
  const claim = requireOpenClaim(invoice, claimId, 'claimId');
  const rejected: Invoice = {
    ...nextVersion(invoice, now),
    claim: { ...claim, status: 'rejected', reason },
  };
  return changeWithPrevious(invoice, withContentVersion(rejected, contentVersionOf(invoice)), false);
}

/**
 * Confirms the open claim of an invoice: its money is that of a payment that is recorded already. Nothing is counted again. Emits
 * `invoice.updated` with the claim as it was.
 * @throws ApiError `invalid_claim` if the claim with this id is not open, `invalid_payment` if it cannot be its money
 */
export function confirmClaimBy(
  invoice: Invoice,
  { claimId, paymentId }: { readonly claimId: string; readonly paymentId: string },
  now: AccountTime,
): Change<Invoice> {
  const claim = requireOpenClaim(invoice, claimId, 'claimId');
  const part = invoice.parts?.find((each) => each.paymentId === paymentId);
  if (part?.transfer === undefined || part.isClaimed) {
    const message =
      'paymentId must be a payment of this invoice that you received outside Remit, and that confirms no other claim. List the payments of the invoice.';
    throw new ApiError('invalid_payment', { field: 'paymentId', message });
  }
  const confirmed: Invoice = {
    ...nextVersion(invoice, now),
    claim: { ...claim, status: 'confirmed' },
    parts: invoice.parts?.map((each) => (each === part ? { ...each, isClaimed: true } : each)),
  };
  return changeWithPrevious(invoice, withContentVersion(confirmed, contentVersionOf(invoice)), false);
}

/** @param isIssued whether a document follows, such as the receipt of the payment */
function changeWithPrevious(invoice: Invoice, next: Invoice, isIssued: boolean): Change<Invoice> {
  const previous = changedValues(showWholeInvoice(invoice), showWholeInvoice(next));
  return changeTo(next, 'invoice.updated', { reachesStatus: false, dueDateSet: false, previous, isIssued });
}

/**
 * Marks the invoice as paid in full. Emits `invoice.paid`. The caller has checked that the invoice is `pending` or
 * `overdue`.
 */
export function payInvoice(invoice: Invoice, receipt: Receipt, now: AccountTime): Change<Invoice> {
  const next: Invoice = {
    ...nextVersion(invoice, now),
    status: 'paid',
    ...withoutBinding,
    receipt,
  };
  return changeTo(next, 'invoice.paid', { reachesStatus: true, dueDateSet: false, isIssued: true });
}

/**
 * Returns the version of what the payment page asks a payer to pay. Only a change of amount, lines, description or due date raises
 * it, by one. So the forms and checkouts of payers stay valid when other fields change, and when the invoice turns overdue.
 */
export const contentVersionOf = (invoice: Invoice): number =>
  invoice.contentVersion ?? contentVersionBy(invoice);

/** The content version of an invoice of which each change has changed the content. Turning overdue is no such change. */
const contentVersionBy = ({ status, objectVersion }: Invoice): number =>
  status === 'overdue' ? objectVersion - 1 : objectVersion;

/** Gives a payable invoice its content version, which is stored only if it does not follow from the other fields. */
function withContentVersion({ contentVersion: _, ...invoice }: Invoice, content: number): Invoice {
  return content === contentVersionBy(invoice) ? invoice : { ...invoice, contentVersion: content };
}

/** Whether the invoice was created without a due date. Its due date then has the time of day of the creation. */
export const hasDefaultDueDate = ({ dueDate, createdAt }: Pick<Invoice, 'dueDate' | 'createdAt'>): boolean =>
  dueDate === toTimestamp(createdAt + defaultTermMs);

/** Whether money for the invoice can still be received. A payment in progress does not matter. */
export const isPayable = ({ status }: Pick<Invoice, 'status'>): boolean =>
  status === 'pending' || status === 'overdue';

/** Makes `updatedAt` strictly later, even if the clock of this instance is behind that of another one. */
function nextVersion(invoice: Invoice, now: AccountTime): Invoice {
  return {
    ...invoice,
    version: invoice.version + 1,
    objectVersion: invoice.objectVersion + 1,
    updatedAt: Math.max(now, invoice.updatedAt + 1),
  };
}

function changeTo(
  invoice: Invoice,
  event: EventType,
  {
    reachesStatus,
    dueDateSet,
    previous,
    isIssued = false,
  }: { reachesStatus: boolean; dueDateSet: boolean; previous?: object; isIssued?: boolean },
): Change<Invoice> {
  const { id, seq, filterKeys, status, updatedAt, overdueAt } = invoice;
  return {
    record: invoice,
    indexEntry: reachesStatus ? { resource: 'invoice', seq, filterKeys, status } : undefined,
    events: [draftEvent(event, invoice, updatedAt, showInvoice(invoice), previous)],
    ...(isIssued && invoice.isDocumented && { issuesDocuments: true as const }),
    timers: dueDateSet ? [{ due: overdueAt, kind: 'overdue', reference: id }] : [],
  };
}

/** @throws Error if `text` is not a due date. The caller has validated it. */
function dueDateFields(text: string, now: AccountTime): Pick<Invoice, 'dueDate' | 'overdueAt'> {
  const due = parseDueDate(text);
  if (!due) throw new Error('The due date was not validated.');
  return { dueDate: due.shown, overdueAt: due.instant > now ? due.instant : now + graceMs };
}

function requireCancellable(invoice: Invoice): void {
  if (invoice.status === 'paid') throw new ApiError('invoice_already_paid');
  if (invoice.status === 'cancelled') throw new ApiError('invoice_already_cancelled');
  requireKnownStatus(invoice);
}

/** @throws ApiError `invoice_partly_paid` if the invoice has received payments of parts */
function requireNoParts(invoice: Invoice, change: 'replaced' | 'cancelled', remedy: string): void {
  if (!hasParts(invoice)) return;
  const paid = amountPaidOf(invoice);
  const message = `The invoice has received ${paid} (${formatAmount(paid, invoice.currency)}), so it is not ${change}. ${remedy}`;
  throw new ApiError('invoice_partly_paid', { message });
}

function requirePending({ status }: Invoice): void {
  if (status === 'pending') return;
  const advice = status === 'overdue' ? ' Replace it with POST /api/invoices/{id}/replace.' : '';
  throw new ApiError('invoice_not_pending', {
    message: `Only pending invoices can be updated. This invoice is ${status}.${advice}`,
  });
}

/**
 * Refuses a status that only a newer version knows, because this version cannot tell what may follow it.
 * @throws Error if the status is unknown
 */
export function requireKnownStatus({ id, status }: Invoice): void {
  if (!(statuses.invoice as readonly string[]).includes(status)) {
    throw new Error(`This version does not know the status ${status} of the invoice ${id}.`);
  }
}

/** A payment on the page of a provider can be voided, as its checkout. */
function requireNoPayment(invoice: Invoice): void {
  if (invoice.paymentInProgress === undefined) return;
  requireNoCheckout(invoice);
  throw new ApiError('payment_in_progress');
}
