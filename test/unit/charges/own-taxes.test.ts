/** Tests the taxes of an account: what a request can define, and which rate a line takes on a day. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import type { FilledLine } from '../../../shared/domain/charges/line.ts';
import {
  newAccountTaxesSchema,
  type OwnTax,
  type RatedBody,
  taxesInTexts,
  textsOfTaxes,
  toOwnTaxes,
  withRates,
} from '../../../shared/domain/charges/own-taxes.ts';

const levy: OwnTax = {
  code: 'own_hotel',
  name: 'Hotel levy',
  rates: [
    { from: '2026-01-01', percent: '3' },
    { from: '2027-01-01', percent: '4.5' },
  ],
};
const line = { description: 'Room', quantity: '1', unitAmount: 1000, tax: 'own_hotel' } as const;

test.each([
  ['2026-01-01', '3'],
  ['2026-12-31', '3'],
  ['2027-01-01', '4.5'],
  ['2040-06-30', '4.5'],
])('on %s, a line has the rate %s', (day, taxPercent) => {
  const { lines } = withRates({ lines: [line, { ...line, tax: 'none' }] }, [levy], day);
  expect(lines).toEqual([
    { ...line, taxPercent, taxName: 'Hotel levy' },
    { ...line, tax: 'none' },
  ]);
});

test('a rate that a client sends is ignored', () => {
  const sent = { ...line, taxPercent: '90', taxName: 'Other' };
  expect(withRates({ lines: [sent] }, [levy], '2026-05-01').lines).toEqual([
    { ...line, taxPercent: '3', taxName: 'Hotel levy' },
  ]);
});

test('an unknown tax, and a day before the first rate, are refused with the line', () => {
  const refusal = (taxes: readonly OwnTax[], day: string) => () =>
    withRates({ lines: [{ ...line, tax: 'none' }, line] }, taxes, day);
  expect(refusal([], '2026-05-01')).toThrow(
    expect.objectContaining({
      code: 'invalid_lines',
      field: 'lines.1.tax',
      message: expect.stringContaining('no tax own_hotel'),
    }),
  );
  expect(refusal([levy], '2025-12-31')).toThrow(
    expect.objectContaining({
      field: 'lines.1.tax',
      message: expect.stringContaining('exists from 2026-01-01 on'),
    }),
  );
});

const rates = [{ from: '2026-01-01', percent: '3' }];
test.each<[string, unknown, string]>([
  ['a code without own_', { code: 'hotel', name: 'Hotel', rates }, 'must be own_'],
  ['a code with other characters', { code: 'own_Hotel', name: 'Hotel', rates }, 'must be own_'],
  ['a code of 35 characters', { code: `own_${'a'.repeat(31)}`, name: 'Hotel', rates }, 'must be own_'],
  ['no name', { code: 'own_hotel', name: '', rates }, 'name of a tax'],
  ['a name of 51 characters', { code: 'own_hotel', name: 'a'.repeat(51), rates }, 'name of a tax'],
  ['a change of direction in the name', { code: 'own_hotel', name: 'a\u202eb', rates }, 'hidden characters'],
  ['a card number as the name', { code: 'own_hotel', name: '4242 4242 4242 4242', rates }, 'card number'],
  ['no rate', { code: 'own_hotel', name: 'Hotel', rates: [] }, '1 to 20'],
  [
    'a day that does not exist',
    { code: 'own_hotel', name: 'Hotel', rates: [{ from: '2026-02-30', percent: '3' }] },
    'must be a date',
  ],
  [
    'a time',
    { code: 'own_hotel', name: 'Hotel', rates: [{ from: '2026-02-03T00:00:00Z', percent: '3' }] },
    'must be a date',
  ],
  [
    'more than 100 %',
    { code: 'own_hotel', name: 'Hotel', rates: [{ from: '2026-01-01', percent: '100.1' }] },
    'from 0 to 100',
  ],
  [
    'less than 0 %',
    { code: 'own_hotel', name: 'Hotel', rates: [{ from: '2026-01-01', percent: '-1' }] },
    'from 0 to 100',
  ],
  [
    'a number',
    { code: 'own_hotel', name: 'Hotel', rates: [{ from: '2026-01-01', percent: 3 }] },
    'from 0 to 100',
  ],
  [
    'a day twice',
    { code: 'own_hotel', name: 'Hotel', rates: [...rates, ...rates] },
    'not the same first day',
  ],
])('%s is refused', (_, tax, message) => {
  const { issues = [] } = v.safeParse(newAccountTaxesSchema, [tax]);
  expect(issues.map((issue) => issue.message).join()).toContain(message);
});

test('at most 20 taxes, each code once', () => {
  const taxes = (count: number, codeOf: (index: number) => string) =>
    v.safeParse(
      newAccountTaxesSchema,
      Array.from({ length: count }, (_, index) => ({ code: codeOf(index), name: 'A', rates })),
    ).success;
  expect(taxes(20, (index) => `own_${index}`)).toBe(true);
  expect(taxes(21, (index) => `own_${index}`)).toBe(false);
  expect(taxes(2, () => 'own_a')).toBe(false);
});

test('rates are stored with the oldest first', () => {
  const [first, second] = levy.rates;
  expect(
    toOwnTaxes([
      { ...levy, rates: [second ?? { from: '', percent: '' }, first ?? { from: '', percent: '' }] },
    ]),
  ).toEqual([levy]);
});

const rateOn = (taxed: FilledLine, taxes: readonly OwnTax[], day: string) =>
  withRates<RatedBody>({ lines: [taxed] }, taxes, day).lines?.[0]?.taxPercent;

const anyTax = fc.record({
  code: fc.stringMatching(/^own_[a-z0-9_]{1,30}$/) as fc.Arbitrary<OwnTax['code']>,
  name: fc.stringMatching(/^[A-Za-z]([A-Za-z ]{0,20}[A-Za-z])?$/),
  rates: fc
    .uniqueArray(
      fc
        .date({ min: new Date('2000-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
        .map((date) => date.toJSON().slice(0, 10)),
      { minLength: 1, maxLength: 20 },
    )
    .map((days) => days.toSorted().map((from, index) => ({ from, percent: String(index / 2) }))),
});

test('any taxes come back from their texts, and any day has the newest rate that has begun', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anyTax, { selector: ({ code }) => code, maxLength: 20 }),
      fc.constantFrom('1999-12-31', '2026-06-01', '2090-12-31'),
      (taxes, day) => {
        const texts = textsOfTaxes(taxes);
        expect(toOwnTaxes(v.parse(newAccountTaxesSchema, taxesInTexts(texts)))).toEqual(taxes);
        for (const { code, rates: ofTax } of taxes) {
          const begun = ofTax.filter(({ from }) => from <= day).at(-1);
          const rated = () => rateOn({ ...line, tax: code }, taxes, day);
          if (begun) expect(rated()).toBe(begun.percent);
          else expect(rated).toThrow();
        }
      },
    ),
  );
});

test('a text that is no rate is refused by its parts', () => {
  for (const text of ['own_hotel', 'own_hotel 3', 'hotel 3 2026-01-01 Hotel', 'own_hotel x 2026-01-01 Hotel'])
    expect(v.safeParse(newAccountTaxesSchema, taxesInTexts([text])).success).toBe(false);
});
