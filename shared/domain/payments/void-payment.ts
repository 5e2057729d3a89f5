/**
 * Voids a payment that the merchant recorded although its money never arrived, such as one with a wrong amount. Only payments that were
 * received outside the service are voided, and those with credit, which goes back to the payment that received the money.
 *
 * - The status of the payment stays `completed`, because lists depend on it. `voidedAt` says that it does not count.
 * - An open invoice counts the payment no longer. A paid invoice does not count one that came after it was paid, and stays as it is.
 * - A paid invoice stays paid, because statuses only move forward. It is credited in full, and another one with the same content
 *   replaces it: open, with the other payments. All of this is one transaction. It has the other payments, too, so that each payment
 *   names the invoice that counts it, and refunds and credit notes of later follow from that one. An invoice with more than
 *   `maxPaidParts` payments is not replaced.
 */
import { ApiError } from '../../base/errors.ts';
import type { AccountTime } from '../../base/time.ts';
import { readSellerSummary } from '../../store/account-seller-store.ts';
import {
  type Change,
  Command,
  internalChange,
  type Reservation,
  requireNew,
} from '../../store/commit/command.ts';
import { erasedText } from '../../store/field-erasure.ts';
import { type LoadedRecord, type RecordBase, readRecords, requireRecords } from '../../store/records.ts';
import { allocateSequenceNumber } from '../../store/sequence-numbers.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { newInvoiceIdentity } from '../invoices/new-identity.ts';
import type { Receipt } from '../invoices/receipt.ts';
import { isPaidBy, paymentsOf } from '../invoices/received-money.ts';
import { invoiceType } from '../invoices/record.ts';
import { reserveReference } from '../invoices/reference-store.ts';
import {
  isPayable,
  type NewInvoiceIdentity,
  reissueInvoice,
  withdrawPayment,
} from '../invoices/transitions.ts';
import { findOwnBankReference, referenceAfter } from './bank-reference-store.ts';
import { afterChange, giveCreditBack, isKeptAsCredit } from './credit.ts';
import { creditItems } from './credit-store.ts';
import { type Payment, type ShownPayment, showPayment } from './payment.ts';
import {
  maxPaymentEvents,
  movePayment,
  nextPaymentVersion,
  paymentChange,
  receiptOf,
  usersOf,
} from './payment-changes.ts';
import { readPayment, requirePayment } from './payment-store.ts';
import { paymentType } from './record.ts';
import { type RowUse, releaseRow } from './row-use.ts';
import { readRowUse } from './row-use-store.ts';
import { markAfter } from './waiting-row.ts';

/** A paid invoice with more payments is not replaced. Each has an event, and so has the payment that gave the credit that is voided. */
export const maxPaidParts = maxPaymentEvents - 1;

/** A payment and its invoice, and then what else the void changes. */
type VoidedRecords = [Payment, Invoice, ...(RowUse | Invoice | Payment)[]];
type LoadedBoth = readonly [LoadedRecord<Payment>, LoadedRecord<Invoice>];

/** How the invoice of a payment follows its void. */
interface VoidPlan {
  /** The records that change besides the payment and its invoice. */
  readonly loaded: readonly LoadedRecord<Invoice | Payment>[];
  readonly decide: (
    payment: Payment,
    invoice: Invoice,
    others: readonly (RecordBase | undefined)[],
  ) => {
    readonly changes: readonly [Change<Payment>, Change<Invoice> | undefined, ...Change<Invoice | Payment>[]];
    readonly reserves?: readonly Reservation[];
  };
}

/**
 * Creates the command that voids a payment. In up to three calls, which run in parallel, it reads the item of the bank reference, what
 * came of the row of a bank statement that made the payment, and the last other payment of the invoice. The money of the row is free
 * again. If the invoice is paid, it reads all other payments, and allocates the number of the invoice that replaces it. The command throws
 * the errors of `voidPayment` and `voidAndReissue`.
 * @throws ApiError `payment_not_found`
 */
