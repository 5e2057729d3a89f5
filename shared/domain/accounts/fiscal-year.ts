/** Computes the day and the fiscal year of a document, in the time zone of the seller. Pure. */
import type { Instant } from '../../base/time.ts';
import type { Seller } from './seller.ts';

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

/** Returns what the numbers of a series begin with at an instant: its prefix with the year in place of `{year}`. */
export function prefixAt(
  prefix: string,
  { timeZone, fiscalYearStart }: Pick<Seller, 'timeZone' | 'fiscalYearStart'>,
  at: Instant,
): string {
  return prefix.replaceAll('{year}', fiscalYearOf(dayIn(timeZone, at), fiscalYearStart));
}
