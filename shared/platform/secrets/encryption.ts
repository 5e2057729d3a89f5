/**
 * Encrypts and decrypts the secrets of webhook endpoints. The key comes from the webhook secret, whose versions are `w1`, `w2`
 * and so on. All versions still decrypt, so old ciphertexts stay readable after a rotation.
 */
import { env } from '../../base/env.ts';
import { seal, sealedVersionOf, sealingPurpose, unseal } from './sealed-text.ts';
import { parseSecret, VersionedSecret } from './versioned-secret.ts';

export const webhookSecret = new VersionedSecret(
  () => ({ file: env.webhookSecretFile(), arn: env.webhookSecretArn() }),
  (text) => parseSecret(text, (name) => /^w[1-9]\d*$/.test(name)),
);

/** Encrypts a text. @param context identifies where the ciphertext is stored, for example the id of a record */
export async function encrypt(text: string, context: string): Promise<string> {
  return seal(await webhookSecret.currentKeyOf(sealingPurpose), text, context);
}

/**
 * Decrypts a ciphertext.
 * @param context the value that was given to `encrypt`
 * @throws Error if the ciphertext was made for another context or was changed, or if its secret version does not exist
 */
export async function decrypt(ciphertext: string, context: string): Promise<string> {
  return unseal(ciphertext, await webhookSecret.keyOf(sealingPurpose, sealedVersionOf(ciphertext)), context);
}

/** Encrypts stored answers that contain the secret of a webhook endpoint. */
export const webhookSealing = { seal: encrypt, unseal: decrypt };

/** Whether a ciphertext was made by the version that makes new ciphertexts. */
export async function isCurrentCiphertext(ciphertext: string): Promise<boolean> {
  return sealedVersionOf(ciphertext) === (await webhookSecret.content()).current;
}
