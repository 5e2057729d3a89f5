/** Tests conflicts: which calls conflict with a call in flight, how DynamoDB reports it, and that retries succeed. */
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { dynamodb } from '../../../shared/store/client.ts';
import {
  readTransaction,
  type TransactionResult,
  writeTransaction,
} from '../../../shared/store/transactions.ts';
import { type FaultTestStack, itemKey, startFaultTestStack } from '../../support/fault-test-stack.ts';
import { waitUntil } from '../../support/wait-until.ts';

let faultStack: FaultTestStack;
let TableName: string;

beforeAll(async () => {
  faultStack = await startFaultTestStack();
  TableName = faultStack.stack.tableName;
});
beforeEach(() => faultStack.layer.setPlan({ seed: 1, conflicts: true }));
afterAll(() => faultStack.close());

let names = 0;
const newName = () => `contended-${names++}`;
const put = (name: string) => ({ Put: { TableName, Item: itemKey(name) } });
const get = (name: string) => ({ Get: { TableName, Key: itemKey(name) } });
const transact = (...TransactItems: NonNullable<TransactWriteCommandInput['TransactItems']>) =>
  faultStack.singleAttemptClient.send(new TransactWriteCommand({ TransactItems }));

type CallOnItem = (name: string) => Promise<unknown>;
const calls = {
  'write transaction': (name) => transact(put(name), put(`${name}-other`)),
  'read transaction': (name) =>
    faultStack.singleAttemptClient.send(
      new TransactGetCommand({ TransactItems: [get(name), get(`${name}-other`)] }),
    ),
  put: (name) => faultStack.singleAttemptClient.send(new PutCommand({ TableName, Item: itemKey(name) })),
  update: (name) => faultStack.singleAttemptClient.send(new UpdateCommand({ TableName, Key: itemKey(name) })),
  delete: (name) => faultStack.singleAttemptClient.send(new DeleteCommand({ TableName, Key: itemKey(name) })),
  get: (name) => faultStack.singleAttemptClient.send(new GetCommand({ TableName, Key: itemKey(name) })),
  query: (pk) =>
    faultStack.singleAttemptClient.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
      }),
    ),
} satisfies Record<string, CallOnItem>;
type Kind = keyof typeof calls;

/** Runs `work` while `first` is held back at DynamoDB, then releases it. Holds back `held` calls in all. */
async function during<T>(first: () => Promise<unknown>, work: () => Promise<T>, held = 1): Promise<T> {
  const arrivedBefore = faultStack.arrived.length;
  const release = faultStack.hold(held);
  const running = faultStack.invoke('first', first);
  await waitUntil('the first call is in flight', () => faultStack.arrived.length > arrivedBefore);
  const result = await work().finally(release);
  expect(await running).toEqual({ outcomes: ['done'], faults: [] });
  return result;
}

const bothConflict = 'TransactionConflict, TransactionConflict';
const singleCallConflicts = 'TransactionConflictException';

test.each<[Kind, Kind, string]>([
  ['write transaction', 'write transaction', bothConflict],
  ['write transaction', 'read transaction', bothConflict],
  ['write transaction', 'put', singleCallConflicts],
  ['write transaction', 'update', singleCallConflicts],
  ['write transaction', 'delete', singleCallConflicts],
  ['read transaction', 'write transaction', bothConflict],
  ['read transaction', 'put', singleCallConflicts],
  ['put', 'write transaction', 'TransactionConflict, None'],
  ['update', 'write transaction', 'TransactionConflict, None'],
  ['delete', 'read transaction', 'TransactionConflict, None'],
])(
  'during a %s, a %s on its item conflicts and does not arrive at DynamoDB',
  async (first, second, outcome) => {
    const name = newName();
    await during(
      () => calls[first](name),
      async () => {
        const arrivedBefore = faultStack.arrived.length;
        const result = await faultStack.invoke('second', () => calls[second](name));
        expect(result).toEqual({ outcomes: [outcome], faults: ['conflict'] });
        expect(faultStack.arrived).toHaveLength(arrivedBefore);
        expect(await faultStack.isWritten(name)).toBe(false);
      },
    );
    expect(await faultStack.invoke('third', () => calls[second](name))).toEqual({
      outcomes: ['done'],
      faults: [],
    });
  },
);

