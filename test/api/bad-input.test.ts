/** Tests that any input gets a response with the error envelope and the correct status, without a 500 or a hang. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody, listenToRequestLog, newAccount } from '../support/api.ts';
import { expectError, expectHeaders } from '../support/expectations.ts';
import { type HttpRequest, type HttpResponse, request } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';
import { invalidBodies } from './bodies.ts';

let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;
let apiKey: string;
let path: string;
const reported: string[] = [];

beforeAll(async () => {
  stack = await startTestStack({ report: (message) => reported.push(String(message)) });
  log = await listenToRequestLog();
  const { test: api } = await newAccount(stack.baseUrl);
  apiKey = api.apiKey;
  path = `/api/invoices/${(await api.post('/api/invoices', invoiceBody())).json.id}`;
});
afterAll(() => stack.close());

afterEach(async () => {
  expect(log.lines.filter(({ status }) => status >= 500)).toEqual([]);
  expect(reported).toEqual([]);
  expect(Object.prototype).not.toHaveProperty('polluted');
  expect((await call({ path })).status).toBe(200);
});

/** Sends a request. Throws if there is no response within two minutes. */
const call = ({ headers, ...options }: Partial<HttpRequest>) =>
  request({
    baseUrl: stack.baseUrl,
    path: '/api/invoices',
    signal: AbortSignal.timeout(120_000),
    ...options,
    headers: { Authorization: `Bearer ${apiKey}`, ...headers },
  });
const valid = JSON.stringify(invoiceBody());
/** Returns a valid body of the given size. */
const padded = (bytes: number) => valid.padEnd(bytes, ' ');
const maxBytes = 65_536;

/** Sends a body to create, to update, and to create again in chunks. Returns the three responses. */
async function sendBody(
  body: string | Uint8Array,
  headers: HttpRequest['headers'] = {},
): Promise<HttpResponse[]> {
  const chunked = { ...headers, 'Transfer-Encoding': 'chunked' };
  return Promise.all([
    call({ method: 'POST', body, headers }),
    call({ method: 'PATCH', path, body, headers }),
    call({ method: 'POST', body, headers: chunked }),
  ]);
}

test.each(invalidBodies)('a body that is not one JSON object, %s: 400 invalid_json', async (_, body) => {
  for (const response of await sendBody(body)) expectError(response, 400, 'invalid_json', 'body');
});

test.each([
  ['prototype of constructor', '{"constructor":{"prototype":{"polluted":1}}}', 'constructor'],
  ['constructor', '{"constructor":1}', 'constructor'],
  ['prototype', '{"prototype":{"polluted":1}}', 'prototype'],
  ['a setter', '{"__defineSetter__":1}', '__defineSetter__'],
  ['toJSON', '{"toJSON":1}', 'toJSON'],
  ['an empty name', '{"":1}', ''],
  ['a lone surrogate', '{"\\ud800":1}', '\ud800'],
  ['a long name', `{"${'k'.repeat(60_000)}":1}`, 'k'.repeat(60_000)],
])('a dangerous key, %s, is an unknown field', async (_, body, field) => {
  for (const text of [body, body.replace('{', '{"amount":5,')]) {
    const { status, json } = await call({ method: 'PATCH', path, body: text });
    expect([status, json.error]).toEqual([
      400,
      {
        message: expect.any(String),
        type: 'validation_error',
        code: 'unknown_parameter',
        field,
        details: expect.any(Array),
        docUrl: `${stack.baseUrl}/docs/errors/unknown_parameter`,
      },
    ]);
    expect(json.error.message.length).toBeLessThan(500);
  }
});

test.each(['99.99999999999999999', '100.00000000000000001', '0.99999999999999999999', '1e-400', '1e400'])(
  'an amount of %s is no integer by its digits, whatever a double makes of it',
  async (digits) => {
    const body = valid.replace(/"amount":\d+/, `"amount":${digits}`);
    expectError(await call({ method: 'POST', path: '/api/invoices', body }), 400, 'invalid_amount', 'amount');
    expectError(
      await call({ method: 'PATCH', path, body: `{"amount":${digits}}` }),
      400,
      'invalid_amount',
      'amount',
    );
  },
);

test('numbers that are equal by their digits are the same request, and others are another one', async () => {
  const headers = { 'Idempotency-Key': `digits-${Date.now()}` };
  const bodyOf = (digits: string) => valid.replace(/"amount":\d+/, `"amount":${digits}`);
  const send = (digits: string) =>
    call({ method: 'POST', path: '/api/invoices', body: bodyOf(digits), headers });
  const first = await send('100');
  expect([first.status, first.json.amount]).toEqual([201, 100]);
  for (const digits of ['1e2', '100.0', '100.00000000000000000000', '0.1e3']) {
    const again = await send(digits);
    expect([digits, again.status, again.text]).toEqual([digits, 201, first.text]);
  }
  expectError(await send('99.99999999999999999'), 400, 'invalid_amount', 'amount');
  expectError(await send('101'), 400, 'idempotency_key_reused');
});

