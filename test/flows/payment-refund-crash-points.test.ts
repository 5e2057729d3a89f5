/** Tests that a refund whose process crashes at any call refunds the money once, with or without a repeated request. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { findIdempotencyRecord } from '../model/audit-table.ts';
import { expectConsistentMoney } from '../model/expect-consistent-money.ts';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import { invoiceBody } from '../support/api.ts';
import type { TestClock } from '../support/clock.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import type { CrashPlan } from '../support/crashing-workers.ts';
import type { FaultLayer, ScriptedFault } from '../support/fault-layer.ts';
import { invocationHeader } from '../support/invocations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import type { TestTable } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let layer: FaultLayer;
let client: AccountUnderTest;
let crashes: CrashPlan;
let crashStack: CrashTestStack;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  ({ stack, table, clock, layer, crashes } = crashStack);
});
beforeEach(async () => {
  client = await crashStack.newClient();
});
afterAll(() => crashStack.close());

/** The request makes fewer calls. */
const mostCalls = 10;
let count = 0;

/**
 * Makes a full refund whose process crashes at call `at`. Then the client repeats it or makes a new refund. Returns
 * undefined if the request does not make that many calls.
 */
async function crash(at: number, fault: ScriptedFault, repeats: boolean) {
  const { api, owner } = client;
  const { id: invoiceId } = (await api.post('/api/invoices', invoiceBody())).json;
  const { id: paymentId } = (await api.post('/api/payments', cardPaymentBody(invoiceId, cards.completes)))
    .json;
  const label = `refund-${count++}`;
  crashes.set(label, { at, fault });
  const send = (headers = {}) =>
    api.post(
      '/api/refunds',
      { paymentId },
      { headers: { ...(repeats && { 'Idempotency-Key': label }), ...headers } },
    );
  const first = await send({ [invocationHeader]: label }).catch(() => undefined);
  await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
  if (first) return undefined;

  const hadEffect = (await table.all('ref_')).some((refund) => refund.paymentId === paymentId);
  if (repeats) {
    expect(findIdempotencyRecord(await table.all('IDEMPOTENCY#'), owner, label) !== undefined).toBe(
      hadEffect,
    );
  }
  const answer = await send();
  if (repeats || !hadEffect)
    expect(answer).toMatchObject({ status: 201, json: { status: 'pending', amount: 2500 } });
  else expect(answer.json.error.code).toBe('refund_exceeds_payment');
  if (repeats) {
    expect(answer.headers['idempotent-replayed']).toBe(hadEffect ? 'true' : undefined);
    expect((await send()).text).toBe(answer.text);
    // The stream is paused, so the request itself has updated the list.
    expect((await api.get(`/api/refunds?paymentId=${paymentId}`)).json.pagination.total).toBe(1);
  }
  return { hadEffect, paymentId };
}

test.each([
  { next: 'repeated', repeats: true },
  { next: 'followed by a new refund', repeats: false },
])('a refund, $next: after a crash at any call, the money is refunded once', async ({ repeats }) => {
  await stack.stream.pause();
  await stack.queues.pause();
  const cases = Array.from({ length: mostCalls }, (_, at) => [
    crash(at, 'crash before call', repeats),
    crash(at, 'crash after call', repeats),
  ]).flat();
  const crashed = (await Promise.all(cases)).flatMap((outcome) => outcome ?? []);
  await runUntilQuiescent({ stack, table, clock });
  const { payments, refunds } = await expectConsistentMoney(client);
  for (const { paymentId } of crashed) {
    const own = refunds.filter((refund) => refund.paymentId === paymentId);
    expect(own.map(({ status, amount }) => ({ status, amount }))).toEqual([
      { status: 'processed', amount: 2500 },
    ]);
    expect(payments.find(({ id }) => id === paymentId).amountRefunded).toBe(2500);
  }
  expect(new Set(crashed.map(({ hadEffect }) => hadEffect))).toEqual(new Set([false, true]));
  expect(crashed.length).toBeLessThan(cases.length);
});
