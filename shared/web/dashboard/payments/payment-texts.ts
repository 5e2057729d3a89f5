/** The English texts of the pages of payments and refunds. */

export const paymentTexts = {
  title: 'Payments',
  one: 'Payment',
  empty: 'No payments yet. They appear here when a customer pays an invoice.',
  noMatch: 'No payment matches these filters.',
  receivedTo: 'Received until',
  wrongAmount: 'Amount must be a number from 0.01 to 9,999,999,999.99, such as 2500 or 2,500.50.',
  receivedOnHint:
    'Finds only payments that were recorded with a day of receipt or by a row of a bank statement. For others, use Created from and Created to.',
  invoiceHint: 'The number or the ID of an invoice.',
  unknownInvoice:
    'No invoice has this number. Enter the number of an invoice, such as INV-0001, or its ID, as its page shows it.',
  firstDayMissing: 'Enter the first day, too.',
  wrongFirstDay: 'Received on must be a day, such as 2026-03-31.',
  wrongLastDay: 'Received until must be a day, such as 2026-03-31.',
  lastBeforeFirst: 'Received until must not be before Received on.',
  tooManyDays: 'There can be at most 92 days from Received on to Received until. Choose fewer.',
  table: { newest: 'Payments, newest first', oldest: 'Payments, oldest first' },
  refunds: 'Refunds',
  refundsTable: { newest: 'Refunds, newest first', oldest: 'Refunds, oldest first' },
  noRefunds: 'No refunds yet. Open a completed payment to refund it.',
  noRefundsOfPayment: 'This payment has no refunds.',
  noRefundMatch: 'No refund matches these filters.',
  moreRefunds: (total: number) => `Show all ${total} refunds`,
  madeAtProvider: 'Made at the payment provider',
  pending: 'Why it is pending',
  pendingReasons: {
    processing:
      'The bank of the customer has not decided yet. Some banks need minutes, and bank debits up to seven working days. To go on without the payment, cancel its invoice or mark it as paid.',
    not_captured: 'The bank has approved the payment, and it is not captured yet.',
    amount_differs: 'The provider took another amount than that of the invoice.',
  },
  resolveTitle: 'Accept this payment?',
  resolveHint: (taken: string) =>
    `The provider took ${taken}. Accept it, and the invoice is paid. If it is less than due, the rest is written off. Or refund all of it, and the invoice can be paid again. The customer waits for your decision.`,
  accept: 'Accept the payment',
  refundAll: 'Refund all of it',
  amountOver: 'More than due',
  amountCredited: 'Of this, pays other invoices',
  creditFrom: 'Credit of the payment',
  fee: "Provider's fee",
  tax: 'of this, tax',
  net: 'You receive',
  smallestUnit: 'in the smallest unit',
  refund: 'Refund',
  refundTitle: 'Refund this payment',
  submitRefund: 'Refund this amount',
  return: 'Record a return',
  returnTitle: 'Record that you have returned the money',
  returnHint: 'You received this money outside Remit, so you return it there. Remit moves no money.',
  submitReturn: 'Record that it is returned',
  void: 'Void',
  voidTitle: 'Void this payment',
  voidHint:
    'Void a payment whose money never arrived. Its invoice no longer counts it, and its bank reference can be recorded again. You cannot undo this.',
  voidPaidHint:
    'It has paid its invoice. The invoice stays paid and is credited in full, with a credit note if it has a number. Another invoice with the same content replaces it: open, with a number of its own and with the other payments that the invoice counts. Money that came after it was paid does not move: that credit of the customer can pay the new invoice. The payment link leads to it.',
  submitVoid: 'Void this payment',
  refundable: 'Left to refund',
  notRefundable:
    'Only completed payments that are not refunded in full, and whose dispute does not prevent it, can be refunded.',
  dispute: 'Dispute',
  respondBy: 'Answer it at the payment provider by',
  disputeStatuses: {
    inquiry: 'Inquiry of the bank, no money has moved. A refund can settle it',
    closed: 'Inquiry closed',
    open: 'Open',
    won: 'Won, you keep the money',
    lost: 'Lost, the customer gets the money',
  },
  exceeds: (left: string) => `Only ${left} is left to refund. Pending refunds are already subtracted.`,
  back: 'Back to the payment',
} as const;

/** The fields of the form that voids a payment. */
export const voidFields = {
  reason: {
    label: 'Reason',
    hint: 'Up to 500 characters. Payers never see it.',
  },
} as const;

/** The fields of the refund form. */
export const refundFields = {
  amount: {
    label: 'Amount',
    hint: 'The whole amount that is left, or a part of it.',
    message:
      'Amount must be a number from 0.01 to 9,999,999,999.99 with at most two decimal places, such as 2500.00.',
  },
  reason: { label: 'Reason', hint: 'Optional. Up to 500 characters.' },
} as const;
