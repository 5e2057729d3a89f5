/** Tests `remit accounts export`: which data it contains, and that an interrupted export continues without gaps. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { ExportLine } from '../../shared/operations/export/account-export.ts';
import { apiOf, invoiceBody } from '../support/api.ts';
import { type BusyAccount, newBusyAccount } from '../support/busy-account.ts';
import { run, runHere } from '../support/command-line.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let account: BusyAccount;
let liveKey: string;
let directory: string;
let secret: string;
let all: ExportLine[];

beforeAll(async () => {
  stack = await startTestStack();
  directory = await mkdtemp(join(tmpdir(), 'remit-export-'));
  account = await newBusyAccount(stack, tableOf(stack));
  const { json } = await account.api.post('/api/webhooks', { url: 'http://127.0.0.1:9/', events: ['*'] });
  secret = json.secret;
  for (let index = 0; index < 3; index++) await account.api.post('/api/invoices', invoiceBody());
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
  liveKey = (await createKey({ owner: { ...account.owner, mode: 'live' }, name: 'Live' })).value;
  await changeSeller(account.owner.account, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  for (let index = 0; index < 2; index++) await account.api.post('/api/invoices', invoiceBody());
  for (const name of ['Dorji', 'Deleted', 'Pema']) {
    const { json: customer } = await account.api.post('/api/customers', { name });
    if (name === 'Deleted') await account.api.delete(`/api/customers/${customer.id}`);
  }
  const rows = [{ day: '2026-03-31', amount: 5, name: 'Pema' }];
  await account.api.post('/api/statements', { bank: 'Bank of Bhutan', currency: 'BTN', rows });
  await account.api.post('/api/schedules', {
    every: { n: 1, unit: 'month' },
    startOn: '2099-01-31',
    invoice: { customerId: 'c_7', amount: 900, currency: 'BTN', description: 'Hosting' },
  });
  await apiOf(stack.baseUrl, liveKey).post('/api/invoices', invoiceBody({ description: 'Live ‮ invoice' }));
  await waitUntil('the deliveries exist', async () => {
    const { data } = (await account.api.get(`/api/webhooks/${json.id}/deliveries`)).json;
    return data.length === 5;
  });
  await account.waitUntilQuiescent();
  // From now on nothing changes: further attempts of the deliveries would differ between two exports.
  await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
  all = parse((await exportAlone()).out);
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await stack.close();
});

const parse = (text: string): ExportLine[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const exportTo = (...args: string[]) =>
  runHere('accounts', ['export', '--account', account.owner.account, ...args]);
/** In a process of its own, as operators do. */
const exportAlone = (...args: string[]) =>
  run('accounts', ['export', '--account', account.owner.account, ...args]);
const rowsOf = (mode: string, type: string) =>
  all.filter((line) => line.mode === mode && line.type === type).map(({ data }) => data);

/** Reads a whole list as a client, oldest first. Payment URLs are not part of an export. */
async function readList(path: string, apiKey = account.api.apiKey): Promise<unknown[]> {
  const { data } = (await inNewestVersion(apiOf(stack.baseUrl, apiKey)).get(`${path}?limit=100`)).json;
  return data.map(({ paymentUrl: _, ...others }: object & { paymentUrl?: string }) => others).reverse();
}

test('it contains the account, and in both modes what the API shows, oldest first', async () => {
  expect(all[0]).toMatchObject({
    type: 'account',
    data: { accountId: account.owner.account, plan: 'enterprise', seller: { legalName: 'Druk Crafts' } },
  });
  expect(all.at(-1)).toEqual({ type: 'end' });
  for (const [type, path, count] of [
    ['invoice', '/api/invoices', 9],
    ['payment', '/api/payments', 3],
    ['refund', '/api/refunds', 2],
    ['event', '/api/events', 19],
    ['webhook', '/api/webhooks', 1],
    ['customer', '/api/customers', 2],
  ] as const) {
    const rows = rowsOf('test', type);
    expect([type, rows]).toEqual([type, await readList(path)]);
    expect([type, rows.length]).toEqual([type, count]);
  }
  const [webhook] = rowsOf('test', 'webhook') as { id: string }[];
  const deliveries = rowsOf('test', 'delivery') as { webhookId: string; attempts: unknown }[];
  expect(deliveries).toHaveLength(5);
  for (const { webhookId } of deliveries) expect(webhookId).toBe(webhook?.id);
  const documents = rowsOf('test', 'document') as { id: string; number: string }[];
  expect(documents.map(({ number }) => number)).toEqual(['INV-0001', 'INV-0002']);
  for (const document of documents)
    expect((await account.api.get(`/api/documents/${document.id}`)).json).toEqual(document);
  expect(rowsOf('test', 'statement')).toMatchObject([
    { status: 'ready', bank: 'Bank of Bhutan', rows: [{ day: '2026-03-31', amount: 5, name: 'Pema' }] },
  ]);
  expect(rowsOf('test', 'schedule')).toMatchObject([
    { status: 'active', invoice: { description: 'Hosting' } },
  ]);
  expect(rowsOf('live', 'document')).toMatchObject([{ number: 'INV-0001', content: { mode: 'live' } }]);
  expect(rowsOf('live', 'invoice')).toEqual(await readList('/api/invoices', liveKey));
  expect(rowsOf('live', 'invoice')).toHaveLength(1);
});

