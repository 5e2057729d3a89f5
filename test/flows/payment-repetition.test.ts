/** Tests a repeated payment request that runs in parallel with the first request. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { realClock } from '../../shared/base/clock.ts';
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

test('a repetition that found the operation pending, and gets its outcome, returns the response of the first request', async () => {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const { id: invoiceId } = (await api.post('/api/invoices', invoiceBody())).json;
  const card = { number: '4000000000000077', expMonth: 12, expYear: 2099, cvc: '123' };
  const headers = { 'Idempotency-Key': 'once' };
  const first = await api.post('/api/payments', { invoiceId, method: 'card', card }, { headers });
  expect(first.json.status).toBe('pending');

  // The repetition resumes the pending operation after the first request. Now the provider knows the outcome.
  clock.advance(3_000);
  const { captureAndSettle } = await import('../../shared/domain/payments/settlement.ts');
  const { testProvider: provider } = await import('../../shared/domain/payments/provider/test-provider.ts');
  const owner = { account: accountId, mode: 'test' } as const;
  const keyHash = createHash('sha256').update('once').digest('base64url');
  const key = { owner, keyHash, fingerprint: '', status: 201, matches: async () => true };
  const { id } = first.json;
  const again = await captureAndSettle({
    owner,
    id,
    records: undefined,
    card,
    provider,
    key,
    clock: realClock(clock.now()),
  });
  // The stored answer has all fields. The first version of the API shows fewer.
  const offline = {
    receivedOn: null,
    bank: null,
    note: null,
    settle: null,
    voidedAt: null,
    voidReason: null,
    statementRow: null,
  };
  const later = { amountOver: 0, fees: null, ...offline };
  const answer = { ...first.json, metadata: {}, pendingReason: 'processing', ...later };
  expect(again).toEqual({ answer, replayed: { status: 201, body: expect.any(String) } });
  expect(JSON.parse(again.replayed?.body ?? '')).toEqual(answer);
  expect((await api.get(`/api/payments/${id}`)).json.status).toBe('completed');
  expect((await api.get(`/api/invoices/${invoiceId}`)).json.status).toBe('paid');
});
