/** Tests that LibreOffice reads the CSV of an export as it was meant: texts in all scripts, amounts as numbers, and no formula. */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { Stack } from '../../infra/local/stack.ts';
import { newAccount } from '../support/api.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';

const isInstalled = spawnSync('soffice', ['--version']).status === 0;
if (!isInstalled)
  process.stderr.write(
    'Skipped the test of CSV in a spreadsheet: LibreOffice is not installed (apt-get install libreoffice-calc).\n',
  );
const spreadsheetTest = isInstalled ? test : test.skip;

let stack: Stack | undefined;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'remit-spreadsheet-'));
  if (isInstalled) stack = await startTestStack();
});
afterAll(async () => {
  await stack?.close();
  await rm(directory, { recursive: true, force: true });
});

/** Each description is a cell. Formulas of spreadsheets begin with the characters of the last ones. */
const descriptions = [
  'རྩིས་ཁྲ། འབྲུག',
  'हिन्दी में चाय',
  'فاتورة שלום',
  '茶, "quoted"; and\ttab',
  'line one\nline two',
  "an apostrophe's",
  '000123',
  '=1+1',
  '=HYPERLINK("http://example.com";"x")',
  '+1',
  '-5',
  '@SUM(A1)',
] as const;
const amounts = [1, 99, 100, 123_450, 999_999_999_999] as const;
const isFormula = (text: string) => /^[=+@-]/.test(text);

/** Converts a file, and returns the path of the new one. @param filter how to read or write CSV: comma, double quote, UTF-8, first row */
function convert(file: string, to: string, ...options: string[]): string {
  const profile = `-env:UserInstallation=${pathToFileURL(join(directory, 'profile')).href}`;
  const target = join(directory, to.split(':')[0] ?? to);
  const { status, stderr } = spawnSync(
    'soffice',
    [profile, '--headless', ...options, '--convert-to', to, '--outdir', target, file],
    { encoding: 'utf8', timeout: 300_000 },
  );
  expect([status, stderr]).toEqual([0, stderr]);
  return join(target, `export.${to.split(':')[0]}`);
}

const inUtf8 = '--infilter=CSV:44,34,76,1';
/** The same, and each cell is a text. */
const textsInUtf8 = (columns: number) =>
  `${inUtf8},${Array.from({ length: columns }, (_, index) => `${index + 1}/2`).join('/')}`;
const toCsv = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false';

spreadsheetTest('LibreOffice reads each cell of an export, and makes no formula of a text', async () => {
  const account = await newAccount(stack?.baseUrl ?? '');
  const api = inNewestVersion(account.test);
  for (const [index, description] of descriptions.entries()) {
    const amount = amounts[index % amounts.length];
    const body = { customerId: 'order:1', amount, currency: 'BTN', description };
    expect((await api.post('/api/invoices', body)).status).toBe(201);
  }
  if (stack) await untilRelayed(tableOf(stack), `${account.accountId}#test`);
  const { json: created } = await api.post('/api/exports', { kind: 'invoices', bom: true });
  const shown = await waitUntil('the export', async () => {
    const { json } = await api.get(`/api/exports/${created.id}`);
    return json.status !== 'running' && json;
  });
  const bytes = Buffer.from(await (await fetch(shown.parts[0].url)).arrayBuffer());
  const file = join(directory, 'export.csv');
  await writeFile(file, bytes);
  const rows: string[][] = parse(bytes, { bom: true });
  const [header = [], ...cells] = rows;
  const column = (name: string) => cells.map((row) => row[header.indexOf(name)] ?? '');
  expect(column('description')).toEqual(descriptions.map((text) => (isFormula(text) ? `'${text}` : text)));

  // Without a choice, a person opens it so.
  const sheet = await readFile(convert(file, 'fods', inUtf8), 'utf8');
  expect(sheet).not.toContain('table:formula');
  for (const amount of amounts)
    expect(sheet).toContain(`office:value-type="float" office:value="${Number(amount) / 100}"`);
  for (const text of ['རྩིས་ཁྲ། འབྲུག', 'हिन्दी में चाय', 'فاتورة שלום'])
    expect(sheet).toContain(`<text:p>${text}</text:p>`);

  // Read as texts and written again, each cell is the same.
  const xlsx = convert(file, 'xlsx', textsInUtf8(header.length));
  const again: string[][] = parse(await readFile(convert(xlsx, toCsv)), { bom: true });
  expect(again).toEqual(rows);
});
