/** Tests which amounts and currencies are accepted, the messages for others, and how amounts are formatted. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  amountSchema,
  currencies,
  currencySchema,
  formatAmount,
  parseMajorUnits,
  toMajorUnits,
} from '../../shared/base/money.ts';

const message = (schema: v.GenericSchema, input: unknown) =>
  v.safeParse(schema, input, { abortEarly: true }).issues?.[0].message;

const amountMessage = 'amount must be an integer from 1 to 999999999999, in the smallest currency unit.';

test.each(['1', '1e3', '1.0', '999999999999', '100E-2'])('amount %s is accepted', (json) => {
  expect(v.parse(amountSchema, JSON.parse(json))).toBe(Number(json));
});

test.each([
  '"100"',
  '1.5',
  '0',
  '-0',
  '-1',
  'true',
  'null',
  '[]',
  '[1]',
  '{}',
  '1000000000000',
  '1e400',
  '1e-400',
])('amount %s is rejected', (json) => {
  expect(message(amountSchema, JSON.parse(json))).toBe(amountMessage);
});

test('an absent amount gets the same message', () => {
  expect(message(amountSchema, undefined)).toBe(amountMessage);
});

test('property: an amount is accepted if and only if it is an integer in range', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.maxSafeInteger(), fc.integer({ min: -5, max: 5 })), (amount) => {
      const isValid = Number.isInteger(amount) && amount >= 1 && amount <= 999_999_999_999;
      expect(v.is(amountSchema, amount)).toBe(isValid);
    }),
  );
});

test.each(currencies)('%s is accepted', (currency) => {
  expect(v.parse(currencySchema, currency)).toBe(currency);
});

test.each(['usd', 'Usd', 'uSD'])('%s is rejected with a hint at USD', (spelling) => {
  expect(message(currencySchema, spelling)).toBe('currency must be in uppercase: USD.');
});

test.each(['EUR', '', 'USD ', ' usd', 'US', 'BTN,USD', 'toString', 0, null, undefined, true, ['USD'], {}])(
  'currency %j is rejected',
  (currency) => {
    expect(message(currencySchema, currency)).toBe('currency must be one of BTN, USD, INR.');
  },
);

test('property: no other text is a currency', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 4 }), (text) => {
      expect(v.is(currencySchema, text)).toBe(currencies.some((currency) => currency === text));
    }),
  );
});

test.each([
  [12_345_650, 'BTN', 'Nu. 1,23,456.50'],
  [12_345_650, 'INR', '₹1,23,456.50'],
  [12_345_650, 'USD', '$123,456.50'],
  [1, 'BTN', 'Nu. 0.01'],
  [10, 'INR', '₹0.10'],
  [100, 'USD', '$1.00'],
  [99_999, 'BTN', 'Nu. 999.99'],
  [100_000, 'INR', '₹1,000.00'],
  [999_999_999_999, 'BTN', 'Nu. 9,99,99,99,999.99'],
  [999_999_999_999, 'USD', '$9,999,999,999.99'],
] as const)('%d in %s is formatted as %s', (amountMinor, currency, expected) => {
  expect(formatAmount(amountMinor, currency)).toBe(expected);
});

/** Groups the digits of whole units with integer arithmetic: the last three digits, then groups of `size`. */
function grouped(units: bigint, size: bigint): string {
  if (units < 1000n) return String(units);
  const groups = [String(units % 1000n).padStart(3, '0')];
  let rest = units / 1000n;
  for (; rest >= 10n ** size; rest /= 10n ** size) {
    groups.unshift(String(rest % 10n ** size).padStart(Number(size), '0'));
  }
  return [String(rest), ...groups].join();
}

test('property: every amount is formatted exactly, to its smallest unit', () => {
  const amounts = fc.integer({ min: 1, max: 999_999_999_999 });
  fc.assert(
    fc.property(amounts, fc.constantFrom(...currencies), (amountMinor, currency) => {
      const [units, rest] = [BigInt(amountMinor) / 100n, BigInt(amountMinor) % 100n];
      const sign = { BTN: 'Nu. ', INR: '₹', USD: '$' }[currency];
      const digits = grouped(units, currency === 'USD' ? 3n : 2n);
      expect(formatAmount(amountMinor, currency)).toBe(`${sign}${digits}.${String(rest).padStart(2, '0')}`);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['2500', 250_000],
  ['0.01', 1],
  ['2500.5', 250_050],
  ['2,500.00', 250_000],
  ['1,23,456.50', 12_345_650],
  ['9,999,999,999.99', 999_999_999_999],
])('%s is parsed as %d of the smallest unit', (text, amountMinor) => {
  expect(parseMajorUnits(text)).toBe(amountMinor);
});

test.each(['', '1,50', '1.234', '-1', '1e3', '1 000', '.5', '1.', ',100', '1,,000', '٣'])(
  '%j is not an amount',
  (text) => {
    expect(parseMajorUnits(text)).toBeUndefined();
  },
);

test('an amount in units of the currency is parsed as the same amount', () => {
  for (const amountMinor of [1, 99, 100, 250_000, 999_999_999_999])
    expect(parseMajorUnits(toMajorUnits(amountMinor))).toBe(amountMinor);
});
