/** Conflicts: which calls have them while another is under way, what they look like, and that retries get past them. */
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
import { readTransaction, type Verdict, writeTransaction } from '../../../shared/store/transactions.ts';
import { type FaultStand, keyOf, startFaultStand } from '../../support/fault-stand.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stand: FaultStand;
let TableName: string;

beforeAll(async () => {
  stand = await startFaultStand();
  TableName = stand.stack.tableName;
});
beforeEach(() => stand.layer.setPlan({ seed: 1, conflicts: true }));
afterAll(() => stand.close());

let names = 0;
const newName = () => `contended-${names++}`;
const put = (name: string) => ({ Put: { TableName, Item: keyOf(name) } });
const get = (name: string) => ({ Get: { TableName, Key: keyOf(name) } });
const transact = (...TransactItems: NonNullable<TransactWriteCommandInput['TransactItems']>) =>
  stand.once.send(new TransactWriteCommand({ TransactItems }));

type Call = (name: string) => Promise<unknown>;
const calls = {
  'write transaction': (name) => transact(put(name), put(`${name}-beside`)),
  'read transaction': (name) =>
    stand.once.send(new TransactGetCommand({ TransactItems: [get(name), get(`${name}-beside`)] })),
  put: (name) => stand.once.send(new PutCommand({ TableName, Item: keyOf(name) })),
  update: (name) => stand.once.send(new UpdateCommand({ TableName, Key: keyOf(name) })),
  delete: (name) => stand.once.send(new DeleteCommand({ TableName, Key: keyOf(name) })),
  get: (name) => stand.once.send(new GetCommand({ TableName, Key: keyOf(name) })),
  query: (pk) =>
    stand.once.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
      }),
    ),
} satisfies Record<string, Call>;
type Kind = keyof typeof calls;

/** Runs `work` while `first` has come to DynamoDB and has not been done yet; then `first` is done. Holds back `held` calls in all. */
async function during<T>(first: () => Promise<unknown>, work: () => Promise<T>, held = 1): Promise<T> {
  const arrivedBefore = stand.arrived.length;
  const release = stand.hold(held);
  const running = stand.invoke('first', first);
  await waitUntil('the first call is under way', () => stand.arrived.length > arrivedBefore);
  const result = await work().finally(release);
  expect(await running).toEqual({ endings: ['done'], faults: [] });
  return result;
}

const cancelled = 'TransactionConflict, TransactionConflict';
const single = 'TransactionConflictException';

test.each<[Kind, Kind, string]>([
  ['write transaction', 'write transaction', cancelled],
  ['write transaction', 'read transaction', cancelled],
  ['write transaction', 'put', single],
  ['write transaction', 'update', single],
  ['write transaction', 'delete', single],
  ['read transaction', 'write transaction', cancelled],
  ['read transaction', 'put', single],
  ['put', 'write transaction', 'TransactionConflict, None'],
  ['update', 'write transaction', 'TransactionConflict, None'],
  ['delete', 'read transaction', 'TransactionConflict, None'],
])('during a %s, a %s on its item conflicts and does not come to DynamoDB', async (first, second, ending) => {
  const name = newName();
  await during(
    () => calls[first](name),
    async () => {
      const arrivedBefore = stand.arrived.length;
      const outcome = await stand.invoke('second', () => calls[second](name));
      expect(outcome).toEqual({ endings: [ending], faults: ['conflict'] });
      expect(stand.arrived).toHaveLength(arrivedBefore);
      expect(await stand.isWritten(name)).toBe(false);
    },
  );
  expect(await stand.invoke('third', () => calls[second](name))).toEqual({ endings: ['done'], faults: [] });
});

test.each<[Kind, Kind]>([
  ['write transaction', 'get'],
  ['write transaction', 'query'],
  ['read transaction', 'read transaction'],
  ['put', 'put'],
  ['put', 'update'],
  ['update', 'delete'],
])('during a %s, a %s on its item does not conflict', async (first, second) => {
  const name = newName();
  // Held back together with the first, so that it is under way beside it for certain.
  const arrivedBefore = stand.arrived.length;
  const beside = await during(
    () => calls[first](name),
    async () => {
      const running = stand.invoke('second', () => calls[second](name));
      await waitUntil('both are under way', () => stand.arrived.length === arrivedBefore + 2);
      return { running };
    },
    2,
  );
  expect(await beside.running).toEqual({ endings: ['done'], faults: [] });
});

