/** Reads the forms that browsers send to the dashboard, and tells which of them its own pages sent. */
import { decodeUtf8 } from '../../base/strict-json.ts';
import { isCsrfToken } from '../../domain/users/session.ts';
import { type BrowserSession, linksOf, type RequestContext } from './base-app.ts';

/** Enough for an invoice with 100 lines of the longest descriptions in most scripts, with each byte percent-encoded. */
const maxFormBytes = 512 * 1024;

/** A form of a page of this session. */
export interface SentForm {
  /** All fields that an action reads. */
  readonly fields: URLSearchParams;
  /** 26 characters that name this form. Empty for forms without an attempt. */
  readonly attempt: string;
}

/** A form of which it is not known whether a page of this session sent it. */
export interface ReceivedForm extends SentForm {
  readonly csrf: string;
  /** The id of the user who opened the form. Empty for forms that nobody types in. */
  readonly sender: string;
}

/**
 * Reads the body of a POST.
 * @returns undefined if another site sent it, or if the body is not a form
 */
export async function receiveForm(c: RequestContext): Promise<ReceivedForm | undefined> {
  const type = c.req.header('content-type') ?? '';
  if (!isSameOrigin(c) || !/^application\/x-www-form-urlencoded\b/i.test(type)) return undefined;
  const bytes = Buffer.from(await c.req.arrayBuffer());
  const text = bytes.length <= maxFormBytes ? decodeUtf8(bytes) : undefined;
  if (text === undefined) return undefined;
  const fields = new URLSearchParams(text);
  const take = (name: string): string => {
    const value = fields.get(name) ?? '';
    fields.delete(name);
    return value;
  };
  const [csrf, attempt, sender] = [take('csrf'), take('attempt'), take('sender')];
  return /^(\w{26})?$/.test(attempt) ? { fields, attempt, csrf, sender } : undefined;
}

/**
 * Reads the form of a POST.
 * @returns undefined if another site sent it, if its CSRF token is not that of the session, or if the body is not a form
 */
export async function readSentForm(
  c: RequestContext,
  { id }: Pick<BrowserSession, 'id'>,
): Promise<SentForm | undefined> {
  const form = await receiveForm(c);
  return form && isCsrfToken(id, form.csrf) ? form : undefined;
}

/**
 * Returns whether a page of the dashboard sent the request for certain: the browser names its own origin as the site. Older
 * browsers name none.
 */
export function isFromOwnPage(c: RequestContext): boolean {
  return c.req.header('sec-fetch-site') === 'same-origin';
}

/**
 * Browsers name the site of a form, older ones the origin only. Under `Referrer-Policy: no-referrer` they send the origin
 * `null`. The CSRF token decides then, and for clients that are no browsers.
 */
function isSameOrigin(c: RequestContext): boolean {
  const site = c.req.header('sec-fetch-site');
  const origin = c.req.header('origin');
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return origin === undefined || origin === 'null' || origin === new URL(linksOf(c).base).origin;
}
