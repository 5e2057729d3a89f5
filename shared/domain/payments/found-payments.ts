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
  findByValues,
  isView,
  pageOfMatches,
  type RecordSource,
  readMatches,
  requireComparable,
  type ValueFilter,
} from '../../store/search/found-records.ts';
import { comparableTerm, type Term } from '../../store/search/search-entries.ts';
import type { MalformedItemError } from '../../store/stored-fields.ts';
import { customerFilterKey } from '../invoices/record.ts';
import { type ListPayments, type Payment, showPayment } from './payment.ts';
import { isOrWasFor } from './payment-changes.ts';
import { listPaymentPage, readPaymentIndex } from './payment-store.ts';
import { paymentType } from './record.ts';

/**
 * Looks up what the filters lead to. One call in sequence.
 * @throws ApiError as `findByValues`
 */
export async function findPayments(owner: Owner, query: ListPayments): Promise<RecordSource> {
  const filters = valueFiltersOf(query);
  return filters.length === 0 ? readPaymentIndex(owner, query) : findByValues(owner, filters, query);
}

function valueFiltersOf({ amount, reference, receivedOn, currency }: ListPayments): readonly ValueFilter[] {
  const filters: ValueFilter[] = [];
  if (amount !== undefined)
    filters.push({ name: 'amount', terms: [{ kind: 'amount', value: String(amount), currency }] });
  if (reference !== undefined)
    filters.push({
      name: 'reference',
      terms: [{ kind: 'reference', value: comparableTerm(reference) }],
    });
  if (receivedOn)
    filters.push({
      name: 'receivedOn',
      terms: receivedOn.map((value): Term => ({ kind: 'received', value })),
    });
  return filters;
}

/**
 * Reads one page of a list with the exact total.
 * @param source from `findPayments`, with the same query
 * @throws ApiError as `requireComparable`
 */
export async function listPayments(
  principal: Principal,
  source: RecordSource,
  query: ListPayments & Pick<ListQuery, 'isReadOnly' | 'order'>,
) {
  const { status, offset, limit, order, isReadOnly = false } = query;
  if (isView(source)) return listPaymentPage(principal, source, { status, offset, limit, order, isReadOnly });
  const { customerId } = query;
  const filterKey = customerId === undefined ? undefined : await customerFilterKey(customerId);
  const ids = source.filter(paymentType.isId);
  const read = (some: readonly string[]) =>
    readMatches(paymentType, principal.owner, some, (payment) => isMatch(payment, query, filterKey));
  if (isAnsweredByIds(query)) return pageOf(await read(pageOfMatches(ids, query)), ids.length, query);
  requireComparable(ids, valueFiltersOf(query));
  const all = await read(ids);
  return pageOf(pageOfMatches(all, query), all.length, query);
}

const pageOf = (
  rows: readonly (Payment | MalformedItemError)[],
  total: number,
  { offset, limit }: ListPayments,
) => ({
  data: leaveOutMalformed(rows).map(showPayment),
  pagination: paginationOf({ offset, limit, total, count: rows.length }),
});

/**
 * Whether the payments that a filter leads to are those that match, so that only those of the page are read. An amount and a day of receipt
 * never change. An erasure changes a reference.
 */
function isAnsweredByIds(query: ListPayments): boolean {
  const { amount, receivedOn, currency, reference, method, status, invoiceId, customerId } = query;
  const others = [reference, method, status, invoiceId, customerId];
  const isOne = (amount === undefined) !== (receivedOn === undefined);
  return (
    isOne && others.every((each) => each === undefined) && (currency === undefined || amount !== undefined)
  );
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