export async function voidPaymentCommand(
  loaded: LoadedBoth,
  reason: string,
  now: AccountTime,
): Promise<Command<VoidedRecords, ShownPayment>> {
  const before = requirePayment(loaded[0]);
  const { owner, id } = loaded[0];
  const { record: invoice } = loaded[1];
  const isReplaced = invoice && isReplacedBy(before, invoice) && voidRefusalOf(before, invoice) === undefined;
  const [reference, row, source, plan] = await Promise.all([
    findOwnBankReference(before),
    before.statementRow === undefined ? undefined : readRowUse(owner, before.statementRow),
    before.creditFrom === undefined ? undefined : readPayment(owner, before.creditFrom),
    isReplaced ? planReissue(id, invoice, reason, now) : planWithdrawal(loaded, reason, now),
  ]);
  const ofRow = row?.record?.payments.some((payment) => payment.paymentId === id) ? [row] : [];
  // The source can have moved to the same invoice.
  const isMoved = plan.loaded.some((other) => other.id === source?.id);
  const ofSource = source && !isMoved ? [source] : [];
  const all = [...loaded, ...ofRow, ...plan.loaded, ...ofSource] as const;
  return new Command<VoidedRecords, ShownPayment>(all, (payment, present, ...others) => {
    if (!payment || !present) throw new ApiError('payment_not_found');
    requireVoidable(payment, present);
    // Somebody has named it as the money of a row, which is to be loaded with it.
    if (payment.statementRow !== before.statementRow) throw changedMeanwhile();
    const planned = others.slice(ofRow.length, ofRow.length + plan.loaded.length);
    const { changes, reserves } = plan.decide(payment, present, planned);
    const [voided, changed, ...more] = changes;
    const uses = others.slice(0, ofRow.length) as (RowUse | undefined)[];
    const sources = others.slice(ofRow.length + plan.loaded.length) as (Payment | undefined)[];
    const returned = sources.map((each) => each && giveCreditBack(each, id, now));
    const moved = more.map((change) =>
      isMoved && change?.record.id === source?.id
        ? withCreditBack(change as Change<Payment>, id, now)
        : change,
    );
    const items = creditItems(
      [payment, ...sources, ...(planned as (Payment | undefined)[])],
      [voided, ...returned, ...(moved as Change<Payment>[])],
    );
    // An erasure can have replaced bank and reference since. Then the item stays.
    const isSame = payment.bank === before.bank && payment.reference === before.reference;
    const released = uses.map((use) => releaseRow(use, id));
    const ofRowReference = uses.flatMap((use, index) => {
      const after = released[index]?.record;
      return use && after ? [referenceAfter(use, after)] : [];
    });
    const isOfRow = ofRowReference.some(({ key }) => key && key.pk === reference?.pk);
    return {
      changes: [voided, changed, ...released, ...moved, ...returned],
      answer: showPayment(voided.record),
      deletes: [
        ...(reference && isSame && !isOfRow ? [reference] : []),
        ...ofRowReference.flatMap(({ deletes }) => deletes),
        ...items.deletes,
      ],
      puts: [
        ...released.flatMap((change) => (change && markAfter(change.record).puts) ?? []),
        ...ofRowReference.flatMap(({ puts }) => puts),
        ...items.puts,
      ],
      reserves: reserves ?? [],
    };
  });
}

/** Gives credit back to a payment that another change moves. */
const withCreditBack = (moved: Change<Payment>, paymentId: string, now: AccountTime): Change<Payment> =>
  afterChange(moved, giveCreditBack(moved.record, paymentId, now));

/** Whether the void of a payment replaces its invoice: it has paid it. */
const isReplacedBy = (payment: Payment, invoice: Invoice): boolean =>
  invoice.status === 'paid' && isPaidBy(invoice, payment.id);

