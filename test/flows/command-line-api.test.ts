/** Tests the commands that call the API: their output and their exit codes. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { eventTypes } from '../../shared/domain/events/event.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { claimOnPage } from '../support/claims.ts';
import { run, runJson } from '../support/command-line.ts';
import { listenOnLoopback } from '../support/loopback-server.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import { startTestStack } from '../support/stack.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

let stack: Stack;
let account: TestAccount;
let api: Api;
/** The environment variables that select the service and the key. */
let service: { REMIT_URL: string; REMIT_API_KEY: string };

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  // The command line asks for the newest version.
  api = inNewestVersion(account.test);
  service = { REMIT_URL: stack.baseUrl, REMIT_API_KEY: api.apiKey };
});
afterAll(() => stack.close());

const remit = (...[group = '', ...args]: string[]) => run(group, args, service);
const json = (...[group = '', ...args]: string[]) => runJson(group, args, service);
const newInvoice = async (fields = {}) => (await api.post('/api/invoices', invoiceBody(fields))).json;
const createArguments = [
  '--customer-id',
  'c_7',
  '--amount',
  '250000',
  '--currency',
  'BTN',
  '--description',
  'Tea',
];

describe('the commands of the API', () => {
  test('an invoice is created and changed with lines', async () => {
    const fields = ['--customer-id', 'c_7', '--currency', 'BTN', '--description', 'Order 7'];
    const lines = ['2 x Tea @ home @ 1000 bt_gst_5', '1.5 x Cups @400', '1 x Tax @ 100 us_sales 8.875%'];
    const options = lines.flatMap((line) => ['--line', line]);
    const created = await json('invoices', 'create', ...fields, ...options);
    expect(created).toMatchObject({
      amount: 2809,
      lines: [
        { description: 'Tea @ home', quantity: '2', unitAmount: 1000, tax: 'bt_gst_5' },
        { description: 'Cups', quantity: '1.5', unitAmount: 400, tax: 'none' },
        { description: 'Tax', unitAmount: 100, tax: 'us_sales', taxPercent: '8.875' },
      ],
    });
    const updated = await json('invoices', 'update', created.id, '--line', '3 x Tea @ 1000');
    expect(updated).toMatchObject({ amount: 3000, lines: [{ description: 'Tea', quantity: '3' }] });
  });

  test('an invoice is created, changed, listed, paid and refunded, and --json prints the response of the API', async () => {
    const created = await json('invoices', 'create', ...createArguments, '--due-date', '2099-01-31');
    expect(created).toMatchObject({
      customerId: 'c_7',
      amount: 250_000,
      currency: 'BTN',
      description: 'Tea',
    });
    const updated = await json('invoices', 'update', created.id, '--amount', '260000');
    expect(updated.amount).toBe(260_000);
    expect(await json('invoices', 'get', created.id)).toEqual(
      (await api.get(`/api/invoices/${created.id}`)).json,
    );
    expect(
      await json('invoices', 'list', '--status', 'pending', '--customer-id', 'c_7', '--limit', '1'),
    ).toEqual((await api.get('/api/invoices?status=pending&customerId=c_7&limit=1')).json);
    const payment = await json('invoices', 'pay', created.id);
    expect(payment).toMatchObject({ status: 'completed', method: 'card', card: { last4: '4242' } });
    expect(await json('payments', 'get', payment.id)).toEqual(payment);
    expect((await json('payments', 'list', '--invoice-id', created.id)).data).toEqual([payment]);
    const refundArguments = ['--payment-id', payment.id, '--amount', '10000', '--reason', 'Two hours less'];
    const refund = await json('refunds', 'create', ...refundArguments);
    expect(refund).toMatchObject({ amount: 10_000, reason: 'Two hours less' });
    expect((await json('refunds', 'get', refund.id)).id).toBe(refund.id);
    expect((await json('refunds', 'list', '--payment-id', payment.id)).data).toMatchObject([
      { id: refund.id },
    ]);
    const cancelled = await newInvoice();
    expect((await json('invoices', 'cancel', cancelled.id)).status).toBe('cancelled');
  });

  // Costs three invoices and three payments.
  test('a cancelled invoice leaves credit, which pays other invoices', async () => {
    const arguments_ = createArguments.with(createArguments.indexOf('c_7'), 'c_credit');
    const kept = await json('invoices', 'create', ...arguments_, '--accept-partial');
    const source = await json('payments', 'create', kept.id, '--offline', '--amount', '500');
    expect((await json('invoices', 'cancel', kept.id, '--credit-payments')).status).toBe('cancelled');
    const other = await json('invoices', 'create', ...arguments_, '--accept-partial');
    const from = ['--credit-from', source.id, '--amount', '200'];
    expect(await json('payments', 'create', other.id, '--credit', ...from)).toMatchObject({
      ...{ method: 'credit', amount: 200, creditFrom: source.id },
    });
    expect((await json('invoices', 'create', ...arguments_, '--use-credit')).amountPaid).toBe(300);
  });

  test('a product is created, changed and archived, and a draft with it becomes an invoice', async () => {
    const prices = ['--price', 'BTN=45000', '--price', 'USD=600'];
    const sold = ['--name', 'Green tea', '--unit', 'kg', '--tax', 'bt_gst_5', '--product-code', '0902'];
    const product = await json('products', 'create', ...sold, ...prices);
    expect(product).toMatchObject({
      ...{ name: 'Green tea', unit: 'kg', tax: 'bt_gst_5', productCode: '0902', status: 'active' },
      unitAmounts: { BTN: 45_000, USD: 600 },
    });
    expect(await json('products', 'get', product.id)).toEqual(product);
    expect((await remit('products', 'list')).out).toContain('Nu. 450.00, $6.00');

    const line = ['--currency', 'BTN', '--line', `2 x ${product.id}`];
    const draft = await json('drafts', 'create', ...line, '--metadata', 'orderId=7');
    expect(draft).toMatchObject({
      ...{ status: 'open', customerId: null, computedAmount: 94_500, metadata: { orderId: '7' } },
      lines: [{ product: product.id, description: 'Green tea', quantity: '2', unit: 'kg' }],
    });
    expect((await remit('drafts', 'list')).out).toContain('Nu. 945.00');
    const incomplete = await remit('drafts', 'finalize', draft.id);
    expect([incomplete.code, incomplete.error]).toEqual([1, expect.stringContaining('customerId')]);
    const buyer = ['--buyer-name', 'Pema Ltd', '--buyer-email', 'pema@example.bt', '--delivery-city', 'Haa'];
    const named = await json('drafts', 'update', draft.id, ...buyer, '--description', 'Order 7');
    expect(named).toMatchObject({
      buyer: { name: 'Pema Ltd', address: null, deliveryAddress: { city: 'Haa' } },
      description: 'Order 7',
    });
    expect(await json('drafts', 'get', draft.id)).toEqual(named);
    const invoice = await json('drafts', 'finalize', draft.id);
    expect(invoice).toMatchObject({ amount: 94_500, customerId: 'pema@example.bt', description: 'Order 7' });
    expect(await json('drafts', 'get', draft.id)).toMatchObject({ invoiceId: invoice.id });

    const other = await json('drafts', 'create', '--amount', '5', '--description', 'Tea', '--locale', 'hi');
    const emptied = await json('drafts', 'update', other.id, '--remove', 'amount,locale');
    expect(emptied).toMatchObject({ amount: null, locale: null, description: 'Tea' });
    expect(await json('drafts', 'delete', other.id, '--yes')).toMatchObject({ id: other.id });
    expect(await remit('drafts', 'get', other.id)).toMatchObject({ code: 1 });

    const changes = ['--price', 'INR=30000', '--status', 'archived', '--remove', 'unit'];
    const archived = { unitAmounts: { INR: 30_000 }, status: 'archived', unit: null };
    expect(await json('products', 'update', product.id, ...changes)).toMatchObject(archived);
    expect(await json('products', 'delete', product.id, '--yes')).toMatchObject({ id: product.id });
    expect(await remit('products', 'get', product.id)).toMatchObject({ code: 1 });
  });

  test('a bank statement is imported, and its rows are matched and ignored', async () => {
    const { id: invoice, amount, currency } = await newInvoice();
    const folder = await mkdtemp(join(tmpdir(), 'remit-statement-'));
    const file = join(folder, 'rows.json');
    const row = { day: '2026-03-31', amount, reference: 'FT 1', name: 'Dorji' };
    const known = { ...row, reference: 'FT 2' };
    await writeFile(file, JSON.stringify([row, { ...row, amount: -5, reference: null }, known]));
    const options = ['--bank', 'Bank of Bhutan', '--currency', currency];
    const { id } = await json('statements', 'import', file, ...options);
    expect(await json('statements', 'import', file, ...options)).toMatchObject({ id });
    expect((await remit('statements', 'list')).out).toContain('Bank of Bhutan');
    expect(await json('statements', 'get', id)).toMatchObject({ rowCount: 3 });
    const [paying, fee, recorded] = (await json('statements', 'rows', id)).data;
    const matched = await json('statements', 'match', id, paying.id, '--invoice-id', invoice);
    expect(matched).toMatchObject({ invoiceId: invoice, amount, statementRow: paying.id });
    const { id: paid } = await newInvoice();
    const settling = ['--invoice-id', paid, '--write-off', '5', '--write-off-reason', 'tds'];
    const used = await remit('statements', 'match', id, recorded.id, ...settling);
    expect([used.code, used.error]).toEqual([1, expect.stringContaining('settle')]);
    const payment = await json('invoices', 'pay', paid, '--offline', '--reference', 'FT 2');
    const linked = await json('statements', 'match', id, recorded.id, '--payment-id', payment.id);
    expect(linked).toMatchObject({ id: payment.id, statementRow: recorded.id });
    const neither = await remit('statements', 'match', id, recorded.id);
    expect([neither.code, neither.error]).toEqual([2, expect.stringContaining('--payment-id')]);
    const refund = await json('refunds', 'create', '--payment-id', payment.id, '--amount', '5', '--yes');
    const returned = await json('statements', 'match', id, fee.id, '--refund-id', refund.id);
    expect(returned).toMatchObject({ id: payment.id });
    expect((await json('refunds', 'get', refund.id)).statementRow).toBe(fee.id);
    expect(await json('statements', 'ignore', id, fee.id)).toMatchObject({ status: 'ignored' });
    expect((await remit('statements', 'rows', id)).out).toMatch(/matched +2026-03-31/);
    const csv = join(folder, 'bank.csv');
    await writeFile(
      csv,
      'Date,Narration,Deposit,Withdrawal\n31/03/2026,="007",25.00,\n01/04/2026,Fee,,"1,000"\n',
    );
    const dry = await remit('statements', 'import', csv, ...options, '--dry-run');
    expect([dry.code, dry.error]).toEqual([
      0,
      expect.stringContaining('2 rows: $25.00 came in, and $1,000.00'),
    ]);
    expect((await json('statements', 'list')).data).toHaveLength(1);
    const imported = await json('statements', 'import', csv, ...options);
    expect(imported).toMatchObject({ rowCount: 2, firstDay: '2026-03-31', lastDay: '2026-04-01' });
    for (const [content, message] of [
      ['[1]', 'must be a JSON list of rows'],
      ['Date,Amount\n01/04/2026,5\n', 'add --day-form dmy, else --day-form mdy'],
      ['Narration,Amount\nx,5\n', 'No column for the day was found. It has: Narration, Amount.'],
    ] as const) {
      await writeFile(file, content);
      const wrong = await remit('statements', 'import', file, ...options);
      expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining(message)]);
    }
    await rm(folder, { recursive: true });
  });

  test.each([
    [['statements', 'import', 'x', '--bank', 'B', '--currency', 'EUR'], '--currency must be'],
    [['statements', 'import', '/nowhere.json', '--bank', 'B', '--currency', 'BTN'], 'cannot be read'],
    [['products', 'create', '--name', 'Tea'], '--price is required'],
    [['products', 'create', '--price', 'BTN=5'], '--name is required'],
    [['products', 'create', '--name', 'Tea', '--price', '5'], '--price must be CURRENCY=AMOUNT'],
    [['products', 'create', '--name', 'Tea', '--price', 'EUR=5'], '--price must be'],
    [['products', 'create', '--name', 'Tea', '--price', 'BTN=4.50'], 'smallest currency unit'],
    [['products', 'create', '--name', 'Tea', '--price', 'BTN=1', '--price', 'BTN=2'], 'a currency twice'],
    [['products', 'update', 'prod_1'], 'Nothing to change'],
    [['products', 'update', 'prod_1', '--status', 'old'], '--status must be'],
    [['products', 'update', 'prod_1', '--remove', 'name'], '--remove can name only'],
    [['drafts', 'update', 'drft_1'], 'Nothing to change'],
    [['drafts', 'update', 'drft_1', '--amount', '5', '--remove', 'amount'], 'Other options set amount'],
    [['drafts', 'create', '--line', '2 x'], '--line must be'],
  ])('the usage %j is refused', async (args, message) => {
    const { code, error } = await remit(...args);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  });

  test('a customer is created, shown, listed, changed and deleted', async () => {
    const contact = ['--name', 'Pema Ltd', '--email', 'pema@example.bt', '--postal-code', '11001'];
    const created = await json('customers', 'create', ...contact, '--tax-ids', 'bt_tpn:TAB1, in_gst:29A');
    expect(created).toMatchObject({
      name: 'Pema Ltd',
      address: { postalCode: '11001', country: null },
      taxIds: [
        { type: 'bt_tpn', value: 'TAB1' },
        { type: 'in_gst', value: '29A' },
      ],
    });
    expect(await json('customers', 'get', created.id)).toEqual(created);
    expect((await json('customers', 'list', '--email', 'PEMA@example.bt')).data).toEqual([created]);
    expect((await remit('customers', 'list')).out).toContain('Pema Ltd');
    const updated = await json(
      'customers',
      'update',
      created.id,
      '--remove',
      'address,taxIds',
      '--phone',
      '17123456',
    );
    expect(updated).toMatchObject({ address: null, taxIds: [], phone: '17123456', name: 'Pema Ltd' });
    expect(await remit('customers', 'update', created.id)).toMatchObject({ code: 2 });
    expect(await remit('customers', 'update', created.id, '--remove', 'id')).toMatchObject({ code: 2 });
    expect(await json('customers', 'delete', created.id, '--yes')).toMatchObject({ id: created.id });
    expect(await remit('customers', 'get', created.id)).toMatchObject({ code: 1 });
  });

  test('metadata and the reference of an invoice are set, found, changed and removed', async () => {
    const more = ['--reference', '2026-0815', '--metadata', 'order=a=b', '--metadata', 'shop=Thimphu'];
    const created = await json('invoices', 'create', ...createArguments, ...more);
    expect(created).toMatchObject({ reference: '2026-0815', metadata: { order: 'a=b', shop: 'Thimphu' } });
    expect((await json('invoices', 'list', '--reference', '2026-0815')).data).toEqual([created]);
    expect((await json('invoices', 'list', '--reference', '2026-0816')).data).toEqual([]);
    const change = ['--metadata', 'order=', '--metadata', '__note=x', '--remove-metadata', 'shop'];
    const updated = await json('invoices', 'update', created.id, ...change);
    expect(updated.metadata).toEqual({ order: '', __note: 'x' });
    const taken = await remit('invoices', 'create', ...createArguments, '--reference', '2026-0815');
    expect(taken).toMatchObject({ code: 1, error: expect.stringContaining(created.id) });

    const payment = await json('invoices', 'pay', created.id, '--metadata', 'till=3');
    expect(payment.metadata).toEqual({ till: '3' });
    const refundArguments = ['--payment-id', payment.id, '--metadata', 'desk=7'];
    expect((await json('refunds', 'create', ...refundArguments)).metadata).toEqual({ desk: '7' });
    const customer = await json('customers', 'create', '--name', 'Pema', '--metadata', 'tier=gold');
    expect(customer.metadata).toEqual({ tier: 'gold' });
    const withoutTier = ['--metadata', 'tag=new', '--remove-metadata', 'tier'];
    expect((await json('customers', 'update', customer.id, ...withoutTier)).metadata).toEqual({ tag: 'new' });
    const urlArguments = ['--url', 'https://shop.example/hooks', '--events', '*', '--metadata', 'team=a'];
    const webhook = await json('webhooks', 'create', ...urlArguments);
    expect(webhook.metadata).toEqual({ team: 'a' });
    const withoutTeam = ['--remove-metadata', 'team'];
    expect((await json('webhooks', 'update', webhook.id, ...withoutTeam)).metadata).toEqual({});
  });

  test.each([
    [['--metadata', 'order'], '--metadata must be KEY=VALUE'],
    [['--metadata', '=1047'], '--metadata must be KEY=VALUE'],
    [['--metadata', 'a=1', '--metadata', 'a=2'], 'The metadata key "a" is given twice.'],
    [['--metadata', 'a=1', '--remove-metadata', 'a'], 'The metadata key "a" is given twice.'],
  ])('wrong metadata is refused before a request: %j', async (options, message) => {
    const { code, error } = await remit('invoices', 'update', 'inv_1', ...options);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
  });

  test('the remedy of the API for wrong metadata is shown', async () => {
    const { code, error } = await remit(
      'invoices',
      'create',
      ...createArguments,
      '--metadata',
      '__proto__=x',
    );
    expect([code, error]).toEqual([1, expect.stringContaining('__proto__')]);
    const set = ['--metadata', 'a=1', '--remove', 'metadata'];
    expect(await remit('customers', 'update', 'cust_1', ...set)).toMatchObject({ code: 2 });
  });

  test('a new live invoice that payers cannot pay leads to a warning on standard error', async () => {
    const live = { ...service, REMIT_API_KEY: account.live.apiKey };
    for (const more of [[], ['--json']])
      expect(await run('invoices', ['create', ...createArguments, ...more], live)).toMatchObject({
        code: 0,
        out: expect.stringContaining('inv_'),
        error: expect.stringMatching(
          /^Warning: The payment page of this invoice offers no way to pay\..+\n$/,
        ),
      });
    expect(await remit('invoices', 'create', ...createArguments)).toMatchObject({ code: 0, error: '' });
  });

  test('an offline payment is recorded, and a declined card is shown with exit code 1', async () => {
    const [first, second] = [await newInvoice(), await newInvoice()];
    const offline = await json('invoices', 'pay', first.id, '--offline', '--reference', 'Receipt 17');
    expect(offline).toMatchObject({ method: 'offline', reference: 'Receipt 17', status: 'completed' });
    const declined = await remit('invoices', 'pay', second.id, '--card', '4000 0000 0000 0002');
    expect(declined).toMatchObject({ code: 1, error: '' });
    expect(declined.out).toContain('card_declined');
    const unknown = await remit('invoices', 'pay', second.id, '--card', '4111111111111111');
    expect(unknown).toMatchObject({ code: 2, out: '' });
    expect(unknown.error).toContain('4242424242424242');
  });

  test('--all returns all pages of a list and of the events', async () => {
    const created = [];
    for (let count = 0; count < 3; count++) created.unshift((await newInvoice()).id);
    const ids = async (...args: string[]) => (await json(...args)).data.map(({ id }: { id: string }) => id);
    expect(await ids('invoices', 'list', '--limit', '2', '--all')).toEqual(created);
    expect(await ids('invoices', 'list', '--limit', '2', '--offset', '1')).toEqual(created.slice(1));
    expect((await json('events', 'list', '--after', 'start', '--limit', '2')).data).toHaveLength(2);
    const events = (await json('events', 'list', '--after', 'start', '--limit', '2', '--all')).data;
    expect(events.map(({ data }: { data: { id: string } }) => data.id).sort()).toEqual([...created].sort());
    expect(await json('events', 'get', events[0].id)).toEqual(events[0]);
  });

  test('--csv prints a row for each result, which a spreadsheet reads as it is', async () => {
    const lines = [{ description: 'Tea', quantity: '1', unitAmount: 1000, tax: 'bt_gst_5' }];
    const fields = { amount: undefined, currency: 'BTN', lines, metadata: { po: '=1+1' } };
    const taxed = await newInvoice({ ...fields, description: 'Tea, "fresh"\nfrom Haa' });
    const plain = await newInvoice({ amount: 5, description: '=HYPERLINK("https://example.com")' });
    const { out, code } = await remit('invoices', 'list', '--csv', '--bom');
    expect([code, out[0]]).toEqual([0, '\uFEFF']);
    const [header = ''] = out.slice(1).split('\n');
    const columns = header.split(',');
    expect(columns).toEqual(
      expect.arrayContaining(['id', 'amount', 'currency', 'totals.tax', 'metadata.po']),
    );
    expect(columns.filter((name) => /^(lines|taxes)/.test(name))).toEqual([]);
    const rows = out.slice(header.length + 2);
    const texts = [`"'=HYPERLINK(""https://example.com"")"`, '"Tea, ""fresh""\nfrom Haa"'];
    expect(rows.indexOf(plain.id)).toBeLessThan(rows.indexOf(texts[0] ?? ''));
    expect(rows.indexOf(texts[0] ?? '')).toBeLessThan(rows.indexOf(taxed.id));
    const last = rows.slice(rows.indexOf(taxed.id));
    expect(last).toContain(',10.50,BTN,pending,"Tea, ""fresh""\nfrom Haa",');
    expect(rows).toContain(',0.05,USD,pending,"\'=HYPERLINK(');
    expect(last).toContain(",'=1+1");
    expect((await remit('refunds', 'list', '--csv')).out).toBe('');
    const wrong = [
      await remit('invoices', 'list', '--csv', '--json'),
      await remit('payments', 'list', '--bom'),
    ];
    expect(wrong.map(({ code }) => code)).toEqual([2, 2]);
  });

  test('an endpoint is created, tested, changed and deleted, and its deliveries are listed and repeated', async () => {
    const receiver = await startWebhookReceiver();
    try {
      const url = receiver.urlOf('/hooks');
      const created = await json(
        'webhooks',
        'create',
        '--url',
        url,
        '--events',
        'invoice.created, invoice.paid',
      );
      expect(created).toMatchObject({ url, events: ['invoice.created', 'invoice.paid'] });
      expect(created.secret).toMatch(/^whsec_/);
      expect((await remit('webhooks', 'list')).out).toContain(created.id);
      expect((await remit('webhooks', 'list')).out).not.toContain(created.secret);
      expect(await json('webhooks', 'test', created.id)).toMatchObject({ succeeded: true });
      const invoice = await json('trigger', 'invoice.created');
      const { data } = await json('webhooks', 'deliveries', created.id);
      expect(data).toMatchObject([{ eventId: invoice.id }]);
      expect(await json('webhooks', 'redeliver', created.id, data[0].id)).toMatchObject({
        status: 'succeeded',
      });
      expect((await json('webhooks', 'rotate-secret', created.id, '--overlap-hours', '0')).secret).not.toBe(
        created.secret,
      );
      expect(await json('webhooks', 'recover', created.id, '--since', '2026-01-01T00:00:00Z')).toMatchObject({
        id: created.id,
      });
      receiver.respondWith(() => ({ status: 503 }));
      expect((await remit('webhooks', 'test', created.id)).code).toBe(1);
      const disabled = await json(
        'webhooks',
        'update',
        created.id,
        '--status',
        'disabled',
        '--description',
        'Old',
      );
      expect(disabled).toMatchObject({ status: 'disabled', description: 'Old' });
      expect((await json('webhooks', 'get', created.id)).status).toBe('disabled');
      expect((await json('webhooks', 'delete', created.id)).id).toBe(created.id);
      expect((await json('webhooks', 'list')).data).toEqual([]);
    } finally {
      await receiver.close();
    }
  });

  test('a command that is repeated with the same idempotency key takes effect once', async () => {
    const args = ['invoices', 'create', ...createArguments, '--idempotency-key', 'order-1001'];
    expect((await json(...args)).id).toBe((await json(...args)).id);
    expect((await json('invoices', 'list')).pagination.total).toBe(1);
  });
});

