/**
 * Stores facts about records in index pages, besides their statuses. Lists are filtered by them without a read of the
 * records.
 *
 * - A page has a set of the numbers of each currency, and the creation time of every 16th number. So a full page still
 *   costs one write unit, and a list reads at most some 30 records to find the first one of a day.
 * - Facts of a record never change, and they are added with its status. So they need no call of their own, and adding
 *   them again changes nothing.
 * - Facts can be missing, because the relay adds the entry of a request that has crashed without them. Then lists read the record,
 *   and add its facts.
 */
import type { Currency } from '../../../base/money.ts';
import type { Instant } from '../../../base/time.ts';
import { pageSize } from '../../keys.ts';

/** What lists can filter by and what never changes. */
export interface RecordFacts {
  readonly createdAt: Instant;
  /** Undefined: its resource has no currency. */
  readonly currency?: Currency | undefined;
}

/** Returns the facts of a record. Undefined if it has no time. */
export function factsOf({ createdAt, currency }: Partial<RecordFacts>): RecordFacts | undefined {
  return createdAt === undefined ? undefined : { createdAt, ...(currency && { currency }) };
}

/** The attribute that holds the numbers of each currency. */
export const currencySets: Readonly<Record<Currency, string>> = { BTN: 'B', USD: 'U', INR: 'I' };

/** The attribute that holds creation times: for each, the low byte of the number and 6 bytes of milliseconds. */
export const timeSet = 'T';

/** The bytes of a creation time in the member of a set. */
export const timeBytes = 6;

/** Of so many numbers, one has its creation time in its pages. */
export const timedNumbers = 16;

/** Whether a page stores the creation time of the record with number `seq`. */
export const hasStoredTime = (seq: number): boolean => seq % timedNumbers === 0;

/** Returns the facts of a record as members of sets of its index pages. */
export function factMembers(
  seq: number,
  { createdAt, currency }: RecordFacts,
): (readonly [set: string, member: Uint8Array])[] {
  const low = Uint8Array.of(seq % pageSize);
  const members: [set: string, member: Uint8Array][] = currency ? [[currencySets[currency], low]] : [];
  if (hasStoredTime(seq)) members.push([timeSet, timeMember(seq % pageSize, createdAt)]);
  return members;
}

/** Returns a creation time as a member of the set of an index page. @param low the low byte of the record's number */
export function timeMember(low: number, createdAt: Instant): Uint8Array {
  const time = Buffer.alloc(1 + timeBytes);
  time.writeUInt8(low);
  time.writeUIntBE(createdAt, 1, timeBytes);
  return time;
}

/**
 * Reads the creation times of a page.
 * @param members the members of the set of times, in base64
 */
export function timesOf(page: number, members: readonly string[]): (readonly [seq: number, at: Instant])[] {
  return members.flatMap((text): [seq: number, at: Instant][] => {
    const time = Buffer.from(text, 'base64');
    // A member of another length is no time. Times can be missing.
    if (time.length !== 1 + timeBytes) return [];
    return [[page * pageSize + time.readUInt8(), time.readUIntBE(1, timeBytes)]];
  });
}
