/**
 * Decides which invoices a row could pay, of which recorded payments it could be the money, and which refunds money that went out could
 * be, so that a person can decide. Pure.
 */
import type { Currency } from '../../base/money.ts';
import { toTimestamp } from '../../base/time.ts';
import { nameWordsOf, searchedWordsOf } from '../../store/search/name-words.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { amountDueOf, isCredited } from '../invoices/received-money.ts';
import { isPayable } from '../invoices/transitions.ts';
import type { Payment } from '../payments/payment.ts';
import { isReference, isSameReference, isTransfer } from '../payments/transfer.ts';
import type { Refund } from '../refunds/refund.ts';
import {
  type RecordedPayment,
  type RefundSuggestion,
  type ReturnedPayment,
  recordedReasons,
  type StatementRow,
  type Suggestion,
  type SuggestionReason,
  showRowRefund,
  suggestionReasons,
} from './statement.ts';

const maxSuggestions = 3;
/** People pay after an invoice was created, and not long after it was due. In milliseconds. */
const longestDelayMs = 31 * 24 * 60 * 60 * 1000;
/** A name of several words says enough if two of them are in the row. */
const enoughWords = 2;

/**
 * Returns the invoices that a row could pay, the strongest reason first. A paid one that the row names is last: all of the money would be
 * credit of the customer, so a person must decide.
 * @param candidates invoices that the row names, or that have its amount
 * @param left what is left of the money of the row
 * @param nameOf the name of the buyer or the customer of an invoice. Undefined: it is not known
 */
export function suggestInvoices(
  row: StatementRow,
  left: number,
  candidates: readonly Invoice[],
  currency: Currency,
  nameOf: (invoice: Invoice) => string | undefined,
): Suggestion[] {
  if (left <= 0) return [];
  const takesMore = (invoice: Invoice) =>
    invoice.status === 'paid' && !isCredited(invoice) && isNamed(row, invoice);
  const taking = candidates.filter(
    (invoice) => invoice.currency === currency && (isPayable(invoice) || takesMore(invoice)),
  );
  const suggestions = taking.flatMap((invoice): (Suggestion & { createdAt: number })[] => {
    const name = nameOf(invoice);
    const reason = reasonOf(row, left, invoice, name);
    if (!reason) return [];
    const { id: invoiceId, createdAt } = invoice;
    const amountDue = isPayable(invoice) ? amountDueOf(invoice) : 0;
    return [{ invoiceId, reason, name: name ?? null, amountDue, createdAt }];
  });
  const strengthOf = ({ reason, amountDue }: Suggestion) =>
    amountDue === 0 ? suggestionReasons.length : suggestionReasons.indexOf(reason);
  return suggestions
    .sort((one, other) => strengthOf(one) - strengthOf(other) || other.createdAt - one.createdAt)
    .slice(0, maxSuggestions)
    .map(({ createdAt: _, ...suggestion }) => suggestion);
}

/**
 * Returns the payments whose money a row could be: those that people have recorded first, and then those that another row shows, with the
 * strongest reason first. Of those with the same reason, the one of the nearest day is first.
 * @param left what is left of the money of the row
 * @param candidates payments that have the reference or the amount of the row, or are of invoices that it names
 */
export function suggestRecorded(
  row: StatementRow,
  left: number,
  candidates: readonly Payment[],
  currency: Currency,
): RecordedPayment[] {
  if (left <= 0) return [];
  const day = Date.parse(row.day);
  const strengthOf = ({ reason }: RecordedPayment) => recordedReasons.indexOf(reason);
  return candidates
    .filter((payment) => isTransfer(payment, currency) && payment.statementRow !== row.id)
    .filter(({ amount, statementRow }) => amount <= left || statementRow !== undefined)
    .flatMap((payment) => {
      const { id: paymentId, invoiceId, amount, receivedOn, statementRow, createdAt } = payment;
      const distance = Math.abs((receivedOn === undefined ? createdAt : Date.parse(receivedOn)) - day);
      const reason = recordedReasonOf(row, left, payment, distance);
      if (!reason) return [];
      const shown = { receivedOn: receivedOn ?? null, statementRow: statementRow ?? null };
      return [{ found: { paymentId, invoiceId, reason, amount, ...shown }, distance }];
    })
    .sort(
      (one, other) =>
        isShown(one.found) - isShown(other.found) ||
        strengthOf(one.found) - strengthOf(other.found) ||
        one.distance - other.distance,
    )
    .slice(0, maxSuggestions)
    .map(({ found }) => found);
}

