/** Describes the two items of an API key: its own item, and the one in the account's list. Both have the same attributes. */
import { keyIdOf, type Mode, modes, type Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { keyHashOf } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import {
  arrayOf,
  count,
  defineItem,
  type Fields,
  instant,
  oneOf,
  optional,
  text,
} from '../../store/stored-fields.ts';
import { addressRange } from './address-ranges.ts';

/** The attributes of an item of an API key. */
export interface KeyItem extends Owner {
  readonly name: string;
  readonly note: string | undefined;
  readonly last4: string;
  readonly permissions: readonly string[] | undefined;
  readonly allowedAddresses: readonly string[] | undefined;
  readonly apiVersion: string;
  readonly createdAt: Instant;
  readonly validUntil: Instant | undefined;
  readonly revokedAt: Instant | undefined;
  readonly checkVersion: string;
  /** The id of the key that this one replaces. */
  readonly replaces: string | undefined;
  /** The hash of the key that replaces this one. */
  readonly replacedBy: string | undefined;
  /** Only in the account's list. In seconds since 1970. */
  readonly lastUsed: number | undefined;
}

const fields: Fields<KeyItem> = {
  account: text,
  mode: oneOf<Mode>(...modes),
  name: text,
  note: optional(text),
  last4: text,
  permissions: optional(arrayOf(text)),
  allowedAddresses: optional(arrayOf(addressRange)),
  apiVersion: text,
  createdAt: instant,
  validUntil: optional(instant),
  revokedAt: optional(instant),
  checkVersion: text,
  replaces: optional(text),
  replacedBy: optional(text),
  lastUsed: optional(count),
};

/** Returns the own item of a key, if it can be read. @throws MalformedItemError with the id of the key */
export const parseOwnKey: (item: Item) => KeyItem = defineItem(
  ({ pk }) => keyIdOf(String(pk).split('#').at(-1) ?? ''),
  fields,
);
/** Returns the item of a key in the account's list, if it can be read. @throws MalformedItemError with the id of the key */
export const parseListedKey: (item: Item) => KeyItem = defineItem(({ sk }) => keyIdOf(keyHashOf(sk)), fields);
