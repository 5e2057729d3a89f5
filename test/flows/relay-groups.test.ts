/** Tests the relay of many outbox items at once: few calls, and nothing lost, repeated or delayed by other items. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { appendEvents } from '../support/append-entries.ts';
import { countUnits } from '../support/capacity-units.ts';
import { type FaultLayer, installFaults, type ScriptedFault } from '../support/fault-layer.ts';
import {
  cancelTransaction,
  type DynamodbAttempt,
  type FaultHandler,
  type Interception,
  injectFault,
  interceptCalls,
  respondWith,
  respondWithError,
} from '../support/intercept-calls.ts';
import {
  expectDeletedLast,
  expectRelayed,
  newOwner,
  putOutboxItems,
  readFollowUps,
} from '../support/relay-groups.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { relayItems } from '../support/webhook-workers.ts';

let stack: Stack;
let table: TestTable;
let layer: FaultLayer;
let interception: Interception | undefined;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  table = tableOf(stack);
});
afterEach(() => {
  interception?.remove();
  interception = undefined;
});
afterAll(() => stack.close());

const intercept = (handler?: FaultHandler) => {
  interception = interceptCalls(handler);
  return interception.calls;
};
const callsWith = (operation: string, text: string) => (attempt: DynamodbAttempt) =>
  attempt.operation === operation && attempt.body.includes(text);
const count = (calls: readonly DynamodbAttempt[]) =>
  Object.fromEntries(
    [...new Set(calls.map(({ operation }) => operation))].map((name) => [
      name,
      calls.filter(({ operation }) => operation === name).length,
    ]),
  );
/** Returns the body of an event that contains a text. */
const bodyWith = (text: string) => JSON.stringify({ timestamp: new Date().toISOString(), text });
const succeeded = { crashed: false, failed: [] };

// Two index pages, read with the ends of the logs, and written; the mark of the sweep, which an instance reads before its first
// timers; the endpoints twice; batches of 25 timers, of 25 terms of the search and of 25 deletions.
test('a batch of 98 changes of one account needs four transactions of the logs, and at most 18 other calls', async () => {
  const { batchSize } = triggers.publishOutbox;
  // Two actions for an event, one for an audit entry, and one for the end of each log.
  const transactions = Math.ceil(batchSize / 32);
  const owner = await newOwner(table);
  const items = await putOutboxItems(table, owner, batchSize);
  const counter = countUnits(stack);
  const calls = intercept();
  expect(await relayItems(items)).toEqual(succeeded);
  expect(count(calls)).toEqual({
    BatchGetItem: 1,
    UpdateItem: 2,
    GetItem: 1,
    Query: 1,
    TransactGetItems: 1,
    TransactWriteItems: transactions,
    BatchWriteItem: 3 * Math.ceil(batchSize / 25),
  });
  const counted = counter.take();
  counter.remove();
  const unitsOf = (operation: string) =>
    counted.filter((call) => call.operation === operation).reduce((sum, { write }) => sum + write, 0);
  expect(unitsOf('TransactWriteItems')).toBe(6 * batchSize + 4 * transactions);
  expect(unitsOf('UpdateItem')).toBe(2);
  expect(unitsOf('BatchWriteItem')).toBe(3 * batchSize);
  await expectRelayed(table, owner, items, 0);
});

test('positions follow the order of the items', async () => {
  const owner = await newOwner(table);
  const items = await putOutboxItems(table, owner, 60);
  await relayItems(items);
  const events = await table.all(`EVENTS#${owner.account}`);
  expect(events.map(({ id }) => id)).toEqual(items.map((item) => item.events[0].id));
});

test('items that cannot be relayed fail on their own, at whichever step they fail', async () => {
  const owner = await newOwner(table, 2);
  const items = await putOutboxItems(table, owner, 20);
  const broken = items.map((item, index) => {
    const [event] = item.events;
    if (index === 3)
      return { ...item, indexEntries: [{ ...item.indexEntries[0], status: 'unknown', set: undefined }] };
    if (index === 8)
      return { ...item, events: [{ ...event, body: bodyWith(randomBytes(500_000).toString('base64')) }] };
    if (index === 15) return { ...item, timers: [{ ...item.timers[0], reference: 'x'.repeat(2_000) }] };
    return item;
  });
  const failing = [3, 8, 15];
  expect(await relayItems(broken)).toEqual({ crashed: false, failed: failing });
  const left = await table.outboxOf(owner.account);
  expect(left.map(({ sk }) => sk)).toEqual(failing.map((index) => items[index]?.sk));
  await expectDeletedLast(table, owner, items, 2);
  expect(await relayItems(left)).toEqual(succeeded);
  await expectRelayed(table, owner, items, 2);
});

