/**
 * Reads and changes the API keys that an account state holds. A request is allowed only with one of these keys.
 * `accounts/key-store.ts` decides which keys to add and to remove.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Owner } from '../ids.ts';
import { type Instant, toSeconds } from '../time.ts';
import { type ApiKeyEntry, accountStateAttributes } from './account-state.ts';
import { dynamodb } from './client.ts';
import { tableKeys } from './keys.ts';
import type { Item } from './records.ts';

/**
 * Reads an account state, strongly consistent.
 * @throws Error if the account does not exist
 */
export async function readAccountState(owner: Owner): Promise<Item> {
  const { Item: accountState } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.accountState(owner), ConsistentRead: true }),
  );
  if (!accountState) throw new Error(`There is no account ${owner.account}.`);
  return accountState;
}

/** The entries of the account's API keys, by the hash of each key. */
export const apiKeyEntries = (accountState: Item) =>
  accountState[accountStateAttributes.keys] as Record<string, ApiKeyEntry>;

export const countApiKeyEntries = (accountState: Item) => Object.keys(apiKeyEntries(accountState)).length;
export const isClosed = (accountState: Item) => accountState[accountStateAttributes.closed] !== undefined;

/** The hashes of keys that have expired but still occupy an entry. */
export function expiredKeyHashes(accountState: Item, at: Instant): string[] {
  const seconds = toSeconds(at);
  return Object.entries(apiKeyEntries(accountState)).flatMap(([hash, { e }]) =>
    e !== undefined && e <= seconds ? [hash] : [],
  );
}

/**
 * Adds the entry of one API key and removes the entries of expired keys, in one conditional write.
 * @param size the number of entries that the caller has read
 * @param expired the hashes of the entries to remove
 * @returns false, with nothing changed, if the account is closed or its entries have changed since they were read
 */
export async function addApiKeyEntry(
  owner: Owner,
  hash: string,
  entry: ApiKeyEntry,
  { size, expired }: { size: number; expired: readonly string[] },
): Promise<boolean> {
  const paths = expired.map((_, index) => `#keys.#x${index}`);
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.accountState(owner),
        UpdateExpression: `SET #keys.#hash = :entry${paths.length > 0 ? ` REMOVE ${paths.join(', ')}` : ''}`,
        ConditionExpression: [
          'size(#keys) = :size AND attribute_not_exists(#closed)',
          ...paths.map((path) => `attribute_exists(${path})`),
        ].join(' AND '),
        ExpressionAttributeNames: {
          '#keys': accountStateAttributes.keys,
          '#closed': accountStateAttributes.closed,
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

/** Removes the entry of one API key. The next request with this key is refused. */
export async function removeApiKeyEntry(owner: Owner, hash: string): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      UpdateExpression: 'REMOVE #keys.#hash',
      ExpressionAttributeNames: { '#keys': accountStateAttributes.keys, '#hash': hash },
    }),
  );
}

/** Closes an account for good: removes all API keys, and accepts no new ones. A second call keeps the first time. */
export async function closeAccountState(owner: Owner, at: Instant): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      UpdateExpression: 'SET #closed = if_not_exists(#closed, :at), #keys = :none',
      ExpressionAttributeNames: {
        '#closed': accountStateAttributes.closed,
        '#keys': accountStateAttributes.keys,
      },
      ExpressionAttributeValues: { ':at': at, ':none': {} },
    }),
  );
}
