/**
 * Tests the clock of test mode: requests use it, a move does what is due, in order and also after a crash, and the real time
 * decides everything else.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, listenToRequestLog, newAccount } from '../support/api.ts';
import { setClock } from '../support/clock.ts';
import { type FaultLayer, installFaults } from '../support/fault-layer.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { invocationHeader } from '../support/invocations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const dayMs = 86_400_000;
const path = '/api/test/clock';
let stack: Stack;
let faults: FaultLayer | undefined;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
afterEach(() => {
  faults?.remove();
  faults = undefined;
});
afterAll(() => stack.close());

const move = (api: Api, days: number) => api.post(path, { advanceSeconds: days * 86_400 });
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();
/** Creates an invoice and returns its id. */
const createInvoice = async (api: Api, dueDate?: string): Promise<string> =>
  (await api.post('/api/invoices', invoiceBody(dueDate ? { dueDate } : {}))).json.id;
const statusOf = async (api: Api, id: string) => (await api.get(`/api/invoices/${id}`)).json.status;
/** Retrieves the clock until it has arrived. */
const arrival = (api: Api, headers = {}) =>
  waitUntil('the clock', async () => {
    const { json } = await api.get(path, { headers });
    return json.status === 'ready' && json;
  });
const overdueEvents = async (api: Api): Promise<string[]> => {
  const { json } = await api.get('/api/events?limit=100&after=start');
  return json.data
    .filter(({ type }: { type: string }) => type === 'invoice.overdue')
    .map(({ data }: { data: { object?: { id: string }; id?: string } }) => data.object?.id ?? data.id);
};

test('a moved clock dates invoices, updates and cancellations, without a call, and idempotency and the limit keep the real time', async () => {
  const { accountId, test: api, live } = await newAccount(stack.baseUrl);
  const table = tableOf(stack);
  for (const mode of ['test', 'live'] as const) {
    const key = tableKeys.accountState({ account: accountId, mode });
    const item = (await table.all(key.pk)).find(({ sk }) => sk === key.sk) ?? {};
    await table.put({ ...item, t: { o: 100 * dayMs, v: 1 } } as never);
  }
  const log = await listenToRequestLog();
  const ahead = (text: string) => Math.round((Date.parse(text) - Date.now()) / dayMs) || 0;
  const create = () => api.post('/api/invoices', invoiceBody(), { headers: { 'Idempotency-Key': 'k' } });
  const created = await create();
  expect([ahead(created.json.createdAt), ahead(created.json.dueDate)]).toEqual([100, 130]);
  expect(log.lineOf(created).dynamodbCallsInSequence).toBe(3);
  expect((await create()).text).toBe(created.text);
  expect(Number(created.headers['x-ratelimit-reset']) * 1000 - Date.now()).toBeLessThanOrEqual(3_600_000);
  const invoicePath = `/api/invoices/${created.json.id}`;
  expect(ahead((await api.patch(invoicePath, { amount: 9 })).json.updatedAt)).toBe(100);
  expect(ahead((await live.post('/api/invoices', invoiceBody())).json.createdAt)).toBe(0);
});

test('one POST makes an invoice overdue, in the time of the account, and its webhook arrives', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const receiver = await startWebhookReceiver();
  try {
    const { json } = await api.post('/api/webhooks', {
      url: receiver.urlOf('/hook'),
      events: ['invoice.overdue'],
    });
    receiver.trust('/hook', json.secret);
    const id = await createInvoice(api);
    const moved = await move(api, 31);
    expect([moved.status, moved.json.status, moved.json.offsetSeconds]).toEqual([200, 'ready', 31 * 86_400]);
    const { json: invoice } = await api.get(`/api/invoices/${id}`);
    expect(invoice.status).toBe('overdue');
    expect(Math.abs(Date.parse(invoice.updatedAt) - Date.parse(invoice.dueDate))).toBeLessThan(60_000);
    await waitUntil('the webhook', async () => receiver.received.length > 0);
    expect((await api.get(path)).json).toMatchObject({ status: 'ready', offsetSeconds: 31 * 86_400 });
  } finally {
    await receiver.close();
  }
});

