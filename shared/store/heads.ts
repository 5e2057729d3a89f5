/**
 * The head of an account and mode: its rate limit and count, its usable keys, its counters of numbers, and the
 * keys that ids are computed with. One item of at most 1 KB, so that admitting a request costs one write unit;
 * never part of a transaction, so that requests of one account never conflict. This file knows its attributes;
 * `admission/store.ts`, `accounts/store.ts` and `head-keys.ts` write it.
 */
import type { Owner, Resource } from '../ids.ts';
import type { Instant } from '../time.ts';
import type { Item } from './records.ts';

const hourMs = 3_600_000;

/** A usable key as the head keeps it, under the key's SHA-256: permissions (a bit set; absent: all), expiry, last use. */
export interface HeadKey {
  /** Permission bits; absent means all, also those that come later. */
  readonly p?: number;
  /** Expiry in seconds since 1970; absent means never. */
  readonly e?: number;
  /** Last use in seconds since 1970. */
  readonly u?: number;
}

export const headAttributes = {
  /** Requests allowed per hour. */
  limit: 'l',
  /** Map from a key's SHA-256 (base64url) to its `HeadKey`. */
  keys: 'k',
  /** When the account was closed; absent: it is open. */
  closed: 'c',
  /** Map from the first number that it is for to the 32 bytes that ids are computed with. */
  idKeys: 'i',
  /** The last number drawn for each resource. */
  seq: { invoice: 'si', payment: 'sp', refund: 'sr' } as const satisfies Record<Resource, string>,
  /** The count of an hour stands in an attribute named after the hour, so that a new hour starts at nothing. */
  hour: (hour: number) => `h${hour}`,
};

/** What drawing a number needs of a head: its key, the last numbers, what ids are computed with, and whether it is open. */
export const drawnAttributes: readonly string[] = [
  'pk',
  'sk',
  headAttributes.closed,
  headAttributes.idKeys,
  ...Object.values(headAttributes.seq),
];

/** The clock hour (UTC) of an instant, counted from 1970. */
export const hourOf = (instant: Instant): number => Math.floor(instant / hourMs);
/** When that hour's window ends, in seconds since 1970. */
export const hourEndSeconds = (hour: number): number => ((hour + 1) * hourMs) / 1000;

/** The names of counts that no request can need any more: those of hours before the previous one. */
export function staleHours(head: Item, hour: number): string[] {
  return Object.keys(head).filter((name) => /^h\d+$/.test(name) && Number(name.slice(1)) < hour - 1);
}

/** The keys that ids are computed with, each for a range of numbers. */
export class IdKeys {
  readonly #byFirst: readonly (readonly [first: number, key: Uint8Array])[];

  constructor(head: Item) {
    const entries = Object.entries(head[headAttributes.idKeys] as Record<string, Uint8Array>);
    this.#byFirst = entries.map(([first, key]) => [Number(first), key] as const).sort(([a], [b]) => b - a);
  }

  /** The key for number `seq`. */
  of(seq: number): Uint8Array {
    const entry = this.#byFirst.find(([first]) => first <= seq);
    if (!entry) throw new Error(`The head has no id key for number ${seq}.`);
    return entry[1];
  }
}

/** What an admitted request may use. */
export interface Admission {
  readonly owner: Owner;
  readonly idKeys: IdKeys;
  /** The number drawn for the record that the request creates; 0 if it creates none. */
  readonly seq: number;
}
