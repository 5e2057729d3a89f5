/**
 * Verifies the signature of an account's API keys. Only commands and functions that create keys have the private key.
 * So a function of the API that is taken over cannot add a key, or give a key more permissions.
 *
 * - One Ed25519 signature covers all entries of an account and mode, without their last use. So the account state stays
 *   small, and checking a request costs no call.
 * - An instance checks a signature once, and remembers what it has checked.
 * - A signature is 68 bytes: the first 4 bytes of the SHA-256 of the public key, and then 64 bytes.
 */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Owner } from '../ids.ts';
import type { ApiKeyEntry } from '../store/account-state.ts';

/** The entries of an account and mode, by the hash of each key. */
export type ApiKeyEntries = Readonly<Record<string, ApiKeyEntry>>;

const signerIdBytes = 4;
const maxRemembered = 1_000;

/** The last signature and text that this instance has verified, by owner. */
const verified = new Map<string, { readonly signature: Uint8Array; readonly text: string }>();

/**
 * Returns the text that a signature covers. A release that adds a field to entries needs no other text, because the text
 * contains all fields but the last use.
 */
export function signedTextOf({ account, mode }: Owner, entries: ApiKeyEntries): string {
  const sorted = Object.entries(entries)
    .map(([hash, { u: _, ...rights }]) => [hash, toPlainFields(rights)] as const)
    .sort(byName);
  return JSON.stringify(['remit API keys 1', account, mode, sorted]);
}

/** Returns the id of the key pair with this public key (32 bytes): the beginning of its signatures. */
export function signerIdOf(publicKey: Uint8Array): Buffer {
  return createHash('sha256').update(publicKey).digest().subarray(0, signerIdBytes);
}

/** Whether a signature names this public key. It can still be wrong. */
export function isMadeBy(signature: Uint8Array, publicKey: Uint8Array): boolean {
  return signerIdOf(publicKey).equals(Buffer.from(signature.subarray(0, signerIdBytes)));
}

/**
 * Whether `signature` is valid for these entries.
 * @param publicKeys the public keys of this deployment, 32 bytes each
 */
export function isSigned(
  owner: Owner,
  entries: ApiKeyEntries,
  signature: Uint8Array,
  publicKeys: readonly Uint8Array[],
): boolean {
  const text = signedTextOf(owner, entries);
  const name = `${owner.account}#${owner.mode}`;
  const known = verified.get(name);
  if (known?.text === text && Buffer.compare(known.signature, signature) === 0) return true;
  const publicKey = publicKeys.find((each) => isMadeBy(signature, each));
  if (!publicKey) return false;
  if (!verify(null, Buffer.from(text), toKeyObject(publicKey), signature.subarray(signerIdBytes)))
    return false;
  // A copy, because the bytes may be part of a larger buffer, which would stay in memory with them.
  remember(name, { signature: new Uint8Array(signature), text });
  return true;
}

function remember(name: string, signed: { signature: Uint8Array; text: string }): void {
  verified.delete(name);
  verified.set(name, signed);
  const [oldest] = verified.keys();
  if (verified.size > maxRemembered && oldest !== undefined) verified.delete(oldest);
}

function toKeyObject(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) =>
  one < other ? -1 : one > other ? 1 : 0;

const toPlainFields = (fields: object): [string, unknown][] =>
  Object.entries(fields)
    .map(([name, value]): [string, unknown] => [name, toPlainValue(value)])
    .sort(byName);

/** Converts bytes and sets, which JSON does not have. */
function toPlainValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Set) return [...value].map(toPlainValue).sort();
  return value;
}
