import { expect, test } from '@jest/globals';
import { maxAmount } from '../../../shared/base/money.ts';
import { amountInWords } from '../../../shared/web/documents/amount-in-words.ts';

test.each([
  [0, 'Rupees Zero Only'],
  [1, 'Rupees Zero and One Paise Only'],
  [100, 'Rupees One Only'],
  [1_950, 'Rupees Nineteen and Fifty Paise Only'],
  [2_100, 'Rupees Twenty-One Only'],
  [99_999, 'Rupees Nine Hundred Ninety-Nine and Ninety-Nine Paise Only'],
  [100_000, 'Rupees One Thousand Only'],
  [10_000_000, 'Rupees One Lakh Only'],
  [12_345_650, 'Rupees One Lakh Twenty-Three Thousand Four Hundred Fifty-Six and Fifty Paise Only'],
  [1_000_000_000, 'Rupees One Crore Only'],
  [
    maxAmount,
    'Rupees Nine Hundred Ninety-Nine Crore Ninety-Nine Lakh Ninety-Nine Thousand Nine Hundred Ninety-Nine and Ninety-Nine Paise Only',
  ],
])('%d paise in words', (minor, words) => {
  expect(amountInWords(minor, 'INR')).toBe(words);
});

test('the ngultrum has its own words, and dollars are not written in words', () => {
  expect(amountInWords(10_000_025, 'BTN')).toBe('Ngultrum One Lakh and Twenty-Five Chhetrum Only');
  expect(amountInWords(10_000_025, 'USD')).toBeUndefined();
});
