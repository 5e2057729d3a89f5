/** Renders a mail to a payer: its subject, and the same content as HTML and as text. */
import type { Locale } from '../../base/locales.ts';
import { type Currency, formatAmount } from '../../base/money.ts';
import type { Instant } from '../../base/time.ts';
import type { MailKind } from '../../domain/accounts/mail-settings.ts';
import { toHeaderText } from '../../domain/mails/mail-text.ts';
import { formatDate, formatDueDate, formatMoment } from '../pages/dates.ts';
import { truncateToBytes } from '../pages/markup.ts';
import { languageOf, type PageLanguage } from '../pages/page-language.ts';
import {
  type MailContent,
  type MailPicture,
  type MailRow,
  type RenderedMail,
  renderContent,
} from './mail-layout.ts';
import { englishMailTexts, type MailTexts } from './mail-texts.ts';
import { dzongkhaMailTexts } from './mail-texts-dz.ts';
import { hindiMailTexts } from './mail-texts-hi.ts';

/** What a mail says. */
export interface MailView {
  readonly kind: MailKind;
  readonly locale: Locale;
  /** The name of the payee. Undefined: payers know none. */
  readonly payee: string | undefined;
  /** The number of the document. Undefined: there is none. */
  readonly number: string | undefined;
  readonly amountMinor: number;
  /** What is still to be paid. Only of the receipt of a part. */
  readonly dueMinor?: number;
  readonly currency: Currency;
  /** Undefined: the mail does not say it. */
  readonly description: string | undefined;
  readonly dueAt: Instant;
  /** The due date is that of an invoice without one, so its time of day means nothing. */
  readonly isDefaultDueDate: boolean;
  /** When the invoice or a part of it was paid, or the money refunded. Undefined: the mail is not about money that has moved. */
  readonly doneAt: Instant | undefined;
  /** A bank carries out the refund, which takes some days. */
  readonly isBankRefund?: boolean;
  readonly timeZone: string | undefined;
  readonly paymentUrl: string;
  /** The address that stops reminders. Only of a reminder. */
  readonly unsubscribeUrl: string | undefined;
  /** What the sender adds. */
  readonly message: string | undefined;
  readonly isTest: boolean;
  readonly hasDocument: boolean;
  /** The logo of the seller. Undefined: the seller has none. */
  readonly logo?: MailPicture | undefined;
}

const mailTexts: Readonly<Record<Locale, MailTexts>> = {
  en: englishMailTexts,
  dz: dzongkhaMailTexts,
  hi: hindiMailTexts,
};

/** In bytes of escaped UTF-8. Some programs cut mails of more than 100 KB. */
const descriptionMaxBytes = 12_000;

/** Renders a mail. */
export function renderMail(view: MailView): RenderedMail {
  const language = languageOf(view.locale);
  return renderContent(contentOf(view, language, mailTexts[view.locale]), language.tag ?? view.locale);
}

function contentOf(view: MailView, { texts, tag }: PageLanguage, own: MailTexts): MailContent {
  const { kind, payee, number, currency, timeZone, isTest } = view;
  const amount = formatAmount(view.amountMinor, currency);
  const named = (sentence: { readonly named: string; readonly unnamed: string }) =>
    payee === undefined ? sentence.unnamed : sentence.named.replaceAll('{payee}', () => payee);
  const { paid } = texts.paid;
  const noun = kind === 'receipt' ? own.receipt : kind === 'credit_note' ? texts.creditNote : texts.invoice;
  // The number of a mail with a document of its own is that of the document. The others have that of the invoice.
  const isOwnDocument = kind === 'receipt' || kind === 'credit_note';
  const subject = own.subjects[kind](number === undefined ? noun : `${noun} ${number}`, payee, amount);
  const titles = {
    invoice: own.title,
    receipt: { named: paid.title, unnamed: paid.unnamed },
    part_receipt: own.part,
    reminder: own.reminder,
    credit_note: own.creditNote,
    failure: own.failure,
    refund: { named: texts.paid.refunded.title, unnamed: texts.paid.refunded.unnamed },
  };
  const isToBePaid = kind === 'invoice' || kind === 'reminder' || kind === 'failure';
  const mark = `${texts.testMode.label}: `;
  const due = view.isDefaultDueDate
    ? formatDate(view.dueAt, timeZone, tag)
    : formatDueDate(view.dueAt, timeZone, tag);
  const rows: (MailRow | undefined)[] = [
    number === undefined ? undefined : [isOwnDocument ? noun : texts.number, number],
    view.description === undefined
      ? undefined
      : [texts.description, truncateToBytes(view.description, descriptionMaxBytes)],
    isToBePaid ? [texts.due, due] : undefined,
    view.dueMinor === undefined ? undefined : [own.stillDue, formatAmount(view.dueMinor, currency)],
    view.doneAt === undefined
      ? undefined
      : [kind === 'refund' ? own.refundedAt : texts.paid.paidAt, formatMoment(view.doneAt, timeZone, tag)],
  ];
  return {
    subject: toHeaderText(isTest ? mark + subject : subject),
    test: isTest ? mark + texts.testMode.explanation : undefined,
    logo: view.logo,
    title: named(titles[kind]),
    amount,
    message: view.message === undefined ? undefined : { title: named(own.message), text: view.message },
    rows: rows.filter((row) => row !== undefined),
    note: noteOf(view, own),
    attached: view.hasDocument ? own.attached : undefined,
    button: {
      name: isToBePaid ? texts.payAmount(amount) : kind === 'receipt' ? own.viewReceipt : own.viewInvoice,
      url: view.paymentUrl,
      address: own.address,
    },
    reason: named(own.reason),
    stop: view.unsubscribeUrl === undefined ? undefined : { name: own.stop, url: view.unsubscribeUrl },
  };
}

function noteOf({ kind, isBankRefund }: MailView, own: MailTexts): string | undefined {
  if (kind === 'failure') return own.payAgain;
  if (kind === 'credit_note') return own.replaced;
  return isBankRefund ? own.bankDays : undefined;
}
