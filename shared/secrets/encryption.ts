/**
 * Encrypts and decrypts texts that must not be readable in the table, with AES-256-GCM under the deployment secret.
 *
 * - A ciphertext has the form `<version>:<nonce, ciphertext and tag as base64url>`.
 * - All versions of the secret still decrypt, so old ciphertexts stay readable after a rotation.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { currentKey, secretKeyOf } from './deployment-secret.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a text.
 * @param context identifies where the ciphertext is stored, for example the id of a record. It must be the same when
 *   the text is decrypted, so a ciphertext that was copied to another record is useless.
 */
export async function encrypt(text: string, context: string): Promise<string> {
  const { version, key } = await currentKey('encryption');
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${version}:${sealed.toString('base64url')}`;
}

/**
 * Decrypts a ciphertext.
 * @param context the value that was given to `encrypt`
 * @throws Error if the ciphertext was made for another context or was changed, or if its secret version does not exist
 */
export async function decrypt(ciphertext: string, context: string): Promise<string> {
  const [version = '', text = ''] = ciphertext.split(':');
  const key = await secretKeyOf('encryption', version);
  if (!key) throw new Error(`The deployment secret has no version ${version}.`);
  const sealed = Buffer.from(text, 'base64url');
  const tag = sealed.subarray(-tagBytes);
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
  return decipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
}
