/**
 * Tests that merchants keep control of their invoices while a provider does not say what became of a checkout: it is down,
 * its key is revoked, or its connection is deleted. Money that still arrives is refunded.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { pollCheckout } from '../../shared/domain/payments/checkouts/poll-checkout.ts';
import type { Api } from '../support/api.ts';
import {
  beginPaying,
  type CheckoutDouble,
  type Merchant,
  referenceIn,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const force = '?force=payment_in_progress';

let stack: Stack;
let checkouts: CheckoutDouble;

beforeAll(async () => {
  stack = await startTestStack();
  checkouts = await startCheckoutDouble(stack);
});
afterEach(() => checkouts.double.faults.clear());
afterAll(async () => {
  await checkouts.close();
  await stack.close();
});

const down = { fault: { kind: 'answer', status: 503 }, times: 999 } as const;
const revoked = {
  fault: {
    kind: 'answer',
    status: 401,
    body: '{"error":{"type":"invalid_request_error","code":"api_key_expired"}}',
  },
  times: 999,
} as const;

/** Opens the page of the provider as a payer. Returns the merchant, the invoice and the checkout at the provider. */
async function openPageOfProvider() {
  const merchant = await checkouts.newMerchant();
  checkouts.double.notifications.sendTo('live', checkouts.notificationUrl(merchant));
  const invoice = await merchant.newInvoice();
  const reference = referenceIn(await beginPaying(invoice.paymentUrl));
  return { merchant, invoice, reference };
}

const checkoutOf = async ({ id }: { id: string }) =>
  (await tableOf(stack).all('co_')).find(({ invoiceId }) => invoiceId === id);

const statusOf = async (api: Api, { id }: { id: string }) =>
  (await api.get(`/api/invoices/${id}`)).json.status;

/** Waits until the whole payment of an invoice is refunded. */
async function waitForRefund({ api }: Merchant, { id }: { id: string }): Promise<void> {
  await waitUntil('the money is refunded', async () => {
    const { data } = (await api.get(`/api/refunds?invoiceId=${id}`)).json;
    return data.length === 1 && data[0].status === 'processed' && data[0].amount === 2500;
  });
}

test.each([
  ['is down', down],
  ['does not accept the key', revoked],
])('the provider %s: a merchant cancels, and late money is refunded', async (_, rule) => {
  const { merchant, invoice, reference } = await openPageOfProvider();
  const { api } = merchant;
  const remove = checkouts.double.faults.inject(rule);
  const path = `/api/invoices/${invoice.id}`;
  const refused = await api.delete(path);
  expect([refused.status, refused.json.error.code]).toEqual([400, 'payment_in_progress']);
  expect(refused.json.error.message).toContain('force=payment_in_progress');
  const wrong = await api.delete(`${path}?force=yes`);
  expect([wrong.status, wrong.json.error.code, wrong.json.error.field]).toEqual([
    400,
    'invalid_force',
    'force',
  ]);
  expect((await api.delete(path + force)).status).toBe(200);
  remove();
  expect(checkouts.double.act(reference, 'pay')).toBe(true);
  await waitForRefund(merchant, invoice);
  expect(await statusOf(api, invoice)).toBe('cancelled');
});

test('a merchant marks an invoice as paid, and the page of the provider cannot be paid then', async () => {
  const { merchant, invoice, reference } = await openPageOfProvider();
  const { api } = merchant;
  const remove = checkouts.double.faults.inject(down);
  const body = { invoiceId: invoice.id, method: 'offline' };
  expect((await api.post('/api/payments', body)).json.error.code).toBe('payment_in_progress');
  expect((await api.post(`/api/payments${force}`, body)).status).toBe(201);
  expect(await statusOf(api, invoice)).toBe('paid');
  remove();
  const item = await checkoutOf(invoice);
  await pollCheckout(
    { due: Date.now(), kind: 'checkout', minute: 1, reference: String(item?.pk) },
    Date.now(),
  );
  expect(checkouts.double.act(reference, 'pay')).toBe(false);
});

test('a merchant changes an invoice whose connection is deleted', async () => {
  const { merchant, invoice } = await openPageOfProvider();
  const { api, owner } = merchant;
  for (const { pk, sk } of await tableOf(stack).all('PROVIDER#'))
    if (String(pk).includes(owner.account)) await tableOf(stack).delete({ pk, sk });
  const path = `/api/invoices/${invoice.id}`;
  expect((await api.patch(path, { amount: 3000 })).json.error.code).toBe('payment_in_progress');
  expect((await api.patch(path + force, { amount: 3000 })).json.amount).toBe(3000);
});

test('a checkout whose page no payer has seen blocks nobody, and ends by itself', async () => {
  const merchant = await checkouts.newMerchant();
  const [first, second] = [await merchant.newInvoice(), await merchant.newInvoice()];
  checkouts.double.faults.inject(down);
  for (const { paymentUrl } of [first, second]) expect((await beginPaying(paymentUrl)).status).toBe(503);
  expect((await merchant.api.delete(`/api/invoices/${first.id}`)).status).toBe(200);
  const item = await checkoutOf(second);
  const due = Number(item?.openUntil) + 600_000;
  await pollCheckout({ due, kind: 'checkout', minute: 1, reference: String(item?.pk) }, due);
  expect(await checkoutOf(second)).toMatchObject({ status: 'voided' });
  expect((await merchant.api.patch(`/api/invoices/${second.id}`, { amount: 3000 })).json.amount).toBe(3000);
});
