/** Tests the pages of exports: the form of each kind, the files, and who may have them. Takes 4 seconds. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { Stack } from '../../infra/local/stack.ts';
import { exportKinds } from '../../shared/domain/exports/export-kinds.ts';
import { invoiceBody } from '../support/api.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import {
  formsOf,
  headingOf,
  type VisitedPage,
  type Visitor,
  withDashboard,
} from '../support/dashboard-visitor.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';

const form = '/exports/new';
let stack: Stack;
let account: DashboardAccount;
let owner: Visitor;
let customer: string;

beforeAll(async () => {
  stack = await startTestStack(withDashboard());
  account = await newDashboardAccount(stack);
  owner = await signedIn(stack);
  customer = (await account.test.post('/api/customers', { name: 'Dorji' })).json.id;
  for (const currency of ['BTN', 'USD'])
    await account.test.post('/api/invoices', invoiceBody({ currency, customerId: customer }));
  await untilRelayed(tableOf(stack), `${account.accountId}#test`);
});
afterAll(() => stack?.close());

/** Sends the form that a link opens. Returns the page of the export. */
async function create(visitor: Visitor, link: string, fields: Record<string, string> = {}) {
  const { headers, status, text } = await visitor.submit(await visitor.get(link), account.path(form), fields);
  expect([status, text]).toEqual([303, '']);
  return headers.location ?? '';
}

/** Returns what a browser would send for the form of a page. */
const formOn = (page: VisitedPage) =>
  formsOf(page).find(({ action }) => action === account.path(form))?.initial ?? {};

/** Opens the page of an export again until its files are ready, as the browser does. */
const completed = (visitor: Visitor, path: string) =>
  waitUntil('the files are ready', async () => {
    const page = await visitor.get(path);
    return page.text.includes('http-equiv="refresh"') || page.headers.refresh ? undefined : page;
  });

async function fileOn(text: string) {
  const url = /href="([^"]*X-Amz-Signature[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

test('a list links to the export of what it shows, whose page has the file', async () => {
  const list = await owner.get(account.path('/invoices?currency=BTN&createdFrom=2026-01-01'));
  const link = /href="([^"]*exports\/new[^"]*)"/.exec(list.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(link).toBe(account.path(`${form}?kind=invoices&currency=BTN&createdFrom=2026-01-01`));
  expect(formOn(await owner.get(link))).toMatchObject({
    ...{ kind: 'invoices', from: '2026-01-01', to: '', currency: 'BTN', status: '', format: 'csv' },
  });
  const path = await create(owner, link);
  const page = await completed(owner, path);
  expect(page.text).toMatch(/Only<\/dt><dd>Currency: BTN/);
  const file = await fileOn(page.text);
  expect([...file.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  const rows: Record<string, string>[] = parse(file, { columns: true, bom: true });
  expect(rows).toMatchObject([{ currency: 'BTN', customerName: 'Dorji' }]);
  expect((await owner.get(account.path('/exports'))).text).toContain(path.split('/').at(-1));
});

test('a list does not link to an export that would have more rows', async () => {
  const { reference } = (
    await inNewestVersion(account.test).post('/api/invoices', invoiceBody({ reference: 'R-1' }))
  ).json;
  const { id: other } = (await account.test.post('/api/customers', { name: 'Dorji Sons' })).json;
  for (const [path, hasExport] of [
    [`/invoices?reference=${reference}`, false],
    ['/invoices?createdFrom=2026-01-01T09:30', false],
    ['/invoices?createdFrom=2026-01-01&status=pending', true],
    ['/customers?name=Dorji', false],
    ['/customers', true],
  ] as const) {
    const { text } = await owner.get(account.path(path));
    expect([path, text.includes('/downloads/'), text.includes('exports/new')]).toEqual([
      path,
      true,
      hasExport,
    ]);
  }
  expect((await account.test.delete(`/api/customers/${other}`)).status).toBe(200);
});

test('the statement of a customer links to its export, and a wrong form says which field is wrong', async () => {
  const statement = await owner.get(account.path(`/customers/${customer}/statement`));
  const link = /href="([^"]*exports\/new[^"]*)"/.exec(statement.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const page = await owner.get(link);
  expect(formOn(page)).toMatchObject({ kind: 'statement', customerId: customer });
  const send = (fields: Record<string, string>) => owner.submit(page, account.path(form), fields);
  for (const [fields, text] of [
    [{ customerId: '' }, 'Enter its ID'],
    [{ customerId: 'Dorji' }, 'Customer must be an ID'],
    [{ from: '2026-02-30' }, 'From must be'],
    [{ from: '2026-02-01', to: '2026-01-01' }, 'must not be before'],
    [{ from: '2001-01-01', to: '2026-03-01' }, 'From must be 2016-03-02 or later'],
    [{ from: '1900-01-01', to: '2026-03-01' }, 'From must be 2016-03-02 or later'],
    [{ format: 'xls' }, 'Format must be one of the list'],
    [{ currency: 'EUR' }, 'Currency must be one of the list'],
  ] as const) {
    const refused = await send(fields);
    expect([fields, refused.status, refused.text]).toEqual([fields, 400, expect.stringContaining(text)]);
  }
  expect((await completed(owner, await create(owner, link))).text).toContain('X-Amz-Signature');
});

test('each kind has a form, and two clicks make one export', async () => {
  const before = (await account.test.get('/api/exports')).json.pagination.total;
  for (const kind of exportKinds) {
    const page = await owner.get(account.path(`${form}?kind=${kind}`));
    expect([kind, formOn(page).kind]).toEqual([kind, kind]);
  }
  const page = await owner.get(account.path(`${form}?kind=customers`));
  const answers = await Promise.all([1, 2].map(() => owner.submit(page, account.path(form), {})));
  expect(new Set(answers.map(({ headers }) => headers.location)).size).toBe(1);
  expect((await account.test.get('/api/exports')).json.pagination.total).toBe(before + 1);
});

test('bookkeepers export, but not the audit log, and viewers do not', async () => {
  const bookkeeper = await signedIn(stack, 'bookkeeper');
  expect((await bookkeeper.get(account.path(form))).text).not.toContain('Audit log');
  const chosen = await bookkeeper.get(account.path(`${form}?kind=audit`));
  expect(headingOf(chosen)).toBe('Create export');
  const own = await bookkeeper.get(account.path(`${form}?kind=payments`));
  expect((await bookkeeper.submit(own, account.path(form), { kind: 'audit' })).status).toBe(404);
  expect(
    (await completed(bookkeeper, await create(bookkeeper, account.path(`${form}?kind=payments`)))).text,
  ).toContain('There is nothing in this range.');
  const secret = await create(owner, account.path(`${form}?kind=audit`));
  await completed(owner, secret);
  expect((await bookkeeper.get(secret)).status).toBe(404);
  const viewer = await signedIn(stack, 'viewer');
  for (const path of ['/exports', form, secret.replace(account.path(''), '')])
    expect([path, (await viewer.get(account.path(path))).status]).toEqual([path, 403]);
  expect((await viewer.get(account.path('/invoices'))).text).not.toContain('/exports/');
});
