/** Tests the pages of API keys over HTTP: create, use, list, revoke, two clicks, wrong input, roles and audit entries. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { apiOf } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { formsOf, type VisitedPage, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';

const path = '/settings/keys';

let stack: Stack;
let clock: TestClock;
let account: DashboardAccount;
let owner: Visitor;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  clock = stopClock();
});
beforeEach(async () => {
  account = await newDashboardAccount(stack);
  owner = await signedIn(stack);
});
afterAll(() => stack?.close());

type Fields = Record<string, string>;

/** Opens the page with a form, and returns a function that sends the form with these fields. */
async function openForm(visitor: Visitor, page: string, mode: 'test' | 'live' = 'test') {
  const link = account.path(page, mode);
  const shown = await visitor.get(link);
  const form = formsOf(shown).find(({ action }) => action.endsWith(link));
  if (!form) throw new Error(`No form at ${link}: ${shown.status} ${shown.text}`);
  return (fields: Fields = {}) => visitor.post(form.action, { ...form.initial, ...fields });
}

const all: Fields = { name: 'Shop server', access: 'all', expiresOn: '', note: '', allowedAddresses: '' };
const newest = { apiVersion: '2026-11-23' };
const create = async (fields: Fields = {}, visitor = owner, mode: 'test' | 'live' = 'test') =>
  (await openForm(visitor, `${path}/new`, mode))({ ...all, ...fields });
const valueIn = ({ text }: VisitedPage) => /sk_(?:test|live)_[0-9a-z]+/.exec(text)?.[0] ?? '';
const statusOf = async (value: string, resource = 'invoices') =>
  (await apiOf(stack.baseUrl, value).get(`/api/${resource}`)).status;
const list = async () => (await owner.get(account.path(path))).text;

describe('a new key', () => {
  test('works at once, is listed with its last use, and its value is shown only once', async () => {
    const answer = await create();
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const value = valueIn(answer);
    expect(value).toMatch(/^sk_test_/);
    expect(await list()).toMatch(/Shop server[\s\S]*Active[\s\S]*Never/);
    expect(await statusOf(value)).toBe(200);
    const shown = await list();
    expect(shown).toContain(`…${value.slice(-4)}`);
    expect(shown).not.toContain(value);
    const keys = await (await import('../../shared/domain/accounts/key-store.ts')).listKeys({
      account: account.accountId,
      mode: 'test',
    });
    expect(keys.find(({ name }) => name === 'Shop server')?.lastUsedAt).toBeDefined();
  });

  test('has the newest version, unless the form says another one', async () => {
    const versionOf = async (value: string) =>
      (await apiOf(stack.baseUrl, value).get('/api/invoices')).headers['x-api-version'];
    const form = await owner.get(account.path(`${path}/new`));
    expect(form.text).toMatch(/<option value="2026-11-23" selected>2026-11-23 \(newest\)/);
    expect(form.text).toContain(`${stack.baseUrl}/docs/changes`);
    expect(await versionOf(valueIn(await create()))).toBe('2026-11-23');
    expect(await versionOf(valueIn(await create({ apiVersion: '2026-11-21' })))).toBe('2026-11-21');
    const refused = await create({ apiVersion: '2020-01-01' });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('API version must be one of 2026-11-21, 2026-11-23.');
  });

  test('is moved to another version by its form, and keeps its version if the form does not change it', async () => {
    const value = valueIn(await create({ apiVersion: '2026-11-21' }));
    const keys = await (await import('../../shared/domain/accounts/key-store.ts')).listKeys({
      account: account.accountId,
      mode: 'test',
    });
    const { keyId } = keys.find(({ last4 }) => last4 === value.slice(-4)) ?? { keyId: '' };
    const edit = async (fields: Fields) => (await openForm(owner, `${path}/${keyId}/edit`))(fields);
    const version = async () =>
      (await apiOf(stack.baseUrl, value).get('/api/invoices')).headers['x-api-version'];
    expect((await edit({ note: 'Kept' })).status).toBe(303);
    expect(await version()).toBe('2026-11-21');
    expect((await edit({ apiVersion: '2026-11-23' })).status).toBe(303);
    expect(await version()).toBe('2026-11-23');
  });

  test('of live mode has the prefix of live mode', async () => {
    expect(valueIn(await create({}, owner, 'live'))).toMatch(/^sk_live_/);
  });

  test('has only the chosen permissions, and ends with the chosen day', async () => {
    const submit = await openForm(owner, `${path}/new`);
    const value = valueIn(
      await submit({ ...all, access: 'chosen', permissions: 'events:read', expiresOn: '2099-01-31' }),
    );
    expect([await statusOf(value), await statusOf(value, 'events')]).toEqual([403, 200]);
    expect(await list()).toMatch(/events:read[\s\S]*31 Jan 2099/);
  });

  test('is one key after two clicks at once and a later reload, and each answer shows its value', async () => {
    const submit = await openForm(owner, `${path}/new`);
    const answers = await Promise.all([submit(all), submit(all)]);
    const values = answers.map(valueIn);
    expect(new Set(values).size).toBe(1);
    expect(await statusOf(values[0] ?? '')).toBe(200);
    expect((await list()).match(/Shop server/g)).toHaveLength(4); // The name, and the label of each link.
    clock.advance(60_000);
    const reloaded = await submit(all);
    expect(valueIn(reloaded)).toBe(values[0]);
    expect((await list()).match(/Shop server/g)).toHaveLength(4);
    expect(await statusOf(values[0] ?? '')).toBe(200);
  });

  test.each<[string, Fields, string]>([
    ['no name', { name: ' ' }, 'Name must have 1 to 100 characters'],
    ['no permission', { access: 'chosen' }, 'Choose at least one permission'],
    ['an unknown permission', { access: 'chosen', permissions: 'root' }, 'Choose at least one permission'],
    [
      'an address range that does not exist',
      { allowedAddresses: '192.0.2.1\n300.1.1.1' },
      'Address range 2 is',
    ],
    ['all addresses', { allowedAddresses: '::/0' }, 'contains all addresses'],
    ['a long note', { note: 'x'.repeat(501) }, 'Note must have at most 500 characters'],
    ['a date that does not exist', { expiresOn: '2099-02-30' }, 'Expires on must be a date'],
    ['a day in the past', { expiresOn: '2001-01-01' }, 'Expires on must be a date'],
  ])('with %s is refused, and the form keeps what was typed', async (_, wrong, message) => {
    const answer = await create({ name: '"Shop" <b>', ...wrong });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)]);
    if (!wrong.name) expect(answer.text).toContain('value="&quot;Shop&quot; &lt;b&gt;"');
    expect(await list()).not.toContain('Shop');
  });

  test('beyond ten usable keys is refused', async () => {
    const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
    const of = { account: account.accountId, mode: 'test' } as const;
    for (let count = 1; count < 10; count++) await createKey({ owner: of, name: `Key ${count}` });
    const answer = await create();
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('which is the limit')]);
  });
});

