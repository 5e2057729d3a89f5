/**
 * Intercepts the calls of the service's DynamoDB client in a middleware of the SDK. A test can count the calls, or
 * respond with what the emulator never sends: conflicts, throttling and lost responses.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../shared/store/client.ts';

/** One attempt of one call, as it goes over the wire. */
export interface DynamodbAttempt {
  /** For example `UpdateItem`. */
  readonly operation: string;
  /** The request, as DynamoDB's JSON. */
  readonly body: string;
}

type Handler = Parameters<DynamoDBDocumentClient['middlewareStack']['add']>[0];
type MiddlewareResponse = Awaited<ReturnType<ReturnType<Handler>>>;

/** Returns a response instead of the network, or calls `send`, which performs the call. */
export type FaultHandler = (
  call: DynamodbAttempt,
  send: () => Promise<MiddlewareResponse>,
) => Promise<MiddlewareResponse>;

export interface Interception {
  /** All attempts since the interception started, in the order of sending. */
  readonly calls: readonly DynamodbAttempt[];
  remove(): void;
}

let middlewareCount = 0;

/** Passes each attempt of each call of the service's client to `handler`, until `remove()` is called. */
export function interceptCalls(handler: FaultHandler = (_, send) => send()): Interception {
  const calls: DynamodbAttempt[] = [];
  const name = `testFault${middlewareCount++}`;
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const { headers, body } = args.request as {
        headers: Record<string, string>;
        body: string | Uint8Array;
      };
      const operation = String(headers['x-amz-target']).split('.')[1] ?? '';
      const call = { operation, body: typeof body === 'string' ? body : new TextDecoder().decode(body) };
      calls.push(call);
      return handler(call, () => next(args));
    },
    { step: 'deserialize', priority: 'low', name },
  );
  const remove = () => {
    dynamodb.middlewareStack.remove(name);
  };
  return { calls, remove };
}

/** Returns a handler that applies `fault` to the first `times` calls that match. `left()` returns how many are left. */
export function injectFault(
  matches: (call: DynamodbAttempt) => boolean,
  fault: FaultHandler,
  times = 1,
): FaultHandler & { left(): number } {
  let left = times;
  const handler: FaultHandler = (call, send) => {
    if (left === 0 || !matches(call)) return send();
    left -= 1;
    return fault(call, send);
  };
  return Object.assign(handler, { left: () => left });
}

/** Returns a response of DynamoDB with that JSON body. */
export function respondWith(body: object, statusCode = 200): MiddlewareResponse {
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  const response = { statusCode, headers, body: Buffer.from(JSON.stringify(body)) };
  return { response } as unknown as MiddlewareResponse;
}

/** Responds with DynamoDB's error of that type. */
export const respondWithError =
  (type: string, detail: Record<string, unknown> = {}, statusCode = 400): FaultHandler =>
  async () =>
    respondWith({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...detail }, statusCode);

/** Responds that the transaction was cancelled, with a reason for each of its actions. */
export const cancelTransaction = (...codes: string[]): FaultHandler =>
  respondWithError('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });

/** Breaks the connection before the request arrives. */
export const loseRequest: FaultHandler = async () => {
  throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
};

/** Performs the call, then breaks the connection, so that its response never arrives. */
export const loseResponse: FaultHandler = async (call, send) => {
  await send();
  return loseRequest(call, send);
};

/** Records how many attempts each call took, as the SDK reports it. */
export function recordAttempts(): { readonly attempts: readonly number[]; remove(): void } {
  const attempts: number[] = [];
  const name = `testAttempts${middlewareCount++}`;
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const response = await next(args);
      attempts.push(response.output.$metadata.attempts ?? 0);
      return response;
    },
    { step: 'initialize', priority: 'high', name },
  );
  return { attempts, remove: () => void dynamodb.middlewareStack.remove(name) };
}
