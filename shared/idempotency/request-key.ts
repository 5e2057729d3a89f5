/**
 * Idempotency keys: which are valid, and the fingerprint by which a repetition is told from a different request
 * under the same key.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../errors.ts';
import { type Exchange, hold } from '../http/exchange.ts';
import { canonicalJson } from '../http/strict-json.ts';
import type { Owner } from '../ids.ts';
import { hmacCurrent, hmacVersion } from '../secrets/deployment-secret.ts';
import type { RequestKey } from '../store/commit.ts';

/** The request's key, if it has a valid one; a fault is held back like any other of the request. */
export function idempotencyKeyOf(exchange: Exchange): string | undefined {
  if (exchange.method === 'GET') return undefined;
  const values = exchange.allHeaders['idempotency-key'];
  if (!values) return undefined;
  const [key = ''] = values;
  if (values.length === 1 && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  hold(exchange, new ApiError('invalid_idempotency_key'));
  return undefined;
}

/** The SHA-256 under which a key is stored, base64url. */
export function hashOfIdempotencyKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/** The key with this request's fingerprint: `<version of the deployment secret>:<HMAC>`. */
export async function requestKeyOf(exchange: Exchange, owner: Owner, key: string): Promise<RequestKey> {
  const { method, path, query, body } = exchange;
  const content = canonicalJson([method, path.replace(/^\/+|\/$/g, ''), query, body ?? null]);
  const { version, digest } = await hmacCurrent('fingerprint', content);
  return {
    owner,
    keyHash: hashOfIdempotencyKey(key),
    fingerprint: `${version}:${digest.toString('base64url')}`,
    matches: (fingerprint) => matches(fingerprint, content),
  };
}

/** Whether `fingerprint` is that of `content`, under the version of the secret that it was made with. */
async function matches(fingerprint: string, content: string): Promise<boolean> {
  const [version = '', hmac = ''] = fingerprint.split(':');
  const digest = await hmacVersion('fingerprint', version, content);
  const stored = Buffer.from(hmac, 'base64url');
  return digest !== undefined && stored.length === digest.length && timingSafeEqual(stored, digest);
}