describe('the settings of a key', () => {
  const keyIdOf = async () =>
    /keys\/(key_\w+)\/edit" aria-label="Edit the key Shop server/.exec(await list())?.[1];
  const openEdit = async () => openForm(owner, `${path}/${await keyIdOf()}/edit`);
  const guarded: Fields = { ...all, allowedAddresses: '192.0.2.9/24\r\n\r\n2001:DB8::1\r\n', note: 'A\r\nB' };

  test('limit a new key to addresses, and are shown in the list and in the form', async () => {
    const value = valueIn(await create(guarded));
    expect(await statusOf(value)).toBe(403);
    expect(await list()).toContain('192.0.2.0/24, 2001:db8::1/128');
    const page = await owner.get(account.path(`${path}/${await keyIdOf()}/edit`));
    expect(page.text).toContain('>192.0.2.0/24\n2001:db8::1/128</textarea>');
    expect(page.text).toContain('>A\nB</textarea>');
    expect(page.text).toMatch(/Your address now: 127\.\d+\.\d+\.\d+\./);
  });

  test('change with the next request, also back to all addresses, and two clicks are one change', async () => {
    const value = valueIn(await create(guarded));
    const submit = await openEdit();
    const changed: Fields = { name: 'Shop server', note: '', allowedAddresses: '127.0.0.0/8' };
    const answers = await Promise.all([submit(changed), submit(changed)]);
    for (const { status, headers } of answers)
      expect([status, headers.location]).toEqual([303, expect.stringContaining('key_updated')]);
    expect(await statusOf(value)).toBe(200);
    clock.advance(1_000);
    await (await openEdit())({ name: 'Shop server', note: '', allowedAddresses: '192.0.2.1' });
    expect(await statusOf(value)).toBe(403);
    clock.advance(1_000);
    await (await openEdit())({ name: 'Shop server', note: '', allowedAddresses: ' ' });
    expect(await statusOf(value)).toBe(200);
    await untilRelayed(tableOf(stack), `${account.accountId}#test`);
    const { data } = (await account.test.get('/api/audit-log')).json;
    const changes = data.filter(({ action }: { action: string }) => action === 'key.update');
    expect(changes.map((entry: { changes: unknown }) => entry.changes)).toEqual([
      [{ field: 'allowedAddresses', before: '192.0.2.1/32', after: null }],
      [{ field: 'allowedAddresses', before: '127.0.0.0/8', after: '192.0.2.1/32' }],
      [
        { field: 'note', before: 'A\nB', after: null },
        { field: 'allowedAddresses', before: '192.0.2.0/24, 2001:db8::1/128', after: '127.0.0.0/8' },
      ],
    ]);
  });

  test('keep what was typed if a range is wrong, with the error beside the field', async () => {
    await create(guarded);
    const answer = await (await openEdit())({ name: 'Other', note: '<i>', allowedAddresses: '192.0.2.0/33' });
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(/id="allowedAddresses-error">Address range 1 is not an IPv4 or IPv6 range/);
    for (const kept of ['value="Other"', '>192.0.2.0/33</textarea>', '>&lt;i&gt;</textarea>'])
      expect(answer.text).toContain(kept);
    expect(await list()).toContain('192.0.2.0/24');
  });

  test('are not lost if two people change them at once: the second one sees both', async () => {
    const value = valueIn(await create({ ...all, allowedAddresses: '127.0.0.0/8' }));
    const [first, second] = [await openEdit(), await openEdit()];
    await first({ name: 'Shop server', note: '', allowedAddresses: '192.0.2.1' });
    const answer = await second({ name: 'Shop server', note: 'Mine', allowedAddresses: '127.0.0.0/8' });
    expect([answer.status, answer.text]).toEqual([
      409,
      expect.stringContaining('Another user changed this key'),
    ]);
    expect(answer.text).toContain('192.0.2.1/32');
    expect(answer.text).toContain('>Mine</textarea>');
    expect(await statusOf(value)).toBe(403);
    const again = formsOf(answer).find(({ action }) => action.endsWith('/edit'));
    const typed = { name: 'Shop server', note: 'Mine', allowedAddresses: '127.0.0.0/8' };
    const saved = await owner.post(again?.action ?? '', { ...again?.initial, ...typed });
    expect(saved.status).toBe(303);
    expect(await statusOf(value)).toBe(200);
  });

  test('after an interrupted change show the ranges that apply, and can be saved', async () => {
    const value = valueIn(await create({ ...all, allowedAddresses: '127.0.0.0/8' }));
    const of = { account: account.accountId, mode: 'test' } as const;
    const keyId = (await keyIdOf()) ?? '';
    let written = false;
    const interception = interceptCalls(async ({ operation }, send) => {
      if (written) throw new Error('crash');
      written = operation === 'TransactWriteItems';
      return send();
    });
    const { updateKey } = await import('../../shared/domain/accounts/key-update.ts');
    await expect(updateKey(of, keyId, { allowedAddresses: ['192.0.2.1/32'] })).rejects.toThrow('crash');
    interception.remove();
    expect(await list()).toContain('192.0.2.1/32');
    expect(await statusOf(value)).toBe(403);
    const typed = { name: 'Shop server', note: 'Mine', allowedAddresses: '127.0.0.0/8' };
    expect((await (await openEdit())(typed)).status).toBe(303);
    expect(await list()).toContain('127.0.0.0/8');
    expect(await statusOf(value)).toBe(200);
  });

  test('cannot be changed by a viewer', async () => {
    await create(guarded);
    const visitor = await signedIn(stack, 'viewer');
    const link = account.path(`${path}/${await keyIdOf()}/edit`);
    const own = await visitor.get(account.path(path));
    expect(own.text).not.toContain('/edit"');
    const initial = formsOf(own).find(({ action }) => action.endsWith('/sign-out'))?.initial;
    expect((await visitor.get(link)).status).toBe(403);
    const sent = { ...initial, attempt: 'a'.repeat(26), name: 'Shop server', allowedAddresses: '' };
    expect((await visitor.post(link, sent)).status).toBe(403);
    expect(await list()).toContain('192.0.2.0/24');
  });
});

