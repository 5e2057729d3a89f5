/**
 * Compares the three places of an API key, in both directions: its own item, the item in the account's list, and the entry in
 * the account state. The own item decides what a key allows. Functions that count requests can write entries, so an entry can
 * be one that an attacker made. It gives nothing, but it shows the attack.
 */
import { isDeepStrictEqual } from 'node:util';
import { keyIdOf, type Owner } from '../../base/ids.ts';
import { now } from '../../base/time.ts';
import { readKeyList } from '../../domain/accounts/key-items.ts';
import { areSameRanges } from '../../domain/auth/address-ranges.ts';
import { keyFaultOf, readKeyItem } from '../../domain/auth/key-item-store.ts';
import { entryOf, rightsOfItem } from '../../domain/auth/key-rights.ts';
import type { ApiKeyEntry } from '../../store/account-state.ts';
import type { Item } from '../../store/records.ts';
import { MalformedItemError, orMalformed } from '../../store/stored-fields.ts';
import type { KeyDifference, KeyRule } from './difference.ts';
import { readKeyEntries } from './reconciliation-store.ts';

/** How long after a comparison the keys are compared again, in milliseconds. A change of a key takes less. */
const againAfterMs = 1_000;

/**
 * Returns the differences of an account and mode. A difference that is gone when the keys are compared again was a key that
 * was being created, changed or revoked.
 */
export async function findKeyDifferences(owner: Owner): Promise<KeyDifference[]> {
  const found = await compareKeys(owner);
  if (found.length === 0) return [];
  await new Promise((resolve) => setTimeout(resolve, againAfterMs));
  const nameOf = ({ id, rule }: KeyDifference) => `${id} ${rule}`;
  const later = new Set((await compareKeys(owner)).map(nameOf));
  return found.filter((difference) => later.has(nameOf(difference)));
}

async function compareKeys(owner: Owner): Promise<KeyDifference[]> {
  const entries = await readKeyEntries(owner);
  const { all, items } = await readKeyList(owner);
  const malformed = all.filter((item) => item instanceof MalformedItemError);
  const unreadable = new Set(malformed.map(({ item }) => item));
  const listed = new Map(items.map((item) => [String(item.hash), item]));
  const hashes = [...new Set([...Object.keys(entries), ...listed.keys()])];
  const differenceOf = (id: string, [rule, expected, found]: Found): KeyDifference => {
    return { ...owner, resource: 'api_key', seq: 0, id, rule, expected, found, evidence: '' };
  };
  const compared = await Promise.all(
    hashes.map(async (keyHash) => {
      const id = keyIdOf(keyHash);
      if (unreadable.has(id)) return [];
      const own = await orMalformed(readKeyItem({ owner, keyHash }));
      const found =
        own instanceof MalformedItemError
          ? [malformedKey(own)]
          : compareKey(own, listed.get(keyHash), entries[keyHash]);
      return found.map((each) => differenceOf(id, each));
    }),
  );
  return [...malformed.map((error) => differenceOf(error.item, malformedKey(error))), ...compared.flat()];
}

const malformedKey = ({ problem }: MalformedItemError): Found => [
  'key_malformed',
  'items that can be read',
  problem,
];

type Found = readonly [rule: KeyRule, expected: string | number, found: string | number];

function compareKey(
  own: Item | undefined,
  listed: Item | undefined,
  entry: ApiKeyEntry | undefined,
): readonly Found[] {
  if (!own) {
    return [
      ...(listed ? [['key_item_missing', 'an item of its own', 'none'] as const] : []),
      ...(entry ? [['key_unknown', 'no entry', 'an entry'] as const] : []),
    ];
  }
  return [...compareItems(own, listed), ...compareEntry(own, entry)];
}

function compareItems(own: Item, listed: Item | undefined): readonly Found[] {
  if (!listed) return [['key_unlisted', 'in the list', 'not in the list']];
  // Not part of the own item: the parts of keys, what follows from them, and the last use.
  const { pk: _, sk: __, hash: ___, keyId: ____, lastUsed: _____, ...shown } = listed;
  const names = [...new Set([...Object.keys(own), ...Object.keys(shown)])];
  const differing = names.filter(
    (name) => name !== 'pk' && name !== 'sk' && !isDeepStrictEqual(own[name], shown[name]),
  );
  // The values can be those of a person, so only their names are reported.
  return differing.length === 0 ? [] : [['key_items_differ', 'equal items', differing.sort().join(', ')]];
}

function compareEntry(own: Item, entry: ApiKeyEntry | undefined): readonly Found[] {
  const fault = keyFaultOf(own, now());
  if (!entry) return fault ? [] : [['key_entry_missing', 'an entry', 'no entry']];
  if (own.revokedAt !== undefined) return [['key_revoked', 'no entry', 'an entry']];
  const { e = 'never', a } = entryOf(rightsOfItem(own));
  // The ranges can be those of a person's home, so they are not reported.
  const textOf = (ranges: ApiKeyEntry['a']) => (ranges ? `${ranges.size} ranges` : 'all');
  const expiry = entry.e ?? 'never';
  return [
    ...(expiry === e ? [] : [['key_expiry_differs', e, expiry] as const]),
    ...(areSameRanges(a, entry.a) ? [] : [['key_addresses_differ', textOf(a), textOf(entry.a)] as const]),
  ];
}