test.each<[Kind, Kind]>([
  ['write transaction', 'get'],
  ['write transaction', 'query'],
  ['read transaction', 'read transaction'],
  ['put', 'put'],
  ['put', 'update'],
  ['update', 'delete'],
])('during a %s, a %s on its item does not conflict', async (first, second) => {
  const name = newName();
  // Both calls are held back together, so they are certainly in flight at the same time.
  const arrivedBefore = faultStack.arrived.length;
  const concurrent = await during(
    () => calls[first](name),
    async () => {
      const running = faultStack.invoke('second', () => calls[second](name));
      await waitUntil('both calls are in flight', () => faultStack.arrived.length === arrivedBefore + 2);
      return { running };
    },
    2,
  );
  expect(await concurrent.running).toEqual({ outcomes: ['done'], faults: [] });
});

test('only the action on the contended item reports a conflict, and calls on other items do not conflict', async () => {
  const [name, other] = [newName(), newName()];
  const concurrent = await during(
    () => transact(put(name)),
    async () => {
      const both = await faultStack.invoke('both', () => transact(put(other), put(name)));
      expect(both.outcomes).toEqual(['None, TransactionConflict']);
      return { running: faultStack.invoke('other', () => transact(put(other))) };
    },
  );
  expect(await concurrent.running).toEqual({ outcomes: ['done'], faults: [] });
});

test('a failed call is no longer in flight', async () => {
  const name = newName();
  faultStack.layer.setPlan({ seed: 1, conflicts: true, requestLost: 1 });
  expect((await faultStack.invoke('lost', () => transact(put(name)))).outcomes).toEqual(['ECONNRESET']);
  faultStack.layer.setPlan({ seed: 1, conflicts: true });
  expect(await faultStack.invoke('next', () => transact(put(name)))).toEqual({
    outcomes: ['done'],
    faults: [],
  });
});

test('no call conflicts if the plan has no conflicts', async () => {
  const name = newName();
  faultStack.layer.setPlan({ seed: 1 });
  const concurrent = await during(
    () => transact(put(name)),
    async () => ({ running: faultStack.invoke('second', () => transact(put(name))) }),
  );
  expect(await concurrent.running).toEqual({ outcomes: ['done'], faults: [] });
});

test.each<[string, CallOnItem]>([
  ['a write transaction', (name) => writeTransaction([put(name)])],
  ['a read transaction', (name) => readTransaction([itemKey(name)])],
  ['a put', (name) => dynamodb.send(new PutCommand({ TableName, Item: itemKey(name) }))],
])('the service retries %s until the other call is done', async (_, call) => {
  const name = newName();
  const conflictsBefore = faultStack.layer.counts.conflict ?? 0;
  const retried = await during(
    () => transact(put(name)),
    async () => {
      const running = faultStack.invoke('retried', () => call(name));
      await waitUntil(
        'the call conflicted twice',
        () => (faultStack.layer.counts.conflict ?? 0) >= conflictsBefore + 2,
      );
      return { running };
    },
  );
  const { outcomes, faults } = await retried.running;
  expect(outcomes).toEqual(['done']);
  expect(new Set(faults)).toEqual(new Set(['conflict']));
  expect(await faultStack.isWritten(name)).toBe(true);
});

const absent = { ConditionExpression: 'attribute_not_exists(pk)' };
const putIfAbsent = (name: string) => ({ Put: { ...put(name).Put, ...absent } });

test('another action may conflict while a condition fails, and the result reports the failed condition', async () => {
  const [existing, ...others] = [newName(), newName(), newName()];
  await faultStack.put(existing);
  faultStack.layer.setPlan({ seed: 1, mixedReasons: 1 });
  const actions = [putIfAbsent(existing), ...others.map(putIfAbsent)];
  const outcomesSeen = new Set<string | undefined>();
  for (let label = 0; label < 12; label++) {
    const { outcomes, faults } = await faultStack.invoke(`mixed-${label}`, () => transact(...actions));
    expect(faults).toEqual(['mixed reasons']);
    outcomesSeen.add(outcomes[0]);
  }
  expect([...outcomesSeen].sort()).toEqual([
    'ConditionalCheckFailed, None, TransactionConflict',
    'ConditionalCheckFailed, TransactionConflict, None',
  ]);
  let result: TransactionResult | undefined;
  await faultStack.invoke('result', async () => {
    result = await writeTransaction(actions);
  });
  expect(result).toMatchObject({ written: false, failed: [{ failed: true }, { failed: false }, {}] });
  expect(await faultStack.isWritten(others[0] ?? '')).toBe(false);
});

test('another action conflicts only if a condition failed', async () => {
  faultStack.layer.setPlan({ seed: 1, mixedReasons: 1 });
  const name = newName();
  expect(
    await faultStack.invoke('conditions hold', () =>
      transact(putIfAbsent(name), putIfAbsent(`${name}-other`)),
    ),
  ).toEqual({ outcomes: ['done'], faults: [] });
});
