/** Tests the lines in the forms of an invoice over HTTP, as a browser without scripts sends them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { invoiceBody } from '../support/api.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { formsOf, type VisitedPage, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let account: DashboardAccount;
let owner: Visitor;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  account = await newDashboardAccount(stack);
  owner = await signedIn(stack);
});
afterAll(() => stack?.close());

type Line = Readonly<Record<string, string>>;

const tea = { Description: 'Tea', Quantity: '2', UnitPrice: '10.00', Tax: 'bt_gst_5' };
const cups = { Description: 'Cups', Quantity: '1.5', UnitPrice: '4', Tax: 'bt_gst_5', Discount: '10 %' };
const values = { customerId: 'a@example.com', amount: '', currency: 'BTN', description: 'Order 7' };

/** Returns the fields of lines. */
const fieldsOf = (lines: readonly Line[]): [string, string][] =>
  lines.flatMap((line) => {
    const blank = { Quantity: '1', UnitPrice: '', Tax: 'none', TaxPercent: '', Discount: '' };
    const hidden = { Unit: '', ProductCode: '', Id: '', Product: '' };
    const whole = { Description: '', ...blank, ...hidden, ...line };
    return Object.entries(whole).map(([name, value]): [string, string] => [`line${name}`, value]);
  });

/** Sends a form with other values and lines. Values can repeat a name. */
async function send(
  path: string,
  fields: Readonly<Record<string, string>>,
  lines: readonly Line[],
  others: readonly [string, string][] = [],
): Promise<VisitedPage> {
  const page = await owner.get(account.path(path));
  const form = formsOf(page).find(({ action }) => action.endsWith(account.path(path)));
  if (!form) throw new Error(`No form: ${page.status} ${page.text}`);
  const kept = Object.entries({ ...form.initial, ...fields }).filter(([name]) => !name.startsWith('line'));
  return owner.post(form.action, [...kept, ...fieldsOf(lines), ...others]);
}

const create = (lines: readonly Line[], fields: Readonly<Record<string, string>> = {}) =>
  send('/invoices/new', { ...values, ...fields }, lines);
const total = async () => (await account.test.get('/api/invoices')).json.pagination.total;
const idIn = ({ status, headers, text }: VisitedPage) => {
  const [, id] = /\/invoices\/(inv_\w+)/.exec(headers.location ?? '') ?? [];
  if (id === undefined) throw new Error(`${status} ${text}`);
  return id;
};
const read = async (id: string) => (await inNewestVersion(account.test).get(`/api/invoices/${id}`)).json;

/** Returns the values of the fields of lines that a page shows, by name. */
function shownLines({ text }: VisitedPage): Record<string, string[]> {
  const shown: Record<string, string[]> = {};
  for (const [tag] of text.matchAll(/<input [^>]*name="line[^>]*>/g)) {
    const [, name = ''] = /name="line(\w+)"/.exec(tag) ?? [];
    const [, value = ''] = /value="([^"]*)"/.exec(tag) ?? [];
    shown[name] = [...(shown[name] ?? []), value];
  }
  return shown;
}

/** Returns the errors of a page: the link to each field, and its message. */
const errorsOf = ({ text }: VisitedPage) =>
  [...text.matchAll(/<li><a href="#([^"]*)">([^<]*)/g)].map(([, field, message]) => [field, message]);

