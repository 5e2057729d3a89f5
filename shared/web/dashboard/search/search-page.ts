/** Shows what a search finds. */
import { html } from 'hono/html';
import { validate } from '../../../api/http/validate.ts';
import { type CustomerNames, readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import {
  type SearchResult,
  type SearchResults,
  searchQuery,
  searchTypes,
} from '../../../domain/search/search.ts';
import { lookUp, readResults } from '../../../domain/search/search-store.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { renderAmount, renderEmpty, renderFailure, renderStatus } from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime } from '../times.ts';
import { reasonTexts, searchTexts, typeTexts } from './search-texts.ts';

/** Every member may read all kinds of records. */
export const searchPage: DashboardPage = {
  path: '/search',
  ability: 'account:read',
  handle: async (request) => {
    const { context, query } = request;
    const sent = validate(searchQuery, { q: query.get('q') ?? '' });
    const view = { title: searchTexts.title, searched: query.get('q') ?? '' };
    if (!sent.ok)
      return {
        ...view,
        status: 400,
        content: renderFailure({ alert: searchTexts.invalid }) || html``,
      };
    const owner = requestOwnerOf(request);
    const [{ principal }, found] = await Promise.all([
      readAccountUsage(owner, context.now),
      lookUp(owner, sent.output.q),
    ]);
    const results = await readResults(principal, found, searchTypes);
    const names = await readCustomerNames(owner, results.data.flatMap(namedBy));
    return {
      ...view,
      content: html`<section class="card">${renderResults(context, results, names)}</section>`,
    };
  },
};

/** Returns what names the customer of a result, with the name of the buyer that an invoice has. */
function namedBy({ type, customerId, invoiceId, name }: SearchResult) {
  if (customerId === null) return [];
  const buyer = type === 'invoice' && name !== null ? { name } : undefined;
  return [{ customerId, buyer, invoiceId: type === 'payment' ? (invoiceId ?? undefined) : undefined }];
}

function renderResults(
  context: DashboardContext,
  { data, hasMore }: SearchResults,
  names: CustomerNames,
): Markup {
  if (data.length === 0) return renderEmpty(searchTexts.empty);
  const columns = [
    { title: searchTexts.result },
    { title: fieldNames.amount, isNumber: true as const },
    { title: fieldNames.status },
    { title: fieldNames.customer },
    { title: searchTexts.foundBy },
    { title: fieldNames.created },
  ];
  const rows = data.map((result) => {
    const [customer] = namedBy(result);
    return [
      renderResult(context, result),
      result.amount === null || result.currency === null ? '' : renderAmount(result.amount, result.currency),
      result.type === 'customer' ? '' : renderStatus(result.status),
      customer ? renderCustomerName(context, names, customer) : '',
      reasonTexts[result.matchedBy],
      renderShortTime(context, Date.parse(result.createdAt)),
    ];
  });
  return html`${renderTable(searchTexts.table, columns, rows)}${hasMore && html`<p class="hint">${searchTexts.more}</p>`}`;
}

/** A refund has no page of its own, so its link leads to its invoice. */
function renderResult({ url }: DashboardContext, { type, id, invoiceId }: SearchResult): Markup {
  const path = type === 'refund' ? `/invoices/${invoiceId}` : `/${type}s/${id}`;
  return html`<a href="${url(path)}" title="${id}">${typeTexts[type]}</a>`;
}
