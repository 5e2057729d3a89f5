/**
 * Reads the connections of accounts to hosted providers: one item for each account, mode and provider, which contains the encrypted
 * credentials.
 */
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../../base/env.ts';
import type { Owner } from '../../../base/ids.ts';
import { ShortCache } from '../../../base/short-cache.ts';
import type { Instant } from '../../../base/time.ts';
import { dynamodb } from '../../../store/client.ts';
import { tableKeys } from '../../../store/keys.ts';
import { leaveOutMalformed } from '../../../store/left-out-items.ts';
import { queryAll } from '../../../store/query-pages.ts';
import type { Item } from '../../../store/records.ts';
import { type MalformedItemError, parseOrError } from '../../../store/stored-fields.ts';
import type { HostedProviderName } from '../provider/hosted-provider.ts';
import { type ConnectionDetails, connectionAttributes } from './connection.ts';
import { toConnection } from './record.ts';

/** Reads the connections of an account and mode without their credentials, strongly consistent. Leaves malformed ones out. */
export async function readConnections(owner: Owner): Promise<ConnectionDetails[]> {
  return leaveOutMalformed(await readAllConnections(owner));
}

/** Reads the same, with an error for each malformed connection. */
export async function readAllConnections(owner: Owner): Promise<(ConnectionDetails | MalformedItemError)[]> {
  const items = await queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.connection(owner, '').pk },
    // The permissions of functions that call no provider allow only these attributes.
    Select: 'SPECIFIC_ATTRIBUTES',
    ProjectionExpression: connectionAttributes.join(', '),
  });
  return items
    .map((item) => parseOrError(item, () => toConnection(owner, item)))
    .filter((connection) => connection !== undefined);
}

const pageConnections = /* @__PURE__ */ new ShortCache<ConnectionDetails[]>();

/** Returns the connections that the payment page needs to show. They are at most 30 seconds old. */
export function readPageConnections(owner: Owner, at: Instant): Promise<ConnectionDetails[]> {
  return pageConnections.get(`${owner.account}#${owner.mode}`, at, () => readConnections(owner));
}

/** Reads the item of a connection with its sealed credentials, strongly consistent. */
export async function readConnectionItem(owner: Owner, name: HostedProviderName): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.connection(owner, name),
      ConsistentRead: true,
    }),
  );
  return item;
}
