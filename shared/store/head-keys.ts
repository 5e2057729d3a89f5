/**
 * The usable keys in a head: what admission admits. Which keys there are to be is `accounts/key-store.ts`'s to say.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Owner } from '../ids.ts';
import { type Instant, toSeconds } from '../time.ts';
import { dynamodb } from './client.ts';
import { type HeadKey, headAttributes } from './heads.ts';
import { keys } from './keys.ts';
import type { Item } from './records.ts';

/** @throws Error if there is no such account */
export async function readHead(owner: Owner): Promise<Item> {
  const { Item: head } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: keys.head(owner), ConsistentRead: true }),
  );
  if (!head) throw new Error(`There is no account ${owner.account}.`);
  return head;
}

/** The entries, by the hashes of their keys. */
export const headKeys = (head: Item) => head[headAttributes.keys] as Record<string, HeadKey>;

export const headSize = (head: Item) => Object.keys(headKeys(head)).length;
export const isClosed = (head: Item) => head[headAttributes.closed] !== undefined;

/** The hashes of entries that take up room although their keys have expired. */
export function expiredEntries(head: Item, at: Instant): string[] {
  const seconds = toSeconds(at);
  return Object.entries(headKeys(head)).flatMap(([hash, { e }]) =>
    e !== undefined && e <= seconds ? [hash] : [],
  );
}

/**
 * Adds an entry in place of those that have expired, if the head is open, and its entries still are `size` in number and
 * `expired` among them. Returns whether it did.
 */
export async function addHeadKey(
  owner: Owner,
  hash: string,
  entry: HeadKey,
  { size, expired }: { size: number; expired: readonly string[] },
): Promise<boolean> {
  const paths = expired.map((_, index) => `#keys.#x${index}`);
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: keys.head(owner),
        UpdateExpression: `SET #keys.#hash = :entry${paths.length > 0 ? ` REMOVE ${paths.join(', ')}` : ''}`,
        ConditionExpression: [
          'size(#keys) = :size AND attribute_not_exists(#closed)',
          ...paths.map((path) => `attribute_exists(${path})`),
        ].join(' AND '),
        ExpressionAttributeNames: {
          '#keys': headAttributes.keys,
          '#closed': headAttributes.closed,
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

/** From the very next request on, the key cannot be used. */
export async function removeHeadKey(owner: Owner, hash: string): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: keys.head(owner),
      UpdateExpression: 'REMOVE #keys.#hash',
      ExpressionAttributeNames: { '#keys': headAttributes.keys, '#hash': hash },
    }),
  );
}

/** Removes all entries, and takes no more, for good. */
export async function closeHead(owner: Owner, at: Instant): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: keys.head(owner),
      UpdateExpression: 'SET #closed = if_not_exists(#closed, :at), #keys = :none',
      ExpressionAttributeNames: { '#closed': headAttributes.closed, '#keys': headAttributes.keys },
      ExpressionAttributeValues: { ':at': at, ':none': {} },
    }),
  );
}
