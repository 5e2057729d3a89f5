/** Connections that are kept: used again, given up when the receiver has, and never a way round a policy. */
import { afterEach, expect, test } from '@jest/globals';
import { setClock } from '../../../shared/time.ts';
import { postTo } from '../../../shared/webhooks/post.ts';
import { setResolver, type TargetPolicy } from '../../../shared/webhooks/target.ts';
import { stopClock } from '../../support/clock.ts';
import { answer, type Behaviour, type Receiver, says, startReceiver } from '../../support/receivers.ts';
import { waitUntil } from '../../support/wait-until.ts';

const policy: TargetPolicy = { mode: 'test', allowedRanges: ['127.0.0.0/8'], ownHosts: [] };
const request = { headers: {}, body: Buffer.from('{}') };

const receivers: Receiver[] = [];
afterEach(async () => {
  setResolver();
  setClock();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
async function receiverThat(behave: Behaviour): Promise<Receiver> {
  const receiver = await startReceiver(behave);
  receivers.push(receiver);
  return receiver;
}
const post = (url: string, by = policy) => postTo(url, request, by);

test('posts to one origin one after the other share a connection, whatever their paths', async () => {
  const receiver = await receiverThat(says(answer('200 OK', 'thanks')));
  for (const path of ['', '/a', '/b?c']) expect((await post(receiver.url + path)).status).toBe(200);
  expect(receiver.requests).toHaveLength(3);
  expect(receiver.connections()).toBe(1);
});

test('posts at the same time have connections of their own', async () => {
  const waiting: (() => void)[] = [];
  const receiver = await receiverThat((socket) => {
    waiting.push(() => socket.write(answer()));
    if (waiting.length === 3) for (const go of waiting) go();
  });
  const told = await Promise.all([post(receiver.url), post(receiver.url), post(receiver.url)]);
  expect(told.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(receiver.connections()).toBe(3);
});

test('a connection is made anew after a minute, since names change their addresses', async () => {
  const clock = stopClock();
  const receiver = await receiverThat(says(answer()));
  await post(receiver.url);
  clock.advance(60_000);
  await post(receiver.url);
  expect(receiver.connections()).toBe(1);
  clock.advance(1);
  await post(receiver.url);
  await post(receiver.url);
  expect(receiver.connections()).toBe(2);
});

test('another policy has connections of its own', async () => {
  const receiver = await receiverThat(says(answer()));
  setResolver(async () => ['127.0.0.1']);
  const url = `http://hooks.example.com:${receiver.port}/`;
  expect((await post(url)).status).toBe(200);
  expect(await post(url, { ...policy, allowedRanges: [] })).toMatchObject({ error: 'address_not_allowed' });
  expect(await post(url, { ...policy, allowedRanges: ['10.0.0.0/8'] })).toMatchObject({
    error: 'address_not_allowed',
  });
  expect(receiver.requests).toHaveLength(1);
});

test('a kept connection that the receiver closes when asked again is replaced, and nobody notices', async () => {
  const receiver = await receiverThat((socket, nth, connection) => {
    if (connection === 1 && nth === 2) socket.resetAndDestroy();
    else socket.write(answer());
  });
  expect((await post(receiver.url)).status).toBe(200);
  expect(await post(receiver.url)).toMatchObject({ status: 200 });
  expect(receiver.connections()).toBe(2);
});

test('also if several of them were closed', async () => {
  let kept = 0;
  const waiting: (() => void)[] = [];
  const receiver = await receiverThat((socket, nth, connection) => {
    if (nth === 2 && connection <= 3) socket.end();
    else if (connection > 3) socket.write(answer());
    else {
      waiting.push(() => socket.write(answer()));
      if (++kept === 3) for (const go of waiting) go();
    }
  });
  await Promise.all([post(receiver.url), post(receiver.url), post(receiver.url)]);
  for (let again = 0; again < 4; again++) expect(await post(receiver.url)).toMatchObject({ status: 200 });
});

test('one that was closed long since is not even tried', async () => {
  const receiver = await receiverThat((socket) => void socket.end(answer()));
  expect((await post(receiver.url)).status).toBe(200);
  await waitUntil('it is closed', () => receiver.open() === 0);
  expect((await post(receiver.url)).status).toBe(200);
  expect(receiver.requests).toHaveLength(2);
});

test('a second closure is told: it is tried once again only', async () => {
  const receiver = await receiverThat((socket, nth, connection) => {
    if (connection === 1 && nth === 1) socket.write(answer());
    else socket.resetAndDestroy();
  });
  await post(receiver.url);
  expect(await post(receiver.url)).toMatchObject({ error: 'connection_reset' });
  expect(receiver.connections()).toBe(2);
});

test.each([
  ['a byte of an answer', 'H'],
  ['an informational answer', 'HTTP/1.1 102 Processing\r\n\r\n'],
])('it is not tried again after %s', async (_, start) => {
  const receiver = await receiverThat((socket, nth) => {
    if (nth === 1) socket.write(answer());
    else socket.end(start);
  });
  await post(receiver.url);
  expect(await post(receiver.url)).toMatchObject({ error: 'connection_reset' });
  expect(receiver.requests).toHaveLength(2);
  expect(receiver.connections()).toBe(1);
});

test('a new connection that is reset is not tried again', async () => {
  const receiver = await receiverThat((socket) => void socket.resetAndDestroy());
  expect(await post(receiver.url)).toMatchObject({ error: 'connection_reset' });
  expect(receiver.connections()).toBe(1);
});

test('the second try has no time of its own', async () => {
  const receiver = await receiverThat((socket, nth, connection) => {
    if (connection > 1) return;
    if (nth === 1) socket.write(answer());
    else setTimeout(() => socket.resetAndDestroy(), 600);
  });
  await post(receiver.url);
  const told = await postTo(receiver.url, request, policy, { totalMs: 1_000, bodyMs: 100, bodyBytes: 100 });
  expect(told).toMatchObject({ error: 'timeout' });
  expect(told.durationMs).toBeLessThan(1_500);
  expect(receiver.connections()).toBe(2);
});