/** Plans the void of a payment of an open invoice, or of one that is credit. One call if the invoice counts others. */
async function planWithdrawal(
  [{ owner, id }, { record }]: LoadedBoth,
  reason: string,
  now: AccountTime,
): Promise<VoidPlan> {
  const lastId = otherPaymentsOf(record, id).at(-1);
  const last = lastId === undefined ? undefined : await readPayment(owner, lastId);
  return {
    loaded: [],
    decide: (payment, invoice) => {
      if (isReplacedBy(payment, invoice)) throw changedMeanwhile();
      const isLast = last?.record !== undefined && last.id === otherPaymentsOf(invoice, id).at(-1);
      const receipt = isLast && last.record ? receiptOf(last.record) : undefined;
      return { changes: voidPayment(payment, invoice, { reason, receipt }, now) };
    },
  };
}

/** Plans the void of a payment of a paid invoice. Three calls in parallel. */
async function planReissue(
  id: string,
  { account, mode, ...loaded }: Invoice,
  reason: string,
  now: AccountTime,
): Promise<VoidPlan> {
  const owner = { account, mode };
  const ids = otherPaymentsOf(loaded, id);
  const [principal, seller, found] = await Promise.all([
    allocateSequenceNumber(owner, 'invoice'),
    readSellerSummary(owner),
    readRecords(paymentType, owner, ids),
  ]);
  const payments = requireRecords(found);
  const identity = newInvoiceIdentity({ ...principal, seller });
  const { reference } = loaded;
  const moved =
    reference === undefined ? [] : [await reserveReference(owner, reference, identity.id, loaded.id)];
  return {
    loaded: [
      { type: invoiceType, owner, id: identity.id, record: undefined },
      ...ids.map((other) => ({ type: paymentType, owner, id: other, record: payments.get(other) })),
    ],
    decide: (payment, invoice, [existing, ...others]) => {
      requireNew(existing);
      if (otherPaymentsOf(invoice, id).join() !== ids.join()) throw changedMeanwhile();
      const present = others.map((other, index) => {
        if (!other) throw new Error(`The payment ${ids[index]} does not exist.`);
        return other as Payment;
      });
      const movesReference = invoice.reference === reference && reference !== erasedText;
      const next = { identity, others: present, reason, movesReference };
      return {
        changes: voidAndReissue(payment, invoice, next, now),
        reserves: movesReference ? moved : [],
      };
    },
  };
}

/** Returns the ids of the payments that an invoice counts, besides the payment `id`. */
const otherPaymentsOf = (invoice: Parameters<typeof paymentsOf>[0] | undefined, id: string): string[] =>
  invoice ? paymentsOf(invoice).filter((other) => other !== id) : [];

/**
 * Voids a payment, which its open invoice no longer counts. Emits `payment.voided`, then `invoice.updated`. An invoice does not count a
 * payment that is kept as credit, because it is cancelled, or was paid before.
 * @param receipt that of the last payment that is left. Undefined: none is left, or the payments of the invoice changed meanwhile
 * @throws ApiError `payment_not_voidable`, with what to do instead
 */
export function voidPayment(
  payment: Payment,
  invoice: Invoice,
  { reason, receipt }: { readonly reason: string; readonly receipt?: Receipt | undefined },
  now: AccountTime,
): readonly [Change<Payment>, Change<Invoice>] {
  requireVoidable(payment, invoice);
  const withdrawn = isPayable(invoice)
    ? withdrawPayment(invoice, payment.id, receipt, now)
    : internalChange({ ...invoice, version: invoice.version + 1 });
  return [voidedChange(payment, reason, now), withdrawn];
}

/** What follows the void of a payment of a paid invoice. */
interface Reissued {
  readonly identity: Omit<NewInvoiceIdentity, 'filterKeys'>;
  /** The other payments of the invoice, in its order. */
  readonly others: readonly Payment[];
  readonly reason: string;
  readonly movesReference: boolean;
}

/**
 * Voids a payment of a paid invoice, which is credited and replaced. Emits `payment.voided`, then `invoice.updated` of the paid invoice and
 * `invoice.created` of the other one. A credit note follows from the void, if the invoice has documents.
 * @returns the changes of the payment, of its invoice, of the one that replaces it, and of the other payments
 * @throws ApiError `payment_not_voidable`, with what to do instead
 */
