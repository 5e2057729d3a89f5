/**
 * Creates, lists and revokes API keys. `key-roll-over.ts` replaces them, and `key-update.ts` changes their settings. A key
 * is stored in three items:
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
import { keyFaultOf, readKeyItem } from '../auth/store.ts';
import { ApiError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import { apiKeyEntries, closeAccountState, isClosed, readAccountState } from '../store/account-state-keys.ts';
import type { Item } from '../store/records.ts';
import { type TransactionItem, writeTransaction } from '../store/transactions.ts';
import { type Instant, now } from '../time.ts';
import { AccountClosedError, type ApiKey, maxUsableKeys } from './account.ts';
import type { AnswerRecord } from './answer-record.ts';
import { changeEntries, countsAgainstLimit, saveLastUse } from './key-entries.ts';
import { findKeyItem, keyInsertions, readKeyItems, revocationMarks, toApiKey } from './key-items.ts';
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
  /** An earlier call with the same random bytes created it. */
  readonly isRepeated: boolean;
}

/**
 * Creates a key. Its value is not stored: only the caller gets it.
 * @param record stores the answer to the request. Undefined: the request cannot be repeated.
 * @throws ApiError `key_limit_reached` if the mode already has 10 usable keys
 * @throws AccountClosedError if the account is closed
 * @throws Error if the key was revoked during its creation
 */
export async function createKey(
  { owner, origin, random, ...asked }: NewKey,
  record?: AnswerRecord<CreatedKey>,
): Promise<CreatedKey> {
  const at = now();
  const { value, item } = await newKeyItem(owner, asked, at, random);
  const [before, items] = await Promise.all([readAccountState(owner), readKeyItems(owner)]);
  if (isClosed(before)) throw new AccountClosedError(owner.account);
  const entries = apiKeyEntries(before);
  const counted = items.filter((each) => entries[String(each.hash)] && countsAgainstLimit(each, at));
  if (counted.length >= maxUsableKeys) throw new ApiError('key_limit_reached');
  const changes = changedSettings(undefined, auditedKey(item));
  const { written } = await writeTransaction([
    ...keyInsertions(owner, item),
    ...entryActions([owner], origin, { resource: item.keyId, changes, at }),
    ...(record ? [await record.begin(toCreatedKey(item, value, true), item.hash)] : []),
  ]);
  return activateKey(owner, { value, item, isNew: written }, at, record);
}

/**
 * Makes a stored key usable. If that is not possible, marks it as revoked.
 * @param created its items were written now (`isNew`) or by an earlier call
 * @throws ApiError `key_limit_reached`, AccountClosedError, or an error if the key was revoked meanwhile
 */
export async function activateKey(
  owner: Owner,
  { value, item, isNew }: { readonly value: string; readonly item: Item; readonly isNew: boolean },
  at: Instant,
  record?: AnswerRecord<CreatedKey>,
): Promise<CreatedKey> {
  const stored = isNew ? item : await readKeyItem(String(item.hash));
  if (!stored) throw new Error('The key could not be stored. Try again.');
  await addEntry(owner, stored, at, record);
  return toCreatedKey(stored, value, isNew);
}

/** Returns a key as its creation shows it. */
export const toCreatedKey = (item: Item, value: string, isNew: boolean): CreatedKey => ({
  ...toApiKey(item, undefined),
  value,
  isRepeated: !isNew,
});

/**
 * Completes the interrupted creation or roll over that made the key with this hash.
 * @throws the errors of `activateKey`
 */
export async function completeCreation(
  owner: Owner,
  hash: string,
  at: Instant,
  record: AnswerRecord<CreatedKey>,
): Promise<void> {
  const stored = await readKeyItem(hash);
  if (stored && stored.revokedAt === undefined) await addEntry(owner, stored, at, record);
}

async function addEntry(
  owner: Owner,
  stored: Item,
  at: Instant,
  record: AnswerRecord<CreatedKey> | undefined,
): Promise<void> {
  const hash = String(stored.hash);
  const error =
    (await changeEntries(owner, at, { add: hash })) ?? (await revocationError(owner, String(stored.keyId)));
  if (!error) return;
  // If a repetition of the request has made the key usable meanwhile, it stays usable.
  if (!(await markRevoked(owner, stored, at, undefined, record?.release(hash)))) return;
  await changeEntries(owner, at, { remove: hash });
  throw error;
}

/** Lists all keys of an account and mode, oldest first, including expired and revoked keys. */
export async function listKeys(owner: Owner): Promise<ApiKey[]> {
  const [accountState, items] = await Promise.all([readAccountState(owner), readKeyItems(owner)]);
  return items.map((item) => toApiKey(item, apiKeyEntries(accountState)[String(item.hash)]));
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
 * @param record stores the answer to the request. Undefined: the request cannot be repeated.
 * @returns undefined if the mode does not have this key
 */
export async function revokeKey(
  owner: Owner,
  keyId: string,
  origin?: AuditOrigin,
  record?: AnswerRecord<ApiKey>,
): Promise<ApiKey | undefined> {
  const item = await findKeyItem(owner, keyId);
  if (!item) return undefined;
  const hash = String(item.hash);
  const accountState = await readAccountState(owner);
  const entry = apiKeyEntries(accountState)[hash];
  if (item.revokedAt !== undefined && !entry) return toApiKey(item, undefined);
  const revokedAt = now();
  await changeEntries(owner, revokedAt, { remove: hash });
  const revoked = {
    ...toApiKey(item, entry),
    revokedAt: (item.revokedAt as Instant | undefined) ?? revokedAt,
  };
  if (!(await markRevoked(owner, item, revokedAt, origin, await record?.begin(revoked, hash))))
    throw new Error(`The key ${keyId} could not be marked as revoked. Try again.`);
  await completeRevocation(owner, hash, revokedAt);
  return revoked;
}

/** Completes the interrupted revocation of the key with this hash. */
export async function completeRevocation(owner: Owner, hash: string, at: Instant): Promise<void> {
  await changeEntries(owner, at, { remove: hash });
}

/** Revokes all keys of an account and mode: the next request is rejected. No new key can be created afterwards. */
export async function closeKeys(owner: Owner, at: Instant): Promise<void> {
  const accountState = await readAccountState(owner);
  await saveLastUse(owner, accountState, Object.keys(apiKeyEntries(accountState)));
  await closeAccountState(owner, at);
  const usable = (await readKeyItems(owner)).filter(({ revokedAt }) => revokedAt === undefined);
  await Promise.all(usable.map((item) => markRevoked(owner, item, at)));
}

/** Returns false, with nothing changed, if the condition of `more` fails. */
async function markRevoked(
  owner: Owner,
  item: Item,
  at: Instant,
  origin?: AuditOrigin,
  more?: TransactionItem,
): Promise<boolean> {
  const { written } = await writeTransaction([
    ...revocationMarks(owner, item, at),
    ...entryActions([owner], origin, { resource: String(item.keyId), changes: [], at }),
    ...(more ? [more] : []),
  ]);
  return written;
}

/** Returns an error if the key was revoked during its creation. */
async function revocationError(owner: Owner, keyId: string): Promise<Error | undefined> {
  const item = await findKeyItem(owner, keyId);
  return item?.revokedAt === undefined
    ? undefined
    : new Error(`The key ${keyId} was revoked during its creation. Create another key.`);
}
