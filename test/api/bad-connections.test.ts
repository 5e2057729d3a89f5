/** Tests clients that send malformed bytes or disconnect. Correct requests must still get their responses. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody, listenToRequestLog, newAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;
let api: Api;
const reported: string[] = [];

beforeAll(async () => {
  stack = await startTestStack({ report: (message) => reported.push(String(message)) });
  log = await listenToRequestLog();
  ({ test: api } = await newAccount(stack.baseUrl));
});
afterAll(() => stack.close());
afterEach(async () => {
  expect(log.lines.filter(({ status }) => status >= 500)).toEqual([]);
  expect(reported).toEqual([]);
  expect((await api.get('/api/invoices')).status).toBe(200);
});

const open = () => connect(Number(new URL(stack.baseUrl).port), '127.0.0.1');
const valid = JSON.stringify(invoiceBody());

/** Returns the bytes of a request with an API key. */
function raw(
  method: string,
  path: string,
  { body, headers = [] }: { body?: string; headers?: string[] } = {},
): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${api.apiKey}`, ...headers];
  if (body !== undefined) lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

interface Answer {
  status: number;
  headers: string;
  // biome-ignore lint/suspicious/noExplicitAny: the response can have any shape
  json: any;
}

/** Sends bytes. Returns the responses when there are `count` of them, or when the service closes the connection. */
async function exchange(count: number, ...parts: (string | Buffer)[]): Promise<Answer[]> {
  const socket = open();
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  let ended = false;
  socket
    .on('error', () => {})
    .on('close', () => {
      ended = true;
    });
  for (const part of parts) socket.write(part);
  await waitUntil('all responses have arrived', () => ended || answersIn(received).length >= count);
  socket.destroy();
  return answersIn(received);
}

function answersIn(received: string): Answer[] {
  const answers: Answer[] = [];
  for (let rest = received; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const headers = rest.slice(0, end);
    const length = Number(/^content-length: (\d+)$/im.exec(headers)?.[1] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    if (end === -1 || body.length < length) break;
    answers.push({ status: Number(headers.slice(9, 12)), headers, json: JSON.parse(body || 'null') });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

test('pipelined requests, valid and invalid ones, get their responses in order', async () => {
  const answers = await exchange(
    8,
    [
      raw('POST', '/api/invoices', { body: valid }),
      raw('GET', '/api/invoices?limit=1'),
      raw('POST', '/api/invoices', { body: '{' }),
      raw('GET', '/api/nothing'),
      raw('PATCH', '/api/invoices/x', { body: '{}' }),
      raw('DELETE', '/api/invoices/x', { body: 'ignored' }),
      raw('GET', '/api/invoices?limit=0'),
      raw('GET', '/api/invoices').replace('Bearer', 'Basic'),
    ].join(''),
  );
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 400, 404, 404, 404, 400, 401]);
  expect(answers[1]?.json.data).toEqual([answers[0]?.json]);
  const ids = answers.map(({ headers }) => /^x-request-id: (.+)$/im.exec(headers)?.[1]);
  expect(new Set(ids).size).toBe(8);
});

test('20 pipelined creations on one connection create 20 invoices', async () => {
  const { test: own } = await newAccount(stack.baseUrl);
  const one = raw('POST', '/api/invoices', { body: valid }).replace(api.apiKey, own.apiKey);
  const answers = await exchange(20, one.repeat(20));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
  expect((await own.get('/api/invoices')).json.pagination.total).toBe(20);
});

test('a body that arrives byte by byte is accepted', async () => {
  const bytes = raw('POST', '/api/invoices', { body: valid });
  const [answer] = await exchange(1, ...bytes);
  expect(answer?.status).toBe(201);
});

test('a body in chunks of any size, with extensions and trailers, is accepted', async () => {
  const chunks = [...valid].map((char) => `1;x=y\r\n${char}\r\n`).join('');
  const start = raw('POST', '/api/invoices', { headers: ['Transfer-Encoding: chunked', 'Trailer: X-T'] });
  const [answer] = await exchange(1, start, chunks, '0\r\nX-T: 1\r\n\r\n');
  expect(answer?.status).toBe(201);
});

test.each([
  ['OPTIONS *', rawLater('OPTIONS', '*'), 404],
  ['an absolute target', rawLater('GET', 'http://elsewhere.example/api/invoices'), 200],
  ['an absolute target without a path', rawLater('GET', 'http://elsewhere.example'), 404],
  ['a fragment', rawLater('GET', '/api/invoices#x'), 400, 404, 200],
  ['bytes beyond ASCII in the path', rawLater('GET', '/api/invoices/\u00e9'), 400, 404],
  ['bytes beyond ASCII in the query', rawLater('GET', '/api/invoices?customerId=\u00e9'), 200, 400],
  ['a backslash', rawLater('GET', '\\api\\invoices'), 400, 404],
  ['dots', rawLater('GET', '/api/./invoices'), 404],
  ['more dots', rawLater('GET', '/x/../api/invoices'), 404],
  ['an unknown method', rawLater('BREW', '/api/invoices'), 400, 404],
  ['a method in lower case', rawLater('get', '/api/invoices'), 400, 404],
  ['CONNECT', rawLater('CONNECT', 'x:1'), 400, 404],
  ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['bytes that are not HTTP', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n', 400],
  ['HTTP/9.9', () => raw('GET', '/api/invoices').replace('HTTP/1.1', 'HTTP/9.9'), 400],
  ['no host', () => raw('GET', '/api/invoices').replace('Host: x\r\n', ''), 400],
  ['a header without a name', rawLater('GET', '/api/invoices', ': x'), 400],
  ['NUL in a header', rawLater('GET', '/api/invoices', 'X-A: a\0b'), 400],
  ['a folded header', rawLater('GET', '/api/invoices', 'X-A: a\r\n b'), 400, 200],
  ['two lengths', rawLater('POST', '/api/invoices', 'Content-Length: 2\r\nContent-Length: 3'), 400],
  ['a negative length', rawLater('POST', '/api/invoices', 'Content-Length: -1'), 400],
  [
    'a length and chunks',
    rawLater('POST', '/api/invoices', 'Content-Length: 2\r\nTransfer-Encoding: chunked'),
    400,
  ],
  [
    'broken chunks',
    () => `${raw('POST', '/api/invoices', { headers: ['Transfer-Encoding: chunked'] })}zz\r\n`,
    400,
  ],
  ['an unknown encoding', rawLater('POST', '/api/invoices', 'Transfer-Encoding: gzip'), 400],
])('%s: a response with the error envelope', async (_, bytes, ...statuses) => {
  const [answer] = await exchange(1, Buffer.from(bytes(), 'latin1'));
  expect(statuses).toContain(answer?.status);
  expect(answer?.headers).toMatch(/^x-request-id: \S+/im);
  if (answer?.status !== 200) {
    expect(answer?.json.error).toMatchObject({
      message: expect.any(String),
      type: expect.any(String),
      code: expect.any(String),
    });
  }
});

test('clients that disconnect during a request or before its response do not disturb the service', async () => {
  const { test: own } = await newAccount(stack.baseUrl);
  const create = raw('POST', '/api/invoices', { body: valid }).replace(api.apiKey, own.apiKey);
  const cuts = [10, create.length - valid.length - 2, create.length - 10, create.length];
  const sendAndDisconnect = async (bytes: string) => {
    const socket = open().on('error', () => {});
    await once(socket, 'connect');
    await new Promise((resolve) => socket.write(bytes, resolve));
    socket.destroy();
  };
  await Promise.all(
    Array.from({ length: 40 }, (_, index) => sendAndDisconnect(create.slice(0, cuts[index % cuts.length]))),
  );
  await waitUntil('all complete requests have taken effect', async () => {
    const { json } = await own.get('/api/invoices?limit=100');
    return json.pagination.total === 10 && json.data.length === 10;
  });
  expect((await own.post('/api/invoices', invoiceBody())).status).toBe(201);
});

/** Does the same as `raw`, but later, when the API key exists. */
function rawLater(method: string, path: string, ...headers: string[]): () => string {
  return () => raw(method, path, { headers });
}
