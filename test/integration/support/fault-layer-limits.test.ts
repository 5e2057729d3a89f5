/** Tests the throughput limits, silent servers and different clocks of the fault layer, as the caller sees them. */
import {
  BatchGetCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { now } from '../../../shared/base/time.ts';
import type { ThroughputLimits } from '../../support/capacity-model.ts';
import { setClock } from '../../support/clock.ts';
import { type FaultTestStack, itemKey, startFaultTestStack } from '../../support/fault-test-stack.ts';

let faultStack: FaultTestStack;
let TableName: string;

beforeAll(async () => {
  faultStack = await startFaultTestStack();
  TableName = faultStack.stack.tableName;
});
beforeEach(() => faultStack.layer.setPlan({ seed: 1 }));
afterAll(() => faultStack.close());

/** Limits whose units do not return while a test runs. */
const slow = (limits: ThroughputLimits): ThroughputLimits => ({ ...limits, burstSeconds: 999_999 });
const once = (units: number) => units / 1e6;
const put = (name: string) => () => faultStack.put(name);
const get = (name: string) => () =>
  faultStack.singleAttemptClient.send(
    new GetCommand({ TableName, Key: itemKey(name), ConsistentRead: true }),
  );

test('a call beyond the limit of its item is throttled and has no effect', async () => {
  faultStack.layer.setPlan({ seed: 1, limits: slow({ item: { write: once(2) } }) });
  const before = faultStack.arrived.length;
  const { outcomes, faults } = await faultStack.invoke('item', ...Array(3).fill(put('hot')), put('cold'));
  const throttled = 'ProvisionedThroughputExceededException';
  expect({ outcomes, faults }).toEqual({
    outcomes: ['done', 'done', throttled, 'done'],
    faults: ['over a limit'],
  });
  expect(faultStack.arrived).toHaveLength(before + 3);
});

test('a call beyond the limit of the table gets the error of an on-demand table', async () => {
  faultStack.layer.setPlan({ seed: 1, limits: slow({ table: { write: once(1) } }) });
  const { outcomes } = await faultStack.invoke('table', put('a'), put('b'));
  expect(outcomes).toEqual(['done', 'ThrottlingException']);
});

test('a transaction beyond a limit is cancelled, and names the item', async () => {
  faultStack.layer.setPlan({ seed: 1, limits: slow({ item: { write: once(2) } }) });
  const write = () => {
    const TransactItems = ['warm', 'hot'].map((name) => ({ Put: { TableName, Item: itemKey(name) } }));
    return faultStack.singleAttemptClient.send(new TransactWriteCommand({ TransactItems }));
  };
  const { outcomes } = await faultStack.invoke('transaction', put('hot'), write);
  expect(outcomes).toEqual(['done', 'None, ThrottlingError']);
  expect(await faultStack.isWritten('warm')).toBe(false);
});

test('of a batch, the keys beyond the limit are not processed', async () => {
  for (const name of ['one', 'two', 'three']) await faultStack.put(name);
  faultStack.layer.setPlan({ seed: 1, limits: slow({ item: { read: once(1) } }) });
  const results: unknown[] = [];
  const read = async () => {
    const Keys = ['one', 'two', 'three'].map(itemKey);
    const RequestItems = { [TableName]: { Keys, ConsistentRead: true } };
    const { Responses, UnprocessedKeys } = (await faultStack.singleAttemptClient.send(
      new BatchGetCommand({ RequestItems }),
    )) as {
      Responses: Record<string, unknown[]>;
      UnprocessedKeys: Record<string, { Keys: unknown[] }>;
    };
    results.push([Responses[TableName]?.length, UnprocessedKeys[TableName]?.Keys]);
  };
  const { outcomes } = await faultStack.invoke('batch', get('two'), read, read);
  expect(results).toEqual([[2, [itemKey('two')]]]);
  expect(outcomes).toEqual(['done', 'done', 'ProvisionedThroughputExceededException']);
});

test('a query is charged for its page', async () => {
  const Item = { pk: 'long', sk: 'ITEM', text: 'x'.repeat(40_000) };
  await faultStack.singleAttemptClient.send(new PutCommand({ TableName, Item }));
  faultStack.layer.setPlan({ seed: 1, limits: slow({ partition: { read: once(5) } }) });
  const query = () =>
    faultStack.singleAttemptClient.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': 'long' },
        ConsistentRead: true,
      }),
    );
  const { outcomes } = await faultStack.invoke('query', query, query);
  expect(outcomes).toEqual(['done', 'ProvisionedThroughputExceededException']);
});

test('a silent server lets the client time out, and half of the calls have an effect', async () => {
  const seen = new Map<boolean, number>();
  for (let label = 0; label < 40; label++) {
    const name = `silent-${label}`;
    faultStack.layer.setPlan({ seed: 1, silent: 1, silenceMs: 1 });
    const { outcomes, faults } = await faultStack.invoke(name, put(name));
    expect({ outcomes, faults }).toEqual({ outcomes: ['TimeoutError'], faults: ['silent'] });
    const written = await faultStack.isWritten(name);
    seen.set(written, (seen.get(written) ?? 0) + 1);
  }
  expect(seen.get(true)).toBeGreaterThan(8);
  expect(seen.get(false)).toBeGreaterThan(8);
});

test('the clocks of two invocations can be days apart', async () => {
  const dayMs = 86_400_000;
  setClock(() => 1_000);
  faultStack.layer.setPlan({ seed: 1, clockOffsetMs: (label) => (label === 'ahead' ? 3 * dayMs : 0) });
  const times: number[] = [];
  const readClock = async () => times.push(now());
  await Promise.all(['ahead', 'behind'].map((label) => faultStack.invoke(label, readClock)));
  expect([...times, now()]).toEqual([1_000 + 3 * dayMs, 1_000, 1_000]);
  setClock();
});
