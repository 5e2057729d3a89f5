/** Renders what the document of an invoice says beside its lines: when it was issued, the seller, the buyer, the taxes and the total in words. */
import { html } from 'hono/html';
import { formatAmount } from '../../base/money.ts';
import { taxTable } from '../charge-rows.ts';
import { amountInWords } from '../documents/amount-in-words.ts';
import { formatAddress, formatDay, formatTaxId } from '../documents/formats.ts';
import { renderScrolling } from './charges.ts';
import { type DetailRow, isolateDirection, type Markup, truncateToBytes } from './markup.ts';
import type { PageLanguage } from './page-language.ts';
import type { InvoiceView } from './payment-page-view.ts';

/** The maximum size of the lines of a party, in bytes of escaped UTF-8. It bounds the page, and is enough for usual addresses. */
const partyMaxBytes = 2_000;

/** Returns the row with the day of the issue. */
export function issuedRow({ document }: InvoiceView, { texts, tag }: PageLanguage): DetailRow {
  if (!document) return undefined;
  const { issuedOn } = document;
  return [texts.issued, html`<time datetime="${issuedOn}">${formatDay(issuedOn, tag)}</time>`];
}

/** Returns the rows with the seller and the buyer. */
export function partyRows({ document }: InvoiceView, language: PageLanguage): DetailRow[] {
  const { texts, document: words, tag } = language;
  if (!document) return [];
  const { seller, buyer, placeOfSupply, isReverseCharge } = document;
  return [
    [texts.seller, renderParty(seller.name, seller, tag)],
    [words.billTo, renderParty(buyer.name ?? buyer.email ?? buyer.customerId, buyer, tag)],
    buyer.deliveryAddress
      ? [words.deliverTo, renderLines(formatAddress(buyer.deliveryAddress, tag))]
      : undefined,
    placeOfSupply === null ? undefined : [words.placeOfSupply, isolateDirection(placeOfSupply)],
    isReverseCharge ? [words.tax, html`${words.reverseCharge}`] : undefined,
  ];
}

type Party = Pick<NonNullable<InvoiceView['document']>['buyer'], 'address' | 'taxIds'>;

function renderParty(name: string, { address, taxIds }: Party, tag: string): Markup {
  return renderLines([name, ...formatAddress(address, tag), ...taxIds.map(formatTaxId)]);
}

function renderLines(lines: readonly string[]): Markup {
  return html`<p class="text" dir="auto">${truncateToBytes(lines.join('\n'), partyMaxBytes)}</p>`;
}

/** Returns the row with the total in words, if invoices in this currency have one. */
export function wordsRow(
  { document, amountMinor, received, currency }: InvoiceView,
  { document: texts }: PageLanguage,
): DetailRow {
  const words = document && amountInWords(received?.totalMinor ?? amountMinor, currency);
  return words === undefined ? undefined : [texts.inWords, html`<span lang="en">${words}</span>`];
}

/** Renders each tax with its taxable value. Undefined without a document or a tax. */
export function renderTaxes(
  { document, charges, currency }: InvoiceView,
  { document: texts }: PageLanguage,
): Markup | undefined {
  if (!document || !charges || charges.taxes.length === 0) return undefined;
  const { heads, rows } = taxTable(charges.taxes, texts, (minor) => formatAmount(minor, currency));
  return renderScrolling(
    'sum taxes',
    html`<table><thead><tr>${heads.map((head, column) => html`<th scope="col"${column > 0 && html` class="number"`}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(([name, ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>`)}</tbody></table>`,
    texts.tax,
  );
}
