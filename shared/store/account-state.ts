/**
 * Defines the account state: one item for each account and mode. It holds the rate limit, the request count, the usable
 * API keys, the sequence counters and the keys from which ids are computed.
 *
 * - The item has at most 1 KB, so authorizing a request costs one write unit. Only address ranges of API keys can make it
 *   larger: 8 ranges of each of 10 keys cost up to two more units.
 * - The item is never part of a transaction, so requests of one account never conflict.
 * - This file names the attributes. `shared/domain/auth/rate-limit.ts`, `shared/domain/accounts/account-store.ts`, `seller-change-store.ts`, `account-state-keys.ts` and
 *   `sequence-numbers.ts` write them.
 */
import type { Owner, Resource } from '../base/ids.ts';
import type { StoredClock } from '../base/test-clock.ts';
import type { Instant } from '../base/time.ts';
import type { Item } from './records.ts';
import {
  anyObject,
  binary,
  checksOf,
  count,
  flag,
  instant,
  mapOf,
  objectOf,
  optional,
  requireAttributes,
  text,
} from './stored-fields.ts';

const hourMs = 3_600_000;

/**
 * A usable API key, as the account state stores it under the key's SHA-256. One-letter names keep the item small. It decides
 * only whether a request counts against the rate limit. What the key allows is in the key's own item, which functions that
 * count requests cannot write.
 */
export interface ApiKeyEntry {
  /** Expiry in seconds since 1970, rounded up. Absent means never. */
  readonly e?: number;
  /** Last use in seconds since 1970. */
  readonly u?: number;
  /** The address ranges that may use the key: see `shared/domain/auth/address-ranges.ts`. Absent means all addresses. */
  readonly a?: ReadonlySet<Uint8Array>;
}

/** What requests need to know of the seller profile of an account. */
export interface SellerSummary {
  /** The country of the seller: two uppercase letters. */
  readonly country: string;
  /** The state of the seller in India: its code in tax numbers, two digits. */
  readonly state?: string | undefined;
  /** The time zone that decides the day of a document: an IANA name. */
  readonly timeZone: string;
  /** The days until an invoice without a due date is due. Undefined: 30. */
  readonly paymentDays?: number | undefined;
  /** Invoices whose creation does not say so can be paid in parts. Undefined: they cannot. */
  readonly acceptPartial?: true | undefined;
  /** The largest share of an invoice that a payment can write off, in percent. Undefined: none. */
  readonly writeOffPercent?: number | undefined;
  /** The tax of lines that name none. Undefined: none. */
  readonly defaultTax?: string | undefined;
}

/** What an API key allows, as its own item says. */
export interface KeyRights {
  /** Permission bits. Absent means all permissions, including future ones, except those that manage API keys. */
  readonly permissionBits?: number;
  /** Absent means never. */
  readonly validUntil?: Instant;
  /** The address ranges that may use the key: see `shared/domain/auth/address-ranges.ts`. Absent means all addresses. */
  readonly ranges?: ReadonlySet<Uint8Array>;
  /** The version of the API that requests without one have. */
  readonly apiVersion?: string;
}

/** What the names of request counts begin with. */
const hourPrefix = 'h:';

/** The names of the stored attributes. They are short, because each request writes the whole item. */
export const accountStateAttributes = {
  /** Requests allowed per hour. */
  limit: 'l',
  /** Map from the SHA-256 of an API key (base64url) to its `ApiKeyEntry`. */
  keys: 'k',
  /** When the account was closed. Absent: it is open. */
  closed: 'c',
  /** Present while the service is in maintenance: requests that write are refused. */
  maintenance: 'm',
  /** The clock of test mode, see `StoredClock`. Absent: the real time. */
  clock: 't',
  /** What requests need of the seller profile, see `StoredSeller`. Absent: the account has no profile. */
  seller: 's',
  /** Map from a sequence number to the 32-byte id key that applies from that number on. */
  idKeys: 'i',
  /** The last sequence number allocated for each resource. */
  seq: {
    invoice: 'si',
    payment: 'sp',
    refund: 'sr',
    customer: 'sc',
    product: 'sd',
    draft: 'sf',
    statement: 'st',
    schedule: 'sh',
    export: 'se',
  } as const satisfies Record<Resource, string>,
  /**
   * The request count of one hour. The name contains the hour, so each hour starts with no count. No other attribute of the
   * partition may begin with the prefix, because IAM grants all counts by a pattern.
   */
  hour: (hour: number) => `${hourPrefix}${hour}`,
};

/** The IAM pattern of the names of request counts. */
export const hourPattern = `${hourPrefix}*`;

