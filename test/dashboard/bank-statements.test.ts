/**
 * Tests the pages of bank statements over HTTP: the import in two steps, the decisions about rows, roles, and files and forms that are
 * refused. Takes 6 seconds.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { newInvoice as createInvoice } from '../api/payments/new-payment.ts';
import type { Api } from '../support/api.ts';
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
import { readPaymentReference } from '../support/statements.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const maxPageBytes = 40 * 1024;
let stack: Stack;
let account: DashboardAccount;
let bookkeeper: Visitor;
let viewer: Visitor;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack(withDashboard());
  account = await newDashboardAccount(stack);
  bookkeeper = await signedIn(stack, 'bookkeeper');
  viewer = await signedIn(stack, 'viewer');
  api = inNewestVersion(account.test);
});
afterAll(() => stack?.close());

const path = '/bank-statements';
const get = (page: string, visitor = bookkeeper) => visitor.get(account.path(page));
const newInvoice = (fields: object = {}): Promise<{ id: string }> =>
  createInvoice(api, { currency: 'BTN', ...fields });
const invoiceOf = async (id: string) => (await api.get(`/api/invoices/${id}`)).json;

/** Sends a file by the first form. */
async function upload(csv: string | Uint8Array, fields: Record<string, string> = {}): Promise<VisitedPage> {
  const initial = fieldsOf(await get(`${path}/new`));
  const bytes = typeof csv === 'string' ? Buffer.from(csv) : csv;
  const head = { bank: 'Bank of Bhutan', currency: 'BTN', ...fields };
  return bookkeeper.postFile(account.path(`${path}/new`), { ...initial, ...head }, { name: 'file', bytes });
}

const fieldsOf = ({ text }: VisitedPage) =>
  Object.fromEntries(
    ['csrf', 'sender', 'attempt'].map((name) => [
      name,
      new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '',
    ]),
  );

const send = (page: VisitedPage, fields: Record<string, string> = {}) =>
  bookkeeper.submit(page, `${path}/import`, fields);

/** Imports a file, and waits until its rows were tried. Returns the path of the statement. */
async function importFile(csv: string, bank = 'Bank of Bhutan'): Promise<string> {
  const done = await send(await upload(csv, { bank }));
  expect([done.status, done.headers.location]).toEqual([
    303,
    expect.stringContaining('notice=statement_imported'),
  ]);
  const id = /(st_\w+)/.exec(done.headers.location ?? '')?.[1] ?? '';
  await waitUntil(
    'the rows were tried',
    async () => (await api.get(`/api/statements/${id}`)).json.status === 'ready',
  );
  return `${path}/${id}`;
}

const csvOf = (...rows: string[]) => ['Txn Date,Narration,Jrnl No,Amount', ...rows, ''].join('\n');
const rowsOf = async (statement: string) =>
  (await api.get(`/api${statement.replace('bank-', '')}/rows`)).json.data;

test('a file shows its rows and columns first, others can be chosen, and two clicks import it once', async () => {
  const csv =
    'Txn Date,Narration,Details,Jrnl No,Amount\n31/03/2026,TRANSFER,Dorji Wangmo,FT 1,"2,500.00"\n31/03/2026,<FEE>,,FT 2,-15.00\n';
  const shown = await upload(csv);
  expect([shown.status, headingOf(shown)]).toEqual([200, 'Check the rows']);
  expect(shown.text).toContain('2 rows: Nu. 2,500.00 came in, and Nu. 15.00 went out.');
  expect(shown.text).toContain('&lt;FEE&gt;');
  expect((await api.get('/api/statements')).json.pagination.total).toBe(0);

  const again = await send(shown, { 'column-name': 'Details', step: 'preview' });
  expect([again.status, /<option value="Details" selected>/.test(again.text)]).toEqual([200, true]);
  expect(again.text).toContain('Dorji Wangmo');
  expect((await api.get('/api/statements')).json.pagination.total).toBe(0);

  const [first, second] = await Promise.all([send(again), send(again)]);
  const at = (page: VisitedPage) => /(st_\w+)/.exec(page.headers.location ?? '')?.[1];
  expect([first.status, second.status, at(first)]).toEqual([303, 303, at(second)]);
  const known = await send(await upload(csv), { 'column-name': 'Details' });
  expect(known.headers.location).toContain(`${at(first)}?notice=statement_known`);
  expect((await api.get('/api/statements')).json).toMatchObject({
    data: [{ id: at(first), bank: 'Bank of Bhutan', rowCount: 2 }],
    pagination: { total: 1 },
  });
  expect(await rowsOf(`${path}/${at(first)}`)).toMatchObject([
    { name: 'Dorji Wangmo', amount: 250_000 },
    { amount: -1_500 },
  ]);
  const list = await get(path, viewer);
  expect([list.status, list.text.includes('Bank of Bhutan'), list.text.includes('Import statement')]).toEqual(
    [200, true, false],
  );
});

