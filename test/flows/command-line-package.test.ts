/** Tests the package of the command line: packs it, installs it without a network, and runs it outside the repository. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, invoiceBody, newAccount } from '../support/api.ts';
import { execute } from '../support/command-line.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { startTestStack } from '../support/stack.ts';

/** A limit, because Node reads and compiles these files at each start. */
const maxBytes = 130 * 1024;
/** A limit of the whole package. Most of it is loaded only by the commands that need it. */
const maxPackageBytes = 880 * 1024;
/** Functions that Node 20 does not have. Commands must work without them. */
const newerFunctions = `
  delete require('node:http').setGlobalProxyFromEnv;
  delete Promise.withResolvers; delete Promise.try; delete URL.parse; delete Object.groupBy; delete Map.groupBy;
  delete Array.fromAsync; delete RegExp.escape; delete globalThis.Iterator;
  for (const name of ['map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray', 'forEach', 'some', 'every', 'find'])
    delete Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))[name];
  for (const name of ['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf'])
    delete Set.prototype[name];`;

let stack: Stack;
let folder: string;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  folder = await mkdtemp(join(tmpdir(), 'remit-cli-'));
  // npm sets these variables for the scripts that it runs, such as these tests. They would lead the inner npm to the wrong project.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  const env = { ...Object.fromEntries(inherited), npm_config_registry: 'http://127.0.0.1:9' };
  const npm = (...args: string[]) => promisify(execFile)('npm', args, { env });
  const { stdout } = await npm('pack', './cli-package', '--json', '--pack-destination', folder);
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  const options = ['--offline', '--no-audit', '--no-fund', '--prefix', folder];
  await npm('install', '--global', join(folder, filename), ...options);
  await writeFile(join(folder, 'node-20.cjs'), newerFunctions);
});
beforeEach(async () => {
  api = (await newAccount(stack.baseUrl)).test;
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await stack?.close();
});

/** The folders of Node: the one of the project, and the one that the system installed. */
const systemPath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((each) => !each.includes('node_modules'))
  .join(delimiter);
const nodes: readonly (readonly [string, NodeJS.ProcessEnv])[] = [
  ['the Node of the project', {}],
  ['the functions of Node 20', { NODE_OPTIONS: '--require=./node-20.cjs' }],
  ['the Node of the system', { PATH: systemPath }],
];

const remit = (args: readonly string[], extra: NodeJS.ProcessEnv = {}, input = '') => {
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  const env = { PATH, XDG_CONFIG_HOME: join(folder, 'config'), NODE_OPTIONS: '', ...extra };
  const shown = ['-c', 'cd "$1" && shift && exec "$@"', 'sh', folder, join(folder, 'bin', 'remit'), ...args];
  return execute('sh', shown, env, { input });
};

test.each(nodes)('with %s, it shows its version, logs in, and uses the API', async (_, node) => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(await remit(['--version'], node)).toEqual({ code: 0, out: `${version}\n`, error: '' });
  const login = await remit(['login', '--url', stack.baseUrl], node, api.apiKey);
  expect(login).toMatchObject({ code: 0, error: '' });
  const { id } = (await api.post('/api/invoices', invoiceBody())).json;
  expect((await remit(['invoices', 'list'], node)).out).toContain(id);
  expect((await remit(['invoices', 'cancel', id, '--json'], node)).code).toBe(0);
  expect((await remit(['trigger', 'invoice.created'], node)).code).toBe(0);
  expect((await remit(['invoices', 'get', 'inv_1'], node)).error).toContain('Check the ID.');
  expect((await remit(['completion', 'bash'], node)).out).toContain('complete -o filenames -F _remit remit');
  expect((await remit(['logout'], node)).code).toBe(0);
});

test.each(nodes)('with %s, it reaches a service that only a proxy can reach', async (_, node) => {
  const proxy = await startForwardProxy();
  try {
    const { id } = (await api.post('/api/invoices', invoiceBody())).json;
    const REMIT_URL = `http://remit.example.test:${new URL(stack.baseUrl).port}`;
    const service = { REMIT_URL, REMIT_API_KEY: api.apiKey, http_proxy: proxy.url, NO_PROXY: undefined };
    expect((await remit(['invoices', 'list'], { ...service, ...node })).out).toContain(id);
    expect(proxy.seen.length).toBeGreaterThan(0);
    const { error } = await remit(['mcp'], { ...service, ...node });
    expect(error).toMatch(/^Serving \d+ tools in test mode, which only read\./);
  } finally {
    await proxy.close();
  }
});

test('without settings, it uses the local stack that was started in the current folder', async () => {
  const { id } = (await api.post('/api/invoices', invoiceBody())).json;
  expect((await remit(['invoices', 'list'])).error).toContain('No local stack was found.');
  await mkdir(join(folder, '.local'));
  const write = (baseUrl: string) =>
    writeFile(join(folder, '.local', 'stack.json'), JSON.stringify({ baseUrl, keys: { test: api.apiKey } }));
  await write(stack.baseUrl);
  expect((await remit(['invoices', 'list'])).out).toContain(id);
  await write('https://remit.example.com');
  expect((await remit(['invoices', 'list'])).error).toContain('No local stack was found.');
});

test('a command of operators says where it runs, and the texts name the program remit', async () => {
  const error = 'The command keys needs the repository of the service. Run npx remit keys in its folder.\n';
  expect(await remit(['keys', 'list'])).toEqual({ code: 2, out: '', error });
  expect((await remit(['help', 'keys'])).error).toBe(error);
  expect((await remit(['invoices', 'create', '--help'])).out).not.toContain('npx');
  expect((await remit(['completion', 'bash'])).out).not.toContain('accounts');
});

test.each(nodes)('with %s, it serves tools for language models until its input ends', async (_, node) => {
  const service = { REMIT_URL: stack.baseUrl, REMIT_API_KEY: api.apiKey };
  const { code, out, error } = await remit(['mcp'], { ...node, ...service });
  expect([code, out]).toEqual([0, '']);
  expect(error).toMatch(/^Serving \d+ tools in test mode, which only read\./);
});

test(`at each start, it reads at most ${maxBytes} bytes, and it has no dependencies`, async () => {
  const installed = join(folder, 'lib', 'node_modules', 'remit-cli');
  const files = await readdir(join(installed, 'dist'));
  const sizeOf = async (file: string) => (await stat(join(installed, 'dist', file))).size;
  const program = await readFile(join(installed, 'dist', 'remit.js'), 'utf8');
  // The static imports of the program. It loads all other files when a command needs them.
  const imported = files.filter((file) => new RegExp(`from"\\./${file}"|^import"\\./${file}"`).test(program));
  const total = async (some: readonly string[]) =>
    (await Promise.all(some.map(sizeOf))).reduce((sum, size) => sum + size, 0);
  expect(imported.length).toBeGreaterThan(0);
  expect(await total(['remit.js', ...imported])).toBeLessThanOrEqual(maxBytes);
  expect(await total(files)).toBeLessThanOrEqual(maxPackageBytes);
  expect(JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))).not.toHaveProperty(
    'dependencies',
  );
});
