/**
 * Holds an example of each resource but the invoice. The examples belong together: an invoice is paid by card and then partly refunded.
 */
import { commonEventTypes } from '../../domain/events/event.ts';
import { failures } from '../../domain/payments/provider/failures.ts';
import { invoice } from './invoice-field-texts.ts';
import type { Example } from './named-schemas.ts';

/** The invoice after an update. */
export const changedInvoice: Example<'Invoice'> = { ...invoice, updatedAt: '2026-11-22T10:00:00.000Z' };

export const paidAt = '2026-11-24T06:12:08.341Z';

export const payment: Example<'Payment'> = {
  id: 'pay_4c8r1ynd6t9x2m0gwqk7zhve3b',
  invoiceId: invoice.id,
  customerId: invoice.customerId,
  amount: invoice.amount,
  currency: invoice.currency,
  status: 'completed',
  method: 'card',
  card: { brand: 'visa', last4: '4242' },
  reference: null,
  amountRefunded: 0,
  failureCode: null,
  failureMessage: null,
  dispute: null,
  pendingReason: null,
  amountOver: 0,
  fees: null,
  createdAt: '2026-11-24T06:12:07.902Z',
  updatedAt: paidAt,
  metadata: {},
  receivedOn: null,
  bank: null,
  note: null,
  settle: null,
  voidedAt: null,
  voidReason: null,
  statementRow: null,
  claim: null,
  amountCredited: 0,
  creditFrom: null,
};
export const offlinePayment: Example<'Payment'> = {
  ...payment,
  method: 'offline',
  card: null,
  reference: 'Receipt 1047',
  receivedOn: '2026-11-23',
  bank: 'Bank of Bhutan',
  updatedAt: payment.createdAt,
};
export const voidedPayment: Example<'Payment'> = {
  ...offlinePayment,
  amount: 100_000,
  voidedAt: '2026-11-25T03:20:44.180Z',
  voidReason: 'The bank took the transfer back',
  updatedAt: '2026-11-25T03:20:44.180Z',
};
export const declinedPaymentExample: Example<'Payment'> = {
  ...payment,
  status: 'failed',
  card: { brand: 'visa', last4: '0002' },
  failureCode: 'card_declined',
  failureMessage: failures.card_declined,
};

/** The provider took another amount than that of the invoice. */
export const heldPayment: Example<'Payment'> = {
  ...payment,
  amount: 255_000,
  status: 'pending',
  method: 'provider',
  reference: 'pay_29QQoUBi66xm2f',
  pendingReason: 'amount_differs',
  updatedAt: payment.createdAt,
};

export const disputedPayment: Example<'Payment'> = {
  ...payment,
  method: 'provider',
  reference: 'pi_3Q1a2b3c4d5e6f7g8h',
  fees: { amount: 8_720, tax: 1_330, net: payment.amount - 8_720, currency: payment.currency },
  dispute: {
    status: 'open',
    reason: 'fraudulent',
    amount: payment.amount,
    openedAt: '2026-12-02T08:41:19.530Z',
    respondBy: '2026-12-16T23:59:59.000Z',
  },
  updatedAt: '2026-12-02T08:41:19.530Z',
};

/** A payment at a provider, with the fees that the provider has told afterwards. */
export const paymentWithFees: Example<'Payment'> = {
  ...disputedPayment,
  dispute: null,
  updatedAt: '2026-12-01T09:32:18.402Z',
};

export const refund: Example<'Refund'> = {
  id: 'ref_8w5d2kj7h0qz4v9c1xt6nbm3re',
  paymentId: payment.id,
  invoiceId: invoice.id,
  amount: 50_000,
  currency: payment.currency,
  status: 'pending',
  reason: 'One page less than agreed',
  failureCode: null,
  createdAt: '2026-11-25T04:00:31.067Z',
  updatedAt: '2026-11-25T04:00:31.067Z',
  metadata: { ticket: '88' },
  source: 'remit',
  method: 'provider',
  amountOver: 0,
  statementRow: null,
};
export const refundedAt = '2026-11-25T04:00:32.518Z';

export const customer: Example<'Customer'> = {
  id: 'cust_5h0m3rz8v1k6xq2nwd9tj4c7be',
  name: 'Dorji Wangmo',
  email: 'dorji@example.bt',
  phone: '+975 17 123 456',
  address: {
    line1: 'Norzin Lam 12',
    line2: null,
    city: 'Thimphu',
    state: null,
    postalCode: '11001',
    country: 'BT',
  },
  taxIds: [{ type: 'bt_tpn', value: 'TAB12345' }],
  reference: 'C-1047',
  remindersPaused: false,
  metadata: { segment: 'retail' },
  createdAt: '2026-11-20T10:15:00.000Z',
  updatedAt: '2026-11-20T10:15:00.000Z',
};

