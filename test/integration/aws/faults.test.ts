/**
 * Makes the same calls through the SDK and on the short path, to a double that answers with errors and faults of AWS. Callers
 * get the same results and errors, and the double gets the same requests, with valid signatures.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { tableOptions } from '../../../shared/store/client.ts';
import { createDirectTable } from '../../../shared/store/direct-table.ts';
import { createDirectQueueClient, queueOptions } from '../../../shared/store/queue-client.ts';
import { createSdkTable } from '../../../shared/store/sdk-table.ts';
import { type Answer, type ServiceDouble, startServiceDouble } from '../../support/service-double.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type CallResult, type Path, paths, resultOf, type TableClient } from './call-paths.ts';

const environment = {
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'session/token+of==role',
};
const before = { ...process.env };
let double: ServiceDouble;

beforeAll(() => {
  Object.assign(process.env, environment);
});
beforeEach(async () => {
  double = await startServiceDouble();
  process.env.AWS_ENDPOINT_URL_DYNAMODB = double.endpoint;
  process.env.AWS_ENDPOINT_URL_SQS = double.endpoint;
});
afterEach(() => double.close());
afterAll(() => {
  process.env = before;
});

const timeoutMs = 300;
const options = {
  ...tableOptions,
  requestHandler: { connectionTimeout: timeoutMs, socketTimeout: timeoutMs },
};

const createTable = (path: Path): TableClient =>
  path === 'sdk' ? createSdkTable(options) : (createDirectTable(options) as unknown as TableClient);
// The SDK adds its middleware to the commands that it sends, so each call has a command of its own.
const get = () => new GetCommand({ TableName: 'T', Key: { pk: 'a', sk: 'ß' } });
const found = { body: { Item: { pk: { S: 'a' }, data: { B: 'AQI=' } } } };

const refusal = (type: string, more: object = {}, status = 400, headers = {}): Answer => ({
  status,
  headers: { 'x-amzn-requestid': 'R1', ...headers },
  body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: `It is ${type}.`, ...more },
});

/** Makes one call on each path, with the same answers. Returns both results and the number of requests of each. */
async function onBothPaths(
  answers: readonly Answer[],
  send = (client: TableClient, _: ServiceDouble) => client.send(get()),
) {
  const results: Record<string, CallResult> = {};
  const attempts: number[] = [];
  for (const path of paths) {
    const own = await startServiceDouble();
    process.env.AWS_ENDPOINT_URL_DYNAMODB = own.endpoint;
    own.answers = answers;
    const client = createTable(path);
    results[path] = await resultOf(() => send(client, own));
    attempts.push(own.requests.length);
    await own.close();
  }
  const [sdkAttempts, directAttempts] = attempts;
  expect(directAttempts).toBe(sdkAttempts);
  return { ...(results as Record<Path, CallResult>), attempts: sdkAttempts };
}

const binaryItem = {
  Item: { pk: { S: 'a' }, list: { L: [{ M: { bytes: { BS: ['AQI='] } } }, { B: 'AAA=' }] } },
};

test.each<[string, readonly Answer[], number, string | undefined]>([
  ['an item', [found], 1, undefined],
  ['an empty body', [{ body: '' }], 1, undefined],
  [
    'a failed condition',
    [refusal('ConditionalCheckFailedException', binaryItem)],
    1,
    'ConditionalCheckFailedException',
  ],
  [
    'a canceled transaction',
    [
      refusal('TransactionCanceledException', {
        Message: 'Canceled.',
        CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed', ...binaryItem }],
      }),
    ],
    1,
    'TransactionCanceledException',
  ],
  ['a conflict', [refusal('TransactionConflictException'), found], 2, undefined],
  ['a transaction in progress', [refusal('TransactionInProgressException'), found], 2, undefined],
  ['an error that the SDK retries', [refusal('ReplicatedWriteConflictException'), found], 2, undefined],
  ['exceeded throughput', [refusal('ProvisionedThroughputExceededException'), found], 2, undefined],
  ['throttling', [refusal('ThrottlingException'), refusal('RequestLimitExceeded'), found], 3, undefined],
  ['an invalid request', [refusal('ValidationException')], 1, 'ValidationException'],
  ['a missing table', [refusal('ResourceNotFoundException')], 1, 'ResourceNotFoundException'],
  ['no permission', [refusal('AccessDeniedException')], 1, 'AccessDeniedException'],
  ['an error of a kind that nobody knows', [refusal('NovelException')], 1, 'NovelException'],
  ['an error without a type', [{ status: 400, body: { Message: 'No.' } }], 1, 'Unknown'],
  [
    'a type in a header',
    [{ status: 400, headers: { 'x-amzn-errortype': 'HeaderException:http://x' } }],
    1,
    'HeaderException',
  ],
  ['too many requests', [{ status: 429, body: {} }, found], 2, undefined],
  ['an internal error', [refusal('InternalServerError', {}, 500), found], 2, undefined],
  [
    'a page of a proxy instead of an answer',
    [{ status: 503, body: '<html>Busy</html>' }, found],
    2,
    undefined,
  ],
  ['an unreadable answer', [{ body: '{"Item":' }], 1, 'SyntaxError'],
  ['a lost connection', ['reset', found], 2, undefined],
  ['a connection lost within the answer', ['reset within the body', found], 2, undefined],
  ['a silent server', ['silent', found], 2, undefined],
])('%s gives the same result on both paths', async (_, answers, attempts, name) => {
  const { sdk, direct, attempts: made } = await onBothPaths(answers);
  expect(direct).toEqual(sdk);
  expect(made).toBe(attempts);
  expect('error' in direct ? direct.error.name : undefined).toBe(name);
});

