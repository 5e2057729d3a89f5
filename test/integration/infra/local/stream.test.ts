/** Tests the stream poller with DynamoDB Local. */
import { randomUUID } from 'node:crypto';
import { DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { DynamoDBRecord } from 'aws-lambda';
import { setEnvironment } from '../../../../infra/local/environment.ts';
import type { Loop } from '../../../../infra/local/loop.ts';
import { createPollClients } from '../../../../infra/local/poll-clients.ts';
import { type StreamHandler, startStream } from '../../../../infra/local/stream.ts';
import { deleteTable, ensureTable } from '../../../../infra/local/table.ts';
import { listenToWrites } from '../../../../infra/local/writes.ts';
import { sharedEndpoints } from '../../../support/shared-servers.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const settings = {
  endpoint: sharedEndpoints().dynamodb,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
const dynamodb = new DynamoDBClient(settings);
const calls = process.env.AWS_CALLS ?? 'direct';
const tableName = `test-${randomUUID()}`;
const reports: string[] = [];

let streamArn: string;
let polls = createPollsOn(calls);
let loop: Loop | undefined;
let batches: string[][];

beforeAll(async () => {
  ({ streamArn } = await ensureTable(dynamodb, tableName));
});
beforeEach(() => {
  batches = [];
  reports.length = 0;
});
afterEach(async () => {
  await loop?.close();
  loop = undefined;
});
afterAll(async () => {
  await deleteTable(dynamodb, tableName);
  dynamodb.destroy();
  polls.destroy();
});

/** @param calls how the poller calls DynamoDB: `direct` or `sdk` */
function createPollsOn(calls: string) {
  setEnvironment({
    AWS_CALLS: calls,
    AWS_REGION: settings.region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: settings.endpoint,
  });
  return createPollClients({
    dynamodb: settings.endpoint,
    sqs: 'http://127.0.0.1:9',
    region: settings.region,
  });
}

const put = (sk: string, pk = 'OUTBOX#1') =>
  dynamodb.send(
    new PutItemCommand({
      TableName: tableName,
      Item: {
        pk: { S: pk },
        sk: { S: sk },
        bytes: { B: Buffer.from('hi') },
        set: { BS: [Buffer.from('a')] },
      },
    }),
  );
const nameOf = (record: DynamoDBRecord) => record.dynamodb?.Keys?.sk?.S ?? '';
const numberOf = (record: DynamoDBRecord) => record.dynamodb?.SequenceNumber ?? '';

async function start(
  answer: (records: DynamoDBRecord[]) => ReturnType<StreamHandler>,
  batchSize = 25,
  parallelizationFactor = 1,
  idleMs = 5,
) {
  loop = await startStream({
    client: polls.streams,
    streamArn,
    region: 'us-east-1',
    trigger: {
      kind: 'stream',
      handler: 'fixture',
      batchSize,
      parallelizationFactor,
      filter: { eventName: 'INSERT', pkPrefix: 'OUTBOX#' },
    },
    handler: (event) => {
      batches.push(event.Records.map(nameOf));
      return answer(event.Records);
    },
    report: (line) => reports.push(line),
    idleMs,
  });
  return loop;
}
const delivered = () => batches.flat();
const success = async () => ({ batchItemFailures: [] });

test('ensureTable does not change an existing table', async () => {
  expect(await ensureTable(dynamodb, tableName)).toEqual({ streamArn });
});

test.each(['sdk', 'direct'])(
  'every matching insert after the start arrives in order and in the format of Lambda, with the path %s',
  async (path) => {
    polls.destroy();
    polls = createPollsOn(path);
    await put(`${path}-before`);
    const seen: DynamoDBRecord[] = [];
    await start(async (records) => {
      seen.push(...records);
      return undefined;
    });
    await put('other', 'OTHER#1');
    for (const sk of ['a', 'b', 'c']) await put(`${path}-${sk}`);
    await dynamodb.send(
      new UpdateItemCommand({
        TableName: tableName,
        Key: { pk: { S: 'OUTBOX#1' }, sk: { S: `${path}-a` } },
        UpdateExpression: 'SET n = :n',
        ExpressionAttributeValues: { ':n': { N: '1' } },
      }),
    );
    await put(`${path}-last`);
    await waitUntil('the last record', () => delivered().includes(`${path}-last`));
    expect(delivered()).toEqual(['a', 'b', 'c', 'last'].map((sk) => `${path}-${sk}`));
    expect(seen[0]).toMatchObject({
      eventName: 'INSERT',
      eventSource: 'aws:dynamodb',
      eventSourceARN: streamArn,
      awsRegion: 'us-east-1',
      dynamodb: {
        Keys: { pk: { S: 'OUTBOX#1' }, sk: { S: `${path}-a` } },
        NewImage: { bytes: { B: 'aGk=' }, set: { BS: ['YQ=='] } },
        SequenceNumber: expect.any(String),
        ApproximateCreationDateTime: expect.any(Number),
      },
    });
  },
);

test('batches are at most as large as the batch size of the trigger', async () => {
  const poller = await start(success, 2);
  await poller.pause();
  for (const sk of ['1', '2', '3', '4', '5']) await put(`size-${sk}`);
  poller.resume();
  await waitUntil('five records', () => delivered().length === 5);
  expect(batches).toEqual([['size-1', 'size-2'], ['size-3', 'size-4'], ['size-5']]);
});

test('batches of different partitions are processed in parallel, and the records of one partition in order', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const isHeld = (records: DynamoDBRecord[]) =>
    records.some(({ dynamodb: change }) => change?.Keys?.pk?.S === 'OUTBOX#1');
  const poller = await start(
    async (records) => {
      if (isHeld(records)) await released;
      return undefined;
    },
    2,
    10,
  );
  await poller.pause();
  for (const sk of ['1', '2', '3']) await put(`held-${sk}`);
  for (let n = 2; n <= 12; n++) await put(`free-${n}`, `OUTBOX#${n}`);
  poller.resume();
  await waitUntil('other partitions', () => delivered().filter((name) => name.startsWith('free')).length > 5);
  expect(delivered()).not.toContain('held-3');
  release();
  await waitUntil('all records', () => delivered().length === 14);
  expect(delivered().filter((name) => name.startsWith('held'))).toEqual(['held-1', 'held-2', 'held-3']);
});

