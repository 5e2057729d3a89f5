/**
 * Tests refunds of a payment of more than was due, which the merchant has accepted: what is more goes back first, without a credit note,
 * and the documents, the journal, the credit of the customer and the statement of account say the same. It takes 10 seconds.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody } from '../support/api.ts';
import { differencesOfMoney, passTime } from '../support/checkout-books.ts';
import {
  beginPaying,
  type CheckoutDouble,
  type Merchant,
  referenceIn,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';

const minuteMs = 60_000;
const seller = { legalName: 'Druk Crafts', address: { country: 'BT' }, taxIds: [] };
const lines = [{ description: 'Tea', quantity: '1', unitAmount: 100_000, tax: 'bt_gst_5' }];
const [charged, over] = [105_000, 5_000];

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let checkouts: CheckoutDouble;
let merchant: Merchant;
let accept: { readonly invoiceId: string; readonly paymentId: string; readonly reference: string };

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  // The tests deliver the messages themselves.
  await stack.queues.pause();
  checkouts = await startCheckoutDouble(stack, { provider: 'razorpay' });
  checkouts.double.behavior.differenceMinor = over;
});
beforeEach(async () => {
  clock = stopClock();
  merchant = await checkouts.newMerchant();
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  await changeSeller(merchant.owner.account, seller);
  accept = await payTooMuch();
});
afterAll(async () => {
  await checkouts.close();
  await stack.close();
});

const api = () => inNewestVersion(merchant.api);
const pass = () => passTime(table, clock, { ms: 10 * minuteMs, stepMs: 5 * minuteMs, rest: 3 });
const dataOf = async (path: string): Promise<TestItem[]> => (await api().get(path)).json.data;
const refund = async (amount?: number): Promise<TestItem> => {
  const sent = { paymentId: accept.paymentId, ...(amount && { amount }) };
  const { json } = await api().post('/api/refunds', sent);
  await pass();
  return (await api().get(`/api/refunds/${json.id}`)).json;
};

/** The provider takes more than the amount of a new invoice, and the merchant accepts it. */
async function payTooMuch(): Promise<typeof accept> {
  const body = invoiceBody({ currency: 'INR', amount: undefined, lines });
  const { id: invoiceId, paymentUrl } = (await api().post('/api/invoices', body)).json;
  const reference = referenceIn(await beginPaying(paymentUrl));
  checkouts.double.act(reference, 'pay');
  await pass();
  const [held] = await dataOf(`/api/payments?invoiceId=${invoiceId}`);
  expect(held).toMatchObject({ status: 'pending', amount: charged + over, pendingReason: 'amount_differs' });
  const accepted = await api().post(`/api/payments/${held?.id}/resolve`, { action: 'accept' });
  expect(accepted.json).toMatchObject({ status: 'completed', amountOver: over });
  await pass();
  return { invoiceId, paymentId: held?.id, reference: held?.reference };
}

/** Returns the amounts of the credit notes, and the balances of the accounts that refunds change. */
async function booksOf() {
  const { account, mode } = merchant.owner;
  await untilRelayed(table, `${account}#${mode}`);
  const documents = await dataOf(`/api/invoices/${accept.invoiceId}/documents`);
  const notes = documents.filter(({ kind }) => kind === 'credit_note').map(({ amount }) => amount);
  const balances: Record<string, number> = { unapplied: 0, refunds: 0, tax_reversed: 0 };
  for (const { lines: entries } of await dataOf('/api/journal?limit=100'))
    for (const { account: name, amount } of entries)
      if (name in balances) balances[name] = (balances[name] ?? 0) + amount;
  return { notes, ...balances };
}

async function expectAgreement(): Promise<void> {
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  const result = await reconcileNow(merchant.owner, { full: true, waitsMs: [100, 500] });
  expect(result).toMatchObject({ differences: [], unconfirmed: [], failures: [] });
  expect(await differencesOfMoney(table, checkouts.double, merchant.owner)).toEqual([]);
}

const creditOfCustomer = async () => {
  const body = invoiceBody({ currency: 'INR', amount: 9_000, useCredit: true });
  return (await api().post('/api/invoices', body)).json.amountPaid;
};

