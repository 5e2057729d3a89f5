/** Tests the outbox: everything that follows from a change happens once, also after crashes and lost responses. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { fromOutboxItem, type OutboxItem } from '../../shared/store/commit/outbox-item.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type IndexEntry, toStoredEntry } from '../../shared/store/lists/pages/index-pages.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import {
  type DynamodbAttempt,
  type FaultHandler,
  injectFault,
  interceptCalls,
  loseResponse,
  respondWithError,
} from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let owner: Owner;
let api: Api;
let relay: typeof import('../../shared/operations/outbox/relay.ts').relay;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
  ({ relay } = await import('../../shared/operations/outbox/relay.ts'));
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  api = account.test;
});
afterEach(() => stack.stream.resume());
afterAll(() => stack.close());

/** Creates an invoice whose change sets a timer, because its due date is near. */
const create = (headers = {}) => {
  const dueDate = new Date(clock.now() + 24 * 60 * 60_000).toISOString();
  return api.post('/api/invoices', invoiceBody({ dueDate }), { headers });
};
const totals = async () => ({
  all: (await api.get('/api/invoices')).json.pagination.total,
  customer: (await api.get('/api/invoices?customerId=cust_1')).json.pagination.total,
});
const outbox = () => table.all('OUTBOX#');
const waitForEmptyOutbox = () => waitUntil('the outbox is empty', async () => (await outbox()).length === 0);
const events = () => table.all(tableKeys.event(owner, 0).pk);
const cursor = async (): Promise<number> => (await table.get(tableKeys.eventCursor(owner)))?.position ?? 0;
const positionsOf = (items: readonly TestItem[]) => items.map(({ sk }) => Number(sk));
const consecutive = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const callsWith = (operation: string, text: string) => (attempt: DynamodbAttempt) =>
  attempt.operation === operation && attempt.body.includes(text);

/** Runs `work` while `fault` handles the calls to DynamoDB. */
async function withFault<T>(fault: FaultHandler, work: () => Promise<T>): Promise<T> {
  const interception = interceptCalls(fault);
  try {
    return await work();
  } finally {
    interception.remove();
  }
}

/** Creates an invoice and returns its outbox item, which is not relayed. */
async function createUnrelayed(): Promise<OutboxItem> {
  await stack.stream.pause();
  await create();
  const [item] = await outbox();
  return fromOutboxItem(item ?? {});
}

test('each change stores one event with its final body, and positions are consecutive', async () => {
  const created = (await create()).json;
  const path = `/api/invoices/${created.id}`;
  await waitForEmptyOutbox();
  const updated = (await api.patch(path, { amount: 7 })).json;
  await waitForEmptyOutbox();
  await api.delete(path);
  await waitForEmptyOutbox();
  const stored = await events();
  expect(positionsOf(stored)).toEqual([1, 2, 3]);
  expect(stored.map(({ type }) => type)).toEqual(['invoice.created', 'invoice.updated', 'invoice.cancelled']);
  const cancelled = (await api.get(path)).json;
  for (const [index, data] of [created, updated, cancelled].entries()) {
    const { id, type, body } = stored[index] ?? {};
    expect(id).toMatch(/^evt_[0-9a-z]{26}$/);
    expect(JSON.parse(body)).toEqual({
      id,
      type,
      timestamp: data.updatedAt,
      mode: 'test',
      objectVersion: index + 1,
      // In the newest version.
      data: { ...data, reference: null, locale: null, metadata: {} },
      ...(type === 'invoice.updated' && { previous: { amount: created.amount } }),
    });
    expect(await table.get(tableKeys.eventPointer(id))).toMatchObject({ ...owner, position: index + 1 });
  }
});

test('a request that changes nothing or is rejected causes no event', async () => {
  const { id, amount } = (await create()).json;
  await waitForEmptyOutbox();
  await stack.stream.pause();
  await api.patch(`/api/invoices/${id}`, { amount });
  await api.patch(`/api/invoices/${id}`, { amount }, { headers: { 'Idempotency-Key': 'key' } });
  await api.patch(`/api/invoices/${id}`, { amount: 0 });
  expect(await outbox()).toEqual([]);
});