test('after ten attempts, the last error is thrown', async () => {
  const { sdk, direct, attempts } = await onBothPaths([refusal('InternalServerError', {}, 500)]);
  expect(attempts).toBe(10);
  expect(direct).toEqual(sdk);
});

test('the items in an error keep the form of attribute values', async () => {
  const { direct } = await onBothPaths([refusal('ConditionalCheckFailedException', binaryItem)]);
  const bytes = Uint8Array.of(1, 2);
  expect(direct).toMatchObject({
    error: { Item: { list: { L: [{ M: { bytes: { BS: [bytes] } } }, { B: Uint8Array.of(0, 0) }] } } },
  });
});

test.each([
  ['aborted before', AbortSignal.abort(), [found], 0],
  ['aborted during the call', undefined, ['silent'], 1],
] as const)('a call can be %s', async (_, signal, answers, attempts) => {
  const results = await onBothPaths(answers, (client, { requests }) => {
    const controller = new AbortController();
    const call = client.send(get(), { abortSignal: signal ?? controller.signal });
    if (!signal)
      void waitUntil('the request', () => requests.length > 0, { everyMs: 5 }).then(() => controller.abort());
    return call;
  });
  expect(results.direct).toEqual(results.sdk);
  expect(results.direct).toMatchObject({ error: { name: 'AbortError' } });
  expect(results.attempts).toBe(attempts);
});

test.each(paths)('requests of the path %s have a valid signature and the session token', async (path) => {
  double.answers = ['reset', found];
  await createTable(path).send(get());
  expect(double.requests).toHaveLength(2);
  for (const { headers, body, ...request } of double.requests) {
    expect(request).toEqual({ method: 'POST', path: '/' });
    expect(headers).toMatchObject({
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      'x-amz-security-token': environment.AWS_SESSION_TOKEN,
      'content-length': String(Buffer.byteLength(body)),
    });
    expect(JSON.parse(body)).toEqual({ TableName: 'T', Key: { pk: { S: 'a' }, sk: { S: 'ß' } } });
    expect(headers.authorization).toBe(await expectedAuthorization(headers, body));
  }
});

/** Computes the signature of a request that arrived with the SDK's signer. */
async function expectedAuthorization(headers: Readonly<Record<string, string>>, body: string) {
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
  const signed = names.split(';').filter((name) => name !== 'x-amz-date' && name !== 'x-amz-security-token');
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION } = environment;
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      sessionToken: AWS_SESSION_TOKEN,
    },
    region: AWS_REGION,
    service: 'dynamodb',
    sha256: Sha256,
    applyChecksum: false,
  });
  const request = new HttpRequest({
    method: 'POST',
    path: '/',
    headers: Object.fromEntries(signed.map((name) => [name, headers[name] ?? ''])),
    body,
  });
  const [, y, m, d, time = ''] = /^(\d{4})(\d\d)(\d\d)T(\d{6})Z$/.exec(headers['x-amz-date'] ?? '') ?? [];
  const signingDate = new Date(`${y}-${m}-${d}T${time.replace(/(\d\d)(\d\d)(\d\d)/, '$1:$2:$3')}Z`);
  return (await signer.sign(request, { signingDate })).headers.authorization;
}

const hourMs = 60 * 60 * 1000;
const inAnHour = () => new Date(Date.now() + hourMs).toUTCString();

test.each(paths)('the path %s signs again with the time of AWS if the clock is wrong', async (path) => {
  double.answers = [
    refusal('InvalidSignatureException', {}, 400, { date: inAnHour() }),
    { ...found, headers: { date: inAnHour() } },
  ];
  const client = createTable(path);
  expect(await resultOf(() => client.send(get()))).toMatchObject({ output: { $metadata: { attempts: 2 } } });
  const [first, second] = double.requests.map(({ headers }) => headers['x-amz-date'] ?? '');
  expect(hoursOf(second) - hoursOf(first)).toBeCloseTo(1, 1);
  expect(client.config.systemClockOffset / hourMs).toBeCloseTo(1, 1);
  await client.send(get());
  expect(hoursOf(double.requests[2]?.headers['x-amz-date']) - hoursOf(first)).toBeCloseTo(1, 1);
});

