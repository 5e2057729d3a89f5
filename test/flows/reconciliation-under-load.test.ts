/** Nothing that is under way is taken for a difference: not in the midst of requests, of which some die, nor before it is published. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Reconciled } from '../../shared/reconciliation/reconcile-now.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { installFaults } from '../support/fault-layer.ts';
import type { HttpResponse } from '../support/http.ts';
import { invocationHeader } from '../support/invocations.ts';
import { cardBody, cards } from '../support/pay.ts';
import { type Dice, diceOf } from '../support/seeded-random.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack?.close());

const reconcile = async (owner: Owner, waitsMs: number[]): Promise<Reconciled> => {
  const { reconcileNow } = await import('../../shared/reconciliation/reconcile-now.ts');
  return reconcileNow(owner, waitsMs);
};

/** Requests of one client, one after the other; the answers do not matter here, nor do those that never come. */
async function work(
  api: Api,
  client: number,
  requests: number,
  known: Record<string, string[]>,
): Promise<void> {
  const dice = diceOf('reconciliation', client);
  for (let count = 0; count < requests; count++) {
    const headers = { [invocationHeader]: `${client}-${count}` };
    const answer = await deed(api, dice, known, headers).catch(() => undefined);
    const id = answer?.status === 201 ? answer.json.id : undefined;
    if (id) known[id.slice(0, 3)]?.push(id);
  }
}

function deed(
  api: Api,
  dice: Dice,
  known: Record<string, string[]>,
  headers: Record<string, string>,
): Promise<HttpResponse> {
  const invoiceId = dice.pick(known.inv ?? []);
  const paymentId = dice.pick(known.pay ?? []);
  const kind = dice.next();
  const options = { headers };
  const customerId = `cust_${dice.integer(1, 3)}`;
  if (!invoiceId || kind < 0.3) return api.post('/api/invoices', invoiceBody({ customerId }), options);
  if (kind < 0.4) return api.delete(`/api/invoices/${invoiceId}`, options);
  if (kind < 0.45) return api.patch(`/api/invoices/${invoiceId}`, { amount: dice.integer(1, 5000) }, options);
  if (kind < 0.55) return api.post('/api/payments', { invoiceId, method: 'offline' }, options);
  const number = dice.pick(Object.values(cards)) ?? '';
  if (!paymentId || kind < 0.8) return api.post('/api/payments', cardBody(invoiceId, number), options);
  return api.post('/api/refunds', { paymentId, amount: dice.integer(1, 900) }, options);
}

test('while everything changes it finds nothing, and nothing is left once all has come to rest', async () => {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const owner = { account: accountId, mode: 'test' } as const;
  const known = { inv: [], pay: [], ref: [] };
  const faults = await installFaults({
    seed: 7,
    latency: true,
    conflicts: true,
    death: 0.1,
    answerLost: 0.02,
  });
  let atWork = true;
  const all = Promise.all(Array.from({ length: 8 }, (_, client) => work(api, client, 25, known)));
  const ended = all.finally(() => {
    atWork = false;
  });
  let underWay = 0;
  while (atWork) {
    underWay += (await reconcile(owner, [])).open.length;
    expect((await reconcile(owner, [0, 0])).differences).toEqual([]);
  }
  await ended;
  faults.remove();
  // The test means something only if there was something to be taken for a difference.
  expect(underWay).toBeGreaterThan(0);
  const resting = await waitUntil('nothing is under way', async () => {
    const seen = await reconcile(owner, [0]);
    expect(seen.differences).toEqual([]);
    return seen.open.length === 0 ? seen : undefined;
  });
  expect(resting.records).toBeGreaterThanOrEqual(known.inv.length + known.pay.length + known.ref.length);
}, 120_000);

test('what is not published yet is no difference, however often it is looked at; once it is, nothing is open', async () => {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const owner = { account: accountId, mode: 'test' } as const;
  await stack.stream.pause();
  const faults = await installFaults({
    seed: 1,
    script: ({ operation }) => (operation === 'TransactWriteItems' ? 'dies after' : undefined),
  });
  // The request dies once its transaction is written: no list has been told.
  const headers = { [invocationHeader]: 'dies' };
  await api.post('/api/invoices', invoiceBody(), { headers }).catch(() => {});
  faults.remove();
  expect(await tableOf(stack).outboxOf(`${accountId}#test`)).toHaveLength(1);
  const seen = await reconcile(owner, [0, 0, 0]);
  expect(seen).toMatchObject({
    records: 1,
    differences: [],
    open: [{ rule: 'index_behind', resource: 'invoice' }],
  });
  stack.stream.resume();
  await waitUntil('it is published', async () => (await reconcile(owner, [0])).open.length === 0);
  expect(await reconcile(owner, [0])).toEqual({ records: 1, differences: [], open: [] });
});
