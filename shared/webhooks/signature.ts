/** Signing as Standard Webhooks 1.0 says: HMAC-SHA256 over id, timestamp and the bytes that are sent. */
import { createHmac, randomBytes } from 'node:crypto';
import { type Instant, toSeconds } from '../time.ts';

const prefix = 'whsec_';

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return prefix + randomBytes(32).toString('base64');
}

/**
 * The headers that let the receiver verify a message.
 * @param id the event's id, the same in every attempt
 * @param secrets as receivers know them; each makes a signature, the first one first
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

function signatureOf(secret: string, head: string, body: Uint8Array): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return createHmac('sha256', key).update(head).update(body).digest('base64');
}