test('a claim of a payer is rejected, and the next one is confirmed', async () => {
  const { id, paymentUrl } = await json('invoices', 'create', ...createArguments);
  const claim = async () => {
    await claimOnPage({ paymentUrl }, { amount: '1.00', reference: id });
    return (await json('invoices', 'get', id)).claim.id as string;
  };
  const first = await claim();
  const reject = ['invoices', 'reject-claim', id, '--claim', first];
  expect(await remit(...reject)).toMatchObject({ code: 2 });
  const rejected = await json(...reject, '--reason', 'No such transfer');
  expect(rejected.claim).toMatchObject({ status: 'rejected', reason: 'No such transfer' });
  const second = await claim();
  // The money is not recorded yet, so it is no payment of the invoice.
  const unknown = ['invoices', 'confirm-claim', id, '--claim', second, '--payment-id', 'pay_1'];
  expect(await remit(...unknown)).toMatchObject({ code: 1 });
  const confirm = ['invoices', 'pay', id, '--offline', '--claim', second];
  const payment = await json(...confirm, '--amount', String(rejected.amount));
  expect(payment).toMatchObject({ claim: second, amount: rejected.amount, reference: id });
  expect((await json('invoices', 'get', id)).claim.status).toBe('confirmed');
});

test('reminders are paused and resumed, for an invoice and for a customer', async () => {
  const created = await json('invoices', 'create', ...createArguments, '--reminders', '7,-1');
  expect(created.reminders).toEqual([-1, 7]);
  const set = async (days: string) =>
    (await json('invoices', 'update', created.id, '--reminders', days)).reminders;
  expect(await set('none')).toEqual([]);
  expect(await set('account')).toBeNull();
  expect(await remit('invoices', 'update', created.id, '--reminders', '1,x')).toMatchObject({ code: 2 });
  const { id } = await json('customers', 'create', '--name', 'Pema');
  const change = async (option: string) => (await json('customers', 'update', id, option)).remindersPaused;
  expect([await change('--pause-reminders'), await change('--resume-reminders')]).toEqual([true, false]);
});

