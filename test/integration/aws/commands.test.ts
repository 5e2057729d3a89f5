/**
 * Makes the same calls through the SDK and on the short path, to DynamoDB Local and to an SQS API. Both paths have the same
 * effects and return the same results.
 */
import { buffer } from 'node:stream/consumers';
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { startTestStack } from '../../support/stack.ts';
import { type Path, paths, resultOf, type TableClient } from './call-paths.ts';

let stack: Stack;
let clients: Record<Path, TableClient>;
let queueClients: Record<Path, Pick<SQSClient, 'send'>>;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  const { tableOptions } = await import('../../../shared/store/client.ts');
  const { createDirectTable } = await import('../../../shared/store/direct-table.ts');
  const { createSdkTable } = await import('../../../shared/store/sdk-table.ts');
  const { createDirectQueueClient } = await import('../../../shared/store/queue-client.ts');
  clients = {
    sdk: createSdkTable(tableOptions),
    direct: createDirectTable(tableOptions) as unknown as TableClient,
  };
  queueClients = { sdk: new SQSClient(), direct: createDirectQueueClient() as unknown as SQSClient };
});
afterAll(() => stack?.close());

/** Each path has a partition of its own, so both make the same calls on the same items. */
async function onBothPaths(calls: (pk: string, TableName: string) => readonly object[]): Promise<unknown[]> {
  const partition = `calls ${Math.random()}`;
  const results = paths.map(async (path) => {
    const own: unknown[] = [];
    for (const command of calls(`${partition} ${path}`, stack.tableName))
      own.push(await resultOf(() => clients[path].send(command as never)));
    return JSON.parse(JSON.stringify(own, showBytes).replaceAll(`${partition} ${path}`, 'PARTITION'));
  });
  const [sdk, direct] = await Promise.all(results);
  expect(direct).toEqual(sdk);
  return direct;
}

function showBytes(this: Record<string, unknown>, name: string, value: unknown): unknown {
  // A scan also counts the items of the other path.
  if (name === 'ScannedCount') return undefined;
  const original = this[name];
  if (ArrayBuffer.isView(original))
    return { bytes: Object.prototype.toString.call(original), values: [...(original as Uint8Array)] };
  if (original instanceof Set)
    return { set: [...original].map((member) => showBytes.call({ member }, 'member', member)) };
  return typeof value === 'bigint' ? { big: String(value) } : value;
}

const everyType = {
  text: 'Dzongkha རྫོང་ཁ, "quotes" \\ and \u0000',
  empty: '',
  integer: 999_999_999_999,
  negative: -0.5,
  small: 1e-7,
  big: 9_007_199_254_740_993n,
  yes: true,
  nothing: null,
  missing: undefined,
  bytes: Uint8Array.of(0, 255, 128),
  buffer: Buffer.from('bytes'),
  texts: new Set(['b', 'a']),
  numbers: new Set([3, 1.5]),
  byteSet: new Set([Uint8Array.of(1), Uint8Array.of(2, 3)]),
  list: [1, 'two', null, undefined, { three: [Uint8Array.of(3)] }],
  map: { M: { S: 'no type' }, inner: { missing: undefined }, Items: [], Key: { pk: 'x' } },
  fields: new Map([['a', 1]]),
  emptyList: [],
  emptyMap: {},
};

test('items with values of every type are stored and read alike', async () => {
  const results = await onBothPaths((pk, TableName) => [
    new PutCommand({ TableName, Item: { pk, sk: 'A', ...everyType } }),
    new GetCommand({ TableName, Key: { pk, sk: 'A' }, ConsistentRead: true }),
    new PutCommand({ TableName, Item: { pk, sk: 'A', changed: true }, ReturnValues: 'ALL_OLD' }),
    new DeleteCommand({
      TableName,
      Key: { pk, sk: 'A' },
      ReturnValues: 'ALL_OLD',
      ReturnConsumedCapacity: 'TOTAL',
    }),
    new GetCommand({ TableName, Key: { pk, sk: 'A' } }),
  ]);
  expect(results[1]).toMatchObject({
    output: { Item: { text: everyType.text, integer: everyType.integer } },
  });
});

test("a query for DynamoDB's own JSON, also if something has read the body of the answer before", async () => {
  const { sendWireQuery } = await import('../../../shared/store/lists/wire-items.ts');
  const { tableOptions } = await import('../../../shared/store/client.ts');
  const { createSdkTable } = await import('../../../shared/store/sdk-table.ts');
  const TableName = stack.tableName;
  const pk = `wire ${Math.random()}`;
  for (const sk of ['A', 'B', 'C'])
    await clients.sdk.send(new PutCommand({ TableName, Item: { pk, sk, o: everyType.byteSet } }));
  const readFirst = createSdkTable(tableOptions);
  const { requestHandler } = readFirst.config;
  const handle = requestHandler.handle.bind(requestHandler);
  requestHandler.handle = async (...call) => {
    const result = await handle(...call);
    return {
      ...result,
      response: Object.assign(result.response, { body: await buffer(result.response.body) }),
    };
  };
  const answers = [clients.sdk, clients.direct, readFirst].map((client) => {
    const query = new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      Limit: 2,
    });
    return sendWireQuery(query, client as never);
  });
  const items = ['A', 'B'].map((sk) => ({ pk: { S: pk }, sk: { S: sk }, o: { BS: ['AQ==', 'AgM='] } }));
  const expected = { items, lastKey: { pk, sk: 'B' } };
  expect(await Promise.all(answers)).toEqual([expected, expected, expected]);
});

