/** Renders what people know of a record that a search finds: its number, name or reference, its status, and where it is shown. */
import { html } from 'hono/html';
import { auditEntryIdPrefix, timeOfAuditEntry } from '../../../base/ids.ts';
import type { SearchResult, SearchType } from '../../../domain/search/search.ts';
import type { Markup } from '../../pages/markup.ts';
import { auditLogTexts } from '../audit-log/audit-log-texts.ts';
import { bankStatementTexts } from '../bank-statements/bank-statement-texts.ts';
import type { DashboardContext } from '../context.ts';
import { exportTexts } from '../exports/export-texts.ts';
import { draftTexts } from '../invoices/draft-texts.ts';
import { mailStateTexts, mailWithoutAddress } from '../invoices/mail-texts.ts';
import { keyTexts } from '../keys/key-texts.ts';
import { productTexts } from '../products/product-texts.ts';
import { renderLine, renderStatus } from '../records/record-elements.ts';
import { eventNames, statusTexts, textFor } from '../records/record-texts.ts';
import { scheduleStatusTexts } from '../schedules/schedule-texts.ts';
import { typeTexts } from './search-texts.ts';

/** What is known of the results of a page beside them. */
export interface KnownOfResults {
  /** The numbers of invoices, by their ids. */
  readonly numbers: ReadonlyMap<string, string>;
  /** The email addresses of customers, by their ids. */
  readonly emails: ReadonlyMap<string, string>;
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
  mail: ({ invoiceId }) => (invoiceId === null ? '/mails' : `/invoices/${invoiceId}`),
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

/** What people call a record: the first part that exists is its name, and the others are below it. */
type Parts = readonly (string | null | undefined)[];

/** The names of customers have a column of their own, but for the customers that are found. */
const partsOf: Readonly<Record<SearchType, (result: SearchResult, known: KnownOfResults) => Parts>> = {
  invoice: ({ id, reference }, { numbers }) => [numbers.get(id), reference],
  payment: ({ reference }) => [reference],
  refund: () => [],
  customer: ({ id, name }, { emails }) => [name, emails.get(id)],
  draft: ({ reference }) => [reference],
  schedule: () => [],
  document: ({ reference }) => [reference],
  mail: ({ name }) => [name || mailWithoutAddress],
  product: ({ name }) => [name],
  statement: ({ name }) => [name],
  statement_row: ({ name, reference }) => [name, reference],
  export: ({ name }) => [name && textFor(exportTexts.kinds, name)],
  webhook: ({ name }) => [name],
  delivery: ({ name }) => [name && textFor(eventNames, name)],
  event: ({ name }) => [name && textFor(eventNames, name)],
  audit_entry: ({ name }) => [name && textFor(auditLogTexts.actions, name)],
  api_key: ({ name }) => [name],
};

/** Renders a link to the record with what people know of it. The title has the ID. */
export function renderResult({ url }: DashboardContext, result: SearchResult, known: KnownOfResults): Markup {
  const { type, id, invoiceId } = result;
  const [name, ...others] = new Set(partsOf[type](result, known).filter((part) => part != null));
  const number = id === invoiceId ? undefined : known.numbers.get(invoiceId ?? '');
  const label = name === undefined ? html`<span class="id">${id.slice(0, 12)}…</span>` : renderLine(name);
  const lines =
    number === undefined || number === name ? others : [...others, `${typeTexts.invoice} ${number}`];
  return html`<div><a href="${url(pathOf[type](result))}" title="${id}">${typeTexts[type]} ${label}</a>${lines.map((line) => html`<br><span class="soft">${renderLine(line)}</span>`)}</div>`;
}

/** The texts of the statuses of each kind, as its list has them. */
const statusTextsOf: Partial<Record<SearchType, Readonly<Record<string, string>>>> = {
  draft: draftTexts.statuses,
  schedule: scheduleStatusTexts,
  mail: mailStateTexts,
  product: productTexts.statuses,
  statement: bankStatementTexts.statuses,
  statement_row: bankStatementTexts.rowStatuses,
  audit_entry: auditLogTexts.outcomes,
  api_key: keyTexts.statuses,
};

/** Renders the status of a record. All customers that are found have the same. */
export const renderResultStatus = ({ type, status }: SearchResult): Markup | '' =>
  type === 'customer' || status === null ? '' : renderStatus(status, statusTextsOf[type] ?? statusTexts);
