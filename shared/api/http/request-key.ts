/** Reads idempotency keys, and computes the fingerprint that tells a repetition from a different request. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import { canonicalJson } from '../../base/strict-json.ts';
import { hmacCurrent, hmacVersion } from '../../platform/secrets/deployment-secret.ts';
import type { RequestKey, Sealing } from '../../store/commit/idempotency-records.ts';
import type { Route } from '../routes.ts';
import { headerValues, methodOf, queryOf } from './api-handler.ts';

/** The request's idempotency key, or the error if it is not valid. Neither, if it has none or is a GET. */
export function idempotencyKeyOf(event: APIGatewayProxyEvent): { key?: string; error?: ApiError } {
  const values = headerValues(event, 'idempotency-key');
  if (methodOf(event) === 'GET' || values.length === 0) return {};
  const [key = ''] = values;
  if (values.length === 1 && /^[\x20-\x7e]{1,255}$/.test(key)) return { key };
  return { error: new ApiError('invalid_idempotency_key') };
}

/** The SHA-256 under which a key is stored, base64url. */
export function hashOfIdempotencyKey(key: string): string {
  return hash('sha256', key, 'base64url');
}

/**
 * The key with this request's fingerprint: `<version of the deployment secret>:<HMAC>` of method, path, query and body. An
 * answer that contains a secret belongs to the API key that asked for it, so its fingerprint also covers that key.
 * @param event its body is parsed already, or null if it was refused; a route without a body ignores it
 * @param caller the hash of the API key that sends the request
 * @param sealing encrypts the answer of a confidential route
 */
export async function requestKeyOf(
  { status, confidential, body }: Pick<Route, 'status' | 'confidential' | 'body'>,
  event: APIGatewayProxyEvent,
  owner: Owner,
  key: string,
  { caller, sealing }: { readonly caller: string | undefined; readonly sealing: Sealing | undefined },
): Promise<RequestKey> {
  const path = event.path.replace(/^\/+|\/$/g, '');
  const parts = [methodOf(event), path, queryOf(event), body ? event.body : null];
  const content = canonicalJson(confidential ? [...parts, caller] : parts);
  return toRequestKey({ owner, keyHash: hashOfIdempotencyKey(key), status, sealing }, content);
}

/**
 * Adds the fingerprint of a request to its key.
 * @param content identifies the request: two requests with the same content are repetitions of each other
 */
export async function toRequestKey(
  key: Omit<RequestKey, 'fingerprint' | 'matches'>,
  content: string,
): Promise<RequestKey> {
  const { version, digest } = await hmacCurrent('fingerprint', content);
  return {
    ...key,
    fingerprint: `${version}:${digest.toString('base64url')}`,
    matches: (fingerprint) => matches(fingerprint, content),
  };
}

/** Whether `fingerprint` is that of `content`, under the version of the secret that made it. */
async function matches(fingerprint: string, content: string): Promise<boolean> {
  const [version = '', hmac = ''] = fingerprint.split(':');
  const digest = await hmacVersion('fingerprint', version, content);
  const stored = Buffer.from(hmac, 'base64url');
  return digest !== undefined && stored.length === digest.length && timingSafeEqual(stored, digest);
}
