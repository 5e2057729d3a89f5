/**
 * Tests that every command that changes the table is recorded in the audit log: who ran it, what it changed, and whether
 * it ended.
 */
import { userInfo } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CliCommand, CommandGroup } from '../../cli/command.ts';
import { commands } from '../../cli/commands.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { type Route, routes } from '../../shared/api/routes.ts';
import { type AuditAction, auditActions } from '../../shared/base/audit-origin.ts';
import type { ShownAuditEntry } from '../../shared/domain/audit/entry.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { apiOf, invoiceBody } from '../support/api.ts';
import { run, runJson } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

const operator = { type: 'operator', id: `local:${userInfo().username}` };
const newAccount = () =>
  runJson('accounts', ['create', '--name', 'Client 12', '--plan', 'standard', '--display-name', 'Druk Shop']);

async function entriesOf(accountId: string, mode = 'test', ...more: string[]): Promise<ShownAuditEntry[]> {
  const scope = ['--account', accountId, '--mode', mode];
  await untilRelayed(tableOf(stack), `${accountId}#${mode}`);
  return (await runJson('audit', ['list', ...scope, '--limit', '100', ...more])).data;
}
async function deploymentEntries(action: AuditAction): Promise<ShownAuditEntry[]> {
  await untilRelayed(tableOf(stack), 'deployment#live');
  return (await runJson('audit', ['list', '--action', action])).data;
}
/** Waits until all operations are in the log. */
const untilAllRelayed = () =>
  waitUntil('the outbox is empty', async () => (await tableOf(stack).all('OUTBOX#')).length === 0);
const summaryOf = (entries: readonly ShownAuditEntry[]) =>
  entries.map(({ action, outcome }) => `${action} ${outcome}`);

/** The commands that change the table, and the action under which the audit log records each. */
const changing: Readonly<Record<string, AuditAction>> = {
  'accounts create': 'account.create',
  'accounts update': 'account.update',
  'accounts seller': 'account.update',
  'accounts set-plan': 'account.set_plan',
  'accounts reset-limit': 'account.reset_limit',
  'accounts close': 'account.close',
  'keys create': 'key.create',
  'keys update': 'key.update',
  'keys roll-over': 'key.roll_over',
  'keys revoke': 'key.revoke',
  'reconcile run': 'difference.repair',
  'reconcile skip-numbers': 'number.skip',
  'poison retry': 'work.retry',
  'poison drop': 'work.drop',
  'maintenance on': 'maintenance.start',
  'maintenance off': 'maintenance.end',
  'canary enable': 'canary.enable',
  'secrets rotate': 'secret.rotate',
  'secrets apply': 'secret.apply',
  'secrets remove': 'secret.remove',
  erase: 'customer.erase',
  'users invite': 'member.invite',
  'users remove': 'member.remove',
  'providers connect': 'provider.connect',
  'providers rotate': 'provider.rotate',
  'providers disconnect': 'provider.disconnect',
};
/** The commands that only read, or that change something through the API, which records it. */
const others =
  /^(invoices|payments|refunds|customers|products|drafts|schedules|statements|exports|mails|events|webhooks|clock) |^(listen|trigger|search|open|mcp|import|canary run|(deployment|release) show|completion (bash|zsh)|login|logout|profiles (list|current|use))$|^accounts (list|show|export)$|^(keys|audit|users) list$|^audit (export|verify)$|^reconcile report$|^providers (list|check)$|^(timers|maintenance|secrets) status$|^poison (list|show)$/;

function namesOf(entry: CliCommand | CommandGroup, path: readonly string[] = []): string[] {
  if (!('commands' in entry)) return [path.join(' ')];
  return Object.entries(entry.commands).flatMap(([name, child]) => namesOf(child, [...path, name]));
}

test('each command is known to change the table or not, and each action belongs to a command or a route', () => {
  const unknown = namesOf(commands).filter((name) => !changing[name] && !others.test(name));
  expect(unknown).toEqual([]);
  const onlyInDashboard = ['member.withdraw', 'member.change', 'member.join', 'user.sign_in', 'user.step_up'];
  // The deletion of sandboxes, after their end, and endpoints that answer 410 or fail for days.
  const ofBackground = ['account.delete', 'webhook.disable'];
  const used = [
    ...onlyInDashboard,
    ...ofBackground,
    ...Object.values(changing),
    ...Object.values<Route>(routes).flatMap(({ audit }) => audit ?? []),
  ];
  expect([...new Set(used)].toSorted()).toEqual(auditActions.toSorted());
});

