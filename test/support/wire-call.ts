/** A call to DynamoDB or SQS as it goes over the wire: what it touches, what DynamoDB would answer, how long it takes. */

/** The request as the SDK's HTTP handler gets it; only what is looked at here. */
export interface WireRequest {
  readonly headers: Record<string, string>;
  body?: unknown;
}

export interface WireAnswer {
  response: { statusCode: number; headers: Record<string, string>; body: unknown };
}

type Json = Record<string, unknown>;

export interface WireCall {
  /** Such as `UpdateItem` or `SendMessage`. */
  readonly operation: string;
  readonly input: Json;
}

export function toWireCall({ headers, body }: WireRequest): WireCall {
  const operation = String(headers['x-amz-target'] ?? headers['X-Amz-Target']).split('.')[1] ?? '';
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array);
  return { operation, input: JSON.parse(text || '{}') as Json };
}

export const isTransaction = ({ operation }: WireCall) => /^Transact/.test(operation);

/** The items that a call writes or, in a transaction, also reads: those over which calls conflict. */
export function contendedItems(call: WireCall): string[] {
  if (isTransaction(call)) return actionsOf(call).map(itemOf);
  return /^(Put|Update|Delete)Item$/.test(call.operation) ? [itemOf(call.input)] : [];
}

/** One object for each action of a transaction. */
export function actionsOf({ input }: WireCall): Json[] {
  const actions = (input.TransactItems ?? []) as Record<string, Json>[];
  return actions.map((action) => Object.values(action)[0] ?? {});
}

function itemOf({ TableName, Key, Item }: Json): string {
  const { pk, sk } = (Key ?? Item) as Json;
  return JSON.stringify([TableName, pk, sk]);
}

/** DynamoDB's error answer of that type. */
export function errorAnswer(type: string, detail: Json = {}, statusCode = 400): WireAnswer {
  const text = JSON.stringify({
    __type: `com.amazonaws.dynamodb.v20120810#${type}`,
    message: type,
    ...detail,
  });
  return { response: { statusCode, headers: jsonHeaders, body: Buffer.from(text) } };
}

/** A transaction that was cancelled, with a reason for each of its actions. */
export function cancelledAnswer(codes: readonly string[]): WireAnswer {
  return errorAnswer('TransactionCanceledException', {
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}

export const jsonHeaders = { 'content-type': 'application/x-amz-json-1.0' };

/** The connection breaks. */
export function connectionLost(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}

/** The body of a real answer, read to its end. */
export async function readAnswer({ response }: WireAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The same answer with another body. */
export function withBody({ response }: WireAnswer, text: string): WireAnswer {
  return { response: { ...response, headers: jsonHeaders, body: Buffer.from(text) } };
}

/** Milliseconds that the operation takes on AWS, without jitter; `bytes` is the size of what it answers. */
export function modelledMs({ operation }: WireCall, bytes = 0): number {
  if (/^Transact/.test(operation)) return 12;
  if (operation === 'Query' || operation === 'BatchGetItem') return 4 + bytes / (256 * 1024);
  return operation === 'GetItem' ? 3 : 5;
}

/** The size of an item as DynamoDB counts it, near enough: names and values, numbers by their digits. */
export function itemBytes(item: Json): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + name.length + valueBytes(value as Json),
    0,
  );
}

function valueBytes(value: Json): number {
  const [type, content] = Object.entries(value)[0] ?? [];
  if (type === 'M') return 3 + itemBytes(content as Json);
  if (type === 'L') return 3 + (content as Json[]).reduce((sum, one) => sum + valueBytes(one) + 1, 0);
  if (Array.isArray(content)) return content.reduce((sum, one) => sum + sizeOf(String(type), String(one)), 0);
  return sizeOf(String(type), String(content));
}

function sizeOf(type: string, text: string): number {
  if (type.startsWith('B') && type !== 'BOOL') return Math.floor((text.length * 3) / 4);
  if (type.startsWith('N')) return Math.ceil(text.length / 2) + 1;
  return Buffer.byteLength(text);
}
