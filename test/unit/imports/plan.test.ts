/** Tests what `remit import` makes of the exports of other tools, and what it leaves out. */
import { expect, test } from '@jest/globals';
import { countryCodeOf } from '../../../cli/import-customers.ts';
import { type AmountForm, importRowsOf, maxImportRows } from '../../../cli/import-file.ts';
import { numberSeriesOf } from '../../../cli/import-numbers.ts';
import { planImport } from '../../../cli/import-plan.ts';
import type { ImportChoices, ImportKind, ImportTool } from '../../../cli/import-records.ts';
import * as samples from '../../support/import-samples.ts';

const rowsOf = (text: string, tool: ImportTool, kind: ImportKind, amounts?: AmountForm) =>
  importRowsOf(Buffer.from(text), tool, kind, amounts);

function plan(
  tool: ImportTool,
  files: { readonly [Kind in ImportKind]?: string },
  choices: Partial<ImportChoices> = {},
  amounts?: AmountForm,
) {
  const rows = Object.fromEntries(
    Object.entries(files).map(([kind, text]) => [kind, rowsOf(text, tool, kind as ImportKind, amounts)]),
  );
  const found = planImport(rows, { tool, taxes: new Map(), ...choices });
  return { ...found, leftOut: found.leftOut.map(({ line, reason }) => `${line} ${reason}`) };
}

test('exports of Invoice Ninja become customers, products and open invoices', () => {
  const files = {
    customers: samples.ninjaClients,
    products: samples.ninjaProducts,
    invoices: samples.ninjaInvoices,
  };
  const taxes = new Map([['GST 18', 'in_gst_18']]);
  const found = plan('invoice-ninja', files, { currency: 'BTN', taxes });
  expect(found.customers.map(({ body }) => body)).toEqual([
    {
      ...{ name: 'Pema Ltd', email: 'pema@example.bt', phone: '+975 2 111111', reference: '0001' },
      address: { line1: 'Norzin Lam 1', city: 'Thimphu', postalCode: '11001', country: 'BT' },
      taxIds: [{ type: 'bt_tpn', value: 'TAB12345' }],
      metadata: { importedFrom: 'invoice-ninja' },
    },
    {
      ...{ name: 'Tashi "Cell" Crafts', email: 'tashi@example.in', reference: '0002' },
      address: { city: 'Guwahati', state: 'Assam', postalCode: '781001', country: 'IN' },
      metadata: { importedFrom: 'invoice-ninja' },
    },
  ]);
  expect(found.products.map(({ body }) => body)).toEqual([
    { name: 'Green tea', description: 'Per kg', unitAmounts: { BTN: 45_050 } },
    { name: 'Design', description: 'Hours', unitAmounts: { BTN: 120_000 }, tax: 'in_gst_18' },
  ]);
  expect(found.invoices).toEqual([
    {
      ...{ line: 3, number: 'INV-0041', customer: '0001' },
      body: {
        ...{ amount: 150_050, currency: 'BTN', description: 'Invoice INV-0041 of 2026-10-01' },
        ...{ reference: 'INV-0041', dueDate: '2026-10-31', metadata: { importedFrom: 'invoice-ninja' } },
      },
    },
    {
      ...{ line: 4, number: 'INV-0042', customer: '0002' },
      body: {
        ...{ amount: 125_000, currency: 'INR', reference: 'INV-0042', dueDate: '2026-12-31' },
        description: 'Invoice INV-0042 of 2026-10-02 (₹750.00 of ₹2,000.00 is already paid)',
        metadata: { importedFrom: 'invoice-ninja', importedTotal: '200000', importedPaid: '75000' },
      },
    },
  ]);
  expect(found.leftOut).toEqual([
    '4 It has no name and no email address.',
    '4 It has several taxes.',
    '2 It is not open: paid.',
    '5 Its currency EUR is not one of BTN, USD, INR.',
    '6 Its client Nobody is not in the file of customers. Add it there, and --customers to the command.',
    '7 It is not open: draft.',
  ]);
  expect(found.numbers).toEqual([{ prefix: 'INV-', highest: 'INV-0044', next: 45 }]);
});

test('exports of Stripe become customers, products with a price for each currency, and open invoices', () => {
  const files = {
    customers: samples.stripeCustomers,
    products: samples.stripePrices,
    invoices: samples.stripeInvoices,
  };
  const found = plan('stripe', files);
  expect(found.customers.map(({ kind, body }) => [kind, body])).toEqual([
    [
      'customers',
      {
        ...{ name: 'Dorji Wangmo', email: 'dorji@example.bt', reference: 'cus_A1' },
        metadata: { importedFrom: 'stripe' },
      },
    ],
    [
      'invoices',
      {
        ...{ name: 'Karma', email: 'karma@example.bt', reference: 'cus_C3' },
        metadata: { importedFrom: 'stripe' },
      },
    ],
  ]);
  expect(found.products.map(({ body }) => body)).toEqual([
    { name: 'Support', unitAmounts: { USD: 2_990, INR: 250_000 } },
  ]);
  expect(found.invoices.map(({ customer, body }) => [customer, body.amount, body.description])).toEqual([
    ['cus_A1', 9_000, 'Invoice AB12CD34-0007 of 2026-10-01: Support'],
    ['cus_C3', 3_000, 'Invoice AB12CD34-0008 of 2026-10-02 ($20.00 of $50.00 is already paid)'],
  ]);
  expect(found.leftOut).toEqual([
    '3 It has no name and no email address.',
    '4 Line 2 has another price of the product in USD.',
    '5 It is a price for each month. Create a schedule instead.',
    '6 Its price contains the tax. Create it with a price without the tax.',
    '7 Line 2 has the same name.',
    '4 It is not open: paid.',
    '5 It is not open: draft.',
    '6 It is not open: void.',
    '7 Line 2 has the same number.',
    '8 fifty is not an amount with at most two decimal places.',
  ]);
});

