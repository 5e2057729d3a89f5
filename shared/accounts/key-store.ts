/**
 * Creates, lists and revokes API keys. A key is stored in three items:
 * - The account state of its account and mode has an entry for its hash. A key works only while this entry exists. All
 *   entries of an account and mode have one signature, which is made again with each change: see `auth/key-signature.ts`.
 * - The item under its hash says what the key allows. Every change of the entries brings them in line with these items, so
 *   an entry that something else added is removed.
 * - The item in the account's list shows the key to people.
 *
 * Invariants:
 * - A key that works is always listed, even after a crash: creating writes the account state last, and revoking writes
 *   it first.
 * - After a revocation returns, the key does not work, even if it was being created at the same time. Creating reads
 *   the item again after it wrote the account state. Revoking removes the entry again after it marked the items.
 * - An interrupted operation can be repeated. An interrupted creation may leave an entry whose value nobody knows. An
 *   interrupted revocation may leave the key usable. The list shows both as not revoked, because it trusts the account
 *   state more than the item, and revoking again removes the entry.
 * - The account state of a closed account has no entries and accepts none.
 */
import { entryActions } from '../audit/store.ts';
import { type AuditOrigin, changedSettings } from '../audit-origin.ts';
import { areSameRanges, rangeTextsOf } from '../auth/address-ranges.ts';
import { checkVersionOf, hashApiKey, newApiKey } from '../auth/api-key.ts';
import { rightsOfItem } from '../auth/key-rights.ts';
import type { Permission } from '../auth/permissions.ts';
import { keyFaultOf, readKeyItem } from '../auth/store.ts';
import { env } from '../env.ts';
import { keyIdOf, type Owner } from '../ids.ts';
import type { ApiKeyEntry } from '../store/account-state.ts';
import { apiKeyEntries, closeAccountState, isClosed, readAccountState } from '../store/account-state-keys.ts';
import { type Key, tableKeys } from '../store/keys.ts';
import type { Item } from '../store/records.ts';
import { writeTransaction } from '../store/transactions.ts';
import { type Instant, now, toTimestamp } from '../time.ts';
import { AccountClosedError, type ApiKey } from './account.ts';
import { changeEntries, limitError, readKeyItems, saveLastUse } from './key-entries.ts';

export interface NewKey {
  readonly owner: Owner;
  readonly name: string;
  readonly expiresAt?: Instant | undefined;
  /** Undefined: all permissions. */
  readonly permissions?: readonly Permission[] | undefined;
  /** Ranges in canonical form: see `parseAddressRanges`. Undefined: all addresses. */
  readonly allowedAddresses?: readonly string[] | undefined;
  /** Who creates it. Undefined: the audit log does not record it. */
  readonly origin?: AuditOrigin | undefined;
  /** The 20 random bytes of the key. A call with the same bytes returns the same key. Default: new ones. */
  readonly random?: Buffer;
}

/** A key with its value, which is not stored. */
interface CreatedKey extends ApiKey {
  readonly value: string;
  /** An earlier call with the same random bytes created it. */
  readonly isRepeated: boolean;
}

/**
 * Creates a key. Its value is not stored: only the caller gets it.
 * @throws ApiError `key_limit_reached` if the mode already has 10 usable keys
 * @throws AccountClosedError if the account is closed
 * @throws Error if the key was revoked during its creation
 */
export async function createKey({
  owner,
  name,
  expiresAt,
  permissions,
  allowedAddresses,
  origin,
  random,
}: NewKey): Promise<CreatedKey> {
  const createdAt = now();
  const value = await newApiKey(owner, random);
  const hash = hashApiKey(value);
  const keyId = keyIdOf(hash);
  const item = {
    ...owner,
    keyId,
    name,
    last4: value.slice(-4),
    permissions,
    allowedAddresses,
    createdAt,
    validUntil: expiresAt,
    hash,
    checkVersion: checkVersionOf(value),
  };
  const before = await readAccountState(owner);
  const errorBefore = isClosed(before)
    ? new AccountClosedError(owner.account)
    : limitError(before, createdAt);
  if (errorBefore) throw errorBefore;
  const changes = changedSettings(undefined, {
    name,
    permissions: permissions ?? 'all',
    allowedAddresses,
    expiresAt: expiresAt === undefined ? undefined : toTimestamp(expiresAt),
  });
  const ifAbsent = { ConditionExpression: 'attribute_not_exists(pk)' };
  const { written } = await writeTransaction([
    ...itemKeys(owner, item).map((key) => ({
      Put: { TableName: env.tableName(), Item: { ...key, ...item }, ...ifAbsent },
    })),
    ...entryActions([owner], origin, { resource: keyId, changes, at: createdAt }),
  ]);
  const stored = written ? item : await readKeyItem(hash);
  if (!stored) throw new Error('The key could not be stored. Try again.');
  const errorAfter =
    (await changeEntries(owner, createdAt, { add: hash })) ?? (await revocationError(owner, keyId));
  if (errorAfter) {
    await changeEntries(owner, createdAt, { remove: hash });
    await markRevoked(owner, stored, createdAt);
    throw errorAfter;
  }
  return { ...toApiKey(stored, undefined), value, isRepeated: !written };
}

