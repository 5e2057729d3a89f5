import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody } from '../support/api.ts';
import { idempotencyOf } from '../support/audit-table.ts';
import type { Observed } from '../support/chains-agree.ts';
import type { TestClock } from '../support/clock.ts';
import { comeToRest } from '../support/come-to-rest.ts';
import type { Deaths } from '../support/dying-workers.ts';
import type { Fate, FaultLayer } from '../support/fault-layer.ts';
import { invocationHeader } from '../support/invocations.ts';
import { agreedMoney } from '../support/money-agrees.ts';
import { type MortalStack, startMortalStack } from '../support/mortal-stack.ts';
import { cardBody, cards } from '../support/pay.ts';
import type { TestTable } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let layer: FaultLayer;
let client: Observed;
let deaths: Deaths;
let mortal: MortalStack;

beforeAll(async () => {
  mortal = await startMortalStack();
  ({ stack, table, clock, layer, deaths } = mortal);
});
beforeEach(async () => {
  client = await mortal.newClient();
});
afterAll(() => mortal.close());

/** More than the request makes. */
const mostCalls = 10;
let count = 0;

/** A whole refund whose process dies at a call, and what the client does next. Returns undefined if it has no such call. */
async function crash(at: number, fate: Fate, repeats: boolean) {
  const { api, owner } = client;
  const { id: invoiceId } = (await api.post('/api/invoices', invoiceBody())).json;
  const { id: paymentId } = (await api.post('/api/payments', cardBody(invoiceId, cards.completes))).json;
  const label = `refund-${count++}`;
  deaths.set(label, { at, fate });
  const send = (headers = {}) =>
    api.post(
      '/api/refunds',
      { paymentId },
      { headers: { ...(repeats && { 'Idempotency-Key': label }), ...headers } },
    );
  const first = await send({ [invocationHeader]: label }).catch(() => undefined);
  await waitUntil('the request has ended', () => layer.invocation(label)?.ended);
  if (first) return undefined;

  const tookEffect = (await table.all('ref_')).some((refund) => refund.paymentId === paymentId);
  if (repeats) {
    expect(idempotencyOf(await table.all('IDEMPOTENCY#'), owner, label) !== undefined).toBe(tookEffect);
  }
  const answer = await send();
  if (repeats || !tookEffect)
    expect(answer).toMatchObject({ status: 201, json: { status: 'pending', amount: 2500 } });
  else expect(answer.json.error.code).toBe('refund_exceeds_payment');
  if (repeats) {
    expect(answer.headers['idempotent-replayed']).toBe(tookEffect ? 'true' : undefined);
    expect((await send()).text).toBe(answer.text);
    // The stream stands still: what the answer told is in the list without it.
    expect((await api.get(`/api/refunds?paymentId=${paymentId}`)).json.pagination.total).toBe(1);
  }
  return { tookEffect, paymentId };
}

test.each([
  { next: 'repeated', repeats: true },
  { next: 'made anew', repeats: false },
])('a refund, $next: whatever call the process dies at, the money goes back once', async ({ repeats }) => {
  await stack.stream.pause();
  await stack.queues.pause();
  const cases = Array.from({ length: mostCalls }, (_, at) => [
    crash(at, 'dies before', repeats),
    crash(at, 'dies after', repeats),
  ]).flat();
  const deadly = (await Promise.all(cases)).flatMap((outcome) => outcome ?? []);
  await comeToRest({ stack, table, clock });
  const { payments, refunds } = await agreedMoney(client);
  for (const { paymentId } of deadly) {
    const own = refunds.filter((refund) => refund.paymentId === paymentId);
    expect(own.map(({ status, amount }) => ({ status, amount }))).toEqual([
      { status: 'processed', amount: 2500 },
    ]);
    expect(payments.find(({ id }) => id === paymentId).amountRefunded).toBe(2500);
  }
  expect(new Set(deadly.map(({ tookEffect }) => tookEffect))).toEqual(new Set([false, true]));
  expect(deadly.length).toBeLessThan(cases.length);
});
