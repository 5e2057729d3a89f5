import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { keys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  // The tests say when a sweep runs.
  stack = await startTestStack({ scheduleIntervalMs: hourMs });
  table = tableOf(stack);
  clock = stopClock();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = account.test;
});
afterAll(() => stack.close());

const sweep = () => stack.schedule.run();
const at = (instant: number) => new Date(instant).toISOString();
const timersOf = async (id: string) =>
  (await table.all('TIMER#')).filter(({ reference }) => reference === id);
const statusOf = async (id: string) => (await api.get(`/api/invoices/${id}`)).json.status;
const eventsOf = async () =>
  (await table.all(keys.event({ account: account.accountId, mode: 'test' }, 0).pk)).map(({ type }) => type);

/** An invoice that is due at `due`, once its timer stands. */
async function invoiceDue(due: number): Promise<string> {
  const { id } = (await api.post('/api/invoices', invoiceBody({ dueDate: at(due) }))).json;
  await waitUntil('the timer stands', async () => (await timersOf(id)).length === 1);
  return id;
}

/** GET, the filters and the list, which must agree at every moment; returns the status that they show. */
async function agreedStatus(id: string): Promise<string> {
  const before = await statusOf(id);
  const list = (await api.get('/api/invoices')).json;
  const [shown] = list.data;
  const after = await statusOf(id);
  expect(list.pagination.total).toBe(1);
  expect([before, after]).toContain(shown.status);
  if (before !== after) return after;
  const filtered = (await api.get(`/api/invoices?status=${after}`)).json;
  if ((await statusOf(id)) === after)
    expect(filtered).toMatchObject({ data: [shown], pagination: { total: 1 } });
  return after;
}
const turnsOverdue = (id: string) =>
  waitUntil('the invoice is overdue', async () => (await agreedStatus(id)) === 'overdue', { everyMs: 5 });

test('an invoice turns overdue when its due date has passed: in GET, list and filter, and with an event', async () => {
  const due = clock.now() + 10 * minuteMs;
  const id = await invoiceDue(due);
  clock.to(due - 3 * minuteMs);
  await sweep();
  expect(await agreedStatus(id)).toBe('pending');
  clock.to(due + 1_000);
  await sweep();
  await turnsOverdue(id);
  expect((await api.get('/api/invoices?status=pending')).json.pagination.total).toBe(0);
  await waitUntil('its timer is gone', async () => (await timersOf(id)).length === 0);
  await waitUntil('the event is stored', async () => (await eventsOf()).length === 2);
  expect(await eventsOf()).toEqual(['invoice.created', 'invoice.overdue']);
  expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject({
    dueDate: at(due),
    updatedAt: at(clock.now()),
  });
  expect((await api.patch(`/api/invoices/${id}`, { amount: 1 })).json.error.code).toBe('invoice_not_pending');
  expect((await api.delete(`/api/invoices/${id}`)).status).toBe(200);
});

test('an invoice that is due within the minute turns overdue without a sweep', async () => {
  const { id } = (await api.post('/api/invoices', invoiceBody({ dueDate: at(clock.now() + 1_000) }))).json;
  clock.advance(1_000);
  await turnsOverdue(id);
  await waitUntil('its watchdog is gone', async () => (await timersOf(id)).length === 0);
});

test('a message that comes before its time, by a clock that is ahead, changes nothing and comes again', async () => {
  const due = clock.now() + 10 * minuteMs;
  const id = await invoiceDue(due);
  clock.to(due - 1);
  await sweep();
  const { handler } = await import('../../functions/background/overdue.ts');
  const [timer] = await timersOf(id);
  const message = { due, kind: 'overdue', reference: id, minute: Number(timer?.pk.split('#')[1]) };
  await handler({ Records: [{ messageId: 'm', body: JSON.stringify(message) }] } as never, {} as never);
  expect(await agreedStatus(id)).toBe('pending');
  expect(await timersOf(id)).toEqual([timer]);
  clock.to(due + 4 * minuteMs);
  await sweep();
  await turnsOverdue(id);
});

