/**
 * Reads the items of a query in DynamoDB's own JSON. On the path of the SDK, captures them before the SDK converts them: it
 * makes an object of every element of a binary set. For the pages of a large index, that takes six times the time of all other
 * work.
 */
import { buffer } from 'node:stream/consumers';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { dynamodb } from '../client.ts';
import type { Key } from '../keys.ts';
import { noteLeftOut } from '../left-out-items.ts';
import { MalformedItemError } from '../stored-fields.ts';

/** Attributes in DynamoDB's JSON: binary values are base64. */
export type WireItem = Readonly<
  Record<
    string,
    { readonly S?: string; readonly N?: string; readonly B?: string; readonly BS?: readonly string[] }
  >
>;

/** The approximate size of an item in bytes. Four characters of base64 stand for three bytes at most. */
export function wireBytes(item: WireItem): number {
  let bytes = 0;
  for (const [name, { S = '', N = '', B = '', BS = [] }] of Object.entries(item)) {
    const [first = ''] = BS;
    // The members of a set have the same length.
    bytes +=
      name.length + S.length + N.length / 2 + (B.length * 3) / 4 + BS.length * (first.length > 4 ? 7 : 1);
  }
  return bytes;
}

/** Notes that an item is left out, because it is malformed. @param problem what is wrong with it */
export function noteMalformedWire({ pk, sk }: WireItem, problem: string): void {
  noteLeftOut([new MalformedItemError(`${pk?.S}#${sk?.S}`, problem)]);
}

/** An answer to a query. */
export interface WireAnswer {
  readonly items: readonly WireItem[];
  /** The key after which the next call begins. Undefined: there are no more items. */
  readonly lastKey: Key | undefined;
}

/**
 * Sends a query whose items are identified by `pk` and `sk`.
 * @param client that of this instance, except in tests
 * @throws as `client.send`
 */
export async function sendWireQuery(query: QueryCommand, client: WireClient = dynamodb): Promise<WireAnswer> {
  if (!client.sendForJson) {
    const items = captureWireItems(query);
    const { LastEvaluatedKey: lastKey } = await client.send(query);
    return { items: items(), lastKey: lastKey as Key | undefined };
  }
  const { Items: items = [], LastEvaluatedKey: last } = (await client.sendForJson(query)) as WireOutput;
  return { items, lastKey: last && { pk: last.pk?.S ?? '', sk: last.sk?.S ?? '' } };
}

type WireClient = Pick<typeof dynamodb, 'send' | 'sendForJson'>;

interface WireOutput {
  readonly Items?: readonly WireItem[];
  readonly LastEvaluatedKey?: WireItem;
}

/**
 * Removes the items from the answer to `query` before the SDK reads it.
 * @returns a function that returns the items once the query has been sent
 */
function captureWireItems(query: QueryCommand): () => readonly WireItem[] {
  let items: readonly WireItem[] = [];
  const capture: Middleware = (next) => async (args) => {
    const answer = await next(args);
    const { statusCode, body } = answer.response as WireResponse;
    if (statusCode !== 200) return answer;
    const bytes = body instanceof Uint8Array ? body : await buffer(body);
    const { Items = [], ...rest } = JSON.parse(Buffer.from(bytes).toString('utf8')) as WireOutput;
    items = Items;
    const response = { ...(answer.response as WireResponse), body: Buffer.from(JSON.stringify(rest)) };
    return { ...answer, response };
  };
  query.middlewareStack.addRelativeTo(capture as never, {
    name: 'captureItems',
    relation: 'after',
    toMiddleware: 'deserializerMiddleware',
    // The document client adds the command's stack to its own, so the name is added twice.
    override: true,
  });
  return () => items;
}

/** How much a query reads: all, what one call returns, which is at most 1 MB, or so many items in one call. */
export type QueryExtent = 'all' | 'one call' | number;

/** Reads the items between two keys of a partition, strongly consistent, from the last one to the first one. */
export async function queryWireItems(
  from: Key,
  to: Key,
  extent: QueryExtent,
): Promise<{ items: readonly WireItem[]; hasMore: boolean }> {
  const found: WireItem[] = [];
  let start: Key | undefined;
  do {
    const query = new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':pk': from.pk, ':from': from.sk, ':to': to.sk },
      ScanIndexForward: false,
      ConsistentRead: true,
      ...(typeof extent === 'number' && { Limit: extent }),
      ...(start && { ExclusiveStartKey: { ...start } }),
    });
    const { items, lastKey } = await sendWireQuery(query);
    for (const item of items) found.push(item);
    start = lastKey;
  } while (start && extent === 'all');
  return { items: found, hasMore: start !== undefined };
}

type Middleware = (next: (args: object) => Promise<{ response: unknown }>) => typeof next;

interface WireResponse {
  readonly statusCode: number;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}
