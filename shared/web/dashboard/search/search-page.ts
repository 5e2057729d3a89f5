/** Shows what a search finds. */
import { html } from 'hono/html';
import { validate } from '../../../api/http/validate.ts';
import { auditEntryIdPrefix, timeOfAuditEntry } from '../../../base/ids.ts';
import type { Permission } from '../../../domain/auth/permissions.ts';
import { type CustomerNames, readCustomerNames } from '../../../domain/invoices/customer-names.ts';
import {
  idKinds,
  type SearchResult,
  type SearchResults,
  type SearchType,
  searchQuery,
} from '../../../domain/search/search.ts';
import { lookUpAll, readAllResults } from '../../../domain/search/search-all-store.ts';
import type { Ability } from '../../../domain/users/roles.ts';
import { readAccountUsage } from '../../../store/account-usage-store.ts';
import type { Markup } from '../../pages/markup.ts';
import { requestOwnerOf } from '../attempts/failed-attempt.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import {
  renderAmount,
  renderEmpty,
  renderFailure,
  renderLine,
  renderStatus,
} from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime } from '../times.ts';
import { reasonTexts, searchTexts, typeTexts } from './search-texts.ts';

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
    const names = await readCustomerNames(owner, results.data.flatMap(namedBy));
    return {
      ...view,
      content: html`<section class="card">${/[*%?]/.test(sent.output.q) && html`<p class="hint">${searchTexts.noWildcards}</p>`}${renderResults(context, results, names)}</section>`,
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
      result.type === 'customer' || result.status === null ? '' : renderStatus(result.status),
      customer ? renderCustomerName(context, names, customer) : '',
      reasonTexts[result.matchedBy],
      renderShortTime(context, Date.parse(result.createdAt)),
    ];
  });
  return html`${renderTable(searchTexts.table, columns, rows)}${hasMore && html`<p class="hint">${searchTexts.more}</p>`}`;
}

/** Where a record is shown: on its own page, or on that of what it belongs to. */
const pathOf: Readonly<Record<SearchType, (result: SearchResult) => string>> = {
  invoice: ({ id }) => `/invoices/${id}`,
  payment: ({ id }) => `/payments/${id}`,
  refund: ({ invoiceId }) => `/invoices/${invoiceId}`,
  customer: ({ id }) => `/customers/${id}`,
  draft: ({ id }) => `/drafts/${id}`,
  schedule: ({ id }) => `/schedules/${id}`,
  document: ({ invoiceId }) => `/invoices/${invoiceId}`,
  // The account has the addresses of notices.
  mail: ({ invoiceId }) => (invoiceId === null ? '/settings/account' : `/invoices/${invoiceId}`),
  product: ({ id }) => `/products/${id}`,
  statement: ({ id }) => `/bank-statements/${id}`,
  statement_row: ({ id, parentId }) => `/bank-statements/${parentId}/rows/${id}`,
  export: ({ id }) => `/exports/${id}`,
  webhook: ({ id }) => `/webhooks/${id}`,
  delivery: ({ id, parentId }) => `/webhooks/${parentId}/deliveries/${id}`,
  event: ({ id }) => `/events/${id}`,
  audit_entry: ({ id }) => `/settings/audit-log?before=${behind(id)}`,
  api_key: () => '/settings/keys',
};

/** Returns an id that entries of the next millisecond can have, so that the entry is the first one of the page, or one of the first. */
const behind = (id: string): string => auditEntryIdPrefix(timeOfAuditEntry(id) + 1).padEnd(id.length, '0');

/** Names of people have a column of their own. */
function renderResult({ url }: DashboardContext, result: SearchResult): Markup {
  const { type, id, name } = result;
  const isNamed = name !== null && type in idKinds && result.customerId === null;
  return html`<a href="${url(pathOf[type](result))}" title="${id}">${typeTexts[type]}</a>${isNamed && html`<br>${renderLine(name)}`}`;
}