test('40 concurrent changes have 40 events with consecutive positions', async () => {
  await Promise.all(Array.from({ length: 40 }, () => create()));
  await waitForEmptyOutbox();
  expect(positionsOf(await events())).toEqual(consecutive(40));
  expect(new Set((await events()).map(({ id }) => id)).size).toBe(40);
  expect(await cursor()).toBe(40);
});

test('20 items that are relayed concurrently, each twice, store 20 events with consecutive positions', async () => {
  await stack.stream.pause();
  await Promise.all(Array.from({ length: 20 }, () => create()));
  const items = (await outbox()).map(fromOutboxItem);
  await Promise.all([...items, ...items].map((item) => relay(item, clock.now())));
  expect(positionsOf(await events())).toEqual(consecutive(20));
  expect(await cursor()).toBe(20);
  expect(await outbox()).toEqual([]);
});

test.each(['behind', 'malformed', 'missing'] as const)(
  'an event follows the others if the cursor is %s',
  async (state) => {
    for (let count = 0; count < 4; count++) await relay(await createUnrelayed(), clock.now());
    const key = tableKeys.eventCursor(owner);
    const cursors = {
      behind: { ...key, position: 1 },
      malformed: { ...key, position: { of: 4 } },
      missing: key,
    };
    await table.put(cursors[state]);
    await relay(await createUnrelayed(), clock.now());
    expect([positionsOf(await events()), await cursor()]).toEqual([consecutive(5), 5]);
  },
);

test('an event follows the journal if the cursor is missing and the events have expired', async () => {
  for (let count = 0; count < 4; count++) await relay(await createUnrelayed(), clock.now());
  const { pk } = tableKeys.event(owner, 0);
  for (const { sk } of await table.all(pk)) await table.delete({ pk, sk });
  await table.delete(tableKeys.eventCursor(owner));
  await relay(await createUnrelayed(), clock.now());
  expect([positionsOf(await events()), await cursor()]).toEqual([[5], 5]);
});

test('relaying an item again changes nothing, neither later nor at the same time', async () => {
  const item = await createUnrelayed();
  const state = async () => [await events(), await cursor(), await totals(), await timers(), await outbox()];
  const timers = () => table.timersOf(item.timers[0]?.reference ?? '');
  await Promise.all(Array.from({ length: 5 }, () => relay(item, clock.now())));
  const after = await state();
  expect(after).toMatchObject([
    [{ type: 'invoice.created' }],
    1,
    { all: 1, customer: 1 },
    [{ kind: 'overdue' }],
    [],
  ]);
  for (let time = 0; time < 3; time++) await relay(item, clock.now());
  expect(await state()).toEqual(after);
  stack.stream.resume();
  await waitUntil('another invoice is created', async () => (await create()).status === 201);
  await waitForEmptyOutbox();
  expect(positionsOf(await events())).toEqual([1, 2]);
});

test('while the stream is paused, the sweep relays items that are older than a minute', async () => {
  await createUnrelayed();
  clock.advance(59_000);
  await stack.schedule.run();
  expect(await outbox()).toHaveLength(1);
  expect(await events()).toEqual([]);
  clock.advance(2_000);
  await stack.schedule.run();
  expect(await outbox()).toEqual([]);
  expect(await events()).toMatchObject([{ type: 'invoice.created' }]);
});

test('an item that a sweep has claimed is skipped for a minute, and then claimed again', async () => {
  await createUnrelayed();
  const [item] = await outbox();
  clock.advance(61_000);
  await table.put({ ...item, claimedUntil: clock.now() + 60_000 });
  await stack.schedule.run();
  expect(await events()).toEqual([]);
  clock.advance(60_000);
  await stack.schedule.run();
  expect(await events()).toHaveLength(1);
  expect(await outbox()).toEqual([]);
});

/** Without the attribute of its status, no version can add the entry to an index page. */
const withUnknownStatus = ({ set: _, ...entry }: IndexEntry) => ({ ...entry, status: 'unknown' });

