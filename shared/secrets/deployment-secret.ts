/**
 * The deployment secret and the keys derived from it. It is a JSON object of versions, `{ "current": "1",
 * "1": "…" }`: the current one makes new values, all of them still read old ones, and the first one alone keys
 * the hashes that stand in the table's keys, which therefore never rotates.
 */
import { createHmac, hkdfSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { env } from '../env.ts';
import { loggable, logger } from '../log.ts';
import { type Instant, now } from '../time.ts';

/** What a derived key is for; a key serves one purpose only. */
export type Purpose = 'key-check' | 'fingerprint' | 'table-hash' | 'encryption';

interface DeploymentSecret {
  readonly current: string;
  readonly versions: ReadonlyMap<string, string>;
}

/** Keys of unknown versions, which anyone can send, make an instance read the secret at most this often. */
const reloadAfterMs = 5_000;

let loaded: Promise<DeploymentSecret> | undefined;
let loadedAt: Instant = 0;
let reloading: Promise<void> | undefined;
const derived = new Map<string, Buffer>();

/** HMAC-SHA256 of `text` under the current key of `purpose`; returns the version beside it. */
export async function hmacCurrent(
  purpose: Purpose,
  text: string,
): Promise<{ version: string; digest: Buffer }> {
  const { version, key } = await currentKey(purpose);
  return { version, digest: createHmac('sha256', key).update(text).digest() };
}

/** HMAC-SHA256 of `text` under the key of `purpose` and `version`, or undefined if there is no such version. */
export async function hmacVersion(
  purpose: Purpose,
  version: string,
  text: string,
): Promise<Buffer | undefined> {
  const key = await keyOf(purpose, version);
  return key && createHmac('sha256', key).update(text).digest();
}

/** The key of `purpose` that makes new values: 32 bytes, with its version. */
export async function currentKey(purpose: Purpose): Promise<{ version: string; key: Buffer }> {
  const { current } = await deploymentSecret();
  const key = await keyOf(purpose, current);
  if (!key) throw new Error(`The deployment secret has no version ${current}.`);
  return { version: current, key };
}

/** The key of `purpose` and `version`, or undefined if there is no such version. */
export async function keyOf(purpose: Purpose, version: string): Promise<Buffer | undefined> {
  const root = await rootOf(version);
  return root === undefined ? undefined : subkey(purpose, version, root);
}

/**
 * A hash for the table's keys, so that they hold no personal data: 128 bits, base64url.
 * @param domain keeps hashes of different things apart, e.g. `customer`
 */
export async function tableHash(domain: string, value: string): Promise<string> {
  const digest = await hmacVersion('table-hash', '1', `${domain}:${value}`);
  if (!digest) throw new Error('The deployment secret has no version 1.');
  return digest.subarray(0, 16).toString('base64url');
}

/** An unknown version may be one that was added since the secret was read, so it is read again, if that is a while ago. */
async function rootOf(version: string): Promise<string | undefined> {
  const known = (await deploymentSecret()).versions.get(version);
  if (known !== undefined) return known;
  if (!reloading && now() - loadedAt >= reloadAfterMs) reloading = reload();
  await reloading;
  return (await deploymentSecret()).versions.get(version);
}

/** A secret that was read stays in use if it cannot be read again. */
async function reload(): Promise<void> {
  loadedAt = now();
  try {
    const fresh = await read();
    loaded = Promise.resolve(fresh);
  } catch (error) {
    logger.warn('the deployment secret could not be read again', { error: loggable(error) });
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

/** The secret, read once per instance; a failed read is not remembered. */
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
  // Loaded only where it is needed: the local stack keeps the secret in a file.
  const { readSecret } = await import('./secrets-manager.ts');
  return readSecret(env.deploymentSecretArn());
}
