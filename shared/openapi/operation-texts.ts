/** What each operation is for, and what whoever calls it should know. */
import type { OperationName } from './operation-errors.ts';

export interface OperationText {
  readonly summary: string;
  readonly description: string;
}

const invoices: Pick<
  Record<OperationName, OperationText>,
  'listInvoices' | 'createInvoice' | 'getInvoice' | 'updateInvoice' | 'cancelInvoice'
> = {
  listInvoices: {
    summary: 'List invoices',
    description:
      'Your invoices, newest first. Filters combine: an invoice is listed if it matches all of them.\n\n' +
      'The list shows every change that was answered before you asked, and `total` is exact.',
  },
  createInvoice: {
    summary: 'Create an invoice',
    description:
      'Creates a `pending` invoice. Send your customer its `paymentUrl`: there it can be viewed and paid.\n\n' +
      'Without a `dueDate` it is due in 30 days. A due date in the past is accepted, so that old invoices can be imported; such an invoice turns `overdue` a day after it was created.\n\n' +
      'Announces `invoice.created`.',
  },
  getInvoice: {
    summary: 'Retrieve an invoice',
    description: 'The invoice as it is now. Cancelled invoices can be retrieved, too.',
  },
  updateInvoice: {
    summary: 'Update an invoice',
    description:
      'Changes `amount`, `description` or `dueDate` of a `pending` invoice; what you leave out stays as it is. The answer is the whole invoice.\n\n' +
      'You may send back a whole invoice as you got it: the other fields are accepted with their present value and refused with `immutable_field` otherwise. If nothing is new, nothing changes, not even `updatedAt`.\n\n' +
      'An invoice that is not `pending`, or for which a payment is in progress, cannot be changed. To change an overdue one, cancel it and issue a new one.\n\n' +
      'Announces `invoice.updated`.',
  },
  cancelInvoice: {
    summary: 'Cancel an invoice',
    description:
      'Cancels a `pending` or `overdue` invoice, for good. It can still be retrieved and listed.\n\n' +
      'It may be cancelled while a payment is in progress: money that is captured after that is refunded without further ado.\n\n' +
      'Announces `invoice.cancelled`.',
  },
};

const payments: Pick<
  Record<OperationName, OperationText>,
  'listPayments' | 'createPayment' | 'getPayment' | 'listRefunds' | 'createRefund' | 'getRefund'
> = {
  listPayments: {
    summary: 'List payments',
    description:
      'Your payments, newest first, also those that failed. Filters combine: a payment is listed if it matches all of them.',
  },
  createPayment: {
    summary: 'Create a payment',
    description:
      'Pays a `pending` or `overdue` invoice in full, in one of two ways:\n\n' +
      '- `offline` records money that you received outside, in cash or by bank transfer. The payment is `completed` at once. Test mode and live mode.\n' +
      '- `card` pays with a test card. Test mode only: in live mode customers enter their cards on the page at `paymentUrl`, and card data in a request is refused with `card_data_not_accepted`.\n\n' +
      'A declined card is an outcome and no error: the answer is 201 with `status` `failed`, and `failureCode` says why. The invoice stays open for another payment.\n\n' +
      'A payment can also stay `pending` until its outcome is known. Meanwhile there can be no other one for that invoice (`payment_in_progress`). Retrieve it later, or wait for its event.\n\n' +
      'Announces `payment.completed` and then `invoice.paid`, or `payment.failed`.',
  },
  getPayment: {
    summary: 'Retrieve a payment',
    description: 'The payment as it is now.',
  },
  listRefunds: {
    summary: 'List refunds',
    description: 'Your refunds, newest first. Filters combine: a refund is listed if it matches all of them.',
  },
  createRefund: {
    summary: 'Create a refund',
    description:
      'Gives money of a `completed` payment back: `amount`, or all that is left of it. A payment can be refunded in parts; the parts never exceed it, whatever runs at the same time.\n\n' +
      'The refund is `pending` at first and carried out within seconds. If it fails, its amount can be refunded again. The invoice stays `paid`.\n\n' +
      'Announces `refund.processed` or `refund.failed`, once it is known.',
  },
  getRefund: {
    summary: 'Retrieve a refund',
    description: 'The refund as it is now.',
  },
};

