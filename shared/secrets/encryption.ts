/**
 * Encryption of what is kept but must not be read in the table: AES-256-GCM under the deployment secret. A ciphertext
 * is `<version>:<nonce, ciphertext and tag as base64url>`; all versions of the secret still decrypt.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { currentKey, keyOf } from './deployment-secret.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a text.
 * @param place where the ciphertext will stand, such as a record's id: it cannot be decrypted as that of another place
 */
export async function encrypt(text: string, place: string): Promise<string> {
  const { version, key } = await currentKey('encryption');
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${version}:${sealed.toString('base64url')}`;
}

/** The text of a ciphertext that stands at `place`. Throws if it was made for another place, or changed. */
export async function decrypt(ciphertext: string, place: string): Promise<string> {
  const [version = '', text = ''] = ciphertext.split(':');
  const key = await keyOf('encryption', version);
  if (!key) throw new Error(`The deployment secret has no version ${version}.`);
  const sealed = Buffer.from(text, 'base64url');
  const tag = sealed.subarray(-tagBytes);
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(place)).setAuthTag(tag);
  return decipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
}
