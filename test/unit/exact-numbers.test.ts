/** Tests that a number of a JSON text counts by its digits, and not by the double to which `JSON.parse` rounds it. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { exactReviver, InexactNumber } from '../../shared/base/exact-numbers.ts';
import { canonicalJson } from '../../shared/base/strict-json.ts';

const read = (digits: string) => JSON.parse(`{"n":${digits}}`, exactReviver(`{"n":${digits}}`)).n;

test.each([
  ['100', 100],
  ['1e3', 1000],
  ['1.0', 1],
  ['100.0000000000000000000', 100],
  ['0.000000000001e14', 100],
  ['1E+2', 100],
  ['-0', -0],
  ['0e99999', 0],
  ['99.5', 99.5],
  ['0.1', 0.1],
  ['999999999999', 999_999_999_999],
  ['9007199254740991', 9_007_199_254_740_991],
])('%s is the number %d', (digits, expected) => {
  expect(read(digits)).toBe(expected);
});

test.each([
  '99.99999999999999999',
  '100.00000000000000001',
  '0.99999999999999999999',
  '1e-400',
  '1e400',
  '-1e400',
  '9007199254740993',
  '1e99999999999999999999999',
  `1.${'0'.repeat(60_000)}1`,
])('%s is no number that a double holds', (digits) => {
  expect(read(digits)).toBeInstanceOf(InexactNumber);
});

test('texts that look like numbers, and numbers without a risk, are not touched', () => {
  const text = '{"a":"99.99999999999999999","b":[1,2,{"c":null}],"d":"1e400","e":true}';
  expect(JSON.parse(text, exactReviver(text))).toEqual(JSON.parse(text));
  expect(exactReviver('{"amount":2500,"currency":"USD"}')).toBeUndefined();
});

/** A decimal number as its digits, and how many of them are after the point. */
const decimal = fc
  .tuple(fc.bigInt(0n, 10n ** 30n), fc.nat(25))
  .map(([digits, places]) => ({ digits, places }));
const textOf = ({ digits, places }: { digits: bigint; places: number }) => {
  const all = String(digits).padStart(places + 1, '0');
  return places === 0 ? all : `${all.slice(0, -places)}.${all.slice(-places)}`;
};

test('property: a number that is read as a safe integer is one by its digits, with this value', () => {
  fc.assert(
    fc.property(decimal, (number) => {
      const value = read(textOf(number));
      // A larger double can have the same shortest digits and another value.
      if (!Number.isSafeInteger(value)) return;
      expect(BigInt(value) * 10n ** BigInt(number.places)).toBe(number.digits);
    }),
    { examples: [[{ digits: 9_999_999_999_999_999_999n, places: 17 }]] },
  );
});

test('property: two numbers have the same canonical form exactly if they are equal', () => {
  fc.assert(
    fc.property(decimal, fc.nat(5), decimal, (one, zeros, other) => {
      const same = { digits: one.digits * 10n ** BigInt(zeros), places: one.places + zeros };
      expect(canonicalJson(read(textOf(same)))).toBe(canonicalJson(read(textOf(one))));
      const areEqual = one.digits * 10n ** BigInt(other.places) === other.digits * 10n ** BigInt(one.places);
      expect(canonicalJson(read(textOf(one))) === canonicalJson(read(textOf(other)))).toBe(areEqual);
    }),
  );
});
