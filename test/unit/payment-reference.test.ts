/** Tests that payment references are a permutation, and that their check characters notice what people mistype. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  formatPaymentReference,
  parsePaymentReference,
  paymentReferenceOf,
  type ReferenceScope,
  sequenceNumberOf,
} from '../../shared/domain/invoices/payment-reference.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const scope: ReferenceScope = {
  account: 'acct_0123456789abcdef',
  mode: 'live',
  idKey: new Uint8Array(32).fill(7),
};
const scopes = fc.record({
  account: fc.constantFrom('acct_0123456789abcdef', 'acct_0123456789abcdeg'),
  mode: fc.constantFrom('test' as const, 'live' as const),
  idKey: fc.uint8Array({ minLength: 32, maxLength: 32 }),
});
const numbers = fc.integer({ min: 0, max: 2 ** 30 - 1 });
const referenceOf = (seq: number, of = scope) => paymentReferenceOf(of, seq) ?? '';

test('the reference of a number never changes', () => {
  expect([1, 2, 3].map((seq) => referenceOf(seq))).toEqual(['3RPKPH4X', 'YFSQTA87', '1K0ZF8F5']);
  expect(formatPaymentReference('R7K2M9QX')).toBe('R7K2-M9QX');
});

test('property: a reference leads back to its number, in the own account and mode', () => {
  fc.assert(
    fc.property(scopes, numbers, (of, seq) => {
      const reference = referenceOf(seq, of);
      expect(reference).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
      expect(sequenceNumberOf(of, reference)).toBe(seq);
    }),
  );
});

test('the references of 5000 numbers differ, and those of two modes, accounts and keys have nothing in common', () => {
  const of = (other: ReferenceScope) => Array.from({ length: 5000 }, (_, seq) => referenceOf(seq, other));
  expect(new Set(of(scope)).size).toBe(5000);
  const first = of(scope).slice(0, 50);
  for (const change of [{ mode: 'test' as const }, { account: 'acct_1' }, { idKey: new Uint8Array(32) }])
    expect(of({ ...scope, ...change }).filter((reference) => first.includes(reference))).toEqual([]);
});

test('numbers from 2^30 on have no reference', () => {
  expect(paymentReferenceOf(scope, 2 ** 30 - 1)).toHaveLength(8);
  expect(paymentReferenceOf(scope, 2 ** 30)).toBeUndefined();
});

describe('check characters', () => {
  test('property: every single wrong character, every swap and every pair of wrong characters is noticed', () => {
    fc.assert(
      fc.property(numbers, (seq) => {
        const reference = [...referenceOf(seq)];
        const isNoticed = (changes: Readonly<Record<number, string | undefined>>) =>
          parsePaymentReference(reference.map((character, at) => changes[at] ?? character).join('')) ===
          undefined;
        for (let at = 0; at < 8; at++) {
          for (const other of alphabet)
            if (other !== reference[at]) expect(isNoticed({ [at]: other })).toBe(true);
          for (let to = at + 1; to < 8; to++) {
            if (reference[at] === reference[to]) continue;
            expect(isNoticed({ [at]: reference[to], [to]: reference[at] })).toBe(true);
          }
        }
      }),
      { numRuns: 30 },
    );
    fc.assert(
      fc.property(
        numbers,
        fc.uniqueArray(fc.nat(7), { minLength: 2, maxLength: 2 }),
        fc.tuple(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 1, max: 31 })),
        (seq, places, by) => {
          const wrong = [...referenceOf(seq)];
          for (const [index, at] of places.entries())
            wrong[at] = alphabet[alphabet.indexOf(wrong[at] ?? '') ^ (by[index] ?? 0)] ?? '';
          expect(parsePaymentReference(wrong.join(''))).toBeUndefined();
        },
      ),
    );
  });

  test('property: case, hyphens, spaces and the letters that look like digits do not matter', () => {
    fc.assert(
      fc.property(
        numbers,
        fc.array(fc.constantFrom('-', ' ', '–', '\u00a0', ''), { minLength: 9, maxLength: 9 }),
        (seq, gaps) => {
          const reference = referenceOf(seq);
          const typed = [...reference].map((character, at) => gaps[at] + character).join('') + gaps[8];
          expect(parsePaymentReference(typed.toLowerCase())).toBe(reference);
          expect(parsePaymentReference(typed.replaceAll('0', 'o').replaceAll('1', 'l'))).toBe(reference);
          expect(parsePaymentReference(formatPaymentReference(reference))).toBe(reference);
        },
      ),
    );
  });

  test.each(['', 'R7K2', 'R7K2-M9QX-1', 'U0000000', 'inv_0h2m4zv8k6q1t9w3x5y7c2b4n6', '\u0000'])(
    'the text %j is no reference',
    (text) => expect(parsePaymentReference(text)).toBeUndefined(),
  );
});
