/**
 * Renders a mail to a payer: its subject, and the same content as HTML and as text.
 *
 * - The HTML has the look of the payment page. It is one column, and follows the color scheme of the reader's device.
 * - It loads nothing: no image, no font and no pixel that tells when it is read.
 * - Programs for mail ignore much of CSS, and some remove the style element. So the light colors are in the elements, and only the dark
 *   ones are in a style element.
 */
import { html, raw } from 'hono/html';
import type { Locale } from '../../base/locales.ts';
import { type Currency, formatAmount } from '../../base/money.ts';
import type { Instant } from '../../base/time.ts';
import type { MailKind } from '../../domain/accounts/mail-settings.ts';
import { type HeaderText, toHeaderText } from '../../domain/mails/mail-text.ts';
import { formatDate, formatDueDate, formatMoment } from '../pages/dates.ts';
import { type Markup, truncateToBytes } from '../pages/markup.ts';
import { languageOf, type PageLanguage } from '../pages/page-language.ts';
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
  readonly currency: Currency;
  readonly description: string;
  readonly dueAt: Instant;
  /** The due date is that of an invoice without one, so its time of day means nothing. */
  readonly isDefaultDueDate: boolean;
  /** When the invoice was paid, or the money refunded. Only of a receipt and of a refund. */
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
}

export interface RenderedMail {
  readonly subject: HeaderText;
  readonly html: string;
  readonly text: string;
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
  const content = contentOf(view, language, mailTexts[view.locale]);
  return {
    subject: content.subject,
    html: renderHtml(content, view, language),
    text: renderText(content),
  };
}

/** A name and a value of a row. */
type Row = readonly [name: string, value: string];

/** The texts of a mail, in the order in which they are read. */
interface Content {
  readonly subject: HeaderText;
  readonly test: string | undefined;
  readonly title: string;
  readonly amount: string;
  readonly message: { readonly title: string; readonly text: string } | undefined;
  readonly rows: readonly Row[];
  /** What the reader should know, beside the rows. */
  readonly note: string | undefined;
  readonly attached: string | undefined;
  readonly button: string;
  readonly address: string;
  readonly url: string;
  readonly reason: string;
  /** The link that stops reminders. */
  readonly stop: { readonly name: string; readonly url: string } | undefined;
}

function contentOf(view: MailView, { texts, tag }: PageLanguage, own: MailTexts): Content {
  const { kind, payee, number, currency, timeZone, isTest } = view;
  const amount = formatAmount(view.amountMinor, currency);
  const named = (sentence: { readonly named: string; readonly unnamed: string }) =>
    payee === undefined ? sentence.unnamed : sentence.named.replaceAll('{payee}', () => payee);
  const { paid } = texts.paid;
  const noun = kind === 'receipt' ? own.receipt : texts.invoice;
  const subject = own.subjects[kind](number === undefined ? noun : `${noun} ${number}`, payee, amount);
  const titles = {
    invoice: own.title,
    receipt: { named: paid.title, unnamed: paid.unnamed },
    reminder: own.reminder,
    failure: own.failure,
    refund: { named: texts.paid.refunded.title, unnamed: texts.paid.refunded.unnamed },
  };
  const isToBePaid = kind !== 'receipt' && kind !== 'refund';
  const mark = `${texts.testMode.label}: `;
  const due = view.isDefaultDueDate
    ? formatDate(view.dueAt, timeZone, tag)
    : formatDueDate(view.dueAt, timeZone, tag);
  const rows: (Row | undefined)[] = [
    number === undefined ? undefined : [texts.number, number],
    [texts.description, truncateToBytes(view.description, descriptionMaxBytes)],
    isToBePaid ? [texts.due, due] : undefined,
    view.doneAt === undefined
      ? undefined
      : [kind === 'refund' ? own.refundedAt : texts.paid.paidAt, formatMoment(view.doneAt, timeZone, tag)],
  ];
  return {
    subject: toHeaderText(isTest ? mark + subject : subject),
    test: isTest ? mark + texts.testMode.explanation : undefined,
    title: named(titles[kind]),
    amount,
    message: view.message === undefined ? undefined : { title: named(own.message), text: view.message },
    rows: rows.filter((row) => row !== undefined),
    note: kind === 'failure' ? own.payAgain : view.isBankRefund ? own.bankDays : undefined,
    attached: view.hasDocument ? own.attached : undefined,
    button: isToBePaid ? texts.payAmount(amount) : kind === 'refund' ? own.viewInvoice : own.viewReceipt,
    address: own.address,
    url: view.paymentUrl,
    reason: named(own.reason),
    stop: view.unsubscribeUrl === undefined ? undefined : { name: own.stop, url: view.unsubscribeUrl },
  };
}

