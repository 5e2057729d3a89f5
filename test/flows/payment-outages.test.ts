/** Tests payments while the provider fails or is slow, and while stream, queues and sweep do not run. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { testProvider } from '../../shared/domain/payments/provider/test-provider.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { expectConsistentMoney } from '../model/expect-consistent-money.ts';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import { invoiceBody } from '../support/api.ts';
import type { TestClock } from '../support/clock.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { type CrashPlan, invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import {
  type FaultHandler,
  type Interception,
  injectFault,
  interceptCalls,
  respondWithError,
} from '../support/intercept-calls.ts';
import { invocationHeader } from '../support/invocations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import type { TestTable } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let client: AccountUnderTest;
let invoiceId: string;
let provider: Interception | undefined;
let crashes: CrashPlan;
let crashStack: CrashTestStack;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  ({ stack, table, clock, crashes } = crashStack);
});
beforeEach(async () => {
  client = await crashStack.newClient();
  invoiceId = (await client.api.post('/api/invoices', invoiceBody())).json.id;
});
afterEach(() => {
  provider?.remove();
  stack.stream.resume();
  stack.queues.resume();
});
afterAll(() => crashStack.close());

const pay = (number: string, headers: Record<string, string> = {}) =>
  client.api.post('/api/payments', cardPaymentBody(invoiceId, number), { headers });
const paymentOf = async (id: string) => (await client.api.get(`/api/payments/${id}`)).json;
const invoiceStatus = async () => (await client.api.get(`/api/invoices/${invoiceId}`)).json.status;
const finish = () => runUntilQuiescent({ stack, table, clock });

/** Injects `fault` into the first call with which the test provider stores an operation. */
function injectProviderFault(fault: FaultHandler): void {
  const isStored = ({ operation, body }: { operation: string; body: string }) =>
    operation === 'PutItem' && body.includes('TESTPROVIDER#');
  provider = interceptCalls(injectFault(isStored, fault));
}

/** An error that is not retried. */
const failed = respondWithError('ValidationException');

/** Runs the worker on the timer of a payment, as if its message arrived now. */
async function pollNow(id: string): Promise<void> {
  const message = { due: clock.now(), kind: 'payment', reference: id, minute: 1 };
  expect(await invokeWorker('poll', triggers.settlePayment.handler, toQueueEvent(message))).toBe(false);
}

test('if the provider fails before it takes money, the payment is pending, fails later, and can be repeated', async () => {
  injectProviderFault(failed);
  const { status, json } = await pay(cards.completes, { 'Idempotency-Key': 'one' });
  expect({ status, payment: json.status }).toEqual({ status: 201, payment: 'pending' });
  expect((await pay(cards.completes)).json.error.code).toBe('payment_in_progress');
  await finish();
  expect(await paymentOf(json.id)).toMatchObject({ status: 'failed', failureCode: 'processing_error' });
  expect((await pay(cards.completes)).json.status).toBe('completed');
  await finish();
  expect((await expectConsistentMoney(client)).payments).toHaveLength(2);
});

test('if the answer is lost after the provider took money, the payment is pending and completes later', async () => {
  injectProviderFault(async (call, send) => {
    await send();
    return failed(call, send);
  });
  const { json } = await pay(cards.completes, { 'Idempotency-Key': 'one' });
  expect(json.status).toBe('pending');
  await finish();
  const { payments } = await expectConsistentMoney(client);
  expect(payments).toEqual([{ ...json, status: 'completed', updatedAt: expect.any(String) }]);
  // A replay still returns the first response.
  expect((await pay(cards.completes, { 'Idempotency-Key': 'one' })).json).toEqual(json);
});

test('after a crashed request that is not repeated, its payment fails after a minute, not before', async () => {
  crashes.set('abandoned', { at: 'PutItem', fault: 'crash before call' });
  const key = { 'Idempotency-Key': 'abandoned' };
  await expect(pay(cards.completes, { ...key, [invocationHeader]: 'abandoned' })).rejects.toThrow();
  const id = (await table.get(tableKeys.record(invoiceId)))?.paymentInProgress;
  clock.advance(minuteMs - 1);
  await pollNow(id);
  expect((await paymentOf(id)).status).toBe('pending');
  clock.advance(1);
  await pollNow(id);
  expect(await paymentOf(id)).toMatchObject({ status: 'failed', failureCode: 'processing_error' });
  expect(await invoiceStatus()).toBe('pending');
  // A late capture is refused, and a late repetition returns the failed payment.
  const card = { number: cards.completes, expMonth: 12, expYear: 2090, cvc: '123' };
  const capture = { key: id, amountMinor: 2500, currency: 'USD', card } as const;
  expect(await testProvider.capture(capture)).toEqual({ kind: 'refused', code: 'processing_error' });
  expect(await pay(cards.completes, key)).toMatchObject({ status: 201, json: { id, status: 'failed' } });
  expect((await pay(cards.completes)).json.status).toBe('completed');
  await finish();
  expect((await expectConsistentMoney(client)).payments.map(({ status }) => status)).toEqual([
    'failed',
    'completed',
  ]);
});

test.each([
  ['before it reaches the provider: the payment fails meanwhile', 'before', 'failed'],
  ['after the provider has taken the money: the payment completes meanwhile', 'after', 'completed'],
] as const)('a capture is delayed for a minute %s, and the response shows that', async (_, when, status) => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isWaiting = false;
  injectProviderFault(async (_, send) => {
    const answer = when === 'after' ? await send() : undefined;
    isWaiting = true;
    await released;
    return answer ?? send();
  });
  const key = { 'Idempotency-Key': 'slow' };
  const slow = pay(cards.completes, key);
  await waitUntil('the capture is delayed', () => isWaiting);
  clock.advance(minuteMs);
  const id = (await table.get(tableKeys.record(invoiceId)))?.paymentInProgress;
  await pollNow(id);
  expect((await paymentOf(id)).status).toBe(status);
  release();
  const response = await slow;
  expect(response).toMatchObject({ status: 201, json: { id, status } });
  expect((await pay(cards.completes, key)).text).toBe(response.text);
  await finish();
  expect((await expectConsistentMoney(client)).payments).toHaveLength(1);
});

test('if the stream stops for ten minutes and the queues are purged, timers complete pending payments and refunds', async () => {
  const { json: paid } = await pay(cards.completes);
  await finish();
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
  await finish();
  const { refunds } = await expectConsistentMoney(client);
  expect(refunds).toEqual([{ ...refund, status: 'processed', updatedAt: expect.any(String) }]);
});
