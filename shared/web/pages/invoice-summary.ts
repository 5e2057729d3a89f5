/** Renders an invoice on the payment page: as the bill beside the form, or as rows of a list of details. */
import { html } from 'hono/html';
import { type Currency, formatAmount } from '../../base/money.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import { renderCharges } from './charges.ts';
import { formatDate, formatDueDate, formatMoment } from './dates.ts';
import { issuedRow, partyRows, renderTaxes, wordsRow } from './document-details.ts';
import { renderLinkedText } from './linked-text.ts';
import { type DetailRow, fillInPayee, isolateDirection, type Markup, truncateToBytes } from './markup.ts';
import type { PageLanguage } from './page-language.ts';
import type { CancelledMoney, InvoiceView } from './payment-page-view.ts';

/**
 * The maximum size of the description, in bytes of escaped UTF-8, which keeps the page below 34 KB. It is enough for
 * 5000 letters of any common script, but not for 5000 rare characters.
 */
const descriptionMaxBytes = 19_800;

/**
 * Renders the page's heading and the bill: payee, amount, description and due date.
 * @param besideBytes size of the rest of the page that varies; the description gets less room by this amount
 */
export function renderBill(invoice: InvoiceView, language: PageLanguage, besideBytes = 0): Markup {
  const { texts } = language;
  return html`<section class="bill">${renderLogo(invoice) ?? renderMonogram(invoice.payee)}${renderHeading({ title: texts.pay, unnamed: texts.unnamedPayee.pay }, invoice, language)}
${renderDescription(invoice, language, besideBytes)}${renderCharges(invoice, language)}
${renderTaxes(invoice, language)}${renderDetails([...receivedRows(invoice, language), wordsRow(invoice, language), ...documentRows(invoice, language), issuedRow(invoice, language), dueRow(invoice, language), ...partyRows(invoice, language), referenceRow(invoice, language), contactRow(invoice, language), invoiceIdRow(invoice, language)])}</section>`;
}

/** Renders the logo of the seller. Undefined: the document names none. The seller's name stands for it. */
export function renderLogo({ id, document }: InvoiceView): Markup | undefined {
  const { logo, name } = document?.seller ?? {};
  if (!logo) return undefined;
  const { sha256, width, height } = logo;
  return html`<img class="logo" src="${id}/logo?sha256=${sha256}" width="${width}" height="${height}" alt="${name}">`;
}

/** Renders the payee's initial as decoration. Screen readers skip it. Returns undefined without a name or letters. */
function renderMonogram(payee = ''): Markup | undefined {
  const initial = /[\p{L}\p{N}]\p{M}*/u.exec(payee)?.[0].toUpperCase();
  return initial === undefined ? undefined : html`<p class="monogram" aria-hidden="true">${initial}</p>`;
}

/** Renders the page's heading: a sentence about the payee, with a form for a payee without a name, and the amount. */
export function renderHeading(
  { title, unnamed }: { readonly title: string; readonly unnamed: string },
  { payee, amountMinor, currency }: Pick<InvoiceView, 'payee' | 'amountMinor' | 'currency'>,
  language: PageLanguage,
): Markup {
  const sentence = payee === undefined ? unnamed : title;
  const amount = formatAmount(amountMinor, currency);
  return html`<h1><span class="lead">${fillInPayee(sentence, payee, language)}</span> <span class="amount${amount.length > 13 && ' long'}">${amount}</span></h1>`;
}

/** Formats an amount in the smallest currency unit for a sentence, in which no line breaks inside of it. */
export function formatAmountInSentence(amountMinor: number, currency: Currency): string {
  return formatAmount(amountMinor, currency).replaceAll(' ', '\u00a0');
}

/** Returns all details of an invoice, for a page that starts with a message. @param isPayable shows when it is due */
export function invoiceDetailRows(
  invoice: InvoiceView,
  isPayable: boolean,
  language: PageLanguage,
): DetailRow[] {
  return [
    payeeRow(invoice, language),
    ...partyRows(invoice, language),
    contactRow(invoice, language),
    ...(invoice.received && isPayable
      ? receivedRows(invoice, language)
      : [amountRow(language.texts.amount, invoice.amountMinor, invoice)]),
    wordsRow(invoice, language),
    descriptionRow(invoice, language),
    ...documentRows(invoice, language),
    issuedRow(invoice, language),
    isPayable ? dueRow(invoice, language) : undefined,
    referenceRow(invoice, language),
    invoiceIdRow(invoice, language),
  ];
}

/** Returns the rows with the amount of the invoice and what is paid of it, if there are payments of parts. */
export function receivedRows(invoice: InvoiceView, { texts }: PageLanguage): DetailRow[] {
  if (!invoice.received) return [];
  const { totalMinor, paidMinor } = invoice.received;
  return [amountRow(texts.amount, totalMinor, invoice), amountRow(texts.paid.amountPaid, paidMinor, invoice)];
}

