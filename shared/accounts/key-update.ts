/** Changes what people see of an API key. What the key allows stays as it is. */
import { entryActions } from '../audit/store.ts';
import { type AuditOrigin, changedSettings } from '../audit-origin.ts';
import type { Owner } from '../ids.ts';
import { apiKeyEntries, readAccountState } from '../store/account-state-keys.ts';
import { writeTransaction } from '../store/transactions.ts';
import { now } from '../time.ts';
import type { ApiKey } from './account.ts';
import { findKeyItem, keyUpdates, maxUpdateAttempts, toApiKey } from './key-items.ts';

/** Absent: does not change. */
export interface KeyChange {
  readonly name?: string | undefined;
  /** Null removes the note. */
  readonly note?: string | null | undefined;
}

/**
 * Changes a key. A key that is revoked or expired can be changed too.
 * @param origin who changes it. Undefined: the audit log does not record it.
 * @returns undefined if the mode does not have this key
 */
export async function updateKey(
  owner: Owner,
  keyId: string,
  change: KeyChange,
  origin?: AuditOrigin,
): Promise<ApiKey | undefined> {
  for (let attempt = 0; attempt < maxUpdateAttempts; attempt++) {
    const [accountState, item] = await Promise.all([readAccountState(owner), findKeyItem(owner, keyId)]);
    if (!item) return undefined;
    const before = { name: String(item.name), note: item.note as string | undefined };
    const after = {
      name: change.name ?? before.name,
      note: change.note === undefined ? before.note : (change.note ?? undefined),
    };
    const entry = apiKeyEntries(accountState)[String(item.hash)];
    const changes = changedSettings(before, after);
    if (changes.length === 0) return toApiKey(item, entry);
    const { written } = await writeTransaction([
      ...keyUpdates(owner, item, before, after),
      ...entryActions([owner], origin, { resource: keyId, changes, at: now() }),
    ]);
    // Otherwise another call has changed the key meanwhile.
    if (written) return toApiKey({ ...item, ...after }, entry);
  }
  throw new Error(`The key ${keyId} could not be changed. Try again.`);
}
