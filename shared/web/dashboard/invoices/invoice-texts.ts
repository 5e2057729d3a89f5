/** The English texts of the pages of invoices. */
import { mailStateTexts } from './mail-texts.ts';
import type { MomentKind } from './timeline.ts';

export const invoiceTexts = {
  title: 'Invoices',
  one: 'Invoice',
  create: 'Create invoice',
  empty: 'No invoices yet.',
  emptyHint: 'Create the first one here, or with the API.',
  noMatch: 'No invoice matches these filters.',
  edit: 'Edit',
  editTitle: 'Edit invoice',
  save: 'Save changes',
  cancel: 'Cancel invoice',
  cancelTitle: 'Cancel this invoice?',
  cancelHint:
    'A cancelled invoice cannot be paid or changed again. If a payment is in progress and succeeds, Remit refunds it.',
  cancelAnyway: 'Cancel anyway',
  saveAnyway: 'Save anyway',
  markPaidAnyway: 'Mark as paid anyway',
  forceHint:
    'The payment provider does not say whether the payer has paid. You can go on without its answer. If money still arrives, it pays this invoice if it is open and unchanged. Otherwise Remit refunds it.',
  replace: 'Replace invoice',
  replaceTitle: 'Replace invoice',
  replaceHint:
    'This cancels the invoice and creates another one in its place. The payment link of the old invoice leads to the new one. An overdue invoice whose due date you do not change is due in 30 days.',
  replaceAnyway: 'Replace anyway',
  notReplaceable: 'Only pending and overdue invoices can be replaced.',
  replaces: 'Replaces',
  replacedBy: 'Replaced by',
  amountPaid: 'Paid so far',
  belowPaid: (paid: string) => `Amount must be at least ${paid}, which is paid already.`,
  amountDue: 'Still due',
  amountOver: 'More than due',
  cancelParts: 'Cancel the invoice',
  refundPartsHint: (paid: string) =>
    `The invoice has received ${paid}. Choose what happens to the money. If it is refunded, money that you received outside Remit counts as returned: pay it back yourself. What credit has paid is credit again.`,
  keep: 'Keep the invoice',
  back: 'Back to the invoice',
  markPaid: 'Mark as paid',
  recordMore: 'Record more money',
  recordMoreHint:
    'The invoice is paid. If you received more money for it outside Remit, record the amount here. All of it is credit of the customer: it pays another invoice, or you refund it.',
  takesNone: 'This invoice is cancelled, so it takes no payment.',
  takesNoneReplaced:
    'Another invoice replaces this one, so it takes no payment. Record it for the other one.',
  recordForOther: 'Open the other invoice',
  markPaidTitle: 'Record a payment',
  markPaidHint:
    'Use this for money that you received outside Remit, for example in cash or by bank transfer. It counts at once.',
  paymentLink: 'Payment link',
  number: 'Number',
  creditNote: 'Credit note',
  pdf: 'PDF',
  timeline: 'Timeline',
  eventLink: 'Event',
  unlisted: (count: number) =>
    count === 1
      ? 'One earlier change of the invoice is not listed here.'
      : `${count} earlier changes of the invoice are not listed here.`,
  hidden: (count: number) => `${count} older payments and refunds are not listed here.`,
  changed:
    'The invoice changed after you opened this form. Nothing was saved. Compare your values with the invoice, then save again.',
  incomplete: 'The form is incomplete. Nothing was saved. Check its lines, and send it again.',
  customerState:
    'The address of this customer has no state of India. Correct the customer, or choose a place of supply.',
  customerAddress:
    'For 50,000 rupees or more, a customer without a GSTIN must have an address. Add it to the customer.',
  more: 'Own reference, language, metadata',
  moreOfExisting: 'Language, metadata',
  buyer: 'Buyer',
  delivery: 'Deliver to',
  taxIds: 'Tax IDs of the buyer',
  duplicate: 'Duplicate',
  repeat: 'Make it repeat',
  schedules: 'Schedules',
  schedule: 'Made by the schedule',
  period: 'Period',
  findCustomer: 'Find a customer',
  findHint: 'Type a part of the name, an email address or your own reference, then find the customer.',
  found: 'Customers found',
  pickCustomer: (name: string) => `Choose ${name}`,
  noneFound: 'No customer has such a name, email address or reference. The text can be the ID of a new one.',
  moreFound: 'More customers match. Type more of the name.',
  dueInDays: (days: number, date: string) =>
    `The invoice is due at the end of this day. Without a date, it is due on ${date}, in ${days} ${days === 1 ? 'day' : 'days'}.`,
  notEditable: 'Only pending invoices can be changed.',
  table: { newest: 'Invoices, newest first', oldest: 'Invoices, oldest first' },
} as const;

