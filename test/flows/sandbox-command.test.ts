/** Tests the commands that create and show sandboxes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { apiOf, invoiceBody } from '../support/api.ts';
import { run, runJson } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';

const dayMs = 86_400_000;
const settings = ['create', '--name', 'Tests', '--plan', 'standard'];

let stack: Stack;

beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

test('a sandbox has a test key and an end, which all commands show', async () => {
  const created = await runJson('accounts', [...settings, '--sandbox', '--days', '2']);
  const { accountId, sandboxUntil, keys } = created;
  expect(Object.keys(keys)).toEqual(['test']);
  const daysLeft = (Date.parse(sandboxUntil) - Date.now()) / dayMs;
  expect(Math.ceil(daysLeft)).toBe(2);
  expect((await apiOf(stack.baseUrl, keys.test).post('/api/invoices', invoiceBody())).status).toBe(201);
  expect(await runJson('accounts', ['show', '--account', accountId])).toMatchObject({ sandboxUntil });
  const listed = await runJson('accounts', ['list']);
  expect(listed).toContainEqual(expect.objectContaining({ accountId, sandboxUntil }));
  expect((await run('accounts', ['list'])).out).toContain(sandboxUntil);
  const [key] = await runJson('keys', ['list', '--account', accountId]);
  expect(key).toMatchObject({ mode: 'test', expiresAt: sandboxUntil });

  const live = ['create', '--account', accountId, '--mode', 'live', '--name', 'Live'];
  const refused = await run('keys', live);
  expect(refused.code).toBe(1);
  expect(refused.error).toContain(
    'is a sandbox, which has no live mode. Create an account without --sandbox',
  );
  const connect = ['connect', 'stripe', '--account', accountId, '--mode', 'test'];
  expect((await run('providers', connect)).error).toContain('which has no connections to payment providers');
});

test('a sandbox needs no name and no plan, and other accounts need both', async () => {
  const { accountId } = await runJson('accounts', ['create', '--sandbox']);
  expect(await runJson('accounts', ['show', '--account', accountId])).toMatchObject({
    name: 'Sandbox',
    plan: 'standard',
  });
  const named = await runJson('accounts', ['create', '--sandbox', '--name', 'Tests', '--plan', 'enterprise']);
  expect(await runJson('accounts', ['show', '--account', named.accountId])).toMatchObject({
    name: 'Tests',
    plan: 'enterprise',
  });
  for (const [args, error] of [
    [[], '--name is required.\n'],
    [['--name', 'Tests'], '--plan is required.\n'],
    [['--plan', 'standard'], '--name is required.\n'],
  ] as const)
    expect(await run('accounts', ['create', ...args])).toMatchObject({ code: 2, error });
});

test.each([
  [['--sandbox', '--days', '0'], '--days must be a whole number from 1 to 90, for example --days 7.'],
  [['--sandbox', '--days', '91'], '--days must be a whole number from 1 to 90'],
  [['--sandbox', '--days', '1.5'], '--days must be a whole number from 1 to 90'],
  [['--sandbox', '--days', ''], '--days must not be empty.'],
  [['--days', '7'], '--days is only for sandboxes. Add --sandbox, or remove --days.'],
])('%j creates nothing and says what to do', async (more, message) => {
  const count = async () => (await runJson('accounts', ['list'])).length;
  const before = await count();
  const { code, error } = await run('accounts', [...settings, ...more]);
  expect(code).toBe(2);
  expect(error).toContain(message);
  expect(await count()).toBe(before);
});