test('rows that wait come first, a suggestion pays with one click, and pages show what each row paid', async () => {
  const [paid, suggested] = await Promise.all([
    newInvoice({ amount: 3000 }),
    newInvoice({ amount: 4000, buyer: { name: 'Pema Choden', address: { country: 'BT' } } }),
  ]);
  const paymentReference = await readPaymentReference(tableOf(stack), paid.id);
  const statement = await importFile(
    csvOf(
      `31/03/2026,TRF ${paymentReference},A 1,30.00`,
      '31/03/2026,PEMA CHODEN,A 2,40.00',
      '31/03/2026,UNKNOWN,A 3,7.00',
    ),
    'Bank A',
  );
  expect(await invoiceOf(paid.id)).toMatchObject({ status: 'paid' });
  await waitUntil('the suggestion', async () => (await get(statement)).text.includes(suggested.id));
  const page = await get(statement);
  expect(page.text).toContain('2 rows wait for your decision.');
  expect(page.text.indexOf('PEMA CHODEN')).toBeLessThan(page.text.indexOf(paymentReference));
  expect(page.text).toContain('Same amount and name.');
  expect(page.text).toContain(`/invoices/${paid.id}`);
  expect(page.text).toMatch(/\/payments\/pay_\w+/);
  const asViewer = await get(statement, viewer);
  expect([asViewer.status, formsOf(asViewer).some(({ action }) => action.includes('/rows/'))]).toEqual([
    200,
    false,
  ]);

  const [, pema, unknown] = await rowsOf(statement);
  const click = () => bookkeeper.submit(page, `/rows/${pema.id}/match`);
  const [first, second] = await Promise.all([click(), click()]);
  expect([first, second].map(({ headers }) => headers.location)).toEqual(
    Array.from({ length: 2 }, () => account.path(`${statement}?notice=row_matched`)),
  );
  expect(await invoiceOf(suggested.id)).toMatchObject({ status: 'paid' });
  const ignored = await bookkeeper.submit(page, `/rows/${unknown.id}/ignore`);
  expect(ignored.headers.location).toContain('notice=row_ignored');
  expect((await get(statement)).text).toContain('No row waits for a decision.');
  expect(await rowsOf(statement)).toMatchObject([
    { status: 'matched' },
    { status: 'matched' },
    { status: 'ignored' },
  ]);
  // The old page still offers to ignore the row that has paid.
  const late = await bookkeeper.submit(page, `/rows/${pema.id}/ignore`);
  expect([late.status, late.text.includes('nothing is left to ignore')]).toEqual([409, true]);
});