export const momentTexts: Readonly<Record<MomentKind, string>> = {
  'invoice.created': 'Invoice created',
  'invoice.updated': 'Invoice changed',
  'invoice.overdue': 'Invoice became overdue',
  'invoice.paid': 'Invoice paid',
  'invoice.cancelled': 'Invoice cancelled',
  'invoice.claimed': 'Payer claims to have paid',
  'payment.created': 'Payment started',
  'payment.completed': 'Payment completed',
  'payment.failed': 'Payment failed',
  'payment.updated': 'Payment updated',
  'payment.disputed': 'Payment disputed',
  'payment.held': 'Payment of another amount',
  'payment.voided': 'Payment voided',
  'refund.created': 'Refund requested',
  'refund.processed': 'Refund processed',
  'refund.failed': 'Refund failed',
  'document.issued': 'Document issued',
  'mail.queued': mailStateTexts.queued,
  'mail.sending': mailStateTexts.sending,
  'mail.sent': mailStateTexts.sent,
  'mail.skipped': mailStateTexts.skipped,
  'mail.failed': mailStateTexts.failed,
  'mail.unknown': mailStateTexts.unknown,
  'mail.delivered': mailStateTexts.delivered,
  'mail.bounced': mailStateTexts.bounced,
  'mail.complained': mailStateTexts.complained,
  'schedule.failed': 'Schedule stopped',
  'schedule.ended': 'Schedule ended',
};

/** The fields of the forms. A `message` replaces that of the API, whose unit or format differs from the form's. */
export const invoiceFields = {
  customerId: {
    label: 'Customer',
    hint: 'An email address, or an ID of your own.',
    known: 'An email address, an ID of your own, or one of your customers. The newest are offered.',
  },
  amount: {
    label: 'Amount',
    hint: 'For example 2500 or 2,500.00. Empty if the invoice has lines.',
    message:
      'Amount must be a number from 0.01 to 9,999,999,999.99 with at most two decimal places, such as 2500.00.',
  },
  currency: { label: 'Currency' },
  description: { label: 'Description', hint: 'Customers see it on the payment page.' },
  dueDate: {
    label: 'Due date',
    hint: 'The invoice is due at the end of this day. Without a date, it is due in 30 days.',
    message: 'Due date must be a valid date, such as 2026-03-31.',
  },
} as const;

/** What the form of a payment says about a reference of a bank that another payment has. */
export const usedReferenceTexts = {
  error: 'Another payment has this reference. If this is other money, tick the box below.',
  allow: 'This is other money',
} as const;

/** The amount of a payment. Only an invoice that accepts parts takes less than what is due. */
export const partAmountField = {
  label: 'Amount received',
  hint: 'All that is due, or a part of it if the invoice accepts parts.',
  tooMany: 'The invoice has too many payments. Enter what is due.',
  whole: 'This invoice is paid only as a whole. Enter what is due.',
  message: 'Amount must be a number from 0.01, with at most two decimal places, such as 2500.00.',
} as const;

/** Money that is more than what is due. */
export const overTexts = {
  error: 'This is more than what is due. If you have received it, tick the box below.',
  accept: 'Keep what is more than due as credit of the customer',
  isPaid:
    'The invoice is paid already. If you received this money besides, send the form again: all of it is credit of the customer.',
} as const;

