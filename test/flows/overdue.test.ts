/** Tests that invoices turn overdue at their due date, by timers, sweeps and queue messages. */
import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { lambdaContext } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
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
  // The tests start each sweep.
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
const statusOf = async (id: string) => (await api.get(`/api/invoices/${id}`)).json.status;
const eventsOf = async () =>
  (await table.all(tableKeys.event({ account: account.accountId, mode: 'test' }, 0).pk)).map(
    ({ type }) => type,
  );

/** Creates an invoice that is due at `due`, and waits until its timer is stored. */
async function createInvoiceDueAt(due: number): Promise<string> {
  const { id } = (await api.post('/api/invoices', invoiceBody({ dueDate: at(due) }))).json;
  await waitUntil('the timer is stored', async () => (await table.timersOf(id)).length === 1);
  return id;
}

/** Expects that GET, the filters and the list agree. Returns the status that they show. */
async function expectSameStatus(id: string): Promise<string> {
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
const waitUntilOverdue = (id: string) =>
  waitUntil('the invoice is overdue', async () => (await expectSameStatus(id)) === 'overdue', { everyMs: 5 });

test('an invoice turns overdue after its due date: in GET, list and filter, and with an event', async () => {
  const due = clock.now() + 10 * minuteMs;
  const id = await createInvoiceDueAt(due);
  clock.to(due - 3 * minuteMs);
  await sweep();
  expect(await expectSameStatus(id)).toBe('pending');
  clock.to(due + 1_000);
  await sweep();
  await waitUntilOverdue(id);
  expect((await api.get('/api/invoices?status=pending')).json.pagination.total).toBe(0);
  await waitUntil('its timer is deleted', async () => (await table.timersOf(id)).length === 0);
  await waitUntil('the event is stored', async () => (await eventsOf()).length === 2);
  expect(await eventsOf()).toEqual(['invoice.created', 'invoice.overdue']);
  expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject({
    dueDate: at(due),
    updatedAt: at(clock.now()),
  });
  expect((await api.patch(`/api/invoices/${id}`, { amount: 1 })).json.error.code).toBe('invoice_not_pending');
  expect((await api.delete(`/api/invoices/${id}`)).status).toBe(200);
});

test('an invoice that is due within a minute turns overdue without a sweep', async () => {
  const { id } = (await api.post('/api/invoices', invoiceBody({ dueDate: at(clock.now() + 1_000) }))).json;
  clock.advance(1_000);
  await waitUntilOverdue(id);
  await waitUntil('its timer is deleted', async () => (await table.timersOf(id)).length === 0);
});

test('a message that arrives early, because of a fast clock, changes nothing and is sent again', async () => {
  const due = clock.now() + 10 * minuteMs;
  const id = await createInvoiceDueAt(due);
  clock.to(due - 1);
  await sweep();
  const { handler } = await import('../../functions/background/overdue.ts');
  const [timer] = await table.timersOf(id);
  const message = { due, kind: 'overdue', reference: id, minute: Number(timer?.pk.split('#')[1]) };
  const event = { Records: [{ messageId: 'm', body: JSON.stringify(message) }] };
  await handler(event as never, lambdaContext('overdue', 60_000));
  expect(await expectSameStatus(id)).toBe('pending');
  expect(await table.timersOf(id)).toEqual([timer]);
  clock.to(due + 4 * minuteMs);
  await sweep();
  await waitUntilOverdue(id);
});

test('after a change of the due date the old timer has no effect, and the new one has', async () => {
  const due = clock.now() + 10 * minuteMs;
  const id = await createInvoiceDueAt(due);
  await api.patch(`/api/invoices/${id}`, { dueDate: at(due + 10 * minuteMs) });
  await waitUntil('both timers are stored', async () => (await table.timersOf(id)).length === 2);
  clock.to(due + 1_000);
  await sweep();
  await waitUntil('the old timer is deleted', async () => (await table.timersOf(id)).length === 1);
  expect(await expectSameStatus(id)).toBe('pending');
  expect((await table.timersOf(id))[0]?.due).toBe(due + 10 * minuteMs);
  clock.to(due + 10 * minuteMs + 1_000);
  await sweep();
  await waitUntilOverdue(id);
});

test('a cancelled invoice stays cancelled when its due date passes', async () => {
  const due = clock.now() + 10 * minuteMs;
  const id = await createInvoiceDueAt(due);
  const { deletedAt } = (await api.delete(`/api/invoices/${id}`)).json;
  clock.to(due + 1_000);
  await sweep();
  await waitUntil('its timer is deleted', async () => (await table.timersOf(id)).length === 0);
  expect((await api.get(`/api/invoices/${id}`)).json).toMatchObject({
    status: 'cancelled',
    updatedAt: deletedAt,
  });
  expect(await expectSameStatus(id)).toBe('cancelled');
  await waitUntil('events are stored', async () => (await eventsOf()).length === 2);
  expect(await eventsOf()).toEqual(['invoice.created', 'invoice.cancelled']);
});

test('a purged queue causes only a delay: the timer is sent again when its lease ends', async () => {
  const due = clock.now() + 10 * minuteMs;
  const id = await createInvoiceDueAt(due);
  await stack.queues.pause();
  clock.to(due + 1_000);
  await sweep();
  expect(await table.timersOf(id)).toMatchObject([{ leasedUntil: due + 1_000 + 2 * minuteMs }]);
  const sqs = new SQSClient({ endpoint: stack.sqsEndpoint, region: 'us-east-1' });
  await sqs.send(new PurgeQueueCommand({ QueueUrl: stack.queueUrls.overdue.url }));
  sqs.destroy();
  stack.queues.resume();
  clock.advance(minuteMs);
  await sweep();
  expect(await table.timersOf(id)).toMatchObject([{ leasedUntil: due + 1_000 + 2 * minuteMs }]);
  clock.advance(2 * minuteMs);
  await sweep();
  await waitUntilOverdue(id);
  await waitUntil('its timer is deleted', async () => (await table.timersOf(id)).length === 0);
});

test('20 invoices with the same due date all turn overdue, each with one event', async () => {
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

test('an imported invoice with an old due date is pending for a day', async () => {
  const start = clock.now();
  const id = await createInvoiceDueAt(start - 1_000 * hourMs);
  expect(await expectSameStatus(id)).toBe('pending');
  clock.to(start + 23 * hourMs);
  await sweep();
  expect((await table.timersOf(id)).map(({ leasedUntil }) => leasedUntil)).toEqual([undefined]);
  expect(await expectSameStatus(id)).toBe('pending');
  clock.to(start + 24 * hourMs + 1_000);
  await sweep();
  await waitUntilOverdue(id);
});
