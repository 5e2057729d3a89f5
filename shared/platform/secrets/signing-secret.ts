/**
 * Makes the key pairs (Ed25519, RFC 8032) that sign sessions and members of accounts. They come from the signing secret, whose
 * versions are `s1`, `s2` and so on. Only the functions that store sessions and members can read it. All others verify with the
 * public keys, which are in the table.
 */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { env } from '../../base/env.ts';
import { deriveKey, parseSecret, VersionedSecret } from './versioned-secret.ts';

/** The purpose of the keys that this file derives. */
const purpose = 'signature';

/** What precedes the 32 bytes of a private key in PKCS #8 (RFC 8410, section 7). */
const privateKeyHeader = Buffer.from('302e020100300506032b657004220420', 'hex');

export const signingSecret = new VersionedSecret(
  () => ({ file: env.signingSecretFile(), arn: env.signingSecretArn() }),
  (text) => parseSecret(text, (name) => /^s[1-9]\d*$/.test(name)),
);

export interface SigningKey {
  readonly privateKey: KeyObject;
  /** 32 bytes, base64url. */
  readonly publicKey: string;
}

/** Returns the key pair that makes new signatures. @throws Error if the secret cannot be read */
export async function currentSigningKey(): Promise<SigningKey> {
  return toSigningKey((await signingSecret.currentKeyOf(purpose)).key);
}

/** Returns the key pair of a version of the secret, or undefined if the version does not exist. */
export async function signingKeyOf(version: string): Promise<SigningKey | undefined> {
  const seed = await signingSecret.keyOf(purpose, version);
  return seed && toSigningKey(seed);
}

/** Returns the key pair that follows from the random text of a version. */
export const signingKeyOfRoot = (root: string): SigningKey => toSigningKey(deriveKey(root, purpose));

function toSigningKey(seed: Buffer): SigningKey {
  const key = Buffer.concat([privateKeyHeader, seed]);
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return { privateKey, publicKey: x };
}
