/**
 * The items of a query as they came over the wire. The SDK makes an object of every element of a binary set, which for
 * the pages of a large index takes six times as long as all the rest.
 */
import { buffer } from 'node:stream/consumers';
import type { QueryCommand } from '@aws-sdk/lib-dynamodb';

/** Attributes in DynamoDB's JSON: binary values are base64. */
export type WireItem = Readonly<Record<string, { readonly S?: string; readonly BS?: readonly string[] }>>;

/** Takes the items out of the answer before the SDK reads it; they are there once the query was sent. */
export function takeItems(query: QueryCommand): () => readonly WireItem[] {
  let items: readonly WireItem[] = [];
  const take: Middleware = (next) => async (args) => {
    const answer = await next(args);
    const { statusCode, body } = answer.response as WireResponse;
    if (statusCode !== 200) return answer;
    const bytes = body instanceof Uint8Array ? body : await buffer(body);
    const { Items = [], ...rest } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { Items?: WireItem[] };
    items = Items;
    const response = { ...(answer.response as WireResponse), body: Buffer.from(JSON.stringify(rest)) };
    return { ...answer, response };
  };
  // The document client joins the command's stack to itself, so the name comes twice.
  const place = { relation: 'after', toMiddleware: 'deserializerMiddleware', override: true } as const;
  query.middlewareStack.addRelativeTo(take as never, { ...place, name: 'takeItems' });
  return () => items;
}

type Middleware = (next: (args: object) => Promise<{ response: unknown }>) => typeof next;

interface WireResponse {
  readonly statusCode: number;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}
