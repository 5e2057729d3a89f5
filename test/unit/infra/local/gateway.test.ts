/**
 * Tests the gateway with small handlers instead of the functions. It uses real HTTP, and raw sockets for requests that
 * HTTP clients do not send.
 */
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { type ApiHandler, type Gateway, startGateway } from '../../../../infra/local/gateway.ts';
import { setClock } from '../../../support/clock.ts';
import { freshAddress, type HttpRequest, request } from '../../../support/http.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const seen: APIGatewayProxyEvent[] = [];
const unhandled: unknown[] = [];
const blocked = { started: 0, release: Promise.withResolvers<void>() };

const handlers: Record<string, (event: APIGatewayProxyEvent) => unknown> = {
  echo: (event) => ({
    statusCode: 200,
    headers: { 'X-One': 1 },
    multiValueHeaders: { 'X-Two': ['a', 'b'] },
    body: JSON.stringify(event),
  }),
  missing: (event) => ({ statusCode: 404, body: JSON.stringify(event) }),
  throws: () => {
    throw new Error('secret');
  },
  rejects: () => Promise.reject(new Error('secret')),
  notAnObject: () => 'no object',
  badStatus: () => ({ statusCode: 'ok', body: '' }),
  badHeader: () => ({ statusCode: 200, headers: { 'X-Bad': 'a\r\nb: c' }, body: '' }),
  never: () => new Promise(() => {}),
  binary: () => ({
    statusCode: 200,
    body: Buffer.from([0, 255, 10]).toString('base64'),
    isBase64Encoded: true,
  }),
  blocked: async () => {
    blocked.started += 1;
    await blocked.release.promise;
    return { statusCode: 200, body: 'done' };
  },
};
const routes = [
  { method: 'ANY', path: '/{proxy+}', handler: 'missing' },
  { method: 'GET', path: '/api/things/{id}', handler: 'echo' },
  { method: 'GET', path: '/api/things/literal', handler: 'binary' },
  { method: 'POST', path: '/api/things', handler: 'echo' },
  ...['throws', 'rejects', 'notAnObject', 'badStatus', 'badHeader', 'never', 'blocked'].map((name) => ({
    method: 'GET',
    path: `/${name}`,
    handler: name,
  })),
];

let gateway: Gateway;
const recordUnhandled = (reason: unknown) => unhandled.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', recordUnhandled);
  gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    report: () => {},
    timeoutMs: 200,
    load: async (file) =>
      (async (event) => {
        seen.push(event);
        return (await handlers[file]?.(event)) as APIGatewayProxyResult;
      }) satisfies ApiHandler,
  });
  await gateway.serve(routes, '2026-11-21');
});

afterAll(async () => {
  await gateway.close();
  process.off('unhandledRejection', recordUnhandled);
  expect(unhandled).toEqual([]);
});

const call = (options: Omit<HttpRequest, 'baseUrl'>) => request({ baseUrl: gateway.baseUrl, ...options });
const port = () => Number(new URL(gateway.baseUrl).port);

/** Sends bytes on a new connection. Returns all bytes that the server sends until it closes the connection. */
async function exchange(...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect(port(), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
  for (const part of parts) socket.write(part);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status);

function expectGatewayError(answer: Awaited<ReturnType<typeof call>>, status: number, error: object) {
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({ error: { message: expect.any(String), ...error } });
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-api-version': '2026-11-21',
    'x-ratelimit-limit': '1000',
    'x-ratelimit-remaining': '1000',
    'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
  });
}

