/** Tests that a TLS session that the host refuses to resume makes at most one request fail, on both paths. */
import { createServer } from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { HttpRequest } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { HttpClient } from '../../../shared/platform/aws/http-client.ts';
import { createCertificate } from '../../support/self-signed.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { paths } from './call-paths.ts';

const certificate = createCertificate(['localhost']);
const trusted = tls.getCACertificates();
const server = createServer(certificate, (request, response) => {
  request.resume().on('end', () => response.end('ok'));
});
/** A fatal alert: the handshake failed. */
const handshakeFailure = Buffer.from([0x15, 3, 3, 0, 2, 2, 0x28]);
const preSharedKey = 41;

beforeAll(async () => {
  tls.setDefaultCACertificates([...trusted, certificate.cert]);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  tls.setDefaultCACertificates(trusted);
  server.closeAllConnections();
  server.close();
});

/** Whether the first message of a client asks to resume a session: RFC 8446, 4.1.2 and 4.2.11. */
function asksToResume(hello: Buffer): boolean {
  let at = 9 + 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  const end = at + 2 + hello.readUInt16BE(at);
  for (at += 2; at + 4 <= end; at += 4 + hello.readUInt16BE(at + 2))
    if (hello.readUInt16BE(at) === preSharedKey) return true;
  return false;
}

/** Starts a proxy to the server, which can refuse all clients that ask to resume a session. */
async function startProxy() {
  const open = new Set<Socket>();
  const state = { refuses: false, refused: 0 };
  const proxy = net.createServer((client) => {
    open.add(client.on('error', () => {}).on('close', () => open.delete(client)));
    client.once('data', (hello) => {
      if (state.refuses && asksToResume(hello)) {
        state.refused += 1;
        client.end(handshakeFailure);
        return;
      }
      const upstream = net.connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
      upstream.write(hello);
      client.pipe(upstream).pipe(client);
      client.on('close', () => upstream.destroy());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const disconnect = () => {
    for (const client of open) client.destroy();
  };
  return { state, port: (proxy.address() as AddressInfo).port, disconnect, close: () => proxy.close() };
}

test.each(paths)('a refused session is forgotten, with the path %s', async (path) => {
  const { state, port, disconnect, close } = await startProxy();
  const handler = path === 'sdk' ? new NodeHttpHandler() : new HttpClient({});
  const request = {
    protocol: 'https:',
    hostname: 'localhost',
    port,
    headers: { host: 'localhost' },
    body: '{}',
  };
  const sent = path === 'sdk' ? new HttpRequest({ ...request, method: 'POST', path: '/' }) : request;
  const send = () => (handler as NodeHttpHandler).handle(sent as HttpRequest);
  state.refuses = true;
  // The host closes each connection, so the next request asks to resume the session.
  await waitUntil('a request succeeds after a refusal', async () => {
    const { response } = await send();
    const isAfterRefusal = state.refused > 0;
    disconnect();
    return isAfterRefusal && response.statusCode === 200;
  });
  expect(state.refused).toBe(1);
  handler.destroy();
  disconnect();
  close();
});
