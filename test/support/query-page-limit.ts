/**
 * Ends query pages where DynamoDB ends them: after 1 MB of items, counted before the filter. The emulator ignores this
 * limit on filtered queries. Tests can set a lower limit, so that small tables have several pages, too.
 */
import { itemBytes, readWireBody, type WireCall, type WireResponse, withBody } from './wire-call.ts';

type Json = Record<string, unknown>;
type Send = (input: Json) => Promise<WireResponse>;

/** Sends a query and ends its page after the item that reaches `pageBytes`. */
export async function sendLimitedQuery(
  { input }: WireCall,
  send: Send,
  pageBytes: number,
): Promise<WireResponse> {
  const evaluated = input.FilterExpression === undefined ? input : withoutFilter(input);
  const response = await send(evaluated);
  const text = await readWireBody(response);
  if (response.response.statusCode !== 200) return withBody(response, text);
  const page = JSON.parse(text) as { Items?: Json[]; LastEvaluatedKey?: Json };
  const items = page.Items ?? [];
  const count = countWithin(items, pageBytes);
  if (evaluated !== input) {
    // The query without its filter also ends at 1 MB, because the emulator applies the limit there.
    const isPartial = count < items.length || page.LastEvaluatedKey !== undefined;
    return send(isPartial ? { ...input, Limit: count } : input);
  }
  if (count === items.length) return withBody(response, text);
  const { pk, sk } = items[count - 1] ?? {};
  const partialPage = { ...page, Items: items.slice(0, count), Count: count, ScannedCount: count };
  return withBody(response, JSON.stringify({ ...partialPage, LastEvaluatedKey: { pk, sk } }));
}

/** Returns how many items a page has: those up to the item that reaches `pageBytes`. */
function countWithin(items: readonly Json[], pageBytes: number): number {
  let bytes = 0;
  const last = items.findIndex((item) => {
    bytes += itemBytes(item);
    return bytes >= pageBytes;
  });
  return last === -1 ? items.length : last + 1;
}

/** Returns the query without its filter, and without the names and values that only the filter uses. */
function withoutFilter({ FilterExpression: _, ...input }: Json): Json {
  const used = `${input.KeyConditionExpression} ${input.ProjectionExpression ?? ''}`;
  const onlyUsed = (entries: unknown) => {
    const remaining = Object.entries((entries ?? {}) as Json).filter(([name]) =>
      new RegExp(`${name.replace('#', '\\#')}\\b`).test(used),
    );
    return remaining.length > 0 ? Object.fromEntries(remaining) : undefined;
  };
  return {
    ...input,
    ExpressionAttributeNames: onlyUsed(input.ExpressionAttributeNames),
    ExpressionAttributeValues: onlyUsed(input.ExpressionAttributeValues),
  };
}
