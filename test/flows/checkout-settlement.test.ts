/** Tests that a payment at a provider is counted once, also if workers decide on records that have changed meanwhile. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { requestOf } from '../../shared/domain/payments/checkouts/checkout.ts';
import { readCheckout } from '../../shared/domain/payments/checkouts/checkout-store.ts';
import { settleCheckout } from '../../shared/domain/payments/checkouts/settlement.ts';
import { openProvider } from '../../shared/domain/payments/connections/open-provider.ts';
import type { CheckoutState } from '../../shared/domain/payments/provider/hosted-provider.ts';
import {
  type CheckoutDouble,
  type Merchant,
  payAtDouble,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';

let stack: Stack;
let checkouts: CheckoutDouble;
let merchant: Merchant;
let clock: TestClock;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  checkouts = await startCheckoutDouble(stack);
  // The tests settle the checkouts themselves.
  await stack.queues.pause();
});
beforeEach(async () => {
  clock = stopClock();
  merchant = await checkouts.newMerchant();
});
afterAll(async () => {
  await checkouts.close();
  await stack.close();
});

/** Pays an invoice at the double. Returns the open checkout as a worker reads it, and what the provider says about it. */
async function readPaidCheckout() {
  const invoice = await merchant.newInvoice();
  await payAtDouble(checkouts.double, invoice.paymentUrl);
  const item = (await tableOf(stack).all('co_')).find(({ invoiceId }) => invoiceId === invoice.id);
  const loaded = await readCheckout(merchant.owner, String(item?.pk));
  const { record } = loaded;
  const provider = await openProvider(merchant.owner, 'stripe');
  if (!record || !provider) throw new Error('The checkout or its provider does not exist.');
  const state = await provider.status(requestOf(record), record.reference);
  if (state.kind !== 'paid') throw new Error(`The checkout is ${state.kind}.`);
  const settle = (reported: CheckoutState = state) =>
    settleCheckout({ ...loaded, record }, reported, 'expired', clock.now());
  const paymentsOf = async () => (await merchant.api.get(`/api/payments?invoiceId=${invoice.id}`)).json.data;
  return { state, settle, paymentsOf };
}

test('workers that have read the same open checkout make one payment', async () => {
  const { settle, paymentsOf } = await readPaidCheckout();
  expect(await Promise.all([settle(), settle(), settle()])).toEqual(['paid', 'paid', 'paid']);
  expect(await settle()).toBe('paid');
  expect(await paymentsOf()).toEqual([
    expect.objectContaining({ status: 'completed', amount: 2500, amountRefunded: 0 }),
  ]);
});

test('a payment at the provider belongs to one payment of the service', async () => {
  const [first, second] = [await readPaidCheckout(), await readPaidCheckout()];
  expect(await first.settle()).toBe('paid');
  const { reference } = first.state.payment;
  const reported = { ...second.state, payment: { ...second.state.payment, reference } };
  await expect(second.settle(reported)).rejects.toThrow('already');
  expect(await second.paymentsOf()).toEqual([]);
  expect(await second.settle()).toBe('paid');
});
