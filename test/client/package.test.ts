/** Tests the packed client in an empty project: its module formats, types, size and README examples. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { freePort } from '../../infra/local/free-port.ts';
import { repositoryRoot } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import { installPackedClient, type PackedClient } from './packed-client.ts';
import { type Program, readmePrograms } from './readme-programs.ts';

const maxMinifiedBytes = 13.6 * 1024;
const run = promisify(execFile);
const nodeModules = join(repositoryRoot, 'node_modules');
const nodeTypes = ['--typeRoots', join(nodeModules, '@types'), '--types', 'node'];

let stack: Stack;
let client: PackedClient;
let api: Api;

beforeAll(async () => {
  [stack, client] = await Promise.all([startTestStack(), installPackedClient()]);
  api = (await newAccount(stack.baseUrl)).test;
});
afterAll(async () => {
  await client?.close();
  await stack?.close();
});

const environmentOf = ({ apiKey }: Api) => ({ REMIT_URL: stack.baseUrl, REMIT_API_KEY: apiKey });

/** Creates and lists an invoice, and fails to verify a message. */
const use = `
  const remit = new Remit({ apiKey: process.env.REMIT_API_KEY, baseUrl: process.env.REMIT_URL });
  const { id } = await remit.invoices.create(${JSON.stringify(invoiceBody())});
  for await (const invoice of remit.invoices.list({ limit: 1 })) if (invoice.id === id) console.log('listed');
  await verifyWebhook('{}', {}, 'whsec_AAAA').catch((error) => console.log(error instanceof RemitError, error.code));
`;

test('the client works as an ES module and as a CommonJS module', async () => {
  const names = '{ Remit, RemitError, verifyWebhook }';
  await client.write('use.mjs', `import ${names} from 'remit-client';${use}`);
  await client.write('use.cjs', `const ${names} = require('remit-client');(async () => {${use}})();`);
  for (const file of ['use.mjs', 'use.cjs']) {
    expect(await client.run(file, environmentOf(api))).toBe('listed\ntrue missing_header\n');
  }
});

describe('the types', () => {
  const text = `
    import { type Invoice, Remit, RemitError, ValidationError, verifyWebhook } from 'remit-client';
    export async function use() {
      const remit = new Remit({ apiKey: 'sk_test_1', baseUrl: 'https://remit.example.com' });
      const params = { customerId: 'c', amount: 1, currency: 'USD', description: 'd' } as const;
      const invoice: Invoice = await remit.invoices.create(params, { idempotencyKey: 'k' });
      // @ts-expect-error an unsupported currency
      await remit.invoices.create({ ...params, currency: 'EUR' });
      // @ts-expect-error an unknown parameter
      await remit.invoices.create({ ...params, color: 'red' });
      // @ts-expect-error a field that cannot be changed
      await remit.invoices.update(invoice.id, { currency: 'USD' });
      // @ts-expect-error an unknown status
      remit.invoices.list({ status: 'open' });
      // @ts-expect-error a read has no idempotency key
      remit.invoices.list({}, { idempotencyKey: 'k' });
      const total: number = (await remit.invoices.list()).pagination.total;
      for await (const { amountRefunded } of remit.payments.list({ status: 'completed' })) amountRefunded.toFixed();
      const event = await verifyWebhook('', new Headers(), ['a', 'b']);
      // @ts-expect-error not every event has an invoice
      event.data.paymentUrl;
      if (event.type === 'invoice.paid') event.data.paymentUrl.length;
      if (event.type === 'refund.processed') event.data.paymentId.length;
      const error: unknown = undefined;
      if (error instanceof RemitError) error.requestId?.length;
      if (error instanceof ValidationError) error.field.length;
      // @ts-expect-error a code of another type
      if (error instanceof ValidationError) error.code = 1;
      return total;
    }
  `;

  test.each([
    [
      'ES modules and CommonJS modules on Node',
      ['types.mts', 'types.cts'],
      ['--module', 'nodenext', '--lib', 'es2022', ...nodeTypes],
    ],
    [
      'bundles for edge runtimes',
      ['types.ts'],
      ['--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom'],
    ],
    [
      'projects with the old module resolution',
      ['old.ts'],
      ['--module', 'commonjs', '--moduleResolution', 'node10', '--lib', 'es2022,dom'],
    ],
  ])('match the API in %s, with strict options', async (_, files, options) => {
    for (const file of files) await client.write(file, text);
    await client.check(files, [...options, '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']);
  });
});

