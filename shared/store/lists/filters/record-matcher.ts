/**
 * Decides which records of a list match a filter by creation time and currency, from facts that are already read.
 *
 * - Sequence numbers are almost in the order of creation: a request takes its time first and its number within the same
 *   invocation. So a few creation times tell on which side of an instant all other numbers are, except those that were
 *   allocated close to that instant.
 * - What is not known is not guessed: the list reads these records.
 */
import type { Currency } from '../../../base/money.ts';
import type { Instant } from '../../../base/time.ts';
import { pageSize, volumeSize } from '../../keys.ts';
import { hasStoredTime, type RecordFacts } from './record-facts.ts';

/** The filters of a list that need no list of their own. */
export interface RecordFilter {
  /** Only records that were created at this instant or later. */
  readonly createdFrom?: Instant | undefined;
  /** The end of the range: only records that were created before this instant. */
  readonly createdTo?: Instant | undefined;
  readonly currency?: Currency | undefined;
}

/** Whether a filter selects records by their creation time. */
export const hasRange = ({ createdFrom, createdTo }: RecordFilter): boolean =>
  createdFrom !== undefined || createdTo !== undefined;

/** Whether a filter selects all records. */
export const isEmptyFilter = (filter: RecordFilter): boolean =>
  !hasRange(filter) && filter.currency === undefined;

/** Whether a filter selects a record. */
export function matchesFilter(filter: RecordFilter, { createdAt, currency }: RecordFacts): boolean {
  const { createdFrom = createdAt, createdTo = Number.POSITIVE_INFINITY } = filter;
  const isInRange = createdAt >= createdFrom && createdAt < createdTo;
  return isInRange && (filter.currency === undefined || filter.currency === currency);
}

/**
 * By how much a record can be older than one with a lower number. A function that creates records runs for 30 seconds at
 * most. The rest allows for clocks that differ by 45 seconds. If the clock of test mode is ahead, records of the API have its
 * time, and those of the payment page and of providers have the real time. So that time is added.
 */
export const maxDisorderMs = 120_000;

/** What is known about a record: whether it matches, or which of its facts decides that. */
export type Verdict = 'match' | 'no match' | 'time unknown' | 'currency unknown';

/** What a list has read of the facts in a volume. A part that it does not need is not read. */
export interface FoldedFacts {
  /** Returns the currency of a number, from the start of the volume. */
  readonly currencies: ((low: number) => Currency | undefined) | 'not read';
  readonly times: 'read' | 'not read';
}

/** Knows which numbers were allocated on which side of an instant. */
class Boundary {
  readonly #at: Instant;
  readonly #disorderMs: number;
  /** All numbers up to this one belong to records from before the instant. */
  #before = 0;
  /** All numbers from this one on belong to records from the instant or later. */
  #after = Number.POSITIVE_INFINITY;

  constructor(at: Instant, disorderMs: number) {
    this.#at = at;
    this.#disorderMs = disorderMs;
  }

