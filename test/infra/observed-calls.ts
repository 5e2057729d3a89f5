/**
 * Runs functions as Lambda does and records their calls: every action on every kind of item, and every queue. A run can
 * be stopped before one of its calls, as if the process crashed at that point.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import { partitions } from '../../infra/grants.ts';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { TestItem } from '../support/table.ts';
import { matchesPattern } from './patterns.ts';

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
  /** One entry per distinct call so far: `<handler> <action> <kind of item>` or `<handler> SendMessage <queue>`. */
  readonly called: ReadonlySet<string>;
  run<Answer>(file: string, event: unknown, crash?: CrashCondition): Promise<Answer>;
  /** Sends a request as the gateway does. Returns the status, the redirect target and the fields of a JSON body. */
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  request(file: string, method: string, path: string, call?: FunctionCallOptions): Promise<any>;
}

type RecordActions = (actions: readonly Action[]) => Promise<void>;

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
  const called = new Set<string>();
  const currentRun = new AsyncLocalStorage<Run>();
  const recordActions: RecordActions = async (actions) => {
    const run = currentRun.getStore();
    if (!run) return;
    run.crashed ||= (await run.crash?.(actions)) ?? false;
    if (run.crashed) throw new Error('The process crashed.');
    for (const { name, partition } of actions) called.add(`${run.file} ${name} ${partition}`);
  };
  await recordTableCalls(recordActions);
  await recordQueueCalls(stack, recordActions);

  const run = async <Answer>(file: string, event: unknown, crash?: CrashCondition): Promise<Answer> => {
    const handler = await loadHandler<unknown, Answer>(file);
    return currentRun.run({ file, crash, crashed: false }, () => handler(event, lambdaContext(file, 30_000)));
  };
  const request: ObservedFunctions['request'] = async (file, method, path, call = {}) => {
    const response = await run<HandlerResponse>(file, gatewayEvent(method, path, apiKey, call), call.crash);
    const { statusCode, headers, multiValueHeaders, body } = response;
    const location = headers?.Location ?? multiValueHeaders?.Location?.[0];
    return { statusCode, location, ...(body.startsWith('{') && JSON.parse(body)) };
  };
  return { called, run, request };
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

async function recordTableCalls(recordActions: RecordActions): Promise<void> {
  const { dynamodb } = await import('../../shared/store/client.ts');
  dynamodb.middlewareStack.add(
    (next, context) => async (args) => {
      const command = (context as { commandName?: string }).commandName ?? '';
      await recordActions(
        actionsOf(command, args.input).map(([name, pk]) => ({ name, partition: partitionOf(pk) })),
      );
      return next(args);
    },
    { step: 'initialize', name: 'noteCalls' },
  );
}

async function recordQueueCalls(stack: Stack, recordActions: RecordActions): Promise<void> {
  const { queueClient } = await import('../../shared/store/queue-client.ts');
  queueClient.middlewareStack.add(
    (next) => async (args) => {
      const { QueueUrl } = args.input as { QueueUrl?: string };
      const found = Object.entries(stack.queueUrls).find(([, { url }]) => url === QueueUrl);
      await recordActions([{ name: 'SendMessage', partition: String(found?.[0]) }]);
      return next(args);
    },
    { step: 'initialize', name: 'noteCalls' },
  );
}

// biome-ignore lint/suspicious/noExplicitAny: commands have inputs of any shape
function actionsOf(command: string, input: any): [action: string, pk: unknown][] {
  switch (command.replace(/Command$/, '')) {
    case 'TransactWriteItems':
    case 'TransactWrite':
      return input.TransactItems.flatMap((item: object) =>
        // biome-ignore lint/suspicious/noExplicitAny: an item of a transaction has any shape
        Object.entries(item).map(([kind, each]: [string, any]) => [
          kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`,
          (each.Key ?? each.Item).pk,
        ]),
      );
    case 'TransactGetItems':
    case 'TransactGet':
      return input.TransactItems.map((item: { Get: { Key: { pk: unknown } } }) => [
        'GetItem',
        item.Get.Key.pk,
      ]);
    case 'BatchGetItem':
    case 'BatchGet':
      return Object.values(input.RequestItems as Record<string, { Keys: { pk: unknown }[] }>).flatMap(
        ({ Keys }) => Keys.map(({ pk }): [string, unknown] => ['BatchGetItem', pk]),
      );
    case 'BatchWriteItem':
    case 'BatchWrite':
      return (
        Object.values(input.RequestItems as Record<string, object[]>)
          .flat()
          // biome-ignore lint/suspicious/noExplicitAny: a write of a batch has any shape
          .flatMap((write) => Object.values(write).map((each: any) => each.Key ?? each.Item))
          .map(({ pk }): [string, unknown] => ['BatchWriteItem', pk])
      );
    case 'Query':
      return [['Query', input.ExpressionAttributeValues[':pk']]];
    default:
      return [[`${command.replace(/(Item)?Command$/, '')}Item`, (input.Key ?? input.Item).pk]];
  }
}

function partitionOf(pk: unknown): string {
  const text = typeof pk === 'string' ? pk : String((pk as { S: string }).S);
  const [found] = Object.entries(partitions).filter(([, pattern]) => matchesPattern(text, pattern));
  return found?.[0] ?? text;
}
