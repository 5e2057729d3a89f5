/**
 * Reads the deployment secret and derives keys from it. The secret is a JSON object of versions, for example `{
 * "current": "1", "1": "…" }`.
 *
 * - A version is a whole number from 1 to 999999, without leading zeros. API keys contain it.
 * - The current version makes new values. All versions still read old values, so old values stay valid after a
 *   rotation.
 * - Only version 1 makes the hashes in the table's keys. Otherwise items could not be found after a rotation.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { env } from '../env.ts';
import { logger, serializeError } from '../log.ts';
import { type Instant, now } from '../time.ts';

/** The purpose of a derived key. Each key serves one purpose only. */
export type Purpose = 'key-check' | 'fingerprint' | 'table-hash' | 'encryption' | 'visit';

interface DeploymentSecret {
  readonly current: string;
  readonly versions: ReadonlyMap<string, string>;
}

/**
 * Anyone can send an API key with an unknown version. Such keys make an instance read the secret at most this often.
 */
const reloadAfterMs = 5_000;

let loaded: Promise<DeploymentSecret> | undefined;
let loadedAt: Instant = 0;
let reloading: Promise<void> | undefined;
const derived = new Map<string, Buffer>();

/** Computes the HMAC-SHA256 of `text` under the current key of `purpose`. Also returns the version of that key. */
export async function hmacCurrent(
  purpose: Purpose,
  text: string,
): Promise<{ version: string; digest: Buffer }> {
  const { version, key } = await currentKey(purpose);
  return { version, digest: createHmac('sha256', key).update(text).digest() };
}

/** Computes the HMAC-SHA256 of `text` under a key of `purpose`. Returns undefined if the version does not exist. */
export async function hmacVersion(
  purpose: Purpose,
  version: string,
  text: string,
): Promise<Buffer | undefined> {
  const key = await secretKeyOf(purpose, version);
  return key && createHmac('sha256', key).update(text).digest();
}

/**
 * Returns the key of `purpose` that makes new values: 32 bytes, with its version.
 * @throws Error if the secret cannot be read
 */
export async function currentKey(purpose: Purpose): Promise<{ version: string; key: Buffer }> {
  const { current } = await deploymentSecret();
  const key = await secretKeyOf(purpose, current);
  if (!key) throw new Error(`The deployment secret has no version ${current}.`);
  return { version: current, key };
}

/** Returns the key of `purpose` and `version`, or undefined if the version does not exist. */
export async function secretKeyOf(purpose: Purpose, version: string): Promise<Buffer | undefined> {
  const root = await readRoot(version);
  return root === undefined ? undefined : subkey(purpose, version, root);
}

/**
 * Returns a keyed hash of `value` for the keys of table items, so those keys contain no personal data: 128 bits,
 * base64url.
 * @param domain separates the hashes of different kinds of values, for example `customer`
 */
export async function tableHash(domain: string, value: string): Promise<string> {
  const digest = await hmacVersion('table-hash', '1', `${domain}:${value}`);
  if (!digest) throw new Error('The deployment secret has no version 1.');
  return digest.subarray(0, 16).toString('base64url');
}

/**
 * Returns the root secret of a version, or undefined if it does not exist. An unknown version may be new. So the secret
 * is read again, unless it was read in the last five seconds.
 */
async function readRoot(version: string): Promise<string | undefined> {
  const known = (await deploymentSecret()).versions.get(version);
  if (known !== undefined) return known;
  if (!reloading && now() - loadedAt >= reloadAfterMs) reloading = reload();
  await reloading;
  return (await deploymentSecret()).versions.get(version);
}

/** Reads the secret again. If that fails, the instance continues to use the secret that it has. */
async function reload(): Promise<void> {
  loadedAt = now();
  try {
    const fresh = await read();
    loaded = Promise.resolve(fresh);
  } catch (error) {
    logger.warn('the deployment secret could not be reloaded', { error: serializeError(error) });
  } finally {
    reloading = undefined;
  }
}

function subkey(purpose: Purpose, version: string, root: string): Buffer {
  const name = `${purpose}:${version}`;
  let key = derived.get(name);
  if (!key) {
    key = Buffer.from(hkdfSync('sha256', root, '', `remit/${purpose}`, 32));
    derived.set(name, key);
  }
  return key;
}

/** Returns the secret. An instance reads it once. After a failed read, the next call reads it again. */
function deploymentSecret(): Promise<DeploymentSecret> {
  if (!loaded) {
    loadedAt = now();
    loaded = read().catch((error) => {
      loaded = undefined;
      throw error;
    });
  }
  return loaded;
}

async function read(): Promise<DeploymentSecret> {
  const { current, ...versions } = JSON.parse(await readText()) as Record<string, string>;
  const roots = new Map(Object.entries(versions));
  if (!current || !roots.has(current) || !roots.has('1')) {
    throw new Error('The deployment secret must be { "current": "<version>", "1": "…", … }.');
  }
  return { current, versions: roots };
}

async function readText(): Promise<string> {
  const file = env.deploymentSecretFile();
  if (file) return readFile(file, 'utf8');
  // Imported only if needed: the local stack reads the secret from a file.
  const { readSecret } = await import('./secrets-manager.ts');
  return readSecret(env.deploymentSecretArn());
}
