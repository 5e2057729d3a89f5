/**
 * Holds the texts of mails in English, and defines which texts a language must have. The other languages are beside this file. A language
 * in which a text is missing does not compile. What the payment page also says, mails say with its texts.
 */
import type { MailKind } from '../../domain/accounts/mail-settings.ts';

export interface MailTexts {
  /** What the list of a mail program shows. Without a payee, the account has no name for payers. */
  readonly subjects: Readonly<
    Record<MailKind, (name: string, payee: string | undefined, amount: string) => string>
  >;
  readonly receipt: string;
  readonly title: { readonly named: string; readonly unnamed: string };
  readonly reminder: { readonly named: string; readonly unnamed: string };
  /** The title of the receipt of a part. */
  readonly part: { readonly named: string; readonly unnamed: string };
  /** What is to be paid after a part. */
  readonly stillDue: string;
  readonly creditNote: { readonly named: string; readonly unnamed: string };
  /** Of the credit note of an invoice that another one replaces. */
  readonly replaced: string;
  /** The title of a mail about a payment that failed. */
  readonly failure: { readonly named: string; readonly unnamed: string };
  readonly message: { readonly named: string; readonly unnamed: string };
  readonly viewReceipt: string;
  readonly viewInvoice: string;
  readonly refundedAt: string;
  /** Of a payment that failed. */
  readonly payAgain: string;
  /** Of a refund that a bank carries out. */
  readonly bankDays: string;
  /** Before the address of the payment page. */
  readonly address: string;
  readonly attached: string;
  /** The link that stops reminders. */
  readonly stop: string;
  /** Why the reader gets the mail. */
  readonly reason: { readonly named: string; readonly unnamed: string };
}

const paidSubject = (name: string, payee: string | undefined, amount: string): string =>
  `${name}: ${amount} paid${payee === undefined ? '' : ` to ${payee}`}`;

export const englishMailTexts: MailTexts = {
  subjects: {
    invoice: (name, payee, amount) => `${name}${payee === undefined ? '' : ` from ${payee}`}: ${amount}`,
    receipt: paidSubject,
    part_receipt: paidSubject,
    reminder: (name, payee, amount) =>
      `Reminder: ${name}${payee === undefined ? '' : ` from ${payee}`}: ${amount}`,
    refund: (name, payee, amount) =>
      `${name}: ${amount} refunded${payee === undefined ? '' : ` by ${payee}`}`,
    credit_note: (name, payee, amount) => `${name}${payee === undefined ? '' : ` from ${payee}`}: ${amount}`,
    failure: (name, payee, amount) =>
      `Payment failed: ${name}${payee === undefined ? '' : ` from ${payee}`}: ${amount}`,
  },
  receipt: 'Receipt',
  title: { named: 'Invoice from {payee}', unnamed: 'You have an invoice' },
  reminder: { named: 'Reminder from {payee}', unnamed: 'Reminder of an invoice' },
  part: { named: 'Part payment to {payee}', unnamed: 'Part payment received' },
  stillDue: 'Still to be paid',
  creditNote: { named: 'Credit note from {payee}', unnamed: 'You have a credit note' },
  replaced: 'It credits the invoice in full. Another invoice replaces it.',
  failure: { named: 'Your payment to {payee} failed', unnamed: 'Your payment failed' },
  message: { named: 'Message from {payee}', unnamed: 'Message' },
  viewReceipt: 'View receipt',
  viewInvoice: 'View invoice',
  refundedAt: 'Refunded on',
  payAgain: 'This invoice is still to be paid. You can pay again, also in another way.',
  bankDays: 'Banks can take some days to show a refund.',
  address: 'If the button does not work, open this address:',
  attached: 'The document is attached as PDF.',
  stop: 'Stop reminders',
  reason: {
    named: '{payee} sent you this mail through Remit.',
    unnamed: 'The seller sent you this mail through Remit.',
  },
};
