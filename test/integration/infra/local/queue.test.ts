/** Tests the queue poller with the local SQS emulator. */
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { SQSRecord } from 'aws-lambda';
import { setEnvironment } from '../../../../infra/local/environment.ts';
import type { Loop } from '../../../../infra/local/loop.ts';
import { createPollClients, type PollClients } from '../../../../infra/local/poll-clients.ts';
import { type QueueHandler, startQueue } from '../../../../infra/local/queue.ts';
import {
  ensureQueue,
  type OpenQueue,
  type QueueServer,
  startQueueServer,
} from '../../../../infra/local/queue-server.ts';
import { waitUntil } from '../../../support/wait-until.ts';

let server: QueueServer;
let client: SQSClient;
let polls: PollClients;
let loop: Loop | undefined;
let sequence = 0;
const reports: string[] = [];

beforeAll(async () => {
  server = await startQueueServer('us-east-1');
  client = new SQSClient({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  polls = createPollsOn(process.env.AWS_CALLS ?? 'direct');
});
afterEach(async () => {
  await loop?.close();
  loop = undefined;
});
afterAll(async () => {
  client.destroy();
  polls.destroy();
  await server.close();
});

/** @param calls how the poller calls SQS: `direct` or `sdk` */
function createPollsOn(calls: string): PollClients {
  const region = 'us-east-1';
  setEnvironment({
    AWS_CALLS: calls,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_SQS: server.endpoint,
  });
  return createPollClients({ dynamodb: 'http://127.0.0.1:9', sqs: server.endpoint, region });
}

const makeQueue = (settings: { visibilityTimeoutSeconds?: number; maxReceives?: number } = {}) => {
  sequence += 1;
  return ensureQueue(client, `queue-${sequence}`, {
    urlVariable: 'QUEUE_URL',
    visibilityTimeoutSeconds: 30,
    maxReceives: 10,
    ...settings,
  });
};
const sendTo = (queue: OpenQueue, body: string) =>
  client.send(
    new SendMessageCommand({
      QueueUrl: queue.url,
      MessageBody: body,
      MessageAttributes: {
        kind: { DataType: 'String', StringValue: 'test' },
        bytes: { DataType: 'Binary', BinaryValue: Buffer.from('hi') },
      },
    }),
  );

function poll(
  queue: OpenQueue,
  answer: (records: SQSRecord[]) => ReturnType<QueueHandler>,
  batchSize = 10,
): Loop {
  loop = startQueue({
    client: polls.sqs,
    queueUrl: queue.url,
    queueArn: queue.arn,
    region: 'us-east-1',
    trigger: { kind: 'queue', handler: 'fixture', queue: 'overdue', batchSize },
    timeoutMs: 30_000,
    handler: (event) => answer(event.Records),
    report: (line) => reports.push(line),
  });
  return loop;
}
const receivedFrom = async (url: string) => {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10 }),
  );
  return Messages.map((message) => message.Body);
};

test.each(['sdk', 'direct'])(
  'passes a message in the format of Lambda, then deletes it, with the path %s',
  async (path) => {
    polls.destroy();
    polls = createPollsOn(path);
    const queue = await makeQueue({ visibilityTimeoutSeconds: 1 });
    const seen: SQSRecord[] = [];
    poll(queue, async (records) => {
      seen.push(...records);
      return undefined;
    });
    await sendTo(queue, 'hello');
    await sendTo(queue, 'again');
    await waitUntil('both messages', () => seen.length === 2);
    expect(seen[0]).toEqual({
      messageId: expect.any(String),
      receiptHandle: expect.any(String),
      body: 'hello',
      attributes: expect.objectContaining({
        ApproximateReceiveCount: '1',
        SentTimestamp: expect.stringMatching(/^\d+$/),
      }),
      messageAttributes: {
        kind: { dataType: 'String', stringValue: 'test' },
        bytes: { dataType: 'Binary', binaryValue: 'aGk=' },
      },
      md5OfBody: '5d41402abc4b2a76b9719d911017c592',
      md5OfMessageAttributes: expect.any(String),
      eventSource: 'aws:sqs',
      eventSourceARN: queue.arn,
      awsRegion: 'us-east-1',
    });
    const counts = (body: string) => seen.filter((record) => record.body === body).length;
    await sendTo(queue, 'last');
    await waitUntil('the last message', () => counts('last') === 1);
    expect([counts('hello'), counts('again')]).toEqual([1, 1]);
  },
);

