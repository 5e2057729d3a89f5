/** What the client does when requests or answers are lost, refused or late: the effect happens once, or the caller knows. */
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
import { body, type ClientStand, startClientStand, thrownBy } from './client-stand.ts';
import type { Answer, FlakyProxy } from './flaky-proxy.ts';

let stand: ClientStand;
let proxy: FlakyProxy;
let apiKey: string;
let remit: Remit;

beforeAll(async () => {
  stand = await startClientStand();
  proxy = stand.proxy;
});
beforeEach(async () => {
  const account = await newAccount(stand.stack.baseUrl);
  apiKey = account.test.apiKey;
  remit = await stand.client(account);
  proxy.meet();
});
afterAll(() => stand?.close());

const total = async () => (await remit.invoices.list({ limit: 1 })).pagination.total;
const keysSeen = () => proxy.seen.map(({ headers }) => headers['idempotency-key']);
const waits = () => proxy.seen.slice(1).map(({ at }, index) => at - (proxy.seen[index]?.at ?? 0));

function unavailable(status: number, headers: Record<string, string> = {}): Answer {
  const error = { message: 'No.', type: status === 429 ? 'rate_limit_error' : 'api_error', code: 'x' };
  return { status, headers: { 'x-request-id': `r${status}`, ...headers }, body: JSON.stringify({ error }) };
}

describe('a write', () => {
  test.each(['refuse', 'lose', 'cut'] as const)(
    'takes effect once, and is answered, after %s twice',
    async (fault) => {
      proxy.meet(fault, fault);
      const invoice = await remit.invoices.create(body);
      expect(invoice).toMatchObject(body);
      expect(proxy.seen).toHaveLength(3);
      expect(new Set(keysSeen()).size).toBe(1);
      expect(new Set(proxy.seen.map((request) => request.body)).size).toBe(1);
      expect(await total()).toBe(1);
      expect(await remit.invoices.retrieve(invoice.id)).toEqual(invoice);
    },
  );

  test('that was carried out but never answered in time is repeated under the same key', async () => {
    proxy.meet('hang');
    const invoice = await remit.invoices.create(body, { timeoutMs: 3_000 });
    expect(proxy.seen.length).toBeGreaterThan(1);
    expect(new Set(keysSeen()).size).toBe(1);
    expect(await total()).toBe(1);
    proxy.meet('lose');
    const cancelled = await remit.invoices.cancel(invoice.id);
    expect(cancelled.status).toBe('cancelled');
    expect(proxy.seen).toHaveLength(2);
  });

  test('has a key of its own for each call, and the caller’s if there is one', async () => {
    await remit.invoices.create(body);
    const { id } = await remit.invoices.create(body);
    await remit.invoices.update(id, { amount: 1 });
    await remit.invoices.cancel(id);
    expect(new Set(keysSeen()).size).toBe(4);
    for (const key of keysSeen()) expect(key).toMatch(/^[0-9a-f-]{36}$/);
    proxy.meet('refuse');
    const first = await remit.invoices.create(body, { idempotencyKey: 'order-7' });
    expect(await remit.invoices.create(body, { idempotencyKey: 'order-7' })).toEqual(first);
    expect(keysSeen()).toEqual(['order-7', 'order-7', 'order-7']);
  });

  test('with a mistake, and one under a key that is taken, are not repeated', async () => {
    await thrownBy(remit.invoices.create({ ...body, amount: 0 }));
    await thrownBy(remit.invoices.retrieve('inv_1'));
    expect(proxy.seen).toHaveLength(2);
  });
});

test('a read carries no key and no body, and is repeated as well', async () => {
  proxy.meet('refuse', 'cut');
  expect((await remit.invoices.list()).data).toEqual([]);
  expect(keysSeen()).toEqual([undefined, undefined, undefined]);
  expect(proxy.seen[0]?.headers['content-type']).toBeUndefined();
});

describe('a failure that may pass', () => {
  test.each([500, 502, 503, 504, 429])('%i is tried again, at growing intervals', async (status) => {
    proxy.meet(unavailable(status), unavailable(status));
    await remit.invoices.create(body);
    const [first = 0, second = 0] = waits();
    expect(first).toBeGreaterThanOrEqual(240);
    expect(second).toBeGreaterThanOrEqual(490);
    expect(new Set(keysSeen()).size).toBe(1);
  });

  test.each([429, 503])('%i is tried again no earlier than Retry-After says', async (status) => {
    proxy.meet(unavailable(status, { 'retry-after': '2' }));
    await remit.invoices.create(body);
    expect(waits()[0]).toBeGreaterThanOrEqual(2_000);
    const date = new Date(Date.now() + 3_000).toUTCString();
    proxy.meet(unavailable(status, { 'retry-after': date }));
    await remit.invoices.create(body);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(date));
  });

  test('is the caller’s to wait for when Retry-After is longer than a minute', async () => {
    proxy.meet(unavailable(429, { 'retry-after': '61' }));
    const error = await thrownBy(remit.invoices.create(body));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterSeconds: 61, requestId: 'r429' });
    expect(proxy.seen).toHaveLength(1);
  });

  test('that does not pass is thrown, with the request id of the last answer', async () => {
    proxy.meet(unavailable(500), 'refuse', unavailable(503, { 'x-request-id': 'last' }));
    const error = await thrownBy(remit.invoices.create(body));
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ status: 503, requestId: 'last' });
    expect(proxy.seen).toHaveLength(3);
  });

  test.each([
    ['for one call', {}, { maxRetries: 0 }, 1],
    ['for all', { maxRetries: 1 }, {}, 2],
    ['for one call against that for all', { maxRetries: 0 }, { maxRetries: 1 }, 2],
    ['never endlessly', {}, { maxRetries: Number.NaN }, 1],
  ])('is tried again as often as was set, %s', async (_, all, one, tries) => {
    const client = new Remit({ apiKey, baseUrl: proxy.baseUrl, ...all });
    proxy.meet('refuse', 'refuse', 'refuse', 'refuse');
    expect(await thrownBy(client.invoices.create(body, one))).toBeInstanceOf(ConnectionError);
    expect(proxy.seen).toHaveLength(tries);
  });
});