test('money that arrives too late is returned in the time of the account', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  await move(api, 31);
  const id = await createInvoice(api);
  const { json: payment } = await api.post('/api/payments', cardPaymentBody(id, cards.settlesLater));
  expect((await api.delete(`/api/invoices/${id}`)).status).toBe(200);
  const [refund] = await waitUntil('the refund', async () => {
    const { json } = await api.get(`/api/refunds?paymentId=${payment.id}`);
    return json.data.length > 0 && json.data;
  });
  expect(Date.parse(refund.createdAt)).toBeGreaterThan(Date.parse(payment.createdAt));
});

test('due dates pass in their order, and what is due later stays pending', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const days = [20, 5, 40, 12];
  const ids: string[] = [];
  for (const day of days) ids.push(await createInvoice(api, inDays(day)));
  expect((await move(api, 30)).json.status).toBe('ready');
  const updated = await Promise.all(ids.map(async (id) => (await api.get(`/api/invoices/${id}`)).json));
  expect(updated.map(({ status }) => status)).toEqual(['overdue', 'overdue', 'pending', 'overdue']);
  const times = updated.map(({ updatedAt }) => Math.round((Date.parse(updatedAt) - Date.now()) / dayMs));
  expect([times[0], times[1], times[3]]).toEqual([20, 5, 12]);
  const events = await waitUntil('the events', async () => {
    const found = await overdueEvents(api);
    return found.length === 3 && found;
  });
  expect(events).toEqual([ids[1], ids[3], ids[0]]);
  expect((await move(api, 11)).json.status).toBe('ready');
  expect(await statusOf(api, ids[2] ?? '')).toBe('overdue');
});

test('a pending payment and a pending refund have their outcome when the clock is ready', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  expect((await move(api, 3)).json.status).toBe('ready');
  const invoiceId = await createInvoice(api);
  const payment = await api.post('/api/payments', cardPaymentBody(invoiceId, cards.settlesLater));
  expect(payment.json.status).toBe('pending');
  expect(Math.round((Date.parse(payment.json.createdAt) - Date.now()) / dayMs)).toBe(3);
  await move(api, 1);
  await arrival(api);
  expect((await api.get(`/api/payments/${payment.json.id}`)).json.status).toBe('completed');
  expect(await statusOf(api, invoiceId)).toBe('paid');
  const refund = await api.post('/api/refunds', { paymentId: payment.json.id, reason: 'Less' });
  await move(api, 1);
  await arrival(api);
  expect((await api.get(`/api/refunds/${refund.json.id}`)).json.status).toBe('processed');
});

test('after a move, the timers of near due dates have the time of the account', async () => {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const table = tableOf(stack);
  const early = await createInvoice(api, inDays(42));
  const far = await createInvoice(api, inDays(44));
  await move(api, 40);
  const late = await createInvoice(api, inDays(41));
  await untilRelayed(table, `${accountId}#test`);
  const daysUntil = async (id: string) =>
    (await table.timersOf(id)).map(({ due }) => Math.round((Number(due) - Date.now()) / dayMs));
  expect(await Promise.all([early, far, late].map(daysUntil))).toEqual([[2], [], [1]]);
});

