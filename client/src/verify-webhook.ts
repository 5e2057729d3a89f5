/** Verifies that a webhook message comes from Remit, according to Standard Webhooks. */
import { RemitError } from './errors.ts';
import { parseJson } from './parse-json.ts';
import { pinnedApiVersion } from './pinned-api-version.ts';
import type { WebhookApiVersion, WebhookEventIn } from './schemas.ts';

/** The request headers in the form that your server provides. Header names are case-insensitive. */
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
  | 'too_new'
  | 'wrong_version';

/** The message is not authentic, or not valid at this time. `code` gives the reason. Respond with status 400. */
export class WebhookVerificationError extends RemitError {
  override readonly name = 'WebhookVerificationError';
  declare readonly code: WebhookFailure;

  constructor(code: WebhookFailure, message: string) {
    super(message, { code });
  }
}

export interface VerifyOptions<Version extends WebhookApiVersion> {
  /** The maximum difference between `receivedAt` and the timestamp of the message. The default is 5 minutes. */
  readonly toleranceMs?: number;
  /** The time at which the message arrived. The default is now. */
  readonly receivedAt?: Date;
  /**
   * The version of the endpoint, which determines the fields of its events. The default is the newest version that this client
   * knows. While you move an endpoint to another version, pass both, and compare `event.apiVersion`.
   */
  readonly apiVersion?: Version | readonly Version[];
}

const defaultToleranceMs = 300_000;
/** Its events do not name their version. */
const firstVersion: WebhookApiVersion = '2026-11-21';

/**
 * Verifies a webhook message and returns its event, with the type of the endpoint's version.
 * @param body the raw body as bytes or text; a body that was parsed and serialized again does not match the signature
 * @param headers the request headers
 * @param secret the secret of the endpoint (`whsec_…`), or several secrets, one of which must match
 * @param options the version of the endpoint, and limits of time
 * @throws WebhookVerificationError
 */
export async function verifyWebhook<const Version extends WebhookApiVersion = typeof pinnedApiVersion>(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions<Version> = {},
): Promise<WebhookEventIn<Version>> {
  const {
    toleranceMs = defaultToleranceMs,
    receivedAt = new Date(),
    apiVersion = pinnedApiVersion,
  } = options;
  if (typeof body !== 'string' && !(body instanceof ArrayBuffer) && !ArrayBuffer.isView(body)) {
    throw new WebhookVerificationError(
      'body_not_raw',
      'The body is already parsed. Pass the raw body, such as `await request.text()`.',
    );
  }
  // The body of a request is never in shared memory.
  const raw = body as string | ArrayBuffer | Uint8Array<ArrayBuffer>;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const message = await new Blob([`${id}.${timestamp}.`, raw]).arrayBuffer();
  const expected = await Promise.all([secret].flat().map((each) => sign(each, message)));
  const text = await new Blob([raw]).text();
  if (!expected.some((each) => signatures.some((signature) => isEqual(each, signature)))) {
    throw mismatchError(text);
  }
  // The timestamp is checked last, so a message that is too old is known to be authentic.
  const ageMs = receivedAt.getTime() - Number(timestamp) * 1000;
  if (!(Math.abs(ageMs) <= toleranceMs)) throw timestampError(ageMs);
  const event = JSON.parse(text);
  const version: string = event.apiVersion ?? firstVersion;
  const versions = [apiVersion].flat() as readonly string[];
  if (!versions.includes(version)) throw versionError(version);
  return event;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (!value)
    throw new WebhookVerificationError(
      'missing_header',
      `The header ${name} is missing. Pass all headers of the request.`,
    );
  return String(value);
}

/** Returns the signature in the form of the header: `v1,` and the HMAC-SHA256 in base64. */
async function sign(secret: string, message: ArrayBuffer): Promise<string> {
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
    'The secret is not valid. Pass the secret of the webhook endpoint, in the form whsec_….',
  );
}

/** Compares two strings in constant time, so the duration does not reveal where they differ. */
function isEqual(expected: string, actual: string): boolean {
  let difference = expected.length ^ actual.length;
  for (let index = 0; index < expected.length; index += 1) {
    difference |= expected.charCodeAt(index) ^ actual.charCodeAt(index);
  }
  return difference === 0;
}

/** Returns the error for a wrong signature. Remit sends bodies in the form of `JSON.stringify`: any other form was changed. */
function mismatchError(text: string): WebhookVerificationError {
  if (JSON.stringify(parseJson(text)) !== text) {
    return new WebhookVerificationError(
      'body_changed',
      'No signature matches because the body was parsed and serialized again. Pass the raw body.',
    );
  }
  return new WebhookVerificationError(
    'wrong_secret',
    'No signature matches. Check the secret: it can be out of date or belong to another endpoint. If it is correct, the message is forged.',
  );
}

function timestampError(ageMs: number): WebhookVerificationError {
  return new WebhookVerificationError(
    ageMs < 0 ? 'too_new' : 'too_old',
    `The message was signed ${Math.round(ageMs / 1000)} seconds ago. Check the clock. If it is correct, an old message was sent again.`,
  );
}

function versionError(version: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'wrong_version',
    `The event has API version ${version}. Change apiVersion of the endpoint, or pass apiVersion: '${version}'.`,
  );
}
