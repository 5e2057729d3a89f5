/**
 * Reads calls to DynamoDB, SQS and S3 as they go over the wire: which items they touch and how long they take. Builds the
 * responses that DynamoDB would send.
 */

/** The part that is used of a request to the SDK's HTTP handler. */
export interface WireRequest {
  readonly headers: Record<string, string>;
  readonly method?: string;
  readonly path?: string;
  body?: unknown;
}

/** A response as the SDK's HTTP handler returns it. */
export interface WireResponse {
  response: { statusCode: number; headers: Record<string, string>; body: unknown };
}

type Json = Record<string, unknown>;

export interface WireCall {
  /** For example `UpdateItem` or `SendMessage`. */
  readonly operation: string;
  readonly input: Json;
}

export function toWireCall(request: WireRequest): WireCall {
  const { headers, body } = request;
  // Only S3 wants the hash of the body in a header, and its bodies are objects or XML.
  if (headers['x-amz-content-sha256'] !== undefined)
    return { operation: objectOperationOf(request), input: {} };
  const operation = String(headers['x-amz-target'] ?? headers['X-Amz-Target']).split('.')[1] ?? '';
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array);
  return { operation, input: JSON.parse(text || '{}') as Json };
}

/** Returns the name of an operation of S3: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html */
function objectOperationOf({ method = '', path = '' }: WireRequest): string {
  const query = new URLSearchParams(path.split('?')[1]);
  if (query.has('uploads')) return 'CreateMultipartUpload';
  if (query.has('uploadId')) return method === 'PUT' ? 'UploadPart' : 'CompleteMultipartUpload';
  const names: Readonly<Record<string, string>> = {
    GET: 'GetObject',
    PUT: 'PutObject',
    DELETE: 'DeleteObject',
  };
  return names[method] ?? '';
}

export const isTransaction = ({ operation }: WireCall) => /^Transact/.test(operation);

/** Returns the items over which the call can conflict: those that it writes, and all items of a transaction. */
export function contendedItems(call: WireCall): string[] {
  if (isTransaction(call)) return actionsOf(call).map(itemOf);
  return /^(Put|Update|Delete)Item$/.test(call.operation) ? [itemOf(call.input)] : [];
}

/** Returns the input of each action of a transaction. */
export function actionsOf({ input }: WireCall): Json[] {
  const actions = (input.TransactItems ?? []) as Record<string, Json>[];
  return actions.map((action) => Object.values(action)[0] ?? {});
}

function itemOf({ TableName, Key, Item }: Json): string {
  const { pk, sk } = (Key ?? Item) as Json;
  return JSON.stringify([TableName, pk, sk]);
}

/** Returns DynamoDB's error response of that type. */
export function errorResponseOf(type: string, detail: Json = {}, statusCode = 400): WireResponse {
  const text = JSON.stringify({
    __type: `com.amazonaws.dynamodb.v20120810#${type}`,
    message: type,
    ...detail,
  });
  return { response: { statusCode, headers: jsonHeaders, body: Buffer.from(text) } };
}

/** Returns the response to a cancelled transaction, with a reason for each of its actions. */
export function cancelledTransactionResponse(codes: readonly string[]): WireResponse {
  return errorResponseOf('TransactionCanceledException', {
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}

export const jsonHeaders = { 'content-type': 'application/x-amz-json-1.0' };

/** Returns the error of a broken connection. */
export function connectionResetError(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}

/** Reads the body of a response to its end. */
export async function readWireBody({ response }: WireResponse): Promise<string> {
  if (Buffer.isBuffer(response.body)) return response.body.toString('utf8');
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns the same response with another body. */
export function withBody({ response }: WireResponse, text: string): WireResponse {
  return { response: { ...response, headers: jsonHeaders, body: Buffer.from(text) } };
}

/** Returns the same request with another input. */
export function withInput(request: WireRequest, input: Record<string, unknown>): WireRequest {
  const body = JSON.stringify(input);
  const headers = { ...request.headers, 'content-length': String(Buffer.byteLength(body)) };
  return Object.assign(Object.create(Object.getPrototypeOf(request)), request, { body, headers });
}

/**
 * Returns how many milliseconds the operation takes on AWS, without jitter.
 * @param bytes the size of the response
 */
export function modelLatencyMs({ operation }: WireCall, bytes = 0): number {
  if (/^Transact/.test(operation)) return 12;
  if (operation === 'Query' || operation === 'BatchGetItem') return 4 + bytes / (256 * 1024);
  return operation === 'GetItem' ? 3 : 5;
}

/** Returns approximately the size of an item as DynamoDB counts it: its names and values, and numbers by their digits. */
export function itemBytes(item: Json): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + name.length + valueBytes(value as Json),
    0,
  );
}

function valueBytes(value: Json): number {
  const [type, content] = Object.entries(value)[0] ?? [];
  if (type === 'M') return 3 + itemBytes(content as Json);
  if (type === 'L') return 3 + (content as Json[]).reduce((sum, entry) => sum + valueBytes(entry) + 1, 0);
  if (Array.isArray(content))
    return content.reduce((sum, member) => sum + scalarBytes(String(type), String(member)), 0);
  return scalarBytes(String(type), String(content));
}

function scalarBytes(type: string, text: string): number {
  if (type.startsWith('B') && type !== 'BOOL') return Math.floor((text.length * 3) / 4);
  if (type.startsWith('N')) return Math.ceil(text.length / 2) + 1;
  return Buffer.byteLength(text);
}
