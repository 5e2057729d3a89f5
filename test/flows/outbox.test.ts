import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/ids.ts';
import { keys, outboxPartition } from '../../shared/store/keys.ts';
import type { OutboxItem } from '../../shared/store/outbox.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { errorAnswer, type Fault, faultOn, intercept, lostAnswer, type WireCall } from '../support/faults.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let owner: Owner;
let api: Api;
let publish: typeof import('../../shared/webhooks/publish.ts').publish;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
  ({ publish } = await import('../../shared/webhooks/publish.ts'));
});
beforeEach(async () => {
  const account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  api = account.test;
});
afterEach(() => stack.stream.resume());
afterAll(() => stack.close());

const create = (headers = {}) => api.post('/api/invoices', invoiceBody(), { headers });
const totals = async () => ({
  all: (await api.get('/api/invoices')).json.pagination.total,
  customer: (await api.get('/api/invoices?customerId=cust_1')).json.pagination.total,
});
const outbox = () => table.all('OUTBOX#');
const outboxIsEmpty = () => waitUntil('the outbox is empty', async () => (await outbox()).length === 0);
const events = () => table.all(keys.event(owner, 0).pk);
const cursor = async () => (await table.get(keys.eventCursor(owner)))?.position;
const positionsOf = (items: readonly TestItem[]) => items.map(({ sk }) => Number(sk));
const consecutive = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const on =
  (operation: string, text: string) =>
  ({ operation: of, body }: WireCall) =>
    of === operation && body.includes(text);

/** Runs `work` while calls fail, then lets all pass again. */
async function during<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
  const interception = intercept(fault);
  try {
    return await work();
  } finally {
    interception.remove();
  }
}

/** The one outbox item of an invoice that was just created and not published. */
async function unpublished(): Promise<OutboxItem> {
  await stack.stream.pause();
  await create();
  const [item] = await outbox();
  return item as OutboxItem;
}

test('each change stores one event, its body frozen, under consecutive positions', async () => {
  const created = (await create()).json;
  const path = `/api/invoices/${created.id}`;
  await outboxIsEmpty();
  const updated = (await api.patch(path, { amount: 7 })).json;
  await outboxIsEmpty();
  await api.delete(path);
  await outboxIsEmpty();
  const stored = await events();
  expect(positionsOf(stored)).toEqual([1, 2, 3]);
  expect(stored.map(({ type }) => type)).toEqual(['invoice.created', 'invoice.updated', 'invoice.cancelled']);
  const cancelled = (await api.get(path)).json;
  for (const [index, data] of [created, updated, cancelled].entries()) {
    const { id, type, body } = stored[index] ?? {};
    expect(id).toMatch(/^evt_[0-9a-z]{26}$/);
    expect(JSON.parse(body)).toEqual({
      ...{ id, type, timestamp: data.updatedAt, mode: 'test', objectVersion: index + 1, data },
    });
    expect(await table.get(keys.eventPointer(id))).toMatchObject({ ...owner, position: index + 1 });
  }
});

test('what changed nothing, or was refused, announces nothing', async () => {
  const { id, amount } = (await create()).json;
  await outboxIsEmpty();
  await stack.stream.pause();
  await api.patch(`/api/invoices/${id}`, { amount });
  await api.patch(`/api/invoices/${id}`, { amount }, { headers: { 'Idempotency-Key': 'key' } });
  await api.patch(`/api/invoices/${id}`, { amount: 0 });
  expect(await outbox()).toEqual([]);
});

test('40 changes at once have 40 events with consecutive positions', async () => {
  await Promise.all(Array.from({ length: 40 }, () => create()));
  await outboxIsEmpty();
  expect(positionsOf(await events())).toEqual(consecutive(40));
  expect(new Set((await events()).map(({ id }) => id)).size).toBe(40);
  expect(await cursor()).toBe(40);
});

test('20 items published at once, each of them twice, store 20 events with consecutive positions', async () => {
  await stack.stream.pause();
  await Promise.all(Array.from({ length: 20 }, () => create()));
  const items = (await outbox()) as OutboxItem[];
  await Promise.all([...items, ...items].map((item) => publish(item, clock.now())));
  expect(positionsOf(await events())).toEqual(consecutive(20));
  expect(await cursor()).toBe(20);
  expect(await outbox()).toEqual([]);
});

test('publishing an item again changes nothing, neither later nor at the same time', async () => {
  const item = await unpublished();
  const state = async () => [await events(), await cursor(), await totals(), await timers(), await outbox()];
  const timers = async () =>
    (await table.all('TIMER#')).filter(({ reference }) => reference === item.timers[0]?.reference);
  await Promise.all(Array.from({ length: 5 }, () => publish(item, clock.now())));
  const after = await state();
  expect(after).toMatchObject([
    [{ type: 'invoice.created' }],
    1,
    { all: 1, customer: 1 },
    [{ kind: 'overdue' }],
    [],
  ]);
  for (let time = 0; time < 3; time++) await publish(item, clock.now());
  expect(await state()).toEqual(after);
  stack.stream.resume();
  await waitUntil('the stream has passed it too', async () => (await create()).status === 201);
  await outboxIsEmpty();
  expect(positionsOf(await events())).toEqual([1, 2]);
});

