/**
 * Tests statements from uploaded files over HTTP: the way of a file from the link to payments, and files of every size and fault. The way
 * takes 3 seconds in each run, and the rest a minute.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { exhaustiveTest } from '../../support/exhaustive-test.ts';
import { expectError } from '../../support/expectations.ts';
import type { HttpResponse } from '../../support/http.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { uploadFile } from '../../support/upload-file.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { newInvoice as createInvoice } from '../payments/new-payment.ts';

let stack: Stack;
let table: TestTable;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
  account = await newAccount(stack.baseUrl);
  api = inNewestVersion(account.test);
});
afterAll(() => stack?.close());

const csvOf = (...lines: string[]) => ['Txn Date,Narration,Jrnl No,Amount', ...lines, ''].join('\n');
const preview = (file: string, query = '', of = api) =>
  of.get(`/api/statement-files/preview?file=${file}&currency=BTN${query}`);
const importFile = (file: string, fields: object = {}, options: { headers?: Record<string, string> } = {}) =>
  api.post('/api/statements', { bank: 'Bank F', currency: 'BTN', file, ...fields }, options);
const rowsOf = async (id: string, query = '') => (await api.get(`/api/statements/${id}/rows${query}`)).json;
const totalOf = async () => (await api.get('/api/statements')).json.pagination.total;
const untilReady = (id: string) =>
  waitUntil(
    'the rows were tried',
    async () => (await api.get(`/api/statements/${id}`)).json.status === 'ready',
  );
const expectRefused = (answer: HttpResponse, message: string) => {
  expectError(answer, 400, 'invalid_file', 'file');
  expect(answer.json.error.message).toContain(message);
};

test('a file is uploaded with a link, previewed and imported, and is the same statement as its rows', async () => {
  const invoice = await createInvoice(api, { currency: 'BTN' });
  const reference = String((await table.get(tableKeys.record(invoice.id)))?.paymentReference);
  const csv = csvOf(
    `31/03/2026,TRF ${reference},FT 1,25.00`,
    '31/03/2026,=1+1,FT 2,-10.00',
    '31/03/2026,B,,',
  );
  const link = (await api.get(`/api/statement-files/link?size=${csv.length}`)).json;
  expect(link).toMatchObject({ file: expect.stringMatching(/^file_/), size: csv.length });
  expect(new URL(link.uploadUrl).searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;host');
  expect(Date.parse(link.expiresAt) - Date.now()).toBeLessThanOrEqual(900_000);
  expectRefused(await preview(link.file), 'No file has this ID.');
  expectRefused(await importFile(link.file), 'No file has this ID.');

  const file = await uploadFile(api, csv);
  const seen = await preview(file);
  expect([seen.status, seen.json]).toEqual([
    200,
    expect.objectContaining({
      format: 'csv',
      rowCount: 2,
      skipped: 1,
      withReference: 1,
      amountIn: 2_500,
      amountOut: 1_000,
      isDayFormAssumed: false,
      columns: ['Txn Date', 'Narration', 'Jrnl No', 'Amount'],
      mapping: expect.objectContaining({ day: 'Txn Date', name: null, dayForm: 'dmy' }),
    }),
  ]);
  expect(seen.json.rows[1]).toEqual({
    day: '2026-03-31',
    amount: -1_000,
    reference: 'FT 2',
    text: '=1+1',
    name: null,
  });
  const without = await preview(
    file,
    `&mapping=${encodeURIComponent('{"reference":null,"text":"Narration"}')}`,
  );
  expect(without.json.rows[0]).toMatchObject({ reference: null, text: `TRF ${reference}` });
  for (const mapping of ['x', '7', '{"day":7}'])
    expect((await preview(file, `&mapping=${encodeURIComponent(mapping)}`)).json.error.code).toBe(
      'invalid_mapping',
    );
  expect(await totalOf()).toBe(0);

  const headers = { 'Idempotency-Key': 'file-1' };
  const made = await importFile(file, { mapping: seen.json.mapping }, { headers });
  expect([made.status, made.json]).toEqual([
    201,
    expect.objectContaining({ rowCount: 2, mapping: seen.json.mapping }),
  ]);
  expect((await importFile(file, { mapping: seen.json.mapping }, { headers })).text).toBe(made.text);
  await untilReady(made.json.id);
  expect((await api.get(`/api/invoices/${invoice.id}`)).json.status).toBe('paid');
  const rows = [
    { day: '2026-03-31', amount: 2_500, reference: 'FT 1', text: `TRF ${reference}` },
    { day: '2026-03-31', amount: -1_000, reference: 'FT 2', text: '=1+1' },
  ];
  expect((await importFile(await uploadFile(api, csv))).json.id).toBe(made.json.id);
  const asRows = await api.post('/api/statements', { bank: 'Bank F', currency: 'BTN', rows });
  expect(asRows.json.id).toBe(made.json.id);
  for (const body of [
    { bank: 'B', currency: 'BTN' },
    { bank: 'B', currency: 'BTN', rows, file },
  ])
    expectError(await api.post('/api/statements', body), 400, 'invalid_rows', 'rows');

  const ambiguous = await uploadFile(api, csvOf('01/02/2026,A,1,5'));
  expect((await preview(ambiguous)).json.isDayFormAssumed).toBe(true);
  expectError(await importFile(ambiguous), 400, 'invalid_mapping', 'mapping.dayForm');
  expect((await importFile(ambiguous, { mapping: { dayForm: 'mdy' } })).json.firstDay).toBe('2026-01-02');
  const others = [inNewestVersion(account.live), inNewestVersion((await newAccount(stack.baseUrl)).test)];
  for (const other of others) expectRefused(await preview(file, '', other), 'No file has this ID.');
});

exhaustiveTest('5,000 rows are one statement, and pay their invoices once', async () => {
  const invoices = await Promise.all(
    Array.from({ length: 20 }, () => createInvoice(api, { currency: 'BTN' })),
  );
  const references = await Promise.all(
    invoices.map(async ({ id }) => String((await table.get(tableKeys.record(id)))?.paymentReference)),
  );
  const long = 'TRANSFER FROM A CUSTOMER WITH A LONG NAME';
  const lines = Array.from({ length: 5_000 }, (_, index) => {
    const reference = index % 250 === 0 ? references[index / 250] : `${index * 7919}`;
    return `31/03/2026,${long} ${reference},FT ${index},25.00`;
  });
  const file = await uploadFile(api, csvOf(...lines));
  const answers = await Promise.all([1, 2, 3].map(() => importFile(file, { bank: 'Bank L' })));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  const [id] = new Set(answers.map(({ json }) => json.id));
  expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
  await untilReady(id);
  const matched = await rowsOf(id, '?status=matched&limit=100');
  expect(matched.pagination.total).toBe(20);
  for (const invoice of invoices)
    expect((await api.get(`/api/payments?invoiceId=${invoice.id}`)).json.pagination.total).toBe(1);
  const last = await rowsOf(id, '?limit=1&offset=4999');
  expect(last).toMatchObject({ data: [{ reference: 'FT 4999' }], pagination: { total: 5_000 } });
  expectRefused(
    await preview(await uploadFile(api, csvOf(...lines, lines[0] ?? ''))),
    'The file has 5001 rows',
  );
});

exhaustiveTest(
  'a worker that has no time left goes on where it was, and tries no row again and again',
  async () => {
    const { withDeadline } = await import('../../../shared/base/deadline.ts');
    const { matchStatement } = await import('../../../shared/domain/statements/match-statement.ts');
    await stack.queues.pause();
    await stack.stream.pause();
    const invoices = await Promise.all(
      Array.from({ length: 12 }, () => createInvoice(api, { currency: 'BTN' })),
    );
    const lines = await Promise.all(
      invoices.map(async ({ id }, index) => {
        const reference = (await table.get(tableKeys.record(id)))?.paymentReference;
        return `${String(13 + index)}/03/2026,${reference},D ${index},25.00`;
      }),
    );
    const { id } = (await importFile(await uploadFile(api, csvOf(...lines)), { bank: 'Bank D' })).json;
    const timer = { due: Date.now(), kind: 'payment', minute: 1, reference: id } as never;
    // Each run has time for the first rows only.
    const run = (leftMs: number) =>
      withDeadline({ getRemainingTimeInMillis: () => leftMs }, () =>
        matchStatement(timer, Date.now() as never),
      );
    await run(10_001);
    const after = await table.get(tableKeys.record(id));
    expect(after).toMatchObject({ status: 'matching', triedUntil: expect.stringMatching(/^row_/) });
    await run(28_000);
    expect(await table.get(tableKeys.record(id))).toMatchObject({ status: 'ready' });
    await stack.queues.resume();
    await stack.stream.resume();
    const { data } = await rowsOf(id, '?status=matched');
    expect(data).toHaveLength(invoices.length);
    for (const invoice of invoices)
      expect((await api.get(`/api/payments?invoiceId=${invoice.id}`)).json.pagination.total).toBe(1);
  },
);

exhaustiveTest(
  'a file that cannot be imported is refused with the line or row, and nothing is stored',
  async () => {
    const before = await totalOf();
    const workbook = Buffer.from('PK\u0003\u0004workbook');
    const cases: (readonly [string | Uint8Array, string])[] = [
      ['%PDF-1.7', 'This is a PDF.'],
      [workbook, 'This is a workbook'],
      [Buffer.from([0x41, 0x00, 0x42, 0x00]), 'unknown encoding'],
      [
        csvOf('31/03/2026,A,1,5.00', '31/03/2026,A,2,"5,00"'),
        'two decimal signs: 5.00 in line 2, and 5,00 in line 3',
      ],
      [csvOf('31/03/2026,A,1,x'), 'Line 2: x is not an amount'],
      [
        'Narration,Amount\nA,5\n',
        'No column for the day was found. It has: Narration, Amount. Name the column. For example, send',
      ],
      [csvOf('31/03/2099,A,1,5'), 'Row 1: day must not be in the future.'],
      [
        `${csvOf('31/03/2026,A,1,5').replace('Jrnl No', 'Name')}31/03/2026,A,4242424242424242,5\n`,
        'Row 2: name must not contain a card number',
      ],
      [Array.from({ length: 200_000 }, () => '31/03/2026,A,1,5').join('\n'), 'No column for the day'],
      [
        csvOf(Array.from({ length: 200_000 }, () => '31/03/2026,A,1,5').join('\n')),
        'The file has 200000 rows',
      ],
      [
        csvOf(...Array.from({ length: 5_000 }, (_, index) => `31/03/2026,${'x'.repeat(490)},${index},5`)),
        'too long together',
      ],
    ];
    for (const [content, message] of cases) {
      const file = await uploadFile(api, content);
      expectRefused(await preview(file), message);
      expectRefused(await importFile(file), message);
    }
    for (const size of ['', '0', '-1', '1.5', '10485761', 'x'])
      expectError(await api.get(`/api/statement-files/link?size=${size}`), 400, 'invalid_size', 'size');
    expectError(await preview('file_1'), 400, 'invalid_file', 'file');
    expectError(await preview('../x'), 400, 'invalid_file', 'file');
    // A link that is used twice stores the last file.
    const { file, uploadUrl } = (await api.get('/api/statement-files/link?size=27')).json;
    for (const amount of ['5.00', '7.00'])
      await fetch(uploadUrl, { method: 'PUT', body: `Date,Amount\n2026-03-31,${amount}` });
    expect((await preview(file)).json.amountIn).toBe(700);
    // A file that is larger than its link allows, because another storage than S3 did not check it.
    const { bucket, bucketKeys } = await import('../../../shared/store/bucket.ts');
    const { randomFileId } = await import('../../../shared/base/ids.ts');
    const large = randomFileId();
    await bucket.put(bucketKeys.statementFile({ account: account.accountId, mode: 'test' }, large), {
      contentType: 'text/csv',
      bytes: Buffer.alloc(10 * 1024 * 1024 + 1, 'a'),
    });
    expectRefused(await importFile(large), 'larger than 10 MiB');
    expect(await totalOf()).toBe(before);
  },
);