test('a row pays an invoice that the user names, in parts, and a wrong name, amount or reference changes nothing', async () => {
  const [one, other] = await Promise.all([
    newInvoice({ amount: 1000, reference: 'ORDER-7' }),
    newInvoice({ amount: 500, currency: 'USD' }),
  ]);
  const statement = await importFile(
    csvOf('01/04/2026,A,B 1,25.00', '01/04/2026,B,B 2,10.00', '02/04/2026,C,C 3,-9.00'),
    'Bank B',
  );
  const [row, last, out] = await rowsOf(statement);
  const open = (of: { id: string }) => get(`${statement}/rows/${of.id}`);
  const match = async (fields: Record<string, string>, of = row) =>
    bookkeeper.submit(await open(of), `/rows/${of.id}/match`, fields);
  for (const [fields, message] of [
    [{ invoice: '' }, 'No invoice was found'],
    [{ invoice: 'nowhere' }, 'No invoice was found'],
    [{ invoice: 'inv_00000000000000000000000000' }, 'does not exist'],
    [{ invoice: other.id }, 'The invoice is in USD'],
    [{ invoice: one.id }, 'This is more than what is due'],
    [{ invoice: one.id, amount: '99' }, 'This is more than the row has left'],
    [{ invoice: one.id, amount: 'x' }, 'Amount must be a number'],
  ] as const) {
    const refused = await match(fields);
    expect([fields, refused.status, refused.text.includes(message)]).toEqual([fields, 400, true]);
  }
  expect((await rowsOf(statement))[0]).toMatchObject({ status: 'unmatched', amountMatched: 0 });
  expect((await match({ invoice: 'ORDER-7', amount: '10' })).status).toBe(303);
  expect((await open(row)).text).toContain('Nu. 15.00 left');
  expect(await invoiceOf(one.id)).toMatchObject({ status: 'paid' });

  const reserved = await newInvoice({ amount: 1 });
  const paid = { invoiceId: reserved.id, method: 'offline', reference: 'B 2', bank: 'Bank B' };
  expect((await api.post('/api/payments', paid)).status).toBe(201);
  const third = await newInvoice({ amount: 1000 });
  const used = await match({ invoice: third.id }, last);
  expect([used.status, used.text.includes('Another payment has this reference')]).toEqual([400, true]);
  const allowed = await bookkeeper.submit(used, `/rows/${last.id}/match`, { allowDuplicateReference: 'yes' });
  expect(allowed.status).toBe(303);
  const fourth = await newInvoice({ amount: 400 });
  const tooMuch = await match({ invoice: fourth.id });
  expect([tooMuch.status, tooMuch.text.includes('acceptOver')]).toEqual([400, true]);
  const kept = await bookkeeper.submit(tooMuch, `/rows/${row.id}/match`, { acceptOver: 'yes' });
  expect(kept.status).toBe(303);
  const [overPaid] = (await api.get(`/api/payments?invoiceId=${fourth.id}`)).json.data;
  expect(overPaid).toMatchObject({ amount: 1500, amountOver: 1100, statementRow: row.id });
  expect((await open(out)).text).toContain('It pays nothing.');
  expect((await get(`${statement}/rows/row_1`)).status).toBe(404);
  expect((await get(`${path}/st_1`)).status).toBe(404);
});

test('a row is matched with a recorded payment, its rest is ignored, and a difference is written off', async () => {
  const { changeSeller } = await import('../../shared/domain/accounts/seller-change-store.ts');
  const invoice = await newInvoice({ amount: 1000 });
  const body = { invoiceId: invoice.id, method: 'offline', reference: 'D 1', receivedOn: '2026-04-01' };
  const { json: paid } = await api.post('/api/payments', body);
  const statement = await importFile(
    csvOf('01/04/2026,A,D 1,10.50', '01/04/2026,B,D 2,9.00', '01/04/2026,C,D 3,9.00'),
    'Bank D',
  );
  const [row, short, third] = await rowsOf(statement);
  const suggested = 'Payment of Nu. 10.00, received on 2026-04-01';
  await waitUntil('the suggestion', async () => (await get(statement)).text.includes(suggested));
  const page = await get(statement);
  expect(page.text).toContain('Same reference.');
  const click = () => bookkeeper.submit(page, `/rows/${row.id}/payment`);
  const [first, second] = await Promise.all([click(), click()]);
  expect([first, second].map(({ headers }) => headers.location)).toEqual(
    Array.from({ length: 2 }, () => account.path(`${statement}?notice=row_linked`)),
  );
  expect((await api.get(`/api/payments?invoiceId=${invoice.id}`)).json).toMatchObject({
    data: [{ id: paid.id, statementRow: row.id }],
    pagination: { total: 1 },
  });
  const repeated = await bookkeeper.post(account.path(`${statement}/rows/${short.id}/payment`), {
    ...fieldsOf(await get(statement)),
    payment: paid.id,
  });
  expect([repeated.status, repeated.text.includes('cannot be the money of this payment')]).toEqual([
    400,
    true,
  ]);

  const left = await get(`${statement}/rows/${row.id}`);
  expect([left.text.includes('Nu. 0.50 left'), left.text.includes('Ignore Nu. 0.50')]).toEqual([true, true]);
  expect(left.text).not.toContain('name="writeOff"');
  expect((await bookkeeper.submit(left, `/rows/${row.id}/ignore`)).status).toBe(303);
  expect((await rowsOf(statement))[0]).toMatchObject({ status: 'ignored', amountMatched: 1000 });

  await changeSeller(account.accountId, {
    legalName: 'Druk Crafts',
    address: { country: 'BT' },
    writeOffPercent: 10,
  });
  const withheld = await newInvoice({ amount: 1000 });
  const match = async (fields: Record<string, string>) =>
    bookkeeper.submit(await get(`${statement}/rows/${short.id}`), `/rows/${short.id}/match`, {
      invoice: withheld.id,
      ...fields,
    });
  for (const [fields, message] of [
    [{ writeOff: 'x' }, 'Written off must be a number'],
    [{ writeOff: '2' }, 'must be what is due of the invoice'],
  ] as const) {
    const refused = await match(fields);
    expect([fields, refused.status, refused.text.includes(message)]).toEqual([fields, 400, true]);
  }
  expect((await match({ writeOff: '1', reason: 'bank_charge' })).status).toBe(303);
  expect(await invoiceOf(withheld.id)).toMatchObject({
    status: 'paid',
    amountPaid: 900,
    amountWrittenOff: 100,
  });
  // Nothing is left to write off of a paid invoice, and the form offers to keep the money as credit.
  const late = await bookkeeper.submit(
    await get(`${statement}/rows/${third.id}`),
    `/rows/${third.id}/match`,
    { invoice: withheld.id, amount: '9.00', writeOff: '1', reason: 'tds' },
  );
  expect([late.status, late.text.includes('nothing is left to write off')]).toEqual([400, true]);
  const kept = { acceptOver: 'yes', writeOff: '' };
  expect((await bookkeeper.submit(late, `/rows/${third.id}/match`, kept)).status).toBe(303);
});

