/** What each schema of the document is, in a sentence. */
import type { EventType } from '../events/event.ts';
import type { SchemaName } from './named-schemas.ts';

export const schemaTexts: Readonly<Record<SchemaName, string>> = {
  Invoice: 'What a customer is to pay, by when and for what.',
  InvoiceList: 'A page of invoices.',
  InvoiceCancellation: 'The cancellation of an invoice.',
  CreateInvoice: 'A new invoice.',
  UpdateInvoice: 'What is to change about an invoice.',
  Payment: 'Money received, or tried to be received, for an invoice.',
  PaymentList: 'A page of payments.',
  CardSummary: 'What is kept of a card.',
  CreatePayment: 'A new payment: `method` says how it is paid.',
  Card: 'A test card.',
  Refund: 'Money of a payment that is given back.',
  RefundList: 'A page of refunds.',
  CreateRefund: 'A new refund.',
  Webhook: 'A webhook endpoint: an address of yours to which events are posted.',
  WebhookList: 'A page of webhook endpoints.',
  WebhookWithSecret: 'A webhook endpoint with its new secret, which is shown this one time.',
  WebhookDeletion: 'The deletion of a webhook endpoint.',
  WebhookTestResult: 'What the endpoint answered to a test event.',
  CreateWebhook: 'A new webhook endpoint.',
  UpdateWebhook: 'What is to change about a webhook endpoint.',
  RotateWebhookSecret: 'How a secret gives way to the next one.',
  StartRecovery: 'Which deliveries are to be recovered.',
  Recovery: 'A recovery that has begun.',
  Delivery: 'The delivery of an event to a webhook endpoint.',
  DeliveryAttempt: 'One attempt to deliver an event.',
  DeliveryList: 'A page of deliveries.',
  Event: 'What has happened: `type` says what, and so what `data` is.',
  EventList: 'A page of events.',
  Pagination: 'Where a page stands in its list.',
  Cursor: 'How to go on from a page.',
};

/** What each kind of event tells. */
export const eventTexts: Readonly<Record<EventType | 'webhook.test', string>> = {
  'invoice.created': 'An invoice was created.',
  'invoice.paid': 'An invoice was paid in full.',
  'invoice.updated':
    'Amount, description or due date of an invoice was changed. Sent to endpoints that name it.',
  'invoice.cancelled': 'An invoice was cancelled. Sent to endpoints that name it.',
  'invoice.overdue': 'The due date of a pending invoice has passed. Sent to endpoints that name it.',
  'payment.completed': 'A payment was completed.',
  'payment.failed': 'A payment has failed; the invoice stays open.',
  'refund.processed': 'A refund was carried out.',
  'refund.failed': 'A refund has failed; its amount can be refunded again. Sent to endpoints that name it.',
  'webhook.test': 'A test that you asked for; `data` is the webhook endpoint.',
};
