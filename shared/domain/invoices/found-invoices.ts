/**
 * Lists the invoices that a reference, a payment reference or an amount leads to. An amount leads to invoices by keyed hashes, which the
 * relay stores after a change. The invoices found are compared with all filters.
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
import { type ListInvoices, showInvoice } from './invoice.ts';
import { listInvoicePage, paymentReferenceId, readInvoiceIndex } from './invoice-store.ts';
import { customerFilterKey, invoiceType } from './record.ts';
import { findInvoiceId } from './reference-store.ts';

/**
 * Looks up what the filters lead to. One call in sequence. A payment reference needs none, because it gives the number of the invoice.
 * @throws ApiError as `findByValues`
 */
export async function findInvoices(owner: Owner, query: ListInvoices): Promise<RecordSource> {
  const { reference, paymentReference, amount } = query;
  if (reference !== undefined)
    return [await findInvoiceId(owner, reference)].filter((id) => id !== undefined);
  if (paymentReference !== undefined) return [];
  if (amount === undefined) return readInvoiceIndex(owner, query);
  return findByValues(owner, valueFiltersOf(query), query);
}

const valueFiltersOf = ({ amount, currency }: ListInvoices): readonly ValueFilter[] =>
  amount === undefined
    ? []
    : [{ name: 'amount', terms: [{ kind: 'amount', value: String(amount), currency }] }];

/**
 * Reads one page of the list with the exact total. A malformed invoice counts, because nothing says that it does not
 * match.
 * @param source from `findInvoices`, with the same query
 * @throws ApiError as `requireComparable`
 */
export async function listInvoices(
  principal: Principal,
  source: RecordSource,
  query: ListInvoices & Pick<ListQuery, 'isReadOnly' | 'onRead' | 'order'>,
) {
  const { paymentReference, reference, amount, customerId, status, offset, limit, order } = query;
  if (isView(source)) {
    const { isReadOnly = false, onRead } = query;
    return listInvoicePage(principal, source, { status, offset, limit, order, isReadOnly, onRead });
  }
  const { owner, idKeys } = principal;
  const numbered = paymentReferenceId({ owner, idKeys }, paymentReference);
  const filterKey = customerId === undefined ? undefined : await customerFilterKey(customerId);
  const ids = (numbered === undefined || reference !== undefined ? source : [numbered]).filter(
    invoiceType.isId,
  );
  requireComparable(ids, valueFiltersOf(query));
  const all = await readMatches(
    invoiceType,
    owner,
    ids,
    (invoice) =>
      (paymentReference === undefined || invoice.id === numbered) &&
      // An erased invoice has another reference.
      (reference === undefined || invoice.reference === reference) &&
      (amount === undefined || invoice.amount === amount) &&
      (status === undefined || [status].flat().includes(invoice.status)) &&
      (filterKey === undefined || invoice.filterKeys.includes(filterKey)) &&
      matchesFilter(query, invoice),
  );
  const rows = pageOfMatches(all, query);
  const pagination = paginationOf({ offset, limit, total: all.length, count: rows.length });
  return { data: leaveOutMalformed(rows).map((invoice) => showInvoice(invoice)), pagination };
}