test('after a partial failure the next batch starts at the first failed record', async () => {
  let failures = 2;
  const poller = await start(async (records) => {
    const failed = records.filter((record) => nameOf(record) === 'partial-2');
    if (failed.length === 0 || failures === 0) return undefined;
    failures -= 1;
    return { batchItemFailures: failed.map((record) => ({ itemIdentifier: numberOf(record) })) };
  });
  await poller.pause();
  for (const n of [1, 2, 3]) await put(`partial-${n}`);
  poller.resume();
  await waitUntil('all batches', () => batches.length === 3);
  expect(batches).toEqual([
    ['partial-1', 'partial-2', 'partial-3'],
    ['partial-2', 'partial-3'],
    ['partial-2', 'partial-3'],
  ]);
});

test.each([
  ['throws', () => Promise.reject(new Error('no'))],
  ['names an unknown record', async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] })],
])(
  'if the function %s, the whole batch fails; a record is skipped after three retries, later ones are not',
  async (kind, fail) => {
    const poison = `poison ${kind}`;
    await start(async (records) => (records.map(nameOf).includes(poison) ? fail() : undefined));
    await put(poison);
    await put(`later ${kind}`);
    await waitUntil('the later record', () => batches.some(([first]) => first === `later ${kind}`));
    expect(batches.filter(([first]) => first === poison)).toHaveLength(4);
    expect(reports.filter((line) => line.includes('skipped record'))).toHaveLength(1);
  },
);

test('no record arrives while the poller is paused; all arrive afterwards', async () => {
  const poller = await start(success);
  await poller.pause();
  await put('paused');
  const first = batches.length;
  poller.resume();
  await waitUntil('the record', () => delivered().includes('paused'));
  expect(first).toBe(0);
});

test.each(['an item', 'a transaction'])(
  'after a write of %s by this process, the poller reads at once',
  async (kind) => {
    setEnvironment({ TABLE_NAME: tableName });
    const { dynamodb: client } = await import('../../../../shared/store/client.ts');
    const poller = await start(success, 25, 1, 3_600_000);
    const stop = await listenToWrites('OUTBOX#', poller.wake);
    const Put = { TableName: tableName, Item: { pk: 'OUTBOX#1', sk: `woken by ${kind}` } };
    await put(`written before ${kind}`);
    if (kind === 'an item') await client.send(new PutCommand(Put));
    else await client.send(new TransactWriteCommand({ TransactItems: [{ Put }] }));
    await waitUntil('both records', () => delivered().includes(`woken by ${kind}`));
    expect(delivered()).toContain(`written before ${kind}`);
    stop();
  },
);

test('reads, other items and writes after the end do not wake the poller', async () => {
  const { dynamodb: client } = await import('../../../../shared/store/client.ts');
  let wakes = 0;
  const stop = await listenToWrites('OUTBOX#', () => {
    wakes += 1;
  });
  const Key = { pk: 'OUTBOX#1', sk: 'a' };
  await client.send(new GetCommand({ TableName: tableName, Key }));
  await client.send(new PutCommand({ TableName: tableName, Item: { pk: 'OTHER#1', sk: 'a' } }));
  await client.send(new DeleteCommand({ TableName: tableName, Key }));
  expect(wakes).toBe(0);
  const failing = {
    TableName: tableName,
    Item: { ...Key, pk: 'OUTBOX#2' },
    ConditionExpression: 'attribute_exists(pk)',
  };
  await expect(client.send(new PutCommand(failing))).rejects.toThrow();
  expect(wakes).toBe(1);
  stop();
  await client.send(new PutCommand({ TableName: tableName, Item: Key }));
  expect(wakes).toBe(1);
});

test('two tables have different streams', async () => {
  const other = `test-${randomUUID()}`;
  const { streamArn: otherArn } = await ensureTable(dynamodb, other);
  expect(otherArn).not.toBe(streamArn);
  await deleteTable(dynamodb, other);
});
