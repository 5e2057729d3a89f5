/** The commands that call the API: what they print and for whom, and how they end. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { eventTypes } from '../../shared/events/event.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { run, runJson } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

let stack: Stack;
let account: TestAccount;
let api: Api;
/** What tells the commands where to call. */
let service: { REMIT_URL: string; REMIT_API_KEY: string };

beforeAll(async () => {
  stack = await startTestStack();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = account.test;
  service = { REMIT_URL: stack.baseUrl, REMIT_API_KEY: api.apiKey };
});
afterAll(() => stack.close());

const remit = (...[program = '', ...words]: string[]) => run(program, words, service);
const json = (...[program = '', ...words]: string[]) => runJson(program, words, service);
const newInvoice = async (fields = {}) => (await api.post('/api/invoices', invoiceBody(fields))).json;
const createWords = [
  '--customer-id',
  'c_7',
  '--amount',
  '250000',
  '--currency',
  'BTN',
  '--description',
  'Tea',
];

describe('what the API has, command by command', () => {
  test('an invoice is created, changed, listed, paid and refunded; --json is what the API answers', async () => {
    const created = await json('invoices', 'create', ...createWords, '--due-date', '2099-01-31');
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
    const words = ['--payment-id', payment.id, '--amount', '10000', '--reason', 'Two hours less'];
    const refund = await json('refunds', 'create', ...words);
    expect(refund).toMatchObject({ amount: 10_000, reason: 'Two hours less' });
    expect((await json('refunds', 'get', refund.id)).id).toBe(refund.id);
    expect((await json('refunds', 'list', '--payment-id', payment.id)).data).toMatchObject([
      { id: refund.id },
    ]);
    const cancelled = await newInvoice();
    expect((await json('invoices', 'cancel', cancelled.id)).status).toBe('cancelled');
  });

  test('money from elsewhere is recorded; a declined card is shown and is no success', async () => {
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

  test('--all goes through all pages of a list and of the events', async () => {
    const made = [];
    for (let count = 0; count < 3; count++) made.unshift((await newInvoice()).id);
    const ids = async (...words: string[]) => (await json(...words)).data.map(({ id }: { id: string }) => id);
    expect(await ids('invoices', 'list', '--limit', '2', '--all')).toEqual(made);
    expect(await ids('invoices', 'list', '--limit', '2', '--offset', '1')).toEqual(made.slice(1));
    expect((await json('events', 'list', '--after', 'start', '--limit', '2')).data).toHaveLength(2);
    const events = (await json('events', 'list', '--after', 'start', '--limit', '2', '--all')).data;
    expect(events.map(({ data }: { data: { id: string } }) => data.id).sort()).toEqual([...made].sort());
    expect(await json('events', 'get', events[0].id)).toEqual(events[0]);
  });

  test('an endpoint is registered, tried, changed, its deliveries seen and repeated, and deleted', async () => {
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
      receiver.answer(() => ({ status: 503 }));
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

  test('a command that is repeated under an idempotency key takes effect once', async () => {
    const words = ['invoices', 'create', ...createWords, '--idempotency-key', 'order-1001'];
    expect((await json(...words)).id).toBe((await json(...words)).id);
    expect((await json('invoices', 'list')).pagination.total).toBe(1);
  });
});

describe('trigger', () => {
  test.each(eventTypes)('%s really happens, and its event is shown', async (kind) => {
    const event = await json('trigger', kind);
    expect(event.type).toBe(kind);
    expect((await api.get(`/api/events/${event.id}`)).json).toEqual(event);
  });

  test('a live key and an unknown kind are refused, and nothing happens', async () => {
    service.REMIT_API_KEY = account.live.apiKey;
    expect(await remit('trigger', 'invoice.paid')).toMatchObject({ code: 2, out: '' });
    expect((await account.live.get('/api/invoices')).json.pagination.total).toBe(0);
    expect((await remit('trigger', 'invoice.payed')).error).toContain('Did you mean invoice.paid?');
  });
});

describe('errors', () => {
  test("the service's come with field, code and request id, as the log has it", async () => {
    const { code, out, error } = await remit('invoices', 'list', '--limit', '500');
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(
      /^limit must be .*\n {2}field: +limit\n {2}code: +invalid_limit \(400\)\n {2}request: +\S+\n$/,
    );
  });

  test('a key that cannot be used, and an address where nobody answers, come with a remedy', async () => {
    service.REMIT_API_KEY = `${api.apiKey.slice(0, -1)}x`;
    expect((await remit('invoices', 'list')).error).toMatch(/remedy: +set REMIT_API_KEY/);
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
    ['a missing operand', ['invoices', 'get'], 'INVOICE is missing: expected is INVOICE, such as npx remit'],
    ['a number too large for one', ['invoices', 'list', '--limit', '1'.repeat(16)], 'at most 15 digits'],
    ['a word too many', ['invoices', 'list', 'all'], '"all" is a word too many'],
    [
      'an amount in other units',
      ['invoices', 'create', ...createWords.with(3, '2500.00')],
      '--amount must be a whole number',
    ],
    ['an option without its value', ['invoices', 'list', '--status', '--all'], '--status needs a value'],
    ['nothing to change', ['invoices', 'update', 'inv_1'], 'There is nothing to change'],
  ])('%s is refused before anything is asked, with exit code 2', async (_, words, text) => {
    service.REMIT_URL = 'http://127.0.0.1:9';
    expect(await remit(...words)).toEqual({ code: 2, out: '', error: expect.stringContaining(text) });
  });

  test.each([
    [['--api-key', 'x']],
    [['--api-key=x']],
    [['--customer-id', 'sk_test_1pw63hm4ddrkbej8amf9b0p7p5ctg0bb3t']],
  ])('a key in the arguments is refused and not repeated: %s', async (words) => {
    const { code, out, error } = await remit('invoices', 'list', ...words);
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain('Set REMIT_API_KEY');
    expect(error).not.toContain('1pw63hm4ddrkbej8');
  });

  test('a key is known from what is none, and blanks around it are not of it', async () => {
    service.REMIT_API_KEY = ` ${api.apiKey}\n`;
    expect(await remit('invoices', 'list')).toMatchObject({ code: 0 });
    service.REMIT_API_KEY = `${api.apiKey} ${api.apiKey}`;
    const { code, error } = await remit('invoices', 'list');
    expect([code, error]).toEqual([
      1,
      expect.stringContaining('REMIT_API_KEY is no API key: it begins with'),
    ]);
    expect(error).not.toContain(api.apiKey.slice(8, 30));
  });

  test('without a key and without a terminal it says what is missing', async () => {
    service.REMIT_API_KEY = '';
    expect(await remit('invoices', 'list')).toEqual({
      code: 1,
      out: '',
      error: 'No API key is set: set REMIT_API_KEY.\n',
    });
  });
});
