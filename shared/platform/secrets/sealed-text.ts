/**
 * Encrypts and decrypts texts that must not be readable in the table, with AES-256-GCM.
 *
 * A sealed text has the form `<version>:<nonce, ciphertext and tag as base64url>`. The version names the key.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** The purpose of the keys that `VersionedSecret` derives for this file. */
export const sealingPurpose = 'encryption';

/** A key of 32 bytes, with the version of the secret that it comes from. */
export interface SealingKey {
  readonly version: string;
  readonly key: Buffer;
}

/**
 * Encrypts a text.
 * @param context identifies where the sealed text is stored, for example the id of a record. It must be the same when
 *   the text is decrypted, so a sealed text that was copied to another record is useless.
 */
export function seal({ version, key }: SealingKey, text: string, context: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${version}:${sealed.toString('base64url')}`;
}

/** Returns the version of the secret that encrypted a text. */
export function sealedVersionOf(sealedText: string): string {
  return sealedText.split(':')[0] ?? '';
}

/**
 * Decrypts a sealed text.
 * @param key the key of its version, or undefined if the secret does not have that version
 * @param context the value that was given to `seal`
 * @throws Error if the text was made for another context or was changed, or if its secret version does not exist
 */
export function unseal(sealedText: string, key: Buffer | undefined, context: string): string {
  const [version = '', text = ''] = sealedText.split(':');
  if (!key) throw new Error(`The secret has no version ${version}.`);
  const sealed = Buffer.from(text, 'base64url');
  const tag = sealed.subarray(-tagBytes);
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
  return decipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
}
