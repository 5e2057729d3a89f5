/**
 * Tests the restore procedure of docs/operate/maintenance-and-restore.md: exports the table with operations of every kind in progress, wipes it,
 * restores the export into a new table, and lets the service continue on the new table.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { localRegion } from '../../infra/local/environment.ts';
import { type QueueServer, startQueueServer } from '../../infra/local/queue-server.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { type MailboxReceiver, startMailboxReceiver } from '../api/webhooks/receiver.ts';
import { type Api, apiOf, invoiceBody, newAccount } from '../support/api.ts';
import { newBusyAccount } from '../support/busy-account.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { installFaults } from '../support/fault-layer.ts';
import { invocationHeader } from '../support/invocations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { exportTable, restoreTable, wipeTable } from '../support/restore-table.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import { sharedEndpoints } from '../support/shared-servers.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let directory: string;
let queueServer: QueueServer;
let receiver: MailboxReceiver;
let stack: Stack;
let clock: TestClock;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'remit-restore-'));
  [queueServer, receiver] = await Promise.all([startQueueServer(localRegion), startMailboxReceiver()]);
  clock = stopClock();
});
afterAll(async () => {
  await stack?.close();
  await Promise.all([queueServer.close(), receiver.close()]);
  await rm(directory, { recursive: true, force: true });
});

/** Starts a stack on the table `name`, with new queues: the messages of other stacks are lost. */
async function start(name: string): Promise<void> {
  stack = await startTestStack({
    dynamodb: sharedEndpoints().dynamodb,
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

/** Reads every list as a client. Replaces the host of payment URLs, because each stack has its own. */
async function readLists(api: Api): Promise<unknown> {
  const lists = Object.entries(filters).flatMap(([name, queries]) =>
    queries.map(async (query) => (await api.get(`/api/${name}?${query}`)).json),
  );
  return JSON.parse(JSON.stringify(await Promise.all(lists)).replaceAll(/127\.0\.0\.1:\d+/g, 'host'));
}

/** Starts operations of every kind that are not completed at the export, because the stream and the queues are paused. */
async function startPendingOperations(api: Api, received: readonly unknown[]) {
  const due = await newInvoice(api, { dueDate: new Date(clock.now() + 600_000).toISOString() });
  const offline = await newInvoice(api);
  const payment = await created(api, '/api/payments', { invoiceId: offline.id, method: 'offline' });
  await waitUntil('all events are delivered', () => received.length === 4);
  await Promise.all([stack.stream.pause(), stack.queues.pause()]);

  const unrelayed = await newInvoice(api);
  const paid = await newInvoice(api);
  await created(api, '/api/payments', cardPaymentBody(paid.id, cards.completes), {
    'Idempotency-Key': 'paid',
  });
  const settling = await newInvoice(api);
  const later = await created(api, '/api/payments', cardPaymentBody(settling.id, cards.settlesLater));
  const cancelled = await newInvoice(api);
  const refundedPayment = await created(
    api,
    '/api/payments',
    cardPaymentBody(cancelled.id, cards.settlesLater),
  );
  expect((await api.delete(`/api/invoices/${cancelled.id}`)).status).toBe(200);
  const refund = await created(api, '/api/refunds', { paymentId: payment.id, amount: 100 });
  const faults = await installFaults({
    seed: 1,
    script: ({ operation }) => (operation === 'TransactWriteItems' ? 'crash after call' : undefined),
  });
  const headers = { [invocationHeader]: 'crashes', 'Idempotency-Key': 'crashed' };
  await api.post('/api/invoices', invoiceBody({ description: 'Crashed' }), { headers }).catch(() => {});
  faults.remove();
  return { due, unrelayed, paid, settling, later, refundedPayment, refund };
}

test('on a restored table all data is unchanged, pending operations complete, and no id is used twice', async () => {
  await start('before');
  const idleAccount = await newBusyAccount(stack, tableOf(stack));
  const { accountId, test: api, live } = await newAccount(stack.baseUrl);
  const mailbox = receiver.mailbox();
  await created(api, '/api/webhooks', { url: mailbox.url, events: ['*'] });
  const operations = await startPendingOperations(api, mailbox.received);
  const before = await readLists(idleAccount.api);
  const sentBefore = mailbox.received.length;
  const items = await exportTable(stack);
  const lost = await Promise.all([newInvoice(idleAccount.api), newInvoice(idleAccount.api)]);
  await wipeTable(stack);
  await stack.close();

  const name = `restored-${process.pid}`;
  await restoreTable(sharedEndpoints().dynamodb, name, items);
  clock = stopClock(clock.now() + 3_600_000);
  await start('restored');
  const table = tableOf(stack);
  const { skipSequenceNumbers } = await import(
    '../../shared/operations/reconciliation/reconciliation-store.ts'
  );
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  const owners: Owner[] = [idleAccount.owner, { account: accountId, mode: 'test' }];
  for (const owner of owners) await skipSequenceNumbers(owner, 100);

  // Keys, lists and totals are unchanged. Operations in progress are not reported as differences.
  const [idle, busy] = [apiOf(stack.baseUrl, idleAccount.api.apiKey), apiOf(stack.baseUrl, api.apiKey)];
  expect(await readLists(idle)).toEqual(before);
  expect((await apiOf(stack.baseUrl, live.apiKey).get('/api/invoices')).status).toBe(200);
  for (const owner of owners)
    expect(await reconcileNow(owner, { full: true, waitsMs: [0] })).toMatchObject({
      differences: [],
      failures: [],
    });

  // The sweep relays the outbox items that the new stream does not contain.
  await stack.schedule.run();
  await runUntilQuiescent({ stack, table, clock });
  const { due, unrelayed, paid, settling, later, refundedPayment, refund } = operations;
  await waitUntil(
    'the invoice is overdue',
    async () => (await statusOf(busy, `/api/invoices/${due.id}`)) === 'overdue',
  );
  expect(await statusOf(busy, `/api/payments/${later.id}`)).toBe('completed');
  expect(await statusOf(busy, `/api/invoices/${settling.id}`)).toBe('paid');
  expect(await statusOf(busy, `/api/refunds/${refund.id}`)).toBe('processed');
  expect((await busy.get(`/api/payments/${refundedPayment.id}`)).json).toMatchObject({
    status: 'completed',
    amountRefunded: 2500,
  });
  const { json: listed } = await busy.get('/api/invoices');
  expect(listed.data.filter(({ description }: TestItem) => description === 'Crashed')).toHaveLength(1);
  const deliveredEvents = () =>
    mailbox.received.slice(sentBefore).map(({ json }) => `${json.type} ${json.data.id}`);
  await waitUntil('the events are delivered', () =>
    [`invoice.created ${unrelayed.id}`, `invoice.paid ${paid.id}`, `refund.processed ${refund.id}`].every(
      (event) => deliveredEvents().includes(event),
    ),
  );

  // A completed request is replayed. A request whose process crashed finds the invoice that it created.
  const replay = { 'Idempotency-Key': 'paid' };
  const again = await busy.post('/api/payments', cardPaymentBody(paid.id, cards.completes), {
    headers: replay,
  });
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
  const repeated = await created(busy, '/api/invoices', invoiceBody({ description: 'Crashed' }), {
    'Idempotency-Key': 'crashed',
  });
  expect(listed.data.map(({ id }: TestItem) => id)).toContain(repeated.id);

  // New records use neither the ids of existing records nor the ids of lost records.
  const usedIds = new Set([...items.map(({ pk }) => pk), ...lost.map(({ id }) => id)]);
  for (const client of [idle, busy]) {
    const { id } = await newInvoice(client);
    expect(usedIds.has(id)).toBe(false);
    await created(client, '/api/payments', { invoiceId: id, method: 'offline' });
    expect((await client.get('/api/invoices')).json.data[0]).toMatchObject({ id, status: 'paid' });
  }
  for (const { id } of lost) expect((await idle.get(`/api/invoices/${id}`)).status).toBe(404);
  await runUntilQuiescent({ stack, table, clock });
  for (const owner of owners) {
    const { records, ...rest } = await reconcileNow(owner, { full: true, waitsMs: [0] });
    expect(rest).toEqual({ remembered: 0, differences: [], unconfirmed: [], failures: [] });
    expect(records).toBeGreaterThan(9);
  }
});