describe('a revocation', () => {
  test('asks first, and then the next request is refused', async () => {
    const value = valueIn(await create());
    expect(await statusOf(value)).toBe(200);
    const link = /settings\/keys\/(key_\w+)\/revoke" aria-label="Revoke the key Shop server/.exec(
      await list(),
    )?.[1];
    const submit = await openForm(owner, `${path}/${link}/revoke`);
    const answer = await submit();
    expect([answer.status, answer.headers.location]).toEqual([303, expect.stringContaining('key_revoked')]);
    expect(await statusOf(value)).toBe(401);
    expect(await list()).toContain('Revoked');
    expect((await submit()).status).toBe(303);
  });

  test('of a key of another account or mode is a page that does not exist', async () => {
    const other = await newDashboardAccount(stack);
    const { listKeys } = await import('../../shared/domain/accounts/key-store.ts');
    const [foreign] = await listKeys({ account: other.accountId, mode: 'test' });
    const page = await owner.get(account.path(`${path}/${foreign?.keyId}/revoke`));
    expect(page.status).toBe(404);
  });
});

describe('a roll over', () => {
  const linkOf = async () =>
    /settings\/keys\/(key_\w+)\/roll-over" aria-label="Roll over the key Shop server/.exec(await list())?.[1];

  test('shows the new value once, and the list names the key that replaces the old one', async () => {
    const value = valueIn(await create());
    const submit = await openForm(owner, `${path}/${await linkOf()}/roll-over`);
    const wrong = await submit({ overlapHours: '169', expiresOn: '2001-01-01' });
    expect([wrong.status, wrong.text]).toEqual([
      400,
      expect.stringContaining('a whole number from 0 to 168'),
    ]);
    expect(wrong.text).toContain('value="169"');
    const answers = await Promise.all([1, 2].map(() => submit({ overlapHours: '1', expiresOn: '' })));
    const [next = ''] = answers.map(valueIn);
    expect(answers.map(valueIn)).toEqual([next, next]);
    expect(next).not.toBe(value);
    expect([await statusOf(value), await statusOf(next)]).toEqual([200, 200]);
    expect(await list()).toContain(`Replaced by …${next.slice(-4)}`);
    clock.advance(10_000);
    expect(valueIn(await submit({ overlapHours: '1', expiresOn: '' }))).toBe(next);
    const again = await openForm(owner, `${path}/${await linkOf()}/roll-over`);
    expect(valueIn(await again({ overlapHours: '0', expiresOn: '2099-01-31' }))).not.toBe('');
    expect(await statusOf(next)).toBe(401);
    clock.advance(3_600_000);
    expect(await statusOf(value)).toBe(401);
  });

  test('of a replaced key is refused', async () => {
    await create();
    const submit = await openForm(owner, `${path}/${await linkOf()}/roll-over`);
    const other = await openForm(owner, `${path}/${await linkOf()}/roll-over`);
    expect((await submit({ overlapHours: '1', expiresOn: '' })).status).toBe(200);
    const refused = await other({ overlapHours: '1', expiresOn: '' });
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('can no longer be replaced'),
    ]);
  });
});

