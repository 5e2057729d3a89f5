/**
 * Lists the payments that match the filters of a query.
 *
 * - An amount, a reference and the day of receipt never change, and lead to payments by keyed hashes, which the relay stores after the
 *   payment. The payments found are compared with all filters. Those of days are in the order of the days.
 * - Without them, the index of the list gives the rows.
 */
import type { Owner } from '../../base/ids.ts';
import { paginationOf } from '../../base/pagination.ts';
import type { Principal } from '../../store/account-state.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { matchesFilter } from '../../store/lists/filters/record-matcher.ts';
import type { ListQuery } from '../../store/lists/pages/lists.ts';
import {
  findByAnyTerm,
  findByTerms,
  isView,
  maxFoundByAmount,
  pageOfMatches,
  type RecordSource,
  readMatches,
} from '../../store/search/found-records.ts';
import { comparableTerm, type Term } from '../../store/search/search-entries.ts';
import { customerFilterKey } from '../invoices/record.ts';
import { type ListPayments, type Payment, showPayment } from './payment.ts';
import { isOrWasFor } from './payment-changes.ts';
import { listPaymentPage, readPaymentIndex } from './payment-store.ts';
import { paymentType } from './record.ts';

/** Looks up what the filters lead to. One call in sequence. */
export async function findPayments(owner: Owner, query: ListPayments): Promise<RecordSource> {
  const terms = termsOf(query);
  const days = query.receivedOn?.map((value): Term => ({ kind: 'received', value }));
  if (terms.length === 0 && !days) return readPaymentIndex(owner, query);
  const [byTerms, byDays] = await Promise.all([
    terms.length > 0 ? findByTerms(owner, terms, maxFoundByAmount) : undefined,
    days && findByAnyTerm(owner, days, maxFoundByAmount),
  ]);
  if (!byTerms || !byDays) return byTerms ?? byDays ?? [];
  const found = new Set(byTerms);
  return byDays.filter((id) => found.has(id));
}

function termsOf({ amount, reference }: ListPayments): Term[] {
  return [
    ...(amount === undefined ? [] : [{ kind: 'amount' as const, value: String(amount) }]),
    ...(reference === undefined ? [] : [{ kind: 'reference' as const, value: comparableTerm(reference) }]),
  ];
}

/** Reads one page of a list with the exact total. @param source from `findPayments`, with the same query */
export async function listPayments(
  principal: Principal,
  source: RecordSource,
  query: ListPayments & Pick<ListQuery, 'isReadOnly' | 'order'>,
) {
  const { status, offset, limit, order, isReadOnly = false } = query;
  if (isView(source)) return listPaymentPage(principal, source, { status, offset, limit, order, isReadOnly });
  const { customerId } = query;
  const filterKey = customerId === undefined ? undefined : await customerFilterKey(customerId);
  const all = await readMatches(paymentType, principal.owner, source, (payment) =>
    isMatch(payment, query, filterKey),
  );
  const page = pageOfMatches(all, query);
  const pagination = paginationOf({ offset, limit, total: all.length, count: page.length });
  return { data: leaveOutMalformed(page).map(showPayment), pagination };
}

/** Whether a payment matches all filters. Those that are absent select all. @param filterKey of the customer */
function isMatch(payment: Payment, query: ListPayments, filterKey: string | undefined): boolean {
  const { amount, reference, method, receivedOn, status, invoiceId } = query;
  return (
    (amount === undefined || payment.amount === amount) &&
    (reference === undefined || comparableTerm(payment.reference ?? '') === comparableTerm(reference)) &&
    (method === undefined || payment.method === method) &&
    (receivedOn === undefined || receivedOn.includes(payment.receivedOn ?? '')) &&
    (status === undefined || [status].flat().includes(payment.status)) &&
    (invoiceId === undefined || isOrWasFor(payment, invoiceId)) &&
    (filterKey === undefined || payment.filterKeys.includes(filterKey)) &&
    matchesFilter(query, payment)
  );
}
