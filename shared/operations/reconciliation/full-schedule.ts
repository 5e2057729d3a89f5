/**
 * Decides on which days all records of a page are read, also those that its digest holds. Pure.
 *
 * - Each page has its own day in each period, so the work is spread over all days.
 * - A page is quiet if its digest has not changed for 84 days. It has a longer period: an old page has agreed many times, and
 *   almost nothing that happens to an account touches it. The period doubles once with the quiet time, so it is never longer.
 * - So each record is read at least every 28 days while its page changes, and always at least every 168 days.
 */
import { createHash } from 'node:crypto';
import type { Instant } from '../../base/time.ts';
import type { PageLocation } from './facts.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The days between two full comparisons of a page. */
export const periodDays = 28;
/**
 * The same for pages that have been quiet for so long at least, longest first. Each is a multiple of the next one, so a page that
 * becomes quiet keeps its day.
 */
export const quietPeriodsDays = [6 * periodDays, 3 * periodDays] as const;
const [longestDays] = quietPeriodsDays;

/** The days of a comparison, such as `2027-01-31`. */
export interface ComparedDays {
  /** The day on which the last complete comparison of the owner began. */
  readonly since: string;
  /** The day of this comparison. */
  readonly day: string;
}

/**
 * Whether all records of a page must be read. If no comparison was completed on the page's own day, the next one reads it.
 * @param changedAt when the digest of the page last changed, to the hour. 0 if it does not have one.
 */
export function isPageDue(
  { account, mode, resource, page }: PageLocation,
  changedAt: Instant,
  { since, day }: ComparedDays,
): boolean {
  const quietMs = changedAt > 0 ? Date.parse(day) - changedAt : 0;
  const length = quietPeriodsDays.find((days) => quietMs >= days * dayMs) ?? periodDays;
  const hash = createHash('sha256').update(`${account}#${mode}#${resource}#${page}`).digest();
  const offset = hash.readUInt32BE() % longestDays;
  const periodOf = (text: string) => Math.floor((Date.parse(text) / dayMs + offset) / length);
  return periodOf(day) > periodOf(since);
}