  learn(seq: number, createdAt: Instant): void {
    if (createdAt < this.#at - this.#disorderMs) this.#before = Math.max(this.#before, seq);
    if (createdAt >= this.#at + this.#disorderMs) this.#after = Math.min(this.#after, seq);
  }

  /** Whether all records from a number on were certainly created at the instant or later. */
  isReachedFrom = (seq: number): boolean => seq >= this.#after;

  /** Whether all records up to a number were certainly created before the instant. */
  isAheadUpTo = (seq: number): boolean => seq <= this.#before;

  /** Whether a record was created at the instant or later. Undefined if that is not known. */
  isReached(seq: number, createdAt: Instant | undefined): boolean | undefined {
    if (createdAt !== undefined) return createdAt >= this.#at;
    if (seq <= this.#before) return false;
    return seq >= this.#after ? true : undefined;
  }
}

/** Matches the records of one list. It learns facts, and then knows about more records. */
export class RecordMatcher {
  readonly #from: Boundary | undefined;
  readonly #before: Boundary | undefined;
  readonly #currency: Currency | undefined;
  readonly #times = new Map<number, Instant>();
  /** Malformed records, of which nothing more can be learned. */
  readonly #malformed = new Set<number>();
  /** By page. */
  readonly #currencies = new Map<number, (Currency | undefined)[]>();
  /** By volume. */
  readonly #folded = new Map<number, FoldedFacts>();

  /** @param disorderMs by how much a record can be older than one with a lower number */
  constructor({ createdFrom, createdTo, currency }: RecordFilter, disorderMs: number = maxDisorderMs) {
    this.#from = createdFrom === undefined ? undefined : new Boundary(createdFrom, disorderMs);
    this.#before = createdTo === undefined ? undefined : new Boundary(createdTo, disorderMs);
    this.#currency = currency;
  }

  learnTime(seq: number, createdAt: Instant): void {
    this.#times.set(seq, createdAt);
    this.#from?.learn(seq, createdAt);
    this.#before?.learn(seq, createdAt);
  }

  learnCurrency(seq: number, currency: Currency): void {
    const number = Math.floor(seq / pageSize);
    const page = this.#currencies.get(number) ?? [];
    this.#currencies.set(number, page);
    page[seq % pageSize] = currency;
  }

  /** A record is malformed, so it has no facts to learn. It matches unless the facts in the index say otherwise. */
  learnMalformed(seq: number): void {
    this.#malformed.add(seq);
  }

  /** Learns what was read of the facts in a volume. */
  learnVolume(volume: number, facts: FoldedFacts): void {
    const known = this.#folded.get(volume)?.currencies;
    const { currencies, times } = facts;
    const both =
      typeof known === 'function' && typeof currencies === 'function'
        ? (low: number) => known(low) ?? currencies(low)
        : currencies;
    this.#folded.set(volume, { currencies: both, times });
  }

  /** Learns the facts of a record that was read. Returns whether the list's index lacks one of them. */
  learnRecord(seq: number, { createdAt, currency }: RecordFacts): boolean {
    const folded = this.#folded.get(Math.floor(seq / volumeSize));
    const isUnread = (part: 'currencies' | 'times') => folded !== undefined && folded[part] === 'not read';
    const isLacking =
      (currency !== undefined && !isUnread('currencies') && this.#currencyOf(seq) === undefined) ||
      (!isUnread('times') && hasStoredTime(seq) && !this.#times.has(seq));
    this.learnTime(seq, createdAt);
    if (currency !== undefined) this.learnCurrency(seq, currency);
    return isLacking;
  }

  verdictOf(seq: number): Verdict {
    const createdAt = this.#times.get(seq);
    const isFrom = this.#from ? this.#from.isReached(seq, createdAt) : true;
    const isPast = this.#before ? this.#before.isReached(seq, createdAt) : false;
    if (isFrom === false || isPast === true) return 'no match';
    const isMalformed = this.#malformed.has(seq);
    if ((isFrom === undefined || isPast === undefined) && !isMalformed) return 'time unknown';
    if (this.#currency === undefined) return 'match';
    const currency = this.#currencyOf(seq);
    if (currency === undefined) return isMalformed ? 'match' : 'currency unknown';
    return currency === this.#currency ? 'match' : 'no match';
  }

  /** Whether all records with numbers in this range are known to match. */
  matchesAll(first: number, last: number): boolean {
    const isFrom = this.#from?.isReachedFrom(first) ?? true;
    const isBefore = this.#before?.isAheadUpTo(last) ?? true;
    return this.#currency === undefined && isFrom && isBefore;
  }

  #currencyOf(seq: number): Currency | undefined {
    const ofPage = this.#currencies.get(Math.floor(seq / pageSize))?.[seq % pageSize];
    if (ofPage !== undefined) return ofPage;
    const currencies = this.#folded.get(Math.floor(seq / volumeSize))?.currencies;
    return typeof currencies === 'function' ? currencies(seq % volumeSize) : undefined;
  }
}

/** How many records a list reads at once to find the first one of a range, and to learn currencies. */
const probes = 400;
const recordsAtOnce = 1_000;

/**
 * Returns the records to read next: all that are undecided, if these are few. Of many with an unknown time, some at even
 * distances, because these decide about most of the others.
 */
export function chooseReads(matcher: RecordMatcher, undecided: readonly number[]): readonly number[] {
  const untimed = undecided.filter((seq) => matcher.verdictOf(seq) === 'time unknown');
  if (untimed.length > probes) {
    const step = untimed.length / probes;
    return Array.from({ length: probes }, (_, index) => untimed[Math.floor(index * step)] ?? 0);
  }
  const others = undecided.filter((seq) => matcher.verdictOf(seq) !== 'time unknown');
  return [...untimed, ...others.slice(0, recordsAtOnce - untimed.length)];
}
