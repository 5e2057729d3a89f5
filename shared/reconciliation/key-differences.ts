/**
 * Compares the entries of API keys in an account state with the items of the keys. Functions of the API can write entries,
 * because they note the last use there. They cannot write the items. So this finds an entry that an attacker made.
 */
import { areSameRanges } from '../auth/address-ranges.ts';
import { isKeyOf, rightsOfItem } from '../auth/key-rights.ts';
import { readKeyItem } from '../auth/store.ts';
import { keyIdOf, type Owner } from '../ids.ts';
import type { ApiKeyEntry } from '../store/account-state.ts';
import type { KeyDifference, KeyRule } from './difference.ts';
import { readKeyEntries } from './store.ts';

/**
 * Returns the differences of an account and mode. A difference that is gone when the entries are compared again was a key
 * that was being changed or revoked.
 */
export async function findKeyDifferences(owner: Owner): Promise<KeyDifference[]> {
  const found = await compareEntries(owner);
  if (found.length === 0) return [];
  const nameOf = ({ id, rule }: KeyDifference) => `${id} ${rule}`;
  const later = new Set((await compareEntries(owner)).map(nameOf));
  return found.filter((difference) => later.has(nameOf(difference)));
}

async function compareEntries(owner: Owner): Promise<KeyDifference[]> {
  const entries = Object.entries(await readKeyEntries(owner));
  const differences = await Promise.all(entries.map(([hash, entry]) => compareEntry(owner, hash, entry)));
  return differences.flat();
}

const resource = 'api_key' as const;

async function compareEntry(owner: Owner, hash: string, entry: ApiKeyEntry): Promise<KeyDifference[]> {
  const item = await readKeyItem(hash);
  const difference = (rule: KeyRule, expected: string | number, found: string | number) => [
    { ...owner, resource, seq: 0, id: keyIdOf(hash), rule, expected, found, evidence: '' },
  ];
  if (!item || !isKeyOf(owner, item)) return difference('key_unknown', 'no entry', 'an entry');
  if (item.revokedAt !== undefined) return difference('key_revoked', 'no entry', 'an entry');
  const { p = 'all', e = 'never', a } = rightsOfItem(item);
  // The ranges can be those of a person's home, so they are not reported.
  const textOf = (ranges: ApiKeyEntry['a']) => (ranges ? `${ranges.size} ranges` : 'all');
  return [
    ...((entry.p ?? 'all') === p ? [] : difference('key_permissions_differ', p, entry.p ?? 'all')),
    ...((entry.e ?? 'never') === e ? [] : difference('key_expiry_differs', e, entry.e ?? 'never')),
    ...(areSameRanges(a, entry.a) ? [] : difference('key_addresses_differ', textOf(a), textOf(entry.a))),
  ];
}
