/**
 * Renders a text of a user in which e-mail addresses and telephone numbers are links. Nothing else becomes a link: a web address could
 * lead payers to another page that asks for money.
 */
import { html } from 'hono/html';
import { isEmail } from '../../base/email.ts';
import type { Markup } from './markup.ts';

/** More addresses and numbers stay text, which bounds the size of a page. */
const maxLinks = 5;

/** Neither part of a longer word nor of a web address. */
const email =
  /(?<![\p{L}\p{N}_.%+@/-])[A-Za-z0-9_.%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}(?!\.?[\p{L}\p{N}_@/-])/u;
/** An international number of 7 to 15 digits (ITU-T E.164). Without the plus sign, it could be the number of an account. */
const telephone = /(?<![\p{L}\p{N}_+])\+[1-9](?:[ ().-]{0,2}\d){6,14}(?![ ().-]{0,2}\d|[\p{L}_])/u;
const pattern = new RegExp(`${email.source}|${telephone.source}`, 'gu');

/** Renders a text, with links where it names how to reach somebody. */
export function renderLinkedText(text: string): Markup {
  const parts: (string | Markup)[] = [];
  let end = 0;
  for (const { 0: found, index } of [...text.matchAll(pattern)].slice(0, maxLinks)) {
    parts.push(text.slice(end, index), renderLink(found));
    end = index + found.length;
  }
  return html`${[...parts, text.slice(end)]}`;
}

function renderLink(found: string): Markup | string {
  if (found.startsWith('+') && !found.includes('@'))
    return html`<a href="tel:+${found.replace(/\D/g, '')}">${found}</a>`;
  const [local = '', domain = ''] = found.split('@');
  return isEmail(found) ? html`<a href="mailto:${encodeURIComponent(local)}@${domain}">${found}</a>` : found;
}
