/** Tests parallel refunds of one payment: together they never exceed it, and the whole payment can be refunded. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { newAccount } from '../../support/api.ts';
import { startTestStack } from '../../support/stack.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { cardNumbers, codesOf, newPayment, repeatInParallel, underKey } from '../payments/new-payment.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

interface ListedRefund {
  readonly amount: number;
  readonly status: string;
}

async function newRefundablePayment(number?: string) {
  const { test: api } = await newAccount(stack.baseUrl);
  const { id } = (await newPayment(api, number)).payment;
  const refundsOf = async (): Promise<ListedRefund[]> =>
    (await api.get(`/api/refunds?limit=100&paymentId=${id}`)).json.data;
  const settled = () =>
    waitUntil('no refund is pending', async () => {
      const refunds = await refundsOf();
      return refunds.every(({ status }) => status !== 'pending') ? refunds : undefined;
    });
  const amountRefunded = async () => (await api.get(`/api/payments/${id}`)).json.amountRefunded;
  return { api, id, settled, amountRefunded };
}

const sumOf = (refunds: readonly ListedRefund[]) => refunds.reduce((sum, { amount }) => sum + amount, 0);

test.each([
  ['an offline payment', undefined],
  ['a card payment', cardNumbers.good],
])('of 25 parallel refunds, each of a tenth of %s, exactly 10 are accepted', async (_, number) => {
  const { api, id, settled, amountRefunded } = await newRefundablePayment(number);
  const responses = await repeatInParallel(25, (index) => {
    const options = index % 2 ? underKey(`key ${index}`) : {};
    return api.post('/api/refunds', { paymentId: id, amount: 250 }, options);
  });
  expect(codesOf(responses)).toEqual([...Array(10).fill(201), ...Array(15).fill('refund_exceeds_payment')]);
  const refunds = await settled();
  expect(refunds.map(({ status, amount }) => [status, amount])).toEqual(Array(10).fill(['processed', 250]));
  expect(await amountRefunded()).toBe(2500);
});

test('of 20 parallel refunds without an amount, one is accepted', async () => {
  const { api, id, settled, amountRefunded } = await newRefundablePayment(cardNumbers.good);
  const responses = await repeatInParallel(20, () => api.post('/api/refunds', { paymentId: id }));
  expect(codesOf(responses)).toEqual([201, ...Array(19).fill('refund_exceeds_payment')]);
  expect(sumOf(await settled())).toBe(2500);
  expect(await amountRefunded()).toBe(2500);
});

test('refunds of different amounts never exceed the payment, even while some are being processed', async () => {
  const { api, id, settled, amountRefunded } = await newRefundablePayment(cardNumbers.good);
  for (let run = 0; run < 3; run++) {
    const responses = await repeatInParallel(10, (index) =>
      api.post('/api/refunds', { paymentId: id, ...(index > 0 && { amount: 100 * index + run }) }),
    );
    for (const code of codesOf(responses)) expect([201, 'refund_exceeds_payment']).toContain(code);
  }
  const refunds = await settled();
  expect(refunds.every(({ status }) => status === 'processed')).toBe(true);
  expect(sumOf(refunds)).toBe(await amountRefunded());
  // The refund without an amount has refunded all that was left.
  expect(sumOf(refunds)).toBe(2500);
});

test('refunds that fail release exactly the amounts that they had reserved', async () => {
  const { api, id, settled, amountRefunded } = await newRefundablePayment(cardNumbers.refundFails);
  const parts = (amount: number) => () => api.post('/api/refunds', { paymentId: id, amount });
  expect(codesOf(await repeatInParallel(8, parts(500)))).toEqual([
    ...Array(5).fill(201),
    ...Array(3).fill('refund_exceeds_payment'),
  ]);
  expect((await settled()).map(({ status }) => status)).toEqual(Array(5).fill('failed'));
  expect(await amountRefunded()).toBe(0);
  expect(codesOf(await repeatInParallel(4, parts(1250)))).toEqual([
    ...Array(2).fill(201),
    ...Array(2).fill('refund_exceeds_payment'),
  ]);
});
