/** Writes items without a condition, in batches. */
import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { env } from '../base/env.ts';
import { dynamodb } from './client.ts';
import type { Key } from './keys.ts';
import type { Item } from './records.ts';
import { waitWhileThrottled } from './throttling.ts';

/** DynamoDB's limit for one call. */
const writesPerCall = 25;

type Writes = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

/** Puts items, and replaces those that exist. Items with the same key must be equal: one of them is stored. */
export function putItems(items: readonly (Key & Item)[]): Promise<void> {
  return writeItems(items.map((item) => [item, { PutRequest: { Item: item } }]));
}

/** Deletes items. Those that do not exist are ignored. */
export function deleteItems(keys: readonly Key[]): Promise<void> {
  return writeItems(keys.map(({ pk, sk }) => [{ pk, sk }, { DeleteRequest: { Key: { pk, sk } } }]));
}

/** Writes up to 25 items in each call. The calls are made in parallel. DynamoDB refuses a call with duplicate keys. */
async function writeItems(writes: readonly [Key, Writes[number]][]): Promise<void> {
  const distinct = [...new Map(writes.map(([{ pk, sk }, write]) => [`${pk} ${sk}`, write])).values()];
  const calls: Promise<void>[] = [];
  for (let start = 0; start < distinct.length; start += writesPerCall) {
    calls.push(writeBatch(distinct.slice(start, start + writesPerCall)));
  }
  await Promise.all(calls);
}

/** Repeats the writes that DynamoDB leaves unprocessed until all are done. */
async function writeBatch(writes: Writes): Promise<void> {
  const table = env.tableName();
  let remaining = writes;
  for (let attempt = 0; remaining.length > 0; attempt++) {
    if (attempt > 0) await waitWhileThrottled(attempt);
    const answer = await dynamodb.send(new BatchWriteCommand({ RequestItems: { [table]: remaining } }));
    remaining = answer.UnprocessedItems?.[table] ?? [];
  }
}