test('converts a request into a REST event of version 1', async () => {
  setClock(() => Date.UTC(2026, 10, 21, 9, 45));
  const localAddress = freshAddress();
  const {
    json: event,
    headers,
    rawHeaders,
  } = await call({
    method: 'POST',
    path: '/api/things?a=1&a=2&b=x%20y+z',
    headers: { 'X-Dup': ['one', 'two'], 'User-Agent': 'test' },
    body: { n: 1 },
    localAddress,
  });
  setClock();
  expect(event).toMatchObject({
    resource: '/api/things',
    path: '/api/things',
    httpMethod: 'POST',
    queryStringParameters: { a: '2', b: 'x y z' },
    multiValueQueryStringParameters: { a: ['1', '2'], b: ['x y z'] },
    pathParameters: null,
    isBase64Encoded: true,
    body: Buffer.from('{"n":1}').toString('base64'),
  });
  expect(event.headers['X-Dup']).toBe('two');
  expect(event.multiValueHeaders['X-Dup']).toEqual(['one', 'two']);
  expect(event.requestContext).toMatchObject({
    resourcePath: '/api/things',
    stage: 'local',
    requestTime: '21/Nov/2026:09:45:00 +0000',
    requestTimeEpoch: Date.UTC(2026, 10, 21, 9, 45),
    identity: { sourceIp: localAddress, userAgent: 'test' },
  });
  expect(event.requestContext.requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  expect(headers['x-one']).toBe('1');
  expect(rawHeaders.filter((_, index) => rawHeaders[index - 1] === 'X-Two')).toEqual(['a', 'b']);
});

test('an empty body and an empty query are null', async () => {
  const { json } = await call({ path: '/api/things/1' });
  expect([json.body, json.queryStringParameters, json.multiValueQueryStringParameters]).toEqual([
    null,
    null,
    null,
  ]);
});

test('header names that differ only in case are one header', async () => {
  const text = await exchange(
    'GET /api/things/1 HTTP/1.1\r\nHost: x\r\nX-Dup: a\r\nx-dup: b\r\nConnection: close\r\n\r\n',
  );
  expect(JSON.parse(text.slice(text.indexOf('{'))).multiValueHeaders).toMatchObject({ 'X-Dup': ['a', 'b'] });
});

test.each([
  ['/api/things/a%2Fb', 'a/b'],
  ['/api/things/caf%C3%A9', 'café'],
  ['/api/things/x+y', 'x+y'],
  ['//api/things/1', '1'],
  ['/api/things/1/', '1'],
  ['/%61pi/things/1', '1'],
  ['http://elsewhere/api/things/1', '1'],
])('the path %s has the parameter %s', async (path, id) => {
  const { json, status } = await call({ path });
  expect([status, json.pathParameters]).toEqual([200, { id }]);
});

test.each([
  '/api/things/%zz',
  '/api/things/%C3',
  '/api/things/%',
  '/api/things//',
  '/api//things/1',
  '///api/things/1',
  '/api/things/1//',
  '/api/things/1/more',
  '/',
  '/API/things/1',
])('the catch-all serves %s with its raw path', async (path) => {
  const { json, status } = await call({ path });
  expect(status).toBe(404);
  expect(json.resource).toBe('/{proxy+}');
  expect(`/${json.pathParameters.proxy}`).toBe(json.path);
});

test.each(['PUT', 'OPTIONS', 'TRACE', 'DELETE', 'PROPFIND'])(
  'the catch-all serves the method %s',
  async (method) => {
    expect((await call({ method, path: '/api/things/1' })).json.resource).toBe('/{proxy+}');
  },
);

test.each([
  ['a=%zz', { a: '\uFFFDzz' }],
  ['a=%C3', { a: '\uFFFD' }],
  ['a=%', { a: '\uFFFD' }],
  ['%C3=1', { '\uFFFD': '1' }],
  ['a&b=&&=c', { a: '', b: '', '': 'c' }],
  ['a=1=2', { a: '1=2' }],
  ['caf%C3%A9=%F0%9F%98%80', { café: '😀' }],
])('the query %s is decoded as %j', async (query, expected) => {
  expect((await call({ path: `/api/things/1?${query}` })).json.queryStringParameters).toEqual(expected);
});

test('__proto__ is an ordinary name', async () => {
  const { text } = await call({ path: '/api/things/1?__proto__=x', headers: { ['__proto__']: 'y' } });
  expect(text).toContain('"queryStringParameters":{"__proto__":"x"}');
});

test('a literal segment has precedence over a parameter, and binary bodies are decoded', async () => {
  expect((await call({ path: '/api/things/literal' })).bytes).toEqual(Buffer.from([0, 255, 10]));
});

test('HEAD returns the GET response without the body', async () => {
  const head = await call({ method: 'HEAD', path: '/api/things/1' });
  expect([head.status, head.text]).toEqual([200, '']);
  expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
  expect(seen.at(-1)).toMatchObject({ httpMethod: 'HEAD', resource: '/api/things/{id}' });
  expect((await call({ method: 'HEAD', path: '/api/things' })).status).toBe(404);
});

test.each(['throws', 'rejects', 'notAnObject', 'badStatus', 'badHeader', 'never'])(
  'a function of the kind %s results in a 500 without details',
  async (name) => {
    const answer = await call({ path: `/${name}` });
    expectGatewayError(answer, 500, { type: 'api_error', code: 'internal_error' });
    expect(answer.text).not.toContain('secret');
  },
);

test('the reset time in gateway errors follows the clock of the service', async () => {
  setClock(() => Date.UTC(2026, 10, 21, 9, 59, 59, 999));
  const { headers } = await call({ path: '/throws' });
  setClock();
  expect(headers['x-ratelimit-reset']).toBe(String(Date.UTC(2026, 10, 21, 10) / 1000));
});

test('a body of 10 MB is accepted, with and without Content-Length', async () => {
  const body = Buffer.alloc(10 * 1024 * 1024, 'x');
  const sized = await call({ method: 'POST', path: '/api/things', body });
  const chunked = await call({
    method: 'POST',
    path: '/api/things',
    body,
    headers: { 'Transfer-Encoding': 'chunked' },
  });
  expect([sized.json.body.length, chunked.json.body.length]).toEqual([13_981_016, 13_981_016]);
});

test.each([{}, { 'Transfer-Encoding': 'chunked' }, { Expect: '100-continue' }])(
  'a larger body is rejected, and the client receives the response: %j',
  async (headers) => {
    const body = Buffer.alloc(10 * 1024 * 1024 + 1, 'x');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const answer = await call({ method: 'POST', path: '/api/things', body, headers, agent });
    expectGatewayError(answer, 400, {
      type: 'validation_error',
      code: 'body_too_large',
      field: 'body',
      details: [{ field: 'body', code: 'body_too_large', message: expect.any(String) }],
    });
    expect((await call({ path: '/api/things/1', agent })).status).toBe(200);
    agent.destroy();
  },
);

test('Expect: 100-continue gets a 100 response; other expectations are ignored', async () => {
  const head = 'POST /api/things HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n';
  expect(await exchange(`${head}Expect: 100-continue\r\n\r\n{}`)).toMatch(
    /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/,
  );
  expect(await exchange(`${head}Expect: miracles\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 200 OK/);
});

test.each([
  ['nonsense', 'nonsense\r\n\r\n', 'malformed_request'],
  ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 'malformed_request'],
  ['a request without a host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 'malformed_request'],
  ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 'malformed_request'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'malformed_request',
  ],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'malformed_request',
  ],
  [
    'broken chunks',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'malformed_request',
  ],
  [
    'oversize headers',
    `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    'headers_too_large',
  ],
  ['an oversize path', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 'headers_too_large'],
  ['many headers', `GET / HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(6_000)}\r\n`, 'headers_too_large'],
])('%s gets a 400 with the error envelope, and the connection closes', async (_, bytes, code) => {
  const text = await exchange(bytes);
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: application\/json; charset=utf-8/);
  expect(JSON.parse(body)).toEqual({
    error: { message: expect.any(String), type: 'invalid_request_error', code },
  });
  for (const name of [
    'X-Request-Id',
    'X-API-Version',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ]) {
    expect(head).toContain(`${name}: `);
  }
});

test('pipelined requests are processed one after another and answered in order', async () => {
  const before = seen.length;
  const text = await exchange(
    'GET /api/things/1 HTTP/1.1\r\nHost: x\r\n\r\n',
    'POST /api/things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    'GET /never HTTP/1.1\r\nHost: x\r\n\r\nGET /api/things/2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  expect(statusesOf(text)).toEqual(['200', '200', '500', '200']);
  expect(seen.slice(before).map((event) => event.path)).toEqual([
    '/api/things/1',
    '/api/things',
    '/never',
    '/api/things/2',
  ]);
});

test('invalid bytes after a valid request do not prevent its response', async () => {
  const text = await exchange('GET /never HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n');
  expect(statusesOf(text)).toEqual(['500', '400']);
});

test('a valid request before one with a broken body gets its response first', async () => {
  const text = await exchange(
    'GET /never HTTP/1.1\r\nHost: x\r\n\r\nPOST /api/things HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  );
  expect(statusesOf(text)).toEqual(['500', '400']);
});

test('a client that disconnects early does not affect other clients', async () => {
  const before = seen.length;
  const socket = connect(port(), '127.0.0.1');
  socket.on('error', () => {});
  socket.write('POST /api/things HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
  await once(socket, 'connect');
  socket.resetAndDestroy();
  const leaving = httpRequest(`${gateway.baseUrl}/blocked`);
  leaving.on('error', () => {}).end();
  await waitUntil('the function runs', () => blocked.started === 1);
  leaving.destroy();
  await waitUntil('the client is disconnected', () => leaving.closed);
  blocked.release.resolve();
  expect((await call({ path: '/api/things/1' })).status).toBe(200);
  expect(seen.slice(before).map((event) => event.path)).toEqual(['/blocked', '/api/things/1']);
});

test('one connection serves many requests', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: number[] = [];
  for (let n = 0; n < 50; n += 1) statuses.push((await call({ path: '/api/things/1', agent })).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  agent.destroy();
});

test('a port in use causes a StartError', async () => {
  await expect(startGateway({ host: '127.0.0.1', port: port(), report: () => {} })).rejects.toMatchObject({
    name: 'StartError',
    message: `Port ${port()} is in use. Stop the program that uses it, or set PORT to another port.`,
  });
});

test('early requests wait until the functions are loaded, and closing waits for running requests', async () => {
  const started = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const late = await startGateway({
    host: '127.0.0.1',
    port: 0,
    report: () => {},
    load: async () => async () => {
      started.resolve();
      await release.promise;
      return { statusCode: 200, body: 'done' };
    },
  });
  const answer = request({ baseUrl: late.baseUrl, path: '/' });
  await late.serve([{ method: 'ANY', path: '/{proxy+}', handler: 'late' }], '2026-11-21');
  await started.promise;
  const closed = late.close();
  release.resolve();
  expect((await answer).text).toBe('done');
  await closed;
});