/** Lists all keys of an account and mode, oldest first, including expired and revoked keys. */
export async function listKeys(owner: Owner): Promise<ApiKey[]> {
  const [accountState, items] = await Promise.all([readAccountState(owner), readKeyItems(owner)]);
  return items.map((item) => {
    const entry = apiKeyEntries(accountState)[String(item.hash)];
    // A revoked item with an entry: the revocation was interrupted, and the key still works.
    return toApiKey(entry ? { ...item, revokedAt: undefined } : item, entry);
  });
}

/**
 * Returns the version of the deployment secret in each key that is neither revoked nor expired. Undefined if the release
 * before created the key, which does not store the version.
 */
export async function listCheckVersions(
  owner: Owner,
  at: Instant,
): Promise<{ keyId: string; version: string | undefined }[]> {
  const usable = (await readKeyItems(owner)).filter((item) => !keyFaultOf(item, at));
  return usable.map((item) => ({
    keyId: String(item.keyId),
    version: item.checkVersion as string | undefined,
  }));
}

/**
 * Revokes a key: the next request with it is rejected.
 * @param origin who revokes it. Undefined: the audit log does not record it.
 * @returns undefined if the mode does not have this key
 */
export async function revokeKey(
  owner: Owner,
  keyId: string,
  origin?: AuditOrigin,
): Promise<ApiKey | undefined> {
  const item = await findKeyItem(owner, keyId);
  if (!item) return undefined;
  const hash = String(item.hash);
  const accountState = await readAccountState(owner);
  const entry = apiKeyEntries(accountState)[hash];
  if (item.revokedAt !== undefined && !entry) return toApiKey(item, undefined);
  const revokedAt = now();
  await changeEntries(owner, revokedAt, { remove: hash });
  await markRevoked(owner, item, revokedAt, origin);
  await changeEntries(owner, revokedAt, { remove: hash });
  return toApiKey({ revokedAt, ...item }, entry);
}

/** Revokes all keys of an account and mode: the next request is rejected. No new key can be created afterwards. */
export async function closeKeys(owner: Owner, at: Instant): Promise<void> {
  const accountState = await readAccountState(owner);
  await saveLastUse(owner, accountState, Object.keys(apiKeyEntries(accountState)));
  await closeAccountState(owner, at);
  const usable = (await readKeyItems(owner)).filter(({ revokedAt }) => revokedAt === undefined);
  await Promise.all(usable.map((item) => markRevoked(owner, item, at)));
}

/** Returns the keys of both items of an API key: under its hash, and in the account's list. */
function itemKeys(owner: Owner, { hash, createdAt, keyId }: Item): Key[] {
  return [tableKeys.apiKey(String(hash)), tableKeys.accountKey(owner, createdAt as Instant, String(keyId))];
}

async function markRevoked(owner: Owner, item: Item, at: Instant, origin?: AuditOrigin): Promise<void> {
  const resource = String(item.keyId);
  await writeTransaction([
    ...itemKeys(owner, item).map((Key) => ({
      Update: {
        TableName: env.tableName(),
        Key,
        UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :at)',
        ExpressionAttributeValues: { ':at': at },
      },
    })),
    ...entryActions([owner], origin, { resource, changes: [], at }),
  ]);
}

async function findKeyItem(owner: Owner, keyId: string): Promise<Item | undefined> {
  return (await readKeyItems(owner)).find((item) => item.keyId === keyId);
}

/** Returns an error if the key was revoked during its creation. */
async function revocationError(owner: Owner, keyId: string): Promise<Error | undefined> {
  const item = await findKeyItem(owner, keyId);
  return item?.revokedAt === undefined
    ? undefined
    : new Error(`The key ${keyId} was revoked during its creation. Create another key.`);
}

function toApiKey(item: Item, entry: ApiKeyEntry | undefined): ApiKey {
  const { keyId, mode, name, last4, permissions, createdAt, revokedAt } = item as unknown as ApiKey;
  const expiresAt = item.validUntil as Instant | undefined;
  const lastUsedSeconds = entry?.u ?? (item.lastUsed as number | undefined);
  const lastUsedAt = lastUsedSeconds ? lastUsedSeconds * 1000 : undefined;
  const loggedAs = keyIdOf(String(item.hash));
  const allowedAddresses = rangesInForce(item, entry);
  return {
    keyId,
    loggedAs,
    mode,
    name,
    last4,
    permissions,
    allowedAddresses,
    createdAt,
    expiresAt,
    revokedAt,
    lastUsedAt,
  };
}

/** Returns the address ranges that requests are checked against. An interrupted change has changed only the item. */
function rangesInForce(item: Item, entry: ApiKeyEntry | undefined): readonly string[] | undefined {
  if (!entry || areSameRanges(entry.a, rightsOfItem(item).a))
    return item.allowedAddresses as readonly string[] | undefined;
  return entry.a && rangeTextsOf(entry.a);
}
