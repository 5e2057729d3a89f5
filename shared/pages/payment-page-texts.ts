/**
 * Every text of the hosted payment page but the sentences for failed payments, which are in `payments/failures.ts`.
 * `{payee}` stands for the payee's name.
 */
import type { CardSummary } from '../payments/card.ts';
import type { TestCard } from '../payments/test-cards.ts';

export const texts = {
  product: 'Payments by Remit',
  testMode: { mark: 'Test mode', more: 'no real money moves.' },

  pay: 'Pay {payee}',
  payAmount: (amount: string) => `Pay ${amount}`,
  description: 'Description',
  due: 'Due',
  overdue: 'Overdue',
  invoice: 'Invoice',
  payment: 'Payment',
  payee: 'Payee',
  amount: 'Amount',
  refunded: 'Refunded',

  form: {
    title: 'Pay by card',
    labels: { number: 'Card number', expiry: 'Expiry date', cvc: 'Security code' },
    hints: {
      number: 'As on the card; spaces are fine.',
      expiry: 'MM / YY',
      cvc: '3 digits on the back, or 4 on the front.',
    },
    privacy: 'Your card number and security code are used for this payment only and never kept.',
  },
  errors: {
    mark: 'Error',
    title: 'The payment was not made: please correct this.',
    again:
      'Nothing was charged. Please enter the card number and the security code again: they are never kept.',
  },
  declined: { state: 'Payment failed', title: 'The payment did not go through.' },
  changed: {
    state: 'Invoice changed',
    title: 'The invoice has changed since you opened this page.',
    more: 'Nothing was charged. Please check what is shown now, and enter the card again to pay it.',
  },
  testCards: {
    title: 'Test cards',
    more: 'Only these numbers work in test mode, with any expiry date to come and any security code.',
    number: 'Number',
    effect: 'What it does',
  },

  paid: {
    title: 'Paid to {payee}',
    state: 'Paid',
    paidAt: 'Paid on',
    method: 'Method',
    reference: 'Reference',
    keep: 'This page is your receipt: print it, or save it as a PDF when printing.',
    card: (brand: string, last4: string) => `${brand} •••• ${last4}`,
    methods: { card: 'Card', offline: 'Recorded by {payee}', provider: 'Online payment' },
  },
  instructions: {
    title: 'How to pay',
    reference: 'Please name this invoice when you pay, so that {payee} can match the payment:',
    qr: 'QR code for this payment',
    scan: 'Scan with your bank’s app.',
    qrText: 'Show the code as text',
    later: 'This page will say “Paid” once {payee} has recorded the payment.',
  },

  /** The states that have little to show but a message. */
  states: {
    in_progress: {
      title: 'Payment in progress',
      more: 'The payment is being processed. You need not do anything, and please do not pay again: the result will be on this page, usually within a minute.',
      link: 'Check again',
    },
    cancelled: {
      title: 'Invoice cancelled',
      more: 'There is nothing to pay. If a payment was under way when {payee} cancelled this invoice, it is refunded in full.',
      link: undefined,
    },
    no_provider: {
      title: 'No online payment',
      more: 'This invoice cannot be paid on this page. Please ask {payee} how to pay it.',
      link: undefined,
    },
    closed: {
      title: 'No longer payable here',
      more: 'This invoice can no longer be paid here, and nothing was charged. Please ask {payee} whether it is still to be paid, and how.',
      link: undefined,
    },
    not_found: {
      title: 'Invoice not found',
      more: 'There is no invoice at this address. Please check that the link is complete, or ask whoever sent it to you.',
      link: undefined,
    },
    too_many_attempts: {
      title: 'Too many attempts',
      more: 'This attempt was not carried out, and nothing was charged by it. Please try again in the next hour.',
      link: 'Back to the invoice',
    },
    refused: {
      title: 'Payment not accepted',
      more: 'This did not come from the form on the payment page, so nothing was charged. Open the invoice, and pay there.',
      link: 'Open the invoice',
    },
    error: {
      title: 'Something went wrong',
      more: 'Before you pay again, please look at the invoice: if the payment went through, it says so.',
      link: 'Look at the invoice',
    },
  },
  request: 'Request',
} as const;

export const brandNames: Record<CardSummary['brand'], string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  rupay: 'RuPay',
  unknown: 'Card',
};

const captureEffects: Record<TestCard['capture'], string> = {
  done: 'Pays',
  later: 'Pays after some seconds',
  card_declined: 'Is declined',
  insufficient_funds: 'Has insufficient funds',
  expired_card: 'Is declined as expired',
  incorrect_cvc: 'Has another security code',
  processing_error: 'Cannot be processed',
  refund_refused: 'Is refused',
};

/** What a test card does, in a few words. */
export function effectOf({ capture, refund }: TestCard): string {
  return captureEffects[capture] + (refund === 'fails later' ? '; its refunds fail later' : '');
}

/** What is wrong with a field of the form, and what would be right. */
export const fieldErrors = {
  number: 'Enter the card number: 12 to 19 digits, as they stand on the card.',
  checkDigit: 'This is no card number: please compare its digits with those on the card.',
  testCard: 'In test mode only test cards work, such as 4242 4242 4242 4242.',
  expiry: 'Enter the expiry date as month and year, such as 04 / 29.',
  expired: 'This expiry date has passed. Use a card that is still valid.',
  cvc: 'Enter the security code: 3 or 4 digits.',
} as const;
