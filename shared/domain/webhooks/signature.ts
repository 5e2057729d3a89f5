/** Signs messages by Standard Webhooks 1.0: HMAC-SHA256 over the id, the timestamp and the bytes of the body. */
import { randomBytes } from 'node:crypto';
import { hmacSha256 } from '../../base/hmac.ts';
import { type Instant, toSeconds } from '../../base/time.ts';

const prefix = 'whsec_';

/** The headers of each message beside its signature. */
export const fixedMessageHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'User-Agent': 'Remit',
} as const;

/** Creates a secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/**
 * Returns the headers with which the receiver verifies a message.
 * @param id the event's id, which is the same in every attempt
 * @param secrets in the form that receivers have; each makes a signature, in the same order
 */
export function signedHeaders(
  id: string,
  body: Uint8Array,
  secrets: readonly string[],
  at: Instant,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(toSeconds(at));
  const signatures = secrets.map((secret) => `v1,${signatureOf(secret, `${id}.${timestamp}.`, body)}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

function signatureOf(secret: string, prefixToSign: string, body: Uint8Array): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return hmacSha256(key, prefixToSign, body).toString('base64');
}
