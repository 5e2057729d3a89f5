/**
 * Holds all texts of the hosted payment page in English, and defines which texts a language must have. The other languages are beside
 * this file. The English messages for failed payments are in `shared/domain/payments/provider/failures.ts`.
 * The page replaces `{payee}` with the payee's name, or with `unnamedPayee.noun` if the account has no display name.
 */
import { failures } from '../../domain/payments/provider/failures.ts';
import type { HostedProviderName } from '../../domain/payments/provider/hosted-provider.ts';
import { fieldErrors } from './card-texts.ts';

/** Why a payment failed. The other reasons are about refunds, which payers do not begin. */
const {
  insufficient_balance: _balance,
  refund_unconfirmed: _unconfirmed,
  refund_refused: _refused,
  ...payerFailures
} = failures;

/** Writes any text where the English one is fixed. So a language in which a text is missing does not compile. */
type Texts<T> = T extends string
  ? string
  : T extends (...values: infer Values) => string
    ? (...values: Values) => string
    : { readonly [Name in keyof T]: Texts<T[Name]> };

export type PageTexts = Texts<typeof englishPageTexts>;

export const englishPageTexts = {
  product: 'Payments by Remit',
  language: 'Language',
  testMode: { label: 'Test mode', explanation: 'no real money is charged.' },

  pay: 'Pay {payee}',
  /** The words for a payee whose account has no display name. */
  unnamedPayee: { noun: 'the seller', pay: 'Pay this invoice' },
  payAmount: (amount: string) => `Pay ${amount}`,
  description: 'Description',
  due: 'Due',
  overdue: 'Overdue',
  invoice: 'Invoice',
  number: 'Invoice number',
  issued: 'Issued',
  seller: 'Seller',
  creditNote: 'Credit note',
  downloadPdf: 'Download PDF',
  reference: 'Payment reference',
  payment: 'Payment',
  payee: 'Payee',
  contact: 'Contact',
  amount: 'Amount',
  refunded: 'Refunded',

  lines: 'Lines of the invoice',

  form: {
    title: 'Pay by card',
    labels: { number: 'Card number', expiry: 'Expiry date', cvc: 'Security code' },
    hints: {
      number: 'As shown on your card. Spaces are allowed.',
      expiry: 'MM / YY',
      cvc: '3 digits on the back of the card, or 4 digits on the front.',
    },
    privacy: 'Your card number and security code are used only for this payment. They are never stored.',
    errors: fieldErrors,
  },
  errors: {
    label: 'Error',
    title: 'The payment was not made. Please correct the following:',
    again:
      'Nothing was charged. Please enter the card number and the security code again. For your security, they are never stored.',
  },
  declined: { state: 'Payment failed', title: 'The payment did not go through.', reasons: payerFailures },
  changed: {
    state: 'Invoice changed',
    title: 'The invoice has changed since you opened this page.',
    explanation: 'Nothing was charged. Please check the new details. To pay, enter your card details again.',
  },
  testCards: {
    title: 'Test cards',
    explanation:
      'Only these card numbers work in test mode. Use any future expiry date and any security code.',
    number: 'Card number',
    result: 'Result',
  },

  checkout: {
    title: 'Pay online',
    explanation: (provider: string) =>
      `You pay on the secure page of ${provider}, which opens next. After the payment you come back to this page.`,
  },
  not_paid: {
    state: 'Not paid yet',
    title: 'This invoice is not paid yet.',
    explanation:
      'You can pay it now. If money of an earlier attempt still arrives, it pays this invoice, or it is returned to you automatically.',
  },
  /** What became of a payment that the payee has not accepted, while the invoice can still be paid. */
  earlierPayment: {
    title: 'Your earlier payment was not accepted.',
    refunding: (amount: string) =>
      `Your payment of ${amount} is being refunded in full. This invoice is still to be paid.`,
    refunded: (amount: string) =>
      `Your payment of ${amount} was refunded in full. Banks can take some days to show a refund. This invoice is still to be paid.`,
    refused: (amount: string) =>
      `The refund of ${amount} did not succeed. Contact {payee} to get the money back, and do not pay again before that.`,
  },
  /** The amount that a payer can choose. */
  part: {
    state: 'Check the amount',
    title: 'This amount cannot be paid.',
    hint: (smallest: string) => `Pay all of it, or a part of at least ${smallest}.`,
    wrong: (smallest: string, due: string) =>
      `Nothing was charged. Enter ${due}, or an amount of at least ${smallest} that leaves as much.`,
  },
  checkoutChanged: 'Nothing was charged. Please check the new details before you pay.',

  paid: {
    /** The states of a receipt: the heading, also without a name, and the window's title. */
    paid: { title: 'Paid to {payee}', unnamed: 'This invoice is paid', state: 'Paid' },
    partly: {
      title: 'Paid to {payee}, and partly refunded',
      unnamed: 'This invoice is paid and partly refunded',
      state: 'Paid and partly refunded',
    },
    refunded: {
      title: 'Refunded by {payee}',
      unnamed: 'This payment is refunded',
      state: 'Refunded',
    },
    partlyReturned: {
      title: 'Paid to {payee}, and partly returned',
      unnamed: 'This invoice is paid, and partly returned',
      state: 'Paid and partly returned',
    },
    returned: {
      title: 'Returned by {payee}',
      unnamed: 'This payment was returned',
      state: 'Returned',
    },
    disputed: {
      title: 'Paid to {payee}, and disputed',
      unnamed: 'This payment is disputed',
      state: 'Payment disputed',
    },
    lost: {
      title: 'Paid to {payee}, and taken back',
      unnamed: 'This payment was taken back',
      state: 'Payment taken back',
    },
    receipt: 'Receipt',
    address: 'Address',
    payer: 'Payer',
    amountPaid: 'Amount paid',
    refundedAt: 'Last refund',
    amountReturned: 'Returned',
    returnedAt: 'Returned on',
    net: 'Net amount',
    dispute: 'Dispute',
    disputes: {
      open: (amount: string) => `The bank has not decided yet about ${amount}.`,
      won: (amount: string) => `The bank decided that {payee} keeps ${amount}.`,
      lost: (amount: string) => `The bank decided that ${amount} goes back to the payer.`,
    },
    unneeded: 'Second payment',
    unneededRefunded: (amount: string) => `${amount}, refunded in full`,
    unneededRefused: (amount: string) =>
      `${amount}. The refund did not succeed. Please contact {payee} to get it back.`,
    unneededRefunding: (amount: string) => `${amount}, which is being refunded in full`,
    paidAt: 'Paid on',
    method: 'Method',
    keep: 'This page is your receipt. You can print it or save it as a PDF.',
    card: (brand: string, last4: string) => `${brand} •••• ${last4}`,
    methods: { card: 'Card', offline: 'Recorded by {payee}', provider: 'Online payment', credit: 'Credit' },
  },
  /** What a payer says about a transfer that the service does not see. */
  claim: {
    link: 'I have paid by bank transfer',
    title: 'I have paid',
    explanation: 'Say how you have paid. {payee} compares it with the bank account and confirms it.',
    labels: {
      bank: 'Your bank',
      reference: 'Journal number of the transfer',
      paidOn: 'Day of the payment',
      amount: 'Amount',
    },
    errors: {
      bank: 'Enter the name of your bank, without a card number.',
      reference: 'Enter the journal number that your bank shows, without a card number.',
      paidOn:
        'Enter the day on which you paid. It must not be in the future, or more than a year before the invoice.',
      amount: (due: string) => `Enter the amount that you paid, at most ${due}.`,
    },
    submit: 'Send',
    back: 'Back to the invoice',
    open: {
      otherWay: 'Pay in another way',
      title: 'Your payment is under review.',
      explanation: (amount: string) =>
        `You said that you have paid ${amount} by bank transfer. {payee} has been notified and will confirm it. Do not pay again.`,
    },
    rejected: {
      title: 'Your payment was not found.',
      explanation: (amount: string) =>
        `{payee} did not find your transfer of ${amount}. This invoice is still to be paid.`,
    },
  },

  instructions: {
    title: 'How to pay',
    reference: 'Please give this reference when you pay, so that {payee} can identify your payment:',
    qr: 'QR code for this payment',
    scan: {
      static: 'Scan this code with your banking app.',
      filled: 'Scan this code with your banking app. Check the amount before you pay.',
      upi: 'Scan this code with a UPI app. Check the amount before you pay.',
    },
    openUpi: 'Open a UPI app',
    qrText: 'Show the code as text',
    copy: 'Copy',
    copied: 'Copied',
    selected: 'Selected',
    later: 'After {payee} records your payment, this page shows “Paid”.',
  },

  /** What became of the money of the payer of a cancelled invoice. */
  cancelledMoney: {
    not_paid: {
      explanation:
        'There is nothing to pay, and nothing was charged on this page. If you have paid in another way, please contact {payee}.',
    },
    refused: { explanation: 'There is nothing to pay. The payment was refused, so nothing was charged.' },
    unsettled: {
      explanation:
        'A payment was in progress when {payee} cancelled this invoice. If it succeeds, all of it is refunded. Please do not pay again. This page refreshes itself.',
      link: 'Check again',
    },
    refunding: {
      explanation:
        'There is nothing to pay. {payee} has cancelled this invoice, so all of the {amount} that arrived is being refunded.',
    },
    refund_refused: {
      explanation:
        'There is nothing to pay. The refund of {amount} did not succeed. Please contact {payee} to get the money back.',
    },
    returned: {
      explanation:
        'There is nothing to pay. The payment of {amount} was refunded in full. Banks can take some days to show a refund.',
    },
  },

  /** The states that mostly show a message. */
  states: {
    in_progress: {
      title: 'Payment in progress',
      explanation:
        'The payment is being processed. You do not need to do anything. Please do not pay again. This page refreshes itself and shows the result, usually within a minute.',
      link: 'Check again',
    },
    bank_processing: {
      title: 'Your bank is processing the payment',
      explanation:
        'You have done your part. Some banks need a few minutes, and bank debits take up to seven working days. Please do not pay again. You can close this page: it shows the result when you open it later.',
      link: 'Check again',
    },
    amount_differs: {
      title: 'Your payment has arrived',
      explanation:
        'You have paid {amount}, which is not the amount of this invoice. {payee} decides whether to accept your payment or to return all of it. Please do not pay again.',
      link: 'Check again',
    },
    confirming: {
      title: 'We are confirming your payment',
      explanation:
        'This usually takes a few seconds, and this page refreshes itself. Please do not pay again. You can also close the page: the payment continues.',
      link: 'Check again',
    },
    provider_down: {
      title: 'Online payment is not available at the moment',
      explanation:
        'The payment provider does not respond. Nothing was charged. Please try again in a few minutes, or ask {payee} how else to pay.',
      link: 'Try again',
    },
    not_taken: {
      title: 'Online payment not available for this invoice',
      explanation:
        'The payment provider does not accept this payment. Nothing was charged. Please ask {payee} how else to pay it.',
      link: undefined,
    },
    cancelled: {
      title: 'Invoice cancelled',
      explanation: 'There is nothing to pay.',
      link: undefined,
    },
    no_provider: {
      title: 'Online payment not available',
      explanation: 'You cannot pay this invoice on this page. Please ask {payee} how to pay it.',
      link: undefined,
    },
    closed: {
      title: 'Online payment no longer available',
      explanation:
        'This invoice can no longer be paid here, and nothing was charged. Please ask {payee} whether you still need to pay it, and how.',
      link: undefined,
    },
    maintenance: {
      title: 'Please come back later',
      explanation:
        'Payments are paused for maintenance, and nothing was charged. Please come back in a few minutes to pay this invoice.',
      link: 'Try again',
    },
    reminders: {
      title: 'Stop reminders',
      explanation:
        'The sender will send no more reminders of any invoice to your address. Invoices stay due.',
      link: 'Stop reminders',
    },
    reminders_stopped: {
      title: 'Reminders stopped',
      explanation: 'You will get no more reminders from this sender at your address. Invoices stay due.',
      link: undefined,
    },
    not_found: {
      title: 'Invoice not found',
      explanation:
        'There is no invoice at this address. Please check that the link is complete, or ask the sender for a new link.',
      link: undefined,
    },
    expired: {
      title: 'Link expired',
      explanation:
        'This invoice was paid or cancelled, and its link has expired. There is nothing to pay. If you need a receipt, please ask the sender.',
      link: undefined,
    },
    too_many_attempts: {
      title: 'Too many attempts',
      explanation:
        'This payment was not made, and nothing was charged for it. You can try again at the next full hour.',
      link: 'Back to the invoice',
    },
    too_many_requests: {
      title: 'Too many requests',
      explanation:
        'This page was opened too often from your network. A payment that you have already made is not affected. You can try again at the next full hour.',
      link: 'Back to the invoice',
    },
    refused: {
      title: 'Payment not accepted',
      explanation:
        'This payment was not sent from the payment page, so nothing was charged. Please open the invoice and pay there.',
      link: 'Open the invoice',
    },
    error: {
      title: 'Something went wrong',
      explanation:
        'If you have just paid, please open the invoice before you pay again. It shows whether the payment went through.',
      link: 'Open the invoice',
    },
  },
  requestId: 'Request ID',
} as const;

/** The texts of the page at `/` and `/pay`, which is in English. */
export const startTexts = {
  title: 'Open the link in your invoice',
  explanation:
    'To see or pay an invoice, open the whole link that the seller sent to you. If it does not work, ask the seller for a new one.',
  link: 'API reference',
} as const;

export const providerNames: Record<HostedProviderName, string> = { stripe: 'Stripe', razorpay: 'Razorpay' };
