/**
 * Holds an example of each schema. The examples belong together: an invoice is paid by card and then partly refunded.
 * Request bodies leave out optional fields.
 */
import type * as v from 'valibot';
import { commonEventTypes, type EventType } from '../events/event.ts';
import { failures } from '../payments/provider/failures.ts';
import type { Examples } from './document-types.ts';
import type { namedSchemas, SchemaName } from './named-schemas.ts';
import type { OperationName } from './operation-errors.ts';

type Example<Name extends SchemaName> = v.InferInput<(typeof namedSchemas)[Name]>;

const invoice: Example<'Invoice'> = {
  id: 'inv_7k2m9qv4xw0hzt3c8ejb5rnd1a',
  customerId: 'dorji@example.bt',
  amount: 250_000,
  currency: 'BTN',
  status: 'pending',
  description: 'Website design',
  dueDate: '2026-12-21T09:30:00.000Z',
  paymentUrl: 'https://remit.example.com/pay/inv_7k2m9qv4xw0hzt3c8ejb5rnd1a',
  createdAt: '2026-11-21T09:30:00.000Z',
  updatedAt: '2026-11-21T09:30:00.000Z',
};
const paidAt = '2026-11-24T06:12:08.341Z';

const payment: Example<'Payment'> = {
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
  createdAt: '2026-11-24T06:12:07.902Z',
  updatedAt: paidAt,
};
const offlinePayment: Example<'Payment'> = {
  ...payment,
  method: 'offline',
  card: null,
  reference: 'Receipt 1047',
  updatedAt: payment.createdAt,
};
const declinedPayment: Example<'Payment'> = {
  ...payment,
  status: 'failed',
  card: { brand: 'visa', last4: '0002' },
  failureCode: 'card_declined',
  failureMessage: failures.card_declined,
};

const disputedPayment: Example<'Payment'> = {
  ...payment,
  method: 'provider',
  reference: 'pi_3Q1a2b3c4d5e6f7g8h',
  dispute: {
    status: 'open',
    reason: 'fraudulent',
    amount: payment.amount,
    openedAt: '2026-12-02T08:41:19.530Z',
  },
  updatedAt: '2026-12-02T08:41:19.530Z',
};

const refund: Example<'Refund'> = {
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
};
const refundedAt = '2026-11-25T04:00:32.518Z';

const webhook: Example<'Webhook'> = {
  id: 'wh_3n7x0tq9e4hb6w2kvz8m5cjd1r',
  url: 'https://example.com/webhooks',
  events: ['*', 'refund.failed'],
  eventTypes: [...commonEventTypes, 'refund.failed'],
  description: 'The shop',
  status: 'enabled',
  disabledReason: null,
  createdAt: '2026-11-20T11:02:45.120Z',
  updatedAt: '2026-11-20T11:02:45.120Z',
};

const attempt: Example<'DeliveryAttempt'> = {
  number: 1,
  at: '2026-11-24T06:12:08.733Z',
  durationMs: 184,
  status: 200,
  error: null,
  answer: 'ok',
};
const delivery: Example<'Delivery'> = {
  id: 'dlv_2h6v9kx3b8nq0mtz5rwc1jey7d',
  eventId: 'evt_9t3b6zc1v7k0xq5nwd8hm2rj4e',
  eventType: 'invoice.paid',
  status: 'succeeded',
  attempts: [attempt],
  nextAttemptAt: null,
  createdAt: paidAt,
};

