/** Tests POSTs by https: a receiver gets data only if its certificate is trusted and matches its name. */
import { execFile } from 'node:child_process';
import { createServer, type Server, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { postTo } from '../../../shared/platform/outbound/post.ts';
import type { TargetPolicy } from '../../../shared/platform/outbound/target.ts';
import { setResolver } from '../../support/outbound.ts';
import { createCertificate } from '../../support/self-signed.ts';
import { neverRespond, startTcpReceiver, type TcpReceiver } from '../../support/tcp-receivers.ts';
import { waitUntil } from '../../support/wait-until.ts';

const policy: TargetPolicy = { mode: 'live', allowedRanges: ['127.0.0.0/8'], ownHosts: [] };
const request = { headers: {}, body: Buffer.from('{"a":1}') };
const trusted = createCertificate(['hooks.example.com', '127.0.0.1']);
const authorities = tls.getCACertificates();

const bodies: string[] = [];
let connections = 0;
let server: Server;
let port = 0;

beforeAll(async () => {
  // Before the first connection, because Node caches the trusted certificates.
  tls.setDefaultCACertificates([...authorities, trusted.cert]);
  ({ server, port } = await startServer(trusted));
  setResolver(async () => ['127.0.0.1']);
});
const servers: Server[] = [];
const receivers: TcpReceiver[] = [];
afterEach(() => {
  bodies.length = 0;
});
afterAll(async () => {
  setResolver();
  tls.setDefaultCACertificates(authorities);
  for (const each of servers) {
    each.close();
    each.closeAllConnections();
  }
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

async function startServer(options: ServerOptions): Promise<{ server: Server; port: number }> {
  const started = createServer(options, async (received, response) => {
    let body = '';
    for await (const chunk of received) body += chunk;
    bodies.push(body);
    response.end('thanks');
  });
  servers.push(started);
  started.on('connection', () => connections++);
  await new Promise<void>((resolve) => {
    started.listen(0, '127.0.0.1', resolve);
  });
  return { server: started, port: (started.address() as AddressInfo).port };
}

test('a trusted certificate for the name or the address: delivered, over one connection for each host', async () => {
  connections = 0;
  for (const host of ['hooks.example.com', '127.0.0.1']) {
    for (let post = 0; post < 2; post++) {
      expect(await postTo(`https://${host}:${port}/`, request, policy)).toMatchObject({
        status: 200,
        body: 'thanks',
      });
    }
  }
  expect(bodies).toEqual(['{"a":1}', '{"a":1}', '{"a":1}', '{"a":1}']);
  expect(connections).toBe(2);
});

test('a reused connection that the server closed is replaced', async () => {
  expect(await postTo(`https://hooks.example.com:${port}/`, request, policy)).toMatchObject({ status: 200 });
  server.closeAllConnections();
  expect(await postTo(`https://hooks.example.com:${port}/`, request, policy)).toMatchObject({ status: 200 });
});

const host = 'pay.example.com';
const authority = createCertificate(['Company authority'], { isAuthority: true });
const issuer = { key: authority.key, name: 'Company authority' };
const [past, future] = [
  ['20200101000000Z', '20210101000000Z'],
  ['20800101000000Z', '20810101000000Z'],
] as const;
const signed = createCertificate([host], { issuer });

test.each([
  ['an expired certificate', 'certificate_expired', createCertificate([host], { validity: past })],
  ['a future certificate', 'certificate_not_yet_valid', createCertificate([host], { validity: future })],
  ['a self-signed certificate', 'certificate_self_signed', createCertificate([host])],
  ['a certificate of an unknown authority', 'certificate_untrusted', signed],
  [
    'a chain of an unknown authority',
    'certificate_untrusted',
    { key: signed.key, cert: signed.cert + authority.cert },
  ],
])('%s: %s, and no part of the request is sent', async (_, cause, certificate) => {
  const other = await startServer(certificate);
  expect(await postTo(`https://${host}:${other.port}/`, request, policy)).toMatchObject({
    error: 'tls_failure',
    cause,
  });
  expect(bodies).toEqual([]);
});

test('a trusted certificate for another name: certificate_wrong_name, and no part of the request is sent', async () => {
  expect(await postTo(`https://other.example.com:${port}/`, request, policy)).toMatchObject({
    error: 'tls_failure',
    cause: 'certificate_wrong_name',
  });
  expect(bodies).toEqual([]);
});

test('a server that asks for a client certificate: handshake_refused', async () => {
  const strict = await startServer({
    ...trusted,
    requestCert: true,
    rejectUnauthorized: true,
    maxVersion: 'TLSv1.2',
  });
  expect(await postTo(`https://hooks.example.com:${strict.port}/`, request, policy)).toMatchObject({
    error: 'tls_failure',
    cause: 'handshake_refused',
  });
  expect(bodies).toEqual([]);
});

test('an untrusted certificate is a tls_failure also if the environment tells Node to accept it', async () => {
  // In a separate process, because tests see only a copy of the environment.
  const script = `
    const { postTo } = await import(${JSON.stringify(new URL('../../../shared/platform/outbound/post.ts', import.meta.url))});
    const request = { headers: {}, body: Buffer.from('{}') };
    const result = await postTo('https://127.0.0.1:${port}/', request, ${JSON.stringify(policy)});
    console.log(result.error);
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  });
  expect(stdout).toBe('tls_failure\n');
  expect(bodies).toEqual([]);
});

test('only old versions of TLS: protocol_version', async () => {
  const old = await startServer({
    ...trusted,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  });
  expect(await postTo(`https://hooks.example.com:${old.port}/`, request, policy)).toMatchObject({
    error: 'tls_failure',
    cause: 'protocol_version',
  });
});

test.each([
  ['plain HTTP', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['a mail server', '220 mail.example.com ESMTP\r\n'],
])('%s instead of TLS: not_tls', async (_, text) => {
  const receiver = await startTcpReceiver(neverRespond, {
    greet: (socket) => socket.once('data', () => socket.write(text)),
  });
  receivers.push(receiver);
  expect(await postTo(receiver.url.replace('http:', 'https:'), request, policy)).toMatchObject({
    error: 'tls_failure',
    cause: 'not_tls',
  });
});

test('a handshake that never ends: timeout after the total time', async () => {
  const receiver = await startTcpReceiver(neverRespond);
  receivers.push(receiver);
  const limits = { totalMs: 100, bodyMs: 100, bodyBytes: 100 };
  const result = await postTo(receiver.url.replace('http:', 'https:'), request, policy, limits);
  expect(result).toMatchObject({ error: 'timeout' });
  await waitUntil('the connection is closed', () => receiver.openConnections() === 0);
});

test('a connection that is closed during the handshake: connection_reset', async () => {
  const receiver = await startTcpReceiver(neverRespond, {
    greet: (socket) => socket.once('data', () => socket.end()),
  });
  receivers.push(receiver);
  expect(await postTo(receiver.url.replace('http:', 'https:'), request, policy)).toMatchObject({
    error: 'connection_reset',
  });
});
