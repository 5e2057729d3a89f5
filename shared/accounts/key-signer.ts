/**
 * Signs the API keys of an account with the private key of the deployment. `auth/key-signature.ts` verifies the signature.
 * The private key is derived from the key signing secret, which only the functions that manage API keys can read.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { type ApiKeyEntries, signedTextOf, signerIdOf } from '../auth/key-signature.ts';
import { env } from '../env.ts';
import type { Owner } from '../ids.ts';
import { parseSecret, VersionedSecret } from '../secrets/versioned-secret.ts';
import { addPublicKey } from '../store/account-state-keys.ts';

export interface KeySigner {
  /** The public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Returns the signature of the entries of an account and mode. */
  sign(owner: Owner, entries: ApiKeyEntries): Uint8Array;
}

/** What precedes the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

export const keySigningSecret = new VersionedSecret(
  () => ({ file: env.keySigningSecretFile(), arn: env.keySigningSecretArn() }),
  (text) => parseSecret(text, (name) => /^[1-9]\d*$/.test(name)),
);

/** The signers whose public keys this process has stored, by table and version of the secret. */
const published = new Map<string, Promise<KeySigner>>();

/**
 * Returns the signer of the deployment, after its public key is stored. Returns undefined if this process does not know
 * the secret: then the release before made the deployment, and its API keys are not signed yet.
 * @throws Error if the secret cannot be read
 */
export async function keySigner(): Promise<KeySigner | undefined> {
  if (!keySigningSecret.isKnown) return undefined;
  const { current = '' } = await keySigningSecret.content();
  const name = `${env.tableName()} ${current}`;
  const signer = published.get(name) ?? loadAndPublish(current);
  published.set(name, signer);
  signer.catch(() => published.delete(name));
  return signer;
}

async function loadAndPublish(current: string): Promise<KeySigner> {
  const seed = await keySigningSecret.keyOf('key-signature', current);
  if (!seed) throw new Error(`The key signing secret has no version ${current}.`);
  const privateKey = createPrivateKey({
    key: Buffer.concat([pkcs8Prefix, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = publicKeyOf(privateKey);
  await addPublicKey(publicKey);
  return {
    publicKey,
    sign: (owner, entries) =>
      Buffer.concat([
        signerIdOf(publicKey),
        sign(null, Buffer.from(signedTextOf(owner, entries)), privateKey),
      ]),
  };
}

function publicKeyOf(privateKey: KeyObject): Uint8Array {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return new Uint8Array(Buffer.from(x, 'base64url'));
}
