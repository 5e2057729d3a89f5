/** The actions of a change's transaction, each with the condition under which it may be written. */
import { env } from '../env.ts';
import type { Instant } from '../time.ts';
import type { RequestKey } from './commit.ts';
import {
  type IdempotencyRecord,
  keyIsFree,
  requestIsOpen,
  toIdempotencyItem,
} from './idempotency-records.ts';
import { type Item, type Reading, type RecordBase, toItem } from './records.ts';
import type { TransactionItem } from './transactions.ts';

/** Puts an item whatever is there. */
export function put(item: Item): TransactionItem {
  return { Put: { TableName: env.tableName(), Item: item } };
}

/** Puts the record's next state, if it still is as it was `before`. */
export function putRecord<T extends RecordBase>(
  { type }: Reading<T>,
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

/** Deletes the record, if it still is as it was `before`. */
export function deleteRecord(
  { type, owner, id }: Reading<RecordBase>,
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

/** Writes nothing, but fails if the record is not as it was `before`. */
export function checkRecord(
  { type, owner, id }: Reading<RecordBase>,
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

/** Puts the record of a key that no other request has used. */
export function putKey(
  { owner, keyHash }: Pick<RequestKey, 'owner' | 'keyHash'>,
  record: IdempotencyRecord,
  now: Instant,
): TransactionItem {
  return putIdempotency(toIdempotencyItem(owner, keyHash, record, now), keyIsFree(now));
}

/** Puts the answer of a key whose request was left open by the intent `id`. */
export function closeKey(
  { owner, keyHash }: Pick<RequestKey, 'owner' | 'keyHash'>,
  record: IdempotencyRecord,
  id: string,
  now: Instant,
): TransactionItem {
  return putIdempotency(toIdempotencyItem(owner, keyHash, record, now), requestIsOpen(id));
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

/** The condition that the record still is what the decision was taken upon. */
function isUnchanged(before: RecordBase | undefined) {
  if (!before) return { ConditionExpression: 'attribute_not_exists(pk)' };
  return {
    ConditionExpression: 'version = :version',
    ExpressionAttributeValues: { ':version': before.version },
  };
}
