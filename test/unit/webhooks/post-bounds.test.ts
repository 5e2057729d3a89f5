/** Receivers that take their time or never end: what they can take is bounded. */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from '@jest/globals';
import { type PostLimits, postLimits, postTo } from '../../../shared/webhooks/post.ts';
import { setResolver, type TargetPolicy } from '../../../shared/webhooks/target.ts';
import {
  answer,
  type Behaviour,
  endlessly,
  hangs,
  type Receiver,
  says,
  startReceiver,
  trickles,
} from '../../support/receivers.ts';
import { waitUntil } from '../../support/wait-until.ts';

const policy: TargetPolicy = { mode: 'test', allowedRanges: ['127.0.0.0/8'], ownHosts: [] };
const request = { headers: {}, body: Buffer.from('{}') };
/** Where only the one bound that a test is about can end the wait. */
const never = 3_600_000;
const soon = { totalMs: 500, bodyMs: never, bodyBytes: never };
const shortBody = { totalMs: never, bodyMs: 100, bodyBytes: never };
const littleBody = { totalMs: never, bodyMs: never, bodyBytes: 16_384 };

const receivers: Receiver[] = [];
afterEach(async () => {
  setResolver();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
async function receiverThat(behave: Behaviour): Promise<Receiver> {
  const receiver = await startReceiver(behave);
  receivers.push(receiver);
  return receiver;
}

/** Posts, and waits until the receiver has seen the connection end. */
async function postedAndDropped(behave: Behaviour, limits: PostLimits) {
  const receiver = await receiverThat(behave);
  const told = await postTo(receiver.url, request, policy, limits);
  await waitUntil('the connection is closed', () => receiver.open() === 0, { deadlineMs: 10_000 });
  return told;
}

test('the bounds are 15 seconds in all, and of the body 2 seconds and 16 KiB', () => {
  expect(postLimits).toEqual({ totalMs: 15_000, bodyMs: 2_000, bodyBytes: 16_384 });
});

test.each([
  ['hangs', hangs],
  ['sends its head byte by byte', trickles(answer('200 OK', '', [`X: ${'x'.repeat(5_000)}`]), 10)],
  ['sends headers without end, slowly', trickles(`HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(1_000)}`, 10)],
  ['says 100 Continue and no more', says('HTTP/1.1 100 Continue\r\n\r\n')],
] as [string, Behaviour][])(
  'a receiver that %s has the total time, however often it stirs',
  async (_, behave) => {
    const told = await postedAndDropped(behave, soon);
    expect(told).toEqual({ error: 'timeout', durationMs: expect.any(Number), body: '' });
    expect(told.durationMs).toBeGreaterThanOrEqual(490);
  },
);

test('the total time counts from the call, resolving the name included', async () => {
  const receiver = await receiverThat(says(answer()));
  let resolved = () => {};
  setResolver(async () => {
    await new Promise<void>((resolve) => {
      resolved = resolve;
    });
    return ['127.0.0.1'];
  });
  const url = `http://slow.example.com:${receiver.port}/`;
  expect(await postTo(url, request, policy, soon)).toMatchObject({ error: 'timeout' });
  resolved();
  await postTo(receiver.url, request, policy);
  expect(receiver.requests).toHaveLength(1);
});

test('a receiver that answers without end is read to the bound and dropped', async () => {
  const behave = endlessly('HTTP/1.1 200 OK\r\n\r\n', 'without end ');
  const told = await postedAndDropped(behave, littleBody);
  expect(told).toMatchObject({ status: 200, body: 'without end '.repeat(86).slice(0, 1_024) });
});

test('so is one whose chunks have no end', async () => {
  const behave = endlessly('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '5\r\nchunk\r\n');
  expect(await postedAndDropped(behave, littleBody)).toMatchObject({
    status: 200,
    body: 'chunk'.repeat(205).slice(0, 1_024),
  });
});

test('informational answers without end are no way round', async () => {
  const behave = endlessly('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
  expect(await postedAndDropped(behave, littleBody)).toMatchObject({ error: 'invalid_response' });
});

test('neither are headers or trailers without end', async () => {
  const headers = endlessly('HTTP/1.1 200 OK\r\n', 'X: y\r\n');
  expect(await postedAndDropped(headers, littleBody)).toMatchObject({ error: 'invalid_response' });
  const trailers = endlessly(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n',
    'X: y\r\n',
  );
  expect(await postedAndDropped(trailers, shortBody)).toMatchObject({ status: 200 });
});

test('a gzip bomb stays packed', async () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  expect(bomb.length).toBeLessThan(16_384);
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
  const receiver = await receiverThat(says(Buffer.concat([Buffer.from(head), bomb])));
  const told = await postTo(receiver.url, request, policy, littleBody);
  expect(told.status).toBe(200);
  expect(told.body.startsWith('\u001f\ufffd\b')).toBe(true);
  expect(Buffer.byteLength(told.body)).toBeLessThanOrEqual(1_024);
});

test.each([
  ['gives no body after its head', says('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'), ''],
  ['stops in its body', says('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'), 'ab'],
  ['trickles its body', trickles(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(100_000)}`, 1), 'x'],
] as [string, Behaviour, string][])(
  'a receiver that %s has succeeded and is dropped',
  async (_, behave, start) => {
    const told = await postedAndDropped(behave, shortBody);
    expect(told).toMatchObject({ status: 200, body: expect.stringMatching(new RegExp(`^${start}`)) });
    expect(told.error).toBeUndefined();
  },
);

test('the body has no longer than is left of the total time', async () => {
  const told = await postedAndDropped(says('HTTP/1.1 202 OK\r\nContent-Length: 5\r\n\r\nab'), soon);
  expect(told).toMatchObject({ status: 202, body: 'ab' });
});

test('a large request that is still going out when the answer is there goes no further', async () => {
  const accepted: Socket[] = [];
  const receiver = await startReceiver(() => {}, {
    greet: (socket) => {
      accepted.push(socket.pause());
      socket.write(answer('413 Too Large', 'no'));
    },
  });
  receivers.push(receiver);
  const large = { headers: {}, body: Buffer.alloc(50_000_000) };
  expect(await postTo(receiver.url, large, policy)).toMatchObject({ status: 413, body: 'no' });
  for (const socket of accepted) socket.resume();
  await waitUntil('the connection is closed', () => receiver.open() === 0, { deadlineMs: 10_000 });
  expect(receiver.requests).toEqual([]);
});

test('posts that wait for one of the connections to a receiver wait no longer either, and are not sent then', async () => {
  const receiver = await receiverThat(hangs);
  const post = (limits: PostLimits) => postTo(receiver.url, request, policy, limits);
  const first = Array.from({ length: 256 }, () => post(littleBody));
  await waitUntil('all connections are taken', () => receiver.requests.length === 256);
  const waiting = Array.from({ length: 10 }, () => post(soon));
  for (const told of await Promise.all(waiting)) expect(told).toMatchObject({ error: 'timeout' });
  await receiver.close();
  for (const told of await Promise.all(first)) expect(told).toMatchObject({ error: 'connection_reset' });
  expect(receiver.requests).toHaveLength(256);
});
