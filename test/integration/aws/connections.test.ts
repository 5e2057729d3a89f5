/**
 * Sends requests with the SDK's HTTP handler and with the client of the short path, to servers that answer in every form and
 * that misbehave. Both give the same results, and use connections alike.
 */
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { HttpRequest } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { HttpClient } from '../../../shared/platform/aws/http-client.ts';
import { createCertificate } from '../../support/self-signed.ts';
import {
  httpResponse,
  neverRespond,
  respondAndClose,
  respondSlowly,
  respondWithText,
  startTcpReceiver,
  type TcpBehavior,
  type TcpReceiver,
} from '../../support/tcp-receivers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Path, paths } from './call-paths.ts';

const timeoutMs = 300;
const limits = { connectionTimeout: timeoutMs, socketTimeout: timeoutMs };

interface Client {
  /** Sends a request, and returns the status and the body of its answer, or its error. */
  send(target: URL, options?: { body?: string; abortSignal?: AbortSignal }): Promise<object>;
  close(): void;
}

type Settings = typeof limits & { httpAgent?: { maxSockets: number } };

function createClient(path: Path, settings: Settings = limits): Client {
  const handler = path === 'sdk' ? new NodeHttpHandler(settings) : new HttpClient(settings);
  return {
    send: async ({ protocol, hostname, host, port }, { body = '{"ü":1}', abortSignal } = {}) => {
      const headers = { host, 'content-type': 'application/x-amz-json-1.0' };
      const request = { protocol, hostname, port: Number(port), headers, body };
      const sent = path === 'sdk' ? new HttpRequest({ ...request, method: 'POST', path: '/' }) : request;
      try {
        const options = abortSignal ? { abortSignal } : {};
        const { response } = await (handler as NodeHttpHandler).handle(sent as HttpRequest, options);
        const text: string[] = [];
        if (response.body instanceof Uint8Array) text.push(response.body.toString());
        else for await (const chunk of response.body) text.push(String(chunk));
        return { status: response.statusCode, header: response.headers['x-a'], body: text.join('') };
      } catch (error) {
        const { name, code } = error as NodeJS.ErrnoException;
        return { error: name, code };
      }
    },
    close: () => handler.destroy(),
  };
}

const receivers: TcpReceiver[] = [];
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

/** Runs calls on each path against a receiver of its own. The results and the numbers of connections must be the same. */
async function onBothPaths(
  behave: TcpBehavior,
  calls: (send: () => Promise<object>, receiver: TcpReceiver) => Promise<unknown>,
  settings?: Settings,
): Promise<{ result: unknown; connections: number }> {
  const outcomes = [];
  for (const path of paths) {
    const receiver = await startTcpReceiver(behave);
    const client = createClient(path, settings);
    receivers.push(receiver);
    clients.push(client);
    const result = await calls(() => client.send(new URL(receiver.url)), receiver);
    outcomes.push({ result, connections: receiver.connections() });
  }
  const [sdk, direct] = outcomes;
  expect(direct).toEqual(sdk);
  return direct as { result: unknown; connections: number };
}

const twice = async (send: () => Promise<object>) => [await send(), await send()];
const answered = (body: string, status = 200) => expect.objectContaining({ status, body });
const chunked = (...lines: string[]) =>
  ['HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', ...lines, '', ''].join('\r\n');
const lost = expect.objectContaining({ code: 'ECONNRESET' });

test.each<[string, TcpBehavior, unknown, number]>([
  ['a length', respondWithText(httpResponse('200 OK', 'ä')), answered('ä'), 1],
  ['no body', respondWithText(httpResponse('200 OK', '')), answered(''), 1],
  ['a status without a body', respondWithText('HTTP/1.1 204 No Content\r\n\r\n'), answered('', 204), 1],
  ['chunks', respondWithText(chunked('4', '{"a"', '6;x=y', ': "é"', '0')), answered('{"a": "é"'), 1],
  ['trailers', respondWithText(chunked('A', '0123456789', '0', 'X-Checksum: 1')), answered('0123456789'), 1],
  ['single bytes', respondSlowly(chunked('3', 'abc', '0'), 1), answered('abc'), 1],
  [
    'an informational answer',
    respondWithText(`HTTP/1.1 102 Processing\r\n\r\n${httpResponse()}`),
    answered(''),
    1,
  ],
  [
    'a repeated header',
    respondWithText(httpResponse('200 OK', '', ['X-A: 1', 'x-a:  2 '])),
    expect.objectContaining({ header: '1, 2' }),
    1,
  ],
  ['the end of the connection', respondAndClose('HTTP/1.1 200 OK\r\n\r\nabc'), answered('abc'), 2],
  ['an older version of HTTP', respondAndClose('HTTP/1.0 200 OK\r\n\r\nabc'), answered('abc'), 2],
  [
    '`Connection: close`',
    respondWithText(httpResponse('200 OK', 'a', ['Connection: close'])),
    answered('a'),
    2,
  ],
  ['a connection that closes at once', (socket) => void socket.destroy(), lost, 2],
  ['a connection that closes in the head', respondAndClose('HTTP/1.1 200 OK\r\nConte'), lost, 2],
  [
    'a connection that closes in the body',
    respondAndClose('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\na'),
    lost,
    2,
  ],
  ['a connection that closes in a chunk', respondAndClose(chunked('9', 'a').slice(0, -2)), lost, 2],
])('answers with %s', async (_, behave, answer, connections) => {
  const outcome = await onBothPaths(behave, twice);
  expect(outcome).toEqual({ result: [answer, answer], connections });
});

