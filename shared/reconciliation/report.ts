/** The report of a day's reconciliation: when it was begun, how far it has come, and what it found. Kept for 90 days. */
import type { Owner } from '../ids.ts';
import { type Instant, toSeconds } from '../time.ts';
import type { Difference } from './difference.ts';
import { putEntries, readEntries, readEntry } from './store.ts';

export type Reported = Omit<Difference, 'evidence'>;

export interface Report {
  readonly begunAt: Instant;
  /** Accounts in each of their modes: all there were, and those that were gone through to the end. */
  readonly owners: number;
  readonly ended: number;
  /** Records that were compared. */
  readonly records: number;
  readonly differences: readonly Reported[];
}

const retentionSeconds = 90 * 24 * 60 * 60;
const begin = 'BEGIN';
const ofEnd = 'END#';
const ofDifference = 'DIFFERENCE#';

/** Whether a reconciliation was begun on that day (UTC), such as `2027-01-31`. */
export async function isBegun(day: string): Promise<boolean> {
  return (await readEntry(day, begin)) !== undefined;
}

/** @param owners for how many accounts and modes there is a message */
export function reportBegin(day: string, owners: number, now: Instant): Promise<void> {
  return put(day, [{ name: begin, content: { begunAt: now, owners } }], now);
}

/** @param records that were compared of the owner */
export function reportEnd(
  day: string,
  { account, mode }: Owner,
  records: number,
  now: Instant,
): Promise<void> {
  return put(day, [{ name: `${ofEnd}${account}#${mode}`, content: { records } }], now);
}

/** The same difference is one entry, however often it is reported. */
export function reportDifferences(
  day: string,
  differences: readonly Difference[],
  now: Instant,
): Promise<void> {
  const entries = differences.map(({ evidence: _, ...content }) => {
    const { account, mode, id, rule } = content;
    return { name: `${ofDifference}${account}#${mode}#${id}#${rule}`, content };
  });
  return put(day, entries, now);
}

/** The report as far as it goes; undefined if no reconciliation was begun on that day. */
export async function readReport(day: string): Promise<Report | undefined> {
  const entries = await readEntries(day);
  const start = entries.find(({ sk }) => sk === begin);
  if (!start) return undefined;
  const ends = entries.filter(({ sk }) => String(sk).startsWith(ofEnd));
  const differences = entries
    .filter(({ sk }) => String(sk).startsWith(ofDifference))
    .map(({ pk: _, sk: __, expiresAt: ___, ...difference }) => difference as unknown as Reported);
  return {
    begunAt: start.begunAt as Instant,
    owners: start.owners as number,
    ended: ends.length,
    records: ends.reduce((sum, { records }) => sum + (records as number), 0),
    differences,
  };
}

const put = (day: string, entries: Parameters<typeof putEntries>[1], now: Instant) =>
  putEntries(day, entries, toSeconds(now) + retentionSeconds);
