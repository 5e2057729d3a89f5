/**
 * Tests the reuse of connections: they are reused, replaced when the receiver closes them, and never bypass a policy.
 */
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { postTo } from '../../../shared/platform/outbound/post.ts';
import type { TargetPolicy } from '../../../shared/platform/outbound/target.ts';
import { setClock, stopClock } from '../../support/clock.ts';
import { setResolver } from '../../support/outbound.ts';
import {
  httpResponse,
  respondWithText,
  startTcpReceiver,
  type TcpBehavior,
  type TcpReceiver,
} from '../../support/tcp-receivers.ts';
import { waitUntil } from '../../support/wait-until.ts';

const policy: TargetPolicy = { mode: 'test', allowedRanges: ['127.0.0.0/8'], ownHosts: [] };
const request = { headers: {}, body: Buffer.from('{}') };

const receivers: TcpReceiver[] = [];
afterEach(async () => {
  setResolver();
  setClock();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
async function receiverThat(behave: TcpBehavior): Promise<TcpReceiver> {
  const receiver = await startTcpReceiver(behave);
  receivers.push(receiver);
  return receiver;
}
const post = (url: string, by = policy) => postTo(url, request, by);

test('consecutive POSTs to one origin share a connection, also with different paths', async () => {
  const receiver = await receiverThat(respondWithText(httpResponse('200 OK', 'thanks')));
  for (const path of ['', '/a', '/b?c']) expect((await post(receiver.url + path)).status).toBe(200);
  expect(receiver.requests).toHaveLength(3);
  expect(receiver.connections()).toBe(1);
});

test('concurrent POSTs have separate connections', async () => {
  const waiting: (() => void)[] = [];
  const receiver = await receiverThat((socket) => {
    waiting.push(() => socket.write(httpResponse()));
    if (waiting.length === 3) for (const respond of waiting) respond();
  });
  const results = await Promise.all([post(receiver.url), post(receiver.url), post(receiver.url)]);
  expect(results.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(receiver.connections()).toBe(3);
});

test('a connection is replaced after a minute, because names change their addresses', async () => {
  const clock = stopClock();
  const receiver = await receiverThat(respondWithText(httpResponse()));
  await post(receiver.url);
  clock.advance(60_000);
  await post(receiver.url);
  expect(receiver.connections()).toBe(1);
  clock.advance(1);
  await post(receiver.url);
  await post(receiver.url);
  expect(receiver.connections()).toBe(2);
});

test('each policy has its own connections', async () => {
  const receiver = await receiverThat(respondWithText(httpResponse()));
  setResolver(async () => ['127.0.0.1']);
  const url = `http://hooks.example.com:${receiver.port}/`;
  expect((await post(url)).status).toBe(200);
  expect(await post(url, { ...policy, allowedRanges: [] })).toMatchObject({ error: 'host_not_found' });
  expect(await post(url, { ...policy, allowedRanges: ['10.0.0.0/8'] })).toMatchObject({
    error: 'host_not_found',
  });
  expect(receiver.requests).toHaveLength(1);
});

test('a reused connection that the receiver closes is replaced, and the POST succeeds', async () => {
  const receiver = await receiverThat((socket, nth, connection) => {
    if (connection === 1 && nth === 2) socket.resetAndDestroy();
    else socket.write(httpResponse());
  });
  expect((await post(receiver.url)).status).toBe(200);
  expect(await post(receiver.url)).toMatchObject({ status: 200 });
  expect(receiver.connections()).toBe(2);
});

test('several closed connections are replaced', async () => {
  let reusable = 0;
  const waiting: (() => void)[] = [];
  const receiver = await receiverThat((socket, nth, connection) => {
    if (nth === 2 && connection <= 3) socket.end();
    else if (connection > 3) socket.write(httpResponse());
    else {
      waiting.push(() => socket.write(httpResponse()));
      if (++reusable === 3) for (const respond of waiting) respond();
    }
  });
  await Promise.all([post(receiver.url), post(receiver.url), post(receiver.url)]);
  for (let again = 0; again < 4; again++) expect(await post(receiver.url)).toMatchObject({ status: 200 });
});

test('a connection that was closed earlier is not reused', async () => {
  const receiver = await receiverThat((socket) => void socket.end(httpResponse()));
  expect((await post(receiver.url)).status).toBe(200);
  await waitUntil('it is closed', () => receiver.openConnections() === 0);
  expect((await post(receiver.url)).status).toBe(200);
  expect(receiver.requests).toHaveLength(2);
});

test('a POST is retried once: a second closed connection is an error', async () => {
  const receiver = await receiverThat((socket, nth, connection) => {
    if (connection === 1 && nth === 1) socket.write(httpResponse());
    else socket.resetAndDestroy();
  });
  await post(receiver.url);
  expect(await post(receiver.url)).toMatchObject({ error: 'connection_reset' });
  expect(receiver.connections()).toBe(2);
});

test.each([
  ['a byte of a response', 'H'],
  ['an informational response', 'HTTP/1.1 102 Processing\r\n\r\n'],
])('a POST is not retried after %s', async (_, start) => {
  const receiver = await receiverThat((socket, nth) => {
    if (nth === 1) socket.write(httpResponse());
    else socket.end(start);
  });
  await post(receiver.url);
  expect(await post(receiver.url)).toMatchObject({ error: 'connection_reset' });
  expect(receiver.requests).toHaveLength(2);
  expect(receiver.connections()).toBe(1);
});

test('a POST is not retried after the reset of a new connection', async () => {
  const receiver = await receiverThat((socket) => void socket.resetAndDestroy());
  expect(await post(receiver.url)).toMatchObject({ error: 'connection_reset' });
  expect(receiver.connections()).toBe(1);
});

test('the retry has only the rest of the total time', async () => {
  const receiver = await receiverThat((socket, nth, connection) => {
    if (connection > 1) return;
    if (nth === 1) socket.write(httpResponse());
    else setTimeout(() => socket.resetAndDestroy(), 1_800);
  });
  await post(receiver.url);
  const result = await postTo(receiver.url, request, policy, { totalMs: 2_000, bodyMs: 100, bodyBytes: 100 });
  expect(result).toMatchObject({ error: 'timeout' });
  expect(result.durationMs).toBeLessThan(3_500);
  expect(receiver.connections()).toBe(2);
});

test('requests that waited for a connection of another one leave no listeners on it', async () => {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    request.resume().on('end', () => setImmediate(() => response.end('ok')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on('warning', note);
  try {
    // The pool has 256 connections, so most requests wait for one that another request has used.
    const posts = Array.from({ length: 2_500 }, () =>
      postTo(`http://127.0.0.1:${port}/hook`, { headers: {}, body: Buffer.from('{}') }, policy),
    );
    const results = await Promise.all(posts);
    expect(results.filter(({ status }) => status !== 200)).toEqual([]);
    expect(sockets.size).toBeLessThanOrEqual(256);
    // Node emits warnings in the next tick.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', note);
    server.closeAllConnections();
    server.close();
  }
});
