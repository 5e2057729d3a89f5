/** Tests a POST: the request that receivers get, and the result for each kind of response. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { postTo } from '../../../shared/platform/outbound/post.ts';
import type { TargetPolicy } from '../../../shared/platform/outbound/target.ts';
import {
  httpResponse,
  respondAndClose,
  respondWithText,
  startTcpReceiver,
  type TcpBehavior,
  type TcpReceiver,
} from '../../support/tcp-receivers.ts';

const policy: TargetPolicy = { mode: 'test', allowedRanges: ['127.0.0.0/8', '::1/128'], ownHosts: [] };
const request = {
  headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' },
  body: Buffer.from('{"a":"ü"}'),
};

const receivers: TcpReceiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
async function receiverThat(behave: TcpBehavior): Promise<TcpReceiver> {
  const receiver = await startTcpReceiver(behave);
  receivers.push(receiver);
  return receiver;
}
const postToReceiverThat = async (behave: TcpBehavior) =>
  postTo((await receiverThat(behave)).url, request, policy);

describe('the request', () => {
  test('has the given headers and bytes, and forbids compression', async () => {
    const receiver = await receiverThat(respondWithText(httpResponse()));
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

  test('ignores given headers for length and encoding', async () => {
    const receiver = await receiverThat(respondWithText(httpResponse()));
    const headers = { 'Content-Length': '3', 'Accept-Encoding': 'gzip' };
    expect((await postTo(receiver.url, { ...request, headers }, policy)).status).toBe(200);
    expect(receiver.requests[0]).toMatch(/content-length: 10\r\n/i);
    expect(receiver.requests[0]).toMatch(/accept-encoding: identity\r\n/i);
    expect(receiver.requests[0]).not.toMatch(/gzip/);
  });

  test('may be large', async () => {
    const receiver = await receiverThat(respondWithText(httpResponse()));
    const body = Buffer.alloc(1_000_000, 'x');
    expect((await postTo(receiver.url, { headers: {}, body }, policy)).status).toBe(200);
    expect(receiver.requests[0]?.endsWith(body.toString())).toBe(true);
  });
});

describe('the response', () => {
  test.each([
    '200 OK',
    '204 No Content',
    '299',
    '400 Bad Request',
    '410 Gone',
    '429 Slow',
    '500 X',
    '999 Odd',
  ])('%s is returned as a status', async (status) => {
    const result = await postToReceiverThat(respondWithText(httpResponse(status)));
    expect(result).toEqual({ status: Number(status.slice(0, 3)), durationMs: expect.any(Number), body: '' });
    expect(Number.isInteger(result.durationMs)).toBe(true);
  });

  test('is returned with its Retry-After header unchanged', async () => {
    const result = await postToReceiverThat(
      respondWithText(httpResponse('503 Later', '', ['Retry-After:  soon, 17 '])),
    );
    expect(result).toMatchObject({ status: 503, retryAfter: 'soon, 17' });
  });

  test.each([301, 302, 303, 307, 308])('with the redirect %i is not followed', async (status) => {
    const inside = await receiverThat(respondWithText(httpResponse()));
    const headers = [`Location: ${inside.url}`];
    expect(
      await postToReceiverThat(respondWithText(httpResponse(`${status} Elsewhere`, '', headers))),
    ).toMatchObject({ status });
    const metadata = ['Location: http://169.254.169.254/latest/meta-data/'];
    expect(
      await postToReceiverThat(respondWithText(httpResponse(`${status} Elsewhere`, '', metadata))),
    ).toMatchObject({ status });
    expect(inside.connections()).toBe(0);
  });

  test('may be chunked, follow 100 and 103, or end with the connection', async () => {
    const early = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const chunked =
      'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n';
    expect(await postToReceiverThat(respondAndClose(early + chunked))).toMatchObject({
      status: 201,
      body: 'abc',
    });
    const untilClosed = 'HTTP/1.0 200 OK\r\n\r\nall of it';
    expect(await postToReceiverThat(respondAndClose(untilClosed))).toMatchObject({
      status: 200,
      body: 'all of it',
    });
  });
});

describe('the body of the result', () => {
  const bodyOf = async (body: string) =>
    (await postToReceiverThat(respondWithText(httpResponse('200 OK', body)))).body;

  test('is the whole body up to 1 KiB', async () => {
    const body = `${'ä€😀'.repeat(113)}1234567`;
    expect(Buffer.byteLength(body)).toBe(1_024);
    expect(await bodyOf(body)).toBe(body);
  });

  test.each([0, 1, 2, 3])('is the first 1 KiB, cut between characters (%i bytes before)', async (shift) => {
    const start = 'x'.repeat(shift);
    const text = await bodyOf(start + '😀'.repeat(2_000));
    expect(text).toBe(start + '😀'.repeat(Math.floor((1_024 - shift) / 4)));
  });

  test('has U+FFFD for invalid UTF-8, within the same length', async () => {
    const bytes = Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n'),
      Buffer.from([0x61, 0xff, 0xc3, 0x28]),
    ]);
    expect((await postToReceiverThat(respondWithText(bytes))).body).toBe('a\ufffd\ufffd(');
    const invalid = Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n'),
      Buffer.alloc(5_000, 0xff),
    ]);
    expect((await postToReceiverThat(respondWithText(invalid))).body).toBe('\ufffd'.repeat(341));
  });

  test('is the part before the connection broke, without an incomplete character', async () => {
    const start = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nab\u20ac');
    const broken: TcpBehavior = (socket) => void socket.end(start.subarray(0, -1));
    expect(await postToReceiverThat(broken)).toMatchObject({ status: 200, body: 'ab' });
  });
});

describe('without a response', () => {
  test('no process listens: connection_refused', async () => {
    const receiver = await receiverThat(respondWithText(httpResponse()));
    await receiver.close();
    expect(await postTo(receiver.url, request, policy)).toEqual({
      error: 'connection_refused',
      durationMs: expect.any(Number),
      body: '',
    });
  });

  test.each([
    ['closed immediately', (socket) => void socket.end(), 'connection_reset'],
    ['reset', (socket) => void socket.resetAndDestroy(), 'connection_reset'],
    [
      'closed in the middle of the head',
      respondAndClose('HTTP/1.1 200 OK\r\nContent-Le'),
      'connection_reset',
    ],
    ['garbage', respondWithText('{"ok":true}\r\n\r\n'), 'invalid_response'],
    ['another protocol', respondWithText('220 mail.example.com ESMTP\r\n'), 'invalid_response'],
    [
      'an invalid status',
      respondWithText('HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n'),
      'invalid_response',
    ],
    [
      'two lengths',
      respondWithText('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
      'invalid_response',
    ],
    [
      'switching protocols',
      respondWithText('HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nab'),
      'invalid_response',
    ],
    [
      'a head over 16 KiB',
      respondWithText(httpResponse('200 OK', '', [`X: ${'x'.repeat(17_000)}`])),
      'invalid_response',
    ],
    [
      'twenty informational responses',
      respondWithText('HTTP/1.1 103 Early\r\n\r\n'.repeat(20) + httpResponse()),
      'invalid_response',
    ],
  ] as [string, TcpBehavior, string][])('%s is an error', async (_, behave, error) => {
    expect(await postToReceiverThat(behave)).toEqual({ error, durationMs: expect.any(Number), body: '' });
  });

  test('closed before the request: connection_reset', async () => {
    const receiver = await startTcpReceiver(() => {}, { greet: (socket) => void socket.resetAndDestroy() });
    receivers.push(receiver);
    expect(await postTo(receiver.url, request, policy)).toMatchObject({ error: 'connection_reset' });
  });
});
