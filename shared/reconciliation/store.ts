/** Accounts, heads and outbox as a reconciliation reads them, strongly consistent, and the report that it writes. */
import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { Owner, Resource } from '../ids.ts';
import { dynamodb } from '../store/client.ts';
import { headAttributes, IdKeys } from '../store/heads.ts';
import { keys, pageSize } from '../store/keys.ts';
import type { OutboxItem } from '../store/outbox.ts';
import type { Item } from '../store/records.ts';
import { readLastPage } from '../store/single-pages.ts';

/** What a head tells of the numbers that were drawn. */
export interface Numbers {
  readonly idKeys: IdKeys;
  readonly drawn: Readonly<Record<Resource, number>>;
}

/** The ids of all accounts, oldest first, some at a time. */
export async function* readAccountIds(): AsyncGenerator<string[]> {
  for await (const items of query({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': keys.directory(0, '').pk },
  })) {
    yield items.map(({ accountId }) => String(accountId));
  }
}

/**
 * The numbers drawn so far; undefined if there is no such account and mode. They are set to what they are, because the
 * answer then holds what is set, and nothing else of a head.
 */
export async function readNumbers(owner: Owner): Promise<Numbers | undefined> {
  const { seq, idKeys } = headAttributes;
  try {
    const { Attributes: head = {} } = await dynamodb.send(
      new UpdateCommand({
        TableName: env.tableName(),
        Key: keys.head(owner),
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
    const drawn = Object.entries(seq).map(([name, attribute]) => [name, head[attribute]]);
    return { idKeys: new IdKeys(head), drawn: Object.fromEntries(drawn) };
  } catch (error) {
    if ((error as Error).name === 'ConditionalCheckFailedException') return undefined;
    throw error;
  }
}

/** Leaves out so many numbers of each resource. */
export async function skipNumbers(owner: Owner, count: number): Promise<void> {
  const attributes = Object.values(headAttributes.seq);
  await dynamodb.send(
    new UpdateCommand({
      TableName: env.tableName(),
      Key: keys.head(owner),
      UpdateExpression: `ADD ${attributes.map((attribute) => `${attribute} :count`).join(', ')}`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':count': count },
    }),
  );
}

/** The last page that has numbers: drawn, or shown by the list of all; undefined if there is none. */
export async function readEnd(
  owner: Owner,
  resource: Resource,
  { drawn }: Numbers,
): Promise<number | undefined> {
  const listed = await readLastPage(owner, resource);
  const last = drawn[resource] > 0 ? Math.floor(drawn[resource] / pageSize) : undefined;
  return listed === undefined ? last : Math.max(listed, last ?? 0);
}

/** What the outbox has yet to publish of the owner. */
export async function readUnpublished(owner: Owner): Promise<OutboxItem[]> {
  const unpublished: OutboxItem[] = [];
  for await (const items of query({
    KeyConditionExpression: 'pk = :pk',
    FilterExpression: 'account = :account AND #mode = :mode',
    ExpressionAttributeNames: { '#mode': 'mode' },
    ExpressionAttributeValues: {
      ':pk': keys.outbox(owner, 0, '').pk,
      ':account': owner.account,
      ':mode': owner.mode,
    },
  })) {
    unpublished.push(...(items as unknown as OutboxItem[]));
  }
  return unpublished;
}

/** One entry of a day's report, if it is there. */
export async function readEntry(day: string, name: string): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: keys.reconciliation(day, name), ConsistentRead: true }),
  );
  return item;
}

/** The entries of a day's report, in the order of their names. */
export async function readEntries(day: string): Promise<Item[]> {
  const entries: Item[] = [];
  for await (const items of query({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': keys.reconciliation(day, '').pk },
  })) {
    entries.push(...items);
  }
  return entries;
}

/** Puts entries into a day's report; each is deleted at `expiresAt`, in seconds since 1970. */
export async function putEntries(
  day: string,
  entries: readonly { readonly name: string; readonly content: object }[],
  expiresAt: number,
): Promise<void> {
  await inParts(entries, putsAtOnce, (part) =>
    Promise.all(
      part.map(({ name, content }) =>
        dynamodb.send(
          new PutCommand({
            TableName: env.tableName(),
            Item: { ...keys.reconciliation(day, name), ...content, expiresAt },
          }),
        ),
      ),
    ),
  );
}

const putsAtOnce = 50;

/** Works on some at a time; returns what came of each part. */
export async function inParts<T, U>(
  all: readonly T[],
  size: number,
  work: (part: readonly T[]) => Promise<U>,
): Promise<U[]> {
  const done: U[] = [];
  for (let start = 0; start < all.length; start += size)
    done.push(await work(all.slice(start, start + size)));
  return done;
}

async function* query(input: {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Record<string, unknown>;
  readonly FilterExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
}): AsyncGenerator<Item[]> {
  let start: Item | undefined;
  do {
    const { Items: items = [], LastEvaluatedKey: last } = await dynamodb.send(
      new QueryCommand({
        TableName: env.tableName(),
        ConsistentRead: true,
        ...input,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    yield items;
    start = last;
  } while (start);
}