test('accounts: each change has an entry in both modes, with the settings before and after', async () => {
  const { accountId, keys } = await newAccount();
  await runJson('accounts', [
    'update',
    '--account',
    accountId,
    '--display-name',
    'Druk',
    '--pay-link-days',
    '9',
  ]);
  await runJson('accounts', ['update', '--account', accountId, '--display-name', 'Druk']);
  await runJson('accounts', ['set-plan', '--account', accountId, '--plan', 'enterprise']);
  await runJson('accounts', ['reset-limit', '--account', accountId]);
  await runJson('accounts', ['close', '--account', accountId, '--yes']);
  const expected = [
    'account.close done',
    'account.close started',
    'account.reset_limit done',
    'account.reset_limit started',
    'account.set_plan done',
    'account.set_plan started',
    'account.update done',
  ];
  for (const mode of ['test', 'live']) {
    const entries = await entriesOf(accountId, mode);
    expect(summaryOf(entries).slice(0, 7)).toEqual(expected);
    expect(summaryOf(entries).slice(7).sort()).toEqual(['account.create done', 'key.create done']);
    expect(entries.every(({ actor }) => actor.type === operator.type && actor.id === operator.id)).toBe(true);
    expect(entries.find(({ action }) => action === 'account.create')).toMatchObject({
      resource: accountId,
      source: null,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      changes: [
        { field: 'name', before: null, after: 'Client 12' },
        { field: 'plan', before: null, after: 'standard' },
        { field: 'displayName', before: null, after: 'Druk Shop' },
      ],
    });
    expect(entries.find(({ action }) => action === 'account.update')?.changes).toEqual([
      { field: 'displayName', before: 'Druk Shop', after: 'Druk' },
      { field: 'payLinkDays', before: null, after: '9' },
    ]);
    expect(entries.find(({ action }) => action === 'account.set_plan')?.changes).toEqual([
      { field: 'plan', before: 'standard', after: 'enterprise' },
    ]);
  }
  expect(JSON.stringify(await entriesOf(accountId))).not.toContain(keys.test);
});

test('keys: an entry in the mode of the key, and the account holder can read it', async () => {
  const { accountId, keys } = await newAccount();
  const key = await runJson('keys', [
    ...['create', '--account', accountId, '--mode', 'live', '--name', 'CI'],
    ...['--permissions', 'invoices:read,audit:read', '--expires-at', '2999-12-31'],
  ]);
  await runJson('keys', ['revoke', '--account', accountId, '--key', key.keyId]);
  const entries = (await entriesOf(accountId, 'live')).filter(({ resource }) => resource === key.keyId);
  expect(summaryOf(entries)).toEqual(['key.revoke done', 'key.revoke started', 'key.create done']);
  expect(entries[2]?.changes).toEqual([
    { field: 'name', before: null, after: 'CI' },
    { field: 'permissions', before: null, after: 'invoices:read, audit:read' },
    { field: 'apiVersion', before: null, after: '2026-11-23' },
    { field: 'expiresAt', before: null, after: '2999-12-31T23:59:59.999Z' },
  ]);
  expect((await entriesOf(accountId, 'test')).filter(({ resource }) => resource === key.keyId)).toEqual([]);
  const { json } = await apiOf(stack.baseUrl, keys.live).get(`/api/audit-log?resource=${key.keyId}`);
  expect(json.data).toEqual(entries);
});

test('keys: a change and a roll over have one entry each, and the new key works', async () => {
  const { accountId } = await newAccount();
  const scope = ['--account', accountId];
  const note = ['--note', 'Ask Dorji'];
  const key = await runJson('keys', ['create', ...scope, '--mode', 'test', '--name', 'CI', ...note]);
  const change = ['--name', 'Builds', '--remove-note'];
  const changed = await runJson('keys', ['update', ...scope, '--key', key.keyId, ...change]);
  expect(changed).toMatchObject({ name: 'Builds', note: null });
  const rolledOver = ['roll-over', ...scope, '--key', key.keyId, '--overlap-hours', '0'];
  const created = await runJson('keys', rolledOver);
  expect(created).toMatchObject({ name: 'Builds', replaces: key.keyId });
  expect((await apiOf(stack.baseUrl, created.value).get('/api/invoices')).status).toBe(200);
  expect((await apiOf(stack.baseUrl, key.value).get('/api/invoices')).status).toBe(401);
  expect(await run('keys', rolledOver)).toMatchObject({
    code: 1,
    error: expect.stringContaining(created.keyId),
  });
  expect((await run('keys', [...rolledOver.slice(0, -1), '169'])).code).toBe(2);
  expect((await run('keys', ['update', ...scope, '--key', key.keyId])).code).toBe(2);
  expect((await runJson('keys', ['list', ...scope])).at(-1)).not.toHaveProperty('value');
  const entries = (await entriesOf(accountId)).filter(({ resource }) => resource === key.keyId);
  expect(entries.map(({ action, changes }) => [action, changes])).toEqual([
    ['key.roll_over', [{ field: 'replacedBy', before: null, after: created.keyId }]],
    [
      'key.update',
      [
        { field: 'name', before: 'CI', after: 'Builds' },
        { field: 'note', before: 'Ask Dorji', after: null },
      ],
    ],
    ['key.create', expect.arrayContaining([{ field: 'note', before: null, after: 'Ask Dorji' }])],
  ]);
});