function renderText(content: Content): string {
  const { test, title, amount, message, rows, note, attached, button, url, reason, stop } = content;
  const blocks = [
    test,
    `${title}\n${amount}`,
    message && `${message.title}:\n${message.text}`,
    rows.map(([name, value]) => `${name}: ${value}`).join('\n'),
    note,
    `${button}:\n${url}`,
    attached,
    `-- \n${reason}${stop ? `\n${stop.name}: ${stop.url}` : ''}`,
  ];
  return `${blocks.filter((block) => block !== undefined).join('\n\n')}\n`;
}

/** The colors of the payment page: `shared/web/pages/payment-page-style.ts`. */
const light = {
  page: '#f3f4f1',
  card: '#ffffff',
  ink: '#181d1b',
  soft: '#59625e',
  line: '#e3e6e2',
  accent: '#0b6956',
  onAccent: '#ffffff',
  panel: '#fafaf8',
  warn: '#6a4700',
  warnTint: '#fff3d3',
};
const darkStyle = `@media(prefers-color-scheme:dark){
.page{background:#0e1211!important}.card{background:#171c1a!important}
.ink{color:#eceeec!important}.soft{color:#a3ada8!important}.line{border-color:#2b3330!important}
.panel{background:#1b211f!important;border-color:#2b3330!important}
.button{background:#5fd0b3!important;color:#06231c!important}.link{color:#5fd0b3!important}
.test{background:#3a2d0d!important;color:#ffd884!important}}`;
const font = `font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif`;

function renderHtml(content: Content, { locale }: MailView, { tag }: PageLanguage): string {
  const { subject, test, title, amount, message, rows, note, attached } = content;
  const { button, address, url, reason, stop } = content;
  const soft = `color:${light.soft};font-size:14px;line-height:21px`;
  return html`<!doctype html>
<html lang="${tag ?? locale}" dir="ltr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${subject}</title>
<style>${raw(darkStyle)}</style></head>
<body class="page" style="margin:0;padding:0;background:${light.page};${font};-webkit-text-size-adjust:100%">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:${light.page}"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:544px;background:${light.card};border-radius:16px;text-align:left">
${
  test &&
  html`<tr><td class="test" style="background:${light.warnTint};color:${light.warn};font-size:14px;line-height:21px;padding:10px 28px;border-radius:16px 16px 0 0">${test}</td></tr>
`
}<tr><td style="padding:28px 28px 0">
<h1 class="soft" style="margin:0;${soft};font-size:16px;line-height:24px;font-weight:500"><bdi>${title}</bdi></h1>
<p class="ink" style="margin:4px 0 0;color:${light.ink};font-size:32px;line-height:40px;font-weight:600">${amount}</p>
</td></tr>
${message && renderMessage(message)}<tr><td style="padding:16px 28px 0">${rows.map(renderRow)}${
    note && html`<p class="soft" style="margin:16px 0 0;${soft}">${note}</p>`
  }</td></tr>
<tr><td style="padding:24px 28px 0"><a class="button" href="${url}" style="display:block;background:${light.accent};color:${light.onAccent};font-size:17px;line-height:24px;font-weight:600;text-align:center;text-decoration:none;padding:14px 16px;border-radius:12px">${button}</a></td></tr>
<tr><td style="padding:16px 28px 28px">
${
  attached &&
  html`<p class="soft" style="margin:0 0 12px;${soft}">${attached}</p>
`
}<p class="soft" style="margin:0;${soft}">${address}<br><a class="link" href="${url}" style="color:${light.accent};word-break:break-all">${url}</a></p>
</td></tr></table>
<p class="soft" style="margin:16px 0 0;max-width:544px;${soft};font-size:13px;text-align:center">${reason}${stop && html`<br><a class="link" href="${stop.url}" style="color:${light.accent}">${stop.name}</a>`}</p>
</td></tr></table></body></html>
`.toString();
}

/** The text keeps its lines, and its own writing direction. */
function renderMessage({ title, text }: NonNullable<Content['message']>): Markup {
  return html`<tr><td style="padding:20px 28px 0"><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td class="panel" style="background:${light.panel};border:1px solid ${light.line};border-radius:10px;padding:12px 14px">
<p class="soft" style="margin:0;color:${light.soft};font-size:13px;line-height:20px">${title}</p>
<p class="ink" dir="auto" style="margin:4px 0 0;color:${light.ink};font-size:16px;line-height:24px;white-space:pre-line;word-break:break-word">${text}</p>
</td></tr></table></td></tr>
`;
}

function renderRow([name, value]: Row): Markup {
  return html`<p class="soft" style="margin:12px 0 0;color:${light.soft};font-size:13px;line-height:20px">${name}</p><p class="ink" dir="auto" style="margin:0;color:${light.ink};font-size:16px;line-height:24px;white-space:pre-line;word-break:break-word">${value}</p>`;
}
