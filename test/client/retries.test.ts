/** Tests retries: if requests or responses are lost, rejected or late, a write takes effect once or the caller gets an error. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ConnectionError,
  RateLimitError,
  Remit,
  type RemitError,
  ServerError,
  TimeoutError,
} from '../../client/src/remit.ts';
import { newAccount } from '../support/api.ts';
import { waitUntil } from '../support/wait-until.ts';
import { body, type ClientFixture, catchError, startClientFixture } from './client-fixture.ts';
import type { FixedResponse, FlakyProxy } from './flaky-proxy.ts';

let fixture: ClientFixture;
let proxy: FlakyProxy;
let apiKey: string;
let remit: Remit;

beforeAll(async () => {
  fixture = await startClientFixture();
  proxy = fixture.proxy;
});
beforeEach(async () => {
  const account = await newAccount(fixture.stack.baseUrl);
  apiKey = account.test.apiKey;
  remit = await fixture.createClient(account);
  proxy.setFaults();
});
afterAll(() => fixture?.close());

const total = async () => (await remit.invoices.list({ limit: 1 })).pagination.total;
const sentKeys = () => proxy.requests.map(({ headers }) => headers['idempotency-key']);
const waits = () => proxy.requests.slice(1).map(({ at }, index) => at - (proxy.requests[index]?.at ?? 0));

function unavailable(status: number, headers: Record<string, string> = {}): FixedResponse {
  const error = { message: 'No.', type: status === 429 ? 'rate_limit_error' : 'api_error', code: 'x' };
  return { status, headers: { 'x-request-id': `r${status}`, ...headers }, body: JSON.stringify({ error }) };
}

describe('a write', () => {
  test.each(['refuse', 'lose', 'cut'] as const)(
    'takes effect once and returns the result, after %s twice',
    async (fault) => {
      proxy.setFaults(fault, fault);
      const invoice = await remit.invoices.create(body);
      expect(invoice).toMatchObject(body);
      expect(proxy.requests).toHaveLength(3);
      expect(new Set(sentKeys()).size).toBe(1);
      expect(new Set(proxy.requests.map((request) => request.body)).size).toBe(1);
      expect(await total()).toBe(1);
      expect(await remit.invoices.retrieve(invoice.id)).toEqual(invoice);
    },
  );

  test('is repeated with the same key if the response does not arrive in time', async () => {
    proxy.setFaults('hang');
    const invoice = await remit.invoices.create(body, { timeoutMs: 3_000 });
    expect(proxy.requests.length).toBeGreaterThan(1);
    expect(new Set(sentKeys()).size).toBe(1);
    expect(await total()).toBe(1);
    proxy.setFaults('lose');
    const cancelled = await remit.invoices.cancel(invoice.id);
    expect(cancelled.status).toBe('cancelled');
    expect(proxy.requests).toHaveLength(2);
  });

  test('asks to wait for the number of an invoice only if the caller does', async () => {
    const { id } = await remit.invoices.create(body, { wait: true });
    await remit.invoices.replace(id, {}, { wait: false });
    expect(proxy.requests.map(({ headers }) => headers.prefer)).toEqual(['wait', undefined]);
  });

  test('has a new key for each call, or the key of the caller', async () => {
    await remit.invoices.create(body);
    const { id } = await remit.invoices.create(body);
    await remit.invoices.update(id, { amount: 1 });
    await remit.invoices.cancel(id);
    expect(new Set(sentKeys()).size).toBe(4);
    for (const key of sentKeys()) expect(key).toMatch(/^[0-9a-f-]{36}$/);
    proxy.setFaults('refuse');
    const first = await remit.invoices.create(body, { idempotencyKey: 'order-7' });
    expect(await remit.invoices.create(body, { idempotencyKey: 'order-7' })).toEqual(first);
    expect(sentKeys()).toEqual(['order-7', 'order-7', 'order-7']);
  });

  test('is not repeated after a validation error, and neither is a read of an unknown ID', async () => {
    await catchError(remit.invoices.create({ ...body, amount: 0 }));
    await catchError(remit.invoices.retrieve('inv_1'));
    expect(proxy.requests).toHaveLength(2);
  });
});

test('a read has no key and no body, and is also repeated', async () => {
  proxy.setFaults('refuse', 'cut');
  expect((await remit.invoices.list()).data).toEqual([]);
  expect(sentKeys()).toEqual([undefined, undefined, undefined]);
  expect(proxy.requests[0]?.headers['content-type']).toBeUndefined();
});

describe('a temporary failure', () => {
  test.each([500, 502, 503, 504, 429])('%i is retried at growing intervals', async (status) => {
    proxy.setFaults(unavailable(status), unavailable(status));
    await remit.invoices.create(body);
    const [first = 0, second = 0] = waits();
    expect(first).toBeGreaterThanOrEqual(240);
    expect(second).toBeGreaterThanOrEqual(490);
    expect(new Set(sentKeys()).size).toBe(1);
  });

  test.each([429, 503])('%i is not retried before Retry-After', async (status) => {
    proxy.setFaults(unavailable(status, { 'retry-after': '2' }));
    await remit.invoices.create(body);
    expect(waits()[0]).toBeGreaterThanOrEqual(2_000);
    const date = new Date(Date.now() + 3_000).toUTCString();
    proxy.setFaults(unavailable(status, { 'retry-after': date }));
    await remit.invoices.create(body);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(date));
  });

  test('is thrown immediately if Retry-After is longer than a minute', async () => {
    proxy.setFaults(unavailable(429, { 'retry-after': '61' }));
    const error = await catchError(remit.invoices.create(body));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterSeconds: 61, requestId: 'r429' });
    expect(proxy.requests).toHaveLength(1);
  });

  test('is thrown after the last attempt, with the request ID of the last response', async () => {
    proxy.setFaults(unavailable(500), 'refuse', unavailable(503, { 'x-request-id': 'last' }));
    const error = await catchError(remit.invoices.create(body));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ status: 503, requestId: 'last' });
    expect(proxy.requests).toHaveLength(3);
  });

  test.each([
    ['for one call', {}, { maxRetries: 0 }, 1],
    ['for all calls', { maxRetries: 1 }, {}, 2],
    ['for one call, which overrides the setting for all', { maxRetries: 0 }, { maxRetries: 1 }, 2],
    ['not endlessly', {}, { maxRetries: Number.NaN }, 1],
  ])('is retried as often as maxRetries allows: %s', async (_, all, one, tries) => {
    const client = new Remit({ apiKey, baseUrl: proxy.baseUrl, ...all });
    proxy.setFaults('refuse', 'refuse', 'refuse', 'refuse');
    expect(await catchError(client.invoices.create(body, one))).toBeInstanceOf(ConnectionError);
    expect(proxy.requests).toHaveLength(tries);
  });
});

describe('a missing response', () => {
  test('is a ConnectionError with the reason, and with the request ID if one arrived', async () => {
    proxy.setFaults('cut');
    const cut = await catchError(remit.invoices.create(body, { maxRetries: 0 }));
    expect(cut).toBeInstanceOf(ConnectionError);
    expect(cut).toMatchObject({ status: 201, requestId: expect.stringMatching(/^\S+$/) });
    const port = await findClosedPort();
    for (const host of ['127.0.0.1', 'localhost']) {
      const closed = new Remit({ apiKey, baseUrl: `http://${host}:${port}`, maxRetries: 0 });
      const refused = await catchError(closed.invoices.create(body));
      expect(refused).toBeInstanceOf(ConnectionError);
      expect((refused as Error).message).toContain('ECONNREFUSED');
      expect((refused as RemitError).requestId).toBeUndefined();
      expect((refused as Error).cause).toBeDefined();
    }
  });

  test('after the timeout is a TimeoutError, also if only the rest of a response is missing', async () => {
    proxy.setFaults('hang');
    const late = await catchError(remit.invoices.list({}, { timeoutMs: 100, maxRetries: 0 }));
    expect(late).toBeInstanceOf(TimeoutError);
    expect(late).toBeInstanceOf(ConnectionError);
    expect((late as Error).message).toContain('100 ms');
    proxy.setFaults('stall');
    const stalled = await catchError(remit.invoices.list({}, { timeoutMs: 3_000, maxRetries: 0 }));
    expect(stalled).toBeInstanceOf(TimeoutError);
    expect(stalled).toMatchObject({ status: 200, requestId: expect.stringMatching(/^\S+$/) });
  });

  test('is waited for without limit if the timeout is infinite', async () => {
    const patient = new Remit({ apiKey, baseUrl: proxy.baseUrl, timeoutMs: Number.POSITIVE_INFINITY });
    expect((await patient.invoices.list()).data).toEqual([]);
  });
});

describe('a signal', () => {
  test('ends a running call with the reason of the signal and without a retry', async () => {
    const controller = new AbortController();
    proxy.setFaults('hang');
    const call = catchError(remit.invoices.create(body, { signal: controller.signal }));
    await waitUntil('the request', () => proxy.requests.length === 1);
    controller.abort('enough');
    expect(await call).toBe('enough');
    expect(proxy.requests).toHaveLength(1);
  });

  test('ends the wait for a retry immediately', async () => {
    let answered = false;
    const watched: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      const text = await response.text();
      answered = true;
      return new Response(text, response);
    };
    const waiting = new Remit({ apiKey, baseUrl: proxy.baseUrl, fetch: watched });
    const controller = new AbortController();
    proxy.setFaults(unavailable(429, { 'retry-after': '60' }));
    const call = catchError(waiting.invoices.create(body, { signal: controller.signal }));
    await waitUntil('the answer', () => answered);
    const before = performance.now();
    controller.abort();
    expect(await call).toMatchObject({ name: 'AbortError' });
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test('that is already aborted prevents the request', async () => {
    const error = await catchError(remit.invoices.list({}, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(proxy.requests).toEqual([]);
  });

  test('ends a list between its pages', async () => {
    for (let count = 0; count < 3; count += 1) await remit.invoices.create(body);
    const controller = new AbortController();
    const read: string[] = [];
    const readList = async () => {
      for await (const { id } of remit.invoices.list({ limit: 2 }, { signal: controller.signal })) {
        read.push(id);
        controller.abort();
      }
    };
    expect(await catchError(readList())).toMatchObject({ name: 'AbortError' });
    expect(read).toHaveLength(2);
  });

  test('can be used for many calls, which remove their listeners', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: unknown[]) => {
      listeners += 1;
      addEventListener.apply(signal, args as never);
    };
    signal.removeEventListener = (...args: unknown[]) => {
      listeners -= 1;
      removeEventListener.apply(signal, args as never);
    };
    proxy.setFaults('refuse');
    await remit.invoices.list({}, { signal });
    expect(listeners).toBe(0);
  });
});

test('the fetch of the caller is used for every attempt', async () => {
  const statuses: number[] = [];
  const client = new Remit({
    apiKey,
    baseUrl: proxy.baseUrl,
    fetch: async (...args) => {
      const response = await fetch(...args);
      statuses.push(response.status);
      return response;
    },
  });
  proxy.setFaults(unavailable(503));
  await client.invoices.list();
  expect(statuses).toEqual([503, 200]);
});

/** Returns a port that no server uses. */
async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
