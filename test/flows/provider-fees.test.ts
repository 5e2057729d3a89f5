/** Tests that the merchant sees what the provider keeps of a payment, and that payers never do. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import {
  type HostedProviderName,
  hostedProviderNames,
} from '../../shared/domain/payments/provider/hosted-provider.ts';
import { firstApiVersion } from '../../shared/domain/versions/versions.ts';
import { deliverDueTimers } from '../support/checkout-books.ts';
import { payAndSettle, startCheckoutDouble } from '../support/checkouts.ts';
import { setClock, stopClock } from '../support/clock.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { openPage } from '../support/pay-page.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';

let stack: Stack;

beforeAll(async () => {
  // The sweep reads each minute that passes, and half a year has many.
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
afterAll(() => stack.close());

const expected: Readonly<Record<HostedProviderName, object>> = {
  stripe: { amount: 103, tax: 0, net: 2397, currency: 'USD' },
  razorpay: { amount: 59, tax: 9, net: 2441, currency: 'INR' },
};

test.each(hostedProviderNames)('%s: the payment gets its fees', async (provider) => {
  const clock = stopClock();
  const checkouts = await startCheckoutDouble(stack, { provider });
  try {
    const merchant = await checkouts.newMerchant();
    const api = inNewestVersion(merchant.api);
    const { id } = await payAndSettle(checkouts, merchant);
    const paymentOf = async () => (await api.get(`/api/payments/${id}`)).json;
    const paid = await paymentOf();
    if (provider === 'stripe') expect(paid.fees).toBeNull();
    clock.advance(5 * 60_000);
    await deliverDueTimers(tableOf(stack), clock, (timer) => timer === id);
    const { fees, status, invoiceId } = await paymentOf();
    expect([fees, status]).toEqual([expected[provider], 'completed']);
    const first = await api.get(`/api/payments/${id}`, { headers: { 'X-API-Version': firstApiVersion } });
    expect(first.json.fees).toBeUndefined();
    const { paymentUrl } = (await api.get(`/api/invoices/${invoiceId}`)).json;
    const page = await openPage(paymentUrl);
    expect(page.text).toContain('Paid');
    expect(page.text).not.toMatch(/\bfee/i);
    await untilRelayed(tableOf(stack), `${merchant.owner.account}#${merchant.owner.mode}`);
    const events = (await api.get('/api/events?limit=100')).json.data;
    const ofPayment = events.filter(({ type }: { type: string }) => type.startsWith('payment.'));
    const types = ofPayment.map(({ type }: { type: string }) => type);
    expect(types).toEqual(
      provider === 'stripe' ? ['payment.updated', 'payment.completed'] : ['payment.completed'],
    );
    expect(ofPayment[0].data.fees).toEqual(fees);
    const { amount: withTax, tax, currency } = fees;
    const [entry] = (await api.get('/api/journal?limit=100')).json.data.filter(
      ({ lines }: { lines: { account: string }[] }) =>
        lines.some(({ account }) => account.startsWith('fees:')),
    );
    expect(entry.lines).toEqual(
      expect.arrayContaining([
        { account: `fees:${provider}`, currency, amount: withTax - tax },
        { account: `fees_kept:${provider}`, currency, amount: -withTax },
        ...(tax > 0 ? [{ account: `fee_tax:${provider}`, currency, amount: tax }] : []),
      ]),
    );
    const [sums] = (await api.get('/api/summary')).json.currencies;
    expect(sums.periods.at(-1).fees).toBe(withTax);
    const left = (await tableOf(stack).all('TIMER#')).filter(({ reference }) => reference === id);
    expect(left).toEqual([]);
  } finally {
    setClock();
    await checkouts.close();
  }
});

const dayMs = 86_400_000;

test.each([
  ['answers without fees', 6, 8],
  ['does not answer', 179, 181],
] as const)('the worker asks for a limited time while the provider %s', async (what, lastDay, after) => {
  const clock = stopClock();
  const checkouts = await startCheckoutDouble(stack, { provider: 'stripe' });
  try {
    const { double } = checkouts;
    double.behavior.feesAfterSeconds = Number.MAX_SAFE_INTEGER;
    const merchant = await checkouts.newMerchant();
    const { id } = await payAndSettle(checkouts, merchant);
    const fault = { kind: 'answer', status: 500, body: '{}' } as const;
    if (what === 'does not answer') double.faults.inject({ fault, on: () => true, times: 999 });
    const table = tableOf(stack);
    const isAsked = async () => (await table.all('TIMER#')).some(({ reference }) => reference === id);
    const from = clock.now();
    const askOnDay = async (day: number) => {
      clock.to(from + day * dayMs);
      await deliverDueTimers(table, clock, (timer) => timer === id);
    };
    for (const day of [1, lastDay]) await askOnDay(day);
    expect(await isAsked()).toBe(true);
    for (const day of [after, after + 2]) await askOnDay(day);
    expect(await isAsked()).toBe(false);
    const { fees, status } = (await inNewestVersion(merchant.api).get(`/api/payments/${id}`)).json;
    expect([fees, status]).toEqual([null, 'completed']);
  } finally {
    setClock();
    await checkouts.close();
  }
});
