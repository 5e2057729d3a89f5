/**
 * Tests the command line behind a proxy that is the only way to the service, with and without TLS: on the Node of the project, and with
 * the means of Node 20 to 24.13. The test of the package runs it on Node 20.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { startCloudFormation, statefulOutputs } from '../support/cloudformation-server.ts';
import { run, testConfigFolder } from '../support/command-line.ts';
import { type ForwardProxy, startForwardProxy } from '../support/forward-proxy.ts';
import { type LoopbackServer, listenOnLoopback } from '../support/loopback-server.ts';
import { createCertificate } from '../support/self-signed.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Only the proxy knows these names. */
const host = 'remit.example.test';
const awsHost = 'aws.example.test';
let stack: Stack;
let tls: LoopbackServer;
let cloudFormation: LoopbackServer;
/** CloudFormation and DynamoDB. */
let aws: LoopbackServer;
let proxy: ForwardProxy;
let folder: string;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  folder = await mkdtemp(join(tmpdir(), 'remit-proxy-'));
  const certificate = createCertificate([host, awsHost]);
  await writeFile(join(folder, 'cert.pem'), certificate.cert);
  await writeFile(join(folder, 'older.cjs'), "delete require('node:http').setGlobalProxyFromEnv;");
  tls = await startTls(certificate, () => stack.baseUrl);
  cloudFormation = await startCloudFormation({ 'remit-prod-stateful': statefulOutputs(stack.tableName) });
  aws = await startTls(certificate, ({ 'x-amz-target': target }) =>
    target === undefined ? cloudFormation.endpoint : stack.dynamodbEndpoint,
  );
});
beforeEach(async () => {
  proxy = await startForwardProxy();
  api = (await newAccount(stack.baseUrl)).test;
});
afterAll(async () => {
  await Promise.all([
    tls.close(),
    aws.close(),
    cloudFormation.close(),
    rm(folder, { recursive: true }),
    rm(testConfigFolder, { recursive: true, force: true }),
  ]);
  await stack.close();
});

