/** Tests that a live invoice counts as payable exactly if its payment page shows a way to pay. */
import { expect, test } from '@jest/globals';
import { currencies } from '../../../shared/base/money.ts';
import type { PageSettings } from '../../../shared/domain/accounts/page-settings.ts';
import type { Invoice } from '../../../shared/domain/invoices/invoice.ts';
import { checkoutProviderOf } from '../../../shared/domain/payments/checkouts/checkout-provider.ts';
import type { Connection } from '../../../shared/domain/payments/connections/connection.ts';
import { offersWayToPay, paymentProblemOf } from '../../../shared/domain/payments/payment-ways.ts';
import { buildPaymentPageView } from '../../../shared/web/pages/payment-page-state.ts';

const connection = (fields: Partial<Connection>): Connection => ({
  account: 'acct_0123456789abcdef',
  mode: 'live',
  provider: 'stripe',
  currencies: ['USD', 'INR'],
  accountName: 'Shop',
  connectedAt: 1,
  disconnectedAt: undefined,
  ...fields,
});
const connectionLists = [
  [],
  [connection({})],
  [connection({ disconnectedAt: 2 })],
  [connection({ disconnectedAt: 2 }), connection({ provider: 'razorpay', currencies: ['INR'] })],
];

const settingLists: Partial<PageSettings>[] = [
  {},
  { contact: 'shop@druk.example' },
  { paymentInstructions: 'Bank of Bhutan' },
  { paymentInstructionsUsd: 'Wire' },
  { paymentQr: 'bank-link' },
  { upiId: 'shop@okbank' },
  { paymentQrAmount: true },
];

test.each(currencies)('%s: the page has a way to pay if and only if the account offers one', (currency) => {
  for (const connections of connectionLists) {
    for (const some of settingLists) {
      const settings = { payee: undefined, closed: false, isInMaintenance: false, ...some } as PageSettings;
      const invoice = {
        id: 'inv_0h2m4zv8k6q1t9w3x5y7c2b4n6',
        account: 'acct_0123456789abcdef',
        mode: 'live',
        status: 'pending',
        amount: 100,
        currency,
        dueDate: '2026-12-21T23:59:59.999Z',
        createdAt: 1,
        updatedAt: 1,
      } as Invoice;
      const { kind } = buildPaymentPageView(invoice, {
        settings,
        now: 2,
        takesCards: false,
        provider: checkoutProviderOf(connections, { currency, amount: 100 }),
        attempt: 'a',
        visit: 'v',
      });
      const isPayable = kind === 'checkout' || kind === 'instructions';
      expect([kind, offersWayToPay(settings, connections, currency)]).toEqual([kind, isPayable]);
    }
  }
});

const razorpay = connection({ provider: 'razorpay', currencies: ['INR'] });
const limited = { ...razorpay, maximumAmounts: { INR: 500_000 } };
test.each([
  ['USD', 49, [connection({})], 'amount_not_accepted'],
  ['USD', 50, [connection({})], undefined],
  ['USD', 99_999_999, [connection({})], undefined],
  ['USD', 100_000_000, [connection({})], 'amount_not_accepted'],
  ['INR', 99, [razorpay], 'amount_not_accepted'],
  ['INR', 500_000, [limited], undefined],
  ['INR', 500_001, [limited], 'amount_not_accepted'],
  ['INR', 500_001, [limited, connection({})], undefined],
  ['INR', 100, [razorpay], undefined],
  ['INR', 50, [razorpay, connection({})], undefined],
  ['INR', 49, [razorpay, connection({})], 'amount_not_accepted'],
  ['BTN', 1, [connection({})], 'no_payment_method'],
  ['USD', 1, [], 'no_payment_method'],
  ['USD', 1, [connection({ disconnectedAt: 2 })], 'no_payment_method'],
] as const)('an invoice of %s %i with %j has the problem %s', (currency, amount, connections, problem) => {
  expect(paymentProblemOf({}, connections, { currency, amount })).toBe(problem);
  const instructions = { paymentInstructions: 'Bank of Bhutan' };
  const other = problem === 'no_payment_method' ? undefined : problem;
  expect(paymentProblemOf(instructions, connections, { currency, amount })).toBe(other);
});

test('the smallest amounts go to the provider that takes them', () => {
  const both = [razorpay, connection({})];
  expect(checkoutProviderOf(both, { currency: 'INR', amount: 100 })).toBe('razorpay');
  expect(checkoutProviderOf(both, { currency: 'INR', amount: 99 })).toBe('stripe');
  expect(checkoutProviderOf(both, { currency: 'INR', amount: 49 })).toBe('none');
});
