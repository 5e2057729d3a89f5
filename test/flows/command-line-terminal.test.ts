/** Tests the command line on a terminal and in a pipe: help, tables, prompts, the browser, and the start with npx. */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { execute, run, runOnTerminal } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let api: Api;
/** The environment variables that select the service and the key. */
let service: { REMIT_URL: string; REMIT_API_KEY: string };

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  api = (await newAccount(stack.baseUrl)).test;
  service = { REMIT_URL: stack.baseUrl, REMIT_API_KEY: api.apiKey };
});
afterAll(() => stack.close());

const remit = (...[group = '', ...args]: string[]) => run(group, args, service);
const newInvoice = async (fields = {}) => (await api.post('/api/invoices', invoiceBody(fields))).json;

describe('help', () => {
  test.each([[[]], [['invoices']], [['invoices', 'create']]])(
    'of %j exits with code 0, and a call without a command or options with code 2',
    async (args) => {
      const help = await remit(...args, '--help');
      expect(help).toMatchObject({ code: 0, out: expect.stringContaining('Examples:'), error: '' });
      expect((await remit(...args)).code).toBe(2);
    },
  );

  test.each(['-v', '--version'])('%s prints the version of the package', async (option) => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(await remit(option)).toEqual({ code: 0, out: `${version}\n`, error: '' });
  });

  test('help COMMAND shows the help of the command, also under its alias', async () => {
    const help = await remit('webhooks', 'list', '--help');
    expect(await remit('help', 'webhooks', 'ls')).toEqual(help);
    expect(await remit('help')).toEqual(await remit('--help'));
    expect(await remit('help', 'invoice')).toMatchObject({
      code: 2,
      error: expect.stringContaining('Did you mean invoices?'),
    });
  });

  test('npx starts the command line without a network, with the Node version of the project', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'remit-npx-'));
    try {
      const path = process.env.PATH?.split(':').filter((part) => !part.includes('node_modules'));
      const env = {
        npm_config_registry: 'http://127.0.0.1:9',
        npm_config_cache: directory,
        PATH: path?.join(':'),
      };
      const { code, out } = await execute('npx', ['remit', '--help'], { ...service, ...env });
      expect([code, out]).toEqual([0, (await remit('--help')).out]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe('output', () => {
  const hostileText =
    'Hostile \u001b[31m\u001b]0;title\u0007\u009b2J \u202e\nnext line, and a text that is far too long for it';

  test('in a pipe, tables are complete and without colors, and control characters are escaped', async () => {
    const { id } = await newInvoice({ description: hostileText, amount: 250_000, currency: 'BTN' });
    const { out } = await remit('invoices', 'list');
    expect(out.split('\n')).toHaveLength(3);
    expect(out).toContain(id);
    expect(out).toContain('Nu. 2,500.00');
    expect(out).toContain(
      String.raw`Hostile \u001b[31m\u001b]0;title\u0007\u009b2J \u202e\nnext line, and a text that is far too long for it`,
    );
    const raw = await remit('invoices', 'get', id, '--json');
    for (const text of [out, raw.out]) expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(raw.out).description).toBe(hostileText);
  });

  test('on a terminal, tables fit its width and have colors unless NO_COLOR is set, with a complete first column', async () => {
    const { id } = await newInvoice({ description: hostileText });
    const lines = async (extra = {}) =>
      (await runOnTerminal(['invoices', 'list'], { columns: 80, extra: { ...service, ...extra } })).out
        .split('\r\n')
        .filter(Boolean);
    const plain = await lines({ NO_COLOR: '1' });
    expect(plain[1]).toMatch(new RegExp(`^${id}  pending .*…$`));
    for (const line of plain) expect(line.length).toBeLessThanOrEqual(80);
    const [, colored] = await lines();
    expect(colored).toContain('\u001b[33mpending\u001b[39m');
    expect(stripVTControlCharacters(colored ?? '')).toBe(plain[1]);
  });

  test('a terminal prompt asks for the key and does not show it', async () => {
    const { id } = await newInvoice();
    const terminal = {
      columns: 200,
      talk: ['input is hidden', `${api.apiKey}\r`],
      extra: { ...service, REMIT_API_KEY: '' },
    };
    const { code, out } = await runOnTerminal(['invoices', 'list'], terminal);
    expect([code, out.includes(id)]).toEqual([0, true]);
    expect(out).not.toContain(api.apiKey.slice(8, 30));
  });

  test('progress is shown only on a terminal, and on standard error', async () => {
    const extra = service;
    expect((await runOnTerminal(['trigger', 'refund.processed'], { columns: 80, extra })).out).toContain(
      'Waiting for',
    );
    expect((await remit('trigger', 'refund.processed')).error).toBe('');
  });
});

describe('a change that cannot be undone', () => {
  const confirm = (answer: string, ...command: string[]) =>
    runOnTerminal(command, { columns: 200, talk: ['[y/N]', `${answer}\r`], extra: service });
  const statusOf = async (id: string) => (await api.get(`/api/invoices/${id}`)).json.status;

  test('a terminal asks, and only yes continues', async () => {
    const { id } = await newInvoice({ customerId: 'c_7', amount: 250_000, currency: 'BTN' });
    for (const answer of ['', 'n', 'cancel', '\u0003']) {
      const { code, out } = await confirm(answer, 'invoices', 'cancel', id);
      expect([code, out]).toEqual([1, expect.stringContaining('Canceled. Nothing was changed.')]);
      expect(out).toContain(`This cancels the invoice ${id} over Nu. 2,500.00 for c_7 in test mode.`);
    }
    expect(await statusOf(id)).toBe('pending');
    expect((await confirm('y', 'invoices', 'cancel', id)).code).toBe(0);
    expect(await statusOf(id)).toBe('cancelled');
  });

  test('the question shows the amount of a refund, and --yes skips it', async () => {
    const { id } = await newInvoice({ customerId: 'c_7', amount: 250_000, currency: 'BTN' });
    const payment = JSON.parse((await remit('invoices', 'pay', id, '--json')).out);
    const refund = ['refunds', 'create', '--payment-id', payment.id, '--amount', '10000'];
    const { out } = await confirm('no', ...refund);
    expect(out).toContain(`This refunds Nu. 100.00 of Nu. 2,500.00 to c_7 (${payment.id}) in test mode.`);
    expect((await api.get('/api/refunds')).json.pagination.total).toBe(0);
    const terminal = { columns: 200, extra: service };
    expect((await runOnTerminal([...refund, '--yes'], terminal)).code).toBe(0);
    expect((await api.get('/api/refunds')).json.pagination.total).toBe(1);
  });

  test('without a terminal, scripts run as before', async () => {
    const { id } = await newInvoice();
    expect(await remit('invoices', 'cancel', id)).toMatchObject({ code: 0, error: '' });
  });
});

describe('open', () => {
  test('in a pipe, it prints the URL', async () => {
    const { id, paymentUrl } = await newInvoice();
    expect(await remit('open', id)).toEqual({ code: 0, out: `${paymentUrl}\n`, error: '' });
  });

  test('on a desktop, the opener gets the unchanged URL, but only a web URL', async () => {
    const { id, paymentUrl } = await newInvoice();
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ paymentUrl: 'file:///etc/passwd' })),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const directory = await mkdtemp(join(tmpdir(), 'remit-opener-'));
    try {
      const opened = join(directory, 'opened');
      await writeFile(join(directory, 'xdg-open'), `#!/bin/sh\necho "$1" >> ${opened}\n`, { mode: 0o755 });
      const desktop = { ...service, DISPLAY: ':0', PATH: `${directory}:${process.env.PATH}` };
      const openOnDesktop = async (extra: NodeJS.ProcessEnv) =>
        (await runOnTerminal(['open', id], { columns: 80, extra })).out;
      const hostileUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      expect(await openOnDesktop({ ...desktop, REMIT_URL: hostileUrl })).toBe('file:///etc/passwd\r\n');
      expect(await openOnDesktop(desktop)).toBe(`${paymentUrl}\r\n`);
      const text = await waitUntil('the page is opened', () => readFile(opened, 'utf8'));
      expect(text).toBe(`${paymentUrl}\n`);
    } finally {
      server.close();
      await rm(directory, { recursive: true, force: true });
    }
  });

  test('without an opener, it still prints the URL', async () => {
    const { id, paymentUrl } = await newInvoice();
    const directory = await mkdtemp(join(tmpdir(), 'remit-opener-'));
    try {
      for (const name of ['script', 'sh', 'stty']) await symlink(`/usr/bin/${name}`, join(directory, name));
      const extra = { ...service, DISPLAY: ':0', PATH: directory };
      const terminal = await runOnTerminal(['open', id], { columns: 80, extra });
      expect(terminal).toMatchObject({ code: 0, out: `${paymentUrl}\r\n` });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
