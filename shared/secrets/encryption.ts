/**
 * Encrypts and decrypts the secrets of webhook endpoints. All versions still decrypt, so old ciphertexts stay readable
 * after a rotation.
 *
 * The key comes from the webhook secret, whose versions are `w1`, `w2` and so on. Until that secret has a current version,
 * the key comes from the deployment secret, as the release before expects it. Its versions are whole numbers.
 */
import { env } from '../env.ts';
import { currentKey, secretKeyOf } from './deployment-secret.ts';
import { type SealingKey, seal, sealedVersionOf, sealingPurpose, unseal } from './sealed-text.ts';
import { parseSecret, VersionedSecret } from './versioned-secret.ts';

const isWebhookVersion = (version: string) => /^w[1-9]\d*$/.test(version);

export const webhookSecret = new VersionedSecret(
  () => ({ file: env.webhookSecretFile(), arn: env.webhookSecretArn() }),
  (text) => parseSecret(text, isWebhookVersion),
);

/** Encrypts a text. @param context identifies where the ciphertext is stored, for example the id of a record */
export async function encrypt(text: string, context: string): Promise<string> {
  return seal(await encryptionKey(), text, context);
}

/**
 * Decrypts a ciphertext.
 * @param context the value that was given to `encrypt`
 * @throws Error if the ciphertext was made for another context or was changed, or if its secret version does not exist
 */
export async function decrypt(ciphertext: string, context: string): Promise<string> {
  const version = sealedVersionOf(ciphertext);
  const key = isWebhookVersion(version)
    ? await webhookSecret.keyOf(sealingPurpose, version)
    : await secretKeyOf(sealingPurpose, version);
  return unseal(ciphertext, key, context);
}

/** Encrypts stored answers that contain the secret of a webhook endpoint. */
export const webhookSealing = { seal: encrypt, unseal: decrypt };

/** Whether a ciphertext was made by the version that makes new ciphertexts. */
export async function isCurrentCiphertext(ciphertext: string): Promise<boolean> {
  return sealedVersionOf(ciphertext) === (await encryptionKey()).version;
}

async function encryptionKey(): Promise<SealingKey> {
  const { current } = webhookSecret.isKnown ? await webhookSecret.content() : {};
  return current ? webhookSecret.currentKeyOf(sealingPurpose) : currentKey(sealingPurpose);
}
