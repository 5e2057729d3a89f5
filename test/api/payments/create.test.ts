/** Tests POST /api/payments: the errors for invalid bodies, and payments of money received outside the service. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { setClock } from '../../support/clock.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { inNewestVersion } from '../../support/newest-version.ts';
import { startTestStack } from '../../support/stack.ts';
import { newOverdueInvoice } from '../invoices/overdue-invoice.ts';
import * as fields from './fields.ts';
import { cardBody, cardNumbers, cardOf, newInvoice, offlineBody, timestamp } from './new-payment.ts';

let stack: Stack;
/** The account for requests that are rejected. */
let account: TestAccount;
let api: Api;
/** An invoice of 2500 that is never paid. */
let open: string;

beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  api = account.test;
  open = (await newInvoice(api)).id;
});
afterEach(() => setClock());
afterAll(() => stack.close());

const post = (body?: unknown) => api.post('/api/payments', body);

/** Returns a body with one field given as JSON. */
function withField(body: object, field: string, json: string): string {
  return JSON.stringify({ ...body, [field]: '@' }).replace('"@"', json);
}

async function expectNothingPaid(): Promise<void> {
  expect((await api.get('/api/payments')).json.pagination.total).toBe(0);
  expect((await api.get(`/api/invoices/${open}`)).json.status).toBe('pending');
}

describe.each([
  ['invoiceId', 'invalid_invoice', fields.invalidInvoiceIds],
  ['method', 'invalid_method', fields.invalidMethods],
  ['reference', 'invalid_reference', fields.invalidReferences],
  ['amount', 'invalid_amount', fields.unequalAmounts],
])('%s', (field, code, rows) => {
  test(`400 ${code} for every invalid value, with or without a card, and nothing is paid`, async () => {
    for (const [name, json] of rows) {
      const bodies = field === 'reference' || field === 'method' ? [] : [cardBody(open)];
      for (const body of [offlineBody(open), ...bodies]) {
        const response = await post(withField(body, field, json));
        expect({ name, code: response.json.error?.code }).toEqual({ name, code });
        expectError(response, 400, code, field);
        expect(response.json.error.message).toContain(field);
      }
    }
    await expectNothingPaid();
  });
});

