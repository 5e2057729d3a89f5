/**
 * API keys: `sk_<mode>_<version><account locator><secret><check>`. The check is an HMAC under the deployment
 * secret, so a forged or mistyped key is refused before any call on an account.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { base32, idPrefixes, type Mode, type Owner } from '../ids.ts';
import { hmacCurrent, hmacVersion } from '../secrets/deployment-secret.ts';

/** Whose key it claims to be, and its SHA-256 (base64url), which is all that is stored of it. */
export interface KeyClaim {
  readonly owner: Owner;
  readonly keyHash: string;
}

const locatorLength = 16;
const secretLength = 32;
const checkLength = 6;
const pattern = new RegExp(
  `^sk_(test|live)_([1-9])([0-9a-z]{${locatorLength}})([0-9a-z]{${secretLength}})([0-9a-z]{${checkLength}})$`,
);

/** Makes a new key of an account: 160 random bits. Its value exists nowhere but in the answer. */
export async function newApiKey({ account, mode }: Owner): Promise<string> {
  const locator = account.slice(idPrefixes.account.length + 1);
  const secret = base32(randomBytes(20), secretLength);
  const signed = `sk_${mode}_${locator}${secret}`;
  const { version, digest } = await hmacCurrent('key-check', signed);
  return `sk_${mode}_${version}${locator}${secret}${base32(digest, checkLength)}`;
}

/** What a presented key claims, or undefined if it was not made by this deployment. */
export async function claimOf(apiKey: string): Promise<KeyClaim | undefined> {
  const [, mode, version = '', locator = '', secret = '', check = ''] = pattern.exec(apiKey) ?? [];
  if (!mode) return undefined;
  const digest = await hmacVersion('key-check', version, `sk_${mode}_${locator}${secret}`);
  if (!digest || !timingSafeEqual(Buffer.from(base32(digest, checkLength)), Buffer.from(check)))
    return undefined;
  return {
    owner: { account: `${idPrefixes.account}_${locator}`, mode: mode as Mode },
    keyHash: hashOfKey(apiKey),
  };
}

/** The SHA-256 of a key, base64url. */
export function hashOfKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('base64url');
}
