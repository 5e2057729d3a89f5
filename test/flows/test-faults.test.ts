/** Tests the header `X-Test-Fault`: the answers that it changes, what stays stored, and the webhooks that it disturbs. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { TimerMessage } from '../../shared/store/timers/timer-item.ts';
import { cardBody, cardNumbers } from '../api/payments/new-payment.ts';
import { apiOf, invoiceBody, listenToRequestLog, newAccount } from '../support/api.ts';
import type { HttpResponse } from '../support/http.ts';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';

let testStack: WebhookTestStack;

beforeAll(async () => {
  testStack = await startWebhookTestStack();
});
afterEach(() => testStack.receiver.respondWith());
afterAll(() => testStack.close());

const faultOf = (fault: string | readonly string[], key?: string) => ({
  headers: { 'X-Test-Fault': fault, ...(key && { 'Idempotency-Key': key }) },
});
const underKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const errorOf = ({ status, json }: HttpResponse) => [status, json.error?.code];
const remainingOf = ({ headers }: HttpResponse) => Number(headers['x-ratelimit-remaining']);

test('before-commit: 500, and nothing happened: no invoice, no number, no stored answer, no call but the two that authorize', async () => {
  const { api } = await testStack.newOwner(0);
  const log = await listenToRequestLog();
  // Reads the public keys of the API keys, once for each instance.
  await api.get('/api/invoices');
  const failed = await api.post('/api/invoices', invoiceBody(), faultOf('before-commit', 'k'));
  expect(errorOf(failed)).toEqual([500, 'internal_error']);
  expect(failed.json.error.message).toContain('X-Test-Fault');
  expect(log.lineOf(failed)).toMatchObject({ dynamodbCalls: 2, testFault: 'before-commit' });
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(0);
  const created = await api.post('/api/invoices', invoiceBody(), underKey('k'));
  expect(created.status).toBe(201);
  expect(created.headers['idempotent-replayed']).toBeUndefined();
  expect(errorOf(await api.post('/api/invoices', invoiceBody(), faultOf('before-commit', 'k')))[0]).toBe(500);
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(1);
  expect(errorOf(await api.get('/api/invoices', faultOf('before-commit')))[0]).toBe(500);
});

test('after-commit: the retry under the same key gets the stored answer, also with the same header; without a key it happens twice', async () => {
  const { api } = await testStack.newOwner(0);
  const lose = () => api.post('/api/invoices', invoiceBody(), faultOf('after-commit', 'k'));
  expect(errorOf(await lose())).toEqual([500, 'internal_error']);
  const again = await lose();
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
  const plain = await api.post('/api/invoices', invoiceBody(), underKey('k'));
  expect(plain.text).toBe(again.text);
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(1);
  for (let time = 0; time < 2; time++)
    expect((await api.post('/api/invoices', invoiceBody(), faultOf('after-commit'))).status).toBe(500);
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(3);
});

test('after-commit: a lost answer to a card payment is found again under its key', async () => {
  const { api } = await testStack.newOwner(0);
  const { id } = (await api.post('/api/invoices', invoiceBody())).json;
  const pay = (options: object) => api.post('/api/payments', cardBody(id, cardNumbers.good), options);
  expect((await pay(faultOf('after-commit', 'k'))).status).toBe(500);
  const again = await pay(underKey('k'));
  expect([again.status, again.json.status]).toEqual([201, 'completed']);
  expect((await api.get('/api/payments')).json.pagination.total).toBe(1);
});

test('slow: the answer waits after the effect, counts as more requests, and a retry under the key does not wait', async () => {
  const { api } = await testStack.newOwner(0);
  const before = remainingOf(await api.get('/api/invoices'));
  const log = await listenToRequestLog();
  const slow = () => api.post('/api/invoices', invoiceBody(), faultOf('slow=300', 'k'));
  const waiting = slow();
  const first = await waiting;
  expect(first.status).toBe(201);
  expect(remainingOf(first)).toBe(before - 3);
  const again = await slow();
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  expect(log.lineOf(again)).toMatchObject({ testFault: 'slow' });
});

test('rate-limited: 429 with the headers of the real limit; it counts as one request and does nothing', async () => {
  const { api } = await testStack.newOwner(0);
  const before = remainingOf(await api.get('/api/invoices'));
  const limited = await api.post('/api/invoices', invoiceBody(), faultOf('rate-limited', 'k'));
  expect(errorOf(limited)).toEqual([429, 'rate_limit_exceeded']);
  expect(remainingOf(limited)).toBe(0);
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  const after = await api.get('/api/invoices');
  expect(remainingOf(after)).toBe(before - 2);
  expect(after.json.pagination.total).toBe(0);
  expect((await api.post('/api/invoices', invoiceBody(), underKey('k'))).status).toBe(201);
});

test('an unknown fault, a bad number and two headers are 400 and have no effect', async () => {
  const { api } = await testStack.newOwner(0);
  for (const fault of [
    'sometimes',
    'slow=0',
    'slow=10001',
    'delay=86401',
    '',
    'drop,twice',
    ['drop', 'drop'],
  ]) {
    const refused = await api.post('/api/invoices', invoiceBody(), faultOf(fault));
    expect(errorOf(refused)).toEqual([400, 'invalid_test_fault']);
    expect(refused.json.error).toMatchObject({ type: 'validation_error', field: 'X-Test-Fault' });
    expect(refused.json.error.message).toMatch(/X-Test-Fault .* drop.* leave it out/);
  }
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(0);
});

test('a live key gets 400 for every fault, without effect, wait or additional count', async () => {
  const { live } = await newAccount(testStack.stack.baseUrl);
  const before = remainingOf(await live.get('/api/invoices'));
  const faults = [
    'before-commit',
    'after-commit',
    'slow=10000',
    'rate-limited',
    'drop',
    'twice',
    'reorder',
    'delay=9',
  ];
  for (const fault of faults)
    expect(errorOf(await live.post('/api/invoices', invoiceBody(), faultOf(fault)))).toEqual([
      400,
      'test_fault_in_live_mode',
    ]);
  const after = await live.get('/api/invoices');
  expect(after.json.pagination.total).toBe(0);
  expect(remainingOf(after)).toBe(before - faults.length - 1);
});

test('without a valid key, a fault changes nothing', async () => {
  const { baseUrl } = testStack.stack;
  for (const fault of ['before-commit', 'slow=10000', 'rate-limited']) {
    for (const key of [undefined, 'sk_test_none'])
      expect((await apiOf(baseUrl, key).get('/api/invoices', faultOf(fault))).status).toBe(401);
    expect((await apiOf(baseUrl, undefined).get('/openapi.json', faultOf(fault))).status).toBe(200);
    expect((await apiOf(baseUrl, undefined).get('/nothing', faultOf(fault))).status).toBe(404);
  }
});

test('drop: the first attempt is counted as failed and not sent, and the event arrives with the retry', async () => {
  const owner = await testStack.newOwner();
  await owner.api.post('/api/invoices', invoiceBody(), faultOf('drop'));
  expect(await testStack.runToEnd(owner)).toMatchObject([
    {
      status: 'succeeded',
      attempts: [
        { number: 1, error: 'dropped_by_test' },
        { number: 2, status: 200 },
      ],
    },
  ]);
  expect(owner.messagesTo(0)).toHaveLength(1);
});

test('twice: the event arrives twice under one id, to each endpoint', async () => {
  const owner = await testStack.newOwner(2);
  await owner.api.post('/api/invoices', invoiceBody(), faultOf('twice'));
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries).toHaveLength(2);
  for (const { status, attempts } of deliveries)
    expect([status, attempts.map((attempt: { status: number }) => attempt.status)]).toEqual([
      'succeeded',
      [200, 200],
    ]);
  for (const endpoint of [0, 1]) {
    const messages = owner.messagesTo(endpoint);
    expect(messages).toHaveLength(2);
    expect(new Set(messages.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  }
});

test('twice: if the second attempt fails, it is retried, and a redelivery in between ends it', async () => {
  const owner = await testStack.newOwner();
  testStack.receiver.respondWith(() => ({ status: owner.messagesTo(0).length === 2 ? 500 : 200 }));
  await owner.api.post('/api/invoices', invoiceBody(), faultOf('twice'));
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
  expect(owner.messagesTo(0)).toHaveLength(3);
});

test('delay: the first attempt is due after these seconds and not before', async () => {
  const owner = await testStack.newOwner();
  const { json: invoice } = await owner.api.post('/api/invoices', invoiceBody(), faultOf('delay=600'));
  await testStack.relay(owner);
  await testStack.handleDue(owner);
  expect(owner.messagesTo(0)).toHaveLength(0);
  const { nextAttemptAt, createdAt } = await owner.deliveryTo(0);
  expect([createdAt, nextAttemptAt]).toEqual([
    Date.parse(invoice.createdAt),
    Date.parse(invoice.createdAt) + 600_000,
  ]);
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
  expect(owner.messagesTo(0)).toHaveLength(1);
});

test('reorder: later events of the object arrive first, those of later requests too', async () => {
  const owner = await testStack.newOwner(1, ['*', 'invoice.updated']);
  const { json: invoice } = await owner.api.post('/api/invoices', invoiceBody(), faultOf('reorder'));
  await owner.api.patch(`/api/invoices/${invoice.id}`, { amount: 9 });
  const paid = await owner.api.post(
    '/api/payments',
    { invoiceId: invoice.id, method: 'offline' },
    faultOf('reorder'),
  );
  expect(paid.status).toBe(201);
  await testStack.runToEnd(owner);
  const types = owner.messagesTo(0).map(({ body }) => JSON.parse(String(body)).type);
  expect(types[0]).toBe('invoice.updated');
  expect(types.indexOf('invoice.paid')).toBeLessThan(types.indexOf('payment.completed'));
  expect(types).toHaveLength(4);
});

test('the events of a card payment and of a refund have the fault of their request, and a replay does not change it', async () => {
  const owner = await testStack.newOwner(1, ['*']);
  const { id } = (await owner.api.post('/api/invoices', invoiceBody())).json;
  const pay = (fault: string) =>
    owner.api.post('/api/payments', cardBody(id, cardNumbers.good), faultOf(fault, 'k'));
  const paid = await pay('drop');
  expect((await pay('twice')).text).toBe(paid.text);
  const body = { paymentId: paid.json.id };
  const refund = await owner.api.post('/api/refunds', body, faultOf('twice', 'r'));
  expect((await owner.api.post('/api/refunds', body, faultOf('drop', 'r'))).text).toBe(refund.text);
  expect(JSON.stringify([paid.json, refund.json])).not.toContain('Fault');
  await processRefunds(owner);
  const deliveries = await testStack.runToEnd(owner);
  const attemptsOf = (type: string) => deliveries.find(({ eventType }) => eventType === type)?.attempts;
  const dropped = [{ error: 'dropped_by_test' }, { status: 200 }];
  expect(attemptsOf('invoice.created')).toMatchObject([{ status: 200 }]);
  expect(attemptsOf('payment.completed')).toMatchObject(dropped);
  expect(attemptsOf('invoice.paid')).toMatchObject(dropped);
  expect(attemptsOf('refund.processed')).toMatchObject([{ status: 200 }, { status: 200 }]);
});

/** Carries out the pending refunds of an owner, as the worker does. */
async function processRefunds(owner: WebhookOwner): Promise<void> {
  const { processRefund } = await import('../../shared/domain/refunds/processing.ts');
  await testStack.relay(owner);
  const refunds = (await owner.table.all('TIMER#')).filter(({ kind }) => kind === 'refund');
  for (const timer of refunds) await processRefund(timer as unknown as TimerMessage, testStack.clock.now());
}
