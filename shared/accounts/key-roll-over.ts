/**
 * Rolls API keys over: a new key replaces an old one, which still works for some time.
 *
 * - One transaction stores the new key, limits the old one and links both. So a key is replaced by at most one key.
 * - Then one write of the account state makes the new key usable and limits the entry of the old one. If it is missing after
 *   a crash, the old key works as before, and the list shows both keys. The same attempt completes the operation, and so
 *   does every other change of the account's keys, because it brings the entries in line with the items.
 * - A replaced key does not count against the limit of usable keys. As many replaced keys may be usable.
 */
import { entryActions } from '../audit/store.ts';
import { type AuditOrigin, changedSettings } from '../audit-origin.ts';
import { keyFaultOf } from '../auth/store.ts';
import { ApiError } from '../errors.ts';
import { keyIdOf, type Owner } from '../ids.ts';
import { isClosed, readAccountState } from '../store/account-state-keys.ts';
import type { Item } from '../store/records.ts';
import { type TransactionItem, writeTransaction } from '../store/transactions.ts';
import { type Instant, now, toTimestamp } from '../time.ts';
import { storedApiVersion } from '../versions/versions.ts';
import { AccountClosedError, type ApiKey, maxUsableKeys } from './account.ts';
import type { AnswerRecord } from './answer-record.ts';
import { correctEntries } from './key-entries.ts';
import { keyInsertions, keyUpdates, maxUpdateAttempts, readKeyItems, toApiKey } from './key-items.ts';
import { activateKey, type CreatedKey, toCreatedKey } from './key-store.ts';
import { newKeyItem } from './new-key-item.ts';

export interface KeyRollOver {
  readonly owner: Owner;
  /** The id of the key to replace. */
  readonly keyId: string;
  /** How long it still works, in milliseconds. It never works longer than its own expiry allows. 0: revoked at once. */
  readonly overlapMs: number;
  /** When the new key expires. Undefined: see `expiryAfterRollOver`. */
  readonly expiresAt?: Instant | undefined;
  /** Throws if the caller may not replace this key. What it checks does not change before the key is replaced. */
  readonly require?: (old: ApiKey) => void;
  /** Who replaces it. Undefined: the audit log does not record it. */
  readonly origin?: AuditOrigin | undefined;
  /** The 20 random bytes of the new key. A call with the same bytes returns the same key. Default: new ones. */
  readonly random?: Buffer;
}

/**
 * Replaces a key by a new one with the same name, note, permissions, address ranges and API version.
 * @param record stores the answer to the request. Undefined: the request cannot be repeated.
 * @returns the new key with its value, or undefined if the mode does not have the key
 * @throws ApiError `key_already_revoked`, `key_already_expired`, `key_already_replaced` or `key_limit_reached`
 * @throws AccountClosedError if the account is closed
 */
export async function rollOverKey(
  asked: KeyRollOver,
  record?: AnswerRecord<CreatedKey>,
): Promise<CreatedKey | undefined> {
  const { owner, keyId, overlapMs, origin, random } = asked;
  for (let attempt = 0; attempt < maxUpdateAttempts; attempt++) {
    const at = now();
    const [accountState, items] = await Promise.all([readAccountState(owner), readKeyItems(owner)]);
    const old = items.find((item) => item.keyId === keyId);
    if (!old) return undefined;
    if (isClosed(accountState)) throw new AccountClosedError(owner.account);
    asked.require?.(toApiKey(old, undefined));
    const { name, note, permissions, allowedAddresses } = old as unknown as CreatedKey;
    const expiresAt = asked.expiresAt ?? expiryAfterRollOver(toLifetime(old), at);
    const apiVersion = storedApiVersion(old.apiVersion);
    const settings = { name, note, permissions, allowedAddresses, apiVersion, expiresAt };
    const { value, item } = await newKeyItem(owner, settings, at, random);
    const created = { ...item, replaces: keyId };
    const isRepeated = old.replacedBy === item.hash;
    if (!isRepeated) await requireReplaceable(owner, old, items, overlapMs, at);
    const answer = await record?.begin(toCreatedKey(created, value, true), item.hash);
    const isNew = !isRepeated && (await writeRollOver(owner, old, created, overlapMs, at, origin, answer));
    // Otherwise another call has changed the key meanwhile.
    if (isNew || isRepeated) return activateKey(owner, { value, item: created, isNew }, at, record);
  }
  throw new Error(`The key ${keyId} could not be rolled over. Try again.`);
}

/**
 * Returns when a new key expires that replaces another one: it lives as long from now as the other key from its creation.
 * Undefined: never, as the other key.
 */
export function expiryAfterRollOver(
  { createdAt, expiresAt }: Pick<CreatedKey, 'createdAt' | 'expiresAt'>,
  at: Instant,
): Instant | undefined {
  return expiresAt === undefined ? undefined : at + expiresAt - createdAt;
}

const toLifetime = ({ createdAt, validUntil }: Item) => ({
  createdAt: createdAt as Instant,
  expiresAt: validUntil as Instant | undefined,
});

/** @throws ApiError if the key cannot be replaced */
async function requireReplaceable(
  owner: Owner,
  old: Item,
  items: readonly Item[],
  overlapMs: number,
  at: Instant,
): Promise<void> {
  if (old.replacedBy !== undefined) {
    await correctEntries(owner, at);
    const message = `The API key was already replaced by ${keyIdOf(String(old.replacedBy))}. Roll over that key.`;
    throw new ApiError('key_already_replaced', { message });
  }
  const fault = keyFaultOf(old, at);
  if (fault === 'revoked_api_key') throw new ApiError('key_already_revoked');
  if (fault) throw new ApiError('key_already_expired');
  const replaced = items.filter((item) => item.replacedBy !== undefined && !keyFaultOf(item, at));
  if (overlapMs > 0 && replaced.length >= maxUsableKeys) {
    const message = `${maxUsableKeys} replaced API keys of this mode still work. Revoke one of them, or send overlapHours 0.`;
    throw new ApiError('key_limit_reached', { message });
  }
}

/** Stores the new key and limits the old one. Returns false, with nothing changed, if the old one has changed. */
async function writeRollOver(
  owner: Owner,
  old: Item,
  created: Item,
  overlapMs: number,
  at: Instant,
  origin: AuditOrigin | undefined,
  more: TransactionItem | undefined,
): Promise<boolean> {
  const validUntil = old.validUntil as Instant | undefined;
  const limited = Math.min(at + overlapMs, validUntil ?? Number.POSITIVE_INFINITY);
  const limits = overlapMs > 0 ? { validUntil: limited } : { revokedAt: at };
  const timestampOf = (instant: unknown) =>
    instant === undefined ? undefined : toTimestamp(instant as Instant);
  const changes = [
    ...changedSettings(
      { expiresAt: timestampOf(validUntil) },
      { replacedBy: String(created.keyId), expiresAt: timestampOf(overlapMs > 0 ? limited : validUntil) },
    ),
    ...changedSettings({}, { newExpiresAt: timestampOf(created.validUntil) }),
  ];
  const { written } = await writeTransaction([
    ...keyInsertions(owner, created),
    ...keyUpdates(
      owner,
      old,
      {
        revokedAt: undefined,
        replacedBy: undefined,
        validUntil,
        name: String(old.name),
        note: old.note as string | undefined,
        allowedAddresses: old.allowedAddresses as readonly string[] | undefined,
      },
      { replacedBy: String(created.hash), ...limits },
    ),
    ...entryActions([owner], origin, { resource: String(old.keyId), changes, at }),
    ...(more ? [more] : []),
  ]);
  return written;
}
