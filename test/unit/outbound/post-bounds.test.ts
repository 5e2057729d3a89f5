/** Tests the limits of a POST with receivers that are slow or never end. */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from '@jest/globals';
import type { PostLimits } from '../../../shared/platform/outbound/exchange.ts';
import { defaultPostLimits, postTo } from '../../../shared/platform/outbound/post.ts';
import type { TargetPolicy } from '../../../shared/platform/outbound/target.ts';
import { setResolver } from '../../support/outbound.ts';
import {
  httpResponse,
  neverRespond,
  respondEndlessly,
  respondSlowly,
  respondWithText,
  startTcpReceiver,
  type TcpBehavior,
  type TcpReceiver,
} from '../../support/tcp-receivers.ts';
import { waitUntil } from '../../support/wait-until.ts';

const policy: TargetPolicy = { mode: 'test', allowedRanges: ['127.0.0.0/8'], ownHosts: [] };
const request = { headers: {}, body: Buffer.from('{}') };
/** For limits that must not apply, so that only the tested limit can end the wait. */
const never = 3_600_000;
const shortTotal = { totalMs: 500, bodyMs: never, bodyBytes: never };
const shortBody = { totalMs: never, bodyMs: 100, bodyBytes: never };
const smallBody = { totalMs: never, bodyMs: never, bodyBytes: 16_384 };

const receivers: TcpReceiver[] = [];
afterEach(async () => {
  setResolver();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
async function receiverThat(behave: TcpBehavior): Promise<TcpReceiver> {
  const receiver = await startTcpReceiver(behave);
  receivers.push(receiver);
  return receiver;
}

/** Posts, and waits until the receiver's connection is closed. */
async function postUntilClosed(behave: TcpBehavior, limits: PostLimits) {
  const receiver = await receiverThat(behave);
  const result = await postTo(receiver.url, request, policy, limits);
  await waitUntil('the connection is closed', () => receiver.openConnections() === 0);
  return result;
}

test('the limits are 15 seconds in total, and 2 seconds and 16 KiB for the body', () => {
  expect(defaultPostLimits).toEqual({ totalMs: 15_000, bodyMs: 2_000, bodyBytes: 16_384 });
});

test.each([
  ['does not respond', neverRespond],
  ['sends its head byte by byte', respondSlowly(httpResponse('200 OK', '', [`X: ${'x'.repeat(5_000)}`]), 10)],
  ['sends endless headers slowly', respondSlowly(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(1_000)}`, 10)],
  ['sends only 100 Continue', respondWithText('HTTP/1.1 100 Continue\r\n\r\n')],
] as [string, TcpBehavior][])('a receiver that %s is cut off after the total time', async (_, behave) => {
  const result = await postUntilClosed(behave, shortTotal);
  expect(result).toEqual({ error: 'timeout', durationMs: expect.any(Number), body: '' });
  expect(result.durationMs).toBeGreaterThanOrEqual(490);
});

test('the total time starts with the call and includes name resolution', async () => {
  const receiver = await receiverThat(respondWithText(httpResponse()));
  let resolved = () => {};
  setResolver(async () => {
    await new Promise<void>((resolve) => {
      resolved = resolve;
    });
    return ['127.0.0.1'];
  });
  const url = `http://slow.example.com:${receiver.port}/`;
  expect(await postTo(url, request, policy, shortTotal)).toMatchObject({ error: 'timeout' });
  resolved();
  await postTo(receiver.url, request, policy);
  expect(receiver.requests).toHaveLength(1);
});

test('an endless body is read up to the limit, and the connection is closed', async () => {
  const behave = respondEndlessly('HTTP/1.1 200 OK\r\n\r\n', 'without end ');
  const result = await postUntilClosed(behave, smallBody);
  expect(result).toMatchObject({ status: 200, body: 'without end '.repeat(86).slice(0, 1_024) });
});

test('endless chunks are read up to the limit, and the connection is closed', async () => {
  const behave = respondEndlessly('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '5\r\nchunk\r\n');
  expect(await postUntilClosed(behave, smallBody)).toMatchObject({
    status: 200,
    body: 'chunk'.repeat(205).slice(0, 1_024),
  });
});

test('endless informational responses are an invalid response', async () => {
  const behave = respondEndlessly('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
  expect(await postUntilClosed(behave, smallBody)).toMatchObject({ error: 'invalid_response' });
});

test('endless headers are an invalid response, and endless trailers are cut off', async () => {
  const headers = respondEndlessly('HTTP/1.1 200 OK\r\n', 'X: y\r\n');
  expect(await postUntilClosed(headers, smallBody)).toMatchObject({ error: 'invalid_response' });
  const trailers = respondEndlessly(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n',
    'X: y\r\n',
  );
  expect(await postUntilClosed(trailers, shortBody)).toMatchObject({ status: 200 });
});

test('a gzip bomb is not decompressed', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  expect(bomb.length).toBeLessThan(16_384);
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
  const receiver = await receiverThat(respondWithText(Buffer.concat([Buffer.from(head), bomb])));
  const result = await postTo(receiver.url, request, policy, smallBody);
  expect(result.status).toBe(200);
  expect(result.body.startsWith('\u001f\ufffd\b')).toBe(true);
  expect(Buffer.byteLength(result.body)).toBeLessThanOrEqual(1_024);
});

test.each([
  ['sends no body after its head', respondWithText('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'), ''],
  [
    'stops in the middle of its body',
    respondWithText('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'),
    'ab',
  ],
  ['sends its body slowly', respondSlowly(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(100_000)}`, 1), 'x'],
] as [string, TcpBehavior, string][])(
  'a receiver that %s has succeeded, and its connection is closed',
  async (_, behave, start) => {
    const result = await postUntilClosed(behave, shortBody);
    expect(result).toMatchObject({ status: 200, body: expect.stringMatching(new RegExp(`^${start}`)) });
    expect(result.error).toBeUndefined();
  },
);

test('the body is read within the rest of the total time', async () => {
  const result = await postUntilClosed(
    respondWithText('HTTP/1.1 202 OK\r\nContent-Length: 5\r\n\r\nab'),
    shortTotal,
  );
  expect(result).toMatchObject({ status: 202, body: 'ab' });
});

test('sending a large request stops when the response arrives early', async () => {
  const accepted: Socket[] = [];
  const receiver = await startTcpReceiver(() => {}, {
    greet: (socket) => {
      accepted.push(socket.pause());
      socket.write(httpResponse('413 Too Large', 'no'));
    },
  });
  receivers.push(receiver);
  const large = { headers: {}, body: Buffer.alloc(50_000_000) };
  expect(await postTo(receiver.url, large, policy)).toMatchObject({ status: 413, body: 'no' });
  for (const socket of accepted) socket.resume();
  await waitUntil('the connection is closed', () => receiver.openConnections() === 0);
  expect(receiver.requests).toEqual([]);
});

test('a POST that waits for a free connection has the same total time, and is not sent after it', async () => {
  const receiver = await receiverThat(neverRespond);
  const post = (limits: PostLimits) => postTo(receiver.url, request, policy, limits);
  const first = Array.from({ length: 256 }, () => post(smallBody));
  await waitUntil('all connections are in use', () => receiver.requests.length === 256);
  const waiting = Array.from({ length: 10 }, () => post(shortTotal));
  for (const result of await Promise.all(waiting)) expect(result).toMatchObject({ error: 'timeout' });
  await receiver.close();
  for (const result of await Promise.all(first)) expect(result).toMatchObject({ error: 'connection_reset' });
  expect(receiver.requests).toHaveLength(256);
});
