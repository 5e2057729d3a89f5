import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let clock: TestClock;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  clock = stopClock();
});
afterAll(() => stack.close());

test('a repetition that found the intent open, and learns the outcome, repeats the answer that was given meanwhile', async () => {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const { id: invoiceId } = (await api.post('/api/invoices', invoiceBody())).json;
  const card = { number: '4000000000000077', expMonth: 12, expYear: 2099, cvc: '123' };
  const headers = { 'Idempotency-Key': 'once' };
  const first = await api.post('/api/payments', { invoiceId, method: 'card', card }, { headers });
  expect(first.json.status).toBe('pending');

  // The repetition goes on from the intent, later than the first request; by now the provider knows.
  clock.advance(3_000);
  const { captureAndSettle } = await import('../../shared/payments/settlement.ts');
  const { testProvider: provider } = await import('../../shared/payments/test-provider.ts');
  const owner = { account: accountId, mode: 'test' } as const;
  const keyHash = createHash('sha256').update('once').digest('base64url');
  const key = { owner, keyHash, fingerprint: '', matches: async () => true };
  const { id } = first.json;
  const again = await captureAndSettle({
    ...{ owner, id, records: undefined, card, provider, key, now: clock.now() },
  });
  expect(again).toEqual({ status: 201, body: first.text, replayed: true });
  expect((await api.get(`/api/payments/${id}`)).json.status).toBe('completed');
  expect((await api.get(`/api/invoices/${invoiceId}`)).json.status).toBe('paid');
});