test('a row with the reference of a paid invoice is recorded as credit with one click', async () => {
  const { id } = await newInvoice({ amount: 1000 });
  const paymentReference = await readPaymentReference(tableOf(stack), id);
  expect((await api.post('/api/payments', { invoiceId: id, method: 'offline' })).status).toBe(201);
  const statement = await importFile(csvOf(`01/04/2026,${paymentReference},E 1,7.00`), 'Bank E');
  const [row] = await rowsOf(statement);
  const suggested = 'The row has its payment reference. The invoice is paid, so all of the money is credit';
  await waitUntil('the suggestion', async () => (await get(statement)).text.includes(suggested));
  const page = await get(statement);
  expect(page.text).toContain('Keep Nu. 7.00 as credit');
  const done = await bookkeeper.submit(page, `/rows/${row.id}/match`);
  expect(done.headers.location).toBe(account.path(`${statement}?notice=row_matched`));
  const [payment] = (await api.get(`/api/payments?invoiceId=${id}`)).json.data;
  expect(payment).toMatchObject({ amount: 700, amountOver: 700, statementRow: row.id });
});

test('the page of a row leads to the invoice that has its payment after the void of another one', async () => {
  const { id } = await newInvoice({ amount: 5000, acceptPartial: true });
  const rows = [{ day: '2026-01-07', amount: 2000, reference: `FT ${id}` }];
  const { json: statement } = await api.post('/api/statements', { bank: id, currency: 'BTN', rows });
  const [row] = (await api.get(`/api/statements/${statement.id}/rows`)).json.data;
  const page = `${path}/${statement.id}/rows/${row.id}`;
  expect(
    (await api.post(`/api/statements/${statement.id}/rows/${row.id}/match`, { invoiceId: id })).status,
  ).toBe(201);
  expect((await get(page)).text).toContain(account.path(`/invoices/${id}`));
  const rest = { invoiceId: id, method: 'offline', amount: 3000 };
  const { json: payment } = await api.post('/api/payments', rest);
  expect((await api.post(`/api/payments/${payment.id}/void`, { reason: 'Typed by mistake' })).status).toBe(
    200,
  );
  const { replacedBy } = await invoiceOf(id);
  expect(replacedBy).toMatch(/^inv_/);
  const { text } = await get(page);
  expect(text).toContain(account.path(`/invoices/${replacedBy}`));
  expect(text).not.toContain(account.path(`/invoices/${id}`));
});

