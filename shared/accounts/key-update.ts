/**
 * Changes the name and the note of an API key, and the addresses that may use it.
 *
 * - One transaction changes the items of the key. Then one write of the account state changes its entry, and with it what the
 *   next request may do. If that write is missing after a crash, the earlier ranges still apply, and the list shows them.
 *   The same call completes the operation, and so does every other change of the account's keys.
 */
import { entryActions } from '../audit/store.ts';
import { type AuditOrigin, changedSettings } from '../audit-origin.ts';
import { rightsOfItem } from '../auth/key-rights.ts';
import type { Owner } from '../ids.ts';
import type { ApiKeyEntry } from '../store/account-state.ts';
import { apiKeyEntries, readAccountState } from '../store/account-state-keys.ts';
import type { Item } from '../store/records.ts';
import { writeTransaction } from '../store/transactions.ts';
import { now } from '../time.ts';
import type { ApiKey } from './account.ts';
import type { AnswerRecord } from './answer-record.ts';
import { correctEntries } from './key-entries.ts';
import { findKeyItem, keyUpdates, maxUpdateAttempts, toApiKey } from './key-items.ts';

/** Absent: does not change. */
export interface KeyChange {
  readonly name?: string | undefined;
  /** Null removes the note. */
  readonly note?: string | null | undefined;
  /** Ranges in canonical form: see `parseAddressRanges`. Null allows all addresses. */
  readonly allowedAddresses?: readonly string[] | null | undefined;
  /** The settings that the caller has seen. If the key has others, nothing changes. Undefined: any settings. */
  readonly seen?: KeySettings | undefined;
}

/** The settings of a key that can change. */
export type KeySettings = Pick<ApiKey, 'name' | 'note' | 'allowedAddresses'>;

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
    };
    const after = {
      name: change.name ?? before.name,
      note: changedValue(before.note, change.note),
      allowedAddresses: changedValue(before.allowedAddresses, change.allowedAddresses),
    };
    const entry = apiKeyEntries(accountState)[String(item.hash)];
    const changes = changedSettings(before, after);
    const changedItem = { ...item, ...after };
    const changed = toApiKey(changedItem, entry && withRights(entry, changedItem));
    if (changes.length > 0 && change.seen && changedSettings(settingsOfKey(change.seen), before).length > 0) {
      // If the caller has seen the ranges of an interrupted change, the next one sees the completed change.
      await correctEntries(owner, now());
      throw new KeyChangedError(`The key ${keyId} has changed.`);
    }
    if (changes.length > 0) {
      const { written } = await writeTransaction([
        ...keyUpdates(owner, item, before, after),
        ...entryActions([owner], origin, { resource: keyId, changes, at: now() }),
        ...(record ? [await record.begin(changed, String(item.hash))] : []),
      ]);
      // Another call has changed the key meanwhile.
      if (!written) continue;
    }
    if (change.allowedAddresses === undefined && !record) return toApiKey(changedItem, entry);
    // Also without a change of the items: an earlier call may have been interrupted here.
    await correctEntries(owner, now());
    return changed;
  }
  throw new Error(`The key ${keyId} could not be changed. Try again.`);
}

/** Returns an entry as it will be when it is in line with its item. */
const withRights = ({ u }: ApiKeyEntry, item: Item): ApiKeyEntry => ({
  ...(u !== undefined && { u }),
  ...rightsOfItem(item),
});

/** Returns the settings of a key that can change. */
export function settingsOfKey({ name, note, allowedAddresses }: KeySettings): KeySettings {
  return { name, note, allowedAddresses };
}

const changedValue = <T>(before: T | undefined, change: T | null | undefined): T | undefined =>
  change === undefined ? before : (change ?? undefined);
