/** The English texts that several pages of the dashboard have in common: names of records, statuses and fields. */
import type { EventType } from '../../../domain/events/event.ts';

/** Returns the text for a name. One that only a later release knows is shown as it is stored. */
export const textFor = (texts: Readonly<Record<string, string>>, name: string): string => texts[name] ?? name;

export const statusTexts: Readonly<Record<string, string>> = {
  pending: 'Pending',
  overdue: 'Overdue',
  paid: 'Paid',
  cancelled: 'Cancelled',
  completed: 'Completed',
  failed: 'Failed',
  voided: 'Voided',
  credited: 'Credited',
  processed: 'Processed',
  enabled: 'Enabled',
  disabled: 'Disabled',
  succeeded: 'Succeeded',
  skipped: 'Skipped',
  running: 'Running',
};

export const eventNames: Readonly<Record<EventType, string>> = {
  'invoice.created': 'Invoice created',
  'invoice.updated': 'Invoice updated',
  'invoice.paid': 'Invoice paid',
  'invoice.cancelled': 'Invoice cancelled',
  'invoice.overdue': 'Invoice overdue',
  'invoice.claimed': 'Payer claims to have paid',
  'payment.completed': 'Payment completed',
  'payment.failed': 'Payment failed',
  'payment.updated': 'Payment updated',
  'payment.disputed': 'Payment disputed',
  'payment.held': 'Payment of another amount',
  'payment.voided': 'Payment voided',
  'refund.processed': 'Refund processed',
  'refund.failed': 'Refund failed',
  'document.issued': 'Document issued',
  'mail.bounced': 'Mail did not arrive',
  'schedule.failed': 'Schedule stopped',
  'schedule.ended': 'Schedule ended',
  'export.completed': 'Export completed',
  'export.failed': 'Export failed',
};

export const methodTexts: Readonly<Record<string, string>> = {
  card: 'Card',
  offline: 'Received outside Remit',
  credit: 'Credit of the customer',
  provider: 'Payment provider',
};

/** The names of fields, in tables and lists of details. */
export const fieldNames = {
  id: 'ID',
  amount: 'Amount',
  status: 'Status',
  customer: 'Customer',
  address: 'Address',
  description: 'Description',
  created: 'Created',
  createdFrom: 'Created from',
  createdTo: 'Created to',
  currency: 'Currency',
  changed: 'Last changed',
  due: 'Due',
  invoice: 'Invoice',
  payment: 'Payment',
  method: 'Method',
  reference: 'Reference',
  receivedOn: 'Received on',
  bank: 'Bank',
  note: 'Note',
  voidedAt: 'Voided',
  voidReason: 'Reason of the void',
  ownReference: 'Own reference',
  metadata: 'Metadata',
  paymentReference: 'Payment reference',
  card: 'Card',
  refunded: 'Refunded',
  reason: 'Reason',
  failure: 'Failure',
  event: 'Event',
  type: 'Type',
  time: 'Time',
  url: 'URL',
  events: 'Events',
} as const;

/** The links below a list to a file with its rows: at once, or made in the background. */
export const fileTexts = { csv: 'Download CSV', exports: 'Export' } as const;

export const filterTexts = {
  all: 'All',
  apply: 'Filter',
  reset: 'Show all',
  label: 'Filters',
  refused: 'Correct the filters first.',
} as const;

/** Shown below a text that is too long for a page. */
export const cutText = 'The rest is not shown here. The API returns the whole text.';

export const copyTexts = { copy: 'Copy', copied: 'Copied' } as const;

/** Shown above a form whose attempt had no effect. */
export const attemptRefusals = {
  closed: 'This account is closed. Nothing was changed.',
  sandbox: 'A sandbox cannot connect a payment provider. Nothing was changed. Use another account for that.',
  maintenance:
    'The service is in maintenance and accepts no changes. Nothing was changed. Send the form again in a few minutes.',
  inProgress:
    'A payer may have paid this invoice at the payment provider, which does not say whether. Nothing was changed. Try again in a few minutes.',
  reused: 'This form was sent before with other values. Check the record, then send the form again.',
} as const;
