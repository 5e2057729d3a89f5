/** Numbers documents: the series of a document, and the text of a number. Pure. */
import type { Instant } from '../../base/time.ts';
import { prefixAt } from '../accounts/fiscal-year.ts';
import type { Seller, Series } from '../accounts/seller.ts';
import type { DocumentKind } from './document.ts';

/** The series of a document. The numbers of a prefix are counted together, so no number comes twice. */
export interface OpenSeries {
  readonly kind: DocumentKind;
  /** What the numbers begin with, with the year in place of `{year}`. */
  readonly prefix: string;
  readonly digits: number;
}

/** Returns the series of a document. @param at when it is issued. The time zone of the seller decides the day */
export function seriesOf(
  { series, fiscalYearStart, timeZone }: Pick<Seller, 'series' | 'fiscalYearStart' | 'timeZone'>,
  kind: DocumentKind,
  at: Instant,
): OpenSeries {
  const { prefix, digits }: Series = {
    invoice: series.invoice,
    credit_note: series.creditNote,
    receipt: series.receipt,
  }[kind];
  return { kind, prefix: prefixAt(prefix, { timeZone, fiscalYearStart }, at), digits };
}

/** Returns the name of a series among those of its owner. */
export const nameOfSeries = ({ kind, prefix }: { readonly kind: string; readonly prefix: string }): string =>
  `${kind}#${prefix}`;

/** Returns the text of a number, such as `INV-0042`. @param count from 1 */
export const numberIn = ({ prefix, digits }: OpenSeries, count: number): string =>
  prefix + String(count).padStart(digits, '0');

/** Returns the parts of a number: what it begins with, and its count. A prefix never ends with a digit. Undefined: it is no number. */
export function partsOfNumber(
  number: string,
): { readonly prefix: string; readonly digits: string; readonly count: number } | undefined {
  const [, prefix, digits] = /^(.*\D)(\d+)$/s.exec(number) ?? [];
  return prefix === undefined || digits === undefined ? undefined : { prefix, digits, count: Number(digits) };
}
