/** Tests functions whose DynamoDB is silent, slow or overloaded: they end before Lambda stops them, and say so. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { SQSBatchResponse } from 'aws-lambda';
import { setEnvironment, setLocalCredentials } from '../../infra/local/environment.ts';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import { ensureSecretFiles } from '../../infra/local/secret-files.ts';
import { triggers } from '../../infra/triggers.ts';
import { routes } from '../../shared/api/routes.ts';
import { invoiceBody } from '../support/api.ts';
import { startTcpReceiver, type TcpBehavior, type TcpReceiver } from '../support/tcp-receivers.ts';

/** The time from the start of an invocation until Lambda stops the function. */
const timeoutMs = 6_000;

// Taken before the tests replace it.
const startRealInterval = setInterval;

/**
 * Replaces the clock and the timers while `work` runs. The time then passes in steps, and only while this process runs. So a
 * machine that stops the process for seconds does not move a request past its deadline.
 */
async function withSteadyTime<T>(work: () => Promise<T>): Promise<T> {
  jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'queueMicrotask', 'setImmediate'] });
  const ticks = startRealInterval(() => jest.advanceTimersByTime(20), 5);
  try {
    return await work();
  } finally {
    jest.useRealTimers();
    clearInterval(ticks);
  }
}

const silent: TcpBehavior = () => {};
const throttled: TcpBehavior = (socket) => {
  const body = JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException' });
  socket.write(`HTTP/1.1 400 Bad Request\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
};
/** Sends a byte often enough that the socket never seems silent. */
const slow: TcpBehavior = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
  const timer = setInterval(() => socket.write(' '), 200);
  socket.on('close', () => clearInterval(timer));
};

let directory: string;
let dynamodb: TcpReceiver;
let behave: TcpBehavior;
let apiKey: string;
const lines: { message: string; [field: string]: unknown }[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'remit-test-'));
  dynamodb = await startTcpReceiver((...request) => behave(...request));
  const endpoint = `http://127.0.0.1:${dynamodb.port}`;
  const secretFile = join(directory, 'deployment-secret.json');
  await ensureSecretFiles(secretFile);
  setLocalCredentials([endpoint]);
  setEnvironment({
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    DEPLOYMENT_SECRET_FILE: secretFile,
    PAY_URL_BASE: 'http://127.0.0.1/pay',
    STAGE: 'dev',
    TABLE_NAME: 'table',
  });
  apiKey = await keyOf('acct_0000000000000000');
  const { logger } = await import('../../shared/base/log.ts');
  for (const level of ['info', 'error'] as const) {
    logger[level] = (message, ...[fields]) =>
      void lines.push({ ...(fields as object), message: String(message) });
  }
});
afterEach(() => {
  lines.length = 0;
});
afterAll(async () => {
  await dynamodb.close();
  await rm(directory, { recursive: true, force: true });
});

async function keyOf(account: string): Promise<string> {
  const { newApiKey } = await import('../../shared/domain/auth/api-key.ts');
  return newApiKey({ account, mode: 'test' });
}

/**
 * Throttles every call, but loses the answer to one attempt of the write of `account`. Only the answer to a call that writes
 * leaves its effect unknown, and the request reads in parallel to it. One test uses the account, so that no call of another
 * test, which may still end, counts.
 * @returns the number of attempts until now
 */
function loseAttempt(account: string, lostAttempt: number): () => number {
  let attempts = 0;
  behave = (socket, ...request) => {
    const call = dynamodb.requests.at(-1) ?? '';
    const isWrite = /^x-amz-target: .*UpdateItem/im.test(call) && call.includes(account);
    if (isWrite && ++attempts === lostAttempt) socket.destroy();
    else throttled(socket, ...request);
  };
  return () => attempts;
}

/** Runs a function as Lambda does. Fails if it is still running when Lambda would stop it. */
async function invoke<Result>(file: string, event: unknown, within = timeoutMs): Promise<Result> {
  const handler = await loadHandler<unknown, Result>(file);
  return withSteadyTime(async () => {
    const context = lambdaContext(file, within);
    const ended = handler(event, context);
    await Promise.allSettled([ended]);
    expect(context.getRemainingTimeInMillis()).toBeGreaterThan(0);
    return ended;
  });
}

