/** Tests that no identifier, account number or phone number among 10,000,000 is taken for a card number. */
import { expect, test } from '@jest/globals';
import { containsCardNumber } from '../../shared/base/card-numbers.ts';
import { harmlessTexts, randomNumbers } from '../support/card-number-samples.ts';

const kinds = Object.entries(harmlessTexts);
const count = Math.ceil(10_000_000 / kinds.length);

test.each(kinds)(`none of ${count}: %s`, (_, make) => {
  const next = randomNumbers(2);
  const found: string[] = [];
  for (let made = 0; made < count; made++) {
    const text = make(next);
    if (containsCardNumber(text)) found.push(text);
  }
  expect(found).toEqual([]);
});