test('an item that cannot be relayed does not delay others', async () => {
  const { indexEntries, audited: _, entries: __, ...item } = await createUnrelayed();
  const stored = indexEntries.map(toStoredEntry).map(withUnknownStatus);
  const broken = { ...item, sk: `${'0'.repeat(15)}#broken`, indexEntries: stored };
  await table.put(broken);
  clock.advance(61_000);
  await expect(stack.schedule.run()).rejects.toThrow('unknown');
  expect(await outbox()).toMatchObject([{ sk: broken.sk }]);
  expect(await events()).toMatchObject([{ type: 'invoice.created' }]);
  await table.delete(broken);
});

test('the outbox is swept even if the timers cannot be read', async () => {
  await createUnrelayed();
  clock.advance(61_000);
  const fault = injectFault(callsWith('Query', 'TIMER#'), respondWithError('ValidationException'));
  await withFault(fault, () => expect(stack.schedule.run()).rejects.toThrow());
  expect(await outbox()).toEqual([]);
  expect(await events()).toMatchObject([{ type: 'invoice.created' }]);
});

test('a request without a key that cannot update an index page is 500, and the outbox repairs the list', async () => {
  await stack.stream.pause();
  const fault = injectFault(callsWith('UpdateItem', 'INDEX#'), respondWithError('ValidationException'), 2);
  const response = await withFault(fault, () => create());
  expect([response.status, response.json.error.code]).toEqual([500, 'internal_error']);
  expect(await totals()).toEqual({ all: 0, customer: 0 });
  stack.stream.resume();
  await waitForEmptyOutbox();
  expect(await totals()).toEqual({ all: 1, customer: 1 });
});

test('a repetition under a key repairs the list and gets the response of the first request', async () => {
  await stack.stream.pause();
  const headers = { 'Idempotency-Key': 'key' };
  const fault = injectFault(callsWith('UpdateItem', '#customer#'), respondWithError('ValidationException'));
  expect((await withFault(fault, () => create(headers))).status).toBe(500);
  await waitUntil('the other page is updated', async () => (await totals()).all === 1);
  expect((await totals()).customer).toBe(0);
  const again = await create(headers);
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect(await totals()).toEqual({ all: 1, customer: 1 });
  stack.stream.resume();
  await waitForEmptyOutbox();
  expect(await totals()).toEqual({ all: 1, customer: 1 });
});

test('a page write that is throttled, or whose response is lost, is retried without an error', async () => {
  const throttled = respondWithError('ProvisionedThroughputExceededException');
  for (const fault of [throttled, loseResponse, respondWithError('InternalServerError', {}, 500)]) {
    const once = injectFault(callsWith('UpdateItem', 'INDEX#'), fault, 2);
    expect((await withFault(once, () => create())).status).toBe(201);
    expect(once.left()).toBe(0);
  }
  expect(await totals()).toEqual({ all: 3, customer: 3 });
});

test.each([
  ['before the events', callsWith('TransactWriteItems', 'EVENTCURSOR#')],
  ['before the timer', callsWith('BatchWriteItem', 'TIMER#')],
  ['before the item is deleted', callsWith('BatchWriteItem', 'OUTBOX#')],
])(
  'a consumer that fails %s is logged, and the next one completes the work once',
  async (_, isFailingCall) => {
    const { logger } = await import('../../shared/base/log.ts');
    const log = jest.spyOn(logger, 'error');
    const fault = injectFault(isFailingCall, respondWithError('ValidationException'));
    await withFault(fault, async () => {
      await create();
      await waitForEmptyOutbox();
    });
    expect(fault.left()).toBe(0);
    const line = { function: 'background-publish-outbox', record: expect.any(String) };
    expect(log.mock.calls).toEqual([['record failed', { ...line, error: expect.anything() }]]);
    log.mockRestore();
    expect(positionsOf(await events())).toEqual([1]);
    expect(await totals()).toEqual({ all: 1, customer: 1 });
  },
);

test('events are stored once if the response to their transaction is lost', async () => {
  const fault = injectFault(callsWith('TransactWriteItems', 'EVENTCURSOR#'), loseResponse, 3);
  await withFault(fault, async () => {
    await create();
    await waitForEmptyOutbox();
  });
  expect(fault.left()).toBe(0);
  expect(positionsOf(await events())).toEqual([1]);
  expect(await cursor()).toBe(1);
});
