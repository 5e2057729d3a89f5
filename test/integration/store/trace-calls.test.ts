/** Tests the subsegments that a traced invocation sends to the X-Ray daemon. A UDP socket takes the daemon's place. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { startTestStack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';

const daemon = createSocket('udp4');
const header =
  'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;Lineage=1:a87bd80c:0';
const received: string[] = [];
let stack: Stack;
let dynamodb: typeof import('../../../shared/store/client.ts').dynamodb;
let sendMessage: typeof import('../../../shared/store/queues.ts').sendMessage;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  ({ dynamodb } = await import('../../../shared/store/client.ts'));
  ({ sendMessage } = await import('../../../shared/store/queues.ts'));
  daemon.on('message', (datagram) => received.push(datagram.toString()));
  daemon.bind(0, '127.0.0.1');
  await once(daemon, 'listening');
  process.env.AWS_XRAY_DAEMON_ADDRESS = `127.0.0.1:${(daemon.address() as AddressInfo).port}`;
});
afterEach(() => {
  delete process.env._X_AMZN_TRACE_ID;
  received.length = 0;
});
afterAll(async () => {
  delete process.env.AWS_XRAY_DAEMON_ADDRESS;
  daemon.close();
  await stack?.close();
});

const put = (condition?: string) =>
  dynamodb.send(
    new PutCommand({
      TableName: stack.tableName,
      Item: { pk: 'private key', sk: 'A', value: 'private value' },
      ConditionExpression: condition,
    }),
  );
const get = () =>
  dynamodb.send(new GetCommand({ TableName: stack.tableName, Key: { pk: 'private key', sk: 'A' } }));

/** Waits for a subsegment of `operation`. The local stack's own calls are traced as well. */
async function subsegmentOf(operation: string) {
  const isWanted = (datagram: string) => datagram.includes(`"operation":"${operation}"`);
  await waitUntil(`a subsegment of ${operation}`, () => received.some(isWanted));
  const [head, subsegment = ''] = (received.find(isWanted) ?? '').split('\n');
  return { head, subsegment: JSON.parse(subsegment) };
}

test('a traced call is reported with its table, its times and its status, and without keys and values', async () => {
  process.env._X_AMZN_TRACE_ID = header;
  await put();
  const { head, subsegment } = await subsegmentOf('PutItem');
  expect(head).toBe('{"format":"json","version":1}');
  expect(subsegment).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    name: 'DynamoDB',
    type: 'subsegment',
    namespace: 'aws',
    trace_id: '1-5759e988-bd862e3fe1be46a994272793',
    parent_id: '53995c3f42cd8ad8',
    start_time: expect.any(Number),
    end_time: expect.any(Number),
    aws: { operation: 'PutItem', table_name: stack.tableName, request_id: expect.any(String), retries: 0 },
    http: { response: { status: 200 } },
  });
  expect(subsegment.end_time).toBeGreaterThanOrEqual(subsegment.start_time);
  expect(subsegment.start_time).toBeGreaterThan(1.7e9);
  expect(subsegment.end_time).toBeLessThan(1e11);
  expect(received.join()).not.toContain('private');
});

test('a failed call is reported with the class of its error', async () => {
  process.env._X_AMZN_TRACE_ID = header;
  await put();
  await expect(put('attribute_not_exists(pk)')).rejects.toThrow();
  await waitUntil('a failed subsegment', () =>
    received.some((datagram) => datagram.includes('"error":true')),
  );
  const [failed = ''] = received.filter((datagram) => datagram.includes('"error":true'));
  expect(JSON.parse(failed.split('\n')[1] ?? '')).toMatchObject({
    aws: { operation: 'PutItem' },
    http: { response: { status: 400 } },
    error: true,
    cause: { exceptions: [{ type: 'ConditionalCheckFailedException' }] },
  });
  expect(failed).not.toContain('throttle');
});

test('a message to a queue is reported with the queue', async () => {
  process.env._X_AMZN_TRACE_ID = header;
  await sendMessage('overdue', { body: { private: 'private value' }, delayMs: 900_000 });
  const { subsegment } = await subsegmentOf('SendMessage');
  expect(subsegment).toMatchObject({
    name: 'SQS',
    aws: { queue_url: expect.stringMatching(/^http/) },
    http: { response: { status: 200 } },
  });
  expect(received.join()).not.toContain('private');
});

test.each([
  ['absent', undefined],
  ['not sampled', header.replace('Sampled=1', 'Sampled=0')],
  ['incomplete', 'Sampled=1'],
])('nothing is reported if the header is %s', async (_, value) => {
  if (value) process.env._X_AMZN_TRACE_ID = value;
  await put();
  // Datagrams on loopback arrive in their order, so a traced call proves that none came before it.
  process.env._X_AMZN_TRACE_ID = header;
  await get();
  await subsegmentOf('GetItem');
  expect(received.filter((datagram) => datagram.includes('PutItem'))).toEqual([]);
});

test('a call succeeds without a daemon', async () => {
  const address = process.env.AWS_XRAY_DAEMON_ADDRESS;
  process.env.AWS_XRAY_DAEMON_ADDRESS = '127.0.0.1:1';
  process.env._X_AMZN_TRACE_ID = header;
  try {
    await put();
    await put();
    expect((await get()).Item).toMatchObject({ value: 'private value' });
  } finally {
    process.env.AWS_XRAY_DAEMON_ADDRESS = address;
  }
});
