/**
 * Reads and changes the API keys that an account state holds. A request is allowed only with one of these keys.
 * `accounts/key-store.ts` decides which keys to add and to remove.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Owner } from '../ids.ts';
import type { Instant } from '../time.ts';
import { type ApiKeyEntry, accountStateAttributes } from './account-state.ts';
import { dynamodb } from './client.ts';
import { type Key, tableKeys } from './keys.ts';
import type { Item } from './records.ts';

/**
 * Reads the part of an account state that is about API keys, strongly consistent.
 * @throws Error if the account does not exist
 */
export async function readAccountState(owner: Owner): Promise<Item> {
  const { closed, keys, keySignature } = accountStateAttributes;
  const { Item: accountState } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      ConsistentRead: true,
      ProjectionExpression: '#closed, #keys, #signature',
      ExpressionAttributeNames: { '#closed': closed, '#keys': keys, '#signature': keySignature },
    }),
  );
  if (!accountState) throw new Error(`There is no account ${owner.account}.`);
  return accountState;
}

/** The entries of the account's API keys, by the hash of each key. */
export const apiKeyEntries = (accountState: Item) =>
  accountState[accountStateAttributes.keys] as Record<string, ApiKeyEntry>;

export const isClosed = (accountState: Item) => accountState[accountStateAttributes.closed] !== undefined;

/** A change of the entries that an account state holds. */
export interface EntriesChange {
  /** The account state that the change is based on. */
  readonly before: Item;
  /** The entries to add or to replace, by hash. They keep their last use. */
  readonly put: Readonly<Record<string, ApiKeyEntry>>;
  /** The hashes of the entries to remove. */
  readonly remove: readonly string[];
  /** The signature of all entries after the change. Undefined if the entries are not signed yet. */
  readonly signature: Uint8Array | undefined;
}

/**
 * Changes the entries of API keys, with their signature, in one conditional write. Changes nothing if the entries have
 * changed since they were read, or if the account is closed and the change adds entries.
 */
export async function changeApiKeyEntries(
  owner: Owner,
  { before, put, remove, signature }: EntriesChange,
): Promise<void> {
  const { keys, keySignature, closed } = accountStateAttributes;
  const entries = apiKeyEntries(before);
  const signedBefore = before[keySignature] as Uint8Array | undefined;
  const additions = Object.entries(put).map(([hash, entry], index) => ({ hash, entry, index }));
  const sets = [
    ...additions.map(({ index }) => `#keys.#p${index} = :p${index}`),
    ...(signature ? ['#signature = :signature'] : []),
  ];
  const removals = remove.map((_, index) => `#keys.#x${index}`);
  const update = [
    ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(removals.length > 0 ? [`REMOVE ${removals.join(', ')}`] : []),
  ];
  if (update.length === 0) return;
  const conditions = [
    'size(#keys) = :size',
    signedBefore ? '#signature = :before' : 'attribute_not_exists(#signature)',
    ...removals.map((path) => `attribute_exists(${path})`),
    ...additions.map(
      ({ hash, index }) => `attribute_${entries[hash] ? 'exists' : 'not_exists'}(#keys.#p${index})`,
    ),
    ...(additions.length > 0 ? ['attribute_not_exists(#closed)'] : []),
  ];
  try {
    await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.accountState(owner),
        UpdateExpression: update.join(' '),
        ConditionExpression: conditions.join(' AND '),
        ExpressionAttributeNames: {
          '#keys': keys,
          '#signature': keySignature,
          ...(additions.length > 0 && { '#closed': closed }),
          ...Object.fromEntries(remove.map((hash, index) => [`#x${index}`, hash])),
          ...Object.fromEntries(additions.map(({ hash, index }) => [`#p${index}`, hash])),
        },
        ExpressionAttributeValues: {
          ':size': Object.keys(entries).length,
          ...(signedBefore && { ':before': signedBefore }),
          ...(signature && { ':signature': signature }),
          ...Object.fromEntries(
            additions.map(({ hash, entry, index }) => [
              `:p${index}`,
              { ...entry, ...(entries[hash]?.u !== undefined && { u: entries[hash].u }) },
            ]),
          ),
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/**
 * Closes an account for good: removes all API keys with their signature, and accepts no new ones. A second call keeps the
 * first time.
 */
export async function closeAccountState(owner: Owner, at: Instant): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      UpdateExpression: 'SET #closed = if_not_exists(#closed, :at), #keys = :none REMOVE #signature',
      ExpressionAttributeNames: {
        '#closed': accountStateAttributes.closed,
        '#keys': accountStateAttributes.keys,
        '#signature': accountStateAttributes.keySignature,
      },
      ExpressionAttributeValues: { ':at': at, ':none': {} },
    }),
  );
}

/** Stores the last use of an API key, in seconds since 1970, in its item of the account's list. */
export async function writeLastUse(Key: Key, seconds: number): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key,
      UpdateExpression: 'SET lastUsed = :seconds',
      ExpressionAttributeValues: { ':seconds': seconds },
    }),
  );
}

/** Adds a public key that verifies signatures of API keys. */
export async function addPublicKey(publicKey: Uint8Array): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.keySigners,
      UpdateExpression: 'ADD publicKeys :key',
      ExpressionAttributeValues: { ':key': new Set([publicKey]) },
    }),
  );
}

/** Removes all public keys but one. Signatures of the others are no longer valid. */
export async function keepOnlyPublicKey(publicKey: Uint8Array): Promise<void> {
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.keySigners,
      UpdateExpression: 'SET publicKeys = :keys',
      ExpressionAttributeValues: { ':keys': new Set([publicKey]) },
    }),
  );
}
