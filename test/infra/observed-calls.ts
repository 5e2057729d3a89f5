/**
 * Runs functions as Lambda would and notes what they call: every action on every kind of item, every queue. A run can
 * be cut off before one of its calls, as if its process had died there.
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

/** Whether a call, given by its actions, is the one at which the process dies; it waits for the answer. */
export type Death = (actions: readonly Action[]) => boolean | Promise<boolean>;

export interface Call {
  readonly id?: string;
  readonly deliveryId?: string;
  readonly key?: string | null;
  readonly query?: Record<string, string>;
  readonly body?: object;
  /** Fields of a form, instead of `body`. */
  readonly form?: Record<string, string>;
  readonly idempotencyKey?: string;
  readonly dies?: Death | undefined;
}

export interface Observed {
  /** `<handler> <action> <kind of item>` of every call so far, and `<handler> SendMessage <queue>`. */
  readonly called: ReadonlySet<string>;
  run<Answer>(file: string, event: unknown, dies?: Death): Promise<Answer>;
  /** A request, as the gateway hands it over; returns the status, the redirect's target and what a JSON body holds. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  request(file: string, method: string, path: string, call?: Call): Promise<any>;
}

type Pass = (actions: readonly Action[]) => Promise<void>;

interface Run {
  readonly file: string;
  readonly dies: Death | undefined;
  dead: boolean;
}

/** Notes from now on what the clients of the functions are asked for. @param apiKey of requests that name no other */
export async function observeCalls(stack: Stack, apiKey: string): Promise<Observed> {
  const called = new Set<string>();
  const atWork = new AsyncLocalStorage<Run>();
  const pass: Pass = async (actions) => {
    const run = atWork.getStore();
    if (!run) return;
    run.dead ||= (await run.dies?.(actions)) ?? false;
    if (run.dead) throw new Error('The process is dead.');
    for (const { name, partition } of actions) called.add(`${run.file} ${name} ${partition}`);
  };
  await listenToTable(pass);
  await listenToQueues(stack, pass);

  const run = async <Answer>(file: string, event: unknown, dies?: Death): Promise<Answer> => {
    const handler = await loadHandler<unknown, Answer>(file);
    return atWork.run({ file, dies, dead: false }, () => handler(event, lambdaContext(file, 30_000)));
  };
  const request: Observed['request'] = async (file, method, path, call = {}) => {
    const answer = await run<GatewayAnswer>(file, gatewayEvent(method, path, apiKey, call), call.dies);
    const { statusCode, headers, multiValueHeaders, body } = answer;
    const location = headers?.Location ?? multiValueHeaders?.Location?.[0];
    return { answered: statusCode, location, ...(body.startsWith('{') && JSON.parse(body)) };
  };
  return { called, run, request };
}

interface GatewayAnswer {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly body: string;
}

function gatewayEvent(method: string, path: string, apiKey: string, call: Call) {
  const { id, deliveryId, key = apiKey, query = {}, body, form, idempotencyKey } = call;
  const listed = (values: Record<string, string | undefined>) =>
    Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value ? [[name, [value]]] : [])));
  return {
    httpMethod: method,
    path,
    pathParameters: id ? { id, ...(deliveryId && { deliveryId }) } : null,
    multiValueHeaders: listed({
      authorization: key && !form ? `Bearer ${key}` : undefined,
      'idempotency-key': idempotencyKey,
      'content-type': form && 'application/x-www-form-urlencoded',
    }),
    multiValueQueryStringParameters: listed(query),
    body: form ? new URLSearchParams(form).toString() : body ? JSON.stringify(body) : null,
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), identity: { sourceIp: '127.0.0.1' } },
  };
}

/** The stream's event of new outbox items. */
export function streamEvent(items: readonly TestItem[]) {
  const Records = items.map((item, index) => ({
    eventID: String(index),
    eventSource: 'aws:dynamodb',
    dynamodb: { NewImage: marshall(item, { removeUndefinedValues: true }), SequenceNumber: String(index) },
  }));
  return { Records };
}

/** A queue's event of one message. */
export function queueEvent(message: object) {
  return { Records: [{ messageId: '1', eventSource: 'aws:sqs', body: JSON.stringify(message) }] };
}

async function listenToTable(pass: Pass): Promise<void> {
  const { dynamodb } = await import('../../shared/store/client.ts');
  dynamodb.middlewareStack.add(
    (next, context) => async (args) => {
      const command = (context as { commandName?: string }).commandName ?? '';
      await pass(actionsOf(command, args.input).map(([name, pk]) => ({ name, partition: partitionOf(pk) })));
      return next(args);
    },
    { step: 'initialize', name: 'noteCalls' },
  );
}

async function listenToQueues(stack: Stack, pass: Pass): Promise<void> {
  const { SQSClient } = await import('@aws-sdk/client-sqs');
  const send = SQSClient.prototype.send as (...args: unknown[]) => unknown;
  Object.assign(SQSClient.prototype, {
    async send(command: { input: { QueueUrl?: string } }, ...rest: unknown[]) {
      const found = Object.entries(stack.queueUrls).find(([, { url }]) => url === command.input.QueueUrl);
      await pass([{ name: 'SendMessage', partition: String(found?.[0]) }]);
      return send.apply(this, [command, ...rest]);
    },
  });
}

// biome-ignore lint/suspicious/noExplicitAny: inputs of all commands
function actionsOf(command: string, input: any): [action: string, pk: unknown][] {
  switch (command.replace(/Command$/, '')) {
    case 'TransactWriteItems':
    case 'TransactWrite':
      return input.TransactItems.flatMap((item: object) =>
        // biome-ignore lint/suspicious/noExplicitAny: as above
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
