/** The table of test cards, against what users were told of it. */
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { cardNumberSchema, summaryOf } from '../../../shared/payments/card.ts';
import { failures } from '../../../shared/payments/failures.ts';
import { testCardOf, testCards } from '../../../shared/payments/test-cards.ts';

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
  expect(testCardOf(number)).toEqual({ number, capture, refund });
  expect(summaryOf({ number })).toEqual({ brand, last4: number.slice(-4) });
});

test('there are no others', () => {
  expect(testCards).toHaveLength(9);
  expect(new Set(testCards.map(({ number }) => number)).size).toBe(9);
  for (const number of ['4111111111111111', '', '4242 4242 4242 4242', '424242424242424', 'toString']) {
    expect(testCardOf(number)).toBeUndefined();
  }
});

test('each is a card number that a form takes', () => {
  for (const { number } of testCards) expect(v.parse(cardNumberSchema, number)).toBe(number);
});

test('each failure has a sentence for the payer', () => {
  for (const { capture } of testCards) {
    if (capture === 'done' || capture === 'later') continue;
    expect(failures[capture]).toMatch(/^The .+\.$/);
  }
});
