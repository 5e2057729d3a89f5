/** Converts what an API key allows: from the key's own item, and to its entry in the account state. */

import type { Instant } from '../../base/time.ts';
import type { ApiKeyEntry, KeyRights } from '../../store/account-state.ts';
import type { Item } from '../../store/records.ts';
import { areSameRanges, toAddressRanges } from './address-ranges.ts';
import { type Permission, permissionBits, permissions } from './permissions.ts';

/** Returns what a key allows by its item. A permission that this release does not know allows nothing. */
export function rightsOfItem(item: Item): KeyRights {
  const names = item.permissions as readonly Permission[] | undefined;
  const validUntil = item.validUntil as Instant | undefined;
  const addresses = item.allowedAddresses as readonly string[] | undefined;
  return {
    ...(names && { permissionBits: permissionBits(names.filter((name) => permissions.includes(name))) }),
    ...(validUntil !== undefined && { validUntil }),
    ...(addresses && { ranges: toAddressRanges(addresses) }),
    apiVersion: String(item.apiVersion),
  };
}

/**
 * Returns the entry of a key. The expiry is rounded up to a second, so the entry never refuses a key that its own item still
 * allows.
 */
export function entryOf({ validUntil, ranges }: KeyRights): ApiKeyEntry {
  return {
    ...(validUntil !== undefined && { e: Math.ceil(validUntil / 1000) }),
    ...(ranges && { a: ranges }),
  };
}

/** Whether an entry refuses the same requests as another one. Its last use does not matter. */
export const areSameEntries = (one: ApiKeyEntry, other: ApiKeyEntry): boolean =>
  one.e === other.e && areSameRanges(one.a, other.a);
