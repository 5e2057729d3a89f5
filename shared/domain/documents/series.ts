/** Numbers documents: the year of a series, and the text of a number. Pure. */
import type { Instant } from '../../base/time.ts';
import type { Seller, Series } from '../accounts/seller.ts';
import type { DocumentKind } from './document.ts';

/** Returns the day of an instant in a time zone: `YYYY-MM-DD`. @param timeZone an IANA name */
export function dayIn(timeZone: string, at: Instant): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(at);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

/**
 * Returns the fiscal year of a day as numbers show it: `2026` if it begins in January, otherwise both of its years, `26-27`.
 * @param day `YYYY-MM-DD`
 * @param fiscalYearStart the first month, 1 to 12
 */
export function fiscalYearOf(day: string, fiscalYearStart: number): string {
  const [year = 0, month = 0] = day.split('-').map(Number);
  if (fiscalYearStart === 1) return String(year);
  const first = month >= fiscalYearStart ? year : year - 1;
  const short = (value: number) => String(value % 100).padStart(2, '0');
  return `${short(first)}-${short(first + 1)}`;
}

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
  const { prefix, digits }: Series = kind === 'invoice' ? series.invoice : series.creditNote;
  const year = fiscalYearOf(dayIn(timeZone, at), fiscalYearStart);
  return { kind, prefix: prefix.replaceAll('{year}', year), digits };
}

/** Returns the name of a series among those of its owner. */
export const nameOfSeries = ({ kind, prefix }: OpenSeries): string => `${kind}#${prefix}`;

/** Returns the text of a number, such as `INV-0042`. @param count from 1 */
export const numberIn = ({ prefix, digits }: OpenSeries, count: number): string =>
  prefix + String(count).padStart(digits, '0');