test('a delivery whose timer cannot be stored is not stored, either, also if it shares a transaction', async () => {
  const owner = await newOwner(table, 2);
  const items = await putOutboxItems(table, owner, 24);
  const eventId = items[5]?.events[0].id;
  // The timer names the event.
  const onTimer = callsWith('TransactWriteItems', `"eventId":{"S":"${eventId}"}`);
  intercept(injectFault(onTimer, respondWithError('ValidationException'), 100));
  expect(await relayItems(items)).toEqual({ crashed: false, failed: [5] });
  interception?.remove();
  await expectDeletedLast(table, owner, items, 2);
  expect((await readFollowUps(table, owner)).deliveries).toHaveLength(2 * (items.length - 1));
  expect(await relayItems(await table.outboxOf(owner.account))).toEqual(succeeded);
  await expectRelayed(table, owner, items, 2);
});

test('the timers of changes are stored although the event log fails', async () => {
  const owner = await newOwner(table, 2);
  const items = await putOutboxItems(table, owner, 3);
  const writesLog = ({ operation, body }: DynamodbAttempt) =>
    /^(PutItem|TransactWriteItems)$/.test(operation) && body.includes('EVENTS#');
  intercept(injectFault(writesLog, respondWithError('AccessDeniedException'), 100));
  expect(await relayItems(items)).toEqual({ crashed: false, failed: [0, 1, 2] });
  interception?.remove();
  const { events, timers } = await readFollowUps(table, owner);
  expect(events).toEqual([]);
  const references = timers.map(({ reference }) => reference);
  expect(references).toEqual(expect.arrayContaining(items.map((item) => item.timers[0].reference)));
  expect(await relayItems(items)).toEqual(succeeded);
  await expectRelayed(table, owner, items, 2);
});

test('items that are passed twice or relayed again change nothing', async () => {
  const owner = await newOwner(table, 2);
  const items = await putOutboxItems(table, owner, 55);
  expect(await relayItems([...items, ...items.slice(10, 30)])).toEqual(succeeded);
  await expectRelayed(table, owner, items, 2);
  await Promise.all([relayItems(items.slice(0, 40)), relayItems(items.slice(20))]);
  const more = await putOutboxItems(table, owner, 3);
  expect(await relayItems([...items.slice(50), ...more])).toEqual(succeeded);
  const events = await table.all(`EVENTS#${owner.account}`);
  expect(events.map(({ sk }) => Number(sk))).toEqual(Array.from({ length: 58 }, (_, index) => index + 1));
});

test('another relay that stores some of the events and others before the transaction causes no gap', async () => {
  const owner = await newOwner(table, 2);
  const items = await putOutboxItems(table, owner, 60);
  const other = await putOutboxItems(table, owner, 5);
  const isAppend = callsWith('TransactWriteItems', 'EVENTCURSOR#');
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const hold = injectFault(isAppend, async (_, send) => {
    reach();
    await released;
    return send();
  });
  intercept(hold);
  const run = relayItems(items);
  await reached;
  await appendEvents(
    owner,
    [...items.slice(5, 9), ...other].flatMap(({ events }) => events),
  );
  release();
  expect(await run).toEqual(succeeded);
  expect(await relayItems(other)).toEqual(succeeded);
  await expectDeletedLast(table, owner, [...items, ...other], 2);
  expect(await table.all(`EVENTS#${owner.account}`)).toHaveLength(65);
});

test('conflicts, and writes that DynamoDB leaves unprocessed, are repeated', async () => {
  const owner = await newOwner(table, 2);
  const items = await putOutboxItems(table, owner, 60);
  const conflict = injectFault(
    callsWith('TransactWriteItems', 'EVENTCURSOR#'),
    cancelTransaction('TransactionConflict'),
    3,
  );
  const unprocessed = injectFault(
    ({ operation }) => operation === 'BatchWriteItem',
    async ({ body }) => respondWith({ UnprocessedItems: JSON.parse(body).RequestItems }),
    4,
  );
  intercept((call, send) => conflict(call, () => unprocessed(call, send)));
  expect(await relayItems(items)).toEqual(succeeded);
  expect([conflict.left(), unprocessed.left()]).toEqual([0, 0]);
  await expectRelayed(table, owner, items, 2);
});

