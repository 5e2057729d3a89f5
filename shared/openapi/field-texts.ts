/** What each field of each named schema means. A field without a text does not compile. */
import type { FieldOf, SchemaName } from './named-schemas.ts';

type FieldTexts = { readonly [Name in SchemaName]: Readonly<Record<FieldOf<Name>, string>> };

const createdAt = 'When it was created.';
const updatedAt = 'When it was last changed. Every change makes it strictly later.';
const currency =
  'The currency, spelled in capital letters: `BTN` (ngultrum), `USD` (US dollar) or `INR` (rupee).';
const customerId =
  'Who pays: an e-mail address, or an id of your own (letters, digits and `_ . : -`, beginning with a letter or digit). It need not be known to Remit.';
const unchangeable = 'Cannot be changed; accepted with its present value only.';
const pagination = 'Where this page stands in the list.';
const cursor = 'How to go on.';

const invoiceTexts: Pick<
  FieldTexts,
  'Invoice' | 'InvoiceList' | 'InvoiceCancellation' | 'CreateInvoice' | 'UpdateInvoice'
> = {
  Invoice: {
    id: 'The id of the invoice.',
    customerId: 'Who pays, as you sent it.',
    amount: 'What is to be paid, in the smallest unit of the currency: 250000 is Nu. 2,500.00.',
    currency,
    status:
      '`pending` until it is paid, cancelled, or past its due date; then `paid`, `cancelled` or `overdue`. An overdue invoice can still be paid or cancelled.',
    description: 'What the invoice is for, as the customer reads it.',
    dueDate: 'Until when it is to be paid. Within two minutes after that it turns `overdue`.',
    paymentUrl: 'The web page (HTML) at which the customer views and pays the invoice. It needs no key.',
    createdAt,
    updatedAt,
  },
  InvoiceList: { data: 'The invoices, newest first.', pagination },
  InvoiceCancellation: {
    id: 'The id of the invoice.',
    status: 'Always `cancelled`.',
    deletedAt: 'When it was cancelled.',
  },
  CreateInvoice: {
    customerId,
    amount: 'What is to be paid, in the smallest unit of the currency: 250000 for Nu. 2,500.00.',
    currency,
    description: 'What the invoice is for, as the customer reads it. Not only white space; stored as sent.',
    dueDate:
      'Until when it is to be paid: an ISO 8601 date and time with `Z`, an offset such as `+06:00`, or neither (then UTC); or a plain date, which means the end of that day in UTC. By default in 30 days.',
  },
  UpdateInvoice: {
    id: unchangeable,
    customerId: unchangeable,
    amount: 'The new amount, in the smallest unit of the currency.',
    currency: unchangeable,
    status: 'Cannot be set; accepted with its present value only. To cancel the invoice, delete it.',
    description: 'The new description.',
    dueDate: 'The new due date, spelled as on creation.',
    paymentUrl: unchangeable,
    createdAt: unchangeable,
    updatedAt: unchangeable,
  },
};

const paymentTexts: Pick<
  FieldTexts,
  | 'Payment'
  | 'PaymentList'
  | 'CardSummary'
  | 'CreatePayment'
  | 'Card'
  | 'Refund'
  | 'RefundList'
  | 'CreateRefund'
> = {
  Payment: {
    id: 'The id of the payment.',
    invoiceId: 'The invoice that it pays.',
    customerId: 'Who pays: the customer of the invoice.',
    amount: 'The amount in the smallest unit of the currency; always all of the invoice.',
    currency,
    status:
      '`pending` until its outcome is known; then `completed` or `failed`, which are final. Refunds do not change it.',
    method:
      'How it was paid: `card` with a card, `offline` outside of Remit, `provider` by another means of the payment provider.',
    card: 'The card that was used; null for other methods.',
    reference: 'Your note on money received outside, such as the number of a receipt; null if there is none.',
    amountRefunded: 'What was refunded of it so far, in the smallest unit of the currency.',
    failureCode: 'Why it failed; null unless it did.',
    failureMessage: 'The same as a sentence that can be shown to the payer; null unless it failed.',
    createdAt,
    updatedAt,
  },
  PaymentList: { data: 'The payments, newest first.', pagination },
  CardSummary: { brand: 'The network of the card.', last4: 'The last four digits of its number.' },
  CreatePayment: {
    invoiceId: 'The invoice to be paid.',
    method: 'How it is paid.',
    reference: 'Your note on it, such as the number of a receipt or of a transfer.',
    card: 'The test card to pay with.',
    amount: 'If you send it, it must equal the amount of the invoice, else nothing is paid.',
  },
  Card: {
    number: 'The number; spaces and hyphens between digits are fine. Only test cards are accepted.',
    expMonth: 'The month until the end of which it is valid.',
    expYear: 'The year of that month, in four digits.',
    cvc: 'The security code of 3 or 4 digits.',
  },
  Refund: {
    id: 'The id of the refund.',
    paymentId: 'The payment of which it gives money back.',
    invoiceId: 'The invoice of that payment.',
    amount: 'What is given back, in the smallest unit of the currency.',
    currency,
    status: '`pending` until it is carried out; then `processed` or `failed`, which are final.',
    reason: 'Why, as you put it; null if you did not say.',
    failureCode: 'Why it failed; null unless it did.',
    createdAt,
    updatedAt,
  },
  RefundList: { data: 'The refunds, newest first.', pagination },
  CreateRefund: {
    paymentId: 'The payment to be refunded.',
    amount: 'What to give back, in the smallest unit of the currency; by default all that is left.',
    reason: 'Why, for your own records.',
  },
};

