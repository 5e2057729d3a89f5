/** Renders what the merchant must decide, with a link to the page on which that is done. */
import { html } from 'hono/html';
import type { CustomerNames } from '../../../domain/invoices/customer-names.ts';
import { showInvoice } from '../../../domain/invoices/invoice.ts';
import { showPayment } from '../../../domain/payments/payment.ts';
import type { Decisions } from '../../../domain/search/decision-store.ts';
import type { Markup } from '../../pages/markup.ts';
import type { DashboardContext } from '../context.ts';
import { renderTable } from '../elements.ts';
import { renderCustomerName } from '../records/customer-names.ts';
import { renderAmount, renderLine } from '../records/record-elements.ts';
import { fieldNames } from '../records/record-texts.ts';
import { renderShortTime } from '../times.ts';
import { decisionTexts } from './overview-texts.ts';

/** The records of decisions, as the names of their customers are read for them. */
export const recordsOfDecisions = ({ claimed, held, disputed }: Decisions) => [
  ...claimed.map((invoice) => showInvoice(invoice)),
  ...[...held, ...disputed].map(showPayment),
];

/** Renders the card. Nothing to decide: an empty text. */
export function renderDecisions(
  context: DashboardContext,
  { claimed, held, disputed, unmatched }: Decisions,
  names: CustomerNames,
): Markup | '' {
  const rows = [
    ...disputed.map((payment) => [
      link(context, `/payments/${payment.id}`, decisionTexts.dispute),
      renderAmount(payment.dispute?.amount ?? payment.amount, payment.currency),
      renderCustomerName(context, names, showPayment(payment)),
      html`${decisionTexts.answerBy} ${payment.dispute?.respondBy === undefined ? decisionTexts.noDate : renderShortTime(context, payment.dispute.respondBy)}`,
    ]),
    ...held.map((payment) => [
      link(context, `/payments/${payment.id}`, decisionTexts.held),
      renderAmount(payment.amount, payment.currency),
      renderCustomerName(context, names, showPayment(payment)),
      renderShortTime(context, payment.createdAt),
    ]),
    ...claimed.map((invoice) => [
      link(context, `/invoices/${invoice.id}`, decisionTexts.claim),
      renderAmount(invoice.claim?.amount ?? invoice.amount, invoice.currency),
      renderCustomerName(context, names, showInvoice(invoice)),
      renderShortTime(context, invoice.claim?.claimedAt ?? invoice.createdAt),
    ]),
    ...unmatched.map(({ statement, rows: count, isMore }) => [
      link(context, `/bank-statements/${statement.id}`, decisionTexts.rows(count, isMore)),
      '',
      renderLine(statement.bank),
      renderShortTime(context, statement.createdAt),
    ]),
  ];
  if (rows.length === 0) return '';
  const columns = [
    { title: decisionTexts.what },
    { title: fieldNames.amount, isNumber: true as const },
    { title: fieldNames.customer },
    { title: decisionTexts.when },
  ];
  return html`<section class="card"><h2>${decisionTexts.title(rows.length)}</h2>${renderTable(decisionTexts.table, columns, rows)}</section>`;
}

const link = ({ url }: DashboardContext, path: string, text: string): Markup =>
  html`<a href="${url(path)}">${text}</a>`;
