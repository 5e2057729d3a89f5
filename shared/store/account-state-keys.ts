/**
 * Reads and changes the entries of API keys that an account state holds. A request counts against the rate limit only with
 * one of these keys. `shared/domain/accounts/key-entries.ts` decides which entries to put and to remove.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../base/env.ts';
import type { Owner } from '../base/ids.ts';
import type { Instant } from '../base/time.ts';
import { type ApiKeyEntry, accountStateAttributes } from './account-state.ts';
import { dynamodb } from './client.ts';
import { type Key, tableKeys } from './keys.ts';
import type { Item } from './records.ts';

/** The entries of an account and mode, by the hash of each key. */
export type ApiKeyEntries = Readonly<Record<string, ApiKeyEntry>>;

/**
 * Reads the part of an account state that is about API keys, strongly consistent.
 * @throws Error if the account does not exist
 */
export async function readAccountState(owner: Owner): Promise<Item> {
  const { closed, keys } = accountStateAttributes;
  const { Item: accountState } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      ConsistentRead: true,
      ProjectionExpression: '#closed, #keys',
      ExpressionAttributeNames: { '#closed': closed, '#keys': keys },
    }),
  );
  if (!accountState) throw new Error(`There is no account ${owner.account}.`);
  return accountState;
}

/** The entries of the account's API keys, by the hash of each key. */
export const apiKeyEntries = (accountState: Item): ApiKeyEntries =>
  accountState[accountStateAttributes.keys] as ApiKeyEntries;

export const isClosed = (accountState: Item) => accountState[accountStateAttributes.closed] !== undefined;

/**
 * Puts and removes entries of API keys, in one write. An entry that exists keeps its last use.
 * @param before the entries as they were read
 * @throws Error if the account does not exist
 */
export async function changeApiKeyEntries(
  owner: Owner,
  before: ApiKeyEntries,
  { put = {}, remove = [] }: { readonly put?: ApiKeyEntries; readonly remove?: readonly string[] },
): Promise<void> {
  const puts = Object.entries(put).map(([hash, entry], index) => ({ hash, entry, index }));
  const sets = puts.map(({ index }) => `#keys.#p${index} = :p${index}`);
  const removals = remove.map((_, index) => `#keys.#x${index}`);
  const update = [
    ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(removals.length > 0 ? [`REMOVE ${removals.join(', ')}`] : []),
  ];
  if (update.length === 0) return;
  const lastUseOf = (hash: string) => before[hash]?.u;
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      UpdateExpression: update.join(' '),
      ConditionExpression: 'attribute_exists(#keys)',
      ExpressionAttributeNames: {
        '#keys': accountStateAttributes.keys,
        ...Object.fromEntries(remove.map((hash, index) => [`#x${index}`, hash])),
        ...Object.fromEntries(puts.map(({ hash, index }) => [`#p${index}`, hash])),
      },
      ...(puts.length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(
          puts.map(({ hash, entry, index }) => [
            `:p${index}`,
            { ...entry, ...(lastUseOf(hash) !== undefined && { u: lastUseOf(hash) }) },
          ]),
        ),
      }),
    }),
  );
}

/** Closes the list of API keys: no key can be created any more. A second call keeps the first time. */
export async function closeKeyList(owner: Owner, at: Instant): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountKeys(owner),
      UpdateExpression: 'SET closedAt = if_not_exists(closedAt, :at)',
      ExpressionAttributeValues: { ':at': at },
    }),
  );
}

/** Closes an account for good: removes all entries of API keys. A second call keeps the first time. */
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

/** Stores the last use of an API key, in seconds since 1970, in its item of the account's list. */
export async function writeLastUse(Key: Key, seconds: number): Promise<void> {
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key,
        UpdateExpression: 'SET lastUsed = :seconds',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeValues: { ':seconds': seconds },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
