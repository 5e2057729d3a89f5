/** The receipt: what was paid to whom, when and how. It is also what goes on paper. */
import { html } from 'hono/html';
import { toTimestamp } from '../time.ts';
import { formatMoment } from './dates.ts';
import { descriptionFact, type Fact, factList, heading, invoiceFact, refundFact } from './invoice-summary.ts';
import { icon, isolated, type Markup, withPayee } from './markup.ts';
import { brandNames, texts } from './payment-page-texts.ts';
import type { InvoiceView, Receipt } from './payment-page-view.ts';

/** The receipt for `invoice`. */
export function receipt(invoice: InvoiceView, paid: Receipt): Markup {
  return html`<section class="state paid">${icon('check')}${heading(texts.paid.title, invoice)}</section>
${factList(factsOf(invoice, paid))}
<p class="note screen">${texts.paid.keep}</p>`;
}

function factsOf(invoice: InvoiceView, paid: Receipt): Fact[] {
  const at = html`<time datetime="${toTimestamp(paid.paidAt)}">${formatMoment(paid.paidAt)}</time>`;
  return [
    [texts.paid.paidAt, at],
    [texts.paid.method, methodOf(invoice, paid)],
    refundFact(invoice, paid.refundedMinor),
    paid.reference === null ? undefined : [texts.paid.reference, isolated(paid.reference)],
    descriptionFact(invoice),
    invoiceFact(invoice),
    [texts.payment, html`<span class="id">${paid.paymentId}</span>`],
  ];
}

function methodOf({ payee }: InvoiceView, { method, card }: Receipt): Markup {
  if (card !== null) return html`${texts.paid.card(brandNames[card.brand], card.last4)}`;
  return html`${withPayee(texts.paid.methods[method], payee)}`;
}
