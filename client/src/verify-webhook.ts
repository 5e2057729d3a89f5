/** Tells whether a message to a webhook endpoint is Remit's, by Standard Webhooks, and why not. */
import { RemitError } from './errors.ts';
import { parseJson } from './parse-json.ts';
import type { WebhookEvent } from './schemas.ts';

/** The headers as any server gives them; the case of names does not matter. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export type WebhookFailure =
  | 'body_not_raw'
  | 'body_changed'
  | 'missing_header'
  | 'invalid_secret'
  | 'wrong_secret'
  | 'too_old'
  | 'too_new';

/** The message must not be believed; `code` says why. Answer it with 400. */
export class WebhookVerificationError extends RemitError {
  override readonly name = 'WebhookVerificationError';
  declare readonly code: WebhookFailure;

  constructor(code: WebhookFailure, message: string) {
    super(message, { code });
  }
}

const defaultToleranceMs = 300_000;

/**
 * Verifies a message and returns its event.
 * @param body the bytes that came, or their text; parsed and written again they would not verify
 * @param secret the endpoint's `whsec_…`, or several of which one must fit
 * @param options `toleranceMs`, 5 minutes by default: how far the sender's clock and `receivedAt`, by default now, may be
 *   apart
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: { readonly toleranceMs?: number; readonly receivedAt?: Date } = {},
): Promise<WebhookEvent> {
  const { toleranceMs = defaultToleranceMs, receivedAt = new Date() } = options;
  if (typeof body !== 'string' && !(body instanceof ArrayBuffer) && !ArrayBuffer.isView(body)) {
    throw new WebhookVerificationError(
      'body_not_raw',
      'Pass the raw body, such as `await request.text()`, not what a parser has made of it.',
    );
  }
  // No server's body is in shared memory.
  const raw = body as string | ArrayBuffer | Uint8Array<ArrayBuffer>;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const given = headerOf(headers, 'webhook-signature').split(' ');
  const message = await new Blob([`${id}.${timestamp}.`, raw]).arrayBuffer();
  const expected = await Promise.all([secret].flat().map((each) => signatureOf(each, message)));
  const text = await new Blob([raw]).text();
  if (!expected.some((each) => given.some((signature) => isSame(each, signature)))) throw mismatch(text);
  // Judged last: what is too old is known to be genuine.
  const ageMs = receivedAt.getTime() - Number(timestamp) * 1000;
  if (!(Math.abs(ageMs) <= toleranceMs)) throw untimely(ageMs);
  return JSON.parse(text);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (!value) throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`);
  return String(value);
}

/** As the sender writes it: `v1,` and the HMAC-SHA256 in base64. */
async function signatureOf(secret: string, message: ArrayBuffer): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', keyOf(secret), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, message);
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(signature)))}`;
}

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  try {
    const text = atob(secret.replace(/^whsec_/, ''));
    if (text) return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {}
  throw new WebhookVerificationError(
    'invalid_secret',
    'The secret must be the whsec_… of the webhook endpoint.',
  );
}

/** Takes the same time wherever they differ. */
function isSame(expected: string, given: string): boolean {
  let difference = expected.length ^ given.length;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index);
  }
  return difference === 0;
}

/** Bodies are sent in the form that `JSON.stringify` writes: what has another form is not what was sent. */
function mismatch(text: string): WebhookVerificationError {
  if (JSON.stringify(parseJson(text)) !== text) {
    return new WebhookVerificationError(
      'body_changed',
      'No signature matches: the body is not the raw one, but was parsed and written again.',
    );
  }
  return new WebhookVerificationError(
    'wrong_secret',
    'No signature matches: the secret is of another endpoint or too old, or this is forged.',
  );
}

function untimely(ageMs: number): WebhookVerificationError {
  return new WebhookVerificationError(
    ageMs < 0 ? 'too_new' : 'too_old',
    `Signed ${Math.round(ageMs / 1000)} seconds ago: this clock is wrong, or an old message was sent again.`,
  );
}
