/**
 * The cut of a query at 1 MB, which DynamoDB makes by the size of the items it evaluated, before the filter, and
 * the emulator forgets on filtered queries. The size can be set lower, so that small tables have cuts too.
 */
import { itemBytes, readAnswer, type WireAnswer, type WireCall, withBody } from './wire-call.ts';

type Json = Record<string, unknown>;
type Send = (input: Json) => Promise<WireAnswer>;

/** Sends a query and cuts its answer behind the item with which `cutBytes` are reached. */
export async function sendCutQuery({ input }: WireCall, send: Send, cutBytes: number): Promise<WireAnswer> {
  const evaluated = input.FilterExpression === undefined ? input : unfiltered(input);
  const answer = await send(evaluated);
  const text = await readAnswer(answer);
  if (answer.response.statusCode !== 200) return withBody(answer, text);
  const page = JSON.parse(text) as { Items?: Json[]; LastEvaluatedKey?: Json };
  const items = page.Items ?? [];
  const count = countWithin(items, cutBytes);
  if (evaluated !== input) {
    // Without its filter the emulator cuts the query at 1 MB by itself.
    const isCut = count < items.length || page.LastEvaluatedKey !== undefined;
    return send(isCut ? { ...input, Limit: count } : input);
  }
  if (count === items.length) return withBody(answer, text);
  const { pk, sk } = items[count - 1] ?? {};
  const cut = { ...page, Items: items.slice(0, count), Count: count, ScannedCount: count };
  return withBody(answer, JSON.stringify({ ...cut, LastEvaluatedKey: { pk, sk } }));
}

function countWithin(items: readonly Json[], cutBytes: number): number {
  let bytes = 0;
  const last = items.findIndex((item) => {
    bytes += itemBytes(item);
    return bytes >= cutBytes;
  });
  return last === -1 ? items.length : last + 1;
}

/** The query without its filter, and without the names and values that only the filter used. */
function unfiltered({ FilterExpression: _, ...input }: Json): Json {
  const used = `${input.KeyConditionExpression} ${input.ProjectionExpression ?? ''}`;
  const kept = (entries: unknown) => {
    const left = Object.entries((entries ?? {}) as Json).filter(([name]) =>
      new RegExp(`${name.replace('#', '\\#')}\\b`).test(used),
    );
    return left.length > 0 ? Object.fromEntries(left) : undefined;
  };
  return {
    ...input,
    ExpressionAttributeNames: kept(input.ExpressionAttributeNames),
    ExpressionAttributeValues: kept(input.ExpressionAttributeValues),
  };
}
