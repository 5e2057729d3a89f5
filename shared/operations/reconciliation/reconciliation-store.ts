/**
 * Reads the account states and outbox items that a reconciliation needs, strongly consistent. Reads and
 * writes the entries of its reports.
 */
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import type { Owner, Resource } from '../../base/ids.ts';
import { hasExpired, now } from '../../base/time.ts';
import { accountStateAttributes, IdKeys } from '../../store/account-state.ts';
import type { ApiKeyEntries } from '../../store/account-state-keys.ts';
import { dynamodb } from '../../store/client.ts';
import { pageSize, tableKeys } from '../../store/keys.ts';
import { readLastPageNumber } from '../../store/lists/pages/single-pages.ts';
import { queryPages } from '../../store/query-pages.ts';
import type { Item } from '../../store/records.ts';

/** The sequence numbers that an account and mode has allocated, and the keys from which their ids follow. */
export interface AllocatedNumbers {
  readonly idKeys: IdKeys;
  /** The last number of each resource; 0 if there is none. */
  readonly allocated: Readonly<Record<Resource, number>>;
}

/**
 * Reads the sequence numbers allocated so far. Returns undefined if the account and mode does not exist.
 *
 * Reads by an update that sets the attributes to their present values. Its answer contains only those attributes, and
 * not the API keys of the account state.
 */
export async function readAllocatedNumbers(owner: Owner): Promise<AllocatedNumbers | undefined> {
  const { seq, idKeys } = accountStateAttributes;
  try {
    const { Attributes: attributes = {} } = await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: tableKeys.accountState(owner),
        UpdateExpression: `SET #idKeys = #idKeys, ${Object.keys(seq)
          .map((name) => `#${name} = if_not_exists(#${name}, :zero)`)
          .join(', ')}`,
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: {
          '#idKeys': idKeys,
          ...Object.fromEntries(Object.entries(seq).map(([name, attribute]) => [`#${name}`, attribute])),
        },
        ExpressionAttributeValues: { ':zero': 0 },
        ReturnValues: 'UPDATED_NEW',
      }),
    );
    const allocated = Object.entries(seq).map(([name, attribute]) => [name, attributes[attribute] ?? 0]);
    return { idKeys: new IdKeys(attributes), allocated: Object.fromEntries(allocated) };
  } catch (error) {
    if ((error as Error).name === 'ConditionalCheckFailedException') return undefined;
    throw error;
  }
}

/** Reads the entries of API keys, by the hash of each key. Empty if the account and mode does not exist. */
export async function readKeyEntries(owner: Owner): Promise<ApiKeyEntries> {
  const { keys } = accountStateAttributes;
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      ConsistentRead: true,
      // The function that reconciles has no access to the other attributes.
      ProjectionExpression: '#keys',
      ExpressionAttributeNames: { '#keys': keys },
    }),
  );
  return (item?.[keys] as ApiKeyEntries | undefined) ?? {};
}

/** Skips the next `count` sequence numbers of each resource, so that they are never allocated. */
export async function skipSequenceNumbers(owner: Owner, count: number): Promise<void> {
  const attributes = Object.values(accountStateAttributes.seq);
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: tableKeys.accountState(owner),
      UpdateExpression: `ADD ${attributes.map((attribute) => `${attribute} :count`).join(', ')}`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':count': count },
    }),
  );
}

/**
 * Finds the last page with numbers that are allocated or that the list of all shows. Returns undefined if there is no
 * such page.
 */
export async function findLastPage(
  owner: Owner,
  resource: Resource,
  { allocated }: AllocatedNumbers,
): Promise<number | undefined> {
  const listed = await readLastPageNumber(owner, resource);
  const last = allocated[resource] > 0 ? Math.floor(allocated[resource] / pageSize) : undefined;
  return listed === undefined ? last : Math.max(listed, last ?? 0);
}

/** Reads one entry of a day's report. Returns undefined if it does not exist. */
export async function readReportEntry(day: string, name: string): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({
      TableName: env.tableName(),
      Key: tableKeys.reconciliation(day, name),
      ConsistentRead: true,
    }),
  );
  return item && !hasExpired(item.expiresAt, now()) ? item : undefined;
}

/** Reads all entries of a day's report, in the order of their names. */
export async function readReportEntries(day: string): Promise<Item[]> {
  const entries: Item[] = [];
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': tableKeys.reconciliation(day, '').pk },
  })) {
    entries.push(...items.filter(({ expiresAt }) => !hasExpired(expiresAt, now())));
  }
  return entries;
}

/** Adds entries to a day's report. DynamoDB deletes them at `expiresAt`, in seconds since 1970. */
export async function putReportEntries(
  day: string,
  entries: readonly { readonly name: string; readonly content: object }[],
  expiresAt: number,
): Promise<void> {
  await mapInChunks(entries, putsAtOnce, (chunk) =>
    Promise.all(
      chunk.map(({ name, content }) =>
        dynamodb.send(
          new PutCommand({
            TableName: env.tableName(),
            Item: { ...tableKeys.reconciliation(day, name), ...content, expiresAt },
          }),
        ),
      ),
    ),
  );
}

/** The entries that belong to no day are in a partition of their own, and stay until they are deleted. */
const lasting = 'OPEN';

/** Adds entries that belong to no day. */
export async function putLastingEntries(
  entries: readonly { readonly name: string; readonly content: object }[],
): Promise<void> {
  for (const { name, content } of entries)
    await dynamodb.send(
      new PutCommand({
        TableName: env.tableName(),
        Item: { ...tableKeys.reconciliation(lasting, name), ...content },
      }),
    );
}

/** Reads the lasting entries whose names begin with `prefix`, in the order of their names. */
export async function readEntriesOf(prefix: string): Promise<Item[]> {
  const entries: Item[] = [];
  for await (const items of queryPages({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': tableKeys.reconciliation(lasting, '').pk, ':prefix': prefix },
  })) {
    entries.push(...items);
  }
  return entries;
}

/** Deletes a lasting entry. */
export async function deleteReportEntry(name: string): Promise<void> {
  await dynamodb.send(
    new DeleteCommand({ TableName: env.tableName(), Key: tableKeys.reconciliation(lasting, name) }),
  );
}

const putsAtOnce = 50;

/** Calls `work` for one chunk of `size` items after another. Returns the result of each chunk. */
export async function mapInChunks<T, U>(
  all: readonly T[],
  size: number,
  work: (chunk: readonly T[]) => Promise<U>,
): Promise<U[]> {
  const results: U[] = [];
  for (let start = 0; start < all.length; start += size)
    results.push(await work(all.slice(start, start + size)));
  return results;
}
