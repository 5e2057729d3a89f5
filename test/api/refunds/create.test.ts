/** Tests POST /api/refunds: the errors for invalid bodies, and how much of a payment can be refunded. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { alwaysInvalid, invalidAmounts, jsonText, jsonTexts, type Row } from '../invoices/fields.ts';
import {
  cardNumbers,
  isReplay,
  newPayment,
  repeatInParallel,
  timestamp,
  underKey,
  waitForOutcome,
  waitForResource,
} from '../payments/new-payment.ts';

let stack: Stack;
/** The account for requests that are rejected. */
let account: TestAccount;
let api: Api;
/** A payment of 2500 that is never refunded. */
let untouched: string;

beforeAll(async () => {
  stack = await startTestStack();
  account = await newAccount(stack.baseUrl);
  api = account.test;
  untouched = (await newPayment(api)).payment.id;
});
afterAll(() => stack.close());

const newApi = async () => (await newAccount(stack.baseUrl)).test;
const post = (body?: unknown) => api.post('/api/refunds', body);
const refund = (of: Api, paymentId: string, fields: Record<string, unknown> = {}, key?: string) =>
  of.post('/api/refunds', { paymentId, ...fields }, key === undefined ? {} : underKey(key));
const isNotNull = ([name]: Row) => name !== 'null';

const invalidReasons: Row[] = [
  ...alwaysInvalid.filter(isNotNull),
  ['7', '7'],
  ...jsonTexts(' ', '\t\n', '\u00a0', 'a\u0000b'),
  ['501 characters', jsonText('x'.repeat(501))],
  ['501 emoji', jsonText('\u{1F600}'.repeat(501))],
  ['an unpaired surrogate', '"x\\ud800"'],
];

describe.each([
  ['paymentId', 'invalid_payment', [...alwaysInvalid, ['7', '7']] as Row[]],
  ['amount', 'invalid_amount', invalidAmounts.filter(isNotNull)],
  ['reason', 'invalid_reason', invalidReasons],
])('%s', (field, code, rows) => {
  test(`400 ${code} for every invalid value, and nothing is refunded`, async () => {
    for (const [name, json] of rows) {
      const body = JSON.stringify({ paymentId: untouched, [field]: '@' }).replace('"@"', json);
      const response = await post(body);
      expect({ name, code: response.json.error?.code }).toEqual({ name, code });
      expectError(response, 400, code, field);
      expect(response.json.error.message).toContain(field);
    }
    expect((await api.get('/api/refunds')).json.pagination.total).toBe(0);
    expect((await api.get(`/api/payments/${untouched}`)).json.amountRefunded).toBe(0);
  });
});

test('fields are validated in order, unknown ones last, and all of them before the payment', async () => {
  const right: Record<string, unknown> = { paymentId: `pay_${'0'.repeat(26)}`, amount: 1, reason: 'x' };
  let body: Record<string, unknown> = { paymentId: 7, amount: 0, reason: ' ', color: 1 };
  for (const [field, code] of [
    ['paymentId', 'invalid_payment'],
    ['amount', 'invalid_amount'],
    ['reason', 'invalid_reason'],
    ['color', 'unknown_parameter'],
  ] as const) {
    expectError(await post(Object.fromEntries(Object.entries(body).reverse())), 400, code, field);
    body = { ...body, [field]: right[field] };
  }
  expectError(await post(right), 400, 'invalid_payment', 'paymentId');
  for (const nothing of [undefined, '', {}])
    expectError(await post(nothing), 400, 'invalid_payment', 'paymentId');
});

test('a payment that is unknown, malformed, of another account or of the other mode gives the same error', async () => {
  const other = await newAccount(stack.baseUrl);
  const strangers = [account.live, other.test, other.live];
  const foreign = await Promise.all(
    strangers.map(async (stranger) => (await newPayment(stranger)).payment.id),
  );
  const ids = [
    `pay_${'0'.repeat(26)}`,
    'x',
    ' ',
    untouched.toUpperCase(),
    `inv_${untouched.slice(4)}`,
    '__proto__',
  ];
  const responses = await Promise.all([...ids, ...foreign].map((paymentId) => post({ paymentId })));
  for (const response of responses) expectError(response, 400, 'invalid_payment', 'paymentId');
  expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  for (const stranger of strangers) expect((await stranger.get('/api/refunds')).json.data).toEqual([]);
});

describe.each([
  ['an offline payment in live mode', 'live', undefined],
  ['an offline payment', 'test', undefined],
  ['a card payment', 'test', cardNumbers.good],
] as const)('a refund of %s', (_, mode, number) => {
  test('is 201 and pending with exactly these fields, and is then processed automatically', async () => {
    const { [mode]: own } = await newAccount(stack.baseUrl);
    const { invoice, payment } = await newPayment(own, number, { currency: 'INR' });
    const paid = (await own.get(`/api/invoices/${invoice.id}`)).json;
    await stack.queues.pause();
    const response = await refund(own, payment.id);
    expect(response.status).toBe(201);
    expectHeaders(response);
    expect(response.json).toEqual({
      id: expect.stringMatching(/^ref_[0-9a-z]{26}$/),
      paymentId: payment.id,
      invoiceId: invoice.id,
      amount: 2500,
      currency: 'INR',
      status: 'pending',
      reason: null,
      failureCode: null,
      createdAt: timestamp,
      updatedAt: response.json.createdAt,
    });
    expect((await own.get(`/api/refunds/${response.json.id}`)).text).toBe(response.text);
    expect((await own.get(`/api/payments/${payment.id}`)).json).toEqual(payment);
    stack.queues.resume();

    const processed = await waitForOutcome(own, 'refunds', response.json.id);
    expect(processed).toEqual({ ...response.json, status: 'processed', updatedAt: processed.updatedAt });
    expect(processed.updatedAt > response.json.updatedAt).toBe(true);
    const refunded = (await own.get(`/api/payments/${payment.id}`)).json;
    expect(refunded).toEqual({ ...payment, amountRefunded: 2500, updatedAt: refunded.updatedAt });
    expect(refunded.updatedAt > payment.updatedAt).toBe(true);
    expect((await own.get('/api/payments')).json.data).toEqual([refunded]);
    expect((await own.get(`/api/invoices/${invoice.id}`)).json).toEqual(paid);
  });
});