describe('trigger', () => {
  // Only a provider takes another amount, and an export fails only without its bucket.
  const elsewhere: readonly string[] = ['payment.updated', 'payment.held', 'export.failed'];
  const triggered = eventTypes.filter((type) => !elsewhere.includes(type));

  test.each(triggered)('%s is caused by real changes, and its event is shown', async (type) => {
    if (type === 'document.issued') {
      expect(await remit('trigger', type)).toMatchObject({
        code: 2,
        error: expect.stringContaining('npx remit accounts seller'),
      });
      await runJson('accounts', [
        'seller',
        '--account',
        account.accountId,
        '--legal-name',
        'Druk Crafts',
        '--country',
        'BT',
      ]);
    }
    if (type === 'mail.bounced') {
      expect(await remit('trigger', type)).toMatchObject({
        code: 2,
        error: expect.stringContaining('--mail-invoice on'),
      });
      await runJson('accounts', ['update', '--account', account.accountId, '--mail-invoice', 'on']);
    }
    const event = await json('trigger', type);
    expect(event.type).toBe(type);
    if (type === 'mail.bounced') {
      expect((await remit('mails', 'list')).out).toContain('bounced_permanently');
      expect(await json('mails', 'allow-address', event.data.id)).toEqual(event.data);
    }
    expect((await api.get(`/api/events/${event.id}`)).json).toEqual(event);
  });

  test('a live key and an unknown event type are rejected without any change', async () => {
    service.REMIT_API_KEY = account.live.apiKey;
    expect(await remit('trigger', 'invoice.paid')).toMatchObject({ code: 2, out: '' });
    expect((await account.live.get('/api/invoices')).json.pagination.total).toBe(0);
    expect((await remit('trigger', 'invoice.payed')).error).toContain('Did you mean invoice.paid?');
  });
});

