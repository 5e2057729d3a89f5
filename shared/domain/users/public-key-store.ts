/**
 * Stores the public keys that verify sessions and members. Only commands and the function of the sign-in, which stores the first key,
 * can write them. An instance remembers a key for an hour, as long as what it has read of a secret.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { type Instant, now } from '../../base/time.ts';
import { maxAgeMs } from '../../platform/secrets/versioned-secret.ts';
import { dynamodb } from '../../store/client.ts';
import { tableKeys } from '../../store/keys.ts';
import { leaveOutMalformed } from '../../store/left-out-items.ts';
import { queryAll } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import { defineItem, MalformedItemError, parseOrError, text } from '../../store/stored-fields.ts';

/** The public keys that this instance has read, by their id. */
const known = new Map<string, { readonly key: KeyObject; readonly at: Instant }>();

/** Forgets the public keys, so that this instance reads them again. */
export const forgetPublicKeys = (): void => known.clear();

/** Returns the public key with this id, at most an hour old. Undefined: it does not exist, or is malformed. */
export async function readPublicKey(id: string): Promise<KeyObject | undefined> {
  const found = known.get(id);
  if (found && now() - found.at < maxAgeMs) return found.key;
  const Key = tableKeys.signingKey(id);
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key, ConsistentRead: true }),
  );
  if (!item) return undefined;
  const [key] = leaveOutMalformed([parseOrError(item, toPublicKey)]);
  if (!key) return undefined;
  known.set(id, { key, at: now() });
  return key;
}

const parseKey = defineItem<{ readonly publicKey: string }>(({ pk, sk }) => `${pk}#${sk}`, {
  publicKey: text,
});

function toPublicKey(item: Item): KeyObject {
  const { publicKey } = parseKey(item);
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
  } catch (cause) {
    throw new MalformedItemError(`${item.pk}#${item.sk}`, 'its attribute publicKey is no public key', {
      cause,
    });
  }
}

/** Stores a public key. @param publicKey 32 bytes, base64url */
export async function putPublicKey(id: string, publicKey: string): Promise<void> {
  const Item = { ...tableKeys.signingKey(id), publicKey };
  await dynamodb.send(new PutCommand({ TableName: env.tableName(), Item }));
}

/** Returns the ids of the public keys in the table. */
export async function listPublicKeyIds(): Promise<string[]> {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.signingKey('').pk },
  });
  return items.map(({ sk }) => String(sk));
}

/** Deletes a public key. What it signed is refused, within an hour in running instances. */
export async function deletePublicKey(id: string): Promise<void> {
  await dynamodb.send(new DeleteCommand({ TableName: env.tableName(), Key: tableKeys.signingKey(id) }));
  known.delete(id);
}
