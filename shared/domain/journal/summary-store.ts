/**
 * Reads the sums of an account for a summary.
 *
 * - The cursor of the event log is read first. So the sums contain all changes up to its position, which is `asOf`.
 * - Each item of a day names the position of the last change that it contains. If one is later than the cursor, all is read again, so
 *   that the total of what is outstanding and its ages are of one moment.
 * - What was due more than 90 days ago is the rest of the total. So the number of old days does not matter.
 * - Days before that are read with eventual consistency, because their figures seldom change.
 */
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { tableKeys } from '../../store/keys.ts';
import { queryAll } from '../../store/query-pages.ts';
import { type Item, readItem } from '../../store/records.ts';
import { dayIn } from '../accounts/fiscal-year.ts';
import { sumsKeyOf, toSumsState } from './journal-item.ts';
import { addDays, type DaySums, oldestAge, rangeOf, summarize } from './summarize.ts';
import type { Summary, SummaryQuery } from './summary.ts';
import { lastPosition } from './sums.ts';

/** How often the sums are read until no change happens between two reads. Then the figures can be of two moments. */
const maxReads = 5;
const lastDay = '9999-12-31';

/**
 * Returns the summary of an account.
 * @param now in the time of the account
 * @throws ApiError as `rangeOf`; MalformedItemError
 */
export async function readSummary(owner: Owner, query: SummaryQuery, now: Instant): Promise<Summary> {
  for (let reads = 1; ; reads++) {
    const cursor = (await readItem(tableKeys.eventCursor(owner))) ?? {};
    const { position, sums, sumsZone: timeZone = 'UTC' } = toSumsState({ position: 0, ...cursor });
    const today = dayIn(timeZone, now);
    const range = rangeOf(query, today);
    const recent = addDays(today, -oldestAge);
    const read = (from: string, to: string, ConsistentRead: boolean) =>
      from <= to ? readDays(owner, sums, from, to, ConsistentRead) : [];
    const [older, newer] = await Promise.all([
      read(range.from, range.to < recent ? range.to : addDays(recent, -1), false),
      read(recent, lastDay, true),
    ]);
    const isOfOneMoment = newer.every(({ item }) => Number(item[lastPosition] ?? 0) <= position);
    if (!isOfOneMoment && reads < maxReads) continue;
    const currencies = summarize(query, range, today, [...older, ...newer], cursor);
    return { ...range, by: query.by, timeZone, today, asOf: position, currencies };
  }
}

async function readDays(
  owner: Owner,
  generation: number | undefined,
  from: string,
  to: string,
  ConsistentRead: boolean,
): Promise<DaySums[]> {
  const keyOf = sumsKeyOf(owner, generation);
  const { pk } = keyOf(from);
  const items: Item[] = await queryAll({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': keyOf(from).sk, ':to': keyOf(to).sk },
    ConsistentRead,
  });
  return items.map((item) => ({ day: String(item.sk).split('#')[1] ?? '', item }));
}
