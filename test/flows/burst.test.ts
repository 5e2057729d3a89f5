/**
 * Tests a burst of requests on one account under modelled throughput limits: the requests wait for their turn.
 *
 * The limits are those of AWS scaled down, and so is the burst: on AWS, 5,000 requests in a second meet an account state
 * that serves 1,000 writes a second.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { countStatuses, sendBurst } from '../support/burst.ts';
import { setClock } from '../support/clock.ts';
import { type FaultLayer, installFaults } from '../support/fault-layer.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

const hourMs = 3_600_000;
let stack: Stack;
let table: TestTable;
let layer: FaultLayer;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: hourMs });
  table = tableOf(stack);
  layer = await installFaults({ seed: 1 });
  // Away from the end of an hour, so that all requests are in the same hour.
  setClock(() => Math.floor(Date.now() / hourMs) * hourMs + 60_000);
});
afterAll(async () => {
  layer.remove();
  await stack.close();
});

test('eight times the requests that the account state serves in a second are all answered', async () => {
  const { test: api, accountId } = await newAccount(stack.baseUrl);
  layer.setPlan({ seed: 1, limits: { item: { write: 15 } } });
  const responses = await sendBurst('list', 120, (_, options) => api.get('/api/invoices', options));
  layer.setPlan({ seed: 1 });
  expect(countStatuses(responses)).toEqual({ 200: 120 });
  expect(layer.counts['over a limit']).toBeGreaterThan(105);
  const remaining = responses.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
  expect(remaining.sort((a, b) => b - a)).toEqual(Array.from({ length: 120 }, (_, index) => 4999 - index));
  const accountState = await table.get(tableKeys.accountState({ account: accountId, mode: 'test' }));
  expect(Object.entries(accountState ?? {}).filter(([name]) => name.startsWith('h:'))).toMatchObject([
    [expect.anything(), 120],
  ]);
});

test('simultaneous creates wait for the outbox and the index pages of their account, and all appear in the list', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  // A create writes 2 units to the outbox partition, which a burst of one account shares.
  layer.setPlan({ seed: 1, limits: { partition: { write: 10 } } });
  const responses = await sendBurst('create', 60, (_, options) =>
    api.post('/api/invoices', invoiceBody(), options),
  );
  layer.setPlan({ seed: 1 });
  expect(countStatuses(responses)).toEqual({ 201: 60 });
  expect(new Set(responses.map(({ json }) => json.id)).size).toBe(60);
  const list = await api.get('/api/invoices?customerId=cust_1');
  expect(list.json.pagination.total).toBe(60);
});
