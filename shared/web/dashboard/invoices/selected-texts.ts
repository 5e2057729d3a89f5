/** The English texts of the page that sends, reminds of or cancels several invoices, and of the buttons that lead to it. */
export const selectedTexts = {
  title: 'Selected invoices',
  select: (name: string) => `Select the invoice ${name}`,
  open: 'Send, remind or cancel selected',
  download: 'Download selected as CSV',
  none: 'No invoice is selected. Select at least one in the list.',
  unknown: 'Some of the selected invoices do not exist. They are left out.',
  send: 'Send to the customers',
  sendHint:
    'Each customer gets the mail of the invoice, and of a paid one the receipt. An invoice without an email address is left out.',
  remind: 'Send reminders',
  remindHint:
    'Each customer gets a reminder now, also if reminders are paused. An invoice is left out if it is paid or cancelled, if a payment is in progress or claimed, or if it has no email address.',
  cancel: 'Cancel all of these',
  cancelHint:
    'A cancelled invoice cannot be paid or changed again. Invoices that are paid, or have received a part of their amount, are left out.',
  back: 'Back to the invoices',
  results: 'What happened',
  result: 'Result',
  queued: 'The mail will be sent in some seconds.',
  reminded: 'The reminder will be sent in some seconds.',
  cancelled: 'Cancelled.',
} as const;