export function voidAndReissue(
  payment: Payment,
  invoice: Invoice,
  { identity, others, reason, movesReference }: Reissued,
  now: AccountTime,
): readonly [Change<Payment>, Change<Invoice>, Change<Invoice>, ...Change<Payment>[]] {
  requireVoidable(payment, invoice);
  const refunded = others.find(({ amountRefunded, amountReserved }) => amountRefunded + amountReserved > 0);
  if (refunded) {
    const message = `The payment ${refunded.id} of the same invoice has refunds, so the invoice is not replaced. ${refundInstead}`;
    throw new ApiError('payment_not_voidable', { message });
  }
  const last = others.at(-1);
  const reissue = { paymentId: payment.id, receipt: last && receiptOf(last), movesReference };
  const { credited, issued } = reissueInvoice(invoice, identity, reissue, now);
  const voided = voidedChange(payment, reason, now);
  return [
    invoice.isDocumented ? { ...voided, issuesDocuments: true } : withoutNote(voided),
    credited,
    issued,
    ...others.map((other) => movePayment(other, identity.id, now)),
  ];
}

/** The invoice that replaces the paid one can have documents. So the events say that no credit note follows from them. */
const withoutNote = (change: Change<Payment>): Change<Payment> => ({
  ...change,
  events: change.events.map((event) => ({ ...event, credits: 0 })),
});

/** Voids a payment, and changes nothing else. Emits `payment.voided`. */
export function voidedChange(payment: Payment, voidReason: string, now: AccountTime): Change<Payment> {
  const next = nextPaymentVersion(payment, now);
  return paymentChange(
    { ...next, voidedAt: next.updatedAt, voidReason },
    { event: 'payment.voided', sameStatus: true },
  );
}

const refundInstead =
  'Refund this payment instead, which only records that the money is not yours. Then create another invoice.';

const changedMeanwhile = () =>
  new ApiError('payment_not_voidable', {
    message: 'The payments of this invoice have just changed. Send the request again.',
  });

function requireVoidable(payment: Payment, invoice: Invoice): void {
  if (payment.voidedAt === undefined && payment.invoiceId !== invoice.id) throw changedMeanwhile();
  const message = voidRefusalOf(payment, invoice);
  if (message !== undefined) throw new ApiError('payment_not_voidable', { message });
}

/** Whether only the invoice of a payment can prevent that it is voided. */
export const mayBeVoidable = (payment: Payment): boolean => ownRefusalOf(payment) === undefined;

/** Returns why a payment cannot be voided, and what to do. Undefined: it can. */
export function voidRefusalOf(payment: Payment, invoice: Invoice): string | undefined {
  const own = ownRefusalOf(payment);
  if (own !== undefined) return own;
  if (!isPayable(invoice) && !isPaidBy(invoice, payment.id) && isKeptAsCredit(payment)) return undefined;
  if (!isPaidBy(invoice, payment.id))
    return `The invoice of this payment is ${invoice.status}, so the payment cannot be voided.`;
  if (invoice.status === 'paid' && paymentsOf(invoice).length > maxPaidParts) {
    const instead = payment.method === 'credit' ? 'Refund another payment of it instead.' : refundInstead;
    return `The paid invoice has more than ${maxPaidParts} payments, so it is not replaced. ${instead}`;
  }
  return undefined;
}

function ownRefusalOf(payment: Payment): string | undefined {
  const { method, status, voidedAt, amountRefunded, amountReserved, dispute } = payment;
  if (voidedAt !== undefined) return 'This payment is voided already.';
  if ((method !== 'offline' && method !== 'credit') || status !== 'completed')
    return 'Only a completed payment that you received outside Remit can be voided. Refund this payment instead.';
  if (payment.creditUses)
    return `Other payments use the credit of this payment: ${usersOf(payment)}. Void them first.`;
  if (dispute) return 'This payment has a dispute, so it cannot be voided.';
  if (amountRefunded + amountReserved > 0)
    return 'This payment has refunds, so it cannot be voided. Refund what is left of it instead.';
  return undefined;
}
