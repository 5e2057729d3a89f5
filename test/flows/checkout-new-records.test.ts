/** Tests that a checkout and its payment never replace records whose ids were given to them again. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { PayerAction } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { deliverDueTimers } from '../support/checkout-books.ts';
import {
  beginPaying,
  type CheckoutDouble,
  type Merchant,
  referenceIn,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { type DynamodbAttempt, injectFault, interceptCalls } from '../support/intercept-calls.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import type { TestItem } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;
let crashStack: CrashTestStack;
let checkouts: CheckoutDouble;
let merchant: Merchant;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  checkouts = await startCheckoutDouble(crashStack.stack);
  // The fees of a payment would change it again.
  checkouts.double.behavior.feesAfterSeconds = Number.MAX_SAFE_INTEGER;
  // The tests deliver the messages of timers themselves.
  await crashStack.stack.queues.pause();
});
beforeEach(async () => {
  merchant = await checkouts.newMerchant();
});
afterEach(() => purgeQueues(crashStack.stack));
afterAll(async () => {
  await checkouts.close();
  await crashStack.close();
});

const later = (ms: number) => {
  crashStack.clock.advance(ms);
  return deliverDueTimers(crashStack.table, crashStack.clock);
};
const checkoutOf = async (id: string): Promise<TestItem | undefined> =>
  (await crashStack.table.all('co_')).find(({ invoiceId }) => invoiceId === id);
const paymentOf = async (id: string) =>
  (await merchant.api.get(`/api/payments?invoiceId=${id}`)).json.data[0];

/** Makes a payer act on the page of a new invoice, and settles what comes later. Returns the id of the invoice. */
async function act(action: PayerAction): Promise<string> {
  const { id, paymentUrl } = await merchant.newInvoice();
  const reference = referenceIn(await beginPaying(paymentUrl));
  checkouts.double.act(reference, action);
  if (action === 'later') checkouts.double.settle(reference, 'failed');
  return id;
}

test.each<[PayerAction, string]>([
  ['pay', 'completed'],
  ['later', 'failed'],
])('a payment is not replaced if the payer of another invoice chooses "%s"', async (action, status) => {
  const first = await act('pay');
  await later(minuteMs);
  const before = await waitUntil('the payment is listed', () => paymentOf(first));
  const state = await crashStack.table.get(tableKeys.accountState(merchant.owner));
  const name = accountStateAttributes.seq.payment;
  // As after a restore from a backup, the account allocates the number of the first payment again.
  await crashStack.table.put({ ...state, [name]: state?.[name] - 1 });
  const second = await act(action);
  await later(minuteMs);
  expect((await checkoutOf(second))?.status).toBe('open');
  expect(await paymentOf(first)).toEqual(before);
  await later(minuteMs);
  const payment = await waitUntil('the second payment is listed', () => paymentOf(second));
  expect([payment.status, payment.id === before.id]).toEqual([status, false]);
  expect(await paymentOf(first)).toEqual(before);
});

test('a checkout is not replaced, and the next click begins one', async () => {
  const [taken, invoice] = [await merchant.newInvoice(), await merchant.newInvoice()];
  await beginPaying(taken.paymentUrl);
  const stored = await checkoutOf(taken.id);
  let existing: TestItem | undefined;
  const opens = ({ operation, body }: DynamodbAttempt) =>
    operation === 'TransactWriteItems' && body.includes(invoice.id) && body.includes('"co_');
  const fault = injectFault(opens, async ({ body }, send) => {
    existing = { ...stored, pk: /"(co_\w+)"/.exec(body)?.[1] };
    await crashStack.table.put(existing);
    return send();
  });
  const { remove } = interceptCalls(fault);
  const answer = await beginPaying(invoice.paymentUrl);
  remove();
  expect([fault.left(), answer.status]).toEqual([0, 503]);
  expect(await crashStack.table.get({ pk: existing?.pk, sk: existing?.sk })).toEqual(existing);
  expect((await crashStack.table.get(tableKeys.record(invoice.id)))?.openCheckout).toBeUndefined();
  expect((await beginPaying(invoice.paymentUrl)).status).toBe(303);
});
