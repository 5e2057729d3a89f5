/** An account's head that is behind its records, as after a restore that left no numbers out: nothing is replaced. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { headAttributes } from '../../shared/store/heads.ts';
import { keys } from '../../shared/store/keys.ts';
import { waitForOutcome } from '../api/payments/new-payment.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { cardBody, cards } from '../support/pay.ts';
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

/** The account will draw the last number of this resource once more. */
async function goBack(resource: keyof typeof headAttributes.seq): Promise<void> {
  const head = await table.get(keys.head({ account: accountId, mode: 'test' }));
  const name = headAttributes.seq[resource];
  await table.put({ ...head, [name]: head?.[name] - 1 });
}

/** The second request draws the number of what `path` shows: it fails, that stays as it is, and the third gets the next. */
async function isKept(path: string, again: () => Promise<{ status: number; json: { id?: string } }>) {
  const before = await api.get(path);
  expect((await again()).status).toBe(500);
  expect((await api.get(path)).text).toBe(before.text);
  const { status, json } = await again();
  expect([status, path.endsWith(`/${json.id}`)]).toEqual([201, false]);
}

test('an invoice', async () => {
  const { id } = await newInvoice(2500);
  await goBack('invoice');
  await isKept(`/api/invoices/${id}`, () => api.post('/api/invoices', invoiceBody({ amount: 7000 })));
});

test('money received outside', async () => {
  const [paid, other] = [await newInvoice(2500), await newInvoice(7000)];
  const { json } = await api.post('/api/payments', { invoiceId: paid.id, method: 'offline' });
  await goBack('payment');
  await isKept(`/api/payments/${json.id}`, () =>
    api.post('/api/payments', { invoiceId: other.id, method: 'offline' }),
  );
});

test('a card payment, whose capture the provider would take for the new one', async () => {
  const [paid, other] = [await newInvoice(2500), await newInvoice(2500)];
  const { json } = await api.post('/api/payments', cardBody(paid.id, cards.completes));
  await goBack('payment');
  const decline = () => api.post('/api/payments', cardBody(other.id, cards.declined));
  await isKept(`/api/payments/${json.id}`, decline);
  expect((await api.get(`/api/invoices/${other.id}`)).json.status).toBe('pending');
});

test('a refund', async () => {
  const { id: invoiceId } = await newInvoice(2500);
  const { json: payment } = await api.post('/api/payments', { invoiceId, method: 'offline' });
  const refund = (amount: number) => api.post('/api/refunds', { paymentId: payment.id, amount });
  const { json } = await refund(100);
  await waitForOutcome(api, 'refunds', json.id);
  await goBack('refund');
  await isKept(`/api/refunds/${json.id}`, () => refund(200));
});