describe('the form of a new invoice', () => {
  test('creates an invoice with two lines and 5 % GST, and ignores blank lines', async () => {
    const invoice = await read(idIn(await create([{}, tea, {}, cups])));
    expect(invoice).toMatchObject({
      amount: 2667,
      description: 'Order 7',
      lines: [
        { description: 'Tea', quantity: '2', unitAmount: 1000, amount: 2000, taxAmount: 100 },
        { description: 'Cups', quantity: '1.5', unitAmount: 400, discount: { percent: '10' }, amount: 540 },
      ],
      taxes: [{ code: 'bt_gst_5', percent: '5', taxable: 2540, amount: 127 }],
    });
  });

  test('creates an invoice with only an amount if no line is filled in, or if it sends no lines', async () => {
    for (const lines of [[{}, {}], []]) {
      const invoice = await read(idIn(await create(lines, { amount: '25' })));
      expect(invoice).toMatchObject({ amount: 2500, lines: [{ description: 'Order 7', tax: 'none' }] });
    }
    expect(errorsOf(await create([{}]))).toEqual([['amount', expect.stringMatching(/^Amount must be/)]]);
  });

  test('shows the typed values with another line, without a removed line, and creates nothing', async () => {
    const before = await total();
    const typed = { ...cups, Description: '<b>"Cups"' };
    const removal: [string, string][] = [
      ['step', 'add'],
      ['removeLine', '1'],
    ];
    const page = await send('/invoices/new', { ...values, amount: 'many' }, [tea, typed, {}], removal);
    expect([page.status, errorsOf(page)]).toEqual([200, []]);
    expect(shownLines(page)).toMatchObject({
      Description: ['&lt;b&gt;&quot;Cups&quot;', '', ''],
      Quantity: ['1.5', '1', '1'],
      Discount: ['10 %', '', ''],
    });
    expect(page.text).toContain('value="bt_gst_5" selected');
    expect(page.text).toContain('<details id="lines" open>');
    expect(page.text).toContain('value="many"');
    expect(await total()).toBe(before);
  });

  test('shows the totals while other fields are empty', async () => {
    const page = await send('/invoices/new', { currency: 'USD' }, [tea, cups], [['step', 'compute']]);
    expect([page.status, errorsOf(page)]).toEqual([200, []]);
    for (const text of ['$25.40', 'GST 5 %', '$1.27', '$26.67']) expect(page.text).toContain(text);
  });

  test('says what is wrong with a line by its label, beside what is wrong with other fields', async () => {
    const wrong = [
      { ...tea, Quantity: '0' },
      {},
      { ...tea, UnitPrice: '1.234' },
      { UnitPrice: '5', Discount: '101 %' },
      { ...tea, Tax: 'us_sales' },
    ];
    const page = await create(wrong, { customerId: '' });
    expect(page.status).toBe(400);
    expect(errorsOf(page)).toEqual([
      ['customerId', expect.stringMatching(/^Customer must be/)],
      ['lineQuantity-1', expect.stringMatching(/^Quantity of line 1 must be a number above 0/)],
      ['lineUnitPrice-3', expect.stringMatching(/^Unit price of line 3 must be a number from 0/)],
      ['lineDescription-4', expect.stringMatching(/^Description of line 4 must be text of 1 to 500/)],
      ['lineDiscount-4', expect.stringMatching(/^Discount of line 4 must be a percentage/)],
      ['lineTaxPercent-5', expect.stringMatching(/^Sales tax rate \(%\) of line 5 must be/)],
    ]);
    for (const [id] of errorsOf(page)) expect(page.text).toContain(`id="${id}"`);
  });

  test.each<[string, readonly Line[], Line, string, RegExp]>([
    ['another amount', [tea], { amount: '20' }, 'amount', /^The lines come to Nu\. 21\.00\./],
    [
      'a discount above the line',
      [{ ...tea, Discount: '20.01' }],
      {},
      'lineDiscount-1',
      /more than the line/,
    ],
    ['lines that come to nothing', [{ ...tea, UnitPrice: '0' }], {}, 'lines', /must come to an amount/],
    [
      'lines that come to too much',
      [tea, { ...tea, UnitPrice: '9999999999.99', Quantity: '1' }],
      {},
      'lines',
      /must come to an amount/,
    ],
    [
      'a line that comes to too much',
      [{}, { ...tea, UnitPrice: '9999999999.99' }],
      {},
      'lineUnitPrice-2',
      /^Unit price of line 2/,
    ],
    ['an unknown tax of a blank line', [{ Tax: 'gst' }], { amount: '5' }, 'lineTax-1', /^Tax of line 1/],
    ['101 lines', Array.from({ length: 101 }, () => tea), {}, 'lines', /at most 100 lines/],
  ])('refuses %s', async (_, lines, fields, name, message) => {
    const before = await total();
    const page = await create(lines, fields);
    expect([page.status, errorsOf(page)]).toEqual([400, [[name, expect.stringMatching(message)]]]);
    expect(await total()).toBe(before);
  });

  test.each<[string, [string, string][]]>([
    ['a line without one of its fields', [['lineDescription', 'Half a line']]],
    ['an unknown button', [['step', 'buy']]],
    ['the removal of a line that it does not have', [['removeLine', '2']]],
  ])('refuses %s', async (_, others) => {
    const before = await total();
    const page = await send('/invoices/new', { ...values, amount: '5' }, [{}], others);
    expect([page.status, page.text.includes('The form is incomplete')]).toEqual([400, true]);
    expect(await total()).toBe(before);
  });

  test('accepts 100 lines with long descriptions, and offers no line more', async () => {
    const long = { ...tea, Description: 'འབྲུག་ཡུལ་'.repeat(45) };
    const lines = Array.from({ length: 100 }, () => long);
    const page = await send('/invoices/new', values, lines, [['step', 'add']]);
    expect(shownLines(page).Quantity).toHaveLength(100);
    expect((await read(idIn(await create(lines)))).amount).toBe(210_000);
  });

  test('shows lines again that were sent after the session had ended', async () => {
    const visitor = await signedIn(stack);
    const page = await visitor.get(account.path('/invoices/new'));
    const [form] = formsOf(page).filter(({ action }) => action.endsWith('/invoices/new'));
    const { csrf: _, ...initial } = form?.initial ?? {};
    const kept = Object.entries({ ...initial, ...values }).filter(([name]) => !name.startsWith('line'));
    const shown = await visitor.post(form?.action ?? '', [...kept, ...fieldsOf([tea, cups])]);
    expect([shown.status, shownLines(shown).Description]).toEqual([403, ['Tea', 'Cups']]);
  });
});