const hoursOf = (time = '') =>
  Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')) / hourMs;

test.each(paths)('the path %s does not sign again if the clock is right', async (path) => {
  double.answers = [refusal('InvalidSignatureException', {}, 400, { date: new Date().toUTCString() }), found];
  const client = createTable(path);
  expect(await resultOf(() => client.send(get()))).toMatchObject({
    error: { name: 'InvalidSignatureException' },
  });
});

test('the short path tries a failed condition again only when it learns that the clock is wrong', async () => {
  const later = (ms: number) => ({ date: new Date(Date.now() + hourMs + ms).toUTCString() });
  double.answers = [0, 1_000, 3_000].map((ms) =>
    refusal('ConditionalCheckFailedException', {}, 400, later(ms)),
  );
  const client = createTable('direct');
  const failure = { error: { name: 'ConditionalCheckFailedException' } };
  expect(await resultOf(() => client.send(get()))).toMatchObject(failure);
  expect(double.requests).toHaveLength(2);
  // Each answer shows another second.
  expect(await resultOf(() => client.send(get()))).toMatchObject(failure);
  expect(double.requests).toHaveLength(3);
});

test.each(paths)('the path %s tries a message again if the queue does not answer', async (path) => {
  const MD5OfMessageBody = createHash('md5').update('hello').digest('hex');
  double.answers = ['silent', { body: { MessageId: 'm', MD5OfMessageBody } }];
  const client =
    path === 'sdk' ? new SQSClient({ requestHandler: queueOptions }) : (createDirectQueueClient() as never);
  const QueueUrl = `${double.endpoint}/1/queue`;
  const sent = await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
  expect(sent.MessageId).toBe('m');
  expect(double.requests).toHaveLength(2);
});

test('the short path tries again if the answer differs from its checksum', async () => {
  const body = JSON.stringify(found.body);
  const right = { body, headers: { 'x-amz-crc32': String(crc32(body)) } };
  double.answers = [{ ...right, body: body.replace('AQI=', 'AQM=') }, right];
  const { Item } = await createTable('direct').send(get());
  expect(Item).toEqual({ pk: 'a', data: Uint8Array.of(1, 2) });
  expect(double.requests).toHaveLength(2);
});

test.each([
  ['NaN', { pk: Number.NaN }],
  ['a number that is too large', { pk: 2 ** 60 }],
  ['an empty set', { pk: new Set() }],
  ['an object of a class', { pk: new Date(0) }],
])('%s is refused before the call', async (_, Item) => {
  const results = await onBothPaths([found], (client) =>
    client.send(new PutCommand({ TableName: 'T', Item })),
  );
  expect(results.direct).toEqual(results.sdk);
  expect(results.direct).toHaveProperty('error');
  expect(results.attempts).toBe(0);
});

test('a transaction without a token gets one, so that a retry has no second effect', async () => {
  for (const path of paths) {
    double.answers = ['reset', {}];
    process.env.AWS_ENDPOINT_URL_DYNAMODB = double.endpoint;
    await createTable(path).send(
      new TransactWriteCommand({ TransactItems: [{ Delete: { TableName: 'T', Key: { pk: 'a' } } }] }),
    );
  }
  const tokens = double.requests.map(({ body }) => JSON.parse(body).ClientRequestToken);
  expect(tokens[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(tokens.slice(0, 2)).size).toBe(1);
});

test.each(paths)('the path %s applies the steps that a command has of its own', async (path) => {
  double.answers = [found];
  const command = get();
  const replace = (next: (args: object) => Promise<{ response: object }>) => async (args: object) => {
    const { response } = await next(args);
    return { response: { ...response, body: Buffer.from('{"Item":{"pk":{"S":"replaced"}}}') } };
  };
  const place = { name: 'replace', relation: 'after', toMiddleware: 'deserializerMiddleware' } as const;
  command.middlewareStack.addRelativeTo(replace as never, { ...place, override: true });
  expect(await createTable(path).send(command)).toMatchObject({ Item: { pk: 'replaced' } });
  expect(await createTable(path).send(get())).toMatchObject({ Item: { pk: 'a' } });
});

test('a command that the short path does not know is refused', async () => {
  const client = createTable('direct');
  await expect(client.send({ input: {}, middlewareStack: {} } as never)).rejects.toThrow('no short path');
});
