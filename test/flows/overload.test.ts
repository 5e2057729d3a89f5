/**
 * Tests requests that DynamoDB throttles until their deadline: they get 429 and have no effect, and a repetition
 * succeeds. The functions have a short timeout here.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { countStatuses, sendBurst } from '../support/burst.ts';
import { type FaultLayer, installFaults } from '../support/fault-layer.ts';
import {
  type DynamodbAttempt,
  injectFault,
  interceptCalls,
  respondWithError,
} from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';

/** The deadline is two seconds before. */
const requestTimeoutMs = 6_000;
let stack: Stack;
let layer: FaultLayer;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, requestTimeoutMs });
  layer = await installFaults({ seed: 1 });
});
afterAll(async () => {
  layer.remove();
  await stack.close();
});

test('what the account state cannot serve in time is 429, and does not count against the rate limit', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  layer.setPlan({ seed: 1, limits: { item: { write: 4 } } });
  const responses = await sendBurst('list', 60, (_, options) => api.get('/api/invoices', options));
  layer.setPlan({ seed: 1 });
  const counts = countStatuses(responses);
  expect(Object.keys(counts)).toEqual(['200', '429']);
  const refused = responses.filter(({ status }) => status === 429);
  for (const { json, headers } of refused) {
    expect(json.error.code).toBe('rate_limit_exceeded');
    expect(['1', '2', '3', '4', '5']).toContain(headers['retry-after']);
  }
  const next = await api.get('/api/invoices');
  expect(next.headers['x-ratelimit-remaining']).toBe(String(5000 - (counts[200] ?? 0) - 1));
});

test('of creates beyond the capacity of their account, 429 means no effect and 500 a stored answer', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const create = (number: number, options: object) =>
    api.post('/api/invoices', invoiceBody({ description: `Number ${number}` }), options);
  layer.setPlan({ seed: 1, limits: { partition: { write: 8 } } });
  const first = await sendBurst('create', 60, create);
  layer.setPlan({ seed: 1 });
  expect(countStatuses(first)[201]).toBeGreaterThan(5);
  expect(countStatuses(first)[429]).toBeGreaterThan(5);

  const again = await sendBurst('create', 60, create);
  expect(countStatuses(again)).toEqual({ 201: 60 });
  for (const [number, { status, text }] of first.entries()) {
    const repetition = again[number];
    const isReplayed = repetition?.headers['idempotent-replayed'] === 'true';
    expect({ number, status, isReplayed }).toEqual({ number, status, isReplayed: status !== 429 });
    if (status === 201) expect(repetition?.text).toBe(text);
  }
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(60);
});

test('a create whose index pages are throttled is 500, and its repetition gets the stored answer', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const isIndexUpdate = ({ operation, body }: DynamodbAttempt) =>
    operation === 'UpdateItem' && body.includes('"INDEX#');
  const throttle = respondWithError('ThrottlingException');
  const interception = interceptCalls(injectFault(isIndexUpdate, throttle, Number.POSITIVE_INFINITY));
  const create = () =>
    api.post('/api/invoices', invoiceBody(), { headers: { 'Idempotency-Key': 'throttled pages' } });
  expect((await create()).status).toBe(500);
  interception.remove();
  const again = await create();
  expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect((await api.get('/api/invoices')).json.pagination.total).toBe(1);
});
