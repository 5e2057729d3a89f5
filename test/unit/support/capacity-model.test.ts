/** Tests the model of DynamoDB's throughput limits: what a call costs, and which calls are throttled. */
import { expect, test } from '@jest/globals';
import { awsThroughputLimits, CapacityModel, type ThroughputLimits } from '../../support/capacity-model.ts';
import type { WireCall } from '../../support/wire-call.ts';

const keyOf = (pk: string, sk = 'ITEM') => ({ pk: { S: pk }, sk: { S: sk } });
const update = (pk: string, sk?: string): WireCall => ({
  operation: 'UpdateItem',
  input: { Key: keyOf(pk, sk) },
});
const put = (pk: string, bytes = 1): WireCall => ({
  operation: 'PutItem',
  input: { Item: { ...keyOf(pk), text: { S: 'x'.repeat(bytes) } } },
});
const get = (pk: string, ConsistentRead = true): WireCall => ({
  operation: 'GetItem',
  input: { Key: keyOf(pk), ConsistentRead },
});
const transact = (...pks: string[]): WireCall => ({
  operation: 'TransactWriteItems',
  input: { TransactItems: pks.map((pk) => ({ Update: { Key: keyOf(pk) } })) },
});
const batch = (...pks: string[]): WireCall => ({
  operation: 'BatchGetItem',
  input: { RequestItems: { table: { Keys: pks.map((pk) => keyOf(pk)), ConsistentRead: true } } },
});
const query = (pk: string): WireCall => ({
  operation: 'Query',
  input: { ExpressionAttributeValues: { ':pk': { S: pk } }, ConsistentRead: true },
});

/** Returns how many of 10,000 equal calls at one moment are admitted. */
function countAdmitted(model: CapacityModel, call: WireCall, nowMs = 0): number {
  return Array.from({ length: 10_000 }, () => model.admit(call, nowMs)).filter(
    (throttled) => throttled.length === 0,
  ).length;
}

test.each([
  ['an update of one item', update('a'), 1_000],
  ['a put of 1 KB', put('a', 1_000), 1_000],
  ['a put of 5 KB', put('a', 5_000), 200],
  ['a transaction of one item', transact('a'), 500],
  ['a consistent read', get('a'), 3_000],
  ['an eventually consistent read', get('a', false), 6_000],
  ['a query', query('a'), 3_000],
] as const)('AWS serves %s as often in a second as its limits say', (_, call, expected) => {
  expect(countAdmitted(new CapacityModel(awsThroughputLimits), call)).toBe(expected);
});

test('units return at the rate of the limit, and unused ones are lost', () => {
  const model = new CapacityModel({ item: { write: 100 } });
  expect(countAdmitted(model, update('a'))).toBe(100);
  expect(countAdmitted(model, update('a'), 250)).toBe(25);
  expect(countAdmitted(model, update('a'), 60_250)).toBe(100);
});

test('with burst capacity, a bucket keeps unused units', () => {
  const model = new CapacityModel({ item: { write: 10 }, burstSeconds: 300 });
  expect(countAdmitted(model, update('a'))).toBe(3_010);
  expect(countAdmitted(model, update('a'), 5_000)).toBe(50);
});

test('other items have units of their own, unless they share the partition or the table', () => {
  const admitted = (limits: ThroughputLimits, second: WireCall) => {
    const model = new CapacityModel(limits);
    countAdmitted(model, update('a', '1'));
    return countAdmitted(model, second);
  };
  const item = { write: 10 };
  expect(admitted({ item }, update('a', '2'))).toBe(10);
  expect(admitted({ item, partition: { write: 15 } }, update('a', '2'))).toBe(5);
  expect(admitted({ item, partition: { write: 15 } }, update('b', '1'))).toBe(10);
  expect(admitted({ item, table: { write: 12 } }, update('b', '1'))).toBe(2);
  expect(admitted({ item }, get('a'))).toBe(10_000);
});

test('a throttled call names its actions and the limit, and takes no units', () => {
  const model = new CapacityModel({ item: { write: 4 }, table: { write: 20 } });
  expect(model.admit(transact('a', 'b'), 0)).toEqual([]);
  expect(model.admit(transact('a'), 0)).toEqual([]);
  for (let time = 0; time < 5; time++) {
    expect(model.admit(transact('c', 'a', 'b'), 0)).toEqual([{ index: 1, scope: 'item' }]);
  }
  expect(countAdmitted(model, update('c'))).toBe(4);
});

test('an item costs its larger size, before or after the write', () => {
  const model = new CapacityModel({ item: { write: 10 } });
  expect(model.admit(put('a', 4_000), 0)).toEqual([]);
  expect(model.admit(put('a', 1), 0)).toEqual([]);
  expect(countAdmitted(model, update('a'))).toBe(2);
});

test('a call that is larger than the limit needs a full bucket and leaves a debt', () => {
  const model = new CapacityModel({ item: { write: 10 } });
  expect(model.admit(put('a', 20_000), 0)).toEqual([]);
  expect(model.admit(update('a'), 1_900)).toHaveLength(1);
  expect(model.admit(update('a'), 2_100)).toEqual([]);
});

test('a query is charged for the items of its page', () => {
  const model = new CapacityModel({ partition: { read: 10 } });
  expect(model.admit(query('a'), 0)).toEqual([]);
  model.chargeQuery(query('a'), [{ text: { S: 'x'.repeat(8 * 4096) } }], 0);
  expect(countAdmitted(model, query('a'))).toBe(1);
});

test('of a batch, only the keys beyond the limit are throttled', () => {
  const model = new CapacityModel({ item: { read: 1 } });
  model.admit(get('b'), 0);
  expect(model.admit(batch('a', 'b', 'c'), 0)).toEqual([{ index: 1, scope: 'item' }]);
  expect(model.admit(get('c'), 0)).toHaveLength(1);
});

test('calls of other services have no limit', () => {
  expect(countAdmitted(new CapacityModel(awsThroughputLimits), { operation: 'SendMessage', input: {} })).toBe(
    10_000,
  );
});
