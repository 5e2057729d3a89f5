/**
 * Tests exports over HTTP: the files of each kind, what is in their cells, who may create and read them, and bad input. Takes 10 seconds.
 */
import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { strFromU8, unzipSync } from 'fflate';
import type { Stack } from '../../../infra/local/stack.ts';
import { newKey } from '../../contract/examples.ts';
import { type Api, apiOf, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { untilRelayed } from '../../support/until-relayed.ts';
import { waitUntil } from '../../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let account: TestAccount;
let api: Api;
let customer: string;
let invoices: { readonly id: string }[];
let payment: string;

type Row = Record<string, string>;

beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
  const send = async (path: string, body: object) => {
    const { json, status, text } = await api.post(path, body);
    if (status >= 300) throw new Error(text);
    return json;
  };
  customer = (await send('/api/customers', { name: '=HYPERLINK("x")', metadata: { a: '1' } })).id;
  invoices = [];
  for (const fields of [
    { customerId: customer, amount: 123_450, description: '+1, "quoted"\nline two' },
    { customerId: 'a@example.bt', amount: 2_500, description: 'Tea', metadata: { order: '7', shop: 'x' } },
    { customerId: customer, amount: 700, currency: 'USD', description: '-5' },
  ])
    invoices.push(await send('/api/invoices', { currency: 'BTN', ...fields }));
  payment = (await send('/api/payments', { invoiceId: invoices[1]?.id, method: 'offline' })).id;
  await send('/api/refunds', { paymentId: payment, amount: 500 });
  await untilRelayed(table, `${account.accountId}#test`);
});
afterAll(() => stack?.close());

/** Creates an export, and waits until it has ended. */
async function exportOf(body: object, of: Api = api) {
  const { status, json } = await of.post('/api/exports', body);
  expect([status, json]).toEqual([201, json]);
  let shown = json;
  await waitUntil(`${json.kind} are exported`, async () => {
    shown = (await of.get(`/api/exports/${json.id}`)).json;
    return shown.status !== 'running';
  });
  return shown;
}