test('only the action on the contended item says so, and other items do not conflict at all', async () => {
  const [name, other] = [newName(), newName()];
  const beside = await during(
    () => transact(put(name)),
    async () => {
      const both = await stand.invoke('both', () => transact(put(other), put(name)));
      expect(both.endings).toEqual(['None, TransactionConflict']);
      return { running: stand.invoke('other', () => transact(put(other))) };
    },
  );
  expect(await beside.running).toEqual({ endings: ['done'], faults: [] });
});

test('a call that has failed is not under way any more', async () => {
  const name = newName();
  stand.layer.setPlan({ seed: 1, conflicts: true, requestLost: 1 });
  expect((await stand.invoke('lost', () => transact(put(name)))).endings).toEqual(['ECONNRESET']);
  stand.layer.setPlan({ seed: 1, conflicts: true });
  expect(await stand.invoke('next', () => transact(put(name)))).toEqual({ endings: ['done'], faults: [] });
});

test('without conflicts in the plan nothing conflicts', async () => {
  const name = newName();
  stand.layer.setPlan({ seed: 1 });
  const beside = await during(
    () => transact(put(name)),
    async () => ({ running: stand.invoke('second', () => transact(put(name))) }),
  );
  expect(await beside.running).toEqual({ endings: ['done'], faults: [] });
});

test.each<[string, Call]>([
  ['a write transaction', (name) => writeTransaction([put(name)])],
  ['a read transaction', (name) => readTransaction([keyOf(name)])],
  ['a put', (name) => dynamodb.send(new PutCommand({ TableName, Item: keyOf(name) }))],
])('%s of the service is tried again until the other call is done', async (_, call) => {
  const name = newName();
  const conflictsBefore = stand.layer.counts.conflict ?? 0;
  const retried = await during(
    () => transact(put(name)),
    async () => {
      const running = stand.invoke('retried', () => call(name));
      await waitUntil(
        'it was refused twice',
        () => (stand.layer.counts.conflict ?? 0) >= conflictsBefore + 2,
      );
      return { running };
    },
  );
  const { endings, faults } = await retried.running;
  expect(endings).toEqual(['done']);
  expect(new Set(faults)).toEqual(new Set(['conflict']));
  expect(await stand.isWritten(name)).toBe(true);
});

const absent = { ConditionExpression: 'attribute_not_exists(pk)' };
const putIfAbsent = (name: string) => ({ Put: { ...put(name).Put, ...absent } });

test('beside a failed condition another action shows a conflict, and the verdict is the condition', async () => {
  const [there, ...others] = [newName(), newName(), newName()];
  await stand.put(there);
  stand.layer.setPlan({ seed: 1, mixedReasons: 1 });
  const actions = [putIfAbsent(there), ...others.map(putIfAbsent)];
  const seen = new Set<string | undefined>();
  for (let label = 0; label < 12; label++) {
    const { endings, faults } = await stand.invoke(`mixed-${label}`, () => transact(...actions));
    expect(faults).toEqual(['mixed reasons']);
    seen.add(endings[0]);
  }
  expect([...seen].sort()).toEqual([
    'ConditionalCheckFailed, None, TransactionConflict',
    'ConditionalCheckFailed, TransactionConflict, None',
  ]);
  let verdict: Verdict | undefined;
  await stand.invoke('verdict', async () => {
    verdict = await writeTransaction(actions);
  });
  expect(verdict).toMatchObject({ written: false, failed: [{ failed: true }, { failed: false }, {}] });
  expect(await stand.isWritten(others[0] ?? '')).toBe(false);
});

test('reasons are mixed only where a condition failed', async () => {
  stand.layer.setPlan({ seed: 1, mixedReasons: 1 });
  const name = newName();
  expect(
    await stand.invoke('fits', () => transact(putIfAbsent(name), putIfAbsent(`${name}-beside`))),
  ).toEqual({
    ...{ endings: ['done'], faults: [] },
  });
});