describe('roles', () => {
  test.each([
    ['viewer', 'test', 403],
    ['viewer', 'live', 403],
    ['developer', 'test', 200],
    ['developer', 'live', 403],
    ['owner', 'live', 200],
  ] as const)('a %s creates keys in %s mode: %i', async (role, mode, status) => {
    const visitor = await signedIn(stack, role);
    const submit = await openForm(owner, `${path}/new`, mode);
    expect((await submit(all)).status).toBe(200);
    const own = await visitor.get(account.path(path, mode));
    expect(own.status).toBe(200);
    expect(own.text.includes('Create API key')).toBe(status === 200);
    const initial = formsOf(own).find(({ action }) => action.endsWith('/sign-out'))?.initial;
    const link = account.path(`${path}/new`, mode);
    const answer = await visitor.post(link, { ...initial, attempt: 'a'.repeat(26), ...newest, ...all });
    expect(answer.status).toBe(status);
    expect(valueIn(answer) !== '').toBe(status === 200);
  });

  test('a live key needs a sign-in that is younger than ten minutes', async () => {
    const submit = await openForm(owner, `${path}/new`, 'live');
    clock.advance(11 * 60_000);
    const answer = await submit(all);
    expect(valueIn(answer)).toBe('');
    expect(answer.status).not.toBe(200);
  });
});

test('the audit log names the user who created and revoked a key', async () => {
  await create();
  // Entries of the same millisecond have no order.
  clock.advance(1_000);
  const link = /keys\/(key_\w+)\/revoke" aria-label="Revoke the key Shop server/.exec(await list())?.[1];
  await (await openForm(owner, `${path}/${link}/revoke`))();
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);
  const { data } = (await account.test.get('/api/audit-log')).json;
  const entries = data.filter(({ resource }: { resource: string }) => resource === link);
  expect(entries).toMatchObject([
    { action: 'key.revoke', actor: { type: 'user', id: expect.stringMatching(/^usr_/) }, outcome: 'done' },
    { action: 'key.create', actor: { type: 'user' }, changes: expect.arrayContaining([]) },
  ]);
});
