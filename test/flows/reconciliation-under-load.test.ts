/**
 * Tests that a change in progress is never reported as a difference: not during requests, even if some crash, and not
 * before its outbox item is relayed.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import type { ReconciliationResult } from '../../shared/operations/reconciliation/reconcile-now.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { installFaults } from '../support/fault-layer.ts';
import type { HttpResponse } from '../support/http.ts';
import { invocationHeader } from '../support/invocations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { type Random, seededRandom } from '../support/seeded-random.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack?.close());

const reconcile = async (owner: Owner, waitsMs: number[]): Promise<ReconciliationResult> => {
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  return reconcileNow(owner, { full: false, waitsMs });
};

/**
 * Sends the requests of one client one after another. Failed and lost responses are ignored.
 * @param isDone whether so many requests are enough
 */
async function work(
  api: Api,
  client: number,
  isDone: (requests: number) => boolean,
  known: Record<string, string[]>,
): Promise<void> {
  const random = seededRandom('reconciliation', client);
  for (let count = 0; !isDone(count); count++) {
    const headers = { [invocationHeader]: `${client}-${count}` };
    const response = await sendRandomRequest(api, random, known, headers).catch(() => undefined);
    const id = response?.status === 201 ? response.json.id : undefined;
    if (id) known[id.slice(0, 3)]?.push(id);
  }
}

function sendRandomRequest(
  api: Api,
  random: Random,
  known: Record<string, string[]>,
  headers: Record<string, string>,
): Promise<HttpResponse> {
  const invoiceId = random.pick(known.inv ?? []);
  const paymentId = random.pick(known.pay ?? []);
  const kind = random.next();
  const options = { headers };
  const customerId = `cust_${random.integer(1, 3)}`;
  if (!invoiceId || kind < 0.3) return api.post('/api/invoices', invoiceBody({ customerId }), options);
  if (kind < 0.4) return api.delete(`/api/invoices/${invoiceId}`, options);
  if (kind < 0.45)
    return api.patch(`/api/invoices/${invoiceId}`, { amount: random.integer(1, 5000) }, options);
  if (kind < 0.55) return api.post('/api/payments', { invoiceId, method: 'offline' }, options);
  const number = random.pick(Object.values(cards)) ?? '';
  if (!paymentId || kind < 0.8) return api.post('/api/payments', cardPaymentBody(invoiceId, number), options);
  return api.post('/api/refunds', { paymentId, amount: random.integer(1, 900) }, options);
}

test('it confirms no difference while requests run, and finds none once no work is left', async () => {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const owner = { account: accountId, mode: 'test' } as const;
  const known = { inv: [], pay: [], ref: [] };
  const faults = await installFaults({
    seed: 7,
    latency: true,
    conflicts: true,
    crash: 0.1,
    responseLost: 0.02,
  });
  let areClientsRunning = true;
  let inProgress = 0;
  // Without candidates the test would prove nothing. A busy machine can take long to see one.
  const isDone = (requests: number) => requests >= (inProgress > 0 ? 25 : 500);
  const all = Promise.all(Array.from({ length: 8 }, (_, client) => work(api, client, isDone, known)));
  const ended = all.finally(() => {
    areClientsRunning = false;
  });
  while (areClientsRunning) {
    inProgress += (await reconcile(owner, [])).unconfirmed.length;
    expect((await reconcile(owner, [0, 0])).differences).toEqual([]);
  }
  await ended;
  faults.remove();
  expect(inProgress).toBeGreaterThan(0);
  const final = await waitUntil('no change is in progress', async () => {
    const result = await reconcile(owner, [0]);
    expect(result.differences).toEqual([]);
    return result.unconfirmed.length === 0 ? result : undefined;
  });
  expect(final.records + final.remembered).toBeGreaterThanOrEqual(
    known.inv.length + known.pay.length + known.ref.length,
  );
});

test('a change that is not relayed yet is never confirmed as a difference, and disappears once it is relayed', async () => {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  const owner = { account: accountId, mode: 'test' } as const;
  await stack.stream.pause();
  const faults = await installFaults({
    seed: 1,
    script: ({ operation }) => (operation === 'TransactWriteItems' ? 'crash after call' : undefined),
  });
  // The request crashes after its transaction, so no list is updated.
  const headers = { [invocationHeader]: 'crashes' };
  await api.post('/api/invoices', invoiceBody(), { headers }).catch(() => {});
  faults.remove();
  expect(await tableOf(stack).outboxOf(`${accountId}#test`)).toHaveLength(1);
  const result = await reconcile(owner, [0, 0, 0]);
  expect(result).toMatchObject({
    records: 1,
    differences: [],
    unconfirmed: [{ rule: 'index_behind', resource: 'invoice' }],
  });
  stack.stream.resume();
  await waitUntil('the item is relayed', async () => (await reconcile(owner, [0])).unconfirmed.length === 0);
  expect(await reconcile(owner, [0])).toEqual({
    records: 1,
    remembered: 0,
    differences: [],
    unconfirmed: [],
    failures: [],
  });
});
