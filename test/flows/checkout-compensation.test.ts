/**
 * Tests money that arrives for a cancelled invoice, and that its provider does not return. The payer and the merchant learn
 * it, nothing is lost, and the merchant can refund it again.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { DoubleRequest } from '../../infra/local/provider-doubles/common/double-messages.ts';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { hostedProviderNames } from '../../shared/domain/payments/provider/hosted-provider.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { deliverDueTimers, differencesOfBooks } from '../support/checkout-books.ts';
import {
  type CheckoutDouble,
  type Merchant,
  payAtDouble,
  startCheckoutDouble,
} from '../support/checkouts.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { openPage } from '../support/pay-page.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
let crashStack: CrashTestStack;
let checkouts: CheckoutDouble;
let double: ProviderDouble;
let merchant: Merchant;
let invoice: { id: string; paymentUrl: string };

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  // The tests deliver the messages of timers themselves.
  await crashStack.stack.queues.pause();
});
afterEach(async () => {
  await purgeQueues(crashStack.stack);
  await checkouts.close();
});
afterAll(() => crashStack.close());

const later = async (ms: number) => {
  crashStack.clock.advance(ms);
  await deliverDueTimers(crashStack.table, crashStack.clock);
};
const pageText = async () => (await openPage(invoice.paymentUrl)).text;
const read = async (path: string) => (await merchant.api.get(path)).json;
const listOf = async (resource: string) => (await read(`/api/${resource}?invoiceId=${invoice.id}`)).data;
const eventsOf = async (): Promise<string[]> =>
  (await read('/api/events?limit=100')).data.map(({ type }: { type: string }) => type).toReversed();
const differences = () => differencesOfBooks(crashStack.table, double, merchant.owner);

const isRefund = ({ method, path }: DoubleRequest) => method === 'POST' && /\/refunds?$/.test(path);
const refusals = {
  stripe: {
    error: { type: 'invalid_request_error', code: 'charge_disputed', message: 'Charge was charged back.' },
  },
  razorpay: { error: { code: 'BAD_REQUEST_ERROR', description: 'The payment cannot be refunded.' } },
};

/** Cancels the invoice without voiding its checkout. */
async function cancelWithoutVoiding(): Promise<void> {
  const item = await crashStack.table.get(tableKeys.record(invoice.id));
  await crashStack.table.put({ ...item, status: 'cancelled', version: item?.version + 1, objectVersion: 2 });
}

test.each(hostedProviderNames)('%s refuses the refund of money for a cancelled invoice', async (provider) => {
  checkouts = await startCheckoutDouble(crashStack.stack, { provider });
  ({ double } = checkouts);
  merchant = await checkouts.newMerchant();
  invoice = await merchant.newInvoice();
  await payAtDouble(double, invoice.paymentUrl);
  await cancelWithoutVoiding();
  const refusal = { kind: 'answer', status: 400, body: JSON.stringify(refusals[provider]) } as const;
  double.faults.inject({ fault: refusal, on: isRefund });
  const failed = await waitUntil(
    'the refund fails',
    async () => {
      await later(minuteMs);
      const [refund] = await listOf('refunds');
      return refund?.status === 'failed' && refund;
    },
    { deadlineMs: 60_000 },
  );
  expect(failed).toMatchObject({ status: 'failed', amount: 2500, failureCode: 'refund_refused' });
  const [payment] = await listOf('payments');
  expect(payment).toMatchObject({ status: 'completed', amount: 2500, amountRefunded: 0 });
  expect(await pageText()).toContain('The refund of');
  expect(await pageText()).toContain('did not succeed. Please contact');
  expect((await read(`/api/invoices/${invoice.id}`)).status).toBe('cancelled');
  // The worker does not repeat a refund that was refused, because the answer is final.
  await later(dayMs);
  expect(await listOf('refunds')).toHaveLength(1);
  expect((await differences()).filter((each) => each.endsWith('was not returned'))).toHaveLength(1);

  const again = await merchant.api.post('/api/refunds', { paymentId: payment.id });
  expect([again.status, again.json.amount]).toEqual([201, 2500]);
  await later(minuteMs);
  expect((await read(`/api/refunds/${again.json.id}`)).status).toBe('processed');
  expect(await pageText()).toContain('was refunded in full');
  expect(await differences()).toEqual([]);
  const events = await waitUntil('the relay has stored both events', async () => {
    const ofRefunds = (await eventsOf()).filter((type) => type.startsWith('refund.'));
    return ofRefunds.length === 2 && ofRefunds;
  });
  expect(events).toEqual(['refund.failed', 'refund.processed']);
});
