/** One POST as receivers see it, and what is told of their answers. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { postTo } from '../../../shared/webhooks/post.ts';
import type { TargetPolicy } from '../../../shared/webhooks/target.ts';
import {
  answer,
  type Behaviour,
  type Receiver,
  says,
  saysAndCloses,
  startReceiver,
} from '../../support/receivers.ts';

const policy: TargetPolicy = { mode: 'test', allowedRanges: ['127.0.0.0/8', '::1/128'], ownHosts: [] };
const request = {
  headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
  body: Buffer.from('{"a":"ü"}'),
};

const receivers: Receiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
async function receiverThat(behave: Behaviour): Promise<Receiver> {
  const receiver = await startReceiver(behave);
  receivers.push(receiver);
  return receiver;
}
const postToOneThat = async (behave: Behaviour) => postTo((await receiverThat(behave)).url, request, policy);

describe('the request', () => {
  test('has the headers and the very bytes that were given, and asks for no compression', async () => {
    const receiver = await receiverThat(says(answer()));
    await postTo(`${receiver.url}/a?b=c%20d`, request, policy);
    const [head = '', body] = receiver.requests[0]?.split('\r\n\r\n') ?? [];
    expect(head.split('\r\n')[0]).toBe('POST /hook/a?b=c%20d HTTP/1.1');
    expect(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => line.toLowerCase())
        .sort(),
    ).toEqual([
      'accept-encoding: identity',
      'connection: keep-alive',
      'content-length: 10',
      'content-type: application/json',
      `host: 127.0.0.1:${receiver.port}`,
      'webhook-id: evt_1',
    ]);
    expect(Buffer.from(body ?? '', 'latin1')).toEqual(request.body);
  });

  test('keeps its length and its encoding whatever headers are given', async () => {
    const receiver = await receiverThat(says(answer()));
    const headers = { 'Content-Length': '3', 'Accept-Encoding': 'gzip' };
    expect((await postTo(receiver.url, { ...request, headers }, policy)).status).toBe(200);
    expect(receiver.requests[0]).toMatch(/content-length: 10\r\n/i);
    expect(receiver.requests[0]).toMatch(/accept-encoding: identity\r\n/i);
    expect(receiver.requests[0]).not.toMatch(/gzip/);
  });

  test('may be large', async () => {
    const receiver = await receiverThat(says(answer()));
    const body = Buffer.alloc(1_000_000, 'x');
    expect((await postTo(receiver.url, { headers: {}, body }, policy)).status).toBe(200);
    expect(receiver.requests[0]?.endsWith(body.toString())).toBe(true);
  });
});

describe('the answer', () => {
  test.each([
    '200 OK',
    '204 No Content',
    '299',
    '400 Bad Request',
    '410 Gone',
    '429 Slow',
    '500 X',
    '999 Odd',
  ])('%s is told by its status', async (status) => {
    const told = await postToOneThat(says(answer(status)));
    expect(told).toEqual({ status: Number(status.slice(0, 3)), durationMs: expect.any(Number), body: '' });
    expect(Number.isInteger(told.durationMs)).toBe(true);
  });

  test('has its Retry-After as sent', async () => {
    const told = await postToOneThat(says(answer('503 Later', '', ['Retry-After:  soon, 17 '])));
    expect(told).toMatchObject({ status: 503, retryAfter: 'soon, 17' });
  });

  test.each([301, 302, 303, 307, 308])('%i is not followed', async (status) => {
    const inside = await receiverThat(says(answer()));
    const headers = [`Location: ${inside.url}`];
    expect(await postToOneThat(says(answer(`${status} Elsewhere`, '', headers)))).toMatchObject({ status });
    const metadata = ['Location: http://169.254.169.254/latest/meta-data/'];
    expect(await postToOneThat(says(answer(`${status} Elsewhere`, '', metadata)))).toMatchObject({ status });
    expect(inside.connections()).toBe(0);
  });

  test('may come in chunks, after 100 and 103, and before the connection closes', async () => {
    const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const chunked =
      'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n';
    expect(await postToOneThat(saysAndCloses(early + chunked))).toMatchObject({ status: 201, body: 'abc' });
    const untilClosed = 'HTTP/1.0 200 OK\r\n\r\nall of it';
    expect(await postToOneThat(saysAndCloses(untilClosed))).toMatchObject({ status: 200, body: 'all of it' });
  });
});

describe('of the body is told', () => {
  const told = async (body: string) => (await postToOneThat(says(answer('200 OK', body)))).body;

  test('all of up to 1 KiB', async () => {
    const body = `${'ä€😀'.repeat(113)}1234567`;
    expect(Buffer.byteLength(body)).toBe(1_024);
    expect(await told(body)).toBe(body);
  });

  test.each([0, 1, 2, 3])('the first 1 KiB, cut between characters (%i bytes before)', async (shift) => {
    const start = 'x'.repeat(shift);
    const text = await told(start + '😀'.repeat(2_000));
    expect(text).toBe(start + '😀'.repeat(Math.floor((1_024 - shift) / 4)));
  });

  test('U+FFFD for what is not UTF-8, within the same length', async () => {
    const bytes = Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n'),
      Buffer.from([0x61, 0xff, 0xc3, 0x28]),
    ]);
    expect((await postToOneThat(says(bytes))).body).toBe('a\ufffd\ufffd(');
    const rubbish = Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n'),
      Buffer.alloc(5_000, 0xff),
    ]);
    expect((await postToOneThat(says(rubbish))).body).toBe('\ufffd'.repeat(341));
  });

  test('what came before it broke off, without half a character', async () => {
    const start = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nab\u20ac');
    const broken: Behaviour = (socket) => void socket.end(start.subarray(0, -1));
    expect(await postToOneThat(broken)).toMatchObject({ status: 200, body: 'ab' });
  });
});

describe('no answer', () => {
  test('nobody listens: connection_refused', async () => {
    const receiver = await receiverThat(says(answer()));
    await receiver.close();
    expect(await postTo(receiver.url, request, policy)).toEqual({
      error: 'connection_refused',
      durationMs: expect.any(Number),
      body: '',
    });
  });

  test.each([
    ['closed at once', (socket) => void socket.end(), 'connection_reset'],
    ['reset', (socket) => void socket.resetAndDestroy(), 'connection_reset'],
    ['closed in the middle of the head', saysAndCloses('HTTP/1.1 200 OK\r\nContent-Le'), 'connection_reset'],
    ['garbage', says('{"ok":true}\r\n\r\n'), 'invalid_response'],
    ['another protocol', says('220 mail.example.com ESMTP\r\n'), 'invalid_response'],
    ['a status that is none', says('HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n'), 'invalid_response'],
    [
      'two lengths',
      says('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
      'invalid_response',
    ],
    [
      'switching protocols',
      says('HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nab'),
      'invalid_response',
    ],
    ['a head over 16 KiB', says(answer('200 OK', '', [`X: ${'x'.repeat(17_000)}`])), 'invalid_response'],
    [
      'twenty informational answers',
      says('HTTP/1.1 103 Early\r\n\r\n'.repeat(20) + answer()),
      'invalid_response',
    ],
  ] as [string, Behaviour, string][])('%s', async (_, behave, error) => {
    expect(await postToOneThat(behave)).toEqual({ error, durationMs: expect.any(Number), body: '' });
  });

  test('closed before anything is asked: connection_reset', async () => {
    const receiver = await startReceiver(() => {}, { greet: (socket) => void socket.resetAndDestroy() });
    receivers.push(receiver);
    expect(await postTo(receiver.url, request, policy)).toMatchObject({ error: 'connection_reset' });
  });
});
