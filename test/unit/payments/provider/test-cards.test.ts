/** Tests the list of test cards against its documentation. */
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { cardNumberSchema, summarizeCard } from '../../../../shared/domain/payments/provider/card.ts';
import { failures } from '../../../../shared/domain/payments/provider/failures.ts';
import { findTestCard, testCards } from '../../../../shared/domain/payments/provider/test-cards.ts';

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

test('the list contains no other cards', () => {
  expect(testCards).toHaveLength(9);
  expect(new Set(testCards.map(({ number }) => number)).size).toBe(9);
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
