/** Reads the forms that browsers send to the dashboard, and tells which of them its own pages sent. */
import { decodeUtf8 } from '../../base/strict-json.ts';
import { isCsrfToken } from '../../domain/users/session.ts';
import { type BrowserSession, linksOf, type RequestContext } from './base-app.ts';

/** Enough for an invoice with 100 lines of the longest descriptions in most scripts, with each byte percent-encoded. */
const maxFormBytes = 512 * 1024;
/** More than any file of a form may have, so that a user learns its limit from the form. The gateway passes at most 4.5 MB on. */
const maxFormWithFileBytes = 4 * 1024 * 1024;

/** A form of a page of this session. */
export interface SentForm {
  /** All fields that an action reads. The value of a file is its content in base64, or empty if the user chose none. */
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
  const fields = isSameOrigin(c) ? await readFields(c) : undefined;
  if (!fields) return undefined;
  const take = (name: string): string => {
    const value = fields.get(name) ?? '';
    fields.delete(name);
    return value;
  };
  const [csrf, attempt, sender] = [take('csrf'), take('attempt'), take('sender')];
  return /^(\w{26})?$/.test(attempt) ? { fields, attempt, csrf, sender } : undefined;
}

/** Returns undefined if the body is no form, or too large. */
async function readFields(c: RequestContext): Promise<URLSearchParams | undefined> {
  const type = c.req.header('content-type') ?? '';
  const bytes = Buffer.from(await c.req.arrayBuffer());
  if (/^multipart\/form-data\b/i.test(type)) return readParts(bytes, type);
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) return undefined;
  const text = bytes.length <= maxFormBytes ? decodeUtf8(bytes) : undefined;
  return text === undefined ? undefined : new URLSearchParams(text);
}

/** Reads a form with a file. */
async function readParts(bytes: Buffer, type: string): Promise<URLSearchParams | undefined> {
  if (bytes.length > maxFormWithFileBytes) return undefined;
  const fields = new URLSearchParams();
  try {
    const parts = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    for (const [name, value] of parts)
      fields.append(
        name,
        typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64'),
      );
    return fields;
  } catch {
    return undefined;
  }
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
