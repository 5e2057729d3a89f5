/**
 * Tests the events of payments and refunds: their types, their order, and that their data equals the API's resources.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { startTestStack } from '../../support/stack.ts';
import { eventTextOf } from '../../support/stored-bodies.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { cardBody, cardNumbers, newInvoice, offlineBody, waitForOutcome } from './new-payment.ts';

let stack: Stack;
let table: TestTable;
beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
});
afterAll(() => stack.close());

/** Creates an account, with a function that returns its events. */
async function newObserved() {
  const { test: api, accountId: account } = await newAccount(stack.baseUrl);
  const owner = { account, mode: 'test' } as const;
  /** Waits until all events are relayed, and returns them in the order of their positions. */
  const eventsOf = async () => {
    await waitUntil(
      'the outbox is empty',
      async () => (await table.outboxOf(`${account}#test`)).length === 0,
    );
    const stored = await table.all(tableKeys.event(owner, 0).pk);
    expect(stored.map(({ sk }) => Number(sk))).toEqual(stored.map((_, index) => index + 1));
    return stored.map((item) => {
      const { id, type } = item;
      const event = JSON.parse(eventTextOf(item));
      expect(event).toMatchObject({ id, type, mode: 'test', timestamp: event.data.updatedAt });
      return [type, event.objectVersion, event.data];
    });
  };
  return { api, eventsOf };
}

const shown = async (api: Api, kind: string, id: string) => (await api.get(`/api/${kind}/${id}`)).json;
const objectVersionOf = async (id: string) => (await table.get(tableKeys.record(id)))?.objectVersion;

test('an offline payment emits payment.completed, then invoice.paid', async () => {
  const { api, eventsOf } = await newObserved();
  const invoice = await newInvoice(api);
  const path = `/api/invoices/${invoice.id}`;
  await eventsOf();
  const updated = (await api.patch(path, { amount: 4100 })).json;
  await eventsOf();
  const payment = (await api.post('/api/payments', offlineBody(invoice.id, { reference: 'Slip 17' }))).json;
  expect(await eventsOf()).toEqual([
    ['invoice.created', 1, invoice],
    ['invoice.updated', 2, updated],
    ['payment.completed', 1, payment],
    ['invoice.paid', 3, await shown(api, 'invoices', invoice.id)],
  ]);
});

test('a declined card emits payment.failed and does not change the invoice, and the next card pays it', async () => {
  const { api, eventsOf } = await newObserved();
  const invoice = await newInvoice(api);
  await eventsOf();
  const failed = (await api.post('/api/payments', cardBody(invoice.id, cardNumbers.declined))).json;
  await eventsOf();
  const completed = (await api.post('/api/payments', cardBody(invoice.id))).json;
  expect(await eventsOf()).toEqual([
    ['invoice.created', 1, invoice],
    ['payment.failed', 2, failed],
    ['payment.completed', 2, completed],
    ['invoice.paid', 2, await shown(api, 'invoices', invoice.id)],
  ]);
});

test('a refund emits its outcome, and raises the object version of its payment without an event', async () => {
  const { api, eventsOf } = await newObserved();
  const invoice = await newInvoice(api);
  const payment = (await api.post('/api/payments', cardBody(invoice.id))).json;
  const paid = await shown(api, 'invoices', invoice.id);
  const before = (await eventsOf()).length;
  expect(await objectVersionOf(payment.id)).toBe(2);
  const settled = [];
  for (const amount of [1000, 1500]) {
    const { id } = (await api.post('/api/refunds', { paymentId: payment.id, amount })).json;
    settled.push(await waitForOutcome(api, 'refunds', id));
    expect(await objectVersionOf(payment.id)).toBe(2 + settled.length);
  }
  expect((await eventsOf()).slice(before)).toEqual(settled.map((refund) => ['refund.processed', 2, refund]));
  expect(await shown(api, 'payments', payment.id)).toMatchObject({
    status: 'completed',
    amountRefunded: 2500,
  });
  expect(await shown(api, 'invoices', invoice.id)).toEqual(paid);
});

test('a refund that fails emits refund.failed, and changes nothing that the payment shows', async () => {
  const { api, eventsOf } = await newObserved();
  const invoice = await newInvoice(api);
  const payment = (await api.post('/api/payments', cardBody(invoice.id, cardNumbers.refundFails))).json;
  const before = (await eventsOf()).length;
  const { id } = (await api.post('/api/refunds', { paymentId: payment.id })).json;
  const failed = await waitForOutcome(api, 'refunds', id);
  expect(failed.status).toBe('failed');
  expect((await eventsOf()).slice(before)).toEqual([['refund.failed', 2, failed]]);
  expect(await shown(api, 'payments', payment.id)).toEqual(payment);
  expect(await objectVersionOf(payment.id)).toBe(2);
});

test('rejected, pending and repeated requests emit no event', async () => {
  const { api, eventsOf } = await newObserved();
  const { id } = await newInvoice(api);
  const options = { headers: { 'Idempotency-Key': 'key' } };
  await stack.queues.pause();
  const pending = await api.post('/api/payments', cardBody(id, cardNumbers.slow), options);
  await api.post('/api/payments', cardBody(id, cardNumbers.slow), options);
  await api.post('/api/payments', offlineBody(id));
  await api.post('/api/payments', offlineBody(id, { amount: 1 }));
  await api.post('/api/refunds', { paymentId: pending.json.id });
  expect((await eventsOf()).map(([type]) => type)).toEqual(['invoice.created']);
  stack.queues.resume();
  await waitForOutcome(api, 'payments', pending.json.id);
  await api.post('/api/payments', cardBody(id, cardNumbers.slow), options);
  const { id: refund } = (await api.post('/api/refunds', { paymentId: pending.json.id, amount: 1 })).json;
  await waitForOutcome(api, 'refunds', refund);
  expect((await eventsOf()).map(([type]) => type)).toEqual([
    'invoice.created',
    'payment.completed',
    'invoice.paid',
    'refund.processed',
  ]);
});