export const product: Example<'Product'> = {
  id: 'prod_3k9w1xh6q0mz4tv8c2jr5nbd7e',
  name: 'Website design',
  description: null,
  unit: 'hours',
  unitAmounts: { BTN: 11_000, USD: 150 },
  tax: 'bt_gst_5',
  productCode: null,
  status: 'active',
  createdAt: '2026-11-20T10:15:00.000Z',
  updatedAt: '2026-11-20T10:15:00.000Z',
};

export const account = {
  id: 'acct_7c2xq9t0h4mzr6wk',
  name: 'Druk Crafts',
  mode: 'live',
  plan: 'standard',
  seller: {
    legalName: 'Druk Crafts Pvt Ltd',
    address: {
      line1: 'Norzin Lam 12',
      line2: null,
      city: 'Thimphu',
      state: null,
      postalCode: '11001',
      country: 'BT',
    },
    taxIds: [{ type: 'bt_tpn', value: 'TAB12345' }],
    timeZone: 'Asia/Thimphu',
    fiscalYearStart: 1,
    series: {
      invoice: { prefix: 'INV-', digits: 4, restart: 'never' },
      creditNote: { prefix: 'CN-', digits: 4, restart: 'never' },
      receipt: { prefix: 'RCP-', digits: 4, restart: 'never' },
    },
    paymentDays: 14,
    acceptPartial: false,
    writeOffPercent: 10,
    defaultTax: 'bt_gst_5',
    taxes: [
      {
        code: 'own_hotel',
        name: 'Hotel levy',
        rates: [
          { from: '2026-01-01', percent: '3' },
          { from: '2027-01-01', percent: '4.5' },
        ],
      },
    ],
    terms: 'Pay within 30 days.',
    footer: null,
    signatory: 'Dorji Wangmo',
    color: '#1f5f8b',
    logo: {
      sha256: '5f2b9a70c1d84e6f3a0b7c9d2e4f6a8b1c3d5e7f90a2b4c6d8e0f1a3b5c7d9e1',
      type: 'image/png',
      width: 400,
      height: 120,
    },
  },
  mail: {
    invoice: true,
    receipt: false,
    refund: false,
    failure: false,
    reminders: [-3, 0, 14],
    reminderHour: 9,
    daysOff: ['sunday'],
    senderName: null,
    replyTo: 'shop@druk.example',
    locale: 'en',
    notices: ['disputed', 'key', 'payout'],
    noticesTo: null,
  },
} satisfies Example<'Account'>;

export const eventFilter: Example<'EventFilter'> = { path: 'data.currency', in: ['BTN', 'INR'] };

export const webhook: Example<'Webhook'> = {
  id: 'wh_3n7x0tq9e4hb6w2kvz8m5cjd1r',
  url: 'https://example.com/webhooks',
  events: ['*', 'refund.failed'],
  eventTypes: [...commonEventTypes, 'refund.failed'],
  description: 'The shop',
  status: 'enabled',
  disabledReason: null,
  apiVersion: '2026-11-21',
  createdAt: '2026-11-20T11:02:45.120Z',
  updatedAt: '2026-11-20T11:02:45.120Z',
  metadata: {},
  filters: [eventFilter],
  type: 'url',
  target: null,
};

export const attempt: Example<'DeliveryAttempt'> = {
  number: 1,
  at: '2026-11-24T06:12:08.733Z',
  durationMs: 184,
  status: 200,
  error: null,
  cause: null,
  answer: 'ok',
};
export const delivery: Example<'Delivery'> = {
  id: 'dlv_2h6v9kx3b8nq0mtz5rwc1jey7d',
  eventId: 'evt_9t3b6zc1v7k0xq5nwd8hm2rj4e',
  eventType: 'invoice.paid',
  status: 'succeeded',
  attempts: [attempt],
  nextAttemptAt: null,
  createdAt: paidAt,
};

export const auditEntry: Example<'AuditEntry'> = {
  id: 'aud_01m7x0nkfcq2z4v9c1xt6nbm3r',
  timestamp: '2026-11-24T09:15:02.184Z',
  actor: { type: 'key', id: 'key_4c8r1ynd6t9x2m0g' },
  action: 'webhook.update',
  outcome: 'done',
  resource: webhook.id,
  requestId: '8f14e45f-ceea-467f-a0e6-c7f24b1d3a52',
  source: 'pX3vK9wQm2A',
  changes: [{ field: 'events', before: '*', after: 'invoice.paid, invoice.overdue' }],
};

export const apiKey: Example<'ApiKey'> = {
  id: 'key_4c8r1ynd6t9x2m0g',
  name: 'Shop server',
  note: 'Runs in Thimphu. Ask Dorji.',
  last4: '7q0e',
  permissions: ['invoices:read', 'invoices:write'],
  allowedAddresses: ['203.0.113.0/24'],
  apiVersion: '2026-11-21',
  status: 'active',
  createdAt: '2026-11-20T11:02:45.120Z',
  expiresAt: '2099-01-31T23:59:59.999Z',
  revokedAt: null,
  lastUsedAt: null,
  replaces: null,
  replacedBy: null,
};
export const apiKeyValue = `sk_test_1${'0'.repeat(50)}7q0e`;
