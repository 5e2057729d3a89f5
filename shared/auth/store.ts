/** Reads the items of API keys, and the public keys that verify their signatures. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { dynamodb } from '../store/client.ts';
import { type Key, tableKeys } from '../store/keys.ts';
import type { Item } from '../store/records.ts';
import type { Instant } from '../time.ts';

export type KeyFault = 'invalid_api_key' | 'expired_api_key' | 'revoked_api_key';

/** Reads the item of an API key, strongly consistent. Returns undefined if the key was never created. */
export function readKeyItem(keyHash: string): Promise<Item | undefined> {
  return read(tableKeys.apiKey(keyHash));
}

/** Returns what is wrong with an API key by its item. A key that is both expired and revoked counts as revoked. */
export function keyFaultOf(item: Item | undefined, now: Instant): KeyFault | undefined {
  if (!item) return 'invalid_api_key';
  if (item.revokedAt !== undefined) return 'revoked_api_key';
  const validUntil = item.validUntil as Instant | undefined;
  return validUntil !== undefined && validUntil <= now ? 'expired_api_key' : undefined;
}

/**
 * Finds out why the account state does not contain a key. A key whose creation was interrupted counts as revoked, because
 * it never worked.
 */
export async function readKeyFault(keyHash: string, now: Instant): Promise<KeyFault> {
  return keyFaultOf(await readKeyItem(keyHash), now) ?? 'revoked_api_key';
}

/** Reads the public keys of the deployment, 32 bytes each. Empty if no API key was signed yet. */
export async function readPublicKeys(): Promise<readonly Uint8Array[]> {
  return [...(((await read(tableKeys.keySigners))?.publicKeys as Set<Uint8Array> | undefined) ?? [])];
}

async function read(Key: Key): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key, ConsistentRead: true }),
  );
  return item;
}
