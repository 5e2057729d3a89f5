/** Defines the seller profile of an account: who issues its invoices, and how they are numbered. */
import type { Address, TaxId } from '../parties/party.ts';

/** How the documents of a kind are numbered. */
export interface Series {
  /**
   * What each number begins with. `{year}` stands for the year of the document: `2026`, or `26-27` if the fiscal year does not begin
   * in January. It does not end with a digit, so two series never have the same number.
   */
  readonly prefix: string;
  /** The smallest number of digits. Zeros fill the number up. */
  readonly digits: number;
  /** Whether the numbers begin at 1 again in each fiscal year. Then the prefix has `{year}`. */
  readonly restart: 'never' | 'yearly';
}

/** Who issues the invoices of an account. */
export interface Seller {
  /** The legal name. */
  readonly legalName: string;
  readonly address: Address;
  readonly taxIds: readonly TaxId[];
  /** The time zone that decides the day of a document: an IANA name. */
  readonly timeZone: string;
  /** The first month of the fiscal year: 1 to 12. */
  readonly fiscalYearStart: number;
  readonly series: { readonly invoice: Series; readonly creditNote: Series };
  readonly terms: string | null;
  readonly footer: string | null;
  readonly signatory: string | null;
  /** The color of headings: `#` and six hexadecimal digits. */
  readonly color: string | null;
}