test('commands that fail before they change anything have no entry', async () => {
  await untilAllRelayed();
  const before = await tableOf(stack).all('AUDIT#');
  const { accountId } = { accountId: 'acct_0000000000000000' };
  for (const args of [
    ['accounts', 'close', '--account', accountId, '--yes'],
    ['accounts', 'set-plan', '--account', accountId, '--plan', 'standard'],
    ['accounts', 'update', '--account', accountId, '--display-name', 'x'],
    ['keys', 'revoke', '--account', accountId, '--key', 'key_0'],
    ['keys', 'create', '--account', accountId, '--mode', 'test', '--name', 'x'],
  ]) {
    const [group = '', ...rest] = args;
    expect((await run(group, rest)).code).toBe(1);
  }
  expect(await tableOf(stack).all('OUTBOX#')).toEqual([]);
  expect(await tableOf(stack).all('AUDIT#')).toHaveLength(before.length);
});

test('providers: the deletion of credentials has an entry without them', async () => {
  const { accountId } = await newAccount();
  const owner = { account: accountId, mode: 'test' } as const;
  const { saveConnection } = await import('../../shared/domain/payments/connections/change-connection.ts');
  const credentials = { apiKey: 'sk_test_forgotten0000', notificationSecrets: ['whsec_forgotten'] };
  const connection = { credentials, currencies: ['USD'], accountName: 'Druk Shop' } as const;
  await saveConnection(owner, 'stripe', () => connection, undefined);
  const disconnect = ['disconnect', 'stripe', '--account', accountId, '--mode', 'test'];
  const forget = (...more: string[]) => run('providers', [...disconnect, '--forget', ...more]);
  expect(await forget()).toMatchObject({
    code: 1,
    error: expect.stringContaining('Stripe is still connected in test mode. Disconnect it first.'),
  });
  await runJson('providers', disconnect);
  expect((await run('providers', [...disconnect, '--force'])).code).toBe(2);
  expect((await forget()).error).toContain('can still be refunded or disputed until');
  expect((await forget('--force')).error).toContain('can still be paid. Run the command again after');

  const key = tableKeys.connection(owner, 'stripe');
  const disconnectedFor = async (hours: number) => {
    const item = await tableOf(stack).get(key);
    await tableOf(stack).put({ ...item, disconnectedAt: Date.now() - hours * 3_600_000 });
  };
  await disconnectedFor(179 * 24);
  expect((await forget()).code).toBe(1);
  await disconnectedFor(3);
  expect(await runJson('providers', [...disconnect, '--forget', '--force'])).toMatchObject({
    provider: 'stripe',
    isForgotten: true,
  });
  expect(await tableOf(stack).get(key)).toBeUndefined();
  expect((await forget('--force')).error).toContain('Stripe has no connection in test mode.');

  await saveConnection(owner, 'stripe', () => connection, undefined);
  await runJson('providers', disconnect);
  await disconnectedFor(180 * 24);
  expect((await forget()).code).toBe(0);
  expect(await tableOf(stack).get(key)).toBeUndefined();
  const entries = await entriesOf(accountId, 'test', '--action', 'provider.disconnect');
  expect(entries.map(({ resource, changes }) => [resource, changes[0]])).toEqual([
    ['stripe', { field: 'accountName', before: 'Druk Shop', after: null }],
    ['stripe', { field: 'disconnectedAt', before: null, after: expect.any(String) }],
    ['stripe', { field: 'accountName', before: 'Druk Shop', after: null }],
    ['stripe', { field: 'disconnectedAt', before: null, after: expect.any(String) }],
  ]);
  expect(JSON.stringify(await tableOf(stack).all('AUDIT#'))).not.toContain('forgotten');
});

