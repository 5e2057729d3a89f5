/**
 * The restore drill: with work of every kind under way the table is exported and wiped, and restored into a fresh one,
 * on which the service goes on as RUNBOOK.md tells.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { localRegion } from '../../infra/local/environment.ts';
import { type QueueServer, startQueueServer } from '../../infra/local/queue-server.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/ids.ts';
import { type Receiver, startReceiver } from '../api/webhooks/receiver.ts';
import { type Api, apiOf, invoiceBody, newAccount } from '../support/api.ts';
import { newBusyAccount } from '../support/busy-account.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { comeToRest } from '../support/come-to-rest.ts';
import { installFaults } from '../support/fault-layer.ts';
import { invocationHeader } from '../support/invocations.ts';
import { cardBody, cards } from '../support/pay.ts';
import { exportTable, restoreTable, wipeTable } from '../support/restored-table.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, tableOf } from '../support/table.ts';
import { testDynamodbEndpoint } from '../support/test-dynamodb.ts';
import { waitUntil } from '../support/wait-until.ts';

let directory: string;
let queueServer: QueueServer;
let receiver: Receiver;
let stack: Stack;
let clock: TestClock;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'remit-restore-'));
  [queueServer, receiver] = await Promise.all([startQueueServer(localRegion), startReceiver()]);
  clock = stopClock();
});
afterAll(async () => {
  await stack?.close();
  await Promise.all([queueServer.close(), receiver.close()]);
  await rm(directory, { recursive: true, force: true });
});

/** A stack on that table, with queues of its own: what was in those of another one is gone. */
async function start(name: string): Promise<void> {
  stack = await startTestStack({
    dynamodb: testDynamodbEndpoint(),
    sqsEndpoint: queueServer.endpoint,
    tableName: `${name}-${process.pid}`,
    queuePrefix: name,
    deploymentSecretFile: join(directory, 'deployment-secret.json'),
    scheduleIntervalMs: 3_600_000,
  });
  await stack.schedule.pause();
}

async function created(api: Api, path: string, body: object, headers = {}): Promise<TestItem> {
  const { status, json } = await api.post(path, body, { headers });
  expect({ path, status, json }).toMatchObject({ status: 201 });
  return json;
}
const newInvoice = (api: Api, fields: object = {}) =>
  created(api, '/api/invoices', invoiceBody({ ...fields }));
const statusOf = async (api: Api, path: string) => (await api.get(path)).json.status;

const filters = {
  invoices: ['', 'status=pending', 'status=paid', 'status=cancelled', 'customerId=cust_1'],
  payments: ['', 'status=completed', 'status=failed', 'customerId=cust_2'],
  refunds: ['', 'status=processed'],
  events: [''],
};

/** Every list, as clients see it; payers' addresses are those of the stack. */
async function listsOf(api: Api): Promise<unknown> {
  const lists = Object.entries(filters).flatMap(([name, queries]) =>
    queries.map(async (query) => (await api.get(`/api/${name}?${query}`)).json),
  );
  return JSON.parse(JSON.stringify(await Promise.all(lists)).replaceAll(/127\.0\.0\.1:\d+/g, 'host'));
}

/** Work of every kind that is not done when the table is exported; stream and queues stand still. */
async function leaveUnderWay(api: Api, box: readonly unknown[]) {
  const due = await newInvoice(api, { dueDate: new Date(clock.now() + 600_000).toISOString() });
  const outside = await newInvoice(api);
  const payment = await created(api, '/api/payments', { invoiceId: outside.id, method: 'offline' });
  await waitUntil('all is delivered', () => box.length === 4);
  await Promise.all([stack.stream.pause(), stack.queues.pause()]);

  const unpublished = await newInvoice(api);
  const paid = await newInvoice(api);
  await created(api, '/api/payments', cardBody(paid.id, cards.completes), { 'Idempotency-Key': 'paid' });
  const settling = await newInvoice(api);
  const later = await created(api, '/api/payments', cardBody(settling.id, cards.settlesLater));
  const cancelled = await newInvoice(api);
  const forNothing = await created(api, '/api/payments', cardBody(cancelled.id, cards.settlesLater));
  expect((await api.delete(`/api/invoices/${cancelled.id}`)).status).toBe(200);
  const refund = await created(api, '/api/refunds', { paymentId: payment.id, amount: 100 });
  const faults = await installFaults({
    seed: 1,
    script: ({ operation }) => (operation === 'TransactWriteItems' ? 'dies after' : undefined),
  });
  const headers = { [invocationHeader]: 'dies', 'Idempotency-Key': 'died' };
  await api.post('/api/invoices', invoiceBody({ description: 'Died' }), { headers }).catch(() => {});
  faults.remove();
  return { due, unpublished, paid, settling, later, forNothing, refund };
}

