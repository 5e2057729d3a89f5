/**
 * Removes numbers from the pages of one list. Only for records that have left the list for good: their `filterKeys` no
 * longer name it, so no later change adds them again.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../env.ts';
import type { Owner, Resource } from '../../ids.ts';
import { dynamodb } from '../client.ts';
import { type Key, pageSize, tableKeys } from '../keys.ts';
import { indexStates } from './index-pages.ts';

/** Removes records from a filtered list. Pages that become empty are deleted. Removing a record again changes nothing. */
export async function removeIndexEntries(
  owner: Owner,
  resource: Resource,
  filterKey: string,
  seqs: readonly number[],
): Promise<void> {
  const byPage = Map.groupBy(seqs, (seq) => Math.floor(seq / pageSize));
  const sets = Object.values(indexStates[resource]);
  for (const [page, ofPage] of byPage) {
    const key = tableKeys.indexPage(owner, resource, filterKey, page);
    const left = await removeNumbers(key, sets, ofPage);
    if (left && Object.keys(left).length === Object.keys(key).length) await deleteIfEmpty(key, sets);
  }
}

/** Returns the page after the removal, or undefined if it does not exist. */
function removeNumbers(key: Key, sets: readonly string[], seqs: readonly number[]) {
  const update = new UpdateCommand({
    TableName: env.tableName(),
    Key: key,
    UpdateExpression: `DELETE ${sets.map((set) => `#${set} :numbers`).join(', ')}`,
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: namesOf(sets),
    ExpressionAttributeValues: { ':numbers': new Set(seqs.map((seq) => Uint8Array.of(seq % pageSize))) },
    ReturnValues: 'ALL_NEW',
  });
  return unlessRefused(async () => (await dynamodb.send(update)).Attributes);
}

async function deleteIfEmpty(key: Key, sets: readonly string[]): Promise<void> {
  const deletion = new DeleteCommand({
    TableName: env.tableName(),
    Key: key,
    ConditionExpression: sets.map((set) => `attribute_not_exists(#${set})`).join(' AND '),
    ExpressionAttributeNames: namesOf(sets),
  });
  await unlessRefused(() => dynamodb.send(deletion));
}

const namesOf = (sets: readonly string[]) => Object.fromEntries(sets.map((set) => [`#${set}`, set]));

/** Returns undefined if the condition of the call is not met. */
async function unlessRefused<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