test('while the stream stands still, the sweep publishes what is older than a minute', async () => {
  await unpublished();
  clock.advance(59_000);
  await stack.schedule.run();
  expect(await outbox()).toHaveLength(1);
  expect(await events()).toEqual([]);
  clock.advance(2_000);
  await stack.schedule.run();
  expect(await outbox()).toEqual([]);
  expect(await events()).toMatchObject([{ type: 'invoice.created' }]);
});

test('an item that a sweep has claimed is left to it for a minute, then taken over', async () => {
  const item = await unpublished();
  clock.advance(61_000);
  await table.put({ ...item, claimedUntil: clock.now() + 60_000 });
  await stack.schedule.run();
  expect(await events()).toEqual([]);
  clock.advance(60_000);
  await stack.schedule.run();
  expect(await events()).toHaveLength(1);
  expect(await outbox()).toEqual([]);
});

test('an item that cannot be published does not keep others waiting', async () => {
  const item = await unpublished();
  const elements = [{ ...item.elements[0], status: 'unknown' }];
  const broken = { ...item, pk: outboxPartition(0), sk: `${'0'.repeat(15)}#broken`, elements };
  await table.put(broken);
  clock.advance(61_000);
  await expect(stack.schedule.run()).rejects.toThrow('unknown');
  expect(await outbox()).toMatchObject([{ sk: broken.sk }]);
  expect(await events()).toMatchObject([{ type: 'invoice.created' }]);
  await table.delete(broken);
});

test('timers that cannot be read do not keep the outbox from being swept', async () => {
  await unpublished();
  clock.advance(61_000);
  const fault = faultOn(on('Query', 'TIMER#'), errorAnswer('ValidationException'));
  await during(fault, () => expect(stack.schedule.run()).rejects.toThrow());
  expect(await outbox()).toEqual([]);
  expect(await events()).toMatchObject([{ type: 'invoice.created' }]);
});

test('a page that the request could not tell is 500 without a key, and the outbox repairs the list', async () => {
  await stack.stream.pause();
  const fault = faultOn(on('UpdateItem', 'INDEX#'), errorAnswer('ValidationException'), 2);
  const response = await during(fault, () => create());
  expect([response.status, response.json.error.code]).toEqual([500, 'internal_error']);
  expect(await totals()).toEqual({ all: 0, customer: 0 });
  stack.stream.resume();
  await outboxIsEmpty();
  expect(await totals()).toEqual({ all: 1, customer: 1 });
});

test('under a key the repetition repairs the list and is answered as the first would have been', async () => {
  await stack.stream.pause();
  const headers = { 'Idempotency-Key': 'key' };
  const fault = faultOn(on('UpdateItem', '#customer#'), errorAnswer('ValidationException'));
  expect((await during(fault, () => create(headers))).status).toBe(500);
  await waitUntil('the other page was told', async () => (await totals()).all === 1);
  expect((await totals()).customer).toBe(0);
  const again = await create(headers);
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect(await totals()).toEqual({ all: 1, customer: 1 });
  stack.stream.resume();
  await outboxIsEmpty();
  expect(await totals()).toEqual({ all: 1, customer: 1 });
});

test('a page write that is throttled once, or whose answer is lost, is tried again unseen', async () => {
  const throttled = errorAnswer('ProvisionedThroughputExceededException');
  for (const fault of [throttled, lostAnswer, errorAnswer('InternalServerError', {}, 500)]) {
    const once = faultOn(on('UpdateItem', 'INDEX#'), fault, 2);
    expect((await during(once, () => create())).status).toBe(201);
    expect(once.left()).toBe(0);
  }
  expect(await totals()).toEqual({ all: 3, customer: 3 });
});

test.each([
  ['before the events', on('TransactWriteItems', 'EVENTCURSOR#')],
  ['before the timer', on('PutItem', 'TIMER#')],
  ['before the item is deleted', on('DeleteItem', 'OUTBOX#')],
])(
  'a consumer that dies %s is logged, and followed by one that completes the work, once',
  async (_, place) => {
    const { logger } = await import('../../shared/log.ts');
    const log = jest.spyOn(logger, 'error');
    const fault = faultOn(place, errorAnswer('ValidationException'));
    await during(fault, async () => {
      await create();
      await outboxIsEmpty();
    });
    expect(fault.left()).toBe(0);
    const line = { function: 'background-publish-outbox', record: expect.any(String) };
    expect(log.mock.calls).toEqual([['record failed', { ...line, error: expect.anything() }]]);
    log.mockRestore();
    expect(positionsOf(await events())).toEqual([1]);
    expect(await totals()).toEqual({ all: 1, customer: 1 });
  },
);

test('events whose transaction took effect but whose answer was lost are stored once', async () => {
  const fault = faultOn(on('TransactWriteItems', 'EVENTCURSOR#'), lostAnswer, 3);
  await during(fault, async () => {
    await create();
    await outboxIsEmpty();
  });
  expect(fault.left()).toBe(0);
  expect(positionsOf(await events())).toEqual([1]);
  expect(await cursor()).toBe(1);
});
