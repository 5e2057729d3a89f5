/** Tests that a live invoice counts as payable exactly if its payment page shows a way to pay. */
import { expect, test } from '@jest/globals';
import type { PageSettings } from '../../../shared/accounts/page-settings.ts';
import type { Invoice } from '../../../shared/invoices/invoice.ts';
import { currencies } from '../../../shared/money.ts';
import { buildPaymentPageView } from '../../../shared/pages/payment-page-state.ts';
import { checkoutProviderOf } from '../../../shared/payments/checkouts/checkout-provider.ts';
import type { Connection } from '../../../shared/payments/connections/connection.ts';
import { offersWayToPay } from '../../../shared/payments/payment-ways.ts';

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
        provider: checkoutProviderOf(connections, currency),
        attempt: 'a',
        visit: 'v',
      });
      const isPayable = kind === 'checkout' || kind === 'instructions';
      expect([kind, offersWayToPay(settings, connections, currency)]).toEqual([kind, isPayable]);
    }
  }
});
