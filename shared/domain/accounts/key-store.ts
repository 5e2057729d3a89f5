/**
 * Creates, lists and revokes API keys. `key-roll-over.ts` replaces them, and `key-update.ts` changes their settings. A key
 * has two items, and an entry:
 * - Its own item says what it allows. Each request reads it. Only functions that manage keys can write it.
 * - The item in the account's list shows it to people.
 * - The entry in the account state lets its requests count against the rate limit, and has its last use.
 *
 * Invariants:
 * - One transaction writes both items, the audit entry and the answer to the request. So a change happens with all of these,
 *   or not at all, and applies from the next request on.
 * - The entries follow afterwards. If they do not, because of a crash, the next request with the key corrects its entry.
 * - Creating a key raises the version of the list that it has read. So no race creates more keys than the limit allows, and
 *   no key is created after the account was closed.
 */
import { randomBytes } from 'node:crypto';
import { type AuditOrigin, changedSettings } from '../../base/audit-origin.ts';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { type Instant, now } from '../../base/time.ts';
import {
  apiKeyEntries,
  closeAccountState,
  closeKeyList,
  readAccountState,
} from '../../store/account-state-keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import type { Item } from '../../store/records.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
import { writeTransaction } from '../../store/transactions.ts';
import { entryActions } from '../audit/outbox-entry.ts';
import { keyFaultOf } from '../auth/key-item-store.ts';
import { AccountClosedError, type ApiKey, type ListedKey, maxUsableKeys } from './account.ts';
import { type AnswerRecord, requireFreeKey } from './answer-record.ts';
import { correctEntries, saveLastUse } from './key-entries.ts';
import {
  findKeyItem,
  keyInsertions,
  keyUpdates,
  maxUpdateAttempts,
  nextListVersion,
  readKeyItems,
  readKeyList,
  requireGuard,
  revocationMarks,
  toApiKey,
} from './key-items.ts';
import { auditedKey, type NewKeySettings, newKeyItem } from './new-key-item.ts';

export interface NewKey extends NewKeySettings {
  readonly owner: Owner;
  /** Who creates it. Undefined: the audit log does not record it. */
  readonly origin?: AuditOrigin | undefined;
  /** The 20 random bytes of the key. A call with the same bytes returns the same key. Default: new ones. */
  readonly random?: Buffer;
}

/** A key with its value, which is not stored. */
export interface CreatedKey extends ApiKey {
  readonly value: string;
}

/**
 * Creates a key. Its value is not stored: only the caller gets it.
 * @param record stores the answer to the request. Undefined: the request cannot be repeated.
 * @throws ApiError `key_limit_reached` if the mode already has 10 usable keys
 * @throws AccountClosedError if the account is closed
 * @throws Error if an earlier call with the same random bytes created the key, and it was revoked since
 */
export async function createKey(
  { owner, origin, random = randomBytes(20), ...asked }: NewKey,
  record?: AnswerRecord<CreatedKey>,
): Promise<CreatedKey> {
  for (let attempt = 0; attempt < maxUpdateAttempts; attempt++) {
    const at = now();
    const { value, item } = await newKeyItem(owner, asked, at, random);
    const list = await readKeyList(owner);
    const earlier = list.items.find(({ hash }) => hash === item.hash);
    if (earlier) return toRepeatedKey(earlier, value);
    if (requireGuard(list).closedAt !== undefined) throw new AccountClosedError(owner.account);
    if (list.all.filter((each) => countsAgainstLimit(each, at)).length >= maxUsableKeys)
      throw new ApiError('key_limit_reached');
    const created = { ...toApiKey(item, undefined), value };
    const changes = changedSettings(undefined, auditedKey(item));
    const result = await writeTransaction([
      nextListVersion(owner, list),
      ...keyInsertions(owner, item),
      ...entryActions([owner], origin, { resource: item.keyId, changes, at }),
      ...(record ? [await record(created)] : []),
    ]);
    if (result.written) {
      await correctEntries(owner, at);
      return created;
    }
    // Otherwise another call has created a key meanwhile.
    if (record) requireFreeKey(result);
  }
  throw new Error('The key could not be stored. Try again.');
}