const endpoints: Pick<
  Record<OperationName, OperationText>,
  'listWebhooks' | 'createWebhook' | 'getWebhook' | 'updateWebhook' | 'deleteWebhook' | 'rotateWebhookSecret'
> = {
  listWebhooks: {
    summary: 'List webhook endpoints',
    description: 'Your webhook endpoints, newest first. Their secrets are not shown.',
  },
  createWebhook: {
    summary: 'Create a webhook endpoint',
    description:
      'Registers an address to which events are posted from now on. The answer shows its `secret` this one time: keep it, to verify what arrives.\n\n' +
      'The address must be `https` (in test mode `http` will do) and public: private, local and metadata addresses are refused, now and whenever a message is sent. Redirects are not followed.\n\n' +
      'There can be 20 endpoints in each mode.',
  },
  getWebhook: {
    summary: 'Retrieve a webhook endpoint',
    description: 'The webhook endpoint as it is now. Its secret is not shown.',
  },
  updateWebhook: {
    summary: 'Update a webhook endpoint',
    description:
      'Changes what the body names; what you leave out stays as it is.\n\n' +
      'Set `status` to `disabled` to pause an endpoint: events are then recorded as `skipped`. Set it to `enabled` to have events sent again, and recover what was skipped.',
  },
  deleteWebhook: {
    summary: 'Delete a webhook endpoint',
    description: 'Nothing is sent to it any more, and its deliveries cannot be retrieved any more.',
  },
  rotateWebhookSecret: {
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Makes a new secret, which the answer shows this one time. The old one signs along for `overlapHours`, so that you can replace it without losing a message: until then messages carry a signature by each.\n\n' +
      'At most 5 secrets can sign at once. `overlapHours` 0 ends all but the new one, for when a secret has leaked.',
  },
};

const deliveries: Pick<
  Record<OperationName, OperationText>,
  'testWebhook' | 'listDeliveries' | 'redeliver' | 'startRecovery' | 'listEvents' | 'getEvent'
> = {
  testWebhook: {
    summary: 'Send a test event',
    description:
      'Posts a `webhook.test` event to the endpoint now, signed like any other, and answers what the receiver did. It is sent to a disabled endpoint, too. It is kept neither among events nor among deliveries.',
  },
  listDeliveries: {
    summary: 'List deliveries',
    description:
      'What was sent to the endpoint, newest first, with each attempt and its answer. Deliveries are kept as long as their events, 30 days.\n\n' +
      'With a `status`, a page may hold fewer deliveries than `limit` although `hasMore` is true: go on from `next`.',
  },
  redeliver: {
    summary: 'Redeliver an event',
    description:
      'Makes a new attempt at once and answers the delivery with its outcome. Success ends the attempts that were still to come; failure changes nothing about them.',
  },
  startRecovery: {
    summary: 'Recover missed deliveries',
    description:
      'Sends all deliveries again that have `failed` or were `skipped` since then, in the background, each with the whole schedule of attempts. The endpoint must be enabled.',
  },
  listEvents: {
    summary: 'List events',
    description:
      'What has happened in your account, newest first; kept 30 days.\n\n' +
      'With `after`, events come oldest first and without gaps: begin with `after=start`, and go on with the `next` of each page. So you can follow the log instead of, or beside, receiving webhooks.\n\n' +
      'With a `type`, a page may hold fewer events than `limit` although `hasMore` is true: go on from `next`.',
  },
  getEvent: {
    summary: 'Retrieve an event',
    description: 'The event, with exactly the body that webhook endpoints receive. Events are kept 30 days.',
  },
};

export const operationTexts: Readonly<Record<OperationName, OperationText>> = {
  ...invoices,
  ...payments,
  ...endpoints,
  ...deliveries,
};
