/** Tests the list of test cards against its documentation. */
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { Payment } from '../../../../shared/domain/payments/payment.ts';
import { cardNumberSchema, summarizeCard } from '../../../../shared/domain/payments/provider/card.ts';
import { failures } from '../../../../shared/domain/payments/provider/failures.ts';
import { findTestCard, testCards } from '../../../../shared/domain/payments/provider/test-cards.ts';
import { disputeOfTestCard } from '../../../../shared/domain/payments/test-dispute.ts';

test.each([
  ['4242424242424242', 'done', 'done', 'visa'],
  ['5555555555554444', 'done', 'done', 'mastercard'],
  ['4000000000000002', 'card_declined', 'done', 'visa'],
  ['4000000000009995', 'insufficient_funds', 'done', 'visa'],
  ['4000000000000069', 'expired_card', 'done', 'visa'],
  ['4000000000000127', 'incorrect_cvc', 'done', 'visa'],
  ['4000000000000119', 'processing_error', 'done', 'visa'],
  ['4000000000000077', 'later', 'done', 'visa'],
  ['4000000000005126', 'done', 'fails later', 'visa'],
])('%s: capture %s, refund %s', (number, capture, refund, brand) => {
  expect(findTestCard(number)).toEqual({ number, capture, refund });
  expect(summarizeCard({ number })).toEqual({ brand, last4: number.slice(-4) });
});

test('one card is disputed after its payment, which other payments with the same digits are not', () => {
  expect(testCards.filter(({ isDisputed }) => isDisputed).map(({ number }) => number)).toEqual([
    '4000000000000259',
  ]);
  const payment = {
    id: 'pay_1',
    mode: 'test',
    status: 'completed',
    amount: 2500,
    createdAt: 1_000,
  } as Payment;
  const card = { brand: 'visa', last4: '0259' } as const;
  expect(disputeOfTestCard({ ...payment, card })).toEqual({
    reference: 'pay_1:dispute',
    status: 'open',
    reason: 'fraudulent',
    amountMinor: 2500,
    isRefundable: false,
    respondBy: 1_000 + 7 * 86_400_000,
  });
  for (const other of [
    { mode: 'live' },
    { status: 'pending' },
    { card: null },
    { card: { ...card, last4: '4242' } },
  ])
    expect(disputeOfTestCard({ ...payment, card, ...other } as Payment)).toBeUndefined();
});

test('the list contains no other cards', () => {
  expect(testCards).toHaveLength(10);
  expect(new Set(testCards.map(({ number }) => number)).size).toBe(10);
  for (const number of ['4111111111111111', '', '4242 4242 4242 4242', '424242424242424', 'toString']) {
    expect(findTestCard(number)).toBeUndefined();
  }
});

test('each number is a valid card number', () => {
  for (const { number } of testCards) expect(v.parse(cardNumberSchema, number)).toBe(number);
});

test('each failure has a message for the payer', () => {
  for (const { capture } of testCards) {
    if (capture === 'done' || capture === 'later') continue;
    expect(failures[capture]).toMatch(/^The .+\.$/);
  }
});
