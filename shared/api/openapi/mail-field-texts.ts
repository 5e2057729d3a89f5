/** Describes the fields of mails, and shows an example. */
import { cursor, type FieldTexts } from './common-field-texts.ts';
import { invoice } from './invoice-field-texts.ts';
import type { Example } from './named-schemas.ts';

export const mailExample: Example<'Mail'> = {
  id: 'mail_01k0a9x2c7q4w8n5t3h6zd1mbe',
  invoiceId: invoice.id,
  kind: 'invoice',
  to: 'dorji@example.bt',
  reminderDay: null,
  about: null,
  state: 'sent',
  reason: null,
  createdAt: '2026-11-21T09:45:00.000Z',
  sentAt: '2026-11-21T09:45:01.000Z',
  outcomeAt: null,
};

/** The mail of the event `mail.bounced`. */
export const bouncedMail = {
  ...mailExample,
  state: 'bounced',
  reason: 'bounced_permanently',
  outcomeAt: '2026-11-21T09:45:04.000Z',
} as const satisfies Example<'Mail'>;

export const mailFieldTexts: Pick<FieldTexts, 'Mail' | 'MailList' | 'SendInvoice'> = {
  Mail: {
    id: 'ID of the mail.',
    invoiceId: 'The invoice that the mail is about. Null for a mail to you.',
    kind: 'What the mail is about. `invoice` asks for the payment, `reminder` asks again, `receipt` confirms it, and `part_receipt` a payment of a part. `refund` says that money goes back, `credit_note` has the credit note of a paid invoice that is replaced, and `failure` says that a payment failed later. The others go to you: `mail.notices` of the account says what they are about.',
    to: 'The email address that gets it. Empty if the invoice has lost its address before the mail went out. In an event about a mail to you, it is `[member]`.',
    reminderDay:
      'The day of a planned reminder, from the due date: `-3` is three days before. Otherwise null.',
    about:
      'The refund or the payment that the mail is about. Null if it is about the invoice, or about something else.',
    state:
      '`queued` and `sending`: it is not sent yet. `sent`: the mail service has accepted it. `delivered`: the server of its reader has accepted it. `bounced`: it did not arrive. `complained`: its reader has marked it as spam. `skipped`: the invoice no longer needed it, its address gets no mails, or such mails were switched off before it went out. `failed`: the mail service refuses it. `unknown`: the mail service did not answer. Such a mail is never sent again by itself.',
    reason:
      'Why the mail waits, was not sent, did not arrive or has no known outcome. Otherwise null. After `bounced_permanently`, later mails to the address are skipped with `address_bounced`.',
    createdAt: 'When you asked for the mail, or when happened what it is about.',
    sentAt: 'When the mail service accepted it. Null if it has not.',
    outcomeAt:
      'When the mail service reported that it was delivered, bounced or marked as spam. Otherwise null.',
  },
  MailList: { data: 'The mails.', cursor },
  SendInvoice: {
    to: 'The email address. By default, it is that of the buyer or of the customer.',
    message: 'A text of yours in the mail, without links. Line breaks stay.',
    kind: 'What the mail is, as in `Mail`. `reminder` reminds of an open invoice, now and once. Left out: the invoice, or its receipt if it is paid.',
    about:
      'What the mail is about: the ID of the refund for `refund`, and that of the payment for `part_receipt`, `credit_note` and `failure`. Left out for other kinds.',
  },
};
