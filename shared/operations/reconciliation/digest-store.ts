/**
 * Stores digests, and the day of the last complete comparison.
 *
 * - A comparison writes a digest only if the stored one still has the version that it read. So a record that another
 *   run has removed meanwhile is not remembered.
 * - Removing a record from a digest raises its version in all cases, also if the digest does not exist yet.
 */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Owner, Resource } from '../../base/ids.ts';
import { dynamodb } from '../../store/client.ts';
import { pageNumberOf, pageSize, tableKeys } from '../../store/keys.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import { indexStates } from '../../store/lists/index-states.ts';
import { precedencesOf } from '../../store/lists/pages/index-pages.ts';
import { queryPages } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';
import {
  count,
  defineItem,
  instant,
  MalformedItemError,
  parseOrError,
  positive,
} from '../../store/stored-fields.ts';
import { binariesIn, updateSets } from '../../store/update-sets.ts';
import { type Digest, emptyDigest, notAgreed } from './digest.ts';
import type { PageLocation } from './facts.ts';
import type { ComparedDays } from './full-schedule.ts';
import { mapInChunks } from './reconciliation-store.ts';

/** The set of the numbers of which no record exists. The other sets have the names that index pages use. */
const absentSet = 'absent';
const updatesAtOnce = 50;

/** Reads the digests of the pages `from` to `to`, strongly consistent. Pages without a digest are left out. */
export async function readDigests(
  owner: Owner,
  resource: Resource,
  from: number,
  to: number,
): Promise<Map<number, Digest>> {
  const [{ pk, sk: first }, { sk: last }] = [
    tableKeys.digest(owner, resource, from),
    tableKeys.digest(owner, resource, to),
  ];
  const digests = new Map<number, Digest>();
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': pk, ':first': first, ':last': last },
  })) {
    for (const item of items) digests.set(pageNumberOf(item.sk), toDigest(resource, item));
  }
  return digests;
}

/** Stores the digest of a page, unless another run has changed the stored one since it was read. */
export async function putDigest(location: PageLocation, digest: Digest): Promise<void> {
  const { version, allocated, allocatedAt } = digest;
  const { resource, page } = location;
  try {
    await dynamodb.send(
      new PutCommand({
        TableName: env.tableName(),
        Item: {
          ...tableKeys.digest(location, resource, page),
          version,
          allocated,
          allocatedAt,
          ...setsOf(resource, digest.agreed),
        },
        ...(version === 1
          ? {
              ConditionExpression: 'attribute_not_exists(pk) OR NOT attribute_type(version, :number)',
              ExpressionAttributeValues: { ':number': 'N' },
            }
          : {
              ConditionExpression: 'version = :version',
              ExpressionAttributeValues: { ':version': version - 1 },
            }),
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/** Removes records from their digests, so that the next comparison of their pages reads them. */
export async function forgetRecords(
  owner: Owner,
  records: readonly { readonly resource: Resource; readonly seq: number }[],
): Promise<void> {
  const byPage = Map.groupBy(records, ({ resource, seq }) => `${resource} ${Math.floor(seq / pageSize)}`);
  await mapInChunks([...byPage.values()], updatesAtOnce, (chunk) =>
    Promise.all(chunk.map((ofOnePage) => forgetOfPage(owner, ofOnePage))),
  );
}

async function forgetOfPage(
  owner: Owner,
  [first, ...others]: readonly { readonly resource: Resource; readonly seq: number }[],
): Promise<void> {
  if (!first) return;
  const lows = new Set([first, ...others].map(({ seq }) => seq % pageSize));
  const sets = [...Object.values(indexStates[first.resource]), absentSet];
  await updateSets(
    {
      TableName: env.tableName(),
      Key: tableKeys.digest(owner, first.resource, Math.floor(first.seq / pageSize)),
      UpdateExpression: `ADD version :one DELETE ${sets.map((set) => `#${set} :numbers`).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(sets.map((set) => [`#${set}`, set])),
      ExpressionAttributeValues: {
        ':one': 1,
        ':numbers': new Set([...lows].map((low) => Uint8Array.of(low))),
      },
    },
    { version: 'N', ...Object.fromEntries(sets.map((set) => [set, 'BS'])) },
  );
}

/**
 * Reads the day on which the last complete daily or full comparison of an owner began, such as `2027-01-31`. Undefined if the
 * next one must be full.
 */
export async function readLastDay(owner: Owner): Promise<string | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.fullReconciliation(owner),
      ConsistentRead: true,
    }),
  );
  return typeof item?.day === 'string' ? item.day : undefined;
}

/** Notes that a full comparison of an owner has ended. @param day the day on which it began */
export async function putLastDay(owner: Owner, day: string): Promise<void> {
  await dynamodb.send(
    new PutCommand({
      TableName: env.tableName(),
      Item: { ...tableKeys.fullReconciliation(owner), day },
    }),
  );
}

/** Notes that a daily comparison has ended, unless another one has ended or has asked for a full one meanwhile. */
export async function advanceLastDay(owner: Owner, { since, day }: ComparedDays): Promise<void> {
  try {
    await dynamodb.send(
      new PutCommand({
        TableName: env.tableName(),
        Item: { ...tableKeys.fullReconciliation(owner), day },
        ConditionExpression: '#day = :since',
        ExpressionAttributeNames: { '#day': 'day' },
        ExpressionAttributeValues: { ':since': since },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/** Makes the next daily comparison of an owner a full one. */
export async function requestFull(owner: Owner): Promise<void> {
  await dynamodb.send(
    new PutCommand({ TableName: env.tableName(), Item: { ...tableKeys.fullReconciliation(owner) } }),
  );
}

const parseDigest = defineItem<Pick<Digest, 'version' | 'allocated' | 'allocatedAt'>>(
  ({ pk, sk }) => `${pk}#${sk}`,
  { version: positive, allocated: count, allocatedAt: instant },
);

/** Of a malformed digest, nothing is remembered, and the comparison of its page replaces it. */
function toDigest(resource: Resource, item: Item): Digest {
  const read = parseOrError({ allocated: 0, allocatedAt: 0, ...item }, parseDigest);
  if (read instanceof MalformedItemError) {
    noteLeftOut([read]);
    return { ...emptyDigest, version: typeof item.version === 'number' ? item.version : 0 };
  }
  const lowsIn = (set: string) => binariesIn(item[set]).map(([low = 0]) => low);
  const absent = new Set(lowsIn(absentSet));
  // No status has the precedence 0.
  const agreed = precedencesOf(resource, lowsIn).map((precedence, low) =>
    precedence > 0 || absent.has(low) ? precedence : notAgreed,
  );
  const { version, allocated, allocatedAt } = read;
  return { version, agreed, allocated, allocatedAt };
}

/** Returns the sets that hold the numbers of each precedence. Empty sets are left out: DynamoDB cannot store them. */
function setsOf(resource: Resource, agreed: Uint8Array): Record<string, Set<Uint8Array>> {
  const sets = [absentSet, ...Object.values(indexStates[resource])].map((set, precedence) => {
    const lows = [...agreed.keys()].filter((low) => agreed[low] === precedence);
    return [set, new Set(lows.map((low) => Uint8Array.of(low)))] as const;
  });
  return Object.fromEntries(sets.filter(([, { size }]) => size > 0));
}
