/**
 * The grants against what the functions really call: each is driven through all that it does, and every action on
 * every kind of item must be granted to it, and nothing that it never called.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Grant, grants, partitions } from '../../infra/grants.ts';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/ids.ts';
import { keys } from '../../shared/store/keys.ts';
import { setClock } from '../../shared/time.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
let owner: Owner;
let apiKey: string;
let unknownKey: string;

/** `<handler> <action> <kind of item>` of every call so far. */
const called = new Set<string>();
const atWork = new AsyncLocalStorage<string>();

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  table = tableOf(stack);
  const { createAccount } = await import('../../shared/accounts/store.ts');
  const { newApiKey } = await import('../../shared/admission/api-key.ts');
  const account = await createAccount({ name: 'Test', plan: 'enterprise' });
  owner = { account: account.accountId, mode: 'test' };
  apiKey = account.keys.test;
  unknownKey = await newApiKey(owner);
  await listen();
}, 60_000);

afterAll(() => stack?.close());

/** Notes what the DynamoDB client of the functions is asked for, and on whose behalf. */
async function listen(): Promise<void> {
  const { dynamodb } = await import('../../shared/store/client.ts');
  dynamodb.middlewareStack.add(
    (next, context) => (args) => {
      const handler = atWork.getStore();
      const command = (context as { commandName?: string }).commandName ?? '';
      for (const [action, pk] of handler ? actionsOf(command, args.input) : []) {
        called.add(`${handler} ${action} ${partitionOf(pk)}`);
      }
      return next(args);
    },
    { step: 'initialize', name: 'noteCalls' },
  );
  const { SQSClient } = await import('@aws-sdk/client-sqs');
  const send = SQSClient.prototype.send as (...args: unknown[]) => unknown;
  Object.assign(SQSClient.prototype, {
    send(command: { input: { QueueUrl?: string } }, ...rest: unknown[]) {
      const handler = atWork.getStore();
      const found = Object.entries(stack.queueUrls).find(([, { url }]) => url === command.input.QueueUrl);
      if (handler) called.add(`${handler} SendMessage ${found?.[0]}`);
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
  const [found] = Object.entries(partitions).filter(([, pattern]) =>
    pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern,
  );
  return found?.[0] ?? text;
}

async function run<Answer>(file: string, event: unknown): Promise<Answer> {
  const handler = await loadHandler<unknown, Answer>(file);
  return atWork.run(file, () => handler(event, lambdaContext(file, 30_000)));
}

interface Call {
  readonly id?: string;
  readonly key?: string | null;
  readonly query?: Record<string, string>;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** A request to a handler, as the gateway hands it over; returns the answer and its status. */
async function request(file: string, method: string, path: string, call: Call = {}) {
  const { id, key = apiKey, query = {}, body, idempotencyKey } = call;
  const listed = (values: Record<string, string | undefined>) =>
    Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value ? [[name, [value]]] : [])));
  const { statusCode, body: answer } = await run<{ statusCode: number; body: string }>(file, {
    httpMethod: method,
    path,
    pathParameters: id ? { id } : null,
    multiValueHeaders: listed({
      authorization: key ? `Bearer ${key}` : undefined,
      'idempotency-key': idempotencyKey,
    }),
    multiValueQueryStringParameters: listed(query),
    body: body ? JSON.stringify(body) : null,
    isBase64Encoded: false,
    requestContext: { requestId: randomUUID(), identity: { sourceIp: '127.0.0.1' } },
  });
  return { answered: statusCode, ...JSON.parse(answer) };
}

const invoice = (fields: object = {}) => ({
  body: { customerId: 'cust_1', amount: 2500, currency: 'USD', description: 'Website design', ...fields },
});
const create = (call: Call) => request('functions/invoices/create.ts', 'POST', '/api/invoices', call);
const update = (id: string, call: Call) =>
  request('functions/invoices/update.ts', 'PATCH', `/api/invoices/${id}`, { id, ...call });
const cancel = (id: string, call: Call = {}) =>
  request('functions/invoices/cancel.ts', 'DELETE', `/api/invoices/${id}`, { id, ...call });
const list = (call: Call = {}) => request('functions/invoices/list.ts', 'GET', '/api/invoices', call);

/** Publishes what is in the outbox, as the stream would have it done. */
async function publishAll(): Promise<void> {
  const items = await table.all(partitions.outbox.slice(0, -1));
  const Records = items.map((item, index) => ({
    eventID: String(index),
    eventSource: 'aws:dynamodb',
    dynamodb: { NewImage: marshall(item, { removeUndefinedValues: true }), SequenceNumber: String(index) },
  }));
  expect(await run('functions/background/publish-outbox.ts', { Records })).toEqual({ batchItemFailures: [] });
}

/** Makes every minute up to tomorrow one that is closed, so that timers are put twice. */
const closeMinutes = () =>
  table.put({
    ...keys.watermark,
    closed: Math.floor(Date.now() / 60_000) + 1_440,
    done: Math.floor(Date.now() / 60_000) - 1,
  });

const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

test('every function is granted what it calls, and nothing else', async () => {
  const { id } = await create({ ...invoice(), idempotencyKey: 'one' });
  expect(await create({ ...invoice(), idempotencyKey: 'one' })).toMatchObject({ answered: 201, id });
  const second = await create(invoice({ dueDate: soon(30_000) }));
  await publishAll();
  await closeMinutes();
  const third = await create(invoice({ dueDate: soon(600_000) }));
  await publishAll();

  expect(await request('functions/invoices/get.ts', 'GET', `/api/invoices/${id}`, { id })).toMatchObject({
    id,
  });
  expect(await update(id, { body: { amount: 1 }, idempotencyKey: 'two' })).toMatchObject({ amount: 1 });
  expect(await update(id, { body: { amount: 1 }, idempotencyKey: 'three' })).toMatchObject({ amount: 1 });
  expect(await cancel(id, { idempotencyKey: 'four' })).toMatchObject({ answered: 200 });
  expect(await cancel(id, { idempotencyKey: 'five' })).toMatchObject({ answered: 400 });
  expect(await update(id, { body: { amount: 2 }, idempotencyKey: 'six' })).toMatchObject({ answered: 400 });

  // A page that was not told of a change, and a record that is gone.
  const changed = await table.get(keys.record(second.id));
  await table.put({ ...changed, status: 'overdue' });
  await table.delete(keys.record(third.id));
  expect(await list({ query: { customerId: 'cust_1' } })).toMatchObject({ pagination: { total: 2 } });
  await table.put({ ...changed });

  const apiHandlers = Object.entries<Grant>(grants).flatMap(([file, { secret }]) => (secret ? [file] : []));
  for (const file of apiHandlers) {
    for (const key of [unknownKey, '']) {
      expect(await request(file, 'GET', '/api/nowhere', { key })).toMatchObject({ answered: 401 });
    }
  }
  const nowhere = { idempotencyKey: 'seven' };
  expect(await request('functions/meta/not-found.ts', 'POST', '/api/nowhere', nowhere)).toMatchObject({
    answered: 404,
  });

  const overdue = { reference: second.id, kind: 'overdue', due: changed?.overdueAt, minute: 1 };
  setClock(() => Date.now() + 120_000);
  const message = { messageId: '1', eventSource: 'aws:sqs', body: JSON.stringify(overdue) };
  expect(await run('functions/background/overdue.ts', { Records: [message] })).toEqual({
    batchItemFailures: [],
  });
  await create(invoice({ dueDate: soon(130_000) }));

  // The sweep takes up what nobody published, once with marks that it makes itself, once with minutes closed.
  await table.delete(keys.watermark);
  setClock(() => Date.now() + 240_000);
  await run('functions/background/sweep.ts', {});
  await create(invoice({ dueDate: soon(400_000) }));
  setClock(() => Date.now() + 360_000);
  await closeMinutes();
  await run('functions/background/sweep.ts', {});
  await table.delete(keys.watermark);
  await create(invoice({ dueDate: soon(900_000) }));
  await publishAll();

  const granted = Object.entries<Grant>(grants).flatMap(([file, { table: access, sendsTo = [] }]) => [
    ...Object.entries(access).flatMap(([partition, actions]) =>
      actions.map((action) => `${file} ${action} ${partition}`),
    ),
    ...sendsTo.map((name) => `${file} SendMessage ${name}`),
  ]);
  expect([...called].sort()).toEqual(granted.sort());
}, 60_000);
