/** Tests the latencies that the fault layer models. Checks the requested waits, not the real time. */
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { type FaultTestStack, itemKey, startFaultTestStack } from '../../support/fault-test-stack.ts';
import { modelLatencyMs } from '../../support/wire-call.ts';

let faultStack: FaultTestStack;

beforeAll(async () => {
  faultStack = await startFaultTestStack();
});
afterEach(() => void jest.restoreAllMocks());
afterAll(() => faultStack.close());

const Key = itemKey('slow');
const Item = Key;
const commands = {
  GetItem: (TableName: string) => new GetCommand({ TableName, Key }),
  PutItem: (TableName: string) => new PutCommand({ TableName, Item }),
  UpdateItem: (TableName: string) => new UpdateCommand({ TableName, Key }),
  DeleteItem: (TableName: string) => new DeleteCommand({ TableName, Key }),
  Query: (TableName: string) =>
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': Key.pk },
    }),
  BatchGetItem: (TableName: string) =>
    new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [Key] } } }),
  TransactGetItems: (TableName: string) =>
    new TransactGetCommand({ TransactItems: [{ Get: { TableName, Key } }] }),
  TransactWriteItems: (TableName: string) =>
    new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item } }] }),
};

/** Returns how many milliseconds each of thirty calls has to wait. Ignores the SDK's own timers of a second or more. */
async function measureWaits(
  seed: number,
  operation: keyof typeof commands,
  latency = true,
): Promise<number[]> {
  faultStack.layer.setPlan({ seed, latency });
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const waits: number[] = [];
  const call = async () => {
    const before = timers.mock.calls.length;
    await faultStack.singleAttemptClient.send(commands[operation](faultStack.stack.tableName) as GetCommand);
    const requested = timers.mock.calls.slice(before).map(([, ms = 0]) => ms);
    waits.push(requested.filter((ms) => ms < 100).reduce((sum, ms) => sum + ms, 0));
  };
  const { outcomes } = await faultStack.invoke('slow', ...Array(30).fill(call));
  expect(outcomes).toEqual(Array(30).fill('done'));
  timers.mockRestore();
  return waits;
}

test.each<[keyof typeof commands, number]>([
  ['GetItem', 3],
  ['Query', 4],
  ['BatchGetItem', 4],
  ['PutItem', 5],
  ['UpdateItem', 5],
  ['DeleteItem', 5],
  ['TransactGetItems', 12],
  ['TransactWriteItems', 12],
])('%s takes %i ms, plus or minus half of that', async (operation, modelled) => {
  const waits = await measureWaits(1, operation);
  for (const ms of waits) {
    expect(ms).toBeGreaterThanOrEqual(modelled * 0.5 - 0.001);
    expect(ms).toBeLessThanOrEqual(modelled * 1.5 + 0.001);
  }
  expect(Math.min(...waits)).toBeLessThan(modelled * 0.7);
  expect(Math.max(...waits)).toBeGreaterThan(modelled * 1.3);
});

test('the seed decides each wait', async () => {
  const waits = await measureWaits(1, 'UpdateItem');
  expect(await measureWaits(1, 'UpdateItem')).toEqual(waits);
  expect(await measureWaits(2, 'UpdateItem')).not.toEqual(waits);
});

test('no call waits if the plan has no latency', async () => {
  expect(await measureWaits(1, 'TransactWriteItems', false)).toEqual(Array(30).fill(0));
});

test('a query or batch takes a millisecond longer for each 256 KB of its response', () => {
  const bytes = 1024 * 1024;
  expect(modelLatencyMs({ operation: 'Query', input: {} }, bytes)).toBe(8);
  expect(modelLatencyMs({ operation: 'BatchGetItem', input: {} }, bytes)).toBe(8);
  expect(modelLatencyMs({ operation: 'GetItem', input: {} }, bytes)).toBe(3);
});
