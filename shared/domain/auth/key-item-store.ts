/** Reads the items of API keys. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Instant } from '../../base/time.ts';
import { dynamodb } from '../../store/client.ts';
import { type KeyOwner, tableKeys } from '../../store/keys.ts';
import type { Item } from '../../store/records.ts';
import { parseOwnKey } from './key-item.ts';

export type KeyFault = 'invalid_api_key' | 'expired_api_key' | 'revoked_api_key';

/**
 * Reads the own item of an API key, strongly consistent. Returns undefined if the key was never created.
 * @throws MalformedItemError
 */
export async function readKeyItem({ owner, keyHash }: KeyOwner): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.apiKey({ owner, keyHash }),
      ConsistentRead: true,
    }),
  );
  if (item) parseOwnKey(item);
  return item;
}

/** Returns what is wrong with an API key by its item. A key that is both expired and revoked counts as revoked. */
export function keyFaultOf(item: Item | undefined, now: Instant): KeyFault | undefined {
  if (!item) return 'invalid_api_key';
  if (item.revokedAt !== undefined) return 'revoked_api_key';
  const validUntil = item.validUntil as Instant | undefined;
  return validUntil !== undefined && validUntil <= now ? 'expired_api_key' : undefined;
}
