/**
 * Encrypts and decrypts the credentials with which Remit calls payment providers. The key comes from the provider secret,
 * whose versions are `p1`, `p2` and so on. Only functions that call a provider can read it. So a function that delivers
 * webhooks cannot decrypt the credentials of a provider.
 */
import { env } from '../../base/env.ts';
import { seal, sealedVersionOf, sealingPurpose, unseal } from './sealed-text.ts';
import { parseSecret, VersionedSecret } from './versioned-secret.ts';

export const providerSecret = new VersionedSecret(
  () => ({ file: env.providerSecretFile(), arn: env.providerSecretArn() }),
  (text) => parseSecret(text, (name) => /^p[1-9]\d*$/.test(name)),
);

/** Encrypts credentials. @param context identifies the item that stores them */
export async function sealCredentials(text: string, context: string): Promise<string> {
  return seal(await providerSecret.currentKeyOf(sealingPurpose), text, context);
}

/**
 * Decrypts credentials.
 * @param context the value that was given to `sealCredentials`
 * @throws Error if they were sealed for another item or were changed, or if their secret version does not exist
 */
export async function unsealCredentials(sealedText: string, context: string): Promise<string> {
  const key = await providerSecret.keyOf(sealingPurpose, sealedVersionOf(sealedText));
  return unseal(sealedText, key, context);
}

/** Whether credentials were encrypted by the version that encrypts new ones. */
export async function isCurrentSealing(sealedText: string): Promise<boolean> {
  return sealedVersionOf(sealedText) === (await providerSecret.content()).current;
}
