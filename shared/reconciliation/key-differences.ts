/**
 * Compares the entries of API keys in an account state with the items of the keys. Functions of the API can write entries,
 * because they note the last use there. They cannot write the items. So this finds an entry that an attacker made.
 */
import { isKeyOf, rightsOfItem } from '../auth/key-rights.ts';
import { readKeyItem } from '../auth/store.ts';
import { keyIdOf, type Owner } from '../ids.ts';
import type { ApiKeyEntry } from '../store/account-state.ts';
import type { KeyDifference, KeyRule } from './difference.ts';
import { readKeyEntries } from './store.ts';

/**
 * Returns the differences of an account and mode. An entry that is gone when it is read again was being revoked, and is no
 * difference.
 */
export async function findKeyDifferences(owner: Owner): Promise<KeyDifference[]> {
  const entries = Object.entries(await readKeyEntries(owner));
  const differences = await Promise.all(entries.map(([hash, entry]) => compareEntry(owner, hash, entry)));
  const found = differences.flat();
  if (found.length === 0) return [];
  const later = new Set(Object.keys(await readKeyEntries(owner)).map(keyIdOf));
  return found.filter(({ id }) => later.has(id));
}

const resource = 'api_key' as const;

async function compareEntry(owner: Owner, hash: string, entry: ApiKeyEntry): Promise<KeyDifference[]> {
  const item = await readKeyItem(hash);
  const difference = (rule: KeyRule, expected: string | number, found: string | number) => [
    { ...owner, resource, seq: 0, id: keyIdOf(hash), rule, expected, found, evidence: '' },
  ];
  if (!item || !isKeyOf(owner, item)) return difference('key_unknown', 'no entry', 'an entry');
  if (item.revokedAt !== undefined) return difference('key_revoked', 'no entry', 'an entry');
  const { p = 'all', e = 'never' } = rightsOfItem(item);
  return [
    ...((entry.p ?? 'all') === p ? [] : difference('key_permissions_differ', p, entry.p ?? 'all')),
    ...((entry.e ?? 'never') === e ? [] : difference('key_expiry_differs', e, entry.e ?? 'never')),
  ];
}
