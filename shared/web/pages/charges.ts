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
  { charges, currency, amountMinor }: InvoiceView,
  language: PageLanguage,
): Markup | undefined {
  const table = charges && renderChargesTable(charges, currency, amountMinor, language.document);
  return table && renderScrolling('sum', table, language.texts.lines);
}

/** Renders a table in a box that scrolls, which `tabindex` makes reachable by keyboard. @param name the class of the box @param label what a screen reader reads */
export function renderScrolling(name: string, table: Markup, label: string): Markup {
  return html`<div class="${name}" role="group" aria-label="${label}" tabindex="0">${table}</div>`;
}

/** Renders the lines, and the rows below them up to the amount. @param amountMinor the amount of the invoice, in the smallest unit */
export function renderChargesTable(
  charges: StoredCharges,
  currency: Currency,
  amountMinor: number,
  texts: DocumentTexts = englishTexts,
): Markup {
  const descriptionMaxBytes = Math.floor(descriptionsMaxBytes / charges.lines.length);
  const heads = [texts.quantity, texts.unitAmount, texts.amount];
  return html`<table><thead><tr><th scope="col">${texts.description}</th>${heads.map((head) => html`<th scope="col" class="number">${head}</th>`)}</tr></thead>
<tbody>${charges.lines.map((line) => renderLine(line, currency, descriptionMaxBytes, texts))}</tbody>
<tfoot>${chargeRows(charges, amountMinor, texts).map(([name, minor]) => html`<tr><th scope="row" colspan="3">${name}</th><td class="number">${formatSigned(minor, currency)}</td></tr>`)}</tfoot></table>`;
}

function renderLine(line: ShownLine, currency: Currency, maxBytes: number, texts: DocumentTexts): Markup {
  const { description, quantity, unit, unitAmount, amount, productCode } = line;
  const notes = [
    productCode === null ? undefined : `${texts.productCode} ${productCode}`,
    discountNote(line, currency, texts),
  ];
  const shown = notes.filter((note) => note !== undefined).join(', ');
  return html`<tr><td><span dir="auto">${truncateToBytes(description, maxBytes)}</span>${shown && html`<p class="hint">${shown}</p>`}</td><td class="number">${quantity}${unit !== null && html` ${isolateDirection(unit)}`}</td><td class="number">${formatAmount(unitAmount, currency)}</td><td class="number">${formatAmount(amount, currency)}</td></tr>`;
}
