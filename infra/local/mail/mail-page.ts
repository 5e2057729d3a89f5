/** Serves the page of the local stack that shows the mails which the double of SES has accepted. */
import { html } from 'hono/html';
import type { Email } from 'postal-mime';
import type { DoubleRequest, DoubleResponse } from '../provider-doubles/common/double-messages.ts';
import { MailFiles } from './mail-files.ts';

type Markup = ReturnType<typeof html>;

/** The page runs no script, and a mail loads nothing from elsewhere. */
const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'",
  'X-Content-Type-Options': 'nosniff',
};
/** The HTML part of a mail is in a frame. Its links open a window of their own, as in a mail program. */
const partHeaders = {
  ...pageHeaders,
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups allow-popups-to-escape-sandbox",
};

/** Answers a request for the list, a mail, or a part of it. */
export async function serveMailPage(
  { method, path }: DoubleRequest,
  files: MailFiles,
): Promise<DoubleResponse> {
  if (method !== 'GET' && method !== 'HEAD') return page(405, 'Mail', html`<p>Only GET is allowed.</p>`);
  if (path === '/') return page(200, 'Mail', await renderList(files));
  const [, name = '', part] = /^\/mails\/([^/]+)(?:\/(html|source|attachments\/\d+))?$/.exec(path) ?? [];
  const email = await files.read(name);
  if (!email) return page(404, 'Mail', html`<p>There is no such mail. <a href="/">All mails</a></p>`);
  if (part === undefined) return page(200, email.subject ?? 'Mail', renderMail(name, email));
  if (part === 'html') return { status: 200, headers: partHeaders, body: withPictures(email) };
  if (part === 'source')
    return file('message/rfc822', `${name}`, (await files.source(name)) ?? Buffer.alloc(0));
  const attachment = email.attachments[Number(part.split('/')[1])];
  if (!attachment) return page(404, 'Mail', html`<p>There is no such attachment.</p>`);
  const { filename, mimeType, content } = attachment;
  return file(mimeType, filename ?? 'attachment', Buffer.from(content as ArrayBuffer));
}

async function renderList(files: MailFiles): Promise<Markup> {
  const names = await files.names();
  const mails = await Promise.all(names.map(async (name) => ({ name, email: await files.read(name) })));
  if (mails.length === 0)
    return html`<p>No mail yet. Send an invoice: <code>POST /api/invoices/{id}/send</code>.</p>`;
  return html`<p>The double of Amazon SES delivers nothing. It shows what it would send.</p>
<table><thead><tr><th scope="col">Time</th><th scope="col">To</th><th scope="col">Subject</th></tr></thead><tbody>
${mails.map(
  ({
    name,
    email,
  }) => html`<tr><td>${timeOf(name)}</td><td>${addressesOf(email?.to)}${MailFiles.isSuppressed(name) && html` (suppressed)`}</td><td><a href="/mails/${name}">${email?.subject || 'No subject'}</a></td></tr>
`,
)}</tbody></table>`;
}

function renderMail(name: string, email: Email): Markup {
  const shown = new Set(['from', 'reply-to', 'to', 'subject', 'date', 'message-id', 'x-remit-mail']);
  const headers = email.headers.filter(({ key }) => shown.has(key));
  return html`<p><a href="/">All mails</a></p>
<dl>${headers.map(({ originalKey, value }) => html`<div><dt>${originalKey}</dt><dd>${value}</dd></div>`)}</dl>
<ul>${email.attachments.map(({ filename, mimeType }, index) => html`<li><a href="/mails/${name}/attachments/${index}">${filename ?? mimeType}</a></li>`)}<li><a href="/mails/${name}/source">Source</a></li></ul>
${email.html && html`<h2>HTML</h2><iframe title="The HTML part of the mail" src="/mails/${name}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`}
<h2>Text</h2><pre dir="auto">${email.text ?? ''}</pre>`;
}

/** Returns the HTML of a mail with its pictures in it. A mail names them as parts of itself: RFC 2392. */
function withPictures({ html: text = '', attachments }: Email): string {
  return attachments.reduce((shown, { contentId, mimeType, content }) => {
    const url = `data:${mimeType};base64,${Buffer.from(content as ArrayBuffer).toString('base64')}`;
    return contentId ? shown.replaceAll(`cid:${contentId.replace(/^<|>$/g, '')}`, () => url) : shown;
  }, text);
}

const addressesOf = (addresses: Email['to']): string =>
  (addresses ?? []).map(({ address }) => address ?? '').join(', ');
const timeOf = (name: string): string =>
  new Date(MailFiles.timeOf(name)).toISOString().replace('T', ' ').slice(0, 19);

function page(status: number, title: string, content: Markup): DoubleResponse {
  const body = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.375rem .75rem .375rem 0;border-top:1px solid #80808060}dl>div{display:flex;gap:1rem}dt{flex:0 0 8rem;opacity:.75}dd{margin:0;min-width:0}iframe{width:100%;height:44rem;border:1px solid #80808060}pre{white-space:pre-wrap}</style></head>
<body><main><h1>${title}</h1>${content}</main></body></html>
`.toString();
  return { status, headers: pageHeaders, body };
}

/** A file is only saved, never shown. */
function file(type: string, name: string, body: Buffer): DoubleResponse {
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name)}`;
  return {
    status: 200,
    headers: {
      'Content-Type': type,
      'Content-Disposition': disposition,
      'X-Content-Type-Options': 'nosniff',
    },
    body,
  };
}
