/**
 * Seals the entries of the audit log with HMAC-SHA256. The key comes from the audit secret, whose versions are `a1`, `a2` and
 * so on. Only the functions that add entries, and the one that checks them, can read it. So nobody who can merely write to the
 * table can make an entry or change one. All versions still verify, so old seals stay valid after a rotation.
 */
import { timingSafeEqual } from 'node:crypto';
import { env } from '../../base/env.ts';
import { hmacSha256 } from '../../base/hmac.ts';
import { sealedVersionOf } from './sealed-text.ts';
import { parseSecret, VersionedSecret } from './versioned-secret.ts';

/** The purpose of the keys that this file derives. */
const purpose = 'audit-seal';

export const auditSecret = new VersionedSecret(
  () => ({ file: env.auditSecretFile(), arn: env.auditSecretArn() }),
  (text) => parseSecret(text, (name) => /^a[1-9]\d*$/.test(name)),
);

/** Returns a function that seals texts with the current version. A seal is `<version>:<HMAC as base64url>`. */
export async function auditSealer(): Promise<(text: string) => string> {
  const { version, key } = await auditSecret.currentKeyOf(purpose);
  return (text) => `${version}:${hmacSha256(key, text).toString('base64url')}`;
}

/** Whether a seal is that of a text. A seal of a version that does not exist is not. */
export async function isAuditSeal(seal: unknown, text: string): Promise<boolean> {
  if (typeof seal !== 'string') return false;
  const key = await auditSecret.keyOf(purpose, sealedVersionOf(seal));
  if (!key) return false;
  const [expected, actual] = [hmacSha256(key, text), Buffer.from(seal.split(':')[1] ?? '', 'base64url')];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
