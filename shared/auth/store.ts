/** Reads the items of API keys. */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import { dynamodb } from '../store/client.ts';
import { tableKeys } from '../store/keys.ts';
import type { Instant } from '../time.ts';

/**
 * Finds out why the account state does not contain a key: the key has expired, was revoked or was never issued. A key
 * that is both expired and revoked counts as revoked.
 */
export async function readKeyFault(
  keyHash: string,
  now: Instant,
): Promise<'invalid_api_key' | 'expired_api_key' | 'revoked_api_key'> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: tableKeys.apiKey(keyHash), ConsistentRead: true }),
  );
  if (!item) return 'invalid_api_key';
  const validUntil = item.validUntil as Instant | undefined;
  const expired = validUntil !== undefined && validUntil <= now;
  return expired && item.revokedAt === undefined ? 'expired_api_key' : 'revoked_api_key';
}
