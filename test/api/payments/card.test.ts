/** Tests POST /api/payments with test cards whose outcome is known immediately, also repeated and in parallel. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount } from '../../support/api.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import {
  cardBody,
  cardNumbers,
  cardOf,
  isReplay,
  newInvoice,
  offlineBody,
  repeatInParallel,
  timestamp,
  underKey,
} from './new-payment.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

const newApi = async () => (await newAccount(stack.baseUrl)).test;
const pay = (api: Api, body: unknown, key?: string) =>
  api.post('/api/payments', body, key === undefined ? {} : underKey(key));
const statusOf = async (api: Api, id: string) => (await api.get(`/api/invoices/${id}`)).json.status;
const failures = {
  card_declined: 'The card was declined.',
  insufficient_funds: 'The card has insufficient funds.',
  expired_card: 'The card has expired.',
  incorrect_cvc: "The card's security code is incorrect.",
  processing_error: 'The payment could not be processed, and nothing was charged.',
};

describe.each([
  ['4242424242424242', 'visa', undefined],
  ['5555 5555 5555 4444', 'mastercard', undefined],
  ['4000-0000-0000-5126', 'visa', undefined],
  ['4000000000000002', 'visa', 'card_declined'],
  ['4000000000009995', 'visa', 'insufficient_funds'],
  ['4000000000000069', 'visa', 'expired_card'],
  ['4000000000000127', 'visa', 'incorrect_cvc'],
  ['4000000000000119', 'visa', 'processing_error'],
] as const)('%s', (number, brand, failureCode) => {
  const status = failureCode ? 'failed' : 'completed';

  test(`gives 201 with a ${status} payment with exactly these fields, and the invoice is ${failureCode ? 'payable again' : 'paid'}`, async () => {
    const api = await newApi();
    const invoice = await newInvoice(api);
    const response = await pay(api, cardBody(invoice.id, number, { amount: 2500 }));
    expect(response.status).toBe(201);
    expectHeaders(response);
    const payment = response.json;
    expect(payment).toEqual({
      id: expect.stringMatching(/^pay_[0-9a-z]{26}$/),
      invoiceId: invoice.id,
      customerId: invoice.customerId,
      amount: 2500,
      currency: 'USD',
      status,
      method: 'card',
      card: { brand, last4: number.slice(-4) },
      reference: null,
      amountRefunded: 0,
      failureCode: failureCode ?? null,
      failureMessage: failureCode ? expect.stringContaining(failures[failureCode]) : null,
      dispute: null,
      createdAt: timestamp,
      updatedAt: timestamp,
    });
    expect(payment.updatedAt > payment.createdAt).toBe(true);
    expect((await api.get(`/api/payments/${payment.id}`)).text).toBe(response.text);
    expect((await api.get('/api/payments')).json.data).toEqual([payment]);
    expect((await api.get(`/api/payments?status=${status}`)).json.data).toEqual([payment]);
    expect((await api.get('/api/payments?status=pending')).json.data).toEqual([]);
    if (!failureCode) {
      expect(await statusOf(api, invoice.id)).toBe('paid');
      return;
    }
    expect((await api.get(`/api/invoices/${invoice.id}`)).json).toEqual(invoice);
    expect((await api.patch(`/api/invoices/${invoice.id}`, { amount: 7 })).status).toBe(200);
    expect((await pay(api, cardBody(invoice.id))).json).toMatchObject({ status: 'completed', amount: 7 });
    expect(await statusOf(api, invoice.id)).toBe('paid');
    expect((await api.get(`/api/payments/${payment.id}`)).json).toEqual(payment);
  });
});

test('a payment with an amount that differs from the invoice is rejected and does not bind the invoice', async () => {
  const api = await newApi();
  const { id } = await newInvoice(api);
  for (const amount of [1, 2499, 2501]) {
    const refused = await pay(api, cardBody(id, undefined, { amount }));
    expectError(refused, 400, 'invalid_amount', 'amount');
    expect(refused.json.error.message).toContain('2500');
  }
  expect((await api.get('/api/payments')).json.data).toEqual([]);
  expect((await pay(api, cardBody(id))).json.status).toBe('completed');
});

describe('repetitions', () => {
  test.each([
    ['completed', (id: string) => cardBody(id)],
    ['failed', (id: string) => cardBody(id, cardNumbers.declined)],
    ['completed', (id: string) => offlineBody(id, { reference: 'x' })],
  ])(
    'the response "%s" is replayed byte by byte in every later state of payment and invoice',
    async (status, bodyOf) => {
      const api = await newApi();
      const { id } = await newInvoice(api);
      const first = await pay(api, bodyOf(id), 'key');
      expect([first.status, first.json.status, isReplay(first)]).toEqual([201, status, false]);
      const repeat = async () => {
        const again = await pay(api, bodyOf(id), 'key');
        expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true]);
      };
      await repeat();
      if (status === 'failed') await pay(api, offlineBody(id));
      else await api.post('/api/refunds', { paymentId: first.json.id });
      await repeat();
      const total = (await api.get('/api/payments')).json.pagination.total;
      expect(total).toBe(status === 'failed' ? 2 : 1);
    },
  );

  test('a different request under a used key is validated first and then rejected', async () => {
    const api = await newApi();
    const [one, other] = [await newInvoice(api), await newInvoice(api)];
    await pay(api, cardBody(one.id), 'key');
    for (const body of [
      cardBody(other.id),
      cardBody(one.id, '5555555555554444'),
      cardBody(one.id, undefined, { amount: 2500 }),
      { ...cardBody(one.id), card: cardOf(undefined, { cvc: '999' }) },
      offlineBody(one.id),
      offlineBody(other.id),
    ]) {
      expectError(await pay(api, body, 'key'), 400, 'idempotency_key_reused');
    }
    expectError(await pay(api, { ...cardBody(one.id), amount: 0 }, 'key'), 400, 'invalid_amount', 'amount');
    expect((await api.get('/api/payments')).json.pagination.total).toBe(1);
    expect(await statusOf(api, other.id)).toBe('pending');
  });

  test('a rejected request does not use its key', async () => {
    const api = await newApi();
    const { id } = await newInvoice(api);
    expectError(
      await pay(api, cardBody(id, undefined, { amount: 1 }), 'key'),
      400,
      'invalid_amount',
      'amount',
    );
    expectError(
      await pay(api, cardBody(id, '4111111111111111'), 'key'),
      400,
      'test_card_required',
      'card.number',
    );
    expectError(
      await pay(api, cardBody(`inv_${'0'.repeat(26)}`), 'key'),
      400,
      'invalid_invoice',
      'invoiceId',
    );
    const paid = await pay(api, cardBody(id), 'key');
    expect([paid.json.status, isReplay(paid)]).toEqual(['completed', false]);
    expectError(await pay(api, cardBody(id), 'other'), 400, 'invoice_already_paid');
    expect((await pay(api, cardBody((await newInvoice(api)).id), 'other')).json.status).toBe('completed');
  });
});

describe('20 parallel requests under one key', () => {
  test.each([
    ['completed', 'paid', (id: string) => cardBody(id)],
    ['failed', 'pending', (id: string) => cardBody(id, cardNumbers.declined)],
    ['pending', 'pending', (id: string) => cardBody(id, cardNumbers.slow)],
    ['completed', 'paid', (id: string) => offlineBody(id)],
  ])(
    'create one %s payment and all return its bytes, and the invoice is %s',
    async (status, invoiceStatus, bodyOf) => {
      const api = await newApi();
      const { id } = await newInvoice(api);
      const responses = await repeatInParallel(20, () => pay(api, bodyOf(id), 'key'));
      expect(responses.map((response) => response.status)).toEqual(Array(20).fill(201));
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
      expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
      expect(responses[0]?.json.status).toBe(status);
      const later = await pay(api, bodyOf(id), 'key');
      expect([later.text, isReplay(later)]).toEqual([responses[0]?.text, true]);
      const { data } = (await api.get('/api/payments')).json;
      expect(data.map((payment: { id: string }) => payment.id)).toEqual([responses[0]?.json.id]);
      if (status !== 'pending') expect(await statusOf(api, id)).toBe(invoiceStatus);
    },
  );

  test('with two different bodies: one body takes effect, and requests with the other are rejected', async () => {
    const api = await newApi();
    const { id } = await newInvoice(api);
    const numbers = [cardNumbers.good, '5555555555554444'];
    const responses = await repeatInParallel(10, (index) =>
      pay(api, cardBody(id, numbers[index % 2]), 'key'),
    );
    const [winners, losers] = [201, 400].map((code) => responses.filter(({ status }) => status === code));
    expect([winners?.length, losers?.length]).toEqual([5, 5]);
    expect(new Set(winners?.map(({ text }) => text)).size).toBe(1);
    expect(new Set(losers?.map(({ json }) => json.error.code))).toEqual(new Set(['idempotency_key_reused']));
    expect((await api.get('/api/payments')).json.pagination.total).toBe(1);
  });
});
