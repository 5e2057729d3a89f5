/**
 * Returns what an API key allows. The entry in the account state counts only if it is signed. Otherwise the key's own item
 * counts, which no function can write. Reading it costs one call.
 *
 * An entry without a signature is normal after an upgrade, until the keys of its account are signed. A signature that does
 * not fit means that somebody changed the entries: a command of the release before, or an attacker.
 */
import type { Owner } from '../ids.ts';
import { logger } from '../log.ts';
import { metricFields } from '../metrics.ts';
import { type ApiKeyEntry, accountStateAttributes } from '../store/account-state.ts';
import type { Item } from '../store/records.ts';
import { type Instant, toSeconds } from '../time.ts';
import { positionOfApiVersion, storedApiVersion } from '../versions/versions.ts';
import { areSameRanges, toAddressRanges } from './address-ranges.ts';
import type { ParsedApiKey } from './api-key.ts';
import { type ApiKeyEntries, isSigned } from './key-signature.ts';
import { type Permission, permissionBits, permissions } from './permissions.ts';
import { type KeyFault, keyFaultOf, readKeyItem, readPublicKeys } from './store.ts';

/** What a key allows: its permission bits, its expiry and its address ranges. And the version that its requests have. */
export type KeyRights = Pick<ApiKeyEntry, 'p' | 'e' | 'a' | 'v'>;

/** A signature that does not fit makes an instance read the public keys again, at most this often. */
const reloadAfterMs = 60_000;

let publicKeys: Promise<readonly Uint8Array[]> | undefined;
let readAt: Instant = 0;

/** Starts to read the public keys, if this instance does not have them. The read runs beside other calls. */
export function preparePublicKeys(now: Instant): void {
  if (publicKeys) return;
  readAt = now;
  publicKeys = readPublicKeys().catch((error) => {
    publicKeys = undefined;
    throw error;
  });
  publicKeys.catch(() => {});
}

/**
 * Returns what a key allows that has an entry in the account state, or what is wrong with the key.
 * @param accountState the account state of `owner`, with an entry for the key
 */
export async function rightsOf(
  { owner, keyHash }: ParsedApiKey,
  accountState: Item,
  now: Instant,
): Promise<KeyRights | { readonly fault: KeyFault }> {
  const entries = accountState[accountStateAttributes.keys] as ApiKeyEntries;
  const signature = accountState[accountStateAttributes.keySignature] as Uint8Array | undefined;
  const entry = entries[keyHash];
  if (entry && signature && (await hasValidSignature(owner, entries, signature, now))) return entry;
  const item = await readKeyItem(keyHash);
  const fault = keyFaultOf(item, now) ?? (item && isKeyOf(owner, item) ? undefined : 'invalid_api_key');
  const rights = item && rightsOfItem(item);
  const differs = fault || !rights || !entry || !areSameRights(entry, rights);
  if (signature || differs) {
    const metrics = metricFields({ UntrustedKeyEntries: 1 });
    logger.error('untrusted entry of an API key', { ...owner, reason: fault ?? 'not signed', ...metrics });
  }
  return fault || !rights ? { fault: fault ?? 'invalid_api_key' } : rights;
}

/** Returns what a key allows by its item. A permission that this release does not know allows nothing. */
export function rightsOfItem(item: Item): KeyRights {
  const names = item.permissions as readonly Permission[] | undefined;
  const validUntil = item.validUntil as Instant | undefined;
  const addresses = item.allowedAddresses as readonly string[] | undefined;
  const version = positionOfApiVersion(storedApiVersion(item.apiVersion));
  return {
    ...(names && { p: permissionBits(names.filter((name) => permissions.includes(name))) }),
    ...(validUntil !== undefined && { e: toSeconds(validUntil) }),
    ...(addresses && { a: toAddressRanges(addresses) }),
    ...(version !== undefined && { v: version }),
  };
}

/** Whether two entries allow the same. Attributes that this release does not know are not compared. */
export const areSameRights = (one: KeyRights, other: KeyRights): boolean =>
  one.p === other.p && one.e === other.e && one.v === other.v && areSameRanges(one.a, other.a);

/** Whether the item of an API key belongs to an account and mode. */
export const isKeyOf = ({ account, mode }: Owner, item: Item): boolean =>
  item.account === account && item.mode === mode;

async function hasValidSignature(
  owner: Owner,
  entries: ApiKeyEntries,
  signature: Uint8Array,
  now: Instant,
): Promise<boolean> {
  const isValid = async () => {
    preparePublicKeys(now);
    return isSigned(owner, entries, signature, (await publicKeys) ?? []);
  };
  if (await isValid()) return true;
  if (now - readAt < reloadAfterMs) return false;
  publicKeys = undefined;
  return isValid();
}
