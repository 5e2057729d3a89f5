/**
 * API keys in the table. A key can be used while the head of its account and mode has an entry for its hash; the
 * key's own item tells why one that has none is refused, and the account's list shows them to people. So creating
 * writes the head last, and revoking writes it first: whatever crashes, no key is usable that nobody knows of.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { hashOfKey, newApiKey } from '../admission/api-key.ts';
import { env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { type Owner, randomId } from '../ids.ts';
import { type Permission, permissionBits } from '../permissions.ts';
import { dynamodb } from '../store/client.ts';
import { type HeadKey, headAttributes } from '../store/heads.ts';
import { type Key, keys } from '../store/keys.ts';
import type { Item } from '../store/records.ts';
import { writeTransaction } from '../store/transactions.ts';
import { type Instant, now, toSeconds } from '../time.ts';
import { type ApiKey, maxUsableKeys } from './account.ts';

export interface NewKey {
  readonly owner: Owner;
  readonly name: string;
  readonly expiresAt?: Instant | undefined;
  /** Undefined: all. */
  readonly permissions?: readonly Permission[] | undefined;
}

/**
 * Creates a key; its value is nowhere but in the answer.
 * @throws ApiError `key_limit_reached` if ten keys of the mode are usable
 */
export async function createKey({
  owner,
  name,
  expiresAt,
  permissions,
}: NewKey): Promise<ApiKey & { value: string }> {
  const createdAt = now();
  const value = await newApiKey(owner);
  const hash = hashOfKey(value);
  const keyId = randomId('key');
  const entry: HeadKey = {
    ...(permissions && { p: permissionBits(permissions) }),
    ...(expiresAt !== undefined && { e: toSeconds(expiresAt) }),
  };
  const item = {
    ...owner,
    keyId,
    name,
    last4: value.slice(-4),
    permissions,
    createdAt,
    validUntil: expiresAt,
    hash,
  };
  if (!hasRoom(await readHead(owner), createdAt)) throw new ApiError('key_limit_reached');
  await writeTransaction(
    itemKeys(owner, item).map((key) => ({ Put: { TableName: env.tableName(), Item: { ...key, ...item } } })),
  );
  if (!(await addToHead(owner, hash, entry, createdAt))) {
    await markRevoked(owner, item, createdAt);
    throw new ApiError('key_limit_reached');
  }
  return { ...toApiKey(item, undefined), value };
}

/** The keys of an account and mode, oldest first, also those that can no longer be used. */
export async function listKeys(owner: Owner): Promise<ApiKey[]> {
  const [head, items] = await Promise.all([readHead(owner), readKeyItems(owner)]);
  return items.map((item) => toApiKey(item, headKeys(head)[String(item.hash)]));
}

/** Revokes a key, from the very next request on. Returns undefined if the account has no such key in that mode. */
export async function revokeKey(owner: Owner, keyId: string): Promise<ApiKey | undefined> {
  const item = (await readKeyItems(owner)).find((candidate) => candidate.keyId === keyId);
  if (!item) return undefined;
  if (item.revokedAt !== undefined) return toApiKey(item, undefined);
  const revokedAt = now();
  const hash = String(item.hash);
  const head = await readHead(owner);
  await keepLastUse(owner, head, [hash]);
  await removeFromHead(owner, hash);
  await markRevoked(owner, item, revokedAt);
  return toApiKey({ ...item, revokedAt }, headKeys(head)[hash]);
}

/** A key stands twice: under its hash, and in its account's list. */
function itemKeys(owner: Owner, { hash, createdAt, keyId }: Item): Key[] {
  return [keys.apiKey(String(hash)), keys.accountKey(owner, createdAt as Instant, String(keyId))];
}

async function markRevoked(owner: Owner, item: Item, at: Instant): Promise<void> {
  await writeTransaction(
    itemKeys(owner, item).map((Key) => ({
      Update: {
        TableName: env.tableName(),
        Key,
        UpdateExpression: 'SET revokedAt = if_not_exists(revokedAt, :at)',
        ExpressionAttributeValues: { ':at': at },
      },
    })),
  );
}