describe('clock', () => {
  const dayMs = 86_400_000;
  const offset = async () => (await api.get('/api/test/clock')).json.offsetSeconds;

  test('it is advanced by days and by seconds and to a time, until what is due is done, and reset', async () => {
    expect(await json('clock', 'show')).toMatchObject({ offsetSeconds: 0, status: 'ready' });
    expect(await json('clock', 'advance', '--seconds', '60')).toMatchObject({ offsetSeconds: 60 });
    expect(await json('clock', 'reset')).toMatchObject({ offsetSeconds: 0 });
    const { id } = await newInvoice();
    const key = ['--idempotency-key', 'move-1'];
    for (let call = 0; call < 2; call++)
      expect(await json('clock', 'advance', '--days', '31', ...key)).toMatchObject({
        offsetSeconds: (31 * dayMs) / 1000,
        status: 'ready',
      });
    expect((await json('invoices', 'get', id)).status).toBe('overdue');
    const date = new Date(Date.now() + 40 * dayMs).toISOString().slice(0, 10);
    const shown = await remit('clock', 'advance', '--to', date);
    expect(shown).toMatchObject({ code: 0, error: '' });
    expect(shown.out).toMatch(/status +ready/);
    const end = Date.parse(`${date}T23:59:59.999Z`);
    expect(Date.now() + (await offset()) * 1000).toBeGreaterThanOrEqual(end);
    expect(await remit('clock', 'reset')).toMatchObject({
      code: 1,
      error: expect.stringContaining('clock_in_use'),
    });
    expect(await remit('clock', 'advance', '--to', '2020-01-01')).toMatchObject({
      code: 1,
      error: expect.stringContaining('invalid_clock'),
    });
  });

  test('a move that takes longer than one request is awaited', async () => {
    const answers = ['advancing', 'advancing', 'ready'].map((status, index) => ({
      now: '2027-01-31T12:00:00.000Z',
      offsetSeconds: index,
      status,
    }));
    const methods: (string | undefined)[] = [];
    const server = await listenOnLoopback(
      createServer(({ method }, response) => {
        methods.push(method);
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify(answers.shift()));
      }),
    );
    try {
      service.REMIT_URL = server.endpoint;
      expect(await json('clock', 'advance', '--days', '1')).toMatchObject({ status: 'ready' });
      expect(methods).toEqual(['POST', 'GET', 'GET']);
      answers.push({ now: '2027-01-31T12:00:00.000Z', offsetSeconds: 3, status: 'advancing' });
      expect(await remit('clock', 'show')).toMatchObject({
        code: 0,
        error: 'The clock advances. To continue, run npx remit clock show until it is ready.\n',
      });
    } finally {
      await server.close();
    }
  });

  test('a live key and a wrong choice of options are rejected before any request', async () => {
    const addresses = { REMIT_URL: 'http://127.0.0.1:9', REMIT_API_KEY: account.live.apiKey };
    for (const args of [['show'], ['advance', '--days', '1'], ['reset']])
      expect(await run('clock', args, addresses)).toEqual({
        code: 2,
        out: '',
        error: expect.stringContaining('This is a live key.'),
      });
    service.REMIT_URL = addresses.REMIT_URL;
    for (const args of [[], ['--days', '1', '--to', '2099-01-31']])
      expect(await remit('clock', 'advance', ...args)).toMatchObject({
        code: 2,
        error: expect.stringContaining('Use exactly one of --seconds, --days and --to.'),
      });
    expect((await remit('clock', 'advance', '--days', '0')).error).toContain('--days must be at least 1.');
    expect((await remit('clock', 'advance', '--to', 'tomorrow')).error).toContain('--to must be an ISO 8601');
  });
});

