/**
 * Brings the entries of API keys in an account state in line with the items of the keys. Nothing depends on it: a request
 * with a key corrects its entry. So a change of keys is complete without it.
 */

import { keyIdOf, type Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import {
  type ApiKeyEntries,
  apiKeyEntries,
  changeApiKeyEntries,
  isClosed,
  readAccountState,
  writeLastUse,
} from '../../store/account-state-keys.ts';
import type { Item } from '../../store/records.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';
import { keyFaultOf } from '../auth/key-item-store.ts';
import { areSameEntries, entryOf, rightsOfItem } from '../auth/key-rights.ts';
import { listedKey, readKeyList } from './key-items.ts';

/** Several changes at once can overwrite each other's entries. */
const maxAttempts = 5;

/**
 * Adds the entries of usable keys that lack one, corrects those that differ, and removes all others. Repeats until a read
 * shows that all are in line.
 */
export async function correctEntries(owner: Owner, at: Instant): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    // The entries are read first. So the list has every key that has an entry.
    const accountState = await readAccountState(owner);
    if (isClosed(accountState)) return;
    const entries = apiKeyEntries(accountState);
    const { items, all } = await readKeyList(owner);
    const malformed = all.filter((item) => item instanceof MalformedItemError);
    const { put, remove } = correctionsOf(entries, items, new Set(malformed.map(({ item }) => item)), at);
    if (Object.keys(put).length === 0 && remove.length === 0) return;
    await saveLastUse(owner, entries, items, remove);
    await changeApiKeyEntries(owner, entries, { put, remove });
  }
}

/** @param malformed the ids of keys that cannot be read. Their entries stay as they are. */
function correctionsOf(
  entries: ApiKeyEntries,
  items: readonly Item[],
  malformed: ReadonlySet<string>,
  at: Instant,
) {
  const usable = new Map(
    items
      .filter((item) => !keyFaultOf(item, at))
      .map((item) => [String(item.hash), entryOf(rightsOfItem(item))] as const),
  );
  const isInLine = (hash: string) => {
    const [found, expected] = [entries[hash], usable.get(hash)];
    return found !== undefined && expected !== undefined && areSameEntries(found, expected);
  };
  return {
    put: Object.fromEntries([...usable].filter(([hash]) => !isInLine(hash))),
    remove: Object.keys(entries).filter((hash) => !usable.has(hash) && !malformed.has(keyIdOf(hash))),
  };
}

/** Copies the last use of keys to the account's list, before their entries are removed from the account state. */
export async function saveLastUse(
  owner: Owner,
  entries: ApiKeyEntries,
  items: readonly Item[],
  hashes: readonly string[],
): Promise<void> {
  const used = items.filter(({ hash }) => hashes.includes(String(hash)) && entries[String(hash)]?.u);
  await Promise.all(
    used.map((item) => writeLastUse(listedKey(owner, item), entries[String(item.hash)]?.u ?? 0)),
  );
}
