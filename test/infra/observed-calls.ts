/**
 * Runs functions as Lambda does and records what their calls ask of IAM. A run can be stopped before one of its calls, as if the
 * process crashed at that point.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import { partitions } from '../../infra/grants.ts';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { compilePattern } from '../../infra/policies/patterns.ts';
import { type AccessRequest, requestsOf } from '../../infra/policies/table-requests.ts';
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
  readonly key?: string | null;
  readonly query?: Record<string, string>;
  readonly body?: object;
  /** Form fields. They replace `body`. */
  readonly form?: Record<string, string>;
  readonly idempotencyKey?: string;
  readonly apiVersion?: string;
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

type RecordRequests = (requests: readonly AccessRequest[]) => Promise<void>;

interface Run {
  readonly file: string;
  readonly crash: CrashCondition | undefined;
  crashed: boolean;
}

/**
 * Starts to record the calls of the SDK clients that the functions use.
 * @param apiKey the key of requests that do not name one
 */
export async function observeCalls(stack: Stack, apiKey: string): Promise<ObservedFunctions> {
  const requests = new Map<string, ObservedRequest>();
  const currentRun = new AsyncLocalStorage<Run>();
  const record: RecordRequests = async (made) => {
    const run = currentRun.getStore();
    if (!run) return;
    run.crashed ||= (await run.crash?.(made.flatMap(actionsOf))) ?? false;
    if (run.crashed) throw new Error('The process crashed.');
    for (const one of made) {
      const { action, resource, leadingKeys = [], attributes = () => [], select, returnValues } = one;
      const kinds = [...new Set(leadingKeys.map(kindOf))].sort();
      const key = [run.file, action, resource, kinds, [...attributes()].sort(), select, returnValues];
      requests.set(JSON.stringify(key), { ...one, file: run.file });
    }
  };
  await recordTableCalls(stack, record);
  await recordQueueCalls(stack, record);

  const run = async <Answer>(file: string, event: unknown, crash?: CrashCondition): Promise<Answer> => {
    const handler = await loadHandler<unknown, Answer>(file);
    return currentRun.run({ file, crash, crashed: false }, () => handler(event, lambdaContext(file, 30_000)));
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
  const { id, deliveryId, key = apiKey, query = {}, body, form, idempotencyKey, apiVersion } = call;
  const headers = {
    ...(key && !form && { authorization: `Bearer ${key}` }),
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    ...(apiVersion && { 'x-api-version': apiVersion }),
    ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  return {
    httpMethod: method,
    path,
    pathParameters: id ? { id, ...(deliveryId && { deliveryId }) } : null,
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

async function recordTableCalls({ tableName }: Stack, record: RecordRequests): Promise<void> {
  const { dynamodb } = await import('../../shared/store/client.ts');
  dynamodb.middlewareStack.add(
    (next, context) => async (args) => {
      const { commandName = '' } = context as { commandName?: string };
      await record(requestsOf(commandName, args.input, tableName));
      return next(args);
    },
    { step: 'initialize', name: 'noteCalls' },
  );
}

async function recordQueueCalls(stack: Stack, record: RecordRequests): Promise<void> {
  const { queueClient } = await import('../../shared/store/queue-client.ts');
  queueClient.middlewareStack.add(
    (next) => async (args) => {
      const { QueueUrl } = args.input as { QueueUrl?: string };
      const found = Object.entries(stack.queueUrls).find(([, { url }]) => url === QueueUrl);
      await record([{ action: 'sqs:SendMessage', resource: `queue ${found?.[0]}` }]);
      return next(args);
    },
    { step: 'initialize', name: 'noteCalls' },
  );
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