test('an erasure has an entry that names neither the customer nor the pseudonym', async () => {
  const { accountId, keys } = await newAccount();
  const customer = 'dorji@example.bt';
  await apiOf(stack.baseUrl, keys.test).post('/api/invoices', invoiceBody({ customerId: customer }));
  const options = ['--account', accountId, '--customer', customer, '--mode', 'test'];
  await run('erase', [...options, '--dry-run']);
  const { modes } = await runJson('erase', [...options, '--yes']);
  const entries = await entriesOf(accountId);
  const erasures = entries.filter(({ action }) => action === 'customer.erase');
  expect(summaryOf(erasures)).toEqual(['customer.erase done', 'customer.erase started']);
  await untilAllRelayed();
  const stored = JSON.stringify(await tableOf(stack).all('AUDIT#'));
  expect(stored).not.toContain(customer);
  expect(stored).not.toContain(modes[0].pseudonym);
});

test('operations on the whole deployment have a log of their own', async () => {
  await runJson('reconcile', ['skip-numbers', '--count', '3']);
  await runJson('maintenance', ['off']);
  await runJson('secrets', ['apply']);
  await runJson('secrets', ['rotate', '--secret', 'webhooks']);
  for (const action of ['number.skip', 'maintenance.end', 'secret.apply', 'secret.rotate'] as const) {
    const entries = await deploymentEntries(action);
    expect(summaryOf(entries)).toEqual([`${action} done`, `${action} started`]);
    expect(entries[0]).toMatchObject({ actor: operator, resource: null });
    expect(entries[0]?.requestId).toBe(entries[1]?.requestId);
  }
  const [skipped] = await deploymentEntries('number.skip');
  expect(skipped?.changes).toEqual([{ field: 'skippedNumbers', before: null, after: '3' }]);
});

test('the export of a month contains each entry once, oldest first in each scope', async () => {
  const { accountId } = await newAccount();
  await untilAllRelayed();
  const month = new Date().toISOString().slice(0, 7);
  const { code, out, error } = await run('audit', ['export', '--month', month]);
  expect(code).toBe(0);
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(error).toContain(`Exported ${lines.length} entries.`);
  expect(lines).toHaveLength((await tableOf(stack).all('AUDIT#')).length);
  const own = lines.filter(({ scope }) => scope.account === accountId && scope.mode === 'test');
  const listed = (await entriesOf(accountId)).reverse();
  expect(own.map(({ scope: _, number: __, previousExpiry: ___, seal: ____, ...entry }) => entry)).toEqual(
    listed,
  );
  expect(own.map(({ number }) => number).sort()).toEqual(own.map((_, index) => index + 1));
  expect(own.every(({ seal }) => /^a1:[\w-]{43}$/.test(seal))).toBe(true);
  expect((await run('audit', ['export', '--month', '2027-13'])).code).toBe(2);
});

test('the verification finds nothing, and then what somebody has altered and deleted', async () => {
  const { accountId } = await newAccount();
  await runJson('accounts', ['reset-limit', '--account', accountId]);
  await untilAllRelayed();
  const whole = await run('audit', ['verify']);
  expect([whole.code, whole.out]).toEqual([
    0,
    expect.stringMatching(/^All \d+ entries are as they were sealed/),
  ]);
  const entries = await tableOf(stack).all(`AUDIT#${accountId}#test#`);
  const [first, second] = entries.toSorted((one, other) => one.number - other.number);
  await tableOf(stack).put({ ...first, actor: { type: 'operator', id: 'somebody else' } });
  await tableOf(stack).delete({ pk: String(second?.pk), sk: String(second?.sk) });
  const { code, out } = await run('audit', ['verify', '--account', accountId, '--json']);
  expect([code, JSON.parse(out)]).toMatchObject([
    1,
    {
      faults: [
        { scope: `${accountId}#test`, rule: 'audit_entry_altered', number: 1, id: first?.sk },
        { scope: `${accountId}#test`, rule: 'audit_entry_missing', number: 2, id: null },
      ],
    },
  ]);
});

test('the list says how to continue, and refuses a wrong filter', async () => {
  const { accountId } = await newAccount();
  await untilAllRelayed();
  const scope = ['--account', accountId, '--mode', 'test'];
  const { error } = await run('audit', ['list', ...scope, '--limit', '1']);
  const [, next] = /--before (aud_\w+)\./.exec(error) ?? [];
  expect((await runJson('audit', ['list', ...scope, '--before', next ?? ''])).data).toHaveLength(1);
  const wrong = await run('audit', ['list', ...scope, '--action', 'nonsense']);
  expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining('--action must be one of')]);
  expect((await run('audit', ['list', '--account', accountId])).code).toBe(2);
});
