/** Tests the commands for accounts and keys against a stack. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { apiOf, invoiceBody } from '../support/api.ts';
import {
  run as runCommand,
  runHere as runCommandHere,
  runJson as runCommandJson,
  runJsonHere as runCommandJsonHere,
  runOnTerminal,
  tableLineOf,
} from '../support/command-line.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

const run = (group: string, ...args: string[]) => runCommand(group, args);
const runJson = (group: string, ...args: string[]) => runCommandJson(group, args);
/** For what another test runs in a process of its own, as operators do. */
const runHere = (group: string, ...args: string[]) => runCommandHere(group, args);
const runJsonHere = (group: string, ...args: string[]) => runCommandJsonHere(group, args);
const accountOptions = ['--name', 'Druk Shop', '--plan', 'standard'];
const newAccount = () => runJsonHere('accounts', 'create', ...accountOptions);
const statusOf = async (apiKey: string) => (await apiOf(stack.baseUrl, apiKey).get('/api/invoices')).status;

describe('accounts', () => {
  test('a new account has a test key and a live key that work, and the list does not show them', async () => {
    const account = await runJson('accounts', 'create', ...accountOptions);
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

  test('keys have the newest version, unless a command names another one, and update moves a key', async () => {
    const { accountId, keys } = await newAccount();
    const versionOf = async (key: string) =>
      (await apiOf(stack.baseUrl, key).get('/api/invoices')).headers['x-api-version'];
    expect(await versionOf(keys.test)).toBe('2026-11-23');
    const create = ['create', '--account', accountId, '--mode', 'test', '--name', 'Shop'] as const;
    const { value } = await runJsonHere('keys', ...create);
    expect(await versionOf(value)).toBe('2026-11-23');
    const first = await runJsonHere('keys', ...create, '--api-version', '2026-11-21');
    expect(await versionOf(first.value)).toBe('2026-11-21');
    const update = ['update', '--account', accountId, '--key', first.keyId] as const;
    await runJsonHere('keys', ...update, '--note', 'Kept');
    expect(await versionOf(first.value)).toBe('2026-11-21');
    await runJsonHere('keys', ...update, '--api-version', '2026-11-23');
    expect(await versionOf(first.value)).toBe('2026-11-23');
  });

  test('set-plan changes the rate limit, and reset-limit resets the count of the hour', async () => {
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
  test('a new key has the given mode, permissions and expiry, and its value is shown only once', async () => {
    const { accountId } = await newAccount();
    const key = await runJson(
      'keys',
      'create',
      '--account',
      accountId,
      '--mode',
      'test',
      '--name',
      'CI',
      '--permissions',
      'invoices:read,events:read',
      '--expires-at',
      '2999-12-31',
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
    const [, listed] = await runJsonHere('keys', 'list', '--account', accountId, '--mode', 'test');
    expect(listed).toMatchObject({ keyId: key.keyId, expiresAt: key.expiresAt });
    expect(Date.parse(listed.lastUsedAt)).toBeGreaterThan(0);
  });

  test('a key can be limited to address ranges, and the limit is changed and removed again', async () => {
    const { accountId } = await newAccount();
    const create = ['create', '--account', accountId, '--mode', 'test', '--name', 'Guarded'];
    const allow = (...ranges: string[]) => ranges.flatMap((range) => ['--allow-address', range]);
    const key = await runJson('keys', ...create, ...allow('203.0.113.7/24', '2001:db8::'));
    expect(key.allowedAddresses).toEqual(['203.0.113.0/24', '2001:db8::/128']);
    expect(await statusOf(key.value)).toBe(403);
    const { out } = await runHere('keys', 'list', '--account', accountId);
    expect(out).toMatch(/203\.0\.113\.0\/24,2001:db8::\/128/);
    const update = ['update', '--account', accountId, '--key', key.keyId];
    const changed = await runJson('keys', ...update, ...allow('127.0.0.0/8'));
    expect(changed.allowedAddresses).toEqual(['127.0.0.0/8']);
    expect(await statusOf(key.value)).toBe(200);
    await runJson('keys', ...update, ...allow('127.128.0.0/9'));
    expect(await statusOf(key.value)).toBe(403);
    expect((await runJson('keys', ...update, '--allow-any-address')).allowedAddresses).toBeNull();
    expect(await statusOf(key.value)).toBe(200);
    for (const [args, message] of [
      [[...create, ...allow('203.0.113.0/24', '0.0.0.0/0')], 'Address range 2 contains all addresses'],
      [[...update, ...allow('203.0.113.0/33')], 'Address range 1 is not'],
      [[...update, ...allow('203.0.113.0'), '--allow-any-address'], 'Use only one of'],
    ] as const)
      expect(await runHere('keys', ...args)).toMatchObject({
        code: 2,
        error: expect.stringContaining(message),
      });
  });

  test('a revoked key is rejected from the next request, and revoking it again changes nothing', async () => {
    const { accountId, keys } = await newAccount();
    expect(await statusOf(keys.test)).toBe(200);
    const [{ keyId }] = await runJsonHere('keys', 'list', '--account', accountId, '--mode', 'test');
    const revoked = await runJson('keys', 'revoke', '--account', accountId, '--key', keyId);
    expect(revoked.status).toBe('revoked');
    expect(await statusOf(keys.test)).toBe(401);
    expect(await runJson('keys', 'revoke', '--account', accountId, '--key', keyId)).toEqual(revoked);
  });

  test('on a terminal, a key is revoked only after yes', async () => {
    const { accountId, keys } = await newAccount();
    const [{ keyId }] = await runJsonHere('keys', 'list', '--account', accountId, '--mode', 'live');
    const revoke = (answer: string) =>
      runOnTerminal(['keys', 'revoke', '--account', accountId, '--key', keyId], {
        columns: 200,
        talk: ['[y/N]', `${answer}\r`],
        extra: process.env,
      });
    const refused = await revoke('');
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('Nothing was changed.') });
    expect(refused.out).toContain(`This revokes the key ${keyId} of ${accountId} in live mode.`);
    expect(await statusOf(keys.live)).toBe(200);
    expect((await revoke('yes')).code).toBe(0);
    expect(await statusOf(keys.live)).toBe(401);
  });

  test('a mode has at most 10 usable keys, also with concurrent calls, and the error for one more says what to do', async () => {
    const { accountId } = await newAccount();
    const { createKey, listKeys } = await import('../../shared/domain/accounts/key-store.ts');
    const owner = { account: accountId, mode: 'test' } as const;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 15 }, (_, index) => createKey({ owner, name: `n${index}` })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
    expect((await listKeys(owner)).filter(({ revokedAt }) => revokedAt === undefined)).toHaveLength(10);
    const eleventh = await runHere(
      'keys',
      'create',
      '--account',
      accountId,
      '--mode',
      'test',
      '--name',
      'eleven',
    );
    expect(eleventh).toEqual({ code: 1, out: '', error: expect.stringContaining('Revoke a key first') });
  });
});

describe('accounts close', () => {
  test('it revokes both keys, is shown in the list, and can be repeated', async () => {
    const { accountId, keys } = await newAccount();
    const closed = await runJson('accounts', 'close', '--account', accountId, '--yes');
    expect(closed).toMatchObject({ accountId, closedAt: expect.stringMatching(/Z$/) });
    expect(await Promise.all([statusOf(keys.test), statusOf(keys.live)])).toEqual([401, 401]);
    expect(await runJson('accounts', 'close', '--account', accountId, '--yes')).toEqual(closed);
    expect((await runHere('accounts', 'list')).out).toMatch(new RegExp(`^${accountId} +closed `, 'm'));
    expect((await runHere('accounts', 'show', '--account', accountId)).out).toMatch(/^status +closed$/m);
    const lateKey = ['keys', 'create', '--account', accountId, '--mode', 'test', '--name', 'Late'] as const;
    const error = `${tableLineOf(stack)}The account ${accountId} is closed.\n`;
    const refused = { code: 1, out: '', error };
    expect(await run(...lateKey)).toEqual(refused);
    const setPlan = ['set-plan', '--account', accountId, '--plan', 'enterprise'];
    for (const args of [setPlan, ['reset-limit', '--account', accountId]])
      expect(await runHere('accounts', ...args)).toEqual({
        ...refused,
        error: `The account ${accountId} is closed.\n`,
      });
  });

  test('it needs a confirmation: --yes, or on a terminal the account id', async () => {
    const { accountId, keys } = await newAccount();
    const args = ['accounts', 'close', '--account', accountId] as const;
    expect(await runHere(...args)).toMatchObject({ code: 2, error: expect.stringContaining('--yes') });
    const confirmWith = (answer: string) =>
      runOnTerminal(args, { columns: 100, talk: ['to continue: ', `${answer}\r`], extra: process.env });
    expect(await confirmWith('yes')).toMatchObject({
      code: 1,
      out: expect.stringContaining('Nothing was changed'),
    });
    expect(await confirmWith('\u0003')).toMatchObject({
      code: 1,
      out: expect.stringContaining('Canceled. Nothing was changed'),
    });
    expect(await statusOf(keys.test)).toBe(200);
    expect(await confirmWith(accountId)).toMatchObject({
      code: 0,
      out: expect.stringContaining('is closed'),
    });
    expect(await statusOf(keys.test)).toBe(401);
  });

  test('an unknown account is named in the error and not created', async () => {
    const unknown = 'acct_0000000000000000';
    const outcome = await run('accounts', 'close', '--account', unknown, '--yes');
    expect(outcome).toMatchObject({ code: 1, error: expect.stringContaining(unknown) });
    expect((await runHere('accounts', 'list')).out).not.toContain(unknown);
  });
});

describe('the table', () => {
  const account = 'acct_0000000000000000';
  const all = [
    ['accounts', 'create', '--name', 'Druk Shop', '--plan', 'standard'],
    ['accounts', 'list'],
    ['accounts', 'show', '--account', account],
    ['accounts', 'update', '--account', account, '--display-name', 'x'],
    ['accounts', 'set-plan', '--account', account, '--plan', 'enterprise'],
    ['accounts', 'reset-limit', '--account', account],
    ['accounts', 'close', '--account', account, '--yes'],
    ['keys', 'create', '--account', account, '--mode', 'test', '--name', 'x'],
    ['keys', 'list', '--account', account],
    ['keys', 'revoke', '--account', account, '--key', 'key_1'],
    ['reconcile', 'run'],
    ['reconcile', 'report'],
    ['reconcile', 'skip-numbers', '--count', '1', '--account', account],
    ['maintenance', 'status'],
    ['accounts', 'export', '--account', account],
    ['erase', '--account', account, '--customer', 'cust_1', '--yes'],
    ['deployment', 'show'],
  ] as const;
  // One function connects all commands of a group.
  const commands = isExhaustive
    ? all
    : all.filter(([group], index) => all.findIndex(([first]) => first === group) === index);

  test.each(commands)(
    'is named once on standard error, and not on standard output: %s %s',
    async (...args) => {
      const [group, ...rest] = args;
      const { out, error } = await run(group, ...rest, '--json');
      expect(error.startsWith(tableLineOf(stack))).toBe(true);
      expect(error.match(/^Table /gm)).toHaveLength(1);
      if (group !== 'deployment') expect(out).not.toContain(stack.tableName);
    },
  );

  test.each(commands)('an empty TABLE_NAME never selects the local stack: %s %s', async (...args) => {
    const [group, ...rest] = args;
    const empty = {
      code: 2,
      out: '',
      error:
        'TABLE_NAME is set, but it is empty. Nothing was done. Check the command that sets TABLE_NAME, or unset it to use the local stack.\n',
    };
    expect(await runCommand(group, rest, { TABLE_NAME: '' })).toEqual(empty);
  });

  test('a TABLE_NAME of white space counts as empty', async () => {
    const outcome = await runCommand('accounts', ['list'], { TABLE_NAME: ' \t' });
    expect(outcome).toMatchObject({ code: 2, out: '', error: expect.stringContaining('it is empty') });
  });

  test('without TABLE_NAME, a command uses the local stack and says so', async () => {
    const { error } = await runCommand('accounts', ['list'], { TABLE_NAME: undefined });
    expect(error).toMatch(/^(Table \S+ of the local stack\.|No local stack was found\.)/);
  });

  test('the line shows STAGE if it is set', async () => {
    const { error } = await runCommand('accounts', ['list'], { STAGE: 'prod' });
    expect(error).toBe(tableLineOf(stack).replace('.\n', ' (STAGE=prod).\n'));
  });

  test('without a region, nothing is called, and the error names the variable', async () => {
    const aws = {
      TABLE_NAME: 'remit-prod',
      AWS_REGION: undefined,
      AWS_DEFAULT_REGION: undefined,
      AWS_CONFIG_FILE: '/dev/null',
      AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
    };
    const outcome = await runCommand('accounts', ['list'], aws);
    expect(outcome).toEqual({ code: 1, out: '', error: 'No AWS region is set. Set AWS_REGION.\n' });
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
      'create, list, show, update, seller, set-plan, reset-limit, export, close',
    ],
    ['an unknown option', ['accounts', 'create', '--nam', 'x'], 2, 'error', '--name, --plan'],
    [
      'an option twice',
      ['accounts', 'create', '--name', 'x', '--name', 'y'],
      2,
      'error',
      '--name can be given only once',
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
  ] as const)('%s is an error with an exit code', async (_, [group, ...args], code, stream, text) => {
    const outcome = await runHere(group, ...args);
    expect(outcome.code).toBe(code);
    expect(outcome[stream]).toContain(text);
  });

  test('an invalid mode, permission or date is an error that names valid values', async () => {
    const { accountId } = await newAccount();
    const create = (...args: string[]) =>
      runHere('keys', 'create', '--account', accountId, '--name', 'x', ...args);
    expect((await create('--mode', 'prod')).error).toContain('--mode must be one of test, live');
    expect((await create('--mode', 'test', '--permissions', 'all')).error).toContain('invoices:read');
    expect((await create('--mode', 'test', '--expires-at', 'soon')).error).toContain('ISO 8601');
    expect((await create('--mode', 'test', '--expires-at', '2020-01-01')).error).toContain('future');
    expect(await runJsonHere('keys', 'list', '--account', accountId)).toHaveLength(2);
  });
});