test('a burst of one account does not delay another account in the same batch', async () => {
  const bursting = await newOwner(table);
  const other = await newOwner(table);
  const burst = await putOutboxItems(table, bursting, 80);
  const others = await putOutboxItems(table, other, 2);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  intercept(async (call, send) => {
    if (call.body.includes(bursting.account)) await released;
    return send();
  });
  const run = relayItems([...burst, ...others]);
  await waitUntil('the other account', async () => (await table.outboxOf(other.account)).length === 0);
  expect(await table.outboxOf(bursting.account)).toHaveLength(80);
  release();
  expect(await run).toEqual(succeeded);
  await expectRelayed(table, bursting, burst, 0);
  await expectRelayed(table, other, others, 0);
});

describe('with the fault layer', () => {
  beforeAll(async () => {
    layer = await installFaults({ seed: 0 });
  });
  afterEach(() => layer.setPlan({ seed: 0 }));
  afterAll(() => layer.remove());

  test('after a crash at any call, a repetition does the rest, and no item was deleted too early', async () => {
    const endpoints = 2;
    let crashes = 0;
    for (let at = 0; ; at++) {
      const outcomes: boolean[] = [];
      for (const fault of ['crash before call', 'crash after call'] as ScriptedFault[]) {
        const owner = await newOwner(table, endpoints);
        const items = await putOutboxItems(table, owner, 5, 30_000);
        const [first, ...others] = items as [TestItem, ...TestItem[]];
        // The log is not empty, so events are appended in turn.
        expect(await relayItems([first])).toEqual(succeeded);
        const label = `crashing-${at}-${fault}`;
        layer.setPlan({
          seed: 0,
          script: (call) => (call.label === label && call.index === at ? fault : undefined),
        });
        const { crashed } = await relayItems(others, label);
        layer.setPlan({ seed: 0 });
        outcomes.push(crashed);
        await expectDeletedLast(table, owner, items, endpoints);
        expect(await relayItems(await table.outboxOf(owner.account))).toEqual(succeeded);
        await expectRelayed(table, owner, items, endpoints);
      }
      if (outcomes.includes(false)) break;
      crashes += 2;
    }
    // The pages are read and written; timers, mark and four messages; the terms of the search; the deletion.
    const otherCalls = 3 + 6 + 1 + 1;
    // The transaction of the logs; the messages and the mark; deliveries.
    const eventCalls = 1 + 2 + 8;
    expect(crashes).toBe(2 * (otherCalls + eventCalls));
  });

  test.each([1, 2, 3, 4])(
    'under random faults and concurrent repetitions, seed %i, all follows once',
    async (seed) => {
      const owner = await newOwner(table, 2);
      const items = await putOutboxItems(table, owner, 60);
      const chance = 0.06;
      layer.setPlan({
        seed,
        conflicts: true,
        throttled: chance,
        requestLost: chance,
        responseLost: chance,
        serverError: chance,
        mixedReasons: 0.5,
        crash: 0.5,
      });
      const runs = [items.slice(0, 40), items.slice(20), items.slice(10, 50)];
      await Promise.all(runs.map((run, index) => relayItems(run, `faults-${seed}-${index}`)));
      layer.setPlan({ seed: 0 });
      await expectDeletedLast(table, owner, items, 2);
      const left = await table.outboxOf(owner.account);
      if (left.length > 0) expect(await relayItems(left)).toEqual(succeeded);
      await expectRelayed(table, owner, items, 2);
    },
  );
});

// This is the last test, because its events make each scan of the table slow.
test('events of several megabytes are divided into transactions of less than 4 MB', async () => {
  const owner = await newOwner(table);
  const items = await putOutboxItems(table, owner, 30);
  const large = items.map((item) => ({
    ...item,
    events: item.events.map((event: TestItem) => ({ ...event, body: bodyWith('x'.repeat(200_000)) })),
  }));
  const calls = intercept();
  expect(await relayItems(large)).toEqual(succeeded);
  const transactions = calls.filter(callsWith('TransactWriteItems', 'EVENTCURSOR#'));
  expect(transactions).toHaveLength(2);
  expect(Math.max(...transactions.map(({ body }) => body.length))).toBeLessThan(4 * 1024 * 1024);
  await expectRelayed(table, owner, items, 0);
});