/** The clock hour (UTC) of an instant, counted from 1970. */
export const hourOf = (instant: Instant): number => Math.floor(instant / hourMs);
/** When that hour's window ends, in seconds since 1970. */
export const hourEndSeconds = (hour: number): number => ((hour + 1) * hourMs) / 1000;

/** The names of request counts that are no longer needed: those of hours before the previous one. */
export function staleHours(accountState: Item, hour: number): string[] {
  return Object.keys(accountState).filter(
    (name) => name.startsWith(hourPrefix) && Number(name.slice(hourPrefix.length)) < hour - 1,
  );
}

/** A summary of the seller profile, which is the same in both modes. One-letter names keep the item small. */
export interface StoredSeller {
  /** The code of the country in ISO 3166-1. */
  readonly c: string;
  /** The GST code of the state in India. Absent: not known. */
  readonly s?: string;
  /** The IANA name of the time zone. */
  readonly z: string;
  /** The days until an invoice without a due date is due. Absent: 30. */
  readonly d?: number;
  /** Invoices can be paid in parts, if their creation does not say so. Absent: they cannot. */
  readonly p?: boolean;
  /** The largest share of an invoice that a payment can write off, in percent. Absent: none. */
  readonly w?: number;
  /** The tax of lines that name none. Absent: none. */
  readonly x?: string;
  /** The version of the profile. An older one never replaces a newer one. */
  readonly v: number;
}

const storedSeller = objectOf<Pick<StoredSeller, 'c' | 's' | 'z' | 'd' | 'p' | 'w' | 'x' | 'v'>>({
  c: text,
  s: optional(text),
  z: text,
  d: optional(count),
  p: optional(flag),
  w: optional(count),
  x: optional(text),
  v: count,
});

const { limit, keys, idKeys, closed, clock, seller, seq } = accountStateAttributes;
const accountStateChecks = checksOf({
  [limit]: count,
  [keys]: anyObject,
  [idKeys]: mapOf(binary),
  [closed]: optional(instant),
  [clock]: optional(objectOf<Pick<StoredClock, 'o' | 't' | 'v'>>({ o: count, t: optional(count), v: count })),
  [seller]: optional(storedSeller),
  ...Object.fromEntries(Object.values(seq).map((name) => [name, optional(count)])),
});

/** Checks what a request needs of an account state. @throws MalformedItemError */
export function requireAccountState(owner: Owner, accountState: Item): void {
  const name = () => `the account state of ${owner.account} in ${owner.mode} mode`;
  requireAttributes(accountStateChecks, accountState, name);
}

/** The keys from which ids are computed. Each applies to a range of sequence numbers. */
export class IdKeys {
  readonly #stored: Readonly<Record<string, Uint8Array>>;
  /** Sorted when the first key is needed. Most requests need none. */
  #byFirst: readonly (readonly [first: number, key: Uint8Array])[] | undefined;

  constructor(accountState: Item) {
    this.#stored = accountState[accountStateAttributes.idKeys] as Record<string, Uint8Array>;
  }

  /**
   * Returns the key for sequence number `seq`.
   * @throws Error if no key applies to it
   */
  of(seq: number): Uint8Array {
    this.#byFirst ??= Object.entries(this.#stored)
      .map(([first, key]) => [Number(first), key] as const)
      .sort(([a], [b]) => b - a);
    const entry = this.#byFirst.find(([first]) => first <= seq);
    if (!entry) throw new Error(`The account state has no id key for sequence number ${seq}.`);
    return entry[1];
  }
}

/** Returns the summary of the seller profile in an account state. Undefined: the account has no profile. */
export function sellerIn(accountState: Item): SellerSummary | undefined {
  const stored = accountState[accountStateAttributes.seller] as StoredSeller | undefined;
  return (
    stored && {
      country: stored.c,
      state: stored.s,
      timeZone: stored.z,
      paymentDays: stored.d,
      ...(stored.p && { acceptPartial: true as const }),
      ...(stored.w !== undefined && { writeOffPercent: stored.w }),
      defaultTax: stored.x,
    }
  );
}

/** The account and mode that an authorized request acts for, with the sequence number allocated for it. */
export interface Principal {
  readonly owner: Owner;
  readonly idKeys: IdKeys;
  /** The sequence number allocated for the record that the request creates. 0 if it creates no record. */
  readonly seq: number;
  /** The clock of the account. Absent: the real time. Live mode never has one. */
  readonly clock?: StoredClock | undefined;
  /** What requests need to know of the seller profile. Absent: the account has none, and issues no documents. */
  readonly seller?: SellerSummary | undefined;
  /** What the API key of the request allows. Absent: the request has no API key. */
  readonly rights?: KeyRights;
}