test('reports of Razorpay have paise or rupees, and only decimal places or the caller say which', () => {
  const files = { products: samples.razorpayItems, invoices: samples.razorpayInvoices };
  expect(() => plan('razorpay', files)).toThrow(
    '20000 can be rupees or paise. For rupees, add --amounts units',
  );
  const found = plan('razorpay', files, { taxes: new Map([['5', 'in_gst_5']]) }, 'smallest');
  expect(found.products.map(({ body }) => body)).toEqual([
    {
      ...{ name: 'English August', description: 'A story', productCode: '49011010', tax: 'in_gst_5' },
      unitAmounts: { INR: 20_000 },
    },
  ]);
  expect(found.customers.map(({ body }) => [body.reference, body.phone])).toEqual([
    ['cust_G1', '+919000090000'],
  ]);
  expect(found.invoices.map(({ body }) => [body.amount, body.dueDate, body.description])).toEqual([
    [150_050, '2026-12-30', 'Invoice 2026/17 of 2026-10-01: Books'],
    [60_000, '2026-12-31', 'Invoice 2026/18 of 2026-10-02 (₹400.00 of ₹1,000.00 is already paid)'],
  ]);
  expect(found.leftOut).toEqual([
    '3 Its tax 18 has no code. Add --tax "18=CODE".',
    '4 It is not active.',
    '4 It is not open: cancelled.',
    '5 Its amounts disagree: 100 less 0 is not 90.',
  ]);
  const rupees = samples.razorpayInvoices.replace(
    /,(\d+)(?=,\d+,\d+,INR)|,(\d+)(?=,\d+,INR)|,(\d+)(?=,INR)/g,
    '$&.00',
  );
  const [units] = rowsOf(rupees, 'razorpay', 'invoices');
  expect(['total', 'paid', 'due'].map((field) => units?.amount(field))).toEqual([15_005_000, 0, 15_005_000]);
  const whole = rowsOf(samples.razorpayInvoices, 'razorpay', 'invoices', 'units');
  expect(whole[0]?.amount('total')).toBe(15_005_000);
});

test('two clients of one name are told apart by nobody, so their invoices are left out', () => {
  const customers = samples.ninjaClients.replace('"Tashi ""Cell"" Crafts"', '"Pema Ltd"');
  const { invoices, leftOut } = plan('invoice-ninja', { customers, invoices: samples.ninjaInvoices });
  expect(invoices).toEqual([]);
  expect(leftOut).toContain(
    '3 Lines 2 and 3 of the customers both have the name Pema Ltd. Give them different names.',
  );
});

test('amounts with a decimal comma and files of other encodings are read', () => {
  const text = samples.ninjaProducts.replace('"450.5"', '"1.450,50"').replace('Per kg', 'Für 1 kg');
  for (const encoding of ['latin1', 'utf16le', 'utf8'] as const) {
    const mark = encoding === 'utf16le' ? '\ufeff' : '';
    const [tea] = importRowsOf(Buffer.from(mark + text, encoding), 'invoice-ninja', 'products');
    expect([tea?.amount('amount'), tea?.get('text')]).toEqual([145_050, 'Für 1 kg']);
  }
});

test.each([
  ['an empty file', '', 'The file is empty.'],
  ['a file without rows', 'id,Name\n', 'The file has no rows below'],
  ['a workbook', 'PK\u0003\u0004', 'This is a workbook'],
  [
    'a file with other columns',
    'Name,Email\nx,y\n',
    'The file lacks columns: id or Customer ID. It has: Name, Email.',
  ],
  ['a quotation mark that is not closed', 'id,Name\n"a,b\n', 'The file is not valid CSV'],
  ['characters of no encoding', 'id,Name\na,\0\n', 'The file has an unknown encoding.'],
  ['too many rows', `id,Name\n${'a,b\n'.repeat(50_000)}`, 'The file has 50,000 rows, and at most 10,000'],
])('%s is refused', (_, text, message) => {
  expect(() => rowsOf(text, 'stripe', 'customers')).toThrow(message);
});

test('a file of the largest size is read in less than two seconds', () => {
  const text = `id,Name\n${Array.from({ length: maxImportRows }, (_, at) => `cus_${at},Name ${at}\n`).join('')}`;
  const begin = performance.now();
  expect(plan('stripe', { customers: text }).customers).toHaveLength(maxImportRows);
  expect(performance.now() - begin).toBeLessThan(2_000);
});

test.each([
  ['BT', 'BT'],
  ['in', 'IN'],
  ['Bhutan', 'BT'],
  ['Kingdom of Bhutan', 'BT'],
  ['Republic of India', 'IN'],
  ['United States of America', 'US'],
  ['Atlantis', undefined],
  ['', undefined],
])('the country %j is %s', (name, code) => {
  expect(countryCodeOf(name)).toBe(code);
});

test('the highest number of each prefix is found, those with the most numbers first', () => {
  expect(numberSeriesOf(['A-9', 'B-1', 'A-10', 'A-2', 'none', '007'])).toEqual([
    { prefix: 'A-', highest: 'A-10', next: 11 },
    { prefix: 'B-', highest: 'B-1', next: 2 },
    { prefix: '', highest: '007', next: 8 },
  ]);
});
