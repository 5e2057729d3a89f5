/**
 * Encrypts and decrypts texts that must not be readable in the table, with AES-256-GCM.
 *
 * - A ciphertext has the form `<version>:<nonce, ciphertext and tag as base64url>`. All versions of a secret still decrypt,
 *   so old ciphertexts stay readable after a rotation.
 * - The key comes from the webhook secret, whose versions are `w1`, `w2` and so on. Until that secret has a current version,
 *   the key comes from the deployment secret, as the release before expects it. Its versions are whole numbers.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { env } from '../env.ts';
import { currentKey, secretKeyOf } from './deployment-secret.ts';
import { parseSecret, VersionedSecret } from './versioned-secret.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const purpose = 'encryption';

const isWebhookVersion = (version: string) => /^w[1-9]\d*$/.test(version);

export const webhookSecret = new VersionedSecret(
  () => ({ file: env.webhookSecretFile(), arn: env.webhookSecretArn() }),
  (text) => parseSecret(text, isWebhookVersion),
);

/**
 * Encrypts a text.
 * @param context identifies where the ciphertext is stored, for example the id of a record. It must be the same when
 *   the text is decrypted, so a ciphertext that was copied to another record is useless.
 */
export async function encrypt(text: string, context: string): Promise<string> {
  const { version, key } = await encryptionKey();
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
  const key = isWebhookVersion(version)
    ? await webhookSecret.keyOf(purpose, version)
    : await secretKeyOf(purpose, version);
  if (!key) throw new Error(`The secret has no version ${version}.`);
  const sealed = Buffer.from(text, 'base64url');
  const tag = sealed.subarray(-tagBytes);
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
  return decipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
}

/** Whether a ciphertext was made by the version that makes new ciphertexts. */
export async function isCurrentCiphertext(ciphertext: string): Promise<boolean> {
  return ciphertext.startsWith(`${(await encryptionKey()).version}:`);
}

async function encryptionKey(): Promise<{ version: string; key: Buffer }> {
  const { current } = webhookSecret.isKnown ? await webhookSecret.content() : {};
  if (!current) return currentKey(purpose);
  const key = await webhookSecret.keyOf(purpose, current);
  if (!key) throw new Error(`The webhook secret has no version ${current}.`);
  return { version: current, key };
}