const amountRow = (
  name: string,
  amountMinor: number,
  { currency }: Pick<InvoiceView, 'currency'>,
): DetailRow => [name, html`${formatAmount(amountMinor, currency)}`];

/** Returns the row with the description, and with the lines. */
export function descriptionRow(invoice: InvoiceView, language: PageLanguage): DetailRow {
  return [
    language.texts.description,
    html`${renderDescription(invoice, language)}${renderCharges(invoice, language)}${renderTaxes(invoice, language)}`,
  ];
}

/** Returns a row with a point in time, or undefined without one. */
export function momentRow(
  { timeZone }: Pick<InvoiceView, 'timeZone'>,
  name: string,
  at: Instant | undefined,
  { tag }: PageLanguage,
): DetailRow {
  return at === undefined
    ? undefined
    : [name, html`<time datetime="${toTimestamp(at)}">${formatMoment(at, timeZone, tag)}</time>`];
}

/** Returns the row with the name of the payee, or undefined if the seller has the same name or the account has none. */
export function payeeRow({ payee, document }: InvoiceView, { texts }: PageLanguage): DetailRow {
  return payee === undefined || payee === document?.seller.name
    ? undefined
    : [texts.payee, isolateDirection(payee)];
}

/** Returns the row that says how the payer reaches the payee, or undefined if the account has no such setting. */
export function contactRow({ contact }: InvoiceView, { texts }: PageLanguage): DetailRow {
  return contact === undefined ? undefined : [texts.contact, html`<bdi>${renderLinkedText(contact)}</bdi>`];
}

/** Returns the rows about the money of the payer of a cancelled invoice. */
export function moneyRows(invoice: InvoiceView, money: CancelledMoney, language: PageLanguage): DetailRow[] {
  const { texts } = language;
  if (money.kind !== 'returned') return [];
  return [
    [texts.refunded, html`${formatAmount(money.amountMinor, invoice.currency)}`],
    momentRow(invoice, texts.paid.refundedAt, money.at, language),
  ];
}

/** Returns the rows with the documents of the invoice to download: none if it has no document. */
export function documentRows(
  { id, number, creditNotes = [] }: InvoiceView,
  { texts, locale }: PageLanguage,
): DetailRow[] {
  if (number === undefined) return [];
  const link = (document: Record<string, string>) => {
    const query = new URLSearchParams({ ...document, ...(locale !== 'en' && { locale }) }).toString();
    return html`<a href="${id}/pdf${query && `?${query}`}">${texts.downloadPdf}</a>`;
  };
  return [
    [texts.number, html`<strong class="id">${number}</strong><p class="file">${link({})}</p>`],
    ...creditNotes.map(
      (note): DetailRow => [
        texts.creditNote,
        html`<span class="id">${note.number}</span><p class="file">${link({ document: note.id })}</p>`,
      ],
    ),
  ];
}

/** Returns the row with the payment reference, or undefined if the invoice has none. */
export function referenceRow({ id, reference }: InvoiceView, { texts }: PageLanguage): DetailRow {
  return reference === id ? undefined : [texts.reference, html`<strong class="id">${reference}</strong>`];
}

/** Returns the row with the invoice ID. */
export function invoiceIdRow({ id }: InvoiceView, { texts }: PageLanguage): DetailRow {
  return [texts.invoice, html`<span class="id">${id}</span>`];
}

function dueRow(
  { dueAt, overdue, isDefaultDueDate, timeZone }: InvoiceView,
  { texts, tag }: PageLanguage,
): DetailRow {
  const badge = html`<strong class="badge">${texts.overdue}</strong>`;
  return [
    texts.due,
    html`<time datetime="${toTimestamp(dueAt)}">${isDefaultDueDate ? formatDate(dueAt, timeZone, tag) : formatDueDate(dueAt, timeZone, tag)}</time>${overdue && html` ${badge}`}`,
  ];
}

/** Renders rows as a list of names and values. */
export function renderDetails(rows: readonly DetailRow[]): Markup {
  return html`<dl>${rows.map((row) => row && html`<div><dt>${row[0]}</dt><dd>${row[1]}</dd></div>`)}</dl>`;
}

/** A long description gets a box that scrolls. Its `tabindex` makes the box reachable by keyboard. */
function renderDescription(invoice: InvoiceView, { texts }: PageLanguage, besideBytes = 0): Markup {
  const text = truncateToBytes(invoice.description, descriptionMaxBytes - besideBytes);
  const isLong = text.length > 400 || text.split('\n').length > 8;
  if (!isLong) return html`<p class="text" dir="auto">${text}</p>`;
  return html`<p class="text long" dir="auto" role="group" aria-label="${texts.description}" tabindex="0">${text}</p>`;
}
