/**
 * Tests an account state that is behind its records, as after a restore from a backup without `skip-numbers`. No record
 * is replaced.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { waitForOutcome } from '../api/payments/new-payment.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
let api: Api;
let accountId: string;
beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
});
beforeEach(async () => {
  ({ accountId, test: api } = await newAccount(stack.baseUrl));
});
afterAll(() => stack.close());

const newInvoice = async (amount: number) => (await api.post('/api/invoices', invoiceBody({ amount }))).json;

/** Makes the account allocate the last sequence number of this resource again. */
async function goBack(resource: keyof typeof accountStateAttributes.seq): Promise<void> {
  const accountState = await table.get(tableKeys.accountState({ account: accountId, mode: 'test' }));
  const name = accountStateAttributes.seq[resource];
  await table.put({ ...accountState, [name]: accountState?.[name] - 1 });
}

/**
 * Checks that the next creation, which gets the sequence number of the resource at `path`, fails and does not replace
 * that resource. The creation after that gets the next number.
 */
async function expectNotReplaced(
  path: string,
  create: () => Promise<{ status: number; json: { id?: string } }>,
) {
  const before = await api.get(path);
  expect((await create()).status).toBe(500);
  expect((await api.get(path)).text).toBe(before.text);
  const { status, json } = await create();
  expect([status, path.endsWith(`/${json.id}`)]).toEqual([201, false]);
}

test('an invoice is not replaced', async () => {
  const { id } = await newInvoice(2500);
  await goBack('invoice');
  await expectNotReplaced(`/api/invoices/${id}`, () =>
    api.post('/api/invoices', invoiceBody({ amount: 7000 })),
  );
});

test('an offline payment is not replaced', async () => {
  const [paid, other] = [await newInvoice(2500), await newInvoice(7000)];
  const { json } = await api.post('/api/payments', { invoiceId: paid.id, method: 'offline' });
  await goBack('payment');
  await expectNotReplaced(`/api/payments/${json.id}`, () =>
    api.post('/api/payments', { invoiceId: other.id, method: 'offline' }),
  );
});

test('a card payment is not replaced, and its capture does not count for the new payment', async () => {
  const [paid, other] = [await newInvoice(2500), await newInvoice(2500)];
  const { json } = await api.post('/api/payments', cardPaymentBody(paid.id, cards.completes));
  await goBack('payment');
  const decline = () => api.post('/api/payments', cardPaymentBody(other.id, cards.declined));
  await expectNotReplaced(`/api/payments/${json.id}`, decline);
  expect((await api.get(`/api/invoices/${other.id}`)).json.status).toBe('pending');
});

test('a refund is not replaced', async () => {
  const { id: invoiceId } = await newInvoice(2500);
  const { json: payment } = await api.post('/api/payments', { invoiceId, method: 'offline' });
  const refund = (amount: number) => api.post('/api/refunds', { paymentId: payment.id, amount });
  const { json } = await refund(100);
  await waitForOutcome(api, 'refunds', json.id);
  await goBack('refund');
  await expectNotReplaced(`/api/refunds/${json.id}`, () => refund(200));
});
