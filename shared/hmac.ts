/** Computes keyed hashes: HMAC-SHA256. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * The prepared keys, by the bytes of each key. Node prepares a key again for each hash if it gets bytes, and that takes four
 * times as long as the hash. An entry lives as long as its bytes, which the caller never changes.
 */
const preparedKeys = new WeakMap<Uint8Array, KeyObject>();

/**
 * Returns the HMAC-SHA256 of the parts, one after another: 32 bytes.
 * @param key the bytes of the key. The caller never changes them.
 */
export function hmacSha256(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  let prepared = preparedKeys.get(key);
  if (!prepared) {
    prepared = createSecretKey(key);
    preparedKeys.set(key, prepared);
  }
  const hmac = createHmac('sha256', prepared);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}
