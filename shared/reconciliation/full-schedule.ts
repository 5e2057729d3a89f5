/** Decides on which days an owner's records are all compared. Pure. */
import { createHash } from 'node:crypto';
import type { Owner } from '../ids.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** The days between two full comparisons of an owner. */
const periodDays = 28;

/**
 * Whether an owner's next comparison must be full. Each owner has its own day in each period, so the work is spread
 * over all days. If no comparison runs on that day, the next one is full.
 * @param lastFull the day on which the last full comparison began, such as `2027-01-31`. Undefined if the next one must
 *   be full.
 * @param day the day of the next comparison
 */
export function isFullDue({ account, mode }: Owner, lastFull: string | undefined, day: string): boolean {
  if (lastFull === undefined) return true;
  const hash = createHash('sha256').update(`${account}#${mode}`).digest();
  const periodOf = (text: string) =>
    Math.floor((Date.parse(text) / dayMs + (hash.readUInt32BE() % periodDays)) / periodDays);
  return periodOf(day) > periodOf(lastFull);
}