/** Returns a key that an earlier call has created. @throws Error if it was revoked since */
export function toRepeatedKey(item: Item, value: string): CreatedKey {
  if (item.revokedAt === undefined) return { ...toApiKey(item, undefined), value };
  throw new Error(`The key ${item.keyId} was revoked. Create another key.`);
}

/** Whether a key counts against the limit of usable keys: it is usable, and no other key has replaced it. Or it cannot be read. */
const countsAgainstLimit = (item: Item | MalformedItemError, at: Instant): boolean =>
  item instanceof MalformedItemError || (item.replacedBy === undefined && !keyFaultOf(item, at));

/**
 * Lists all keys of an account and mode, oldest first, including expired and revoked keys. A key that cannot be read is an error in
 * its place.
 */
export async function listAllKeys(owner: Owner): Promise<ListedKey[]> {
  const [accountState, { all }] = await Promise.all([readAccountState(owner), readKeyList(owner)]);
  const entries = apiKeyEntries(accountState);
  return all.map((item) =>
    item instanceof MalformedItemError ? item : toApiKey(item, entries[String(item.hash)]),
  );
}

/** Lists the keys of an account and mode as `listAllKeys` does, without those that cannot be read. */
export async function listKeys(owner: Owner): Promise<ApiKey[]> {
  return leaveOutMalformed(await listAllKeys(owner));
}

/** Returns the version of the deployment secret in each key that is neither revoked nor expired. */
export async function listCheckVersions(
  owner: Owner,
  at: Instant,
): Promise<{ keyId: string; version: string }[]> {
  const { all } = await readKeyList(owner);
  // Nobody knows which version a key has that cannot be read.
  for (const item of all) if (item instanceof MalformedItemError) throw item;
  const usable = (all as readonly Item[]).filter((item) => !keyFaultOf(item, at));
  return usable.map((item) => ({
    keyId: String(item.keyId),
    version: String(item.checkVersion),
  }));
}

/**
 * Revokes a key: the next request with it is rejected.
 * @param origin who revokes it. Undefined: the audit log does not record it.
 * @param record stores the answer to the request. Undefined: the request cannot be repeated.
 * @returns undefined if the mode does not have this key
 * @throws Error if the key in the list has no item of its own
 */
export async function revokeKey(
  owner: Owner,
  keyId: string,
  origin?: AuditOrigin,
  record?: AnswerRecord<ApiKey>,
): Promise<ApiKey | undefined> {
  for (let attempt = 0; attempt < maxUpdateAttempts; attempt++) {
    const [accountState, item] = await Promise.all([readAccountState(owner), findKeyItem(owner, keyId)]);
    if (!item) return undefined;
    const key = toApiKey(item, apiKeyEntries(accountState)[String(item.hash)]);
    if (key.revokedAt !== undefined) return key;
    const revokedAt = now();
    const revoked = { ...key, revokedAt };
    const result = await writeTransaction([
      ...keyUpdates(owner, item, { revokedAt: undefined }, { revokedAt }),
      ...entryActions([owner], origin, { resource: keyId, changes: [], at: revokedAt }),
      ...(record ? [await record(revoked)] : []),
    ]);
    if (result.written) {
      await correctEntries(owner, revokedAt);
      return revoked;
    }
    if (record) requireFreeKey(result);
  }
  throw new Error(`The key ${keyId} could not be marked as revoked. Try again.`);
}

/** Revokes all keys of an account and mode: the next request is rejected. No new key can be created afterwards. */
export async function closeKeys(owner: Owner, at: Instant): Promise<void> {
  await closeKeyList(owner, at);
  const entries = apiKeyEntries(await readAccountState(owner));
  const items = await readKeyItems(owner);
  await saveLastUse(owner, entries, items, Object.keys(entries));
  await closeAccountState(owner, at);
  const usable = items.filter(({ revokedAt }) => revokedAt === undefined);
  await Promise.all(usable.map((item) => writeTransaction(revocationMarks(owner, item, at))));
}