describe('what was not answered', () => {
  test('is a ConnectionError that says why, with the request id as soon as there was one', async () => {
    proxy.meet('cut');
    const cut = await thrownBy(remit.invoices.create(body, { maxRetries: 0 }));
    expect(cut).toBeInstanceOf(ConnectionError);
    expect(cut).toMatchObject({ status: 201, requestId: expect.stringMatching(/^\S+$/) });
    const port = await closedPort();
    for (const host of ['127.0.0.1', 'localhost']) {
      const closed = new Remit({ apiKey, baseUrl: `http://${host}:${port}`, maxRetries: 0 });
      const refused = await thrownBy(closed.invoices.create(body));
      expect(refused).toBeInstanceOf(ConnectionError);
      expect((refused as Error).message).toContain('ECONNREFUSED');
      expect((refused as RemitError).requestId).toBeUndefined();
      expect((refused as Error).cause).toBeDefined();
    }
  });

  test('in time is a TimeoutError, also when the rest of an answer does not come', async () => {
    proxy.meet('hang');
    const late = await thrownBy(remit.invoices.list({}, { timeoutMs: 100, maxRetries: 0 }));
    expect(late).toBeInstanceOf(TimeoutError);
    expect(late).toBeInstanceOf(ConnectionError);
    expect((late as Error).message).toContain('100 ms');
    proxy.meet('stall');
    const stalled = await thrownBy(remit.invoices.list({}, { timeoutMs: 3_000, maxRetries: 0 }));
    expect(stalled).toBeInstanceOf(TimeoutError);
    expect(stalled).toMatchObject({ status: 200, requestId: expect.stringMatching(/^\S+$/) });
  });

  test('has no limit of time when it is infinite', async () => {
    const patient = new Remit({ apiKey, baseUrl: proxy.baseUrl, timeoutMs: Number.POSITIVE_INFINITY });
    expect((await patient.invoices.list()).data).toEqual([]);
  });
});

describe('a signal', () => {
  test('ends a call that is under way, with its own reason, and nothing is tried again', async () => {
    const controller = new AbortController();
    proxy.meet('hang');
    const call = thrownBy(remit.invoices.create(body, { signal: controller.signal }));
    await waitUntil('the request', () => proxy.seen.length === 1);
    controller.abort('enough');
    expect(await call).toBe('enough');
    expect(proxy.seen).toHaveLength(1);
  });

  test('ends the wait for another try at once', async () => {
    let answered = false;
    const watched: typeof fetch = async (...args) => {
      const response = await fetch(...args);
      const text = await response.text();
      answered = true;
      return new Response(text, response);
    };
    const waiting = new Remit({ apiKey, baseUrl: proxy.baseUrl, fetch: watched });
    const controller = new AbortController();
    proxy.meet(unavailable(429, { 'retry-after': '60' }));
    const call = thrownBy(waiting.invoices.create(body, { signal: controller.signal }));
    await waitUntil('the answer', () => answered);
    const before = performance.now();
    controller.abort();
    expect(await call).toMatchObject({ name: 'AbortError' });
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test('that is aborted already lets nothing be sent', async () => {
    const error = await thrownBy(remit.invoices.list({}, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(proxy.seen).toEqual([]);
  });

  test('ends a list between its pages', async () => {
    for (let count = 0; count < 3; count += 1) await remit.invoices.create(body);
    const controller = new AbortController();
    const read: string[] = [];
    const reading = async () => {
      for await (const { id } of remit.invoices.list({ limit: 2 }, { signal: controller.signal })) {
        read.push(id);
        controller.abort();
      }
    };
    expect(await thrownBy(reading())).toMatchObject({ name: 'AbortError' });
    expect(read).toHaveLength(2);
  });

  test('can serve any number of calls, which leave no listener behind', async () => {
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
    proxy.meet('refuse');
    await remit.invoices.list({}, { signal });
    expect(listeners).toBe(0);
  });
});

test('a fetch of the caller’s own is used, and sees every try', async () => {
  const statuses: number[] = [];
  const own = new Remit({
    ...{ apiKey, baseUrl: proxy.baseUrl },
    fetch: async (...args) => {
      const response = await fetch(...args);
      statuses.push(response.status);
      return response;
    },
  });
  proxy.meet(unavailable(503));
  await own.invoices.list();
  expect(statuses).toEqual([503, 200]);
});

/** A port where nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