describe('the code', () => {
  const bundle = async (...options: string[]) => {
    const entry = join(client.directory, 'node_modules', 'remit-client', 'dist', 'esm', 'remit.js');
    const esbuild = join(nodeModules, '.bin', 'esbuild');
    return (await run(esbuild, [entry, '--bundle', '--minify', '--platform=neutral', ...options])).stdout;
  };

  test(`has at most ${maxMinifiedBytes} bytes minified`, async () => {
    expect(Buffer.byteLength(await bundle('--format=esm'))).toBeLessThanOrEqual(maxMinifiedBytes);
  });

  test('runs without any API of Node, as on edge runtimes', async () => {
    const { fetch, Headers, URLSearchParams, AbortController, crypto, Blob, atob, btoa } = globalThis;
    const web = { fetch, Headers, URLSearchParams, AbortController, crypto, Blob, atob, btoa };
    const code = `${await bundle('--format=iife', '--global-name=client')};client`;
    const { Remit, verifyWebhook } = vm.runInNewContext(code, { ...web, setTimeout, clearTimeout });
    const remit = new Remit({ apiKey: api.apiKey, baseUrl: stack.baseUrl });
    const { id } = await remit.invoices.create(invoiceBody());
    expect((await remit.invoices.list({ limit: 1 })).data[0].id).toBe(id);
    const { headers, body, secret } = signedMessage();
    expect(await verifyWebhook(body, new Headers(headers), secret)).toMatchObject({ id: 'evt_1' });
  });

  test('has no dependencies', async () => {
    const file = join(client.directory, 'node_modules', 'remit-client', 'package.json');
    expect(Object.keys(JSON.parse(await readFile(file, 'utf8')))).not.toContain('dependencies');
  });
});

describe('the README', () => {
  let programs: ReadonlyMap<string, Program>;
  const fileOf = (name: string) => name.replace('.ts', '.mts');
  const printsOf = (name: string) => programs.get(name)?.prints ?? [];
  beforeAll(async () => {
    programs = await readmePrograms();
    for (const [name, { text }] of programs) await client.write(fileOf(name), text);
  });

  test('is type-checked', async () => {
    const files = [...programs.keys()].map(fileOf);
    expect(files).toEqual(['examples.mts', 'follow.mts', 'receiver.mts', 'first-version.mts', 'handler.mts']);
    await client.check(files, ['--module', 'nodenext', ...nodeTypes]);
  });

  test('shows what its examples print, and its receiver receives the events', async () => {
    const { test: shop } = await newAccount(stack.baseUrl);
    const environment = environmentOf(shop);
    const port = await freePort();
    const WEBHOOK_URL = `http://127.0.0.1:${port}/webhooks`;
    const printed = await client.run('examples.mts', { ...environment, WEBHOOK_URL });
    expect(linesOf(printed, printsOf('examples.ts'))).toEqual(printsOf('examples.ts'));
    expect(printsOf('examples.ts').length).toBeGreaterThan(10);

    await waitUntil('the event', async () => {
      const { json } = await shop.get('/api/events?type=invoice.paid');
      return json.data.length > 0;
    });
    expect(await client.run('follow.mts', environment)).toBe(`${printsOf('follow.ts').join('\n')}\n`);

    const [WEBHOOK_SECRET = ''] = /whsec_\S+/.exec(printed) ?? [];
    const receiver = spawn(process.execPath, ['receiver.mts'], {
      cwd: client.directory,
      env: { ...process.env, WEBHOOK_SECRET, PORT: String(port) },
    });
    let received = '';
    receiver.stdout.on('data', (text) => {
      received += text;
    });
    try {
      await waitUntil(
        'the receiver',
        async () => (await fetch(WEBHOOK_URL, { method: 'POST' })).status === 400,
      );
      const { json } = await shop.post('/api/invoices', invoiceBody());
      await waitUntil('the event', () => received.includes(`invoice.created ${json.id}\n`));
    } finally {
      receiver.kill();
      await once(receiver, 'exit');
    }
  });

  test('has a handler that responds with 200 to an authentic message, and with the reason otherwise', async () => {
    const program = `
      import handler from './handler.mts';
      const { headers, body, secret } = JSON.parse(process.env.MESSAGE);
      for (const sent of [body, body + ' ']) {
        const request = new Request('https://shop.example.com/', { method: 'POST', headers, body: sent });
        const response = await handler.fetch(request, { WEBHOOK_SECRET: secret });
        console.log(response.status, await response.text());
      }`;
    await client.write('call-handler.mjs', program);
    const printed = await client.run('call-handler.mjs', { MESSAGE: JSON.stringify(signedMessage()) });
    expect(printed).toBe('200 {"seen":"evt_1"}\n400 body_changed\n');
  });
});

function signedMessage() {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = JSON.stringify({
    id: 'evt_1',
    type: 'invoice.paid',
    data: { id: 'inv_1' },
    apiVersion: '2026-11-23',
  });
  const at = new Date();
  const signature = new Webhook(secret).sign('evt_1', at, body);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  return { headers, body, secret };
}

/** Returns the printed lines that are expected, in the order in which they were printed. */
function linesOf(printed: string, expected: readonly string[]): string[] {
  return printed.split('\n').filter((line) => expected.includes(line));
}
