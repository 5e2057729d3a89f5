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
/** Only one test uses this account, so that it knows its calls. Those of other tests may still end. */
const ownAccount = 'acct_1111111111111111';
let apiKey: string;
let ownApiKey: string;
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
  const { newApiKey } = await import('../../shared/domain/auth/api-key.ts');
  apiKey = await newApiKey({ account: 'acct_0000000000000000', mode: 'test' });
  ownApiKey = await newApiKey({ account: ownAccount, mode: 'test' });
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

test('a request whose effect is unknown gets 500 if DynamoDB throttles it afterwards', async () => {
  let calls = 0;
  const lost: TcpBehavior = (socket) => void socket.destroy();
  behave = (...request) => (calls++ < 2 ? lost : throttled)(...request);
  const response = await createInvoice(randomUUID());
  expect(response).toMatchObject({ statusCode: 500 });
  expect(lines).toMatchObject([{ status: 500, error: { name: 'DeadlineExceededError' } }]);
});

test('a call that DynamoDB throttled more than ten times is tried again after a lost answer', async () => {
  const lostAttempt = 12;
  let attempts = 0;
  behave = (socket, ...request) => {
    // Only the answer to a call that writes leaves its effect unknown. The request reads in parallel to it.
    const call = dynamodb.requests.at(-1) ?? '';
    const isWrite = /^x-amz-target: .*UpdateItem/im.test(call) && call.includes(ownAccount);
    if (isWrite && ++attempts === lostAttempt) socket.destroy();
    else throttled(socket, ...request);
  };
  const response = await createInvoice(randomUUID(), timeoutMs, ownApiKey);
  expect(attempts).toBeGreaterThan(lostAttempt);
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
