/**
 * Changes the name, the note and the version of an API key, and the addresses that may use it. One transaction changes the items of the
 * key, and applies from the next request on.
 */

import { type AuditOrigin, changedSettings } from '../../base/audit-origin.ts';
import type { Owner } from '../../base/ids.ts';
import { now } from '../../base/time.ts';
import { apiKeyEntries, readAccountState } from '../../store/account-state-keys.ts';
import { writeTransaction } from '../../store/transactions.ts';
import { entryActions } from '../audit/outbox-entry.ts';
import type { ApiVersion } from '../versions/versions.ts';
import type { ApiKey } from './account.ts';
import { type AnswerRecord, requireFreeKey } from './answer-record.ts';
import { correctEntries } from './key-entries.ts';
import { findKeyItem, keyUpdates, maxUpdateAttempts, toApiKey } from './key-items.ts';

/** Absent: does not change. */
export interface KeyChange {
  readonly name?: string | undefined;
  /** Null removes the note. */
  readonly note?: string | null | undefined;
  /** Ranges in canonical form: see `parseAddressRanges`. Null allows all addresses. */
  readonly allowedAddresses?: readonly string[] | null | undefined;
  readonly apiVersion?: ApiVersion | undefined;
  /** The settings that the caller has seen. If the key has others, nothing changes. Undefined: any settings. */
  readonly seen?: KeySettings | undefined;
}

/** The settings of a key that can change. */
export type KeySettings = Pick<ApiKey, 'name' | 'note' | 'allowedAddresses' | 'apiVersion'>;

/** Thrown if a key has other settings than the caller has seen. */
export class KeyChangedError extends Error {}

/**
 * Changes a key. A key that is revoked or expired can be changed too.
 * @param origin who changes it. Undefined: the audit log does not record it.
 * @param record stores the answer to the request. Undefined: the request cannot be repeated.
 * @returns undefined if the mode does not have this key
 * @throws KeyChangedError if the key differs from what the caller has seen, and the call would change it
 */
export async function updateKey(
  owner: Owner,
  keyId: string,
  change: KeyChange,
  origin?: AuditOrigin,
  record?: AnswerRecord<ApiKey>,
): Promise<ApiKey | undefined> {
  for (let attempt = 0; attempt < maxUpdateAttempts; attempt++) {
    const [accountState, item] = await Promise.all([readAccountState(owner), findKeyItem(owner, keyId)]);
    if (!item) return undefined;
    const before = {
      name: String(item.name),
      note: item.note as string | undefined,
      allowedAddresses: item.allowedAddresses as readonly string[] | undefined,
      apiVersion: item.apiVersion as ApiVersion,
    };
    const after = {
      name: change.name ?? before.name,
      note: changedValue(before.note, change.note),
      allowedAddresses: changedValue(before.allowedAddresses, change.allowedAddresses),
      apiVersion: change.apiVersion ?? before.apiVersion,
    };
    const entry = apiKeyEntries(accountState)[String(item.hash)];
    const changes = changedSettings(before, after);
    const changed = toApiKey({ ...item, ...after }, entry);
    if (changes.length === 0) return changed;
    if (
      change.seen &&
      changedSettings(settingsOfKey(change.seen), settingsOfKey(toApiKey(item, entry))).length > 0
    )
      throw new KeyChangedError(`The key ${keyId} has changed.`);
    const result = await writeTransaction([
      ...keyUpdates(owner, item, before, after),
      ...entryActions([owner], origin, { resource: keyId, changes, at: now() }),
      ...(record ? [await record(changed)] : []),
    ]);
    if (result.written) {
      if (change.allowedAddresses !== undefined) await correctEntries(owner, now());
      return changed;
    }
    // Otherwise another call has changed the key meanwhile.
    if (record) requireFreeKey(result);
  }
  throw new Error(`The key ${keyId} could not be changed. Try again.`);
}

/** Returns the settings of a key that can change. */
export function settingsOfKey({ name, note, allowedAddresses, apiVersion }: KeySettings): KeySettings {
  return { name, note, allowedAddresses, apiVersion };
}

const changedValue = <T>(before: T | undefined, change: T | null | undefined): T | undefined =>
  change === undefined ? before : (change ?? undefined);