test('a request with a long body arrives completely', async () => {
  const bodies = await Promise.all(
    paths.map(async (path) => {
      const receiver = await startTcpReceiver(respondWithText(httpResponse()));
      const client = createClient(path, { connectionTimeout: 0, socketTimeout: 0 });
      receivers.push(receiver);
      clients.push(client);
      await client.send(new URL(receiver.url), { body: 'ü'.repeat(300_000) });
      return receiver.requests[0]?.split('\r\n\r\n')[1]?.length;
    }),
  );
  expect(bodies).toEqual([600_000, 600_000]);
});

test('an answer that arrived while other work held the process counts', async () => {
  const receiver = await startTcpReceiver((socket) => {
    socket.write(httpResponse('200 OK', 'a'));
    const start = performance.now();
    while (performance.now() < start + 2 * timeoutMs);
  });
  const client = createClient('direct');
  receivers.push(receiver);
  clients.push(client);
  expect(await client.send(new URL(receiver.url))).toEqual(answered('a'));
  expect(receiver.connections()).toBe(1);
});

test('calls at the same time have a connection each, up to the limit', async () => {
  const calls = (send: () => Promise<object>) => Promise.all(Array.from({ length: 5 }, send));
  const behave: TcpBehavior = (socket) => void setImmediate(() => socket.write(httpResponse()));
  expect(await onBothPaths(behave, calls)).toMatchObject({ connections: 5 });
  expect(await onBothPaths(behave, calls, { ...limits, httpAgent: { maxSockets: 2 } })).toMatchObject({
    connections: 2,
  });
});

test('a request that waits gets the place of a connection that closed', async () => {
  const calls = (send: () => Promise<object>) => Promise.all([send(), send(), send()]);
  const settings = { ...limits, httpAgent: { maxSockets: 1 } };
  const { result } = await onBothPaths((socket) => void socket.destroy(), calls, settings);
  expect(result).toEqual([lost, lost, lost]);
});

test('a connection that its server closed while it was idle is not used again', async () => {
  const outcome = await onBothPaths(
    (socket) => {
      socket.write(httpResponse());
      setImmediate(() => socket.end());
    },
    async (send, receiver) => {
      const first = await send();
      await waitUntil('the connection is closed', () => receiver.openConnections() === 0);
      return [first, await send()];
    },
  );
  expect(outcome).toEqual({ result: [answered(''), answered('')], connections: 2 });
});

test('a connection is not used when its server is about to close it', async () => {
  const outcome = await onBothPaths(
    respondWithText(httpResponse('200 OK', '', ['Connection: keep-alive', 'Keep-Alive: timeout=1'])),
    twice,
  );
  expect(outcome.connections).toBe(2);
});

test('a server that is silent or stops within its answer is a timeout, also on a connection that was idle', async () => {
  const stops: TcpBehavior = (socket, nth) =>
    void (nth === 1 ? socket.write(httpResponse()) : socket.write('HTTP/1.1 200 OK\r\nContent-Le'));
  const timedOut = expect.objectContaining({ error: 'TimeoutError' });
  const { result } = await onBothPaths(stops, async (send) => {
    const first = await send();
    await new Promise((resolve) => setTimeout(resolve, 2 * timeoutMs));
    return [first, await send()];
  });
  expect(result).toEqual([answered(''), timedOut]);
  expect((await onBothPaths(neverRespond, (send) => send())).result).toEqual(timedOut);
});

test('a server that refuses connections', async () => {
  const receiver = await startTcpReceiver(neverRespond);
  await receiver.close();
  for (const path of paths)
    expect(await createClient(path).send(new URL(receiver.url))).toMatchObject({ code: 'ECONNREFUSED' });
});

test.each([1, 2])('calls can be aborted, with %i connections', async (maxSockets) => {
  for (const path of paths) {
    const receiver = await startTcpReceiver(neverRespond);
    receivers.push(receiver);
    const client = createClient(path, { ...limits, httpAgent: { maxSockets } });
    clients.push(client);
    const controller = new AbortController();
    const calls = [1, 2].map(() => client.send(new URL(receiver.url), { abortSignal: controller.signal }));
    await waitUntil('a request has arrived', () => receiver.requests.length === maxSockets);
    controller.abort();
    const aborted = expect.objectContaining({ error: 'AbortError' });
    expect(await Promise.all(calls)).toEqual([aborted, aborted]);
    expect(receiver.requests).toHaveLength(maxSockets);
    // Node opens a connection in place of one that closed, although nothing waits for it any more.
    if (path === 'direct')
      await waitUntil('the connections are closed', () => receiver.openConnections() <= 2 - maxSockets);
  }
});

