/**
 * Defines documents: invoices and credit notes with a number, as the law of the seller wants them. A document is frozen when it is
 * issued. Pages and PDFs show its content, and compute nothing.
 */
import type { Mode } from '../../base/ids.ts';
import type { Currency } from '../../base/money.ts';
import type { StoredCharges } from '../charges/stored-charges.ts';
import type { Address, TaxId } from '../parties/party.ts';

export const documentKinds = ['invoice', 'credit_note'] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** What a document is called. India names an invoice by its content: CGST Rules 46 and 49. */
export const documentTitles = ['invoice', 'tax_invoice', 'bill_of_supply', 'credit_note'] as const;
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
}

/** The buyer, as it was when the document was issued. */
export interface DocumentBuyer {
  readonly customerId: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly address: Address | null;
  readonly taxIds: readonly TaxId[];
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
  /** Null for a credit note. */
  readonly dueOn: string | null;
  readonly seller: DocumentSeller;
  readonly buyer: DocumentBuyer;
  readonly invoiceId: string;
  /** The client's own number of the invoice. */
  readonly reference: string | null;
  /** Where the invoice is paid. Null for a credit note. */
  readonly paymentUrl: string | null;
  /** The invoice that a credit note corrects. Null for an invoice. */
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
}
