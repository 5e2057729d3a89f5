/**
 * Reads a secret that has versions, and derives keys from it. A secret is a JSON object, for example `{ "current": "1",
 * "1": "…" }`.
 *
 * - The current version makes new values. All versions still read old values, so old values stay valid after a rotation.
 * - An instance reads a secret again after an hour, and if it meets a version that it does not know. So an hour after a
 *   rotation, no instance makes values with the version before.
 */
import { hkdfSync } from 'node:crypto';
import { logger, serializeError } from '../../base/log.ts';
import { type Instant, now } from '../../base/time.ts';

/** The content of a secret. */
export interface SecretContent {
  /** The version that makes new values. */
  readonly current: string;
  /** The random text of each version. */
  readonly roots: ReadonlyMap<string, string>;
  /** The other fields. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Where a secret is: in a file on the local stack, in Secrets Manager otherwise. */
export interface SecretLocation {
  readonly file: string | undefined;
  readonly arn: string | undefined;
}

/**
 * Anyone can send an API key with an unknown version. Such keys make an instance read the secret at most this often.
 */
const reloadAfterMs = 5_000;
/** How long an instance uses what it has read. */
export const maxAgeMs = 60 * 60 * 1000;

export class VersionedSecret {
  readonly #locate: () => SecretLocation;
  readonly #parse: (text: string) => SecretContent;
  #loaded: Promise<SecretContent> | undefined;
  #loadedAt: Instant = 0;
  #reloading: Promise<void> | undefined;
  readonly #derived = new Map<string, Buffer>();

  /** @param parse converts the text of the secret; throws Error if it is not valid */
  constructor(locate: () => SecretLocation, parse: (text: string) => SecretContent) {
    this.#locate = locate;
    this.#parse = parse;
  }

  /**
   * Returns the content of the secret. After a failed read, the next call reads it again.
   * @throws Error if the secret cannot be read or is not valid
   */
  async content(): Promise<SecretContent> {
    if (this.#loaded && now() - this.#loadedAt >= maxAgeMs) await this.#reloadOnce();
    if (!this.#loaded) {
      this.#loadedAt = now();
      this.#loaded = this.#read().catch((error) => {
        this.#loaded = undefined;
        throw error;
      });
    }
    return this.#loaded;
  }

  /** Forgets what was read, because this process has changed the secret. */
  forget(): void {
    this.#loaded = undefined;
    this.#derived.clear();
  }

  /**
   * Returns the key that makes new values for one purpose: 32 bytes, with its version.
   * @throws Error if the secret cannot be read
   */
  async currentKeyOf(purpose: string): Promise<{ version: string; key: Buffer }> {
    const { current } = await this.content();
    const key = await this.keyOf(purpose, current);
    if (!key) throw new Error(`The secret has no version ${current}.`);
    return { version: current, key };
  }

  /** Returns the key of a version for one purpose: 32 bytes. Undefined if the version does not exist. */
  async keyOf(purpose: string, version: string): Promise<Buffer | undefined> {
    const name = `${purpose}:${version}`;
    const known = this.#derived.get(name);
    if (known) return known;
    const root = await this.#rootOf(version);
    if (root === undefined) return undefined;
    const key = deriveKey(root, purpose);
    this.#derived.set(name, key);
    return key;
  }

  /** An unknown version may be new. So the secret is read again, unless it was read in the last five seconds. */
  async #rootOf(version: string): Promise<string | undefined> {
    const known = (await this.content()).roots.get(version);
    if (known !== undefined) return known;
    if (now() - this.#loadedAt >= reloadAfterMs) await this.#reloadOnce();
    else await this.#reloading;
    return (await this.content()).roots.get(version);
  }

  /** Reads the secret again, unless another call does so at the moment. */
  #reloadOnce(): Promise<void> {
    this.#reloading ??= this.#reload();
    return this.#reloading;
  }

  /** Reads the secret again. If that fails, the instance continues to use the content that it has. */
  async #reload(): Promise<void> {
    this.#loadedAt = now();
    try {
      const fresh = await this.#read();
      this.#loaded = Promise.resolve(fresh);
    } catch (error) {
      logger.warn('a secret could not be reloaded', { error: serializeError(error) });
    } finally {
      this.#reloading = undefined;
    }
  }

  async #read(): Promise<SecretContent> {
    const { file, arn } = this.#locate();
    // Imported only if needed: deployments read no files, and the local stack has no Secrets Manager.
    if (file) {
      const { readFile } = await import('node:fs/promises');
      return this.#parse(await readFile(file, 'utf8'));
    }
    const { readSecret } = await import('./secrets-manager.ts');
    return this.#parse(await readSecret(arn));
  }
}

/** Returns the key that follows from the random text of a version, for one purpose: 32 bytes. */
export const deriveKey = (root: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', root, '', `remit/${purpose}`, 32));

/**
 * Returns the content of a secret.
 * @param isVersion whether a field is a version
 * @throws Error if the text names no current version, or one that it does not have
 */
export function parseSecret(text: string, isVersion: (name: string) => boolean): SecretContent {
  const { current, ...others } = JSON.parse(text) as Readonly<Record<string, string>>;
  const entries = Object.entries(others);
  const roots = new Map(entries.filter(([name]) => isVersion(name)));
  if (current === undefined || !roots.has(current))
    throw new Error('A secret must be { "current": "<version>", "<version>": "…", … }.');
  return {
    current,
    roots,
    fields: Object.fromEntries(entries.filter(([name]) => !isVersion(name))),
  };
}
