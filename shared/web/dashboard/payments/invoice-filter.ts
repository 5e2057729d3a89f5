/** Reads the filter by invoice of the lists of payments and refunds. People type its number, and records have its ID. */
import { isRecordId } from '../../../base/ids.ts';
import { findInvoiceByNumber } from '../../../domain/invoices/number-lookup-store.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardRequest } from '../definitions.ts';
import { type ParsedQuery, typedValue } from '../records/list-query.ts';
import { paymentTexts } from './payment-texts.ts';

/**
 * Parses the query of a list with the ID of the invoice in place of its number. One call if it is a number. An invoice that does not exist
 * is an error beside the field.
 * @param parse as `parseListQuery`
 */
export async function parseWithInvoice<Output>(
  request: DashboardRequest,
  parse: (request: Pick<DashboardRequest, 'query' | 'context'>) => ParsedQuery<Output>,
): Promise<ParsedQuery<Output>> {
  const sent = typedValue(request.query, 'invoiceId');
  if (sent === undefined || isRecordId('invoice', sent)) return parse(request);
  const id = await findInvoiceByNumber(requestOwnerOf(request), sent);
  const query = new URLSearchParams(request.query);
  if (id !== undefined) query.set('invoiceId', id);
  const parsed = parse({ context: request.context, query });
  return id === undefined
    ? { ...parsed, errors: { invoiceId: paymentTexts.unknownInvoice, ...parsed.errors } }
    : parsed;
}