describe('errors', () => {
  test('an error of the service is shown with its field, code and request id', async () => {
    const { code, out, error } = await remit('invoices', 'list', '--limit', '500');
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(
      /^limit must be .*\n {2}field: +limit\n {2}code: +invalid_limit \(400\)\n {2}request: +\S+\n$/,
    );
  });

  test('with --json, an error is one line of JSON with its code', async () => {
    const { code, out, error } = await remit('invoices', 'list', '--limit', '500', '--json');
    expect([code, out]).toEqual([1, '']);
    expect(JSON.parse(error)).toEqual({
      code: 'invalid_limit',
      message: expect.stringContaining('limit must be'),
      field: 'limit',
      status: 400,
      requestId: expect.any(String),
    });
    const wrong = await remit('invoices', 'list', '--limt', '3', '--json');
    expect([wrong.code, JSON.parse(wrong.error).code]).toEqual([2, 'invalid_arguments']);
    service.REMIT_URL = 'http://127.0.0.1:9';
    expect(JSON.parse((await remit('invoices', 'list', '--json')).error)).toMatchObject({
      code: 'connection_failed',
      hint: expect.stringContaining('REMIT_URL'),
    });
  });

  test('an address that ends with /api is the address of the service', async () => {
    for (const end of ['/api', '/api/', '/']) {
      service.REMIT_URL = `${stack.baseUrl}${end}`;
      expect(await remit('invoices', 'list')).toMatchObject({ code: 0 });
    }
  });

  test('remarks go to standard error, and ls and show are aliases', async () => {
    const { id } = await newInvoice();
    await newInvoice();
    const listed = await remit('invoices', 'ls', '--limit', '1');
    expect(listed.out.trimEnd().split('\n')).toHaveLength(2);
    expect(listed.error).toBe('Showing 1 of 2. To see more, use --offset 1 or --all.\n');
    expect(await remit('invoices', 'show', id)).toEqual(await remit('invoices', 'get', id));
    const empty = await remit('refunds', 'list');
    expect([empty.out, empty.error]).toEqual([expect.stringMatching(/^REFUND .*\n$/), 'No results.\n']);
  });

  test('an invalid key and an unreachable service are shown with a hint', async () => {
    service.REMIT_API_KEY = `${api.apiKey.slice(0, -1)}${api.apiKey.endsWith('x') ? 'y' : 'x'}`;
    expect((await remit('invoices', 'list')).error).toMatch(/hint: +Set REMIT_API_KEY/);
    service.REMIT_URL = 'http://127.0.0.1:9';
    expect(await remit('invoices', 'list')).toMatchObject({
      code: 1,
      error: expect.stringContaining('REMIT_URL'),
    });
  });

  test.each([
    ['a mistyped command', ['invoices', 'lst'], 'Did you mean list?'],
    ['a mistyped group', ['invoice', 'list'], 'Did you mean invoices?'],
    ['a mistyped option', ['invoices', 'list', '--limt', '3'], 'Did you mean --limit?'],
    ['a missing operand', ['invoices', 'get'], 'INVOICE is missing. Expected: INVOICE. Example: npx remit'],
    ['a number with too many digits', ['invoices', 'list', '--limit', '1'.repeat(16)], 'at most 15 digits'],
    ['an unexpected argument', ['invoices', 'list', 'all'], 'Unexpected argument "all".'],
    [
      'an amount with a decimal point',
      ['invoices', 'create', ...createArguments.with(3, '2500.00')],
      'For 2500.00, use --amount 250000.',
    ],
    [
      'an invoice without an amount and lines',
      ['invoices', 'create', ...createArguments.toSpliced(2, 2)],
      '--amount or --line is required.',
    ],
    [
      'a line without a price',
      ['invoices', 'update', 'inv_1', '--line', '2 x Tea'],
      '--line must be QUANTITY x',
    ],
    [
      'a line whose price has a decimal point',
      ['invoices', 'update', 'inv_1', '--line', '2 x Tea @ 10.00'],
      'The price of --line must be a whole number in the smallest currency unit. For 10.00, use 1000.',
    ],
    ['an option without its value', ['invoices', 'list', '--status', '--all'], '--status needs a value'],
    ['no change', ['invoices', 'update', 'inv_1'], 'Nothing to change.'],
  ])('%s is rejected with exit code 2 before any request', async (_, args, text) => {
    service.REMIT_URL = 'http://127.0.0.1:9';
    expect(await remit(...args)).toEqual({ code: 2, out: '', error: expect.stringContaining(text) });
  });

  test.each([
    [['--api-key', 'x']],
    [['--api-key=x']],
    [['--customer-id', 'sk_test_1pw63hm4ddrkbej8amf9b0p7p5ctg0bb3t']],
  ])('an API key in the arguments is rejected and not repeated: %s', async (args) => {
    const { code, out, error } = await remit('invoices', 'list', ...args);
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain('Set REMIT_API_KEY');
    expect(error).not.toContain('1pw63hm4ddrkbej8');
  });

  test('spaces around a key are ignored, and an invalid key is rejected', async () => {
    service.REMIT_API_KEY = ` ${api.apiKey}\n`;
    expect(await remit('invoices', 'list')).toMatchObject({ code: 0 });
    service.REMIT_API_KEY = `${api.apiKey} ${api.apiKey}`;
    const { code, error } = await remit('invoices', 'list');
    expect([code, error]).toEqual([
      1,
      expect.stringContaining('REMIT_API_KEY is not a valid API key. An API key begins with'),
    ]);
    expect(error).not.toContain(api.apiKey.slice(8, 30));
  });

  test('without a key and without a terminal, the missing key is an error', async () => {
    service.REMIT_API_KEY = '';
    expect(await remit('invoices', 'list')).toEqual({
      code: 1,
      out: '',
      error: 'No API key is set. Set REMIT_API_KEY.\n',
    });
  });
});
