/** How the payment page shows an invoice: at the head of what is to be paid, or as a list of facts. */
import { html } from 'hono/html';
import { formatAmount } from '../money.ts';
import { toTimestamp } from '../time.ts';
import { formatDueDate } from './dates.ts';
import { bounded, isolated, type Markup, withPayee } from './markup.ts';
import { texts } from './payment-page-texts.ts';
import type { InvoiceView } from './payment-page-view.ts';

/** A name and what it is; nothing where there is nothing to tell. */
export type Fact = readonly [name: string, value: Markup] | undefined;

/**
 * The longest description, in bytes, with which the page stays within 30 KB: 5000 letters of any script in daily use
 * fit, but not as many rare characters.
 */
const descriptionMaxBytes = 17_500;

/**
 * What is to be paid, to whom, for what and until when, with the page's heading.
 * @param besideBytes what else of variable size is on the page, at whose cost the description is
 */
export function bill(invoice: InvoiceView, besideBytes = 0): Markup {
  return html`<section class="bill">${monogram(invoice.payee)}${heading(texts.pay, invoice)}
${description(invoice, besideBytes)}
${factList([dueFact(invoice), invoiceFact(invoice)])}</section>`;
}

/** The payee's initial, for the eye alone; nothing for a name without letters. */
function monogram(payee: string): Markup | undefined {
  const initial = /[\p{L}\p{N}]\p{M}*/u.exec(payee)?.[0].toUpperCase();
  return initial === undefined ? undefined : html`<p class="monogram" aria-hidden="true">${initial}</p>`;
}

/** The page's heading: a sentence about the payee, and the amount. */
export function heading(sentence: string, { payee, amountMinor, currency }: InvoiceView): Markup {
  const amount = formatAmount(amountMinor, currency);
  return html`<h1><span class="lead">${withPayee(sentence, payee)}</span> <span class="amount${amount.length > 13 && ' long'}">${amount}</span></h1>`;
}

/** All there is to tell about an invoice whose page says something else first. */
export function invoiceFacts(invoice: InvoiceView): Fact[] {
  return [
    [texts.payee, isolated(invoice.payee)],
    [texts.amount, html`${formatAmount(invoice.amountMinor, invoice.currency)}`],
    descriptionFact(invoice),
    invoiceFact(invoice),
  ];
}

/** What the invoice is for. */
export function descriptionFact(invoice: InvoiceView): Fact {
  return [texts.description, description(invoice)];
}

/** What has gone back, if anything has. */
export function refundFact({ currency }: InvoiceView, refundedMinor: number): Fact {
  return refundedMinor === 0 ? undefined : [texts.refunded, html`${formatAmount(refundedMinor, currency)}`];
}

/** Which invoice it is. */
export function invoiceFact({ id }: InvoiceView): Fact {
  return [texts.invoice, html`<span class="id">${id}</span>`];
}

function dueFact({ dueAt, overdue }: InvoiceView): Fact {
  const badge = html`<strong class="badge">${texts.overdue}</strong>`;
  return [
    texts.due,
    html`<time datetime="${toTimestamp(dueAt)}">${formatDueDate(dueAt)}</time>${overdue && html` ${badge}`}`,
  ];
}

/** Facts as a list of names and values. */
export function factList(facts: readonly Fact[]): Markup {
  return html`<dl>${facts.map((fact) => fact && html`<div><dt>${fact[0]}</dt><dd>${fact[1]}</dd></div>`)}</dl>`;
}

/** A long one gets a box of its own to scroll in, which the keyboard must be able to reach. */
function description(invoice: InvoiceView, besideBytes = 0): Markup {
  const text = bounded(invoice.description, descriptionMaxBytes - besideBytes);
  const isLong = text.length > 400 || text.split('\n').length > 8;
  if (!isLong) return html`<p class="text" dir="auto">${text}</p>`;
  return html`<p class="text long" dir="auto" role="group" aria-label="${texts.description}" tabindex="0">${text}</p>`;
}
