/** Shows the statement of account of a customer for a range of days. */
import { html } from 'hono/html';
import type { AccountStatement, AccountStatementRow } from '../../../domain/account-statements/statement.ts';
import { maxOfCustomer } from '../../../domain/account-statements/statement-store.ts';
import { customerNameOf } from '../../../domain/invoices/customer-names.ts';
import { formatSigned } from '../../charge-rows.ts';
import { formatShortDate } from '../../pages/dates.ts';
import { type Markup, truncateToBytes } from '../../pages/markup.ts';
import type { DashboardContext } from '../context.ts';
import type { DashboardPage, DashboardRequest } from '../definitions.ts';
import { renderTable } from '../elements.ts';
import { renderField } from '../forms.ts';
import { listLink, typedValue } from '../records/list-query.ts';
import { renderButtonLink, renderEmpty, renderLine } from '../records/record-elements.ts';
import { fileTexts } from '../records/record-texts.ts';
import { renderDay } from '../times.ts';
import { type CustomerStatement, readAccountStatement } from './read-statement.ts';
import { statementTexts as texts } from './statement-texts.ts';

/** More rows make a page of more than 60 KB. */
const maxRows = 100;

export const statementPage: DashboardPage = {
  path: '/customers/:id/statement',
  ability: 'account:read',
  handle: async (request) => {
    const { context } = request;
    const found = await readAccountStatement(request);
    if (!found) return undefined;
    const { customer, error } = found;
    const back = context.url(`/customers/${customer.id}`);
    return {
      title: texts.of(truncateToBytes(customerNameOf(customer), 120)),
      section: 'customers',
      status: error === undefined ? 200 : 400,
      content: html`<section class="card">${renderRange(request, found)}</section>
${error === undefined && renderStatements(context, found)}<p><a href="${back}">${texts.back}</a></p>`,
    };
  },
};

/** Renders the days. Those that are refused stay as they were typed. */
function renderRange(
  { context, query }: DashboardRequest,
  { customer, range, error }: CustomerStatement,
): Markup {
  const field = (name: 'from' | 'to') =>
    renderField({
      name,
      type: 'date',
      label: texts[name],
      value: error === undefined ? range[name] : (typedValue(query, name) ?? ''),
      ...(name === 'from' && { error }),
    });
  return html`<form method="get" action="${context.url(`/customers/${customer.id}/statement`)}" class="filter">${field('from')}${field('to')}<div class="buttons"><button class="plain">${texts.show}</button></div></form>`;
}

function renderStatements(context: DashboardContext, found: CustomerStatement): Markup {
  const { statements } = found;
  if (!statements) return html`<section class="card">${renderEmpty(texts.tooMany(maxOfCustomer))}</section>`;
  if (statements.length === 0) return html`<section class="card">${renderEmpty(texts.empty)}</section>`;
  return html`${statements.map((each) => renderStatement(context, found, each))}<p class="note">${texts.note}</p>`;
}

function renderStatement(
  context: DashboardContext,
  found: CustomerStatement,
  statement: AccountStatement,
): Markup {
  const { currency, opening, closing, rows } = statement;
  const { range } = found;
  const columns = [
    { title: texts.day },
    { title: texts.entry },
    { title: texts.document },
    ...[texts.charged, texts.credited, texts.balance].map((title) => ({ title, isNumber: true as const })),
  ];
  const amount = (value: number) => html`<span class="amount">${formatSigned(value, currency)}</span>`;
  const total = (day: string, text: string, value: number) => [
    formatShortDate(Date.parse(day)),
    html`<strong>${text}</strong>`,
    ...['', '', ''],
    html`<strong>${amount(value)}</strong>`,
  ];
  const shown = rows.slice(0, maxRows);
  const row = (each: AccountStatementRow) => [
    renderDay(context, each.at),
    texts.kinds[each.kind],
    renderDocument(context, found, each),
    each.amount > 0 ? amount(each.amount) : '',
    each.amount < 0 ? amount(-each.amount) : '',
    amount(each.balance),
  ];
  return html`<section class="card"><h2>${currency}</h2>${renderTable(texts.table(currency), columns, [
    total(range.from, texts.opening, opening),
    ...shown.map(row),
    total(range.to, texts.closing, closing),
  ])}${renderFileLinks(context, found, currency)}${rows.length > maxRows && html`<p class="hint">${texts.more(rows.length - maxRows)}</p>`}</section>`;
}

function renderFileLinks(
  { can, url }: DashboardContext,
  { customer, range }: CustomerStatement,
  currency: string,
): Markup {
  const link = listLink(url(`/account-statements/${customer.id}`), { currency, ...range });
  const filters = { kind: 'statement', customerId: customer.id, currency, ...range };
  const rows = can('records:export')
    ? renderButtonLink(listLink(url('/exports/new'), filters), fileTexts.exports)
    : '';
  return html`<p class="buttons">${renderButtonLink(link, texts.pdf)}${rows}</p>`;
}

/** Renders the number of the invoice, or the payment, as a link. */
function renderDocument(
  { url }: DashboardContext,
  { numbers }: CustomerStatement,
  { kind, invoiceId, paymentId }: AccountStatementRow,
): Markup {
  const number = numbers.get(invoiceId) ?? `${invoiceId.slice(0, 12)}…`;
  const link =
    kind === 'payment' && paymentId !== undefined ? `/payments/${paymentId}` : `/invoices/${invoiceId}`;
  return html`<a href="${url(link)}">${renderLine(number)}</a>`;
}