/** What happens to the rest if a payment is less than what is due. */
export const restField = {
  label: 'If this is less than what is due',
  choices: [
    ['due', 'The rest stays due'],
    ['tds', 'Write off the rest: tax withheld by the buyer (TDS)'],
    ['bank_charge', 'Write off the rest: fee of a bank'],
    ['discount', 'Write off the rest: discount'],
    ['other', 'Write off the rest: another reason'],
  ],
  /** @param percent the largest share of an invoice that the account writes off */
  tooMuch: (percent: number) => `Your account writes off at most ${percent} % of an invoice.`,
  unknown: 'Choose what happens to the rest.',
  notDue: 'This invoice is paid only as a whole. Enter what is due, or write off the rest.',
} as const;

/** What becomes of the payments of an invoice that is cancelled. */
export const returnedPartsField = {
  label: 'The money received',
  choices: [
    ['refund', 'Refund it'],
    ['credit', 'Keep it as credit of the customer, for later invoices'],
  ],
} as const;

/** Where the money of a payment comes from. */
export const moneyFromField = {
  label: 'Where the money comes from',
  hint: 'Credit is what earlier payments of this customer have left. As much of it as possible pays this invoice, and the other fields do not matter.',
  choices: [
    ['received', 'You received it outside Remit'],
    ['credit', 'Credit of the customer'],
  ],
  none: 'This customer has no credit in the currency of the invoice.',
  unknown: 'Choose one of the two.',
} as const;

/** Whether a new invoice is paid with the credit of its customer. */
export const useCreditField = {
  label: 'Use the credit of the customer',
  hint: 'Credit in the currency of the invoice pays it at once, the oldest first. The page of the customer shows the credit. A draft does not keep this choice.',
  message: 'Use the credit of the customer must be ticked or not.',
} as const;

/** Whether an invoice can be paid in parts. */
export const acceptPartialField = {
  label: 'Payments',
  choices: [
    ['no', 'Only as a whole'],
    ['yes', 'Also in parts'],
  ],
} as const;

/** The form of a payment received outside the service: its fields, in their order. */
export const offlinePaymentFields = {
  receivedOn: { label: 'Received on', hint: 'Optional. The day on which the money arrived.', type: 'date' },
  reference: { label: 'Reference', hint: 'Optional. For example the number of a receipt.' },
  bank: { label: 'Bank', hint: 'Optional. The bank or the way, such as Bank of Bhutan or cash.' },
  note: { label: 'Note', hint: 'Optional. Only the members of your account see it.', type: 'textarea' },
} as const;

/** Your own number of a new invoice. */
export const ownReferenceField = {
  label: 'Own reference',
  hint: 'Optional number of your own. No other invoice can ever have it, and it cannot be changed.',
} as const;

