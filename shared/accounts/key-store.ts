/**
 * API keys in the table. A key can be used while the head of its account and mode has an entry for its hash; the
 * key's own item tells why one that has none is refused, and the account's list shows them to people. So creating
 * writes the head last, and revoking writes it first: whatever crashes, no key is usable that nobody knows of. A head
 * that is closed has no entries and takes none.
 *
 * Where the two meet, one sees the other: creating looks at the item again after it wrote the head, and revoking clears
 * the head again after it marked the item. So once a revocation has answered, nobody has a value of the key that works.
 * A creation that died may leave an entry, whose value was never shown; a revocation that died may leave the key as it
 * was. Either is listed as not revoked, for the list believes the head before the item, and revoking again ends it.
 */
import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { hashOfKey, newApiKey } from '../admission/api-key.ts';
import { env } from '../env.ts';
import { ApiError } from '../errors.ts';
import { type Owner, randomId } from '../ids.ts';
import { type Permission, permissionBits } from '../permissions.ts';
import { dynamodb } from '../store/client.ts';
import {
  addHeadKey,
  closeHead,
  expiredEntries,
  headKeys,
  headSize,
  isClosed,
  readHead,
  removeHeadKey,
} from '../store/head-keys.ts';
import type { HeadKey } from '../store/heads.ts';
import { type Key, keys } from '../store/keys.ts';
import type { Item } from '../store/records.ts';
import { writeTransaction } from '../store/transactions.ts';
import { type Instant, now, toSeconds } from '../time.ts';
import { AccountClosedError, type ApiKey, maxUsableKeys } from './account.ts';

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
 * @throws AccountClosedError
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
  const early = faultOf(owner, await readHead(owner), createdAt);
  if (early) throw early;
  await writeTransaction(
    itemKeys(owner, item).map((key) => ({ Put: { TableName: env.tableName(), Item: { ...key, ...item } } })),
  );
  const late = (await addToHead(owner, hash, entry, createdAt)) ?? (await revocationOf(owner, keyId));
  if (late) {
    await removeHeadKey(owner, hash);
    await markRevoked(owner, item, createdAt);
    throw late;
  }
  return { ...toApiKey(item, undefined), value };
}

/** The keys of an account and mode, oldest first, also those that can no longer be used. */
export async function listKeys(owner: Owner): Promise<ApiKey[]> {
  const [head, items] = await Promise.all([readHead(owner), readKeyItems(owner)]);
  return items.map((item) => {
    const entry = headKeys(head)[String(item.hash)];
    // Its revocation was interrupted: it still works.
    return toApiKey(entry ? { ...item, revokedAt: undefined } : item, entry);
  });
}

/** Revokes a key, from the very next request on. Returns undefined if the account has no such key in that mode. */
export async function revokeKey(owner: Owner, keyId: string): Promise<ApiKey | undefined> {
  const item = await readKeyItem(owner, keyId);
  if (!item) return undefined;
  const hash = String(item.hash);
  const head = await readHead(owner);
  const entry = headKeys(head)[hash];
  if (item.revokedAt !== undefined && !entry) return toApiKey(item, undefined);
  const revokedAt = now();
  await keepLastUse(owner, head, [hash]);
  await removeHeadKey(owner, hash);
  await markRevoked(owner, item, revokedAt);
  await removeHeadKey(owner, hash);
  return toApiKey({ revokedAt, ...item }, entry);
}

/** Takes all keys of an account and mode away, from the very next request on; none can be created any more. */
export async function closeKeys(owner: Owner, at: Instant): Promise<void> {
  const head = await readHead(owner);
  await keepLastUse(owner, head, Object.keys(headKeys(head)));
  await closeHead(owner, at);
  const usable = (await readKeyItems(owner)).filter(({ revokedAt }) => revokedAt === undefined);
  await Promise.all(usable.map((item) => markRevoked(owner, item, at)));
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

async function readKeyItem(owner: Owner, keyId: string): Promise<Item | undefined> {
  return (await readKeyItems(owner)).find((item) => item.keyId === keyId);
}

async function readKeyItems(owner: Owner): Promise<Item[]> {
  const found: Item[] = [];
  let start: Item | undefined;
  do {
    const { Items: items = [], LastEvaluatedKey: last } = await dynamodb.send(
      new QueryCommand({
        TableName: env.tableName(),
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':pk': keys.head(owner).pk, ':prefix': 'KEY#' },
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    found.push(...items);
    start = last;
  } while (start);
  return found;
}

/** Why the head takes no further entry, if it does not. */
function faultOf({ account }: Owner, head: Item, at: Instant): Error | undefined {
  if (isClosed(head)) return new AccountClosedError(account);
  const used = headSize(head) - expiredEntries(head, at).length;
  return used < maxUsableKeys ? undefined : new ApiError('key_limit_reached');
}

/** Adds an entry, in place of those that have expired; returns why not, if it cannot. */
async function addToHead(
  owner: Owner,
  hash: string,
  entry: HeadKey,
  at: Instant,
): Promise<Error | undefined> {
  for (;;) {
    const head = await readHead(owner);
    // An attempt whose answer was lost may have added it.
    if (headKeys(head)[hash]) return undefined;
    const fault = faultOf(owner, head, at);
    if (fault) return fault;
    const expired = expiredEntries(head, at);
    if (expired.length > 0) await keepLastUse(owner, head, expired);
    if (await addHeadKey(owner, hash, entry, { size: headSize(head), expired })) return undefined;
  }
}

/** That a key was revoked while it was made, if it was. */
async function revocationOf(owner: Owner, keyId: string): Promise<Error | undefined> {
  const item = await readKeyItem(owner, keyId);
  return item?.revokedAt === undefined
    ? undefined
    : new Error(`The key ${keyId} was revoked while it was made.`);
}

/** What leaves the head leaves the time of its last use, if it was used, in the account's list, for people to see. */
async function keepLastUse(owner: Owner, head: Item, hashes: readonly string[]): Promise<void> {
  const used = new Map(hashes.map((hash) => [hash, headKeys(head)[hash]?.u]));
  const items = (await readKeyItems(owner)).filter((item) => used.get(String(item.hash)) !== undefined);
  await Promise.all(
    items.map((item) =>
      dynamodb.send(
        new UpdateCommand({
          TableName: env.tableName(),
          Key: keys.accountKey(owner, item.createdAt as Instant, String(item.keyId)),
          UpdateExpression: 'SET lastUsed = :seconds',
          ExpressionAttributeValues: { ':seconds': used.get(String(item.hash)) },
        }),
      ),
    ),
  );
}

function toApiKey(item: Item, entry: HeadKey | undefined): ApiKey {
  const { keyId, mode, name, last4, permissions, createdAt, revokedAt } = item as unknown as ApiKey;
  const expiresAt = item.validUntil as Instant | undefined;
  const lastUsedSeconds = entry?.u ?? (item.lastUsed as number | undefined);
  const lastUsedAt = lastUsedSeconds ? lastUsedSeconds * 1000 : undefined;
  return { keyId, mode, name, last4, permissions, createdAt, expiresAt, revokedAt, lastUsedAt };
}