async function fileOf(shown: { readonly parts: readonly { readonly url: string }[] }, index = 0) {
  const response = await fetch(shown.parts[index]?.url ?? '');
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const rowsIn = async (body: object): Promise<Row[]> =>
  parse(await fileOf(await exportOf(body)), { columns: true, bom: true });

describe('the files of each kind', () => {
  test('invoices, with guarded texts, decimals, local times and the moment of each row', async () => {
    const shown = await exportOf({ kind: 'invoices', bom: true });
    expect(shown).toMatchObject({
      id: expect.stringMatching(/^exp_/),
      status: 'completed',
      format: 'csv',
      timeZone: 'UTC',
      rows: 3,
      leftOut: 0,
      parts: [{ rows: 3, bytes: expect.any(Number), url: expect.stringContaining('X-Amz-Signature') }],
      failure: null,
    });
    const file = await fileOf(shown);
    expect(file.length).toBe(shown.parts[0].bytes);
    expect([...file.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const rows: Row[] = parse(file, { columns: true, bom: true });
    expect(rows.map(({ id }) => id)).toEqual(invoices.map(({ id }) => id));
    expect(rows[0]).toMatchObject({
      customerName: `'=HYPERLINK("x")`,
      description: `'+1, "quoted"\nline two`,
      amount: '1234.50',
      currency: 'BTN',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      asOf: expect.stringMatching(/\+00:00$/),
    });
    expect(rows[1]).toMatchObject({ metadata: '{"order":"7","shop":"x"}', amountPaid: '25.00' });
    expect(rows[2]?.description).toBe("'-5");
  });

  test('lines, payments, refunds, customers, the journal and the audit log', async () => {
    expect(await rowsIn({ kind: 'lines' })).toMatchObject([
      { invoiceId: invoices[0]?.id, line: '1', amount: '1234.50', unitAmount: '1234.50' },
      { invoiceId: invoices[1]?.id, description: 'Tea' },
      { currency: 'USD' },
    ]);
    const filtered = await rowsIn({ kind: 'payments', filters: { invoiceId: invoices[1]?.id } });
    expect(filtered).toMatchObject([{ id: payment, amount: '25.00', amountRefunded: '5.00' }]);
    expect(await rowsIn({ kind: 'refunds', filters: { paymentId: payment } })).toMatchObject([
      { amount: '5.00', currency: 'BTN' },
    ]);
    expect(await rowsIn({ kind: 'customers' })).toMatchObject([{ id: customer, metadata: '{"a":"1"}' }]);
    const journal = await rowsIn({ kind: 'journal', filters: { currency: 'USD' } });
    expect(journal.map(({ amount }) => Number(amount)).reduce((sum, each) => sum + each, 0)).toBe(0);
    expect(journal.length).toBeGreaterThan(1);
    const audit = await rowsIn({ kind: 'audit' });
    expect(audit).toContainEqual(expect.objectContaining({ action: 'refund.create', outcome: 'done' }));
    expect(audit).toContainEqual(expect.objectContaining({ action: 'export.create' }));
  });

  test('a statement of account, with the balance before and after each movement', async () => {
    const day = new Date().toISOString().slice(0, 10);
    const filters = { customerId: customer, currency: 'BTN' };
    expect(await rowsIn({ kind: 'statement', filters, from: day })).toMatchObject([
      { entry: 'opening', amount: '0.00', balance: '0.00', timestamp: `${day}T00:00:00+00:00` },
      {
        entry: 'invoice',
        invoiceId: invoices[0]?.id,
        amount: '1234.50',
        balance: '1234.50',
        currency: 'BTN',
      },
    ]);
    const lines = await fileOf(
      await exportOf({ kind: 'statement', format: 'jsonl', filters: { customerId: customer } }),
    );
    expect(String(lines).trimEnd().split('\n')).toHaveLength(4);
    const permissions = [
      'exports:write',
      'exports:read',
      'invoices:read',
      'customers:read',
      'payments:read',
    ] as const;
    const key = apiOf(stack.baseUrl, await newKey(account, { permissions }));
    const refused = await key.post('/api/exports', { kind: 'statement', filters });
    expectError(refused, 403, 'insufficient_permissions');
    expect(refused.json.error.message).toContain('refunds:read');
  });

  test('the days are those of the time zone of the account, also without a seller profile', async () => {
    const { updateSettings } = await import('../../../shared/domain/accounts/settings-store.ts');
    const own = await newAccount(stack.baseUrl);
    await updateSettings(own.accountId, { timeZone: 'Asia/Thimphu' });
    const { json } = await own.test.post('/api/exports', { kind: 'customers' });
    expect(json.timeZone).toBe('Asia/Thimphu');
  });

  test('JSON lines have the fields of the API, and a filter that nothing matches gives an empty file', async () => {
    const shown = await exportOf({ kind: 'invoices', format: 'jsonl', filters: { customerId: customer } });
    const lines = String(await fileOf(shown))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { id: invoices[0]?.id, amount: 123_450, lines: [{ amount: 123_450 }] },
      { id: invoices[2]?.id },
    ]);
    for (const line of lines) {
      const { json: shown } = await api.get(`/api/invoices/${line.id}`);
      expect(line).toEqual({ ...shown, customerName: expect.any(String), asOf: expect.any(String) });
    }
    expect(await rowsIn({ kind: 'invoices', filters: { currency: 'INR' } })).toEqual([]);
    const nobody = `cust_${'0'.repeat(26)}`;
    expect(await rowsIn({ kind: 'payments', filters: { customerId: nobody } })).toEqual([]);
    expect(await rowsIn({ kind: 'invoices', from: '2020-01-01', to: '2020-12-31' })).toEqual([]);
    expect(await rowsIn({ kind: 'invoices', filters: { status: 'paid,overdue' } })).toHaveLength(1);
  });

  test.each(['9999-12-31', '2040-02-29'])('a range can end in the future: %s', async (to) => {
    const shown = await exportOf({ kind: 'invoices', to });
    expect(shown).toMatchObject({ to, rows: 3 });
    expect(shown.from <= new Date().toISOString().slice(0, 10)).toBe(true);
    expect(await rowsIn({ kind: 'invoices', from: '2026-01-01', to })).toHaveLength(3);
    const statement = { kind: 'statement', from: '2026-01-01', filters: { customerId: customer } };
    expect(await rowsIn({ ...statement, to })).toEqual(
      (await rowsIn(statement)).map((row) => ({ ...row, asOf: expect.any(String) })),
    );
  });
});

test('documents are an archive of their PDFs with an index', async () => {
  const { changeSeller } = await import('../../../shared/domain/accounts/seller-change-store.ts');
  const seller = await newAccount(stack.baseUrl);
  await changeSeller(seller.accountId, { legalName: 'Druk Crafts', address: { country: 'BT' } });
  const of = inNewestVersion(seller.test);
  await of.post('/api/invoices', { customerId: 'c_1', amount: 900, currency: 'BTN', description: 'Tea' });
  await untilRelayed(table, `${seller.accountId}#test`);
  const shown = await exportOf({ kind: 'documents' }, of);
  const files = unzipSync(await fileOf(shown));
  const index: Row[] = parse(strFromU8(files['index.csv'] ?? new Uint8Array()), { columns: true });
  expect(index).toMatchObject([{ kind: 'invoice', amount: '9.00', file: expect.stringMatching(/\.pdf$/) }]);
  const pdf = files[index[0]?.file ?? ''];
  expect(strFromU8(pdf?.subarray(0, 5) ?? new Uint8Array())).toBe('%PDF-');
  const [document] = (await of.get('/api/documents')).json.data;
  expect(index[0]).toMatchObject({
    sha256: hash('sha256', pdf ?? ''),
    contentSha256: document.sha256,
  });
});

describe('who may', () => {
  test('a key needs the permission of the kind, and an export of another account does not exist', async () => {
    const key = await newKey(account, { permissions: ['exports:read', 'exports:write', 'payments:read'] });
    const limited = inNewestVersion(apiOf(stack.baseUrl, key));
    const { json } = await limited.post('/api/exports', { kind: 'payments' });
    expect(json).toMatchObject({ kind: 'payments', status: 'running' });
    expectError(await limited.post('/api/exports', { kind: 'invoices' }), 403, 'insufficient_permissions');
    const shown = await exportOf({ kind: 'invoices' });
    expectError(await limited.get(`/api/exports/${shown.id}`), 403, 'insufficient_permissions');
    const listed = (await limited.get('/api/exports')).json;
    expect(listed.data.find(({ id }: { id: string }) => id === shown.id).parts).toMatchObject([
      { url: null },
    ]);
    const other = await newAccount(stack.baseUrl);
    expectError(await other.test.get(`/api/exports/${shown.id}`), 404, 'export_not_found');
    expectError(await account.live.get(`/api/exports/${shown.id}`), 404, 'export_not_found');
  });

  test('its end is an event', async () => {
    const shown = await exportOf({ kind: 'refunds' });
    await untilRelayed(table, `${account.accountId}#test`);
    const { data } = (await api.get('/api/events?type=export.completed')).json;
    const event = data.find(({ data: { id } }: { data: { id: string } }) => id === shown.id);
    expect(event.data).toMatchObject({ status: 'completed', rows: 1, parts: [{ url: null }] });
  });
});

describe('bad input', () => {
  test.each<[body: object, field: string, message?: string]>([
    [{ kind: 'sheets' }, 'kind'],
    [{ kind: 'statement' }, 'filters.customerId'],
    [{}, 'kind'],
    [{ kind: 'invoices', format: 'xlsx' }, 'format'],
    [{ kind: 'invoices', from: '2026-02-30' }, 'from'],
    [{ kind: 'invoices', from: '2026-03-02', to: '2026-03-01' }, 'to'],
    [{ kind: 'invoices', from: '2015-12-31', to: '2026-03-01' }, 'from', 'must be 2016-03-02 or later'],
    [{ kind: 'invoices', from: '2015-12-31', to: '9999-12-31' }, 'from'],
    [{ kind: 'invoices', from: '1900-01-01', to: '2026-03-01' }, 'from', 'must be 2016-03-02 or later'],
    [{ kind: 'invoices', from: '1965-01-01', to: '1971-12-31' }, 'from', 'must be 1970-01-01 or later'],
    [{ kind: 'invoices', from: '0000-00-00' }, 'from', 'must be a day'],
    [{ kind: 'invoices', to: '1900-01-01' }, 'to', 'must be 1970-01-01 or later'],
    [{ kind: 'invoices', filters: { status: 'completed' } }, 'filters.status'],
    [{ kind: 'invoices', filters: { paymentId: `pay_${'0'.repeat(26)}` } }, 'filters.paymentId'],
    [{ kind: 'customers', filters: { currency: 'BTN' } }, 'filters.currency'],
    [{ kind: 'invoices', filters: { currency: 'EUR' } }, 'filters.currency'],
    [{ kind: 'invoices', filters: { customerId: 'a@example.bt' } }, 'filters.customerId'],
    [{ kind: 'invoices', filters: 'paid' }, 'filters'],
  ])('%j', async (body, field, message = '') => {
    const { status, json } = await api.post('/api/exports', body);
    expect([status, json.error.field]).toEqual([400, field]);
    expect(json.error.message).toContain(message);
  });
});