describe('the details of the form', () => {
  const all = { prices: 'inclusive', discount: '10 %', roundTo: '100', locale: 'hi' };

  test('are prices with taxes, a discount of the whole invoice, the rounding, units, product codes, and the language', async () => {
    const id = idIn(await create([{ ...tea, Unit: 'kg', ProductCode: '0902' }], all));
    expect(await read(id)).toMatchObject({
      amount: 1800,
      prices: 'inclusive',
      discount: { percent: '10', amount: null },
      roundTo: 100,
      locale: 'hi',
      lines: [{ unit: 'kg', productCode: '0902' }],
    });
    const page = await owner.get(account.path(`/invoices/${id}/edit`));
    const form = formsOf(page).find(({ action }) => action.endsWith('/edit'));
    expect(form?.initial).toMatchObject(all);
    const changed = { prices: 'exclusive', discount: '', roundTo: '', locale: '' };
    expect((await send(`/invoices/${id}/edit`, changed, [tea])).status).toBe(303);
    expect(await read(id)).toMatchObject({
      amount: 2100,
      prices: 'exclusive',
      discount: null,
      roundTo: null,
      locale: null,
    });
  });

  test.each([
    [
      'a discount above 100 %',
      { discount: '101 %' },
      [tea],
      'discount',
      /^Discount of the whole invoice must be/,
    ],
    ['a discount above the lines', { discount: '30' }, [tea], 'discount', /more than its lines/],
    [
      'a discount without lines',
      { amount: '5', discount: '1' },
      [],
      'discount',
      /Only an invoice with lines/,
    ],
    ['an unknown kind of prices', { prices: 'x' }, [tea], 'prices', /one of the list/],
    ['an unknown rounding', { roundTo: '7' }, [tea], 'roundTo', /one of the list/],
    ['an unknown language', { locale: 'fr' }, [tea], 'locale', /one of the list/],
    ['a wrong product code', {}, [{ ...tea, ProductCode: '12' }], 'lineProductCode-1', /4 to 8 digits/],
    [
      'a long unit',
      {},
      [{ ...tea, Unit: 'x'.repeat(51) }],
      'lineUnit-1',
      /^Unit of line 1 must be text of 1 to 50 characters/,
    ],
  ])('refuse %s, and are then not folded away', async (_name, fields, lines, field, message) => {
    const before = await total();
    const page = await create(lines, fields as unknown as Record<string, string>);
    expect(page.status).toBe(400);
    expect(errorsOf(page)).toEqual([[field, expect.stringMatching(message)]]);
    expect(await total()).toBe(before);
    if (field !== 'locale') expect(page.text).toContain('<details id="lines" open>');
  });
});

