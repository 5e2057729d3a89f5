/** Tests the command `remit import`: its reports, its exit codes, and that a run that is killed goes on. Takes 30 seconds. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, newAccount } from '../support/api.ts';
import { run } from '../support/command-line.ts';
import { ninjaClients, ninjaInvoices, ninjaProducts, razorpayInvoices } from '../support/import-samples.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let api: Api;
let service: { REMIT_URL: string; REMIT_API_KEY: string };
let folder: string;
let files: string[];

beforeAll(async () => {
  stack = await startTestStack();
  folder = await mkdtemp(join(tmpdir(), 'remit-import-'));
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  files = [
    ...['--customers', await write('clients.csv', ninjaClients)],
    ...['--products', await write('products.csv', ninjaProducts)],
    ...['--invoices', await write('invoices.csv', ninjaInvoices)],
    ...['--currency', 'BTN', '--tax', 'GST 18=in_gst_18'],
  ];
});
beforeEach(async () => {
  api = inNewestVersion((await newAccount(stack.baseUrl)).test);
  service = { REMIT_URL: stack.baseUrl, REMIT_API_KEY: api.apiKey };
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await stack.close();
});

const remit = (...args: string[]) => run('import', args, service);
const countOf = async (kind: string) => (await api.get(`/api/${kind}`)).json.pagination.total;
const counts = async () => [await countOf('customers'), await countOf('products'), await countOf('invoices')];

test('a dry run sends nothing, a run creates what it has shown, and a second run creates nothing', async () => {
  const dry = await run('import', ['invoice-ninja', ...files, '--dry-run'], {
    REMIT_URL: 'http://127.0.0.1:9',
  });
  expect(dry.code).toBe(1);
  expect(dry.out).toMatch(/customers +2 +1\nproducts +2 +1\ninvoices +2 +4/);
  expect(dry.error).toContain('Left out of invoices: It is not open: paid. In line 2 (INV-0040).');
  expect(dry.error).toContain('The highest number of INV- is INV-0044. The next one is 45.');
  expect(dry.error).toContain('Nothing was sent.');
  const first = await remit('invoice-ninja', ...files);
  expect(first.code).toBe(1);
  expect(first.out).toMatch(/customers +2 +0 +1\nproducts +2 +0 +1\ninvoices +2 +0 +4/);
  await waitUntil('the lists show the records', async () => (await counts()).join() === '2,2,2');
  const second = JSON.parse((await remit('invoice-ninja', ...files, '--json')).out);
  expect(second).toMatchObject({
    created: { customers: 0, products: 0, invoices: 0 },
    existing: { invoices: 2 },
  });
  expect(second.leftOut).toHaveLength(6);
  expect(await counts()).toEqual([2, 2, 2]);
});

test('a run that is killed goes on', async () => {
  const header = 'Number,Customer,Customer Name,Status,Currency,Amount Due,Amount Paid';
  const lines = Array.from({ length: 40 }, (_, at) => `A-${at},cus_${at % 7},Name ${at % 7},open,usd,5.00,0`);
  const file = join(folder, 'many.csv');
  await writeFile(file, [header, ...lines, ''].join('\n'));
  const args = ['cli/remit.ts', 'import', 'stripe', '--invoices', file];
  for (const least of [1, 12]) {
    const child = spawn(process.execPath, args, { env: { ...process.env, ...service }, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await waitUntil('the run has created invoices', async () => (await countOf('invoices')) >= least);
    child.kill('SIGKILL');
    await ended;
  }
  const last = await remit('stripe', '--invoices', file);
  expect([last.code, last.error]).toEqual([0, expect.stringContaining('The next one is 40.')]);
  await waitUntil('the lists show all records', async () => (await counts()).join() === '7,0,40');
});

test.each([
  [['paper', '--invoices', 'x.csv'], 'TOOL must be one of stripe, razorpay, invoice-ninja.'],
  [['stripe'], 'Name at least one file'],
  [['stripe', '--invoices', '/nowhere.csv'], 'cannot be read (ENOENT). Check --invoices.'],
  [
    ['stripe', '--invoices', 'ninja'],
    'The file lacks columns: Number or Invoice Number; Customer or Customer ID; Status',
  ],
  [['invoice-ninja', '--products', 'ninja'], 'Add --currency.'],
  [['stripe', '--invoices', 'ninja', '--amounts', 'units'], '--amounts is only for razorpay.'],
  [['razorpay', '--invoices', 'razorpay'], 'For rupees, add --amounts units, and for paise'],
  [['razorpay', '--invoices', 'razorpay', '--amounts', 'x'], '--amounts must be one of'],
  [['invoice-ninja', '--invoices', 'ninja', '--tax', 'x'], '--tax must be NAME=CODE'],
  [['invoice-ninja', '--invoices', 'ninja', '--set-next-number', 'X-'], 'can be INV-.'],
  [['stripe', '--customers', 'long'], 'The file has 50,000 rows, and at most 10,000'],
  [['stripe', '--customers', 'workbook'], 'This is a workbook'],
])('the usage %j is refused, and nothing is created', async (args, message) => {
  const texts: Record<string, string> = {
    ninja: ninjaInvoices,
    razorpay: razorpayInvoices,
    long: `id,Name\n${'a,b\n'.repeat(50_000)}`,
    workbook: 'PK\u0003\u0004',
  };
  const given = await Promise.all(
    args.map(async (word, at) => {
      const text = at > 0 ? texts[word] : undefined;
      if (text === undefined) return word;
      await writeFile(join(folder, `${word}.csv`), text);
      return join(folder, `${word}.csv`);
    }),
  );
  const { code, error } = await remit(...given);
  expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  expect(await counts()).toEqual([0, 0, 0]);
});