test('what is more than due goes back first and is no credit of the invoice, the rest is', async () => {
  expect(await booksOf()).toEqual({ notes: [], unapplied: -over, refunds: 0, tax_reversed: 0 });
  const first = await refund(over - 1_000);
  expect(await booksOf()).toEqual({ notes: [], unapplied: -1_000, refunds: 0, tax_reversed: 0 });
  expect(first).toMatchObject({ status: 'processed', amountOver: over - 1_000 });
  await expectAgreement();

  expect(await refund(22_000)).toMatchObject({ status: 'processed', amountOver: 1_000 });
  expect(await booksOf()).toEqual({ notes: [21_000], unapplied: 0, refunds: 21_000, tax_reversed: -1_000 });
  expect(await creditOfCustomer()).toBe(0);
  await expectAgreement();

  expect(await refund()).toMatchObject({ status: 'processed', amount: 84_000, amountOver: 0 });
  const { notes, ...balances } = await booksOf();
  expect(notes.toSorted()).toEqual([21_000, 84_000]);
  expect(balances).toEqual({ unapplied: 0, refunds: charged, tax_reversed: -5_000 });
  await expectAgreement();
});

test('a refund at the provider is divided, too, and fails as a whole if the bank returns it', async () => {
  const made = checkouts.double.refundInDashboard(accept.reference, charged + over);
  const { pollHostedPayment } = await import('../../shared/domain/refunds/poll-payment.ts');
  const poll = () =>
    pollHostedPayment(
      { due: clock.now(), kind: 'checkout', minute: 1, reference: accept.paymentId },
      clock.now(),
    );
  await poll();
  expect(await dataOf('/api/refunds')).toMatchObject([
    { status: 'processed', source: 'provider', amount: charged + over, amountOver: over },
  ]);
  const returned = { notes: [charged], unapplied: 0, refunds: charged, tax_reversed: -5_000 };
  expect(await booksOf()).toEqual(returned);
  await expectAgreement();

  checkouts.double.settleRefund(made, 'failed');
  await poll();
  expect(await dataOf('/api/refunds')).toMatchObject([{ status: 'failed', amountOver: 0 }]);
  // The credit note stays.
  expect(await booksOf()).toEqual({ notes: [charged], unapplied: -over, refunds: 0, tax_reversed: 0 });
  expect(await creditOfCustomer()).toBe(over);
  expect(await refund()).toMatchObject({ status: 'processed', amount: charged, amountOver: 0 });
  expect(await booksOf()).toEqual(returned);
  await expectAgreement();
});

test.each([
  { next: 60_000, expected: [60_000] },
  { next: 80_000, expected: [60_000, 20_000] },
])(
  'a refund of $next after one that the bank has returned is credited only as far as no note has it',
  async ({ next, expected }) => {
    const { pollHostedPayment } = await import('../../shared/domain/refunds/poll-payment.ts');
    const poll = () =>
      pollHostedPayment(
        { due: clock.now(), kind: 'checkout', minute: 1, reference: accept.paymentId },
        clock.now(),
      );
    const made = checkouts.double.refundInDashboard(accept.reference, over + 60_000);
    await poll();
    expect((await booksOf()).notes).toEqual([60_000]);
    checkouts.double.settleRefund(made, 'failed');
    await poll();
    expect(await booksOf()).toMatchObject({ notes: [60_000], unapplied: -over, refunds: 0 });
    expect(await refund(over + next)).toMatchObject({ status: 'processed', amountOver: over });
    const after = await booksOf();
    expect(after).toMatchObject({ unapplied: 0, refunds: next });
    expect(after.notes.toSorted().toReversed()).toEqual(expected);
    // What is left has a note of its own.
    expect(await refund()).toMatchObject({ status: 'processed', amount: charged - next });
    const sum = (await booksOf()).notes.reduce((total, amount) => total + amount, 0);
    expect(sum).toBe(charged);
    await expectAgreement();
  },
);

const newestUse = async () =>
  (await dataOf('/api/payments?limit=10')).find(({ method }) => method === 'credit');

test('what pays another invoice is no part of a refund, and can be refunded when it comes back', async () => {
  expect(await creditOfCustomer()).toBe(over);
  const use = await newestUse();
  expect(await refund(charged)).toMatchObject({ status: 'processed', amountOver: 0 });
  expect(await booksOf()).toEqual({ notes: [charged], unapplied: 0, refunds: charged, tax_reversed: -5_000 });
  const more = await api().post('/api/refunds', { paymentId: accept.paymentId, amount: 100 });
  expect(more.json.error.code).toBe('refund_exceeds_payment');
  await api().post(`/api/payments/${use?.id}/void`, { reason: 'Not this one' });
  expect(await creditOfCustomer()).toBe(over);
  await expectAgreement();
  const again = await newestUse();
  await api().post(`/api/payments/${again?.id}/void`, { reason: 'Not this one' });
  expect(await refund()).toMatchObject({ status: 'processed', amount: over, amountOver: over });
  expect(await booksOf()).toMatchObject({ notes: [charged], unapplied: 0, refunds: charged });
  await expectAgreement();
});