/** Starts a server with TLS that passes each request on to the address of `targetOf`. */
function startTls(
  { key, cert }: ReturnType<typeof createCertificate>,
  targetOf: (headers: IncomingHttpHeaders) => string,
): Promise<LoopbackServer> {
  const server = createServer({ key, cert }, (incoming, response) => {
    const { method, url: path, headers } = incoming;
    const options = { host: '127.0.0.1', port: portOf(targetOf(headers)), method, path, headers };
    const onward = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  return listenOnLoopback(server);
}

const portOf = (url: string) => new URL(url).port;
const service = () => `http://${host}:${portOf(stack.baseUrl)}`;
const secureService = () => `https://${host}:${portOf(tls.endpoint)}`;
const older = () => `--require=${join(folder, 'older.cjs')}`;

const environment = (url: string, extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  REMIT_URL: url,
  REMIT_API_KEY: api.apiKey,
  NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem'),
  NODE_OPTIONS: '',
  HTTP_PROXY: undefined,
  HTTPS_PROXY: undefined,
  NO_PROXY: undefined,
  http_proxy: undefined,
  https_proxy: undefined,
  no_proxy: undefined,
  ...extra,
});
const list = (url: string, extra: NodeJS.ProcessEnv) => run('invoices', ['list'], environment(url, extra));

const means = [
  ['the function of Node', () => ''],
  ['the agent of undici', older],
] as const;

test.each(means)('with %s, HTTPS_PROXY leads to a service with TLS', async (_, nodeOptions) => {
  const NODE_OPTIONS = nodeOptions();
  const { id } = (await api.post('/api/invoices', invoiceBody())).json;
  const { code, out } = await list(secureService(), { HTTPS_PROXY: proxy.url, NODE_OPTIONS });
  expect([code, out]).toEqual([0, expect.stringContaining(id)]);
  expect(proxy.seen).toEqual([`CONNECT ${host}:${portOf(tls.endpoint)}`]);
  await proxy.close();
});

test.each(means)(
  'with %s, http_proxy leads to a service without TLS, also without its scheme',
  async (_, nodeOptions) => {
    const NODE_OPTIONS = nodeOptions();
    const { code } = await list(service(), { http_proxy: new URL(proxy.url).host, NODE_OPTIONS });
    expect(code).toBe(0);
    expect(proxy.seen.length).toBeGreaterThan(0);
    await proxy.close();
  },
);

test.each(means)('with %s, NO_PROXY and this machine are reached directly', async (_, nodeOptions) => {
  const NODE_OPTIONS = nodeOptions();
  const HTTP_PROXY = proxy.url;
  expect((await list(stack.baseUrl, { HTTP_PROXY, NODE_OPTIONS })).code).toBe(0);
  const local = stack.baseUrl.replace('127.0.0.1', 'localhost');
  expect((await list(local, { HTTP_PROXY, NODE_OPTIONS, NO_PROXY: 'example.com' })).code).toBe(0);
  for (const NO_PROXY of ['.example.test', '*']) {
    const { code, error } = await list(service(), { HTTP_PROXY, NODE_OPTIONS, NO_PROXY });
    expect([code, error]).toEqual([1, expect.stringContaining('hint:')]);
  }
  expect(proxy.seen).toEqual([]);
  await proxy.close();
});

describe('a command with --stage', () => {
  const accounts = (extra: NodeJS.ProcessEnv) => {
    const endpoint = `https://${awsHost}:${portOf(aws.endpoint)}`;
    return run('accounts', ['list', '--stage', 'prod', '--json'], {
      ...environment('', extra),
      TABLE_NAME: undefined,
      DEPLOYMENT_SECRET_FILE: undefined,
      AWS_ENDPOINT_URL_CLOUDFORMATION: endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    });
  };

  test.each(['direct', 'sdk'])(
    'calls AWS through the proxy, with calls of the kind %s',
    async (AWS_CALLS) => {
      const { accountId } = await newAccount(stack.baseUrl);
      const { code, out } = await accounts({ HTTPS_PROXY: proxy.url, AWS_CALLS });
      expect([code, out]).toEqual([0, expect.stringContaining(accountId)]);
      expect(proxy.seen.length).toBeGreaterThanOrEqual(2);
      expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT ${awsHost}:${portOf(aws.endpoint)}`]));
      await proxy.close();
    },
  );

  test('reaches the hosts of NO_PROXY directly, and names the proxy if it does not respond', async () => {
    const NO_PROXY = '.example.test';
    const { code } = await accounts({ HTTPS_PROXY: proxy.url, NO_PROXY });
    expect([code, proxy.seen]).toEqual([1, []]);
    const { url } = proxy;
    await proxy.close();
    const failed = await accounts({ HTTPS_PROXY: url });
    expect([failed.code, failed.error]).toEqual([1, expect.stringContaining('the proxy of HTTPS_PROXY')]);
  });
});

test('listen reads the events of a deployed service through the proxy', async () => {
  const child = spawn(process.execPath, ['cli/remit.ts', 'listen'], {
    env: {
      ...process.env,
      ...environment(secureService(), { HTTPS_PROXY: proxy.url, NODE_OPTIONS: older() }),
      XDG_CONFIG_HOME: testConfigFolder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  await waitUntil('the command listens', () => output.includes('Listening'));
  const { id } = (await api.post('/api/invoices', invoiceBody())).json;
  await waitUntil('the event is shown', () => output.includes(id));
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT ${host}:${portOf(tls.endpoint)}`]));
  await proxy.close();
});

test('a variable that names no proxy is refused without its value, and a proxy that is down is named', async () => {
  const HTTPS_PROXY = 'socks5://user:secret@127.0.0.1:1080';
  const refused = await list(secureService(), { HTTPS_PROXY });
  expect([refused.code, refused.error]).toEqual([
    2,
    expect.stringMatching(/^HTTPS_PROXY must be the URL of an http or https proxy/),
  ]);
  expect(refused.error).not.toContain('secret');
  const { url } = proxy;
  await proxy.close();
  const failed = await list(secureService(), { HTTPS_PROXY: url });
  expect([failed.code, failed.error]).toEqual([1, expect.stringContaining('HTTPS_PROXY')]);
});
