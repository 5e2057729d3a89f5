/**
 * Derives keys from the deployment secret: for the checks of API keys, for fingerprints and for hashes.
 *
 * - A version is a whole number from 1 to 999999, without leading zeros. API keys contain it.
 * - One key makes the hashes in the table's keys for ever, otherwise items could not be found after a rotation. It is
 *   derived from version 1. Before version 1 is removed, the field `tableHashKey` keeps it (32 bytes, base64url).
 */
import { env } from '../../base/env.ts';
import { hmacSha256 } from '../../base/hmac.ts';
import { parseSecret, type SecretContent, VersionedSecret } from './versioned-secret.ts';

/** The purpose of a derived key. Each key serves one purpose only. */
export type Purpose = 'key-check' | 'fingerprint' | 'table-hash' | 'visit';

export const deploymentSecret = new VersionedSecret(
  () => ({ file: env.deploymentSecretFile(), arn: env.deploymentSecretArn() }),
  parseDeploymentSecret,
);

/** @throws Error if the text is not a valid deployment secret */
function parseDeploymentSecret(text: string): SecretContent {
  const content = parseSecret(text, (name) => !['tableHashKey', 'currentSince'].includes(name));
  if (!content.roots.has('1') && !content.fields.tableHashKey)
    throw new Error('The deployment secret must have the version 1, or the field tableHashKey.');
  return content;
}

/** Computes the HMAC-SHA256 of `text` under the current key of `purpose`. Also returns the version of that key. */
export async function hmacCurrent(
  purpose: Purpose,
  text: string,
): Promise<{ version: string; digest: Buffer }> {
  const { version, key } = await currentKey(purpose);
  return { version, digest: hmacSha256(key, text) };
}

/** Computes the HMAC-SHA256 of `text` under a key of `purpose`. Returns undefined if the version does not exist. */
export async function hmacVersion(
  purpose: Purpose,
  version: string,
  text: string,
): Promise<Buffer | undefined> {
  const key = await secretKeyOf(purpose, version);
  return key && hmacSha256(key, text);
}

/**
 * Returns the key of `purpose` that makes new values: 32 bytes, with its version.
 * @throws Error if the secret cannot be read
 */
export function currentKey(purpose: Purpose): Promise<{ version: string; key: Buffer }> {
  return deploymentSecret.currentKeyOf(purpose);
}

/** Returns the key of `purpose` and `version`, or undefined if the version does not exist. */
export function secretKeyOf(purpose: Purpose, version: string): Promise<Buffer | undefined> {
  return deploymentSecret.keyOf(purpose, version);
}

/** Computes a keyed hash, see `tableHash`. */
export type TableHash = (domain: string, value: string) => string;

/**
 * Returns a keyed hash of `value` for the keys of table items, so those keys contain no personal data: 128 bits,
 * base64url.
 * @param domain separates the hashes of different kinds of values, for example `customer`
 */
export async function tableHash(domain: string, value: string): Promise<string> {
  return (await tableHasher())(domain, value);
}

/** Returns the function that computes the hashes of `tableHash`, for many values or for pure decisions. */
export async function tableHasher(): Promise<TableHash> {
  const { tableHashKey } = (await deploymentSecret.content()).fields;
  const key = tableHashKey ? Buffer.from(tableHashKey, 'base64url') : await secretKeyOf('table-hash', '1');
  if (!key) throw new Error('The deployment secret has no version 1.');
  return (domain, value) => hmacSha256(key, `${domain}:${value}`).subarray(0, 16).toString('base64url');
}
