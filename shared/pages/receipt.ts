/** Renders the receipt: payee, amount, time and method. It is also the printed version of the page. */
import { html } from 'hono/html';
import { toTimestamp } from '../time.ts';
import { formatMoment } from './dates.ts';
import {
  type DetailRow,
  descriptionRow,
  invoiceIdRow,
  refundRow,
  renderDetails,
  renderHeading,
} from './invoice-summary.ts';
import { fillInPayee, type Markup, renderIcon } from './markup.ts';
import { brandNames, pageTexts } from './payment-page-texts.ts';
import type { InvoiceView, ReceiptView } from './payment-page-view.ts';

/** Renders the receipt of a paid invoice. */
export function renderReceipt(invoice: InvoiceView, paid: ReceiptView): Markup {
  return html`<section class="state paid">${renderIcon('check')}${renderHeading('paid', invoice)}</section>
${renderDetails(receiptRows(invoice, paid))}
<p class="note screen">${pageTexts.paid.keep}</p>`;
}

function receiptRows(invoice: InvoiceView, paid: ReceiptView): DetailRow[] {
  const at = html`<time datetime="${toTimestamp(paid.paidAt)}">${formatMoment(paid.paidAt)}</time>`;
  return [
    [pageTexts.paid.paidAt, at],
    [pageTexts.paid.method, methodOf(invoice, paid)],
    refundRow(invoice, paid.refundedMinor),
    descriptionRow(invoice),
    invoiceIdRow(invoice),
    [pageTexts.payment, html`<span class="id">${paid.paymentId}</span>`],
  ];
}

function methodOf({ payee }: InvoiceView, { method, card }: ReceiptView): Markup {
  if (card !== null) return html`${pageTexts.paid.card(brandNames[card.brand], card.last4)}`;
  return html`${fillInPayee(pageTexts.paid.methods[method], payee)}`;
}