test('a file in the format camt.053 has no columns to choose', async () => {
  const entry = (amount: string, status: string) =>
    `<Ntry><Amt Ccy="BTN">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>${status}</Cd></Sts><BookgDt><Dt>2026-03-31</Dt></BookgDt></Ntry>`;
  const fileOf = (entries: string) =>
    `<?xml version="1.0"?><Document><BkToCstmrStmt><Stmt>${entries}</Stmt></BkToCstmrStmt></Document>`;
  const shown = await upload(fileOf(entry('12.50', 'BOOK') + entry('1.00', 'PDNG')), { bank: 'Bank X' });
  expect([shown.status, shown.text.includes('1 row: Nu. 12.50 came in')]).toEqual([200, true]);
  expect(shown.text).toContain('1 entry not booked or without an amount was skipped.');
  expect(shown.text).not.toContain('Columns of the file');
  const { headers } = await send(shown);
  expect(headers.location).toContain('notice=statement_imported');
  expect(await rowsOf(`${path}/${/(st_\w+)/.exec(headers.location ?? '')?.[1]}`)).toMatchObject([
    { amount: 1250 },
  ]);
  const refused = await upload(`<!DOCTYPE a [<!ENTITY b "c">]>${fileOf(entry('1.00', 'BOOK'))}`);
  expect([refused.status, refused.text.includes('The file has a document type')]).toEqual([400, true]);
});

test('a file that cannot be imported is refused with the reason, and a missing column can be chosen', async () => {
  for (const [csv, message] of [
    ['', 'Choose the file of your bank.'],
    ['PK\u0003\u0004', 'This is a workbook'],
    [csvOf('31/03/2026,A,1,x'), 'Line 2: x is not an amount'],
    [
      csvOf(...Array.from({ length: 5001 }, (_, index) => `31/03/2026,A,${index},1`)),
      'The file has 5001 rows',
    ],
    [Buffer.alloc(3 * 1024 * 1024 + 1, 'a'), 'larger than 3 MB'],
  ] as const) {
    const refused = await upload(csv);
    expect([message, refused.status, refused.text.includes(message)]).toEqual([message, 400, true]);
  }
  const noBank = await upload(csvOf('31/03/2026,A,1,5'), { bank: ' ' });
  expect([noBank.status, noBank.text.includes('Bank or account')]).toEqual([400, true]);

  const unnamed = await upload('Tag,Betrag\n31/03/2026,5\n');
  expect([
    unnamed.status,
    unnamed.text.includes('No column for the day was found. It has: Tag, Betrag.'),
  ]).toEqual([400, true]);
  const chosen = await send(unnamed, { 'column-day': 'Tag', 'column-amount': 'Betrag' });
  expect(chosen.headers.location).toContain('notice=statement_imported');

  const kept = 'The columns are those of the last import of this bank.';
  const next = await upload('Tag,Betrag\n01/04/2026,6\n');
  expect([next.status, next.text.includes(kept)]).toEqual([200, true]);
  expect(next.text).toContain('<option value="Betrag" selected>');
  expect(next.text).toContain('No day of the file shows whether day or month comes first.');
  for (const [csv, bank] of [
    [csvOf('31/03/2026,A,9,5'), 'Bank of Bhutan'],
    [csvOf('31/03/2026,A,9,5'), 'Another bank'],
  ] as const) {
    const other = await upload(csv, { bank });
    expect([other.status, other.text.includes(kept)]).toEqual([200, false]);
  }

  for (const file of ['x', `file_${'0'.repeat(26)}`]) {
    const gone = await send(unnamed, { file });
    expect([gone.status, gone.text.includes('no longer stored. Choose it again.')]).toEqual([400, true]);
  }
  const future = await send(await upload(csvOf('31/03/2099,A,1,5')));
  expect([future.status, future.text.includes('Row 1: ')]).toEqual([400, true]);
});

test('the largest page of rows has at most 40 KB, and a viewer cannot import or decide', async () => {
  const long = 'x'.repeat(200);
  const statement = await importFile(
    csvOf(...Array.from({ length: 100 }, (_, index) => `03/04/2026,${long},R ${index} ${long},1.00`)),
    'Bank C',
  );
  const page = await get(statement);
  expect([page.status, Buffer.byteLength(page.text) <= maxPageBytes, Buffer.byteLength(page.text)]).toEqual([
    200,
    true,
    expect.any(Number),
  ]);
  expect((await get(`${path}/new`, viewer)).status).toBe(403);
  const [row] = await rowsOf(statement);
  const initial = fieldsOf(page);
  for (const action of [
    `${path}/new`,
    `${path}/import`,
    `${statement}/rows/${row.id}/match`,
    `${statement}/rows/${row.id}/ignore`,
  ]) {
    const refused = await viewer.post(account.path(action), {
      ...initial,
      csrf: fieldsOf(await get(path, viewer)).csrf ?? '',
    });
    expect([action, refused.status]).toEqual([action, 403]);
  }
});
