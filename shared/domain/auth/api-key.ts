/**
 * Creates, parses and hashes API keys. A key has the form `sk_<mode>_<version><account locator><secret><check>`.
 *
 * - The check is an HMAC under the deployment secret. So a forged or mistyped key is refused without a call to the
 *   account state, and strangers cannot load an account.
 * - `version` is the version of the deployment secret that made the check, a whole number from 1 to 999999. All other
 *   parts have fixed lengths, so the length of a key shows how many digits its version has.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { base32, idPrefixes, type Mode, type Owner } from '../../base/ids.ts';
import { hmacCurrent, hmacVersion } from '../../platform/secrets/deployment-secret.ts';

/** The parts of an API key that a request is authorized with. */
export interface ParsedApiKey {
  /** The account and mode that the key names. */
  readonly owner: Owner;
  /** SHA-256 of the key (base64url). The service stores nothing else of a key's value but its last four characters. */
  readonly keyHash: string;
}

const locatorLength = 16;
const secretLength = 32;
const checkLength = 6;
const versionPattern = String.raw`[1-9]\d{0,5}`;
const pattern = new RegExp(
  `^sk_(test|live)_(${versionPattern})([0-9a-z]{${locatorLength}})([0-9a-z]{${secretLength}})([0-9a-z]{${checkLength}})$`,
);

/**
 * Creates a new API key of an account, with 160 random bits. The service does not store its value.
 * @param random 20 random bytes
 * @throws Error if keys cannot contain the current version of the deployment secret
 */
export async function newApiKey({ account, mode }: Owner, random: Buffer = randomBytes(20)): Promise<string> {
  const locator = account.slice(idPrefixes.account.length + 1);
  const secret = base32(random, secretLength);
  const signed = `sk_${mode}_${locator}${secret}`;
  const { version, digest } = await hmacCurrent('key-check', signed);
  if (!new RegExp(`^${versionPattern}$`).test(version)) {
    throw new Error(
      `The deployment secret's current version is "${version}". Use a whole number from 1 to 999999 as the current one.`,
    );
  }
  return `sk_${mode}_${version}${locator}${secret}${base32(digest, checkLength)}`;
}

/** Parses an API key. Returns undefined if it is malformed or if this deployment did not create it. */
export async function parseApiKey(apiKey: string): Promise<ParsedApiKey | undefined> {
  const [, mode, version = '', locator = '', secret = '', check = ''] = pattern.exec(apiKey) ?? [];
  if (!mode) return undefined;
  const digest = await hmacVersion('key-check', version, `sk_${mode}_${locator}${secret}`);
  if (!digest || !timingSafeEqual(Buffer.from(base32(digest, checkLength)), Buffer.from(check)))
    return undefined;
  return {
    owner: { account: `${idPrefixes.account}_${locator}`, mode: mode as Mode },
    keyHash: hashApiKey(apiKey),
  };
}

/** Whether a text has the form of an API key. */
export function hasKeyForm(text: string): boolean {
  return pattern.test(text);
}

/** Returns the version of the deployment secret that made the check of an API key. @throws Error if it is not a key */
export function checkVersionOf(apiKey: string): string {
  const version = pattern.exec(apiKey)?.[2];
  if (version === undefined) throw new Error('This is not an API key.');
  return version;
}

/** Returns the SHA-256 of an API key, base64url. */
export function hashApiKey(apiKey: string): string {
  return hash('sha256', apiKey, 'base64url');
}
