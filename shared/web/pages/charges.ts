/** Renders the lines of an invoice, its discounts and taxes, as a table that adds up to the amount. */
import { html } from 'hono/html';
import { type Currency, formatAmount } from '../../base/money.ts';
import type { ShownLine } from '../../domain/charges/line.ts';
import type { StoredCharges } from '../../domain/charges/stored-charges.ts';
import { chargeRows, discountNote, formatSigned } from '../charge-rows.ts';
import { type DocumentTexts, englishTexts } from '../documents/document-texts.ts';
import { isolateDirection, type Markup, truncateToBytes } from './markup.ts';
import type { PageLanguage } from './page-language.ts';
import type { InvoiceView } from './payment-page-view.ts';

/** The maximum size of the descriptions of all lines, in bytes of escaped UTF-8. With it, 100 lines keep the page below 60 KB. */
const descriptionsMaxBytes = 12_000;

/** Renders the lines of an invoice on the payment page. An invoice with only an amount and a description has none. */
export function renderCharges(
  { charges, currency, amountMinor, received }: InvoiceView,
  { document, texts }: PageLanguage,
): Markup | undefined {
  if (!charges) return undefined;
  const amount = received?.totalMinor ?? amountMinor;
  return html`<div class="sum">${renderChargesTable({ charges, currency, amount }, texts.lines, document)}</div>`;
}

/** Renders a table in a box that scrolls, which `tabindex` makes reachable by keyboard. @param name the class of the box @param label what a screen reader reads */
export function renderScrolling(name: string, table: Markup, label: string): Markup {
  return html`<div class="${name}" role="group" aria-label="${label}" tabindex="0">${table}</div>`;
}

interface ShownCharges {
  readonly charges: StoredCharges;
  readonly currency: Currency;
  /** The amount of the invoice, in the smallest unit. */
  readonly amount: number;
}

/**
 * Renders the lines, and the rows below them up to the amount. Quantity and price are below the description, so a phone shows the
 * table without scrolling.
 * @param label what a screen reader reads
 */
export function renderChargesTable(
  { charges, currency, amount }: ShownCharges,
  label: string,
  texts: DocumentTexts = englishTexts,
): Markup {
  const descriptionMaxBytes = Math.floor(descriptionsMaxBytes / charges.lines.length);
  const rows = chargeRows(charges, amount, texts);
  return html`<table aria-label="${label}"><thead><tr><th scope="col">${texts.description}</th><th scope="col" class="number">${texts.amount}</th></tr></thead>
<tbody>${charges.lines.map((line) => renderLine(line, currency, descriptionMaxBytes, texts))}</tbody>
<tfoot>${rows.map(([name, minor]) => html`<tr><th scope="row">${name}</th><td class="number">${formatSigned(minor, currency)}</td></tr>`)}</tfoot></table>`;
}

function renderLine(line: ShownLine, currency: Currency, maxBytes: number, texts: DocumentTexts): Markup {
  const { description, quantity, unit, unitAmount, amount, productCode } = line;
  const discount = discountNote(line, currency, texts);
  const isOne = quantity === '1' && unit === null && discount === undefined;
  const notes = [
    isOne
      ? undefined
      : html`${quantity}${unit !== null && html` ${isolateDirection(unit)}`} × ${formatAmount(unitAmount, currency)}`,
    discount,
    productCode === null ? undefined : `${texts.productCode} ${productCode}`,
  ].filter((note) => note !== undefined);
  return html`<tr><td><span dir="auto">${truncateToBytes(description, maxBytes)}</span>${notes.length > 0 && html`<p class="hint">${notes.map((note, index) => html`${index > 0 && ', '}${note}`)}</p>`}</td><td class="number">${formatAmount(amount, currency)}</td></tr>`;
}
