/**
 * Rolls API keys over: a new key replaces an old one, which still works for some time.
 *
 * - One transaction stores the new key, limits the old one and links both. So a key is replaced by at most one key.
 * - A replaced key does not count against the limit of usable keys. As many replaced keys may be usable.
 */
import { randomBytes } from 'node:crypto';
import { type AuditOrigin, changedSettings } from '../../base/audit-origin.ts';
import { ApiError } from '../../base/errors.ts';
import { keyIdOf, type Owner } from '../../base/ids.ts';
import { type Instant, now, toTimestamp } from '../../base/time.ts';
import type { Item } from '../../store/records.ts';
import { type TransactionItem, type TransactionResult, writeTransaction } from '../../store/transactions.ts';
import { entryActions } from '../audit/outbox-entry.ts';
import { keyFaultOf } from '../auth/key-item-store.ts';
import { storedApiVersion } from '../versions/versions.ts';
import { AccountClosedError, type ApiKey, maxUsableKeys } from './account.ts';
import { type AnswerRecord, requireFreeKey } from './answer-record.ts';
import { correctEntries } from './key-entries.ts';
import {
  findListed,
  type KeyList,
  keyInsertions,
  keyUpdates,
  maxUpdateAttempts,
  nextListVersion,
  readKeyList,
  requireGuard,
  toApiKey,
} from './key-items.ts';
import { type CreatedKey, toRepeatedKey } from './key-store.ts';
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
  const { owner, keyId, overlapMs, origin, random = randomBytes(20) } = asked;
  for (let attempt = 0; attempt < maxUpdateAttempts; attempt++) {
    const at = now();
    const list = await readKeyList(owner);
    const old = findListed(list, keyId);
    if (!old) return undefined;
    if (requireGuard(list).closedAt !== undefined) throw new AccountClosedError(owner.account);
    asked.require?.(toApiKey(old, undefined));
    const { name, note, permissions, allowedAddresses } = old as unknown as CreatedKey;
    const expiresAt = asked.expiresAt ?? expiryAfterRollOver(toLifetime(old), at);
    const apiVersion = storedApiVersion(old.apiVersion);
    const settings = { name, note, permissions, allowedAddresses, apiVersion, expiresAt };
    const { value, item } = await newKeyItem(owner, settings, at, random);
    const earlier = list.items.find(({ hash }) => hash === item.hash);
    if (earlier && old.replacedBy === item.hash) return toRepeatedKey(earlier, value);
    requireReplaceable(old, list.items, overlapMs, at);
    const newItem = { ...item, replaces: keyId };
    const created = { ...toApiKey(newItem, undefined), value };
    const answer = await record?.(created);
    const result = await writeRollOver(owner, list, old, newItem, overlapMs, at, origin, answer);
    if (result.written) {
      await correctEntries(owner, at);
      return created;
    }
    // Otherwise another call has changed the keys meanwhile.
    if (record) requireFreeKey(result);
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
function requireReplaceable(old: Item, items: readonly Item[], overlapMs: number, at: Instant): void {
  if (old.replacedBy !== undefined) {
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

/** Stores the new key and limits the old one. Writes nothing if the old one or the list has changed. */
function writeRollOver(
  owner: Owner,
  list: KeyList,
  old: Item,
  created: Item,
  overlapMs: number,
  at: Instant,
  origin: AuditOrigin | undefined,
  more: TransactionItem | undefined,
): Promise<TransactionResult> {
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
  return writeTransaction([
    nextListVersion(owner, list),
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
}
