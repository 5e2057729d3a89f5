/**
 * Runs functions as Lambda does and records what their calls ask of IAM. A run can be stopped before one of its calls, as if the
 * process crashed at that point.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import { partitions } from '../../infra/grants.ts';
import { listenToCalls } from '../../infra/local/function-calls.ts';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { compilePattern } from '../../infra/policies/patterns.ts';
import type { AccessRequest } from '../../infra/policies/table-requests.ts';
import type { TestItem } from '../support/table.ts';

/** An action on an item, such as `PutItem` on an invoice. */
export interface Action {
  readonly name: string;
  readonly partition: string;
}

/** Decides from the actions of a call whether the process crashes before it. The call waits for the decision. */
export type CrashCondition = (actions: readonly Action[]) => boolean | Promise<boolean>;

export interface FunctionCallOptions {
  readonly id?: string;
  readonly deliveryId?: string;
  readonly rowId?: string;
  readonly key?: string | null;
  readonly query?: Record<string, string>;
  readonly body?: object;
  /** Form fields. They replace `body`. */
  readonly form?: Record<string, string>;
  readonly idempotencyKey?: string;
  readonly apiVersion?: string;
  readonly prefer?: string;
  readonly crash?: CrashCondition | undefined;
}

export interface ObservedFunctions {
  /** Each request to IAM so far. Requests that differ only in values of keys count once. */
  readonly requests: readonly ObservedRequest[];
  run<Answer>(file: string, event: unknown, crash?: CrashCondition): Promise<Answer>;
  /** Sends a request as the gateway does. Returns the status, the redirect target and the fields of a JSON body. */
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  request(file: string, method: string, path: string, call?: FunctionCallOptions): Promise<any>;
}

/** A request to IAM, and the function that made it. */
export interface ObservedRequest extends AccessRequest {
  readonly file: string;
}

interface Run {
  readonly crash: CrashCondition | undefined;
  crashed: boolean;
}

/**
 * Starts to record the calls of the functions.
 * @param apiKey the key of requests that do not name one
 */
export async function observeCalls(stack: Stack, apiKey: string): Promise<ObservedFunctions> {
  const requests = new Map<string, ObservedRequest>();
  const currentRun = new AsyncLocalStorage<Run>();
  await listenToCalls(stack, async (file, made) => {
    const run = currentRun.getStore();
    if (!run) return;
    run.crashed ||= (await run.crash?.(made.flatMap(actionsOf))) ?? false;
    if (run.crashed) throw new Error('The process crashed.');
    for (const request of made) {
      const { action, resource, leadingKeys = [], attributes = () => [], select, returnValues } = request;
      const kinds = [...new Set(leadingKeys.map(kindOf))].sort();
      const key = [file, action, resource, kinds, [...attributes()].sort(), select, returnValues];
      requests.set(JSON.stringify(key), { ...request, file });
    }
  });

  const run = async <Answer>(file: string, event: unknown, crash?: CrashCondition): Promise<Answer> => {
    const handler = await loadHandler<unknown, Answer>(file);
    return currentRun.run({ crash, crashed: false }, () => handler(event, lambdaContext(file, 30_000)));
  };
  const send: ObservedFunctions['request'] = async (file, method, path, call = {}) => {
    const response = await run<HandlerResponse>(file, gatewayEvent(method, path, apiKey, call), call.crash);
    const { statusCode, headers, multiValueHeaders, body } = response;
    const location = headers?.Location ?? multiValueHeaders?.Location?.[0];
    return { statusCode, location, ...(body.startsWith('{') && JSON.parse(body)) };
  };
  return {
    get requests() {
      return [...requests.values()];
    },
    run,
    request: send,
  };
}

interface HandlerResponse {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly body: string;
}

function gatewayEvent(method: string, path: string, apiKey: string, call: FunctionCallOptions) {
  const {
    id,
    deliveryId,
    rowId,
    key = apiKey,
    query = {},
    body,
    form,
    idempotencyKey,
    apiVersion,
    prefer,
  } = call;
  const headers = {
    ...(key && !form && { authorization: `Bearer ${key}` }),
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    ...(apiVersion && { 'x-api-version': apiVersion }),
    ...(prefer && { prefer }),
    ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  return {
    httpMethod: method,
    path,
    pathParameters: id ? { id, ...(deliveryId && { deliveryId }), ...(rowId && { rowId }) } : null,
    headers,
    multiValueHeaders: toMultiValue(headers),
    multiValueQueryStringParameters: toMultiValue(query),
    body: form ? new URLSearchParams(form).toString() : body ? JSON.stringify(body) : null,
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), identity: { sourceIp: '127.0.0.1' } },
  };
}

const toMultiValue = (values: Readonly<Record<string, string>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));

/** Returns the stream event for new outbox items. */
export function streamEvent(items: readonly TestItem[]) {
  const Records = items.map((item, index) => ({
    eventID: String(index),
    eventSource: 'aws:dynamodb',
    dynamodb: { NewImage: marshall(item, { removeUndefinedValues: true }), SequenceNumber: String(index) },
  }));
  return { Records };
}

/** Returns the queue event for one message. */
export function queueEvent(message: object) {
  return { Records: [{ messageId: '1', eventSource: 'aws:sqs', body: JSON.stringify(message) }] };
}

function actionsOf({ action, resource, leadingKeys }: AccessRequest): Action[] {
  const name = action.replace(/^\w+:/, '');
  return leadingKeys
    ? leadingKeys.map((key) => ({ name, partition: kindOf(key) }))
    : [{ name, partition: resource.replace(/^queue /, '') }];
}

const kinds = Object.entries(partitions).map(([kind, pattern]) => ({
  kind,
  matches: compilePattern(pattern),
}));

/** Returns the kind of item with a partition key, or the key. */
const kindOf = (partitionKey: string) =>
  kinds.find(({ matches }) => matches(partitionKey))?.kind ?? partitionKey;
