/** Tests which records the overview finds for a decision of the merchant, and for how long. Takes 5 seconds. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { createHeldPayment } from '../../contract/examples.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { claimOnPage } from '../../support/claims.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterAll(() => stack?.close());

const owner = () => ({ account: account.accountId, mode: 'test' as const });
async function found(): Promise<readonly string[]> {
  await untilRelayed(table, `${account.accountId}#test`);
  const { findDecisions } = await import('../../../shared/domain/search/decision-store.ts');
  return findDecisions(owner());
}
const newInvoice = async (fields: object = {}) =>
  (await api.post('/api/invoices', invoiceBody({ amount: 250_000, ...fields }))).json;
const claimOf = async (id: string) => (await api.get(`/api/invoices/${id}`)).json.claim;
async function newDispute(): Promise<string> {
  const card = { number: '4000000000000259', expMonth: 12, expYear: 2030, cvc: '123' };
  const { id: invoiceId } = await newInvoice();
  const { id } = (await api.post('/api/payments', { invoiceId, method: 'card', card })).json;
  await waitUntil('the dispute', async () => (await api.get(`/api/payments/${id}`)).json.dispute);
  return id;
}

test('a record is found from the event that asks for a decision until the one that takes it', async () => {
  const rejected = await newInvoice();
  const paid = await newInvoice();
  for (const invoice of [rejected, paid]) await claimOnPage(invoice);
  const accepted = await createHeldPayment(api);
  const refunded = await createHeldPayment(api);
  const disputed = await newDispute();
  const all = [rejected.id, paid.id, accepted, refunded, disputed];
  expect([...(await found())].sort()).toEqual(all.sort());

  const reason = 'Nothing came';
  const { id: claimId } = await claimOf(rejected.id);
  await api.post(`/api/invoices/${rejected.id}/claim/reject`, { claimId, reason });
  expect((await api.post('/api/payments', { invoiceId: paid.id, method: 'offline' })).status).toBe(201);
  await api.post(`/api/payments/${accepted}/resolve`, { action: 'accept' });
  await api.post(`/api/payments/${refunded}/resolve`, { action: 'refund' });
  expect(await found()).toEqual([disputed]);

  // A payer can claim again after a rejection.
  await claimOnPage(rejected);
  expect(await found()).toEqual([disputed, rejected.id]);
});

test('an event that is relayed again does not hide what must be decided now', async () => {
  const invoice = await newInvoice();
  await claimOnPage(invoice);
  const { id: claimId } = await claimOf(invoice.id);
  await api.post(`/api/invoices/${invoice.id}/claim/reject`, { claimId, reason: 'Nothing came' });
  await claimOnPage(invoice);
  const before = await found();
  expect(before).toContain(invoice.id);
  const { data } = (await api.get('/api/events?type=invoice.updated')).json;
  const { storeSearchEntries } = await import('../../../shared/operations/outbox/store-search-entries.ts');
  const again = data.map((event: { type: string }) => ({ type: event.type, body: JSON.stringify(event) }));
  await storeSearchEntries(owner(), again);
  expect(await found()).toEqual(before);
});

test('a dispute is found behind many newer claims', async () => {
  const disputed = await newDispute();
  const { tableHasher } = await import('../../../shared/platform/secrets/deployment-secret.ts');
  const { openDecision, searchEntriesOf } = await import('../../../shared/store/search/search-entries.ts');
  const hash = await tableHasher();
  const claims = Array.from({ length: 50 }, (_, index) => ({
    ...owner(),
    id: `inv_${index}`,
    createdAt: Date.UTC(2090, 0) + index,
    terms: [openDecision],
    name: undefined,
  }));
  await table.putAll(claims.flatMap((claim) => searchEntriesOf(hash, claim)));
  expect(await found()).toContain(disputed);
});
