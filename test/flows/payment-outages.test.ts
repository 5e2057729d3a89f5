import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { testProvider } from '../../shared/payments/test-provider.ts';
import { keys } from '../../shared/store/keys.ts';
import { invoiceBody } from '../support/api.ts';
import type { Observed } from '../support/chains-agree.ts';
import type { TestClock } from '../support/clock.ts';
import { comeToRest } from '../support/come-to-rest.ts';
import { type Deaths, invokeWorker, messageEvent } from '../support/dying-workers.ts';
import { errorAnswer, type Fault, faultOn, type Interception, intercept } from '../support/faults.ts';
import { invocationHeader } from '../support/invocations.ts';
import { agreedMoney } from '../support/money-agrees.ts';
import { type MortalStack, startMortalStack } from '../support/mortal-stack.ts';
import { cardBody, cards } from '../support/pay.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import type { TestTable } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let client: Observed;
let invoiceId: string;
let provider: Interception | undefined;
let deaths: Deaths;
let mortal: MortalStack;

beforeAll(async () => {
  mortal = await startMortalStack();
  ({ stack, table, clock, deaths } = mortal);
});
beforeEach(async () => {
  client = await mortal.newClient();
  invoiceId = (await client.api.post('/api/invoices', invoiceBody())).json.id;
});
afterEach(() => {
  provider?.remove();
  stack.stream.resume();
  stack.queues.resume();
});
afterAll(() => mortal.close());

const pay = (number: string, headers: Record<string, string> = {}) =>
  client.api.post('/api/payments', cardBody(invoiceId, number), { headers });
const paymentOf = async (id: string) => (await client.api.get(`/api/payments/${id}`)).json;
const invoiceStatus = async () => (await client.api.get(`/api/invoices/${invoiceId}`)).json.status;
const rest = () => comeToRest({ stack, table, clock });

/** What the provider is asked to enter meets `fault`, the first time. */
function troubleWith(fault: Fault): void {
  const isEntry = ({ operation, body }: { operation: string; body: string }) =>
    operation === 'PutItem' && body.includes('TESTPROVIDER#');
  provider = intercept(faultOn(isEntry, fault));
}

/** An error that nobody tries again. */
const broken = errorAnswer('ValidationException');

/** Lets the worker look at the payment now, as a message that comes at this moment would. */
async function look(id: string): Promise<void> {
  const message = { due: clock.now(), kind: 'payment', reference: id, minute: 1 };
  expect(await invokeWorker('looks', triggers.settlePayment.handler, messageEvent(message))).toBe(false);
}

test('the provider fails before it took anything: the payment is pending, later it fails, and can be made anew', async () => {
  troubleWith(broken);
  const { status, json } = await pay(cards.completes, { 'Idempotency-Key': 'one' });
  expect({ status, payment: json.status }).toEqual({ status: 201, payment: 'pending' });
  expect((await pay(cards.completes)).json.error.code).toBe('payment_in_progress');
  await rest();
  expect(await paymentOf(json.id)).toMatchObject({ status: 'failed', failureCode: 'processing_error' });
  expect((await pay(cards.completes)).json.status).toBe('completed');
  await rest();
  expect((await agreedMoney(client)).payments).toHaveLength(2);
});

test('the answer is lost after the provider took the money: the payment is pending, later it completes', async () => {
  troubleWith(async (call, send) => {
    await send();
    return broken(call, send);
  });
  const { json } = await pay(cards.completes, { 'Idempotency-Key': 'one' });
  expect(json.status).toBe('pending');
  await rest();
  const { payments } = await agreedMoney(client);
  expect(payments).toEqual([{ ...json, status: 'completed', updatedAt: expect.any(String) }]);
  // What was answered stays the answer.
  expect((await pay(cards.completes, { 'Idempotency-Key': 'one' })).json).toEqual(json);
});

test('nobody repeats a request that died: after a minute, not before, its payment is given up', async () => {
  deaths.set('abandoned', { at: 'PutItem', fate: 'dies before' });
  const key = { 'Idempotency-Key': 'abandoned' };
  await expect(pay(cards.completes, { ...key, [invocationHeader]: 'abandoned' })).rejects.toThrow();
  const id = (await table.get(keys.record(invoiceId)))?.paymentInProgress;
  clock.advance(minuteMs - 1);
  await look(id);
  expect((await paymentOf(id)).status).toBe('pending');
  clock.advance(1);
  await look(id);
  expect(await paymentOf(id)).toMatchObject({ status: 'failed', failureCode: 'processing_error' });
  expect(await invoiceStatus()).toBe('pending');
  // Whoever is late is refused, be it the capture itself or the request under its key.
  const card = { number: cards.completes, expMonth: 12, expYear: 2090, cvc: '123' };
  const capture = { key: id, amountMinor: 2500, currency: 'USD', card } as const;
  expect(await testProvider.capture(capture)).toEqual({ kind: 'refused', code: 'processing_error' });
  expect(await pay(cards.completes, key)).toMatchObject({ status: 201, json: { id, status: 'failed' } });
  expect((await pay(cards.completes)).json.status).toBe('completed');
  await rest();
  expect((await agreedMoney(client)).payments.map(({ status }) => status)).toEqual(['failed', 'completed']);
});

test.each([
  ['before it reached the provider: it was given up meanwhile', 'before', 'failed'],
  ['on the way back from the provider: it was completed meanwhile', 'after', 'completed'],
] as const)('a capture is held up for a minute %s, and the request learns that', async (_, when, status) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let waiting = false;
  troubleWith(async (_, send) => {
    const answer = when === 'after' ? await send() : undefined;
    waiting = true;
    await held;
    return answer ?? send();
  });
  const key = { 'Idempotency-Key': 'slow' };
  const slow = pay(cards.completes, key);
  await waitUntil('the capture is held up', () => waiting);
  clock.advance(minuteMs);
  const id = (await table.get(keys.record(invoiceId)))?.paymentInProgress;
  await look(id);
  expect((await paymentOf(id)).status).toBe(status);
  release();
  const answer = await slow;
  expect(answer).toMatchObject({ status: 201, json: { id, status } });
  expect((await pay(cards.completes, key)).text).toBe(answer.text);
  await rest();
  expect((await agreedMoney(client)).payments).toHaveLength(1);
});

test('stream silent for ten minutes and queues purged: open payments and refunds are done by their timers', async () => {
  const { json: paid } = await pay(cards.completes);
  await rest();
  await stack.stream.pause();
  await stack.queues.pause();
  const { json: refund } = await client.api.post('/api/refunds', { paymentId: paid.id, amount: 700 });
  invoiceId = (await client.api.post('/api/invoices', invoiceBody())).json.id;
  const { json: open } = await pay(cards.settlesLater);
  expect([refund.status, open.status]).toEqual(['pending', 'pending']);
  clock.advance(10 * minuteMs);
  await stack.schedule.run();
  expect(await table.outboxOf(client.owner)).toEqual([]);
  await purgeQueues(stack);
  expect([(await paymentOf(open.id)).status, await invoiceStatus()]).toEqual(['pending', 'pending']);
  await stack.stream.pause();
  stack.queues.resume();
  clock.advance(3 * minuteMs);
  await stack.schedule.run();
  await waitUntil('the payment is completed', async () => (await paymentOf(open.id)).status === 'completed');
  await waitUntil('the refund is processed', async () => (await paymentOf(paid.id)).amountRefunded === 700);
  await rest();
  const { refunds } = await agreedMoney(client);
  expect(refunds).toEqual([{ ...refund, status: 'processed', updatedAt: expect.any(String) }]);
});