const secret =
  'Verifies the signature of messages. Shown in this answer only. In it, what follows `whsec_` is the key in base64.';

const webhook = {
  id: 'The id of the endpoint.',
  url: 'Where events are posted to.',
  events: 'The kinds of events that are sent to it; `*` stands for the common ones.',
  description: 'Your note on it; null if there is none.',
  status: '`enabled`, or `disabled`: then events are recorded as `skipped` and not sent.',
  disabledReason:
    'Why it is disabled: `manual` by you, `gone` as it answered 410, `failing` after five days without a success; null if it is enabled.',
  createdAt,
  updatedAt,
};

const attempt = {
  number: 'Counts the attempts of a delivery, from 1.',
  at: 'When it began.',
  durationMs: 'How long it took to the head of the answer, or to the failure, in milliseconds.',
  status: 'The HTTP status of the answer; null if there was none.',
  error:
    'Why there was no answer: `timeout`, `connection_refused`, `connection_reset`, `connection_failed`, `dns_failure`, `tls_failure`, `address_not_allowed`, `invalid_response`, or `endpoint_unresponsive` if it was not asked since it had timed out again and again; null if there was one.',
  answer: 'The beginning of the answer’s body, at most 1 KiB.',
};

const createdWebhook = {
  url: 'Where to post events to: an absolute `https` address; in test mode `http` will do.',
  events:
    'The kinds of events to send, each once; or `["*"]` for the common ones: `invoice.created`, `invoice.paid`, `payment.completed`, `payment.failed` and `refund.processed`. The others are sent only to endpoints that name them.',
};

const webhookTexts: Pick<
  FieldTexts,
  | 'Webhook'
  | 'WebhookList'
  | 'WebhookWithSecret'
  | 'WebhookDeletion'
  | 'WebhookTestResult'
  | 'CreateWebhook'
  | 'UpdateWebhook'
  | 'RotateWebhookSecret'
  | 'StartRecovery'
  | 'Recovery'
> = {
  Webhook: webhook,
  WebhookList: { data: 'The webhook endpoints, newest first.', pagination },
  WebhookWithSecret: { ...webhook, secret },
  WebhookDeletion: { id: 'The id of the endpoint.', deletedAt: 'When it was deleted.' },
  WebhookTestResult: {
    eventId: 'The id of the test event, as in its `webhook-id` header.',
    succeeded: 'Whether the endpoint answered with a 2xx status in time.',
    ...attempt,
    number: 'Always 1.',
  },
  CreateWebhook: { ...createdWebhook, description: 'Your note on it.' },
  UpdateWebhook: {
    ...createdWebhook,
    description: 'Your note on it; null takes it away.',
    status: '`disabled` pauses the endpoint, `enabled` has events sent to it again.',
  },
  RotateWebhookSecret: { overlapHours: 'For how many hours the present secret signs along.' },
  StartRecovery: {
    since:
      'The time from which on: an ISO 8601 date and time with `Z`, an offset such as `+06:00`, or neither (then UTC).',
  },
  Recovery: { id: 'The id of the endpoint.', since: 'The time from which on deliveries are recovered.' },
};

const eventTexts: Pick<
  FieldTexts,
  'Delivery' | 'DeliveryAttempt' | 'DeliveryList' | 'Event' | 'EventList' | 'Pagination' | 'Cursor'
> = {
  Delivery: {
    id: 'The id of the delivery.',
    eventId: 'The event that is delivered.',
    eventType: 'Its kind.',
    status:
      '`pending` while attempts are to come; `succeeded` after a 2xx answer; `failed` after the last attempt; `skipped` as the endpoint was disabled.',
    attempts: 'What was tried so far, oldest first; of many, the last 25.',
    nextAttemptAt: 'When the next attempt is due; null if there will be none.',
    createdAt: 'When the event happened.',
  },
  DeliveryAttempt: attempt,
  DeliveryList: { data: 'The deliveries, newest first.', cursor },
  Event: {
    id: 'The id of the event. Messages can arrive more than once: recognise them by it.',
    type: 'What has happened.',
    timestamp: 'When it happened.',
    mode: 'The mode that it happened in.',
    objectVersion:
      'Rises by one with each change of the resource. Messages can arrive in any order: the higher version is the newer state.',
    data: 'The resource as it was then.',
  },
  EventList: { data: 'The events.', cursor },
  Pagination: {
    total: 'How many items match in all.',
    limit: 'How many items a page has at most.',
    offset: 'How many items come before this page.',
    hasMore: 'Whether items come after this page.',
  },
  Cursor: {
    hasMore: 'Whether there is more to be looked at.',
    next: 'What to send as `before`, or as `after` if you sent that, to go on; null if there is nothing to go on from.',
  },
};

export const fieldTexts: FieldTexts = { ...invoiceTexts, ...paymentTexts, ...webhookTexts, ...eventTexts };