test('only the failed messages of a batch are redelivered', async () => {
  const queue = await makeQueue({ visibilityTimeoutSeconds: 1 });
  for (const body of ['good', 'bad', 'fine']) await sendTo(queue, body);
  const batches: string[][] = [];
  poll(queue, async (records) => {
    batches.push(records.map((record) => record.body).sort());
    const failed = records.filter(
      ({ body, attributes }) => body === 'bad' && attributes.ApproximateReceiveCount === '1',
    );
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });
  await waitUntil('the second batch', () => batches.length === 2);
  expect(batches).toEqual([['bad', 'fine', 'good'], ['bad']]);
});

test.each([
  ['throws', () => Promise.reject(new Error('no'))],
  ['names an unknown message', async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] })],
  ['names no message', async () => ({ batchItemFailures: [{ itemIdentifier: '' }] })],
])(
  'if the function %s, the whole batch is retried and then moved to the dead-letter queue',
  async (_, fail) => {
    const queue = await makeQueue({ visibilityTimeoutSeconds: 1, maxReceives: 2 });
    await sendTo(queue, 'one');
    await sendTo(queue, 'two');
    const receives: string[] = [];
    poll(queue, (records) => {
      receives.push(
        ...records.map(({ body, attributes }) => `${body} ${attributes.ApproximateReceiveCount}`),
      );
      return fail();
    });
    const dead: unknown[] = [];
    await waitUntil('dead letters', async () => {
      dead.push(...(await receivedFrom(queue.deadLetterUrl)));
      return dead.length === 2;
    });
    expect(dead.sort()).toEqual(['one', 'two']);
    expect(receives.sort()).toEqual(['one 1', 'one 2', 'two 1', 'two 2']);
  },
);

test('batches run in parallel, and close() waits for them', async () => {
  const queue = await makeQueue();
  const release = Promise.withResolvers<void>();
  let running = 0;
  let ended = 0;
  const poller = poll(
    queue,
    async () => {
      running += 1;
      await release.promise;
      ended += 1;
      return undefined;
    },
    1,
  );
  for (const body of ['one', 'two', 'three']) await sendTo(queue, body);
  await waitUntil('three at once', () => running === 3);
  const closed = poller.close();
  release.resolve();
  await closed;
  expect(ended).toBe(3);
});

test('no message arrives while the poller is paused; all arrive afterwards', async () => {
  const queue = await makeQueue();
  const bodies: string[] = [];
  const poller = poll(queue, async (records) => {
    bodies.push(...records.map(({ body }) => body));
    return undefined;
  });
  await poller.pause();
  await sendTo(queue, 'later');
  const whilePaused = [...bodies];
  poller.resume();
  await waitUntil('the message', () => bodies.length === 1);
  expect(whilePaused).toEqual([]);
});

test('a message goes to the next poll if the client of the poll before has left', async () => {
  const queue = await makeQueue();
  const leaving = new AbortController();
  const receive = (WaitTimeSeconds: number, abortSignal = new AbortController().signal) =>
    client.send(new ReceiveMessageCommand({ QueueUrl: queue.url, WaitTimeSeconds }), { abortSignal });
  const left = receive(20, leaving.signal).catch(({ name }) => name);
  await receive(1);
  leaving.abort();
  expect(await left).toBe('AbortError');
  // Meanwhile, the server learns that the client has left.
  await receive(1);
  await sendTo(queue, 'kept');
  expect((await receive(20)).Messages?.map(({ Body }) => Body)).toEqual(['kept']);
});

test('ensureQueue updates the settings of an existing queue and keeps its messages', async () => {
  const queue = await makeQueue();
  await sendTo(queue, 'kept');
  sequence -= 1;
  expect(await makeQueue({ maxReceives: 3 })).toEqual(queue);
  expect(await receivedFrom(queue.url)).toEqual(['kept']);
});