test('a request that crashes at any of its calls leaves a clock that the next one moves on', async () => {
  for (const fault of ['crash before call', 'crash after call'] as const) {
    for (let call = 0; ; call += isExhaustive ? 1 : 3) {
      const { accountId, test: api } = await newAccount(stack.baseUrl);
      const ids = [await createInvoice(api, inDays(8)), await createInvoice(api, inDays(4))];
      const label = `${fault} ${call}`;
      faults = await installFaults({
        seed: 1,
        script: ({ label: of, index }) => (of === label && index === call ? fault : undefined),
      });
      const headers = { 'Idempotency-Key': 'move', [invocationHeader]: label };
      await api.post(path, { advanceSeconds: 10 * 86_400 }, { headers }).catch(() => undefined);
      const hasCrashed = faults.invocation(label)?.crashed === true;
      faults.remove();
      faults = undefined;
      const repeated = await api.post(
        path,
        { advanceSeconds: 10 * 86_400 },
        { headers: { 'Idempotency-Key': 'move' } },
      );
      expect(repeated.status).toBe(200);
      expect(await arrival(api)).toMatchObject({ offsetSeconds: 10 * 86_400 });
      expect(await Promise.all(ids.map((id) => statusOf(api, id)))).toEqual(['overdue', 'overdue']);
      await untilRelayed(tableOf(stack), `${accountId}#test`);
      const { json: log } = await api.get('/api/audit-log');
      const moves = log.data.filter(({ action }: { action: string }) => action === 'clock.move');
      expect([label, moves.length]).toEqual([label, 1]);
      if (!hasCrashed) break;
    }
  }
});

test('a sweep continues a move that has crashed after its first write, and nobody retrieves the clock', async () => {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const table = tableOf(stack);
  const timers = () => table.timersOf(accountId);
  const ids = [await createInvoice(api, inDays(8)), await createInvoice(api, inDays(4))];
  let transactions = 0;
  // The first transaction begins the move.
  faults = await installFaults({
    seed: 1,
    script: ({ label, operation }) =>
      label === 'crash' && operation === 'TransactWriteItems' && ++transactions === 1
        ? 'crash after call'
        : undefined,
  });
  const body = { advanceSeconds: 10 * 86_400 };
  await api.post(path, body, { headers: { [invocationHeader]: 'crash' } }).catch(() => undefined);
  faults.remove();
  const readClock = async () =>
    (await table.get(tableKeys.accountState({ account: accountId, mode: 'test' })))?.t;
  expect(await readClock()).toMatchObject({ o: 0, t: 10 * dayMs });
  expect(await timers()).toHaveLength(1);

  setClock(() => Date.now() + 121_000);
  try {
    await stack.schedule.run();
    await waitUntil('the timer is completed', async () => (await timers()).length === 0);
  } finally {
    setClock();
  }
  expect(await readClock()).not.toHaveProperty('t');
  expect(await readClock()).toMatchObject({ o: 10 * dayMs });
  expect(await Promise.all(ids.map((id) => statusOf(api, id)))).toEqual(['overdue', 'overdue']);
  await untilRelayed(table, `${accountId}#test`);
  const { json: log } = await api.get('/api/audit-log');
  expect(log.data.filter(({ action }: { action: string }) => action === 'clock.move')).toHaveLength(1);

  expect((await move(api, 1)).json.status).toBe('ready');
  expect(await timers()).toEqual([]);
});

test('of several moves at once, one wins, and several requests advance the clock without harm', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const ids: string[] = [];
  for (const day of [1, 2, 3, 4]) ids.push(await createInvoice(api, inDays(day)));
  const moves = await Promise.all([move(api, 5), move(api, 5), move(api, 5)]);
  const won = moves.filter(({ status }) => status === 200);
  for (const lost of moves.filter(({ status }) => status !== 200))
    expect(lost.json.error.code).toBe('clock_advancing');
  await Promise.all([arrival(api), arrival(api), arrival(api)]);
  expect((await api.get(path)).json.offsetSeconds).toBe(won.length * 5 * 86_400);
  expect(await Promise.all(ids.map((id) => statusOf(api, id)))).toEqual(ids.map(() => 'overdue'));
  await waitUntil('the events', async () => (await overdueEvents(api)).length === 4);
});

