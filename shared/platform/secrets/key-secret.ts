/**
 * Encrypts and decrypts stored answers that contain the value of a new API key. The key comes from the key secret, whose
 * versions are `k1`, `k2` and so on. Only the functions that create API keys can read it. So a function that sends webhooks
 * to a hostile receiver cannot decrypt the value of a key.
 */
import { env } from '../../base/env.ts';
import { seal, sealedVersionOf, sealingPurpose, unseal } from './sealed-text.ts';
import { parseSecret, VersionedSecret } from './versioned-secret.ts';

export const keySecret = new VersionedSecret(
  () => ({ file: env.keySecretFile(), arn: env.keySecretArn() }),
  (text) => parseSecret(text, (name) => /^k[1-9]\d*$/.test(name)),
);

/** Encrypts stored answers that contain the value of an API key. */
export const keySealing = {
  seal: async (text: string, context: string) =>
    seal(await keySecret.currentKeyOf(sealingPurpose), text, context),
  unseal: async (sealedText: string, context: string) =>
    unseal(sealedText, await keySecret.keyOf(sealingPurpose, sealedVersionOf(sealedText)), context),
};
