/** Makes the value of a new API key, and the attributes of its items. */

import { keyIdOf, type Owner } from '../../base/ids.ts';
import { type Instant, toTimestamp } from '../../base/time.ts';
import type { Item } from '../../store/records.ts';
import { checkVersionOf, hashApiKey, newApiKey } from '../auth/api-key.ts';
import type { Permission } from '../auth/permissions.ts';
import { type ApiVersion, auditedApiVersion, firstApiVersion } from '../versions/versions.ts';

/** What a new key is to be. */
export interface NewKeySettings {
  readonly name: string;
  readonly note?: string | undefined;
  readonly expiresAt?: Instant | undefined;
  /** Undefined: all permissions except those that a list must name. */
  readonly permissions?: readonly Permission[] | undefined;
  /** Ranges in canonical form: see `parseAddressRanges`. Undefined: all addresses. */
  readonly allowedAddresses?: readonly string[] | undefined;
  /** The version of requests that name none. Undefined: the first version. */
  readonly apiVersion?: ApiVersion | undefined;
}

/**
 * Returns the value of a new key, and the attributes of its items.
 * @param random the 20 random bytes of the key. Undefined: new ones.
 */
export async function newKeyItem(
  owner: Owner,
  { name, note, expiresAt, permissions, allowedAddresses, apiVersion = firstApiVersion }: NewKeySettings,
  createdAt: Instant,
  random: Buffer | undefined,
) {
  const value = await newApiKey(owner, random);
  const hash = hashApiKey(value);
  const item = {
    ...owner,
    keyId: keyIdOf(hash),
    name,
    ...(note !== undefined && { note }),
    last4: value.slice(-4),
    permissions,
    allowedAddresses,
    apiVersion,
    createdAt,
    validUntil: expiresAt,
    hash,
    checkVersion: checkVersionOf(value),
  };
  return { value, item };
}

/** Returns the settings of a key that the audit log shows. */
export function auditedKey({ name, note, permissions, allowedAddresses, validUntil, apiVersion }: Item) {
  return {
    name: String(name),
    note: note as string | undefined,
    permissions: (permissions as readonly string[] | undefined) ?? 'all',
    allowedAddresses: allowedAddresses as readonly string[] | undefined,
    apiVersion: auditedApiVersion(apiVersion),
    expiresAt: validUntil === undefined ? undefined : toTimestamp(validUntil as Instant),
  };
}