test('a move that is sent several times at once under one idempotency key has one effect and one answer', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const headers = { 'Idempotency-Key': 'move' };
  const send = () => api.post(path, { advanceSeconds: 86_400 }, { headers });
  const [first, ...others] = await Promise.all([send(), send(), send(), send(), send()]);
  expect(first?.status).toBe(200);
  for (const other of others) expect([other.status, other.text]).toEqual([200, first?.text]);
  expect((await api.get(path)).json.offsetSeconds).toBe(86_400);
});

test('a call that has used its time for reading still makes progress', async () => {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const id = await createInvoice(api);
  const { readPrincipalOfClock, writeAccountClock } = await import('../../shared/store/account-clock.ts');
  const { advanceClock } = await import('../../shared/operations/clock/advance.ts');
  const owner = { account: accountId, mode: 'test' } as const;
  await writeAccountClock(owner, undefined, { o: 0, t: 60 * dayMs, v: 1 });
  const budgetMs = 300;
  const calls = interceptCalls(async (call, send) => {
    if (call.operation === 'Query') await wait(budgetMs);
    return send();
  });
  try {
    await waitUntil('the clock has arrived', async () => {
      const clock = await advanceClock(await readPrincipalOfClock(owner), budgetMs);
      return clock?.t === undefined;
    });
  } finally {
    calls.remove();
  }
  expect(await statusOf(api, id)).toBe('overdue');
});

test('a reset needs an account without younger data', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  expect((await api.delete(path)).json).toMatchObject({ status: 'ready', offsetSeconds: 0 });
  await move(api, 1);
  expect((await api.delete(path)).json).toMatchObject({ status: 'ready', offsetSeconds: 0 });
  expect((await api.get(path)).json.offsetSeconds).toBe(0);
  await move(api, 1);
  await createInvoice(api);
  expect((await api.delete(path)).json.error).toMatchObject({ code: 'clock_in_use' });
  expect((await api.get(path)).json.offsetSeconds).toBe(86_400);
});

test('a create directly before the move does not prevent a reset', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  await stack.stream.pause();
  await createInvoice(api);
  const calls = interceptCalls((call, send) => {
    if (call.operation === 'Query' && call.body.includes('"OUTBOX#')) stack.stream.resume();
    return send();
  });
  try {
    await move(api, 1);
  } finally {
    calls.remove();
    stack.stream.resume();
  }
  expect((await api.delete(path)).json).toMatchObject({ status: 'ready', offsetSeconds: 0 });
});

test('a reset sees a change whose event is not in the log yet', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const id = await createInvoice(api);
  const events = async () => (await api.get('/api/events?limit=100&after=start')).json.data;
  await waitUntil('the event', async () => (await events()).length === 1);
  await move(api, 1);
  await stack.stream.pause();
  try {
    expect((await api.patch(`/api/invoices/${id}`, { amount: 9 })).status).toBe(200);
    expect(await events()).toHaveLength(1);
    expect((await api.delete(path)).json.error).toMatchObject({ code: 'clock_in_use' });
  } finally {
    stack.stream.resume();
  }
});

test('live keys and bad bodies get 400, and the clock stays', async () => {
  const { test: api, live } = await newAccount(stack.baseUrl);
  for (const answer of [await live.get(path), await move(live, 1), await live.delete(path)])
    expect([answer.status, answer.json.error.code]).toEqual([400, 'test_clock_in_live_mode']);
  const bad = [
    {},
    { advanceSeconds: 0 },
    { advanceSeconds: -60 },
    { advanceSeconds: 1.5 },
    { advanceSeconds: '60' },
    { advanceSeconds: null },
    { advanceSeconds: 63_158_401 },
    { to: inDays(-1) },
    { to: inDays(740) },
    { to: 'tomorrow' },
    { to: inDays(1), advanceSeconds: 60 },
  ];
  for (const body of bad) {
    const { status, json } = await api.post(path, body);
    expect([body, status, json.error.code]).toEqual([body, 400, 'invalid_clock']);
    expect(json.error.field).toMatch(/^(advanceSeconds|to)$/);
  }
  expect((await api.get(path)).json.offsetSeconds).toBe(0);
});
