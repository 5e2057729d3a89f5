/**
 * Faults between the service and DynamoDB, put in where the SDK's client hands a request to the network: what the
 * emulator never answers by itself (conflicts, throttling, lost answers) looks there as it does on AWS.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamodb } from '../../shared/store/client.ts';

/** One attempt of one call, as it goes over the wire. */
export interface WireCall {
  /** Such as `UpdateItem`. */
  readonly operation: string;
  /** The request in DynamoDB's JSON. */
  readonly body: string;
}

type Handler = Parameters<DynamoDBDocumentClient['middlewareStack']['add']>[0];
type WireAnswer = Awaited<ReturnType<ReturnType<Handler>>>;

/** Answers in place of the network, or by `send`, which really performs the call. */
export type Fault = (call: WireCall, send: () => Promise<WireAnswer>) => Promise<WireAnswer>;

export interface Interception {
  /** Every attempt since, in the order of sending. */
  readonly calls: readonly WireCall[];
  remove(): void;
}

let count = 0;

/** Leads every attempt of every call of the service's client through `fault`, until `remove()`. */
export function intercept(fault: Fault = (_, send) => send()): Interception {
  const calls: WireCall[] = [];
  const name = `testFault${count++}`;
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const { headers, body } = args.request as { headers: Record<string, string>; body: Uint8Array };
      const operation = String(headers['x-amz-target']).split('.')[1] ?? '';
      const call = { operation, body: new TextDecoder().decode(body) };
      calls.push(call);
      return fault(call, () => next(args));
    },
    { step: 'deserialize', priority: 'low', name },
  );
  return { calls, remove: () => void dynamodb.middlewareStack.remove(name) };
}

/** A fault for the first `times` calls that `matches`; all others pass. `left()` tells how many are yet to come. */
export function faultOn(
  matches: (call: WireCall) => boolean,
  fault: Fault,
  times = 1,
): Fault & { left(): number } {
  let left = times;
  const handler: Fault = (call, send) => {
    if (left === 0 || !matches(call)) return send();
    left -= 1;
    return fault(call, send);
  };
  return Object.assign(handler, { left: () => left });
}

/** The answer that DynamoDB gives in its JSON. */
export function answerOf(body: object, statusCode = 200): WireAnswer {
  const headers = { 'content-type': 'application/x-amz-json-1.0' };
  const response = { statusCode, headers, body: Buffer.from(JSON.stringify(body)) };
  return { response } as unknown as WireAnswer;
}

/** DynamoDB's error answer of that type. */
export const errorAnswer =
  (type: string, detail: Record<string, unknown> = {}, statusCode = 400): Fault =>
  async () =>
    answerOf({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...detail }, statusCode);

/** A transaction that was cancelled for these reasons, one for each of its actions. */
export const cancelled = (...codes: string[]): Fault =>
  errorAnswer('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });

/** The connection breaks before the request arrives. */
export const lostRequest: Fault = async () => {
  throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
};

/** The call takes effect, but its answer never arrives. */
export const lostAnswer: Fault = async (call, send) => {
  await send();
  return lostRequest(call, send);
};

/** Listens to how many attempts the SDK says that each call took. */
export function listenToAttempts(): { readonly attempts: readonly number[]; remove(): void } {
  const attempts: number[] = [];
  const name = `testAttempts${count++}`;
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      attempts.push(answer.output.$metadata.attempts ?? 0);
      return answer;
    },
    { step: 'initialize', priority: 'high', name },
  );
  return { attempts, remove: () => void dynamodb.middlewareStack.remove(name) };
}