const isShown = ({ statementRow }: RecordedPayment): number => (statementRow === null ? 0 : 1);

/** A payment that another row shows can be the same row, with another name of the bank. Then it has the same reference, or the same day. */
function recordedReasonOf(
  { reference, invoices }: StatementRow,
  left: number,
  payment: Payment,
  distance: number,
): RecordedPayment['reason'] | undefined {
  if (isSameReference(reference, payment.reference)) return 'reference';
  const hasBoth = isReference(reference ?? '') && isReference(payment.reference ?? '');
  const longest = payment.statementRow === undefined ? longestDelayMs : 0;
  if (payment.amount !== left || distance > longest || (longest === 0 && hasBoth)) return undefined;
  return invoices?.includes(payment.invoiceId) ? 'payment_reference' : 'amount_and_date';
}

/** Whether a refund has the amount and the currency of a row that went out, and did not fail. Another row can show it. */
export const hasMoneyOfRow = (
  refund: Refund,
  { amount }: Pick<StatementRow, 'amount'>,
  currency: Currency,
): boolean => refund.currency === currency && refund.amount === -amount && refund.status !== 'failed';

/** Whether a row can be the money of a refund that no row shows yet. */
export const isRefundOfRow = (
  refund: Refund,
  row: Pick<StatementRow, 'amount'>,
  currency: Currency,
): boolean => hasMoneyOfRow(refund, row, currency) && refund.statementRow === undefined;

/**
 * Returns the refunds that a row could be, from a month before the day of the row to a month after it. The nearest one is first.
 */
export function suggestRefunds(
  row: StatementRow,
  candidates: readonly Refund[],
  currency: Currency,
): RefundSuggestion[] {
  const distanceOf = ({ createdAt }: Refund) => Math.abs(createdAt - Date.parse(row.day));
  return candidates
    .filter((refund) => isRefundOfRow(refund, row, currency))
    .filter((refund) => distanceOf(refund) <= longestDelayMs)
    .sort((one, other) => distanceOf(one) - distanceOf(other) || (one.id < other.id ? -1 : 1))
    .slice(0, maxSuggestions)
    .map(({ id: refundId, paymentId, createdAt }) => showRowRefund({ refundId, paymentId, createdAt }));
}

/**
 * Returns the payments whose money the bank has taken back with a row: those that have its reference, and count. The bank takes back all of
 * a transfer, which can have paid several invoices.
 */
export function suggestReturned(
  row: StatementRow,
  candidates: readonly Payment[],
  currency: Currency,
): ReturnedPayment[] {
  const returned = candidates.filter(
    (payment) => isSameReference(row.reference, payment.reference) && isTransfer(payment, currency),
  );
  const fitting = returned.filter(({ amount }) => amount <= -row.amount);
  return fitting
    .slice(0, maxSuggestions)
    .map(({ id: paymentId, invoiceId, amount }) => ({ paymentId, invoiceId, amount }));
}

function reasonOf(
  row: StatementRow,
  left: number,
  invoice: Invoice,
  name: string | undefined,
): SuggestionReason | undefined {
  if (isNamed(row, invoice)) return 'payment_reference';
  if (amountDueOf(invoice) !== left) return undefined;
  if (namesBuyer(row, name)) return 'amount_and_name';
  return isInTime(row, invoice) ? 'amount_and_date' : undefined;
}

/** Whether a row has the payment reference of an invoice, or of one that it replaces. */
const isNamed = ({ invoices = [] }: StatementRow, { id }: Invoice): boolean => invoices.includes(id);

/** Whether two words of a name are in a row, or its only word. */
function namesBuyer({ name, text }: StatementRow, buyer: string | undefined): boolean {
  const words = nameWordsOf(buyer ?? '');
  const said = new Set(searchedWordsOf(`${name ?? ''} ${text ?? ''}`));
  const common = words.filter((word) => said.has(word)).length;
  return words.length > 0 && common >= Math.min(enoughWords, words.length);
}

function isInTime({ day }: StatementRow, { createdAt, overdueAt }: Invoice): boolean {
  const latest = toTimestamp(overdueAt + longestDelayMs);
  return day >= toTimestamp(createdAt).slice(0, day.length) && day <= latest.slice(0, day.length);
}