/** @throws Error if there is no such account */
async function readHead(owner: Owner): Promise<Item> {
  const { Item: head } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: keys.head(owner), ConsistentRead: true }),
  );
  if (!head) throw new Error(`There is no account ${owner.account}.`);
  return head;
}

async function readKeyItems(owner: Owner): Promise<Item[]> {
  const { Items = [] } = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': keys.head(owner).pk, ':prefix': 'KEY#' },
      ConsistentRead: true,
    }),
  );
  return Items;
}

const headKeys = (head: Item) => head[headAttributes.keys] as Record<string, HeadKey>;

/** The hashes of entries that take up room although their keys have expired. */
function expiredEntries(head: Item, at: Instant): string[] {
  const seconds = toSeconds(at);
  return Object.entries(headKeys(head)).flatMap(([hash, { e }]) =>
    e !== undefined && e <= seconds ? [hash] : [],
  );
}

const sizeOf = (head: Item) => Object.keys(headKeys(head)).length;
const hasRoom = (head: Item, at: Instant) => sizeOf(head) - expiredEntries(head, at).length < maxUsableKeys;

/** Adds an entry, in place of those that have expired; false if there is no room. */
async function addToHead(owner: Owner, hash: string, entry: HeadKey, at: Instant): Promise<boolean> {
  for (;;) {
    const head = await readHead(owner);
    if (!hasRoom(head, at)) return false;
    const expired = expiredEntries(head, at);
    if (expired.length > 0) await keepLastUse(owner, head, expired);
    if (await tryAdd(owner, hash, entry, sizeOf(head), expired)) return true;
  }
}

/** Adds the entry if the head's keys still are `size` in number and `expired` among them. */
async function tryAdd(
  owner: Owner,
  hash: string,
  entry: HeadKey,
  size: number,
  expired: readonly string[],
): Promise<boolean> {
  const paths = expired.map((_, index) => `#keys.#x${index}`);
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: keys.head(owner),
        UpdateExpression: `SET #keys.#hash = :entry${paths.length > 0 ? ` REMOVE ${paths.join(', ')}` : ''}`,
        ConditionExpression: [
          'size(#keys) = :size',
          ...paths.map((path) => `attribute_exists(${path})`),
        ].join(' AND '),
        ExpressionAttributeNames: {
          '#keys': headAttributes.keys,
          '#hash': hash,
          ...Object.fromEntries(expired.map((name, index) => [`#x${index}`, name])),
        },
        ExpressionAttributeValues: { ':entry': entry, ':size': size },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** What leaves the head leaves the time of its last use in the account's list, for people to see. */
async function keepLastUse(owner: Owner, head: Item, hashes: readonly string[]): Promise<void> {
  const items = (await readKeyItems(owner)).filter((item) => hashes.includes(String(item.hash)));
  await Promise.all(
    items.map((item) =>
      dynamodb.send(
        new UpdateCommand({
          TableName: env.tableName(),
          Key: keys.accountKey(owner, item.createdAt as Instant, String(item.keyId)),
          UpdateExpression: 'SET lastUsed = :seconds',
          ExpressionAttributeValues: { ':seconds': headKeys(head)[String(item.hash)]?.u ?? 0 },
        }),
      ),
    ),
  );
}

async function removeFromHead(owner: Owner, hash: string): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: keys.head(owner),
      UpdateExpression: 'REMOVE #keys.#hash',
      ExpressionAttributeNames: { '#keys': headAttributes.keys, '#hash': hash },
    }),
  );
}

function toApiKey(item: Item, entry: HeadKey | undefined): ApiKey {
  const { keyId, mode, name, last4, permissions, createdAt, revokedAt } = item as unknown as ApiKey;
  const expiresAt = item.validUntil as Instant | undefined;
  const lastUsedSeconds = entry?.u ?? (item.lastUsed as number | undefined);
  const lastUsedAt = lastUsedSeconds ? lastUsedSeconds * 1000 : undefined;
  return { keyId, mode, name, last4, permissions, createdAt, expiresAt, revokedAt, lastUsedAt };
}
