/**
 * Defines documents: invoices, credit notes and receipts with a number, as the law of the seller wants them. A document is frozen when it is
 * issued. Pages and PDFs show its content, and compute nothing.
 */
import * as v from 'valibot';
import { idPatternOf, type Mode, modes } from '../../base/ids.ts';
import { amountSchema, type Currency, currencySchema } from '../../base/money.ts';
import { cursorSchema, paginationQuery } from '../../base/pagination.ts';
import { type Instant, timestampSchema, toTimestamp } from '../../base/time.ts';
import { type Logo, logoSchema } from '../accounts/logo.ts';
import {
  discountSchema,
  lineSchema,
  pricesSchema,
  roundToSchema,
  taxRowSchema,
  totalsSchema,
} from '../charges/line.ts';
import type { StoredCharges } from '../charges/stored-charges.ts';
import { type Address, addressSchema, type TaxId, taxIdSchema } from '../parties/party.ts';

export const documentKinds = ['invoice', 'credit_note', 'receipt'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** What a document is called. India names an invoice by its content: CGST Rules 46 and 49. */
export const documentTitles = ['invoice', 'tax_invoice', 'bill_of_supply', 'credit_note', 'receipt'] as const;
export type DocumentTitle = (typeof documentTitles)[number];

/** The seller, as it was when the document was issued. Texts of several lines have line feeds. */
export interface DocumentSeller {
  /** The legal name. */
  readonly name: string;
  readonly address: Address | null;
  readonly taxIds: readonly TaxId[];
  /** How buyers reach the seller. */
  readonly contact: string | null;
  /** How to pay without the payment page, such as a bank account. */
  readonly paymentInstructions: string | null;
  readonly terms: string | null;
  readonly footer: string | null;
  /** The name of the person who signs. */
  readonly signatory: string | null;
  /** The color of headings: `#` and six hexadecimal digits. */
  readonly color: string | null;
  /** The bucket has the bytes under the hash. */
  readonly logo: Logo | null;
}

/** The buyer, as it was when the document was issued. */
export interface DocumentBuyer {
  readonly customerId: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly address: Address | null;
  /** Where the goods go. Null: to the address. */
  readonly deliveryAddress: Address | null;
  readonly taxIds: readonly TaxId[];
}

/** The payment for which a receipt was issued, with the number and the day of the invoice that it paid. */
export interface DocumentPayment {
  readonly id: string;
  readonly number: string;
  readonly issuedOn: string;
  readonly method: 'card' | 'offline' | 'provider' | 'credit';
  readonly card: { readonly brand: string; readonly last4: string } | null;
  /** What the seller noted of a payment outside of the service. */
  readonly reference: string | null;
  /** The day on which the seller received it, and the bank or the way by which it arrived. Null: not noted. */
  readonly receivedOn: string | null;
  readonly bank: string | null;
}

/** What a document says. Amounts are in the smallest unit of the currency, and days are `YYYY-MM-DD` in the time zone of the seller. */
export interface DocumentContent extends StoredCharges {
  readonly kind: DocumentKind;
  readonly title: DocumentTitle;
  readonly number: string;
  /** 0 for the first issue. An invoice that is changed is issued again, with the same number. */
  readonly revision: number;
  readonly mode: Mode;
  readonly issuedOn: string;
  /** Only of an invoice. */
  readonly dueOn: string | null;
  readonly seller: DocumentSeller;
  readonly buyer: DocumentBuyer;
  readonly invoiceId: string;
  /** The client's own number of the invoice. */
  readonly reference: string | null;
  /** Where the invoice is paid. Only of an invoice. */
  readonly paymentUrl: string | null;
  /** The payment of a receipt. */
  readonly payment: DocumentPayment | null;
  /** The invoice that a credit note corrects. Null for other kinds. */
  readonly corrects: { readonly number: string; readonly issuedOn: string } | null;
  /** Why a credit note was issued. */
  readonly reason: string | null;
  readonly currency: Currency;
  readonly amount: number;
  readonly description: string;
  /** Where the supply is made, such as `Karnataka (29)`. Null where the law does not want it. */
  readonly placeOfSupply: string | null;
  /** Whether the buyer pays the tax to the state. */
  readonly isReverseCharge: boolean;
  /** A sentence that the law wants on the document. */
  readonly endorsement: string | null;
}

const shownText = v.nullable(v.string());
const day = v.pipe(v.string(), v.isoDate());
const documentIdSchema = v.pipe(v.string(), v.regex(idPatternOf('document')));

const summary = {
  id: documentIdSchema,
  kind: v.picklist(documentKinds),
  title: v.picklist(documentTitles),
  number: v.string(),
  revision: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  invoiceId: v.pipe(v.string(), v.regex(idPatternOf('invoice'))),
  amount: amountSchema,
  currency: currencySchema,
  issuedOn: day,
  issuedAt: timestampSchema,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
};

/** What identifies a document, as lists and events show it. */
export const documentSummarySchema = /* @__PURE__ */ v.strictObject(summary);

export const documentSellerSchema = /* @__PURE__ */ v.strictObject({
  name: v.string(),
  address: v.nullable(addressSchema),
  taxIds: v.pipe(v.array(taxIdSchema), v.readonly()),
  contact: shownText,
  paymentInstructions: shownText,
  terms: shownText,
  footer: shownText,
  signatory: shownText,
  color: shownText,
  logo: v.nullable(logoSchema),
});

export const documentBuyerSchema = /* @__PURE__ */ v.strictObject({
  customerId: v.string(),
  name: shownText,
  email: shownText,
  address: v.nullable(addressSchema),
  deliveryAddress: v.nullable(addressSchema),
  taxIds: v.pipe(v.array(taxIdSchema), v.readonly()),
});

export const documentPaymentSchema = /* @__PURE__ */ v.strictObject({
  id: v.pipe(v.string(), v.regex(idPatternOf('payment'))),
  number: v.string(),
  issuedOn: day,
  method: v.picklist(['card', 'offline', 'provider', 'credit']),
  card: v.nullable(v.strictObject({ brand: v.string(), last4: v.string() })),
  reference: shownText,
  receivedOn: v.nullable(day),
  bank: shownText,
});

export const documentContentSchema = /* @__PURE__ */ v.strictObject({
  kind: summary.kind,
  title: summary.title,
  number: summary.number,
  revision: summary.revision,
  mode: v.picklist(modes),
  issuedOn: day,
  dueOn: v.nullable(day),
  seller: documentSellerSchema,
  buyer: documentBuyerSchema,
  invoiceId: summary.invoiceId,
  reference: shownText,
  paymentUrl: v.nullable(v.pipe(v.string(), v.url())),
  payment: v.nullable(documentPaymentSchema),
  corrects: v.nullable(v.strictObject({ number: v.string(), issuedOn: day })),
  reason: shownText,
  currency: currencySchema,
  amount: amountSchema,
  description: v.string(),
  placeOfSupply: shownText,
  isReverseCharge: v.boolean(),
  endorsement: shownText,
  prices: pricesSchema,
  discount: v.nullable(discountSchema),
  roundTo: v.nullable(roundToSchema),
  lines: v.pipe(v.array(lineSchema), v.readonly()),
  taxes: v.pipe(v.array(taxRowSchema), v.readonly()),
  totals: totalsSchema,
});

/** A document in responses. */
export const documentSchema = /* @__PURE__ */ v.strictObject({ ...summary, content: documentContentSchema });

/** The documents of an account or of an invoice. `cursor.next` is the value of `before` for older ones. */
export const documentListSchema = /* @__PURE__ */ v.strictObject({
  data: /* @__PURE__ */ v.array(documentSummarySchema),
  cursor: cursorSchema,
});

export type DocumentSummary = v.InferOutput<typeof documentSummarySchema>;
export type ShownDocument = v.InferOutput<typeof documentSchema>;

/** What is shown of a stored document. */
interface Shown {
  readonly id: string;
  readonly issuedAt: Instant;
  readonly sha256: string;
  readonly content: DocumentContent;
}

/** Returns what identifies a document, as lists and events show it. */
export function summarizeDocument({ id, issuedAt, sha256, content }: Shown): DocumentSummary {
  const { kind, title, number, revision, invoiceId, amount, currency, issuedOn } = content;
  return {
    id,
    kind,
    title,
    number,
    revision,
    invoiceId,
    amount,
    currency,
    issuedOn,
    issuedAt: toTimestamp(issuedAt),
    sha256,
  };
}

/** Returns the document as the API shows it. */
export const showDocument = (document: Shown): ShownDocument => ({
  ...summarizeDocument(document),
  content: document.content,
});

const kindMessage = `kind must be one of ${documentKinds.join(', ')}.`;
const beforeMessage =
  'before must be the ID of a document, such as the value of next. Leave it out to begin with the newest.';

/** The query of the list of documents: newest first. */
export const listDocumentsQuery = /* @__PURE__ */ createListQuery();

export type ListDocuments = v.InferOutput<typeof listDocumentsQuery>;

function createListQuery() {
  return v.strictObject({
    limit: paginationQuery.limit,
    kind: v.optional(v.picklist(documentKinds, kindMessage)),
    before: v.optional(v.pipe(v.string(beforeMessage), v.regex(/^doc_[0-9a-z]{26}$/, beforeMessage))),
  });
}
