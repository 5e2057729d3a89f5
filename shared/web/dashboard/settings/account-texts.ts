/** The English texts of the pages of the account's settings. */

import type { Currency } from '../../../base/money.ts';

export const accountTexts = {
  title: 'Account',
  edit: 'Edit',
  editTitle: 'Edit account',
  save: 'Save settings',
  notSet: 'Not set',
  none: 'None',
  onOff: { off: 'Off', on: 'On' },
  plan: 'Plan',
  planOf: (plan: string, limit: string) => `${plan}, with ${limit} API requests an hour in each mode`,
  id: 'Account ID',
  created: 'Created',
  days: (days: number) => `Expire ${days} days after the invoice is paid or cancelled`,
  never: 'Never expire',
  links: 'Payment links',
  scope: 'These settings apply in test mode and live mode. Payment pages show a change within 30 seconds.',
  back: 'Back to the account',
  zoneOfSeller: 'The seller profile decides the time zone. You change it in Settings, Invoices.',
  preview: 'Preview of the payment page',
  changed:
    'Another user changed the settings after you opened this form. Nothing was saved. Check the values, then save again.',
} as const;

const instructionsMessage =
  'Payment instructions must have 1 to 2000 characters. Line breaks are allowed, but no tabs or other control characters.';

const onOffMessage = 'Choose on or off.';

/** The field with the instructions of one currency. */
const instructionsField = (currency: Currency) => ({
  label: `Payment instructions for ${currency}`,
  hint: `Optional. They replace the payment instructions above on invoices in ${currency}.`,
  message: instructionsMessage,
});

/** The fields of the form. */
export const accountFields = {
  name: {
    label: 'Name',
    hint: 'The name of this account in the dashboard.',
    message: 'Name must have 1 to 100 visible characters.',
  },
  displayName: {
    label: 'Display name',
    hint: 'Optional. Payment pages show it as the payee, in place of the name.',
    message: 'Display name must have 1 to 100 visible characters.',
  },
  contact: {
    label: 'Contact',
    hint: 'Optional. How payers reach you: an email address, a phone number such as +975 17 12 34 56, or a link. Payment pages and receipts show it.',
    message: 'Contact must be one line of 1 to 200 visible characters.',
  },
  address: {
    label: 'Postal address',
    hint: 'Optional. Receipts show it. Several lines are allowed.',
    message:
      'Postal address must have 1 to 500 characters. Line breaks are allowed, but no tabs or other control characters.',
  },
  timeZone: {
    label: 'Time zone',
    hint: 'Optional. It decides days and times of payment pages, documents, mails and sums, for example Asia/Thimphu. Without it, they are in UTC.',
    message: 'Time zone must be a name of the IANA time zone database, for example Asia/Thimphu.',
  },
  paymentInstructions: {
    label: 'Payment instructions',
    hint: 'Optional. How to pay without the page, for example by bank transfer. Several lines are allowed. Payers can copy the value of a line such as “Account: 100200300”.',
    message: instructionsMessage,
  },
  paymentInstructionsBtn: instructionsField('BTN'),
  paymentInstructionsUsd: instructionsField('USD'),
  paymentInstructionsInr: instructionsField('INR'),
  paymentQr: {
    label: 'Text of a QR code',
    hint: "Optional. A text that the payer's banking app can read.",
    message:
      'The text of the QR code must be one line of 1 to 400 bytes in UTF-8, without control characters.',
  },
  paymentQrAmount: {
    label: 'Amount and reference in the QR code',
    hint: 'For invoices in BTN, if the text above is your static national QR code. Try it with the apps of the banks first.',
    message: onOffMessage,
  },
  upiId: {
    label: 'UPI ID',
    hint: 'Optional. For invoices in INR, for example shop@okbank. Their QR code has amount and reference. The ID must be that of a merchant, which your bank gives you: many apps refuse such a code for a personal ID.',
    message: 'UPI ID must have letters, digits and . - _ with an @, for example shop@okbank.',
  },
  payLinkDays: {
    label: 'Days until payment links expire',
    hint: 'Optional. Counted from when the invoice is paid or cancelled. Without a number, links never expire.',
    message: 'Days must be a whole number from 1 to 3650.',
  },
  mailInvoice: {
    label: 'Mails with invoices',
    hint: 'Whether invoices can be sent by email, from the page of an invoice or with the API.',
    message: onOffMessage,
  },
  mailReceipt: {
    label: 'Mails with receipts',
    hint: 'Whether a receipt goes to the customer by email when an invoice or a part of it is paid. You can also send it again.',
    message: onOffMessage,
  },
  mailRefund: {
    label: 'Mails about refunds',
    hint: 'Whether the customer gets an email when a refund is made, with the credit note if you have a seller profile. Also with the credit note of a paid invoice that is replaced.',
    message: onOffMessage,
  },
  mailFailure: {
    label: 'Mails about failed payments',
    hint: 'Whether the customer gets an email when a payment fails an hour or more after it began.',
    message: onOffMessage,
  },
  mailReminders: {
    label: 'Reminders',
    hint: 'Optional. Days from the due date, at most 8, for example -3, 0, 3, 14. Without days, no reminders are sent. They hold for all open invoices.',
    message: 'Reminders must be at most 8 different whole numbers from -60 to 365, separated by commas.',
  },
  mailReminderHour: {
    label: 'Hour of reminders',
    hint: 'Optional. From 0 to 23, in the time zone of the account. Without a number, 9.',
    message: 'Hour of reminders must be a whole number from 0 to 23.',
  },
  mailDaysOff: {
    label: 'Days without reminders',
    hint: 'Optional. For example saturday, sunday. A reminder of such a day goes out on the next other day.',
    message: 'Days without reminders must be at most six days of the week, separated by commas.',
  },
  mailName: {
    label: 'Sender of mails',
    hint: 'Optional. What readers see as the sender. Without it, the display name or the legal name.',
    message: 'Sender of mails must have 1 to 100 visible characters.',
  },
  mailReplyTo: {
    label: 'Answers to mails',
    hint: 'Optional. The email address to which answers go.',
    message: 'Answers to mails must be one email address, for example shop@example.com.',
  },
  mailLocale: {
    label: 'Language of mails',
    hint: 'For invoices that have no language.',
    message: 'Language of mails must be one of the list.',
  },
  mailNotices: {
    label: 'Mails to you',
    hint: 'Optional. Separated by commas: paid, disputed, claimed (a claim of a payer), endpoint (a disabled webhook endpoint), schedule (a stopped schedule), key (a new API key), member (a new member), payout (a provider or payment setting was changed), sign_in (a new browser), invitation. Without any, none are sent.',
    message: 'Mails to you must be kinds of the list, separated by commas.',
  },
  mailNoticesTo: {
    label: 'Address of mails to you',
    hint: 'Optional. Without an address, they go to the owners of the account.',
    message: 'Address of mails to you must be one email address, for example shop@example.com.',
  },
} as const;
