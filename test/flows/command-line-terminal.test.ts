/** The command line as it looks: its help, on a terminal and piped, the browser that it opens, and how npx finds it. */
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
/** What tells the commands where to call. */
let service: { REMIT_URL: string; REMIT_API_KEY: string };

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  api = (await newAccount(stack.baseUrl)).test;
  service = { REMIT_URL: stack.baseUrl, REMIT_API_KEY: api.apiKey };
});
afterAll(() => stack.close());

const remit = (...[program = '', ...words]: string[]) => run(program, words, service);
const newInvoice = async (fields = {}) => (await api.post('/api/invoices', invoiceBody(fields))).json;

describe('help', () => {
  test.each([[[]], [['invoices']], [['invoices', 'create']]])(
    'of %j ends well, and its lack of words does not',
    async (words) => {
      const help = await remit(...words, '--help');
      expect(help).toMatchObject({ code: 0, out: expect.stringContaining('Examples:'), error: '' });
      expect((await remit(...words)).code).toBe(2);
    },
  );

  test('its version is that of the package', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(await remit('--version')).toEqual({ code: 0, out: `${version}\n`, error: '' });
  });

  test('npx finds the command line without the network, and runs it on the Node that the project brings', async () => {
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

describe('who reads it', () => {
  const evil =
    'Evil \u001b[31m\u001b]0;title\u0007\u009b2J \u202e\nnext line, and a text that is far too long for it';

  test('piped, tables are whole and plain; what could act on a terminal is spelled out', async () => {
    const { id } = await newInvoice({ description: evil, amount: 250_000, currency: 'BTN' });
    const { out } = await remit('invoices', 'list');
    expect(out.split('\n')).toHaveLength(3);
    expect(out).toContain(id);
    expect(out).toContain('Nu. 2,500.00');
    expect(out).toContain(
      String.raw`Evil \u001b[31m\u001b]0;title\u0007\u009b2J \u202e\nnext line, and a text that is far too long for it`,
    );
    const raw = await remit('invoices', 'get', id, '--json');
    for (const text of [out, raw.out]) expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(JSON.parse(raw.out).description).toBe(evil);
  });

  test('on a terminal, tables fit its width and have colours; NO_COLOR takes them away; the first column is whole', async () => {
    const { id } = await newInvoice({ description: evil });
    const lines = async (extra = {}) =>
      (await runOnTerminal(['invoices', 'list'], { columns: 80, extra: { ...service, ...extra } })).out
        .split('\r\n')
        .filter(Boolean);
    const plain = await lines({ NO_COLOR: '1' });
    expect(plain[1]).toMatch(new RegExp(`^${id}  pending .*…$`));
    for (const line of plain) expect(line.length).toBeLessThanOrEqual(80);
    const [, coloured] = await lines();
    expect(coloured).toContain('\u001b[33mpending\u001b[39m');
    expect(stripVTControlCharacters(coloured ?? '')).toBe(plain[1]);
  });

  test('the key is asked for on a terminal, and not shown', async () => {
    const { id } = await newInvoice();
    const asked = {
      columns: 200,
      talk: ['not shown', `${api.apiKey}\r`],
      extra: { ...service, REMIT_API_KEY: '' },
    };
    const { code, out } = await runOnTerminal(['invoices', 'list'], asked);
    expect([code, out.includes(id)]).toEqual([0, true]);
    expect(out).not.toContain(api.apiKey.slice(8, 30));
  });

  test('waiting is told on a terminal only, and on standard error', async () => {
    const extra = service;
    expect((await runOnTerminal(['trigger', 'refund.processed'], { columns: 80, extra })).out).toContain(
      'Waiting for',
    );
    expect((await remit('trigger', 'refund.processed')).error).toBe('');
  });
});

describe('open', () => {
  test('piped, it prints the address', async () => {
    const { id, paymentUrl } = await newInvoice();
    expect(await remit('open', id)).toEqual({ code: 0, out: `${paymentUrl}\n`, error: '' });
  });

  test('on a desktop, the opener gets the address as it is, unless it is no web address', async () => {
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
      const evil = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      expect(await openOnDesktop({ ...desktop, REMIT_URL: evil })).toBe('file:///etc/passwd\r\n');
      expect(await openOnDesktop(desktop)).toBe(`${paymentUrl}\r\n`);
      const text = await waitUntil('it is opened', () => readFile(opened, 'utf8'));
      expect(text).toBe(`${paymentUrl}\n`);
    } finally {
      server.close();
      await rm(directory, { recursive: true, force: true });
    }
  });

  test('where there is no opener, the address is printed all the same', async () => {
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
