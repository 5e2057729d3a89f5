/**
 * Lays out a mail: the same content as HTML and as text.
 *
 * - The HTML has the look of the payment page. It is one column, and follows the color scheme of the reader's device.
 * - It loads nothing: no font, no image from elsewhere and no pixel that tells when it is read. A logo is a part of the mail.
 * - Programs for mail ignore much of CSS, and some remove the style element. So the light colors are in the elements, and only the dark
 *   ones are in a style element.
 */
import { html, raw } from 'hono/html';
import type { HeaderText } from '../../domain/mails/mail-text.ts';
import type { Markup } from '../pages/markup.ts';

export interface RenderedMail {
  readonly subject: HeaderText;
  readonly html: string;
  readonly text: string;
}

/** A picture that is a part of the mail. */
export interface MailPicture {
  /** What names the part in the HTML: `cid:` and an id (RFC 2392), or another address of it. */
  readonly src: string;
  /** What it shows, for readers who do not see it. */
  readonly alt: string;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
}

/** A name and a value of a row. */
export type MailRow = readonly [name: string, value: string];

/** The texts of a mail, in the order in which they are read. */
export interface MailContent {
  readonly subject: HeaderText;
  readonly test: string | undefined;
  /** The picture of the seller's logo, above the title. Undefined: there is none. */
  readonly logo?: MailPicture | undefined;
  readonly title: string;
  /** An amount in large letters. Undefined: the mail is not about money. */
  readonly amount: string | undefined;
  readonly message: { readonly title: string; readonly text: string } | undefined;
  readonly rows: readonly MailRow[];
  /** What the reader should know, beside the rows. */
  readonly note: string | undefined;
  readonly attached: string | undefined;
  /** Undefined: the mail has no link. */
  readonly button:
    | {
        readonly name: string;
        readonly url: string;
        /** Before the address of the button, for programs that show no buttons. */
        readonly address: string;
      }
    | undefined;
  readonly reason: string;
  /** The link that stops reminders. */
  readonly stop: { readonly name: string; readonly url: string } | undefined;
}

/** Renders a mail. @param lang the language, for the element `html` */
export function renderContent(content: MailContent, lang: string): RenderedMail {
  return { subject: content.subject, html: renderHtml(content, lang), text: renderText(content) };
}

function renderText(content: MailContent): string {
  const { test, title, amount, message, rows, note, attached, button, reason, stop } = content;
  const blocks = [
    test,
    amount === undefined ? title : `${title}\n${amount}`,
    message && `${message.title}:\n${message.text}`,
    rows.map(([name, value]) => `${name}: ${value}`).join('\n'),
    note,
    button && `${button.name}:\n${button.url}`,
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
.test{background:#3a2d0d!important;color:#ffd884!important}.logo{padding:6px!important}}`;
const font = `font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif`;

function renderHtml(content: MailContent, lang: string): string {
  const { subject, test, logo, title, amount, message, rows, note, attached } = content;
  const { button, reason, stop } = content;
  const soft = `color:${light.soft};font-size:14px;line-height:21px`;
  return html`<!doctype html>
<html lang="${lang}" dir="ltr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${subject}</title>
<style>${raw(darkStyle)}</style></head>
<body class="page" style="margin:0;padding:0;background:${light.page};${font};-webkit-text-size-adjust:100%">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:${light.page}"><tr><td align="center" style="padding:24px 12px;word-break:break-word">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:544px;background:${light.card};border-radius:16px;text-align:left">
${
  test &&
  html`<tr><td class="test" style="background:${light.warnTint};color:${light.warn};font-size:14px;line-height:21px;padding:10px 28px;border-radius:16px 16px 0 0">${test}</td></tr>
`
}<tr><td style="padding:28px 28px 0">${logo && renderLogo(logo)}
<h1 class="soft" style="margin:0;${soft};font-size:16px;line-height:24px;font-weight:500"><bdi>${title}</bdi></h1>
${
  amount !== undefined &&
  html`<p class="ink" style="margin:4px 0 0;color:${light.ink};font-size:28px;line-height:36px;font-weight:600">${amount}</p>
`
}</td></tr>
${message && renderMessage(message)}<tr><td style="padding:16px 28px 0">${rows.map(renderRow)}${
    note && html`<p class="soft" style="margin:16px 0 0;${soft}">${note}</p>`
  }</td></tr>
${button && renderButton(button)}<tr><td style="padding:16px 28px 28px">
${
  attached &&
  html`<p class="soft" style="margin:0 0 12px;${soft}">${attached}</p>
`
}${
  button &&
  html`<p class="soft" style="margin:0;${soft}">${button.address}<br><a class="link" href="${button.url}" style="color:${light.accent};word-break:break-all">${button.url}</a></p>
`
}</td></tr></table>
<p class="soft" style="margin:16px 0 0;max-width:544px;${soft};font-size:13px;text-align:center">${reason}${stop && html`<br><a class="link" href="${stop.url}" style="color:${light.accent}">${stop.name}</a>`}</p>
</td></tr></table></body></html>
`.toString();
}

/** Logos are made for white paper, so the logo has a white ground also in dark colors. */
function renderLogo({ src, alt, width, height }: MailPicture): Markup {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 16px"><tr><td class="logo" style="background:#ffffff;border-radius:8px;padding:0"><img src="${src}" alt="${alt}" width="${width}" height="${height}" style="display:block;border:0"></td></tr></table>`;
}

function renderButton({ name, url }: NonNullable<MailContent['button']>): Markup {
  return html`<tr><td style="padding:24px 28px 0"><a class="button" href="${url}" style="display:block;background:${light.accent};color:${light.onAccent};font-size:17px;line-height:24px;font-weight:600;text-align:center;text-decoration:none;padding:14px 16px;border-radius:12px">${name}</a></td></tr>
`;
}

/** The text keeps its lines, and its own writing direction. */
function renderMessage({ title, text }: NonNullable<MailContent['message']>): Markup {
  return html`<tr><td style="padding:20px 28px 0"><table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td class="panel" style="background:${light.panel};border:1px solid ${light.line};border-radius:10px;padding:12px 14px">
<p class="soft" style="margin:0;color:${light.soft};font-size:13px;line-height:20px">${title}</p>
<p class="ink" dir="auto" style="margin:4px 0 0;color:${light.ink};font-size:16px;line-height:24px;white-space:pre-line">${text}</p>
</td></tr></table></td></tr>
`;
}

function renderRow([name, value]: MailRow): Markup {
  return html`<p class="soft" style="margin:12px 0 0;color:${light.soft};font-size:13px;line-height:20px">${name}</p><p class="ink" dir="auto" style="margin:0;color:${light.ink};font-size:16px;line-height:24px;white-space:pre-line">${value}</p>`;
}
