/** Builds the actions of the transaction that writes a change. Each action has the condition on which it depends. */
import { env } from '../../base/env.ts';
import type { Instant } from '../../base/time.ts';
import type { Key } from '../keys.ts';
import { type Item, type LoadedRecord, type RecordBase, toItem } from '../records.ts';
import type { TransactionItem } from '../transactions.ts';
import {
  type IdempotencyRecord,
  isPending,
  keyIsFree,
  type RequestKey,
  toIdempotencyItem,
} from './idempotency-records.ts';

/** Puts an item without a condition. */
export function put(item: Item): TransactionItem {
  return { Put: { TableName: env.tableName(), Item: item } };
}

/** Puts an item that does not exist yet. */
export function putNew(item: Item): TransactionItem {
  return {
    Put: {
      TableName: env.tableName(),
      Item: item,
      ...isUnchanged(undefined),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** Puts an item in the place of one whose attribute `id` still names the record `from`. */
export function putMoved(item: Item, from: string): TransactionItem {
  return {
    Put: {
      TableName: env.tableName(),
      Item: item,
      ConditionExpression: 'id = :from',
      ExpressionAttributeValues: { ':from': from },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** Puts the next state of a record, if the record still has the version of `before`. */
export function putRecord<T extends RecordBase>(
  { type }: LoadedRecord<T>,
  before: T | undefined,
  record: T,
  changeId: string,
): TransactionItem {
  return {
    Put: {
      TableName: env.tableName(),
      Item: toItem(type, record, changeId),
      ...isUnchanged(before),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** Deletes a record, if it still has the version of `before`. */
export function deleteRecord(
  { type, owner, id }: LoadedRecord<RecordBase>,
  before: RecordBase | undefined,
): TransactionItem {
  return {
    Delete: {
      TableName: env.tableName(),
      Key: type.keyOf(owner, id),
      ...isUnchanged(before),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** Deletes an item without a condition. */
export function deleteItem({ pk, sk }: Key): TransactionItem {
  return { Delete: { TableName: env.tableName(), Key: { pk, sk } } };
}

/** Raises the version of an item by one, without a condition. */
export function bumpVersion({ pk, sk }: Key): TransactionItem {
  return {
    Update: {
      TableName: env.tableName(),
      Key: { pk, sk },
      UpdateExpression: 'ADD version :one',
      ExpressionAttributeValues: { ':one': 1 },
    },
  };
}

/** Writes nothing, but makes the transaction fail if a record does not have the version of `before`. */
export function checkRecord(
  { type, owner, id }: LoadedRecord<RecordBase>,
  before: RecordBase | undefined,
): TransactionItem {
  return {
    ConditionCheck: {
      TableName: env.tableName(),
      Key: type.keyOf(owner, id),
      ...isUnchanged(before),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** Puts the idempotency record of a key, if no other request has used the key. */
export function putKey(
  { owner, keyHash }: Pick<RequestKey, 'owner' | 'keyHash'>,
  record: IdempotencyRecord,
  now: Instant,
): TransactionItem {
  return putIdempotency(toIdempotencyItem(owner, keyHash, record, now), keyIsFree(now));
}

/**
 * Puts the answer of a key, if its request still waits for the outcome of a pending operation.
 * @param id the id of the pending operation
 */
export function completeKey(
  { owner, keyHash }: Pick<RequestKey, 'owner' | 'keyHash'>,
  record: IdempotencyRecord,
  id: string,
  now: Instant,
): TransactionItem {
  return putIdempotency(toIdempotencyItem(owner, keyHash, record, now), isPending(id));
}

function putIdempotency(item: Item, condition: object): TransactionItem {
  return {
    Put: {
      TableName: env.tableName(),
      Item: item,
      ...condition,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/** The condition that a record still has the version of `before`, or still does not exist. */
function isUnchanged(before: RecordBase | undefined) {
  if (!before) return { ConditionExpression: 'attribute_not_exists(pk)' };
  return {
    ConditionExpression: 'version = :version',
    ExpressionAttributeValues: { ':version': before.version },
  };
}