describe('sizes', () => {
  test('64 KiB are accepted, with a content length or in chunks', async () => {
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
      expect((await call({ method: 'POST', body: padded(maxBytes), headers })).status).toBe(201);
    }
  });

  test.each([maxBytes + 1, 1_000_000, 9_000_000, 11_000_000])(
    '%i bytes: 400 body_too_large',
    async (bytes) => {
      for (const response of await sendBody(padded(bytes))) {
        expectError(response, 400, 'body_too_large', 'body');
      }
    },
  );

  test.each([
    ['a header', { 'X-Long': 'x'.repeat(12_000) }, ''],
    [
      'many headers',
      Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`X-${index}`, 'x'.repeat(40)])),
      '',
    ],
    ['a path', {}, `/${'x'.repeat(12_000)}`],
    ['a query', {}, `?customerId=${'x'.repeat(12_000)}`],
    ['megabytes of header', { 'X-Long': 'x'.repeat(3_000_000) }, ''],
  ])('%s beyond 10 KB: 400', async (_, headers, suffix) => {
    const response = await call({ path: `/api/invoices${suffix}`, headers });
    expect([response.status, response.json.error.type]).toEqual([400, 'invalid_request_error']);
    expectHeaders(response);
  });

  test('hundreds of small headers and parameters are accepted', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `x${index}`);
    const headers = Object.fromEntries(names.map((name) => [name, '1']));
    expect((await call({ path, headers })).status).toBe(200);
    expect((await call({ path: `${path}?${names.join('=1&')}` })).status).toBe(200);
  });
});

describe('content types', () => {
  const types = (status: number, ...values: (string | string[])[]) =>
    values.map((value) => [status, value] as const);
  test.each([
    ...types(
      201,
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
    ),
    ...types(
      201,
      'application/json ; charset=utf-8',
      'application/vnd.x+json',
      'application/merge-patch+json',
      'application/json; a="b;c"',
    ),
    ...types(
      400,
      'text/plain',
      'text/plain; x=application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ),
    ...types(
      400,
      'application/xml',
      'application/jsonp',
      'application/json5',
      'application/x-json-lines',
      'json',
      '*/*',
      '/',
      'x'.repeat(3000),
    ),
    ...types(400, 'xapplication/json', 'application/ json', 'application/octet-stream', 'application/+xml'),
  ])('%i for %j', async (status, value) => {
    const response = await call({ method: 'POST', body: valid, headers: { 'Content-Type': value } });
    if (status === 400) expectError(response, 400, 'invalid_content_type', 'Content-Type');
    else expect(response.status).toBe(201);
  });

  test('a JSON body needs no content type, and a request needs no body', async () => {
    expect((await call({ method: 'POST', body: valid })).status).toBe(201);
    expectError(await call({ method: 'POST' }), 400, 'invalid_customer', 'customerId');
  });
});

describe('headers sent twice', () => {
  test.each([
    ['Content-Type', ['application/json', 'text/plain'], [201, 400]],
    ['Content-Type', ['text/plain', 'application/json'], [201, 400]],
    ['Content-Type', ['application/json', 'application/json'], [201]],
    ['Authorization', ['same', 'same'], [201, 401]],
    ['Authorization', ['Bearer nonsense', 'same'], [401]],
    ['Authorization', ['same', 'Bearer nonsense'], [401]],
    ['Authorization', ['', 'same'], [401]],
    ['Authorization', ['Basic x', 'same'], [401]],
    ['Idempotency-Key', ['a', 'b'], [400]],
    ['Accept', ['text/html', 'x'], [201]],
    ['X-Forwarded-For', ['1.2.3.4', "'"], [201]],
    ['X-Request-Id', ['a', 'b'], [201]],
  ])('%s: %j', async (name, values, statuses) => {
    const sent = values.map((value) => (value === 'same' ? `Bearer ${apiKey}` : value));
    const response = await call({ method: 'POST', body: valid, headers: { [name]: sent } });
    expect(statuses).toContain(response.status);
    expectHeaders(response);
  });
});

describe('percent-encoding', () => {
  const broken = [
    '%',
    '%z',
    '%zz',
    '%2',
    '%ff',
    '%C3',
    '%C0%AF',
    '%ED%A0%80',
    '%F4%90%80%80',
    '%u0041',
    'a%',
  ];
  test.each(broken)('%s in the path is 404 for every method', async (text) => {
    for (const [method, at] of [
      ['GET', `${path}${text}`],
      ['PATCH', `/api/invoices/${text}`],
      ['POST', `/api/invoices${text}`],
    ] as const) {
      const response = await call({ method, path: at, body: '{}' });
      expectError(response, 404, response.json.error.code);
    }
  });

  test.each(broken)('%s in the query is 400', async (text) => {
    for (const query of [`customerId=${text}`, `${text}=1`, `status=paid&customerId=a${text}-b`]) {
      const response = await call({ path: `/api/invoices?${query}` });
      expectError(response, 400, response.json.error.code, response.json.error.field);
    }
    expect((await call({ path: `${path}?x=${text}` })).status).toBe(400);
  });
});