test('a call that waits for a connection is aborted at once', async () => {
  const receiver = await startTcpReceiver(neverRespond);
  receivers.push(receiver);
  const client = createClient('direct', {
    connectionTimeout: 0,
    socketTimeout: 0,
    httpAgent: { maxSockets: 1 },
  });
  clients.push(client);
  const first = client.send(new URL(receiver.url));
  await waitUntil('its request has arrived', () => receiver.requests.length === 1);
  const controller = new AbortController();
  const second = client.send(new URL(receiver.url), { abortSignal: controller.signal });
  controller.abort();
  expect(await second).toMatchObject({ error: 'AbortError' });
  await receiver.close();
  expect(await first).toEqual(lost);
});

// The SDK's handler reports these by other errors, or not at all.
test.each<[string, string]>([
  ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
  ['a header without a colon', 'HTTP/1.1 200 OK\r\nX-A\r\n\r\n'],
  ['a length that is not a number', 'HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ['a chunk without a size', chunked('x', 'a', '0')],
  ['a chunk that is longer than its size', chunked('1', 'ab', '0')],
  ['bytes after the body', `${httpResponse('200 OK', 'a')}b`],
  ['bytes after the last chunk', `${chunked('1', 'a', '0')}b`],
  ['an endless head', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(70_000)}`],
])('%s is no answer, and the call can be tried again', async (_, text) => {
  const receiver = await startTcpReceiver(respondWithText(text));
  receivers.push(receiver);
  const client = new HttpClient(limits);
  const request = { protocol: 'http:', hostname: '127.0.0.1', port: receiver.port, headers: {}, body: '' };
  await expect(client.handle(request)).rejects.toMatchObject({ $retryable: {} });
  await waitUntil('the connection is closed', () => receiver.openConnections() === 0);
});

test('a connection on which bytes arrive while it is idle is closed', async () => {
  const sockets: Socket[] = [];
  const receiver = await startTcpReceiver((socket) => {
    sockets.push(socket);
    socket.write(httpResponse('200 OK', 'first'));
  });
  receivers.push(receiver);
  const client = createClient('direct');
  clients.push(client);
  expect(await client.send(new URL(receiver.url))).toEqual(answered('first'));
  sockets[0]?.write(httpResponse('200 OK', 'of nobody'));
  await waitUntil('the connection is closed', () => receiver.openConnections() === 0);
  expect(await client.send(new URL(receiver.url))).toEqual(answered('first'));
});

test('addresses in brackets are IPv6', async () => {
  const receiver = await startTcpReceiver(respondWithText(httpResponse('200 OK', 'six')), { host: '::1' });
  receivers.push(receiver);
  for (const path of paths) {
    const client = createClient(path);
    clients.push(client);
    expect(await client.send(new URL(`http://[::1]:${receiver.port}`))).toEqual(answered('six'));
  }
});

describeTls();

function describeTls(): void {
  const trusted = createCertificate(['localhost', '127.0.0.1']);
  const stranger = createCertificate(['localhost']);
  const otherName = createCertificate(['example.com']);
  const authorities = tls.getCACertificates();
  const servers: ReturnType<typeof createServer>[] = [];

  beforeAll(() => tls.setDefaultCACertificates([...authorities, trusted.cert, otherName.cert]));
  afterAll(() => {
    tls.setDefaultCACertificates(authorities);
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });

  async function startServer(certificate: tls.SecureContextOptions) {
    const sockets: tls.TLSSocket[] = [];
    const server = createServer(certificate, (request, response) => {
      request.resume().on('end', () => response.end('secret'));
    });
    servers.push(server);
    server.on('secureConnection', (socket) => sockets.push(socket));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return { url: new URL(`https://localhost:${(server.address() as AddressInfo).port}`), sockets };
  }

  test.each(paths)('the path %s uses TLS, and resumes its sessions', async (path) => {
    const { url, sockets } = await startServer(trusted);
    const client = createClient(path);
    clients.push(client);
    expect(await client.send(url)).toEqual(answered('secret'));
    expect(await client.send(url)).toEqual(answered('secret'));
    expect(sockets).toHaveLength(1);
    const [first] = sockets as [tls.TLSSocket];
    expect(first.servername).toBe('localhost');
    const closed = new Promise((resolve) => (first as Socket).once('close', resolve));
    first.end();
    await closed;
    expect(await client.send(url)).toEqual(answered('secret'));
    expect(sockets[1]?.isSessionReused()).toBe(true);
    expect(await client.send(new URL(`https://127.0.0.1:${url.port}`))).toEqual(answered('secret'));
  });

  test.each(paths)('the path %s sends nothing to a server with a wrong certificate', async (path) => {
    for (const certificate of [stranger, otherName]) {
      const { url } = await startServer(certificate);
      const client = createClient(path);
      clients.push(client);
      const code = certificate === stranger ? 'DEPTH_ZERO_SELF_SIGNED_CERT' : 'ERR_TLS_CERT_ALTNAME_INVALID';
      expect(await client.send(url)).toMatchObject({ code });
    }
  });
}