test('an invalid card is a validation error that does not repeat card data', async () => {
  for (const [name, json, code, field] of fields.invalidCards) {
    const response = await post(withField(cardBody(open), 'card', json));
    expect({ name, code: response.json.error?.code }).toEqual({ name, code });
    expectError(response, 400, code, field);
    if (code !== 'test_card_required') expect(response.json.error.message).toContain(field);
    // The messages of `test_card_required` and of an absent number contain a valid test card.
    const withoutExample = response.text.replaceAll(/such as (\\"number\\": \\")?4242424242424242/g, '');
    expect(withoutExample).not.toMatch(/\d{12}|\d{4} \d{4}/);
  }
  await expectNothingPaid();
});

test('fields are validated in order, unknown ones last, and all of them before the invoice and the test card', async () => {
  const bad = { invoiceId: 7, method: 'cash', reference: ' ', card: 'x', amount: 0, color: 1 };
  const right = {
    invoiceId: `inv_${'0'.repeat(26)}`,
    method: 'card',
    reference: null,
    card: cardOf('4111111111111111'),
    amount: 9,
  };
  let body: Record<string, unknown> = bad;
  for (const [field, code] of [
    ['invoiceId', 'invalid_invoice'],
    ['method', 'invalid_method'],
    ['reference', 'invalid_reference'],
    ['card', 'invalid_card'],
    ['amount', 'invalid_amount'],
    ['color', 'unknown_parameter'],
  ] as const) {
    const response = await post(Object.fromEntries(Object.entries(body).reverse()));
    expectError(response, 400, code, field);
    body = { ...body, [field]: (right as Record<string, unknown>)[field] };
  }
  expectError(await post(right), 400, 'test_card_required', 'card.number');
  expectError(await post({ ...right, card: cardOf() }), 400, 'invalid_invoice', 'invoiceId');
  for (const nothing of [undefined, '', {}])
    expectError(await post(nothing), 400, 'invalid_invoice', 'invoiceId');
});

test('reference is for the method offline only, card for the method card only', async () => {
  const card = cardOf();
  expectError(await post({ ...cardBody(open), reference: 'x' }), 400, 'invalid_reference', 'reference');
  expectError(await post({ ...offlineBody(open), card }), 400, 'invalid_card', 'card');
  expectError(await post({ invoiceId: open, method: 'card' }), 400, 'invalid_card', 'card');
  expectError(await post({ invoiceId: open, method: 'card', card: null }), 400, 'invalid_card', 'card');
  await expectNothingPaid();
});

test('the day, the bank and a note are of money received outside the service, in the newest version', async () => {
  const newest = inNewestVersion(api);
  const send = (fields: object) => newest.post('/api/payments', offlineBody(open, { ...fields }));
  const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
  const wrongDays = ['2026-02-30', '2026-03-31T00:00:00Z', '', 20_260_331, '1969-12-31', tomorrow];
  for (const receivedOn of wrongDays)
    expectError(await send({ receivedOn }), 400, 'invalid_received_on', 'receivedOn');
  for (const bank of ['', ' ', 'x'.repeat(101), 7])
    expectError(await send({ bank }), 400, 'invalid_bank', 'bank');
  for (const note of ['', 'x'.repeat(501), '4242 4242 4242 4242'])
    expectError(await send({ note }), 400, 'invalid_note', 'note');
  for (const [field, code] of [
    ['receivedOn', 'invalid_received_on'],
    ['bank', 'invalid_bank'],
    ['note', 'invalid_note'],
  ] as const) {
    const details = { receivedOn: '2026-01-02', bank: 'Cash', note: 'x' };
    const byCard = { ...cardBody(open), [field]: details[field] };
    expectError(await newest.post('/api/payments', byCard), 400, code, field);
    expectError(await post(offlineBody(open, { [field]: details[field] })), 400, 'unknown_parameter', field);
  }
  await expectNothingPaid();
  const own = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(own.test);
  // Where this day begins first, it can have begun already.
  const receivedOn = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
  const received = { receivedOn, bank: 'Bank of Bhutan', note: 'Paid at the counter.\nThanks' };
  const paid = await inNewestVersion(own.test).post('/api/payments', offlineBody(id, received));
  expect(paid.json).toMatchObject({ ...received, status: 'completed' });
  expect((await inNewestVersion(own.test).get(`/api/payments/${paid.json.id}`)).text).toBe(paid.text);
});

test('a reference of a bank pays once in its mode, unless the request says that it is other money', async () => {
  const own = await newAccount(stack.baseUrl);
  const [newest, live] = [own.test, own.live].map(inNewestVersion) as [Api, Api];
  const pay = async (fields: object, sender = newest) => {
    const { id } = await newInvoice(sender);
    const response = await sender.post('/api/payments', offlineBody(id, { ...fields }));
    return { id, response };
  };
  const received = { bank: 'Bank of Bhutan', reference: 'FT 2611 0042' };
  const [one, ...others] = (await Promise.all([1, 2, 3].map(() => pay(received)))).toSorted(
    (first, second) => first.response.status - second.response.status,
  );
  expect(one?.response.status).toBe(201);
  const typed = await pay({ bank: 'bank of  bhutan ', reference: 'ft26110042' });
  for (const { id, response } of [...others, typed]) {
    expectError(response, 400, 'reference_already_used');
    expect(response.json.error.message).toContain(one?.response.json.id);
    expect((await newest.get(`/api/invoices/${id}`)).json.status).toBe('pending');
  }
  for (const fields of [
    { ...received, bank: 'Druk PNB' },
    { ...received, reference: 'FT 2611 0043' },
    { ...received, bank: undefined },
    { ...received, allowDuplicateReference: true },
  ])
    expect((await pay(fields)).response.status).toBe(201);
  expect((await pay(received, live)).response.status).toBe(201);
  for (const allowDuplicateReference of ['true', 1])
    expectError(
      (await pay({ ...received, allowDuplicateReference })).response,
      400,
      'invalid_allow_duplicate_reference',
      'allowDuplicateReference',
    );
});

describe('a reference without a bank', () => {
  const pay = async (sender: Api, fields: object) => {
    const { id } = await newInvoice(sender);
    return sender.post('/api/payments', offlineBody(id, { ...fields }));
  };

  test('pays once in the newest version, apart from each bank, and again after a void', async () => {
    const own = (await newAccount(stack.baseUrl)).test;
    const newest = inNewestVersion(own);
    const reference = 'JRN 2611 0042';
    // The first version asks for no such rule, so its payment takes the reference from nobody.
    for (let time = 0; time < 2; time++) expect((await pay(own, { reference })).status).toBe(201);
    const all = await Promise.all([1, 2, 3].map(() => pay(newest, { reference })));
    const [one, ...others] = all.toSorted((first, second) => first.status - second.status);
    expect(one?.status).toBe(201);
    for (const response of [...others, await pay(newest, { reference: 'jrn26110042' })]) {
      expectError(response, 400, 'reference_already_used');
      expect(response.json.error.message).toContain(one?.json.id);
    }
    for (const fields of [{ bank: 'Druk PNB' }, { allowDuplicateReference: true }])
      expect((await pay(newest, { reference, ...fields })).status).toBe(201);
    const voidPath = `/api/payments/${one?.json.id}/void`;
    expect((await newest.post(voidPath, { reason: 'Never arrived' })).status).toBe(200);
    expect((await pay(newest, { reference })).status).toBe(201);
    expectError(await pay(newest, { reference }), 400, 'reference_already_used');
  });

  test('that only names the way of the money is no reference', async () => {
    const newest = inNewestVersion((await newAccount(stack.baseUrl)).test);
    for (const reference of ['cash', 'Cash.', 'Cheque', 'N/A', '000'])
      for (let time = 0; time < 2; time++) expect((await pay(newest, { reference })).status).toBe(201);
    expect((await pay(newest, { reference: 'Cheque 12' })).status).toBe(201);
    expectError(await pay(newest, { reference: 'cheque 12' }), 400, 'reference_already_used');
  });
});

test('an invoice that is unknown, malformed, of another account or of the other mode gives the same error', async () => {
  const other = await newAccount(stack.baseUrl);
  const [live, foreign, foreignLive] = await Promise.all(
    [account.live, other.test, other.live].map(async (stranger) => (await newInvoice(stranger)).id),
  );
  const ids = [
    `inv_${'0'.repeat(26)}`,
    'x',
    ' ',
    open.toUpperCase(),
    ` ${open}`,
    `pay_${open.slice(4)}`,
    '__proto__',
    live,
    foreign,
    foreignLive,
  ];
  for (const bodyOf of [offlineBody, cardBody, (id: string) => offlineBody(id, { amount: 1 })]) {
    const responses = await Promise.all(ids.map((id) => post(bodyOf(id))));
    for (const response of responses) expectError(response, 400, 'invalid_invoice', 'invoiceId');
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses[0]?.json.error.message).toContain('invoiceId');
  }
  for (const [stranger, id] of [
    [account.live, live],
    [other.test, foreign],
    [other.live, foreignLive],
  ] as const) {
    expect((await stranger.get(`/api/invoices/${id}`)).json.status).toBe('pending');
  }
});

test('live mode rejects the data of every card and names the payment page', async () => {
  const { live } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(live);
  for (const number of [...Object.values(cardNumbers), '4111111111111111']) {
    const response = await live.post('/api/payments', cardBody(id, number));
    expectError(response, 400, 'card_data_not_accepted');
    expect(response.json.error.message).toContain('paymentUrl');
    expect(response.text).not.toContain(number);
  }
  expect((await live.get('/api/payments')).json.data).toEqual([]);
  expect((await live.get(`/api/invoices/${id}`)).json.status).toBe('pending');
});

describe.each(['test', 'live'] as const)('money received outside the service, in %s mode', (mode) => {
  test('is a completed payment with exactly these fields, and the invoice is paid immediately', async () => {
    const { [mode]: own } = await newAccount(stack.baseUrl);
    const invoice = await newInvoice(own, { currency: 'BTN', customerId: 'Tashi@example.com' });
    const response = await own.post(
      '/api/payments',
      offlineBody(invoice.id, { reference: 'Slip 17', amount: 2500 }),
    );
    expect(response.status).toBe(201);
    expectHeaders(response);
    expect(response.json).toEqual({
      id: expect.stringMatching(/^pay_[0-9a-z]{26}$/),
      invoiceId: invoice.id,
      customerId: 'Tashi@example.com',
      amount: 2500,
      currency: 'BTN',
      status: 'completed',
      method: 'offline',
      card: null,
      reference: 'Slip 17',
      amountRefunded: 0,
      failureCode: null,
      failureMessage: null,
      dispute: null,
      createdAt: timestamp,
      updatedAt: response.json.createdAt,
    });
    expect((await own.get(`/api/payments/${response.json.id}`)).text).toBe(response.text);
    const paid = (await own.get(`/api/invoices/${invoice.id}`)).json;
    expect(paid).toEqual({ ...invoice, status: 'paid', updatedAt: paid.updatedAt });
    expect(paid.updatedAt > invoice.updatedAt).toBe(true);
    expect((await own.get('/api/invoices?status=paid')).json.data).toEqual([paid]);
    expect((await own.get('/api/invoices?status=pending')).json.data).toEqual([]);
  });

  test('every valid reference is stored as sent', async () => {
    const { [mode]: own } = await newAccount(stack.baseUrl);
    for (const [name, json] of fields.validReferences) {
      const { id } = await newInvoice(own);
      const response = await own.post('/api/payments', withField(offlineBody(id), 'reference', json));
      expect({ name, status: response.status, reference: response.json.reference }).toEqual({
        name,
        status: 201,
        reference: JSON.parse(json),
      });
      expect((await own.get(`/api/payments/${response.json.id}`)).text).toBe(response.text);
    }
  });
});

test('amounts up to the maximum are paid exactly, in every JSON form', async () => {
  const { test: own } = await newAccount(stack.baseUrl);
  for (const [amount, json] of [
    [999_999_999_999, '999999999999'],
    [1000, '1e3'],
    [1, '1.0'],
    [7, 'null'],
  ] as const) {
    const { id } = await newInvoice(own, { amount });
    const { status, json: payment } = await own.post(
      '/api/payments',
      withField(offlineBody(id), 'amount', json),
    );
    expect([status, payment.amount]).toEqual([201, amount]);
  }
});

test('an overdue invoice can be paid like a pending one', async () => {
  const { test: own } = await newAccount(stack.baseUrl);
  const { invoice, path } = await newOverdueInvoice(own);
  expect((await own.post('/api/payments', offlineBody(invoice.id))).json.status).toBe('completed');
  const paid = (await own.get(path)).json;
  expect(paid).toEqual({ ...invoice, status: 'paid', updatedAt: paid.updatedAt });
  expect((await own.get('/api/invoices?status=overdue')).json.data).toEqual([]);
});

test('the amount of a payment must equal the amount after the last update', async () => {
  const { test: own } = await newAccount(stack.baseUrl);
  const { id } = await newInvoice(own);
  await own.patch(`/api/invoices/${id}`, { amount: 4100 });
  const refused = await own.post('/api/payments', offlineBody(id, { amount: 2500 }));
  expectError(refused, 400, 'invalid_amount', 'amount');
  expect(refused.json.error.message).toContain('4100');
  expect((await own.post('/api/payments', offlineBody(id, { amount: 4100 }))).json.amount).toBe(4100);
});