/** The lines in the forms. A message replaces that of the API, whose unit or format differs from the form's. */
export const lineTexts = {
  summary: 'Lines, taxes and discounts',
  table: 'Lines of the invoice',
  hint: 'Optional. The lines come to the amount, so leave the amount empty. Lines without a description and a price are ignored.',
  line: (position: number) => `Line ${position}`,
  ofLine: (position: number) => ` of line ${position}`,
  remove: 'Remove',
  removeLine: (position: number) => ` line ${position}`,
  product: {
    label: 'Add a line for a product',
    hint: 'Its text, unit, price and tax are filled in when you press a button below.',
    none: 'No product',
    message: 'Product must be one of the list.',
  },
  newestProducts: (count: number) => `The list has the newest ${count} products.`,
  add: 'Add a line',
  compute: 'Show the totals',
  labels: {
    description: 'Description',
    quantity: 'Quantity',
    unitAmount: 'Unit price',
    tax: 'Tax',
    taxPercent: 'Sales tax rate (%)',
    discount: 'Discount',
    unit: 'Unit',
    productCode: 'HSN or SAC code',
  },
  more: 'Discount, unit, product code, sales tax rate',
  discountHint: 'For example 10 % or 50.00.',
  taxes: {
    none: 'No tax',
    bt_gst_5: 'Bhutan: GST 5 %',
    bt_zero: 'Bhutan: GST zero-rated',
    bt_exempt: 'Bhutan: GST exempt',
    in_gst_0: 'India: GST 0 %',
    in_gst_0_25: 'India: GST 0.25 %',
    in_gst_1_5: 'India: GST 1.5 %',
    in_gst_3: 'India: GST 3 %',
    in_gst_5: 'India: GST 5 %',
    in_gst_18: 'India: GST 18 %',
    in_gst_40: 'India: GST 40 %',
    us_sales: 'United States: sales tax',
  } as Readonly<Record<string, string>>,
  messages: {
    quantity: 'must be a number above 0 with at most 6 decimal places, such as 2.5.',
    unitAmount:
      'must be a number from 0 to 9,999,999,999.99 with at most two decimal places, such as 2500.00.',
    tax: 'must be one of the list.',
    taxPercent:
      'must be a number from 0 to 100, such as 8.875, for the sales tax of the United States, and empty for other taxes.',
    discount: 'must be a percentage from 0 to 100, such as 7.5 %, or an amount, such as 50.00.',
    productCode: 'must have 4 to 8 digits, such as 998314.',
  },
  tooMuch: 'is more than the line. Lower it.',
  discountTooMuch: 'The discount of the invoice is more than its lines. Raise a price, or add a line.',
  tooMany: 'An invoice has at most 100 lines. Remove some of them.',
  sellerState: (line: string) =>
    `${line} needs a seller in India whose state is known. Enter the address in Settings, Invoices, then create a new invoice.`,
  noLine: 'An invoice with lines keeps at least one of them. Fill in a line.',
  outOfRange: 'The lines must come to an amount from 0.01 to 9,999,999,999.99.',
  otherAmount: (amount: string) =>
    `The lines come to ${amount}. Leave the amount empty, or correct the lines.`,
} as const;

/** What decides the total beside the lines. */
export const totalTexts = {
  needsLines: 'Only an invoice with lines has this. Add a line, or choose the first value.',
  summary: 'Prices with tax, discount of the whole invoice, rounding',
  prices: { label: 'Prices', message: 'Prices must be one of the list.' },
  pricesChoices: [
    ['exclusive', 'Without taxes, which are added'],
    ['inclusive', 'With taxes'],
  ],
  discount: {
    label: 'Discount of the whole invoice',
    hint: 'For example 10 % or 50.00.',
    message:
      'Discount of the whole invoice must be a percentage from 0 to 100, such as 7.5 %, or an amount, such as 50.00.',
  },
  roundTo: { label: 'Rounding of the total', message: 'Rounding of the total must be one of the list.' },
  roundings: [
    ['', 'None'],
    ['5', '0.05'],
    ['10', '0.10'],
    ['25', '0.25'],
    ['50', '0.50'],
    ['100', '1.00'],
    ['1000', '10.00'],
    ['10000', '100.00'],
  ],
} as const;

/** The language of the payment page of an invoice. */
export const localeField = {
  label: 'Language of the payment page',
  message: 'Language of the payment page must be one of the list.',
  browser: 'That of the browser',
} as const;

/** The due date of an existing invoice can have a time. */
export const dueTimeField = {
  label: 'Due date and time',
} as const;

/** What a payer claims to have paid. */
export const claimTexts = {
  title: 'A payer claims to have paid',
  hint: 'Compare the transfer with your bank account. Then confirm it, which records the payment, or reject it.',
  claimedAt: 'Claimed',
  paidOn: 'Paid on',
  bank: 'Bank',
  reference: 'Journal number',
  confirm: 'Confirm and record the payment',
  confirmAnyway: 'Record the payment anyway',
  reject: 'Reject',
  reason: 'Reason',
  reasonHint: 'The payment page shows it to the payer.',
  allow: 'This is other money: record it although a payment has this amount or reference',
  isOther: 'If this is other money, tick the box below.',
  recorded: 'Have you recorded this money already?',
  isThis: 'It is this payment',
  notThis:
    'This payment has neither the amount nor the journal number of the claim, or it confirms another one. Choose another payment, or reject the claim.',
  otherAmount:
    'The invoice does not take this amount. Record the payment with “Mark as paid”, or reject the claim.',
  decided: 'Somebody has decided about this claim already, or the invoice is paid or cancelled.',
} as const;
