/** Turns a document into what its template shows: texts in a language, with formatted amounts and days. Computes no amount. */
import { parseDecimal } from '../../base/decimal.ts';
import { formatAmount } from '../../base/money.ts';
import type { ShownLine, TaxRow } from '../../domain/charges/line.ts';
import type {
  DocumentBuyer,
  DocumentContent,
  DocumentPayment,
  DocumentSeller,
} from '../../domain/documents/document.ts';
import { chargeRows, discountNote, formatSigned, taxTable } from '../charge-rows.ts';
import { amountInWords } from './amount-in-words.ts';
import type { DocumentTexts } from './document-texts.ts';
import { formatAddress, formatDay, formatTaxId } from './formats.ts';

/** A unit with more characters is below the description, so that the column of quantities stays narrow. */
const maxUnitInColumn = 12;

/** A name and its value. */
type Fact = readonly [name: string, value: string];

/** What the template shows. */
export interface DocumentData {
  readonly title: string;
  readonly mark: string | null;
  readonly copy: readonly string[];
  readonly seller: { readonly name: string; readonly lines: readonly string[] };
  readonly facts: readonly Fact[];
  readonly buyer: { readonly label: string; readonly name: string; readonly lines: readonly string[] };
  readonly delivery: { readonly label: string; readonly lines: readonly string[] } | null;
  readonly notes: readonly string[];
  readonly lines: DocumentTable;
  /** What is below each description. */
  readonly lineNotes: readonly string[];
  readonly totals: readonly Fact[];
  readonly taxes: DocumentTable | null;
  readonly words: Fact | null;
  readonly payment: HowToPay | null;
  readonly terms: Fact | null;
  readonly signature: {
    readonly forSeller: string;
    readonly name: string;
    readonly label: string;
  } | null;
  readonly footer: string | null;
  readonly page: string;
}