test('updates, queries and scans', async () => {
  const results = await onBothPaths((pk, TableName) => [
    ...['A', 'B', 'C'].map((sk) => new PutCommand({ TableName, Item: { pk, sk, count: 1 } })),
    new UpdateCommand({
      TableName,
      Key: { pk, sk: 'B' },
      UpdateExpression: 'ADD #count :more, #seen :seen',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#count': 'count', '#seen': 'seen' },
      ExpressionAttributeValues: { ':more': 2, ':seen': new Set([Uint8Array.of(7)]) },
      ReturnValues: 'UPDATED_NEW',
    }),
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      Limit: 2,
      ScanIndexForward: false,
      ConsistentRead: true,
    }),
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ExclusiveStartKey: { pk, sk: 'A' },
      ProjectionExpression: 'sk',
    }),
    new ScanCommand({
      TableName,
      FilterExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ConsistentRead: true,
    }),
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      Select: 'COUNT',
    }),
  ]);
  expect(results[4]).toMatchObject({ output: { Count: 2, LastEvaluatedKey: { sk: 'B' } } });
});

test('batches', async () => {
  const results = await onBothPaths((pk, TableName) => [
    new BatchWriteCommand({
      RequestItems: {
        [TableName]: ['A', 'B'].map((sk) => ({ PutRequest: { Item: { pk, sk, ...everyType } } })),
      },
    }),
    new BatchWriteCommand({ RequestItems: { [TableName]: [{ DeleteRequest: { Key: { pk, sk: 'B' } } }] } }),
    new BatchGetCommand({
      RequestItems: { [TableName]: { Keys: ['A', 'B'].map((sk) => ({ pk, sk })), ConsistentRead: true } },
    }),
    new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [] } } }),
  ]);
  expect(results[3]).toMatchObject({ error: { name: 'ValidationException' } });
});

test('transactions, and the reasons for which they are canceled', async () => {
  const results = await onBothPaths((pk, TableName) => {
    const condition = {
      TableName,
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
    const write = (ClientRequestToken: string) =>
      new TransactWriteCommand({
        TransactItems: [
          { Put: { ...condition, Item: { pk, sk: 'A', ...everyType } } },
          {
            Update: {
              TableName,
              Key: { pk, sk: 'B' },
              UpdateExpression: 'SET a = :a',
              ExpressionAttributeValues: { ':a': [1] },
            },
          },
          { Delete: { TableName, Key: { pk, sk: 'C' } } },
          { ConditionCheck: { ...condition, Key: { pk, sk: 'D' } } },
        ],
        ClientRequestToken,
      });
    return [
      write(`${pk.slice(-10)} 1`),
      write(`${pk.slice(-10)} 1`),
      write(`${pk.slice(-10)} 2`),
      new TransactGetCommand({
        TransactItems: ['A', 'B', 'C'].map((sk) => ({ Get: { TableName, Key: { pk, sk } } })),
      }),
    ];
  });
  expect(results[2]).toMatchObject({
    error: { name: 'TransactionCanceledException', isModeled: [false, true] },
  });
});

test('refused calls', async () => {
  const missing = { TableName: 'missing', Key: { pk: 'a', sk: 'a' } };
  const results = await onBothPaths((pk, TableName) => [
    new PutCommand({ TableName, Item: { pk, sk: 'A', ...everyType } }),
    new PutCommand({
      TableName,
      Item: { pk, sk: 'A' },
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
    new GetCommand(missing),
    new UpdateCommand({ TableName, Key: { pk, sk: 'A' }, UpdateExpression: 'nonsense' }),
    new PutCommand({ TableName, Item: { pk, sk: 1 } }),
  ]);
  expect(results.slice(1).map((result) => (result as { error: { name: string } }).error.name)).toEqual([
    'ConditionalCheckFailedException',
    'ResourceNotFoundException',
    'ValidationException',
    'ValidationException',
  ]);
});

test('messages are sent to queues, one or several at once', async () => {
  const QueueUrl = stack.queueUrls.overdue.url;
  const results = await Promise.all(
    paths.map(async (path) => [
      await resultOf(() =>
        queueClients[path].send(new SendMessageCommand({ QueueUrl, MessageBody: '"ü"', DelaySeconds: 900 })),
      ),
      await resultOf(() =>
        queueClients[path].send(
          new SendMessageBatchCommand({
            QueueUrl,
            Entries: [1, 2].map((id) => ({ Id: String(id), MessageBody: `{"ü":${id}}`, DelaySeconds: 900 })),
          }),
        ),
      ),
      await resultOf(() =>
        queueClients[path].send(
          new SendMessageCommand({ QueueUrl: `${QueueUrl}-missing`, MessageBody: 'x' }),
        ),
      ),
    ]),
  );
  const [sdk, direct] = JSON.parse(
    JSON.stringify(results, (name, value) => (name === 'MessageId' ? 'ID' : value)),
  );
  expect(direct).toEqual(sdk);
  expect(direct).toMatchObject([
    { output: { MessageId: 'ID' } },
    { output: { Successful: [{ Id: '1' }, { Id: '2' }] } },
    { error: {} },
  ]);
});
