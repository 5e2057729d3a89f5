/** The latencies of AWS as the fault layer models them. What is looked at is the waits that it asks for, not the clock. */
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
import { type FaultStand, keyOf, startFaultStand } from '../../support/fault-stand.ts';
import { modelledMs } from '../../support/wire-call.ts';

let stand: FaultStand;

beforeAll(async () => {
  stand = await startFaultStand();
});
afterEach(() => void jest.restoreAllMocks());
afterAll(() => stand.close());

const Key = keyOf('slow');
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

/** The milliseconds that each of thirty calls is made to wait; the SDK's own timers are of a second and more. */
async function waitsUnder(seed: number, operation: keyof typeof commands, latency = true): Promise<number[]> {
  stand.layer.setPlan({ seed, latency });
  const timers = jest.spyOn(globalThis, 'setTimeout');
  const waits: number[] = [];
  const call = async () => {
    const before = timers.mock.calls.length;
    await stand.once.send(commands[operation](stand.stack.tableName) as GetCommand);
    const asked = timers.mock.calls.slice(before).map(([, ms = 0]) => ms);
    waits.push(asked.filter((ms) => ms < 100).reduce((sum, ms) => sum + ms, 0));
  };
  const { endings } = await stand.invoke('slow', ...Array(30).fill(call));
  expect(endings).toEqual(Array(30).fill('done'));
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
])('%s takes %i ms, half of that more or less', async (operation, modelled) => {
  const waits = await waitsUnder(1, operation);
  for (const ms of waits) {
    expect(ms).toBeGreaterThanOrEqual(modelled * 0.5 - 0.001);
    expect(ms).toBeLessThanOrEqual(modelled * 1.5 + 0.001);
  }
  expect(Math.min(...waits)).toBeLessThan(modelled * 0.7);
  expect(Math.max(...waits)).toBeGreaterThan(modelled * 1.3);
});

test('the seed decides on every wait', async () => {
  const waits = await waitsUnder(1, 'UpdateItem');
  expect(await waitsUnder(1, 'UpdateItem')).toEqual(waits);
  expect(await waitsUnder(2, 'UpdateItem')).not.toEqual(waits);
});

test('without latency in the plan nothing waits', async () => {
  expect(await waitsUnder(1, 'TransactWriteItems', false)).toEqual(Array(30).fill(0));
});

test('a query or batch that answers much takes a millisecond longer for each 256 KB', () => {
  const bytes = 1024 * 1024;
  expect(modelledMs({ operation: 'Query', input: {} }, bytes)).toBe(8);
  expect(modelledMs({ operation: 'BatchGetItem', input: {} }, bytes)).toBe(8);
  expect(modelledMs({ operation: 'GetItem', input: {} }, bytes)).toBe(3);
});
