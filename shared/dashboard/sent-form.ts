/** Reads the forms that browsers send to the dashboard, and refuses those that its own pages did not send. */
import { decodeUtf8 } from '../strict-json.ts';
import { isCsrfToken } from '../users/session.ts';
import { type BrowserSession, linksOf, type RequestContext } from './base-app.ts';

/** Enough for the longest texts, with each byte percent-encoded. */
const maxFormBytes = 128 * 1024;

/** A form of a page of this session. */
export interface SentForm {
  /** All fields, without the CSRF token and the attempt. */
  readonly fields: URLSearchParams;
  /** 26 characters that name this form. Empty for forms without an attempt. */
  readonly attempt: string;
}

/**
 * Reads the form of a POST.
 * @returns undefined if another site sent it, if its CSRF token is not that of the session, or if the body is not a form
 */
export async function readSentForm(
  c: RequestContext,
  { id }: Pick<BrowserSession, 'id'>,
): Promise<SentForm | undefined> {
  const type = c.req.header('content-type') ?? '';
  if (!isSameOrigin(c) || !/^application\/x-www-form-urlencoded\b/i.test(type)) return undefined;
  const bytes = Buffer.from(await c.req.arrayBuffer());
  const text = bytes.length <= maxFormBytes ? decodeUtf8(bytes) : undefined;
  if (text === undefined) return undefined;
  const fields = new URLSearchParams(text);
  const [csrf = '', attempt = ''] = [fields.get('csrf') ?? '', fields.get('attempt') ?? ''];
  fields.delete('csrf');
  fields.delete('attempt');
  if (!isCsrfToken(id, csrf) || !/^(\w{26})?$/.test(attempt)) return undefined;
  return { fields, attempt };
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
