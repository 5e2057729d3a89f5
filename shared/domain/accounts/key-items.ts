/**
 * Reads and changes the two items of an API key: its own item, and the one in the account's list. Both have the same
 * attributes, and one transaction writes both.
 */

import { env } from '../../base/env.ts';
import { keyIdOf, type Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { ApiKeyEntry } from '../../store/account-state.ts';
import { type Key, keyHashOf, tableKeys } from '../../store/keys.ts';
import { queryAll } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import {
  count,
  defineItem,
  instant,
  MalformedItemError,
  optional,
  parseOrError,
} from '../../store/stored-fields.ts';
import type { TransactionItem } from '../../store/transactions.ts';
import { parseListedKey } from '../auth/key-item.ts';
import { storedApiVersion } from '../versions/versions.ts';
import type { ApiKey } from './account.ts';

/** How often a change of a key is tried that other changes of the same key overtake. */
export const maxUpdateAttempts = 10;

/** The API keys of an account and mode. */
export interface KeyList {
  /** The items of the keys, oldest first. Each also has the hash and the id of its key. */
  readonly items: readonly Item[];
  /** All of them, with an error in the place of each that cannot be read. */
  readonly all: readonly (Item | MalformedItemError)[];
  /** What a new key needs. Or an error: then no key can be created, and the others work. */
  readonly guard: KeyListGuard | MalformedItemError;
}

/** The item that guards the list of keys. */
interface KeyListGuard {
  /** Each new key raises it. */
  readonly version: number;
  /** When the account was closed. Then no key can be created. */
  readonly closedAt: Instant | undefined;
}

/** Reads the account's list of keys, strongly consistent. */
export async function readKeyList(owner: Owner): Promise<KeyList> {
  const { pk, sk } = tableKeys.accountKeys(owner);
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': 'KEY' },
  });
  const list = items.find((item) => item.sk === sk);
  const guard = list ? parseOrError(list, parseGuard) : { version: 0, closedAt: undefined };
  const toListed = (item: Item): Item => {
    parseListedKey(item);
    const hash = keyHashOf(item.sk);
    return { ...item, hash, keyId: keyIdOf(hash) };
  };
  const all = items.filter((item) => item.sk !== sk).map((item) => parseOrError(item, toListed));
  const readable = all.filter((item): item is Item => !(item instanceof MalformedItemError));
  return { items: readable, all, guard };
}

/** Returns what guards the list. @throws MalformedItemError */
export function requireGuard({ guard }: KeyList): KeyListGuard {
  if (guard instanceof MalformedItemError) throw guard;
  return guard;
}

const parseGuard = defineItem<KeyListGuard>(({ pk }) => `the list of keys of ${pk}`, {
  version: count,
  closedAt: optional(instant),
});

/** Reads the items in the account's list of keys, oldest first. Those that cannot be read are left out. */
export async function readKeyItems(owner: Owner): Promise<readonly Item[]> {
  return (await readKeyList(owner)).items;
}

/** Reads the primary keys of the items in the account's list of keys, also of those that cannot be read. */
export async function readListedKeys(
  owner: Owner,
): Promise<{ readonly key: Key; readonly keyHash: string }[]> {
  const { pk } = tableKeys.accountKeys(owner);
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': pk, ':prefix': 'KEY#' },
  });
  return items.map(({ sk }) => ({ key: { pk, sk: String(sk) }, keyHash: keyHashOf(sk) }));
}

/** Returns the item of the list of keys of a new account. */
export function newKeyListItem(owner: Owner, closedAt: Instant | undefined): Item {
  return { ...tableKeys.accountKeys(owner), version: 0, ...(closedAt !== undefined && { closedAt }) };
}

/** Returns the action that lets a new key into the list. It fails if another key was created since the list was read. */
export function nextListVersion(owner: Owner, list: KeyList): TransactionItem {
  const { version } = requireGuard(list);
  return {
    Update: {
      TableName: env.tableName(),
      Key: tableKeys.accountKeys(owner),
      UpdateExpression: 'SET version = :next',
      ConditionExpression: 'version = :version AND attribute_not_exists(closedAt)',
      ExpressionAttributeValues: { ':version': version, ':next': version + 1 },
    },
  };
}

/** Reads the item of a key in the account's list. @throws MalformedItemError */
export async function findKeyItem(owner: Owner, keyId: string): Promise<Item | undefined> {
  return findListed(await readKeyList(owner), keyId);
}

/** Returns the item of a key in a list. @throws MalformedItemError */
export function findListed({ all }: Pick<KeyList, 'all'>, keyId: string): Item | undefined {
  const found = all.find((item) => (item instanceof MalformedItemError ? item.item : item.keyId) === keyId);
  if (found instanceof MalformedItemError) throw found;
  return found;
}

/** Returns the actions that store a new key. They fail if the key exists. */
export function keyInsertions(owner: Owner, item: Item): TransactionItem[] {
  const ifAbsent = { ConditionExpression: 'attribute_not_exists(pk)' };
  // The keys of the items contain the hash, and the id follows from it.
  const { hash: _, keyId: __, ...attributes } = item;
  return itemKeys(owner, item).map((key) => ({
    Put: { TableName: env.tableName(), Item: { ...key, ...attributes }, ...ifAbsent },
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

/** Returns the actions that mark a key as revoked. They fail if it does not exist. A key that is marked keeps the first time. */
export function revocationMarks(owner: Owner, item: Item, at: Instant): TransactionItem[] {
  return itemKeys(owner, item).map((Key) => ({
    Update: {
      TableName: env.tableName(),
      Key,
      UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :at)',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':at': at },
    },
  }));
}

function itemKeys(owner: Owner, item: Item): Key[] {
  return [tableKeys.apiKey({ owner, keyHash: String(item.hash) }), listedKey(owner, item)];
}

/** Returns the key of the item in the account's list. */
export const listedKey = (owner: Owner, { hash, createdAt }: Item): Key =>
  tableKeys.accountKey(owner, createdAt as Instant, String(hash));

/** Returns a key as its item describes it. @param entry has its last use. Undefined if the key has no entry. */
export function toApiKey(item: Item, entry: ApiKeyEntry | undefined): ApiKey {
  const { keyId, mode, name, note, last4, permissions, allowedAddresses, createdAt, replaces } =
    item as unknown as ApiKey;
  const lastUsedSeconds = entry?.u ?? (item.lastUsed as number | undefined);
  return {
    keyId,
    mode,
    name,
    note,
    last4,
    permissions,
    allowedAddresses,
    apiVersion: storedApiVersion(item.apiVersion),
    createdAt,
    expiresAt: item.validUntil as Instant | undefined,
    revokedAt: item.revokedAt as Instant | undefined,
    lastUsedAt: lastUsedSeconds ? lastUsedSeconds * 1000 : undefined,
    replaces,
    replacedBy: item.replacedBy === undefined ? undefined : keyIdOf(String(item.replacedBy)),
  };
}
