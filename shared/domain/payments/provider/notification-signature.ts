/** Compares the signatures of providers' notifications. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Returns whether one of the signatures is the HMAC-SHA256 of the parts under one of the secrets, in hexadecimal. Compares in
 * constant time.
 */
export function isSignedBy(
  secrets: readonly string[],
  signatures: readonly string[],
  ...parts: readonly (string | Uint8Array)[]
): boolean {
  const given = signatures.map((signature) => Buffer.from(signature, 'utf8'));
  return secrets.some((secret) => {
    if (secret === '') return false;
    const hmac = createHmac('sha256', secret);
    for (const part of parts) hmac.update(part);
    const expected = Buffer.from(hmac.digest('hex'), 'utf8');
    return given.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
  });
}