/** A table. Its first column is text, and the others are numbers. */
interface DocumentTable {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface HowToPay {
  readonly title: string;
  readonly instructions: string | null;
  /** The name of the address of the payment page, which is among the settings. */
  readonly online: string | null;
  readonly scan: string | null;
}

export interface DataOptions {
  readonly texts: DocumentTexts;
  /** What says in English that the document is a copy. */
  readonly englishCopy: string;
  /** The language of days and countries, as a BCP 47 tag. */
  readonly locale: string;
  readonly mark: 'cancelled' | 'test' | undefined;
  readonly hasQr: boolean;
}

/** Returns what the template shows of a document. */
export function toDocumentData(content: DocumentContent, options: DataOptions): DocumentData {
  const { texts, englishCopy, mark, hasQr } = options;
  const { seller, placeOfSupply, isReverseCharge, endorsement, amount, currency } = content;
  const words = amountInWords(amount, currency);
  const { signatory } = seller;
  return {
    title: texts.titles[content.title],
    mark: mark === undefined ? null : texts[mark],
    copy: texts.isChecked ? [] : [texts.copy ?? '', englishCopy],
    seller: { name: seller.name, lines: sellerLines(seller, options.locale) },
    facts: factsOf(content, options),
    buyer: { label: texts.billTo, ...buyerOf(content.buyer, options.locale) },
    delivery: content.buyer.deliveryAddress && {
      label: texts.deliverTo,
      lines: formatAddress(content.buyer.deliveryAddress, options.locale),
    },
    notes: [
      ...(placeOfSupply === null ? [] : [`${texts.placeOfSupply}: ${placeOfSupply}`]),
      ...(isReverseCharge ? [texts.reverseCharge] : []),
      ...(endorsement === null ? [] : [endorsement]),
    ],
    lines: linesTable(content, texts),
    lineNotes: content.lines.map((line) => notesOf(line, content, texts)),
    totals: totalsOf(content, texts),
    taxes:
      content.taxes.length === 0
        ? null
        : taxTable(content.taxes, texts, (minor) => formatAmount(minor, currency)),
    words: words === undefined ? null : [texts.inWords, words],
    payment: content.kind === 'invoice' && mark !== 'cancelled' ? paymentOf(content, texts, hasQr) : null,
    terms: seller.terms === null ? null : [texts.terms, seller.terms],
    signature:
      signatory === null
        ? null
        : { forSeller: texts.forSeller(seller.name), name: signatory, label: texts.signatory },
    footer: seller.footer,
    page: `${content.number}  ·  ${texts.page('{page}', '{pages}')}`,
  };
}

function sellerLines({ address, taxIds, contact }: DocumentSeller, locale: string): string[] {
  return [
    ...formatAddress(address, locale),
    ...taxIds.map(formatTaxId),
    ...(contact === null ? [] : [contact]),
  ];
}

/** A buyer without a name is shown by mail address or id. */
function buyerOf({ customerId, name, email, address, taxIds }: DocumentBuyer, locale: string) {
  const shown = name ?? email ?? customerId;
  const lines = [...formatAddress(address, locale), ...taxIds.map(formatTaxId)];
  return { name: shown, lines: email === null || email === shown ? lines : [...lines, email] };
}

function factsOf(content: DocumentContent, { texts, locale }: DataOptions): Fact[] {
  const { number, revision, issuedOn, dueOn, reference, payment, corrects, reason } = content;
  const fact = (name: string, value: string | null): Fact[] => (value === null ? [] : [[name, value]]);
  return [
    [texts.number, number],
    ...fact(texts.revision, revision === 0 ? null : String(revision)),
    [texts.issuedOn, formatDay(issuedOn, locale)],
    ...fact(texts.dueOn, dueOn && formatDay(dueOn, locale)),
    ...fact(
      texts.corrects,
      corrects && texts.numberAndDay(corrects.number, formatDay(corrects.issuedOn, locale)),
    ),
    ...(payment
      ? [
          [texts.pays, texts.numberAndDay(payment.number, formatDay(payment.issuedOn, locale))] as const,
          [texts.paidBy, methodOf(payment, texts)] as const,
          ...fact(texts.receivedOn, payment.receivedOn && formatDay(payment.receivedOn, locale)),
          ...fact(texts.bank, payment.bank),
          [texts.paymentId, payment.id] as const,
        ]
      : []),
    ...fact(texts.reason, reason),
    ...fact(texts.reference, reference),
  ];
}

/** Returns how a payment was made: `Card, Visa 4242`. */
function methodOf({ method, card, reference }: DocumentPayment, { methods }: DocumentTexts): string {
  const details = card ? `${card.brand} ${card.last4}` : reference;
  return details === null ? methods[method] : `${methods[method]}, ${details}`;
}

/** The columns of product codes and taxes exist only if a line has one. */
function linesTable({ lines, taxes, currency }: DocumentContent, texts: DocumentTexts): DocumentTable {
  const hasCodes = lines.some(({ productCode }) => productCode !== null);
  const optional = (isShown: boolean, cell: string): string[] => (isShown ? [cell] : []);
  return {
    heads: [
      texts.description,
      ...optional(hasCodes, texts.productCode),
      texts.quantity,
      texts.unitAmount,
      ...optional(taxes.length > 0, texts.lineTax),
      texts.amount,
    ],
    rows: lines.map((line) => [
      line.description,
      ...optional(hasCodes, line.productCode ?? ''),
      isUnitInColumn(line) ? `${line.quantity} ${line.unit}` : line.quantity,
      formatAmount(line.unitAmount, currency),
      ...optional(taxes.length > 0, ratesOf(line, taxes)),
      formatAmount(line.amount, currency),
    ]),
  };
}

const isUnitInColumn = ({ unit }: ShownLine) => unit !== null && [...unit].length <= maxUnitInColumn;

/** Returns the rates of a line, one for each part of its tax: `9 % + 9 %`. */
function ratesOf({ tax, taxPercent }: ShownLine, taxes: readonly TaxRow[]): string {
  const own = taxPercent === null ? undefined : parseDecimal(taxPercent);
  return taxes
    .filter(({ code, percent }) => code === tax && (own === undefined || parseDecimal(percent) === own))
    .map(({ percent }) => `${percent} %`)
    .join(' + ');
}

function notesOf(line: ShownLine, { currency }: DocumentContent, texts: DocumentTexts): string {
  const unit = isUnitInColumn(line) ? undefined : (line.unit ?? undefined);
  return [unit, discountNote(line, currency, texts)].filter((note) => note !== undefined).join(', ');
}

function totalsOf(content: DocumentContent, texts: DocumentTexts): Fact[] {
  const total = { invoice: texts.total, credit_note: texts.credit, receipt: texts.received }[content.kind];
  return chargeRows(content, content.amount, { ...texts, total }).map(([name, minor]) => [
    name,
    formatSigned(minor, content.currency),
  ]);
}

function paymentOf(
  { seller, paymentUrl }: DocumentContent,
  texts: DocumentTexts,
  hasQr: boolean,
): HowToPay | null {
  const instructions = seller.paymentInstructions;
  if (instructions === null && paymentUrl === null && !hasQr) return null;
  return {
    title: texts.howToPay,
    instructions,
    online: paymentUrl === null ? null : texts.payOnline,
    scan: hasQr ? texts.scanToPay : null,
  };
}