test('on a restored table everything is as it was, what was under way ends, and no id is given twice', async () => {
  await start('before');
  const quiet = await newBusyAccount(stack, tableOf(stack));
  const { accountId, test: api, live } = await newAccount(stack.baseUrl);
  const mailbox = receiver.mailbox();
  await created(api, '/api/webhooks', { url: mailbox.url, events: ['*'] });
  const work = await leaveUnderWay(api, mailbox.received);
  const before = await listsOf(quiet.api);
  const sentBefore = mailbox.received.length;
  const items = await exportTable(stack);
  const lost = await Promise.all([newInvoice(quiet.api), newInvoice(quiet.api)]);
  await wipeTable(stack);
  await stack.close();

  const name = `restored-${process.pid}`;
  await restoreTable(testDynamodbEndpoint(), name, items);
  clock = stopClock(clock.now() + 3_600_000);
  await start('restored');
  const table = tableOf(stack);
  const { skipNumbers } = await import('../../shared/reconciliation/store.ts');
  const { reconcileNow } = await import('../../shared/reconciliation/reconcile-now.ts');
  const owners: Owner[] = [quiet.owner, { account: accountId, mode: 'test' }];
  for (const owner of owners) await skipNumbers(owner, 100);

  // Keys, lists and totals are as they were, and before the work goes on nothing is taken for a difference.
  const [old, busy] = [apiOf(stack.baseUrl, quiet.api.apiKey), apiOf(stack.baseUrl, api.apiKey)];
  expect(await listsOf(old)).toEqual(before);
  expect((await apiOf(stack.baseUrl, live.apiKey).get('/api/invoices')).status).toBe(200);
  for (const owner of owners) expect((await reconcileNow(owner, [0])).differences).toEqual([]);

  // The sweep takes up what the stream will never show.
  await stack.schedule.run();
  await comeToRest({ stack, table, clock });
  const { due, unpublished, paid, settling, later, forNothing, refund } = work;
  await waitUntil(
    'it is overdue',
    async () => (await statusOf(busy, `/api/invoices/${due.id}`)) === 'overdue',
  );
  expect(await statusOf(busy, `/api/payments/${later.id}`)).toBe('completed');
  expect(await statusOf(busy, `/api/invoices/${settling.id}`)).toBe('paid');
  expect(await statusOf(busy, `/api/refunds/${refund.id}`)).toBe('processed');
  expect((await busy.get(`/api/payments/${forNothing.id}`)).json).toMatchObject({
    ...{ status: 'completed', amountRefunded: 2500 },
  });
  const { json: listed } = await busy.get('/api/invoices');
  expect(listed.data.filter(({ description }: TestItem) => description === 'Died')).toHaveLength(1);
  const announced = () =>
    mailbox.received.slice(sentBefore).map(({ json }) => `${json.type} ${json.data.id}`);
  await waitUntil('what was announced is delivered', () =>
    [`invoice.created ${unpublished.id}`, `invoice.paid ${paid.id}`, `refund.processed ${refund.id}`].every(
      (event) => announced().includes(event),
    ),
  );

  // A request from before is answered as it was; one that died finds what it has done.
  const replay = { 'Idempotency-Key': 'paid' };
  const again = await busy.post('/api/payments', cardBody(paid.id, cards.completes), { headers: replay });
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
  const died = await created(busy, '/api/invoices', invoiceBody({ description: 'Died' }), {
    'Idempotency-Key': 'died',
  });
  expect(listed.data.map(({ id }: TestItem) => id)).toContain(died.id);

  // New numbers are nobody's: not of what is there, nor of what was lost.
  const known = new Set([...items.map(({ pk }) => pk), ...lost.map(({ id }) => id)]);
  for (const one of [old, busy]) {
    const { id } = await newInvoice(one);
    expect(known.has(id)).toBe(false);
    await created(one, '/api/payments', { invoiceId: id, method: 'offline' });
    expect((await one.get('/api/invoices')).json.data[0]).toMatchObject({ id, status: 'paid' });
  }
  for (const { id } of lost) expect((await old.get(`/api/invoices/${id}`)).status).toBe(404);
  await comeToRest({ stack, table, clock });
  for (const owner of owners) {
    const { records, ...rest } = await reconcileNow(owner, [0]);
    expect(rest).toEqual({ differences: [], open: [] });
    expect(records).toBeGreaterThan(9);
  }
}, 180_000);
