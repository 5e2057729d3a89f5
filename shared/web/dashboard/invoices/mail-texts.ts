/** The English texts of mails on the pages of invoices. */
import type { Mail, MailReason, MailState } from '../../../domain/mails/mail.ts';

export const sendTexts = {
  send: 'Send by mail',
  sendReceipt: 'Send receipt',
  hint: 'The mail has a button to pay, and the PDF of the invoice if you have a seller profile.',
  receiptHint: 'The mail confirms the payment, with the PDF of the receipt if you have a seller profile.',
  again: 'Send again',
  againHint: 'The mail goes out again. If the earlier one went out after all, its reader gets both.',
  testHint: 'In test mode, mails go only to members of this account.',
  localHint: 'On this machine, mails go to nobody.',
  localPage: 'See all mails',
} as const;

/** The fields of the form. */
export const sendInvoiceFields = {
  mail: {
    label: 'Mail',
    hint: 'A reminder has a link that stops reminders. It goes out now, also if reminders are paused.',
    choices: [
      ['', 'Invoice'],
      ['reminder', 'Reminder'],
    ],
  },
  to: { label: 'To', hint: 'Optional. Without an address, the mail goes to that of the customer.' },
  message: {
    label: 'Message',
    hint: 'Optional. The mail shows it. No links, email addresses or names of websites such as example.com. At most 1000 characters.',
    type: 'textarea',
  },
} as const;

/** The button of a mail whose address gets nothing any more. */
export const allowAddressText = 'Allow mails to this address again';

/** What else the mail of such an address says, and what it says once somebody has allowed the address. */
export const suppressedText = 'Nothing more is sent to it.';
export const allowedAgainText = 'Mails to it are allowed again.';

/** In place of the address of a mail whose invoice has lost it. */
export const mailWithoutAddress = 'no address';

/** What a mail is about. */
export const mailKindTexts: Readonly<Record<Mail['kind'], string>> = {
  invoice: 'Invoice',
  receipt: 'Receipt',
  part_receipt: 'Receipt of a part',
  reminder: 'Reminder',
  refund: 'Refund',
  credit_note: 'Credit note',
  failure: 'Failed payment',
  paid: 'Paid invoice',
  disputed: 'Disputed payment',
  claimed: 'Payer claims to have paid',
  endpoint: 'Disabled webhook endpoint',
  schedule: 'Stopped schedule',
  key: 'New API key',
  member: 'New member',
  payout: 'Changed settings of payments',
  sign_in: 'Sign-in with a new browser',
  invitation: 'Invitation',
};

/** What came of a mail. */
export const mailStateTexts: Readonly<Record<MailState, string>> = {
  queued: 'Mail waits',
  sending: 'Mail is being sent',
  sent: 'Mail sent',
  skipped: 'Mail not sent',
  failed: 'Mail refused',
  unknown: 'Mail with an unknown outcome',
  delivered: 'Mail delivered',
  bounced: 'Mail did not arrive',
  complained: 'Mail marked as spam',
};

/** Why a mail waits, was not sent or has no known outcome. */
export const mailReasonTexts: Readonly<Record<MailReason, string>> = {
  no_document_yet: 'It waits for its document.',
  limit_reached: 'It waits because the limit of mails is reached.',
  throttled: 'It waits because the mail service limits the rate.',
  sending_paused: 'It waits because sending is paused at the mail service.',
  not_verified: 'It waits because the mail service has not verified an address.',
  service_error: 'It waits because the mail service cannot be used now.',
  invoice_paid: 'The invoice was already paid.',
  invoice_not_paid: 'The invoice was not paid.',
  invoice_cancelled: 'The invoice was cancelled.',
  payment_in_progress: 'A payment was in progress.',
  claim_open: 'A payer claims to have paid.',
  payment_disputed: 'A payer disputes a payment.',
  superseded: 'A later reminder of the invoice was due, too. Only that one goes out.',
  rescheduled: 'The due date or the plan has moved. The reminder goes out at its new time.',
  not_planned: 'The plan of reminders has changed, and has no reminder on this day.',
  reminders_paused: 'Reminders of this invoice or customer were paused.',
  payment_returned: 'The payment was refunded.',
  payment_voided: 'The payment was voided.',
  refund_failed: 'The refund has failed.',
  account_closed: 'The account is closed.',
  switched_off: 'Mails of this kind are switched off.',
  mail_off: 'The operator of the service has switched mails off.',
  no_recipient: 'The invoice has no email address any more.',
  unsubscribed: 'The reader of this address has stopped reminders.',
  test_mode: 'In test mode, mails go only to members of this account.',
  no_link:
    'The invitation has ended or was made with the command line, or the service does not know the address of the dashboard.',
  rejected: 'The mail service refused it.',
  expired: 'It waited for three days.',
  no_answer: 'Nobody knows whether it went out. It is not sent again by itself.',
  bounced_permanently: 'The address does not exist or accepts no mails.',
  bounced_temporarily: 'The mailbox could not take it. Later mails to the address are still sent.',
  address_bounced: 'An earlier mail to this address did not arrive.',
  address_complained: 'The reader of this address has marked an earlier mail as spam.',
};

/** The next reminder of an invoice. */
export const nextReminderText = 'Next reminder';

export const reminderTexts = {
  paused: 'Paused',
  pause: 'Pause reminders',
  resume: 'Resume reminders',
} as const;

/** When a reminder goes out. @param day from the due date */
export function reminderDayText(day: number): string {
  if (day === 0) return 'on the due date';
  const days = Math.abs(day) === 1 ? '1 day' : `${Math.abs(day)} days`;
  return `${days} ${day < 0 ? 'before' : 'after'} the due date`;
}