describe('the form of a changed invoice', () => {
  const stored = { description: 'Tea', quantity: '2', unit: 'kg', unitAmount: 1000, tax: 'bt_gst_5' };
  const newInvoice = async (fields: object = {}) => {
    const { amount: _, ...body } = invoiceBody({ currency: 'BTN' });
    const lines = [{ ...stored, productCode: '0902', id: 'T-1' }];
    return (await inNewestVersion(account.test).post('/api/invoices', { ...body, lines, ...fields })).json;
  };
  const hidden = { Unit: 'kg', ProductCode: '0902', Id: 'T-1' };

  test('shows the lines of the invoice and what they come to', async () => {
    const { id } = await newInvoice();
    const page = await owner.get(account.path(`/invoices/${id}/edit`));
    expect(shownLines(page)).toEqual({
      Description: ['Tea'],
      Quantity: ['2'],
      UnitPrice: ['10.00'],
      TaxPercent: [''],
      Discount: [''],
      Unit: ['kg'],
      ProductCode: ['0902'],
      Id: ['T-1'],
      Product: [''],
    });
    expect(page.text).toContain('Nu. 21.00');
  });

  test('changes lines, and keeps what it does not show of them', async () => {
    const { id } = await newInvoice({ prices: 'inclusive', roundTo: 100 });
    const changed = { ...tea, ...hidden, Quantity: '3' };
    expect((await send(`/invoices/${id}/edit`, {}, [changed, cups])).status).toBe(303);
    expect(await read(id)).toMatchObject({
      amount: 3500,
      prices: 'inclusive',
      roundTo: 100,
      totals: { rounding: -40 },
      lines: [
        { ...stored, quantity: '3', productCode: '0902', id: 'T-1' },
        { description: 'Cups', unit: null },
      ],
    });
  });

  test('gives lines to an invoice that had only an amount, also if it still shows that amount', async () => {
    const { id } = (await account.test.post('/api/invoices', invoiceBody({ currency: 'BTN' }))).json;
    expect((await send(`/invoices/${id}/edit`, {}, [tea])).status).toBe(303);
    expect(await read(id)).toMatchObject({ amount: 2100, lines: [{ description: 'Tea' }] });
  });

  test('refuses to take all lines away, and shows the totals of others', async () => {
    const { id } = await newInvoice();
    const path = `/invoices/${id}/edit`;
    const none = await send(path, { amount: '5' }, [{}]);
    expect(errorsOf(none)).toEqual([['lines', expect.stringMatching(/keeps at least one/)]]);
    const more = await send(path, {}, [{ ...tea, Discount: '21' }], [['step', 'compute']]);
    expect(errorsOf(more)).toEqual([['lineDiscount-1', expect.stringMatching(/more than the line/)]]);
    const computed = await send(path, {}, [tea, cups], [['step', 'compute']]);
    expect([computed.status, computed.text.includes('Nu. 26.67')]).toEqual([200, true]);
    expect(await read(id)).toMatchObject({ amount: 2100, lines: [{ ...stored, id: 'T-1' }] });
  });

  test('does not overwrite lines that changed meanwhile', async () => {
    const { id } = await newInvoice();
    const path = account.path(`/invoices/${id}/edit`);
    const [form] = formsOf(await owner.get(path)).filter(({ action }) => action.endsWith(path));
    const change = { lines: [{ ...stored, quantity: '9' }] };
    await inNewestVersion(account.test).patch(`/api/invoices/${id}`, change);
    const answer = await owner.post(form?.action ?? '', { ...form?.initial, lineQuantity: '3' });
    expect([answer.status, answer.text.includes('Nothing was saved')]).toEqual([409, true]);
    expect(shownLines(answer).Quantity).toEqual(['3']);
    expect((await read(id)).lines).toMatchObject([{ quantity: '9' }]);
  });
});