test('a payment can be refunded in parts until nothing is left, and only processed refunds count as refunded', async () => {
  const own = await newApi();
  const { id } = (await newPayment(own, cardNumbers.good)).payment;
  const amountRefunded = async () => (await own.get(`/api/payments/${id}`)).json.amountRefunded;
  const expectTooMuch = async (amount: number | undefined, left: number) => {
    const response = await refund(own, id, { amount });
    expectError(response, 400, 'refund_exceeds_payment');
    expect(response.json.error.message).toContain(`This payment has ${left} left to refund.`);
  };
  await expectTooMuch(2501, 2500);
  await stack.queues.pause();
  const first = (await refund(own, id, { amount: 1000, reason: 'Half of it' })).json;
  expect(first).toMatchObject({ amount: 1000, reason: 'Half of it', status: 'pending' });
  await expectTooMuch(1501, 1500);
  await expectTooMuch(2500, 1500);
  expect(await amountRefunded()).toBe(0);
  stack.queues.resume();
  await waitForOutcome(own, 'refunds', first.id);
  expect(await amountRefunded()).toBe(1000);
  await expectTooMuch(1501, 1500);
  const second = (await refund(own, id, { amount: null, reason: null })).json;
  expect(second).toMatchObject({ amount: 1500, reason: null });
  await expectTooMuch(1, 0);
  await expectTooMuch(undefined, 0);
  await waitForOutcome(own, 'refunds', second.id);
  expect(await amountRefunded()).toBe(2500);
  await expectTooMuch(undefined, 0);
  expect((await own.get('/api/refunds')).json.pagination.total).toBe(2);
});

test('every valid reason is stored as sent', async () => {
  const own = await newApi();
  const { id } = (await newPayment(own)).payment;
  const reasons = [
    null,
    'x',
    ' x ',
    '<b>O\'Brien & "Sons"</b>',
    'བརྡ་',
    'x'.repeat(500),
    '\u{1F600}'.repeat(500),
  ];
  for (const reason of reasons) {
    const response = await refund(own, id, { amount: 1, reason });
    expect([response.status, response.json.reason]).toEqual([201, reason]);
    expect((await own.get(`/api/refunds/${response.json.id}`)).json.reason).toBe(reason);
  }
});

test('a refund that fails shows its failure code, and its amount can be refunded again', async () => {
  const own = await newApi();
  const { id } = (await newPayment(own, cardNumbers.refundFails)).payment;
  const first = (await refund(own, id, { amount: 2000 })).json;
  expect(first.status).toBe('pending');
  const tooMuch = await refund(own, id, { amount: 501 });
  expectError(tooMuch, 400, 'refund_exceeds_payment');
  const failed = await waitForOutcome(own, 'refunds', first.id);
  expect(failed).toEqual({
    ...first,
    status: 'failed',
    failureCode: 'refund_refused',
    updatedAt: failed.updatedAt,
  });
  const payment = (await own.get(`/api/payments/${id}`)).json;
  expect(payment).toMatchObject({ status: 'completed', amountRefunded: 0 });
  const second = (await refund(own, id)).json;
  expect(second).toMatchObject({ amount: 2500, status: 'pending' });
  const after = await waitForResource(own, `/api/refunds/${second.id}`, ({ status }) => status === 'failed');
  expect(after.failureCode).toBe('refund_refused');
  expect((await own.get(`/api/payments/${id}`)).json).toEqual(payment);
});

describe('repetitions', () => {
  test('replay the pending response byte by byte after the refund was processed, and refund nothing more', async () => {
    const own = await newApi();
    const { id } = (await newPayment(own)).payment;
    const first = await refund(own, id, { amount: 2000 }, 'key');
    await waitForOutcome(own, 'refunds', first.json.id);
    const again = await refund(own, id, { amount: 2000 }, 'key');
    expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true]);
    expectError(await refund(own, id, { amount: 100 }, 'key'), 400, 'idempotency_key_reused');
    expectError(await refund(own, id, { amount: 0 }, 'key'), 400, 'invalid_amount', 'amount');
    expect((await own.get('/api/refunds')).json.pagination.total).toBe(1);
  });

  test('20 parallel requests under one key create one refund, and all return its bytes', async () => {
    const own = await newApi();
    const { id } = (await newPayment(own)).payment;
    const responses = await repeatInParallel(20, () => refund(own, id, {}, 'key'));
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
    expect((await own.get('/api/refunds')).json.pagination.total).toBe(1);
    expectError(await refund(own, id, {}, 'other'), 400, 'refund_exceeds_payment');
  });
});
