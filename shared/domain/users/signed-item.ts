/**
 * Signs the items that decide who may use the dashboard: sessions and members. A function without the signing secret cannot make
 * or change one, although its role lets it write items of this kind.
 *
 * - A signature covers the key of the item and all of its attributes but those in `unsigned`. So it also covers attributes that a
 *   later release adds.
 * - It names its public key, which is in the table. So signatures of another secret stay valid, for example in a restored table.
 */
import { createHash, sign, verify } from 'node:crypto';
import { canonicalJson } from '../../base/strict-json.ts';
import { currentSigningKey, type SigningKey } from '../../platform/secrets/signing-secret.ts';
import type { Item } from '../../store/records.ts';
import { putPublicKey, readPublicKey } from './public-key-store.ts';

/** The attributes that a signature does not cover: itself, and when a session was used. */
const unsigned: readonly string[] = ['signature', 'usedAt'];

/** Returns the item with its signature. @throws Error if the signing secret cannot be read */
export async function signItem(item: Item): Promise<Item> {
  const key = await currentSigningKey();
  const id = signingKeyIdOf(key);
  // Nobody could verify a signature before its key is in the table.
  if (!(await readPublicKey(id))) await publishKey(key);
  const signature = sign(null, signedTextOf(item), key.privateKey).toString('base64url');
  return { ...item, signature: `${id}:${signature}` };
}

/** Returns whether somebody with the signing secret has stored the item as it is. */
export async function isSigned(item: Item): Promise<boolean> {
  const id = signedWith(item);
  const key = /^[\w-]{22}$/.test(id) ? await readPublicKey(id) : undefined;
  const signature = Buffer.from(String(item.signature).split(':')[1] ?? '', 'base64url');
  return key !== undefined && verify(null, signedTextOf(item), key, signature);
}

/** Returns the id of the key that signed an item. */
export const signedWith = ({ signature }: Item): string => String(signature).split(':')[0] ?? '';

/** Returns the id of a key: 128 bits of the hash of its public part, base64url. */
export const signingKeyIdOf = ({ publicKey }: SigningKey): string =>
  createHash('sha256').update(publicKey).digest().subarray(0, 16).toString('base64url');

/** Returns the id of the key that makes new signatures. @throws Error if the signing secret cannot be read */
export const currentSigningKeyId = async (): Promise<string> => signingKeyIdOf(await currentSigningKey());

/** Stores the public part of a key. */
export const publishKey = (key: SigningKey): Promise<void> =>
  putPublicKey(signingKeyIdOf(key), key.publicKey);

function signedTextOf(item: Item): Buffer {
  const signed = Object.entries(item).filter(([name]) => !unsigned.includes(name));
  return Buffer.from(canonicalJson(Object.fromEntries(signed)));
}
