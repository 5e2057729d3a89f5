/** Reads and changes the two items of an API key: under its hash, and in the account's list. Both have the same attributes. */
import { areSameRanges, rangeTextsOf } from '../auth/address-ranges.ts';
import { rightsOfItem } from '../auth/key-rights.ts';
import { env } from '../env.ts';
import { keyIdOf, type Owner } from '../ids.ts';
import type { ApiKeyEntry } from '../store/account-state.ts';
import { type Key, tableKeys } from '../store/keys.ts';
import { queryAll } from '../store/query-pages.ts';
import type { Item } from '../store/records.ts';
import type { TransactionItem } from '../store/transactions.ts';
import { type Instant, toSeconds } from '../time.ts';
import { storedApiVersion } from '../versions/versions.ts';
import type { ApiKey } from './account.ts';

/** How often a change of a key is tried that other changes of the same key overtake. */
export const maxUpdateAttempts = 10;

/** Reads the items in the account's list of keys, oldest first. */
export function readKeyItems(owner: Owner): Promise<Item[]> {
  return queryAll({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': tableKeys.accountState(owner).pk, ':prefix': 'KEY#' },
  });
}

/** Reads the item of a key in the account's list. */
export async function findKeyItem(owner: Owner, keyId: string): Promise<Item | undefined> {
  return (await readKeyItems(owner)).find((item) => item.keyId === keyId);
}

/** Returns the actions that store a new key. They fail if the key exists. */
export function keyInsertions(owner: Owner, item: Item): TransactionItem[] {
  const ifAbsent = { ConditionExpression: 'attribute_not_exists(pk)' };
  return itemKeys(owner, item).map((key) => ({
    Put: { TableName: env.tableName(), Item: { ...key, ...item }, ...ifAbsent },
  }));
}

/** Attributes of a key by name. Undefined: the item does not have the attribute. */
type Attributes = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/**
 * Returns the actions that change attributes of a key. They fail if an attribute does not have its earlier value.
 * @param before the earlier value of each attribute that changes or must not have changed
 */
export function keyUpdates(
  owner: Owner,
  item: Item,
  before: Attributes,
  after: Attributes,
): TransactionItem[] {
  const isSet = ([, value]: readonly [string, unknown]) => value !== undefined;
  const sets = Object.entries(after).filter(isSet);
  const removed = Object.keys(after).filter((name) => after[name] === undefined);
  const update = [
    ...(sets.length > 0 ? [`SET ${sets.map(([name]) => `#${name} = :new_${name}`).join(', ')}`] : []),
    ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
  ];
  const unchanged = Object.entries(before).map(([name, value]) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :old_${name}`,
  );
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const values = Object.fromEntries([
    ...sets.map(([name, value]) => [`:new_${name}`, value]),
    ...Object.entries(before)
      .filter(isSet)
      .map(([name, value]) => [`:old_${name}`, value]),
  ]);
  return itemKeys(owner, item).map((Key) => ({
    Update: {
      TableName: env.tableName(),
      Key,
      UpdateExpression: update.join(' '),
      ConditionExpression: ['attribute_exists(pk)', ...unchanged].join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    },
  }));
}

/** Returns the actions that mark a key as revoked. A key that is marked keeps the first time. */
export function revocationMarks(owner: Owner, item: Item, at: Instant): TransactionItem[] {
  return itemKeys(owner, item).map((Key) => ({
    Update: {
      TableName: env.tableName(),
      Key,
      UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :at)',
      ExpressionAttributeValues: { ':at': at },
    },
  }));
}

function itemKeys(owner: Owner, { hash, createdAt, keyId }: Item): Key[] {
  return [tableKeys.apiKey(String(hash)), tableKeys.accountKey(owner, createdAt as Instant, String(keyId))];
}

/**
 * Returns a key as its item and its entry describe it. While an operation is interrupted, they can differ. Then the entry
 * counts, because requests are checked against it.
 * @param entry undefined if the key has no entry
 */
export function toApiKey(item: Item, entry: ApiKeyEntry | undefined): ApiKey {
  const { keyId, mode, name, note, last4, permissions, createdAt, replaces } = item as unknown as ApiKey;
  const lastUsedSeconds = entry?.u ?? (item.lastUsed as number | undefined);
  return {
    keyId,
    loggedAs: keyIdOf(String(item.hash)),
    mode,
    name,
    note,
    last4,
    permissions,
    allowedAddresses: rangesOf(item, entry),
    apiVersion: storedApiVersion(item.apiVersion),
    createdAt,
    expiresAt: expiryOf(item, entry),
    revokedAt: entry ? undefined : (item.revokedAt as Instant | undefined),
    lastUsedAt: lastUsedSeconds ? lastUsedSeconds * 1000 : undefined,
    replaces,
    replacedBy: item.replacedBy === undefined ? undefined : keyIdOf(String(item.replacedBy)),
  };
}

function rangesOf(item: Item, entry: ApiKeyEntry | undefined): readonly string[] | undefined {
  if (!entry || areSameRanges(entry.a, rightsOfItem(item).a))
    return item.allowedAddresses as readonly string[] | undefined;
  return entry.a && rangeTextsOf(entry.a);
}

function expiryOf(item: Item, entry: ApiKeyEntry | undefined): Instant | undefined {
  const validUntil = item.validUntil as Instant | undefined;
  const seconds = validUntil === undefined ? undefined : toSeconds(validUntil);
  if (!entry || entry.e === seconds) return validUntil;
  return entry.e === undefined ? undefined : entry.e * 1000;
}