const auditEntry: Example<'AuditEntry'> = {
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

const apiKey: Example<'ApiKey'> = {
  id: 'key_4c8r1ynd6t9x2m0g',
  name: 'Shop server',
  note: 'Runs in Thimphu. Ask Dorji.',
  last4: '7q0e',
  permissions: ['invoices:read', 'invoices:write'],
  allowedAddresses: ['203.0.113.0/24'],
  status: 'active',
  createdAt: '2026-11-20T11:02:45.120Z',
  expiresAt: '2099-01-31T23:59:59.999Z',
  revokedAt: null,
  lastUsedAt: null,
  replaces: null,
  replacedBy: null,
};
const apiKeyValue = `sk_test_1${'0'.repeat(50)}7q0e`;

const eventOf = (
  type: EventType,
  id: string,
  objectVersion: number,
  data: Example<'Invoice'> | Example<'Payment'> | Example<'Refund'>,
) => ({ id, type, timestamp: data.updatedAt, mode: 'test', objectVersion, data }) as const;

const paidInvoice: Example<'Invoice'> = { ...invoice, status: 'paid', updatedAt: paidAt };
const changed = { ...invoice, updatedAt: '2026-11-22T10:00:00.000Z' };

/** An event of each type. */
export const eventExamples: Readonly<Record<EventType, Example<'Event'>>> = {
  'invoice.created': eventOf('invoice.created', 'evt_1c5k8rw0z3n6vd9h2xq7bt4mje', 1, invoice),
  'invoice.paid': eventOf('invoice.paid', delivery.eventId, 2, paidInvoice),
  'invoice.updated': eventOf('invoice.updated', 'evt_5j0t3xn8c6zw1k9q4hd7vbm2re', 2, {
    ...changed,
    amount: 260_000,
  }),
  'invoice.cancelled': eventOf('invoice.cancelled', 'evt_8b2m6qz0v4t9k1xw7chr3njd5e', 2, {
    ...changed,
    status: 'cancelled',
  }),
  'invoice.overdue': eventOf('invoice.overdue', 'evt_0x7d4hv9n2c5tz8k3qw6rbj1me', 2, {
    ...invoice,
    status: 'overdue',
    updatedAt: '2026-12-21T09:30:01.206Z',
  }),
  'payment.completed': eventOf('payment.completed', 'evt_6r1z9cw4k7t2xq0n5vh8dbm3je', 2, payment),
  'payment.failed': eventOf('payment.failed', 'evt_3v8k0nt5q2z7xc4w9rh6bdj1me', 2, declinedPayment),
  'payment.disputed': eventOf('payment.disputed', 'evt_9q4t2mx7w0k5zc1n8vh3rdbj6e', 2, disputedPayment),
  'refund.processed': eventOf('refund.processed', 'evt_2w9x5kz1c8v4tq7n0hr3dbj6me', 2, {
    ...refund,
    status: 'processed',
    updatedAt: refundedAt,
  }),
  'refund.failed': eventOf('refund.failed', 'evt_7n4c0zv6x1k8tq3w5hr9dbj2me', 2, {
    ...refund,
    status: 'failed',
    failureCode: 'refund_refused',
    updatedAt: refundedAt,
  }),
};

const pageOf = <Row>(...data: Row[]) => ({
  data,
  pagination: { total: data.length, limit: 20, offset: 0, hasMore: false },
});
const cursor: Example<'Cursor'> = { hasMore: true, next: delivery.id };
const event = eventExamples['invoice.paid'];

export const schemaExamples: { readonly [Name in SchemaName]: Example<Name> } = {
  Invoice: invoice,
  InvoiceList: pageOf(invoice),
  InvoiceCancellation: { id: invoice.id, status: 'cancelled', deletedAt: changed.updatedAt },
  CreateInvoice: {
    customerId: invoice.customerId,
    amount: invoice.amount,
    currency: invoice.currency,
    description: invoice.description,
  },
  UpdateInvoice: { amount: 260_000, dueDate: '2027-01-15' },
  Payment: payment,
  PaymentList: pageOf(payment),
  CardSummary: { brand: 'visa', last4: '4242' },
  FailureCode: 'card_declined',
  WebhookDisabledReason: 'gone',
  Dispute: disputedPayment.dispute as Example<'Dispute'>,
  CreatePayment: { invoiceId: invoice.id, method: 'offline', reference: 'Receipt 1047' },
  Card: { number: '4242424242424242', expMonth: 12, expYear: 2040, cvc: '123' },
  Refund: refund,
  RefundList: pageOf(refund),
  CreateRefund: { paymentId: payment.id, amount: refund.amount, reason: refund.reason },
  Webhook: webhook,
  WebhookList: pageOf(webhook),
  WebhookWithSecret: { ...webhook, secret: 'whsec_ZXhhbXBsZSBzZWNyZXQsIG9mIG5vIGVuZHBvaW50ISE=' },
  WebhookDeletion: { id: webhook.id, deletedAt: changed.updatedAt },
  WebhookTestResult: { eventId: 'evt_4h7q2zk9c0v6tx3n8wr1dbj5me', succeeded: true, ...attempt },
  CreateWebhook: { url: webhook.url, events: webhook.events, description: webhook.description },
  UpdateWebhook: { events: ['invoice.paid', 'invoice.overdue'] },
  RotateWebhookSecret: { overlapHours: 48 },
  StartRecovery: { since: '2026-11-01T00:00:00Z' },
  Recovery: { id: webhook.id, since: '2026-11-01T00:00:00.000Z' },
  Delivery: delivery,
  DeliveryAttempt: attempt,
  DeliveryList: { data: [delivery], cursor },
  AuditEntry: auditEntry,
  AuditActor: auditEntry.actor,
  AuditSettingChange: { field: 'status', before: 'enabled', after: 'disabled' },
  AuditLog: { data: [auditEntry], cursor: { hasMore: true, next: auditEntry.id } },
  ApiKey: apiKey,
  ApiKeyList: pageOf(apiKey),
  ApiKeyWithValue: { ...apiKey, value: apiKeyValue },
  ApiKeyRevocation: { id: apiKey.id, revokedAt: '2026-11-26T08:00:00.000Z' },
  CreateApiKey: { name: apiKey.name, note: apiKey.note, permissions: ['invoices:read'] },
  UpdateApiKey: { note: 'Runs in Paro.' },
  RollOverApiKey: { overlapHours: 72 },
  Event: event,
  EventList: { data: [event], cursor: { hasMore: true, next: event.id } },
  Pagination: { total: 1, limit: 20, offset: 0, hasMore: false },
  Cursor: cursor,
};

/** The request examples of operations that show more than the example of their schema. */
export const requestExamples: Partial<Record<OperationName, Examples>> = {
  createPayment: {
    offline: { summary: 'An offline payment', value: schemaExamples.CreatePayment },
    card: {
      summary: 'A payment with a test card',
      value: { invoiceId: invoice.id, method: 'card', card: schemaExamples.Card },
    },
    declined: {
      summary: 'A payment with a test card that is declined',
      value: {
        invoiceId: invoice.id,
        method: 'card',
        card: { ...schemaExamples.Card, number: '4000000000000002' },
      },
    },
  },
};

/** The response examples of operations that show more than the example of their schema. */
export const responseExamples: Partial<Record<OperationName, Examples>> = {
  createPayment: {
    offline: { summary: 'An offline payment', value: offlinePayment },
    card: { summary: 'A completed card payment', value: payment },
    declined: { summary: 'A declined card payment', value: declinedPayment },
  },
  updateInvoice: {
    updated: {
      summary: 'The amount and the due date were changed',
      value: { ...changed, amount: 260_000, dueDate: '2027-01-15T23:59:59.999Z' },
    },
  },
};

/** An example of a `webhook.test` event. */
export const testEventExample = {
  id: schemaExamples.WebhookTestResult.eventId,
  type: 'webhook.test',
  timestamp: '2026-11-20T11:05:02.440Z',
  mode: 'test',
  objectVersion: 1,
  data: webhook,
};
