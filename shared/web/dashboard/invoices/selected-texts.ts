/** The English texts of the page that sends or cancels several invoices. */
export const selectedTexts = {
  title: 'Selected invoices',
  select: (name: string) => `Select the invoice ${name}`,
  open: 'Send or cancel selected',
  none: 'No invoice is selected. Select at least one in the list.',
  unknown: 'Some of the selected invoices do not exist. They are left out.',
  send: 'Send to the customers',
  sendHint:
    'Each customer gets the mail of the invoice, and of a paid one the receipt. An invoice without an email address is left out.',
  cancel: 'Cancel all of these',
  cancelHint:
    'A cancelled invoice cannot be paid or changed again. Invoices that are paid, or have received a part of their amount, are left out.',
  back: 'Back to the invoices',
  results: 'What happened',
  result: 'Result',
  queued: 'The mail will be sent in some seconds.',
  cancelled: 'Cancelled.',
} as const;
