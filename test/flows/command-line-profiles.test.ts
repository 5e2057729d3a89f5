/** Tests profiles: how they are stored, which service a command uses, and that keys never appear. */
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { execute, runOnTerminal } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let account: TestAccount;
let folder: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  folder = await mkdtemp(join(tmpdir(), 'remit-profiles-'));
  environment = { XDG_CONFIG_HOME: folder };
});
afterEach(() => rm(folder, { recursive: true, force: true }));
afterAll(() => stack.close());

const remit = async (args: readonly string[], extra: NodeJS.ProcessEnv = {}, input = '') => {
  const env = { ...environment, ...extra };
  const outcome = await execute(process.execPath, ['cli/remit.ts', ...args], env, { input });
  for (const { apiKey } of [account.test, account.live]) {
    expect(outcome.out).not.toContain(apiKey.slice(8, 30));
    expect(outcome.error).not.toContain(apiKey.slice(8, 30));
  }
  return outcome;
};
const login = (name: string, apiKey: string, url = `${stack.baseUrl}/api/`) =>
  remit(['login', '--profile', name, '--url', url], {}, `${apiKey}\n`);
const totalOf = async (args: readonly string[], extra: NodeJS.ProcessEnv = {}) => {
  const { out, error } = await remit(['invoices', 'list', '--json', ...args], extra);
  expect(error).toBe('');
  return JSON.parse(out).pagination.total;
};

test('a terminal asks for the URL and the key, and the stored profile is private', async () => {
  const talk = ['remit.example.com: ', `${stack.baseUrl}\r`, 'input is hidden', `${account.live.apiKey}\r`];
  const { code, out } = await runOnTerminal(['login'], { columns: 300, talk, extra: environment });
  expect([code, out]).toEqual([
    0,
    expect.stringContaining(`The profile default (live mode at ${stack.baseUrl})`),
  ]);
  expect(out).not.toContain(account.live.apiKey.slice(8, 30));
  const file = join(folder, 'remit', 'profiles', 'default.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'remit'))).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, 'remit', 'profiles'))).mode & 0o777).toBe(0o700);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    baseUrl: stack.baseUrl,
    apiKey: account.live.apiKey,
  });
  expect(await readdir(join(folder, 'remit', 'profiles'))).toEqual(['default.json']);

  const { id } = (await account.live.post('/api/invoices', invoiceBody())).json;
  const asked = await runOnTerminal(['invoices', 'cancel', id], {
    columns: 300,
    talk: ['[y/N]', 'n\r'],
    extra: environment,
  });
  expect(asked.out).toContain('in live mode (profile default)');
});

test('an option selects the service before the environment, and that before the current profile', async () => {
  await account.test.post('/api/invoices', invoiceBody());
  expect((await login('shop', account.test.apiKey)).code).toBe(0);
  expect((await login('live', account.live.apiKey)).code).toBe(0);
  const service = { REMIT_URL: stack.baseUrl, REMIT_API_KEY: account.test.apiKey };
  expect(await totalOf([])).toBe(0);
  expect(await totalOf([], service)).toBe(1);
  expect(await totalOf([], { REMIT_PROFILE: 'shop' })).toBe(1);
  expect(await totalOf(['--profile', 'live'], service)).toBe(0);
  expect(await totalOf(['--profile', 'shop'], { REMIT_PROFILE: 'live' })).toBe(1);
  const both = await remit(['invoices', 'list'], { ...service, REMIT_PROFILE: 'shop' });
  expect([both.code, both.error]).toEqual([2, expect.stringContaining('REMIT_PROFILE and REMIT_URL both')]);

  expect((await remit(['profiles', 'use', 'shop'])).out).toContain('shop (test mode');
  expect(await totalOf([])).toBe(1);
  const current = JSON.parse((await remit(['profiles', 'current', '--json'])).out);
  expect(current).toEqual({ name: 'shop', mode: 'test', baseUrl: stack.baseUrl, isCurrent: true });
  const listed = JSON.parse((await remit(['profiles', 'ls', '--json'])).out);
  expect(listed).toEqual([{ name: 'live', mode: 'live', baseUrl: stack.baseUrl, isCurrent: false }, current]);

  const early = await remit(['--profile', 'live', 'invoices', 'list']);
  expect([early.code, early.error]).toEqual([2, expect.stringContaining('Put options after the command.')]);

  const loggedOut = await remit(['logout']);
  expect([loggedOut.code, loggedOut.error]).toEqual([
    0,
    'No profile is current now. Run npx remit profiles use live.\n',
  ]);
  expect(await readdir(join(folder, 'remit', 'profiles'))).toEqual(['live.json']);
  expect((await remit(['profiles', 'current'])).error).toContain('No profile is current.');
  expect((await remit(['invoices', 'list', '--profile', 'shop'])).error).toContain(
    'There is no profile shop.',
  );
  expect((await remit(['logout'])).code).toBe(1);
});

test('a file that others can read, or that is damaged, is refused and named', async () => {
  await login('shop', account.test.apiKey);
  const file = join(folder, 'remit', 'profiles', 'shop.json');
  await chmod(file, 0o640);
  const readable = await remit(['invoices', 'list']);
  expect([readable.code, readable.error]).toEqual([1, expect.stringContaining(`read or change ${file}.`)]);
  await chmod(file, 0o600);
  await writeFile(file, `{"apiKey":"${account.test.apiKey}"`);
  expect((await remit(['invoices', 'list'])).error).toContain('The profile shop is damaged.');
  expect((await login('shop', account.test.apiKey)).code).toBe(0);
  expect((await remit(['invoices', 'list'])).code).toBe(0);
});

test('a login that cannot work stores nothing', async () => {
  const { apiKey } = account.test;
  const wrongKey = `${apiKey.slice(0, -1)}${apiKey.endsWith('x') ? 'y' : 'x'}`;
  for (const [outcome, message] of [
    [await login('shop', wrongKey), 'does not accept this API key'],
    [await login('shop', 'nonsense'), 'The API key is not valid.'],
    [await login('shop', apiKey, 'http://remit.example.com'), 'must begin with https:'],
    [await login('shop', apiKey, 'remit.example.com'), 'must be an http or https URL'],
    [await login('../shop', apiKey), '1 to 64 letters'],
    [await login('shop', apiKey, 'http://127.0.0.1:9'), 'No valid response'],
    [await remit(['login'], {}, apiKey), 'add --url'],
  ] as const) {
    expect(outcome.code).toBeGreaterThan(0);
    expect(outcome.error).toContain(message);
  }
  expect(await readdir(folder)).toEqual([]);
});