interface GatewayResult {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Creates an invoice under an idempotency key. */
async function createInvoice(requestId: string, within = timeoutMs, key = apiKey): Promise<GatewayResult> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  return invoke<GatewayResult>(
    routes.createInvoice.handler,
    {
      httpMethod: 'POST',
      path: '/api/invoices',
      pathParameters: null,
      headers,
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      multiValueQueryStringParameters: {},
      body: JSON.stringify(invoiceBody()),
      isBase64Encoded: false,
      requestContext: { requestId, identity: { sourceIp: '127.0.0.1' } },
    },
    within,
  );
}

test.each([
  ['is silent', silent, 'TimeoutError'],
  ['sends an endless answer', slow, undefined],
] as const)(
  'a request gets an error envelope, a log line and metrics if DynamoDB %s',
  async (_, fault, cause) => {
    behave = fault;
    const requestId = randomUUID();
    const response = await createInvoice(requestId);
    expect(response).toMatchObject({ statusCode: 500, headers: { 'X-Request-Id': requestId } });
    expect(JSON.parse(response.body)).toMatchObject({ error: { code: 'internal_error' } });
    expect(lines).toEqual([
      expect.objectContaining({
        message: 'request',
        requestId,
        status: 500,
        code: 'internal_error',
        Requests: 1,
        Errors: 1,
        error: expect.objectContaining({ name: 'DeadlineExceededError' }),
      }),
    ]);
    if (cause) expect(lines).toMatchObject([{ error: { cause: expect.stringContaining(cause) } }]);
  },
);

test('a request gets 429 shortly before its deadline if DynamoDB throttles every call', async () => {
  behave = throttled;
  const requestId = randomUUID();
  const response = await createInvoice(requestId);
  expect(response).toMatchObject({ statusCode: 429, headers: { 'X-Request-Id': requestId } });
  expect(JSON.parse(response.body)).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
  expect(Number(response.headers['Retry-After'])).toBeGreaterThanOrEqual(1);
  expect(Number(response.headers['Retry-After'])).toBeLessThanOrEqual(5);
  expect(lines).toEqual([
    expect.objectContaining({
      message: 'request',
      requestId,
      status: 429,
      code: 'rate_limit_exceeded',
      throttled: true,
      AdmissionRefusals: 1,
    }),
  ]);
});

test.each([
  ['is throttled afterwards', 'acct_1111111111111111', 1],
  ['was throttled ten times before', 'acct_2222222222222222', 12],
])('a request whose effect is unknown gets 500 if it %s', async (_, account, lostAttempt) => {
  const attempts = loseAttempt(account, lostAttempt);
  const response = await createInvoice(randomUUID(), timeoutMs, await keyOf(account));
  expect(attempts()).toBeGreaterThan(lostAttempt);
  expect(response).toMatchObject({ statusCode: 500 });
  expect(lines).toMatchObject([{ status: 500, error: { name: 'DeadlineExceededError' } }]);
});

test('a request after its deadline sends no call', async () => {
  behave = silent;
  const before = dynamodb.requests.length;
  expect(await createInvoice(randomUUID(), 1_500)).toMatchObject({ statusCode: 500 });
  expect(dynamodb.requests).toHaveLength(before);
  expect(lines).toMatchObject([{ message: 'request', error: { name: 'DeadlineExceededError' } }]);
});

test('a queue gets every message back that does not finish in time, with a log line for each', async () => {
  behave = silent;
  const ids = ['first', 'second'];
  const message = { due: 0, kind: 'overdue', reference: `inv_${'0'.repeat(24)}`, minute: 0 };
  const answer = await invoke<SQSBatchResponse>(triggers.overdue.handler, {
    Records: ids.map((messageId) => ({ messageId, body: JSON.stringify(message) })),
  });
  // Both messages fail at the same time, in any order.
  const failed = answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  expect(failed.sort()).toEqual(ids);
  expect(lines.map(({ record }) => record).sort()).toEqual(ids);
  const { reference } = message;
  const line = { message: 'record failed', reference, error: { name: 'DeadlineExceededError' } };
  expect(lines).toMatchObject([line, line]);
});

test('a scheduled function rejects at its deadline', async () => {
  behave = silent;
  await expect(invoke(triggers.beginReconciliation.handler, {})).rejects.toMatchObject({
    name: 'DeadlineExceededError',
  });
});