test('a due date that was moved: the old timer does nothing, the new one counts', async () => {
  const due = clock.now() + 10 * minuteMs;
  const id = await invoiceDue(due);
  await api.patch(`/api/invoices/${id}`, { dueDate: at(due + 10 * minuteMs) });
  await waitUntil('both timers stand', async () => (await timersOf(id)).length === 2);
  clock.to(due + 1_000);
  await sweep();
  await waitUntil('the old timer is gone', async () => (await timersOf(id)).length === 1);
  expect(await agreedStatus(id)).toBe('pending');
  expect((await timersOf(id))[0]?.due).toBe(due + 10 * minuteMs);
  clock.to(due + 10 * minuteMs + 1_000);
  await sweep();
  await turnsOverdue(id);
});

test('a cancelled invoice stays cancelled when its due date passes', async () => {
  const due = clock.now() + 10 * minuteMs;
  const id = await invoiceDue(due);
  const { deletedAt } = (await api.delete(`/api/invoices/${id}`)).json;
  clock.to(due + 1_000);
  await sweep();
  await waitUntil('its timer is gone', async () => (await timersOf(id)).length === 0);
  expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject({
    status: 'cancelled',
    updatedAt: deletedAt,
  });
  expect(await agreedStatus(id)).toBe('cancelled');
  await waitUntil('events are stored', async () => (await eventsOf()).length === 2);
  expect(await eventsOf()).toEqual(['invoice.created', 'invoice.cancelled']);
});

test('a queue that was purged only delays: when the lease ends, the timer is sent again', async () => {
  const due = clock.now() + 10 * minuteMs;
  const id = await invoiceDue(due);
  await stack.queues.pause();
  clock.to(due + 1_000);
  await sweep();
  expect(await timersOf(id)).toMatchObject([{ leasedUntil: due + 1_000 + 2 * minuteMs }]);
  const sqs = new SQSClient({ endpoint: stack.sqsEndpoint, region: 'us-east-1' });
  await sqs.send(new PurgeQueueCommand({ QueueUrl: stack.queueUrls.overdue.url }));
  sqs.destroy();
  stack.queues.resume();
  clock.advance(minuteMs);
  await sweep();
  expect(await timersOf(id)).toMatchObject([{ leasedUntil: due + 1_000 + 2 * minuteMs }]);
  clock.advance(2 * minuteMs);
  await sweep();
  await turnsOverdue(id);
  await waitUntil('its timer is gone', async () => (await timersOf(id)).length === 0);
});

test('20 invoices of one moment all turn overdue, each with one event', async () => {
  const due = clock.now() + 10 * minuteMs;
  const body = invoiceBody({ dueDate: at(due) });
  await Promise.all(Array.from({ length: 20 }, () => api.post('/api/invoices', body)));
  await waitUntil('the outbox is empty', async () => (await table.all('OUTBOX#')).length === 0);
  clock.to(due);
  await sweep();
  const overdue = async () => (await api.get('/api/invoices?status=overdue')).json.pagination.total;
  await waitUntil('all are overdue', async () => (await overdue()) === 20);
  await waitUntil('all events are stored', async () => (await eventsOf()).length === 40);
  expect((await eventsOf()).filter((type) => type === 'invoice.overdue')).toHaveLength(20);
});

test('an imported invoice, its due date long past, is pending for a day', async () => {
  const start = clock.now();
  const id = await invoiceDue(start - 1_000 * hourMs);
  expect(await agreedStatus(id)).toBe('pending');
  clock.to(start + 23 * hourMs);
  await sweep();
  expect((await timersOf(id)).map(({ leasedUntil }) => leasedUntil)).toEqual([undefined]);
  expect(await agreedStatus(id)).toBe('pending');
  clock.to(start + 24 * hourMs + 1_000);
  await sweep();
  await turnsOverdue(id);
}, 60_000);
