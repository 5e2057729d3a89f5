/** The command line against a stack: accounts and keys. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { apiOf, invoiceBody } from '../support/api.ts';
import { run as runCommand, runJson as runCommandJson, runOnTerminal } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

const run = (program: string, ...words: string[]) => runCommand(program, words);
const runJson = (program: string, ...words: string[]) => runCommandJson(program, words);
const newAccount = (plan = 'standard') =>
  runJson('accounts', 'create', '--name', 'Druk Shop', '--plan', plan);
const statusOf = async (apiKey: string) => (await apiOf(stack.baseUrl, apiKey).get('/api/invoices')).status;

describe('accounts', () => {
  test('a new account comes with a test and a live key that work, and is listed without them', async () => {
    const account = await newAccount();
    expect(account).toEqual({
      accountId: expect.stringMatching(/^acct_/),
      plan: 'standard',
      keys: { test: expect.stringMatching(/^sk_test_/), live: expect.stringMatching(/^sk_live_/) },
    });
    expect(await Promise.all([statusOf(account.keys.test), statusOf(account.keys.live)])).toEqual([200, 200]);
    const listed = await run('accounts', 'list');
    expect(listed.out).toContain(account.accountId);
    expect(listed.out).not.toContain(account.keys.test);
  });

  test('set-plan changes the limit, reset-limit gives the hour back', async () => {
    const { accountId, keys } = await newAccount();
    const api = apiOf(stack.baseUrl, keys.test);
    const window = async () => {
      const { headers } = await api.get('/api/invoices');
      return [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']];
    };
    expect(await window()).toEqual(['1000', '999']);
    await runJson('accounts', 'set-plan', '--account', accountId, '--plan', 'enterprise');
    expect(await window()).toEqual(['5000', '4998']);
    await runJson('accounts', 'reset-limit', '--account', accountId);
    expect(await window()).toEqual(['5000', '4999']);
  });
});

describe('keys', () => {
  test('a key has the mode, permissions and expiry that it was created with, and shows its value once', async () => {
    const { accountId } = await newAccount();
    const key = await runJson(
      ...(['keys', 'create', '--account', accountId, '--mode', 'test', '--name', 'CI'] as const),
      ...['--permissions', 'invoices:read,events:read', '--expires-at', '2999-12-31'],
    );
    expect(key).toMatchObject({
      mode: 'test',
      name: 'CI',
      status: 'active',
      permissions: ['invoices:read', 'events:read'],
      expiresAt: '2999-12-31T23:59:59.999Z',
      lastUsedAt: null,
    });
    const api = apiOf(stack.baseUrl, key.value);
    expect((await api.get('/api/invoices')).status).toBe(200);
    expect((await api.post('/api/invoices', invoiceBody())).status).toBe(403);
    const { out } = await run('keys', 'list', '--account', accountId);
    expect(out).toContain(`…${key.last4}`);
    expect(out).not.toContain(key.value);
    const [, listed] = await runJson('keys', 'list', '--account', accountId, '--mode', 'test');
    expect(listed).toMatchObject({ keyId: key.keyId, expiresAt: key.expiresAt });
    expect(Date.parse(listed.lastUsedAt)).toBeGreaterThan(0);
  });

  test('a revoked key is refused from the next request on, and revoking again changes nothing', async () => {
    const { accountId, keys } = await newAccount();
    expect(await statusOf(keys.test)).toBe(200);
    const [{ keyId }] = await runJson('keys', 'list', '--account', accountId, '--mode', 'test');
    const revoked = await runJson('keys', 'revoke', '--account', accountId, '--key', keyId);
    expect(revoked.status).toBe('revoked');
    expect(await statusOf(keys.test)).toBe(401);
    expect(await runJson('keys', 'revoke', '--account', accountId, '--key', keyId)).toEqual(revoked);
  });

  test('ten keys of a mode can be usable, whoever creates them at once; an eleventh says what to do', async () => {
    const { accountId } = await newAccount();
    const { createKey, listKeys } = await import('../../shared/accounts/key-store.ts');
    const owner = { account: accountId, mode: 'test' } as const;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 15 }, (_, index) => createKey({ owner, name: `n${index}` })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
    expect((await listKeys(owner)).filter(({ revokedAt }) => revokedAt === undefined)).toHaveLength(10);
    const eleventh = await run(
      'keys',
      'create',
      '--account',
      accountId,
      '--mode',
      'test',
      '--name',
      'eleven',
    );
    expect(eleventh).toEqual({ code: 1, out: '', error: expect.stringContaining('revoke one first') });
  });
});

describe('accounts close', () => {
  test('it ends both keys, shows in the list, and can be repeated', async () => {
    const { accountId, keys } = await newAccount();
    const closed = await runJson('accounts', 'close', '--account', accountId, '--yes');
    expect(closed).toMatchObject({ accountId, closedAt: expect.stringMatching(/Z$/) });
    expect(await Promise.all([statusOf(keys.test), statusOf(keys.live)])).toEqual([401, 401]);
    expect(await runJson('accounts', 'close', '--account', accountId, '--yes')).toEqual(closed);
    expect((await run('accounts', 'list')).out).toMatch(new RegExp(`^${accountId} +closed `, 'm'));
    expect((await run('accounts', 'show', '--account', accountId)).out).toMatch(/^status +closed$/m);
    const words = ['keys', 'create', '--account', accountId, '--mode', 'test', '--name', 'Late'] as const;
    const refused = { code: 1, out: '', error: `The account ${accountId} is closed.\n` };
    expect(await run(...words)).toEqual(refused);
    expect(await run('accounts', 'set-plan', '--account', accountId, '--plan', 'enterprise')).toEqual(
      refused,
    );
    expect(await run('accounts', 'reset-limit', '--account', accountId)).toEqual(refused);
  });

  test('it wants to be confirmed: by --yes, or on a terminal by the account that is typed', async () => {
    const { accountId, keys } = await newAccount();
    const words = ['accounts', 'close', '--account', accountId] as const;
    expect(await run(...words)).toMatchObject({ code: 2, error: expect.stringContaining('--yes') });
    const typed = (answer: string) =>
      runOnTerminal(words, { columns: 100, talk: ['go on: ', `${answer}\r`], extra: process.env });
    expect(await typed('yes')).toMatchObject({ code: 1, out: expect.stringContaining('nothing was done') });
    expect(await typed('\u0003')).toMatchObject({
      code: 1,
      out: expect.stringContaining('Nothing was done'),
    });
    expect(await statusOf(keys.test)).toBe(200);
    expect(await typed(accountId)).toMatchObject({ code: 0, out: expect.stringContaining('is closed') });
    expect(await statusOf(keys.test)).toBe(401);
  });

  test('an unknown account is named, and does not come to be', async () => {
    const unknown = 'acct_0000000000000000';
    const outcome = await run('accounts', 'close', '--account', unknown, '--yes');
    expect(outcome).toMatchObject({ code: 1, error: expect.stringContaining(unknown) });
    expect((await run('accounts', 'list')).out).not.toContain(unknown);
  });
});

describe('mistakes', () => {
  const unknown = 'acct_0000000000000000';
  test.each([
    ['no command', ['accounts'], 2, 'out', 'Usage:'],
    [
      'an unknown command',
      ['accounts', 'remove'],
      2,
      'error',
      'create, list, show, update, set-plan, reset-limit, close',
    ],
    ['an unknown option', ['accounts', 'create', '--nam', 'x'], 2, 'error', '--name, --plan'],
    [
      'an option twice',
      ['accounts', 'create', '--name', 'x', '--name', 'y'],
      2,
      'error',
      '--name can be given once',
    ],
    [
      'a blank name',
      ['accounts', 'create', '--name', ' ', '--plan', 'standard'],
      2,
      'error',
      '--name must have 1 to 100 characters',
    ],
    ['a missing option', ['accounts', 'create', '--plan', 'standard'], 2, 'error', '--name is required'],
    [
      'an unknown plan',
      ['accounts', 'create', '--name', 'x', '--plan', 'gold'],
      2,
      'error',
      'standard, enterprise',
    ],
    [
      'an unknown account',
      ['accounts', 'set-plan', '--account', unknown, '--plan', 'standard'],
      1,
      'error',
      unknown,
    ],
    ['an unknown key', ['keys', 'list', '--account', unknown], 1, 'error', unknown],
  ] as const)('%s is one sentence and an exit code', async (_, [program, ...words], code, stream, text) => {
    const outcome = await run(program, ...words);
    expect(outcome.code).toBe(code);
    expect(outcome[stream]).toContain(text);
  });

  test('a wrong mode, permission or date is named with what would be right', async () => {
    const { accountId } = await newAccount();
    const create = (...words: string[]) =>
      run('keys', 'create', '--account', accountId, '--name', 'x', ...words);
    expect((await create('--mode', 'prod')).error).toContain('--mode must be one of test, live');
    expect((await create('--mode', 'test', '--permissions', 'all')).error).toContain('invoices:read');
    expect((await create('--mode', 'test', '--expires-at', 'soon')).error).toContain('ISO 8601');
    expect((await create('--mode', 'test', '--expires-at', '2020-01-01')).error).toContain('future');
    expect(await runJson('keys', 'list', '--account', accountId)).toHaveLength(2);
  });
});
