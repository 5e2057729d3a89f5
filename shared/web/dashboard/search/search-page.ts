/** Shows what a search finds. */
import { html } from 'hono/html';
import { validate } from '../../../api/http/validate.ts';
import type { Permission } from '../../../domain/auth/permissions.ts';
import { readInvoiceNumbers } from '../../../domain/documents/invoice-number-store.ts';
import { type CustomerNames, readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import { type SearchResult, type SearchResults, searchQuery } from '../../../domain/search/search.ts';
import { lookUpAll, readAllResults } from '../../../domain/search/search-all-store.ts';
import type { Ability } from '../../../domain/users/roles.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { renderAmount, renderEmpty, renderFailure } from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime } from '../times.ts';
import { renderResult, renderResultStatus } from './search-result.ts';
import { reasonTexts, searchTexts } from './search-texts.ts';

/** What a member needs to read a kind of records. Every member may read all others. */
const abilities: Partial<Record<Permission, Ability>> = {
  'audit:read': 'audit-log:read',
  'exports:read': 'records:export',
};

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
      lookUpAll(owner, sent.output.q),
    ]);
    const mayRead = (permission: Permission) => context.can(abilities[permission] ?? 'account:read');
    const { idKeys } = principal;
    const results = await readAllResults({ owner, idKeys, now: context.now, mayRead }, found);
    const invoices = [...new Set(results.data.flatMap(({ invoiceId }) => invoiceId ?? []))];
    const [names, numbers] = await Promise.all([
      readCustomerNames(owner, results.data.flatMap(namedBy)),
      readInvoiceNumbers(owner, invoices),
    ]);
    return {
      ...view,
      content: html`<section class="card">${/[*%?]/.test(sent.output.q) && html`<p class="hint">${searchTexts.noWildcards}</p>`}${renderResults(context, results, names, numbers)}</section>`,
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
  numbers: ReadonlyMap<string, string>,
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
  const emails = new Map([...names.customers].flatMap(([id, { email }]) => (email ? [[id, email]] : [])));
  const rows = data.map((result) => {
    const [customer] = result.type === 'customer' ? [] : namedBy(result);
    return [
      renderResult(context, result, { numbers, emails }),
      result.amount === null || result.currency === null ? '' : renderAmount(result.amount, result.currency),
      renderResultStatus(result),
      customer ? renderCustomerName(context, names, customer) : '',
      reasonTexts[result.matchedBy],
      renderShortTime(context, Date.parse(result.createdAt)),
    ];
  });
  return html`${renderTable(searchTexts.table, columns, rows)}${hasMore && html`<p class="hint">${searchTexts.more}</p>`}`;
}