test('it contains no secret, no API key, and no character that could act on a terminal', async () => {
  const { out } = await exportTo();
  for (const text of [secret, secret.slice('whsec_'.length), account.api.apiKey, '\u202e'])
    expect(out).not.toContain(text);
  expect(out).toContain('Live \\u202e invoice');
});

test('it continues after the cursor of any line', async () => {
  const { exportAccount, parseExportCursor } = await import(
    '../../shared/operations/export/account-export.ts'
  );
  for (const [index, { cursor }] of all.entries()) {
    if (cursor === undefined) continue;
    const rest: ExportLine[] = [];
    for await (const line of exportAccount(account.owner.account, parseExportCursor(cursor), Date.now()))
      rest.push(line);
    expect(rest.map((line) => line.cursor)).toEqual(all.slice(index + 1).map((line) => line.cursor));
  }
  const middle = all[5]?.cursor ?? '';
  expect(parse((await exportTo('--after', middle)).out)).toHaveLength(all.length - 6);
});

test('a file is only for its owner, is not overwritten, and resumes at any byte', async () => {
  const file = join(directory, 'account.jsonl');
  expect(await exportAlone('--output', file)).toMatchObject({ code: 0, out: '' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const complete = await readFile(file, 'utf8');
  expect(parse(complete).map(({ cursor }) => cursor)).toEqual(all.map(({ cursor }) => cursor));
  expect(await exportTo('--output', file)).toMatchObject({
    code: 2,
    error: expect.stringContaining('--resume'),
  });
  const firstLine = complete.indexOf('\n') + 1;
  for (const length of [firstLine, firstLine + 40, complete.length - 20, complete.length - 1]) {
    await writeFile(file, complete.slice(0, length));
    expect(await exportTo('--output', file, '--resume')).toMatchObject({ code: 0 });
    expect(await readFile(file, 'utf8')).toBe(complete);
  }
  const again = await exportTo('--output', file, '--resume');
  expect(again).toMatchObject({ code: 0, error: expect.stringContaining('complete already') });
});

test('a file with other content stays unchanged', async () => {
  const file = join(directory, 'other.txt');
  for (const content of [
    'my notes',
    'my notes\nmore',
    '{"type":"account","data":{"accountId":"acct_1"}}\n',
  ]) {
    await writeFile(file, content);
    const outcome = await exportTo('--output', file, '--resume');
    expect(outcome).toMatchObject({ code: 1, error: expect.stringContaining('does not contain an export') });
    expect(await readFile(file, 'utf8')).toBe(content);
  }
});

test.each([
  [['--resume'], '--resume needs --output'],
  [['--after', 'nonsense'], 'The cursor is not valid'],
  [['--after', 'test/invoice/x'], 'The cursor is not valid'],
  [['--output', '/nowhere/x', '--resume'], 'does not exist'],
])('%j is a usage error', async (args, message) => {
  expect(await exportTo(...args)).toMatchObject({
    code: 2,
    out: '',
    error: expect.stringContaining(message),
  });
});

test('a malformed record of any kind leaves out only itself, and an export of it resumes', async () => {
  const table = tableOf(stack);
  const items: TestItem[] = [];
  const types = ['invoice', 'payment', 'refund', 'webhook', 'delivery', 'event', 'customer', 'document'];
  for (const type of types) {
    const { id } = (rowsOf('test', type)[0] ?? {}) as { id: string };
    const prefixes = {
      webhook: 'WEBHOOKS#',
      delivery: 'DELIVERIES#',
      event: 'EVENTS#',
      document: 'DOCUMENTS#',
    };
    const found = await table.all(prefixes[type as 'event'] ?? id);
    const item = found.find(({ pk, sk, id: own }) => [pk, sk, own].includes(id));
    if (item) items.push(item);
  }
  expect(items).toHaveLength(types.length);
  for (const item of items)
    await table.put({
      ...item,
      [['body', 'issuedAt'].find((name) => name in item) ?? 'createdAt']: { other: 'form' },
    });
  const { out, error, code } = await exportTo();
  const lines = parse(out);
  const malformed = lines.filter(({ type }) => type === 'malformed');
  expect(malformed.map(({ data }) => (data as { type: string }).type)).toEqual(types);
  expect({ code, cursors: lines.map(({ cursor }) => cursor) }).toEqual({
    code: 0,
    cursors: all.map(({ cursor }) => cursor),
  });
  expect(error).toContain('8 records are malformed');
  const rest = lines.filter(({ type }) => type !== 'malformed');
  const names = new Set(malformed.map(({ cursor }) => cursor));
  expect(rest).toEqual(all.filter(({ cursor }) => !cursor || !names.has(cursor)));
  for (const { cursor = '' } of malformed) {
    const position = lines.findIndex((line) => line.cursor === cursor);
    expect(parse((await exportTo('--after', cursor)).out)).toEqual(lines.slice(position + 1));
  }
  for (const item of items) await table.put(item);
});

test('an unknown account is an error', async () => {
  const outcome = await runHere('accounts', ['export', '--account', 'acct_0000000000000000']);
  expect(outcome).toMatchObject({ code: 1, out: '', error: expect.stringContaining('There is no account') });
});
