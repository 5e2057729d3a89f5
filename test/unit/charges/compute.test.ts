/** Tests what the lines of an invoice come to, with chosen cases and with random invoices. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseDecimal } from '../../../shared/base/decimal.ts';
import { computeCharges } from '../../../shared/domain/charges/compute.ts';
import type { IndianSupply } from '../../../shared/domain/charges/indian-supply.ts';
import type { ChargeInput, Charges, LineInput } from '../../../shared/domain/charges/line.ts';
import { plainCharges, plainLines, plainTotals } from '../../../shared/domain/charges/plain-charges.ts';
import {
  hasOwnRate,
  isOwnTax,
  type TaxCodeName,
  taxCodeNames,
} from '../../../shared/domain/charges/tax-codes.ts';
import { isExhaustive } from '../../support/run.ts';

const numRuns = isExhaustive ? 20_000 : 150;
const day = '2026-11-27';
const line = (fields: Partial<LineInput> = {}): LineInput => ({
  id: null,
  description: 'Tea',
  quantity: '1',
  unit: null,
  unitAmount: 1000,
  discount: null,
  tax: 'none',
  taxPercent: null,
  productCode: null,
  ...fields,
});
const input = (lines: readonly LineInput[], fields: Partial<ChargeInput> = {}): ChargeInput => ({
  lines,
  prices: 'exclusive',
  discount: null,
  roundTo: null,
  ...fields,
});
const percent = (value: string) => ({ percent: value, amount: null });
const off = (amount: number) => ({ percent: null, amount });

describe('computeCharges', () => {
  test('uses the name and the rate that a line has for a tax of the account, and refuses it without a rate', () => {
    const taxed = line({ tax: 'own_hotel', taxPercent: '4.5', taxName: 'Hotel levy' });
    expect(computeCharges(input([taxed, line({ ...taxed, taxPercent: '4.50' })]), day).taxes).toEqual([
      { code: 'own_hotel', name: 'Hotel levy', percent: '4.5', taxable: 2_000, amount: 90 },
    ]);
    expect(() => computeCharges(input([line({ tax: 'own_hotel' })]), day)).toThrow(
      expect.objectContaining({ code: 'invalid_lines', field: 'lines.0.tax' }),
    );
  });

  test('adds 5 % to the sum of the lines, and divides it among them', () => {
    const lines = [
      line({ quantity: '2', unitAmount: 12_345, tax: 'bt_gst_5' }),
      line({ quantity: '0.5', unitAmount: 333, tax: 'bt_gst_5' }),
      line({ unitAmount: 5_000, tax: 'bt_zero' }),
    ];
    const charges = computeCharges(input(lines), day);
    // 0.5 × 3.33 = 1.665, rounded to 1.67. 5 % of 248.57 = 12.4285, rounded to 12.43.
    expect(charges.lines.map(({ amount, taxAmount }) => [amount, taxAmount])).toEqual([
      [24_690, 1_235],
      [167, 8],
      [5_000, 0],
    ]);
    expect(charges.taxes).toEqual([
      { code: 'bt_gst_5', name: 'GST', percent: '5', taxable: 24_857, amount: 1_243 },
      { code: 'bt_zero', name: 'GST zero-rated', percent: '0', taxable: 5_000, amount: 0 },
    ]);
    expect(charges.totals).toEqual({
      subtotal: 29_857,
      discount: 0,
      taxable: 29_857,
      tax: 1_243,
      rounding: 0,
    });
    expect(charges.amount).toBe(31_100);
  });

  test('takes the tax out of inclusive prices, and never changes their sum', () => {
    const charges = computeCharges(
      input([line({ unitAmount: 10_000, tax: 'bt_gst_5' })], { prices: 'inclusive' }),
      day,
    );
    expect(charges.taxes[0]).toMatchObject({ taxable: 9_524, amount: 476 });
    expect(charges.lines[0]).toMatchObject({ amount: 10_000, taxableAmount: 9_524, taxAmount: 476 });
    expect(charges.amount).toBe(10_000);
  });

  test('takes discounts of lines first, and then that of the invoice', () => {
    const lines = [
      line({ unitAmount: 10_000, discount: percent('12.5'), tax: 'bt_gst_5' }),
      line({ unitAmount: 5_000, discount: off(1_250) }),
    ];
    const charges = computeCharges(input(lines, { discount: percent('10') }), day);
    expect(charges.lines.map(({ amount, taxableAmount }) => [amount, taxableAmount])).toEqual([
      [8_750, 7_875],
      [3_750, 3_375],
    ]);
    expect(charges.totals).toEqual({
      subtotal: 12_500,
      discount: 1_250,
      taxable: 11_250,
      tax: 394,
      rounding: 0,
    });
  });

  test('rounds the amount to whole units of the currency, as a row of its own', () => {
    const charges = computeCharges(input([line({ unitAmount: 10_049 })], { roundTo: 100 }), day);
    expect([charges.totals.rounding, charges.amount]).toEqual([-49, 10_000]);
    const half = computeCharges(input([line({ unitAmount: 10_050 })], { roundTo: 100 }), day);
    expect([half.totals.rounding, half.amount]).toEqual([50, 10_100]);
  });

  test('computes a sales tax with the rate of the line', () => {
    const charges = computeCharges(input([line({ tax: 'us_sales', taxPercent: '8.875' })]), day);
    expect(charges.taxes).toEqual([
      { code: 'us_sales', name: 'Sales tax', percent: '8.875', taxable: 1_000, amount: 89 },
    ]);
  });

  test.each<[name: string, ChargeInput, code: string, field: string]>([
    [
      'a discount above the line',
      input([line({ discount: off(1_001) })]),
      'invalid_lines',
      'lines.0.discount.amount',
    ],
    [
      'a discount above the sum',
      input([line()], { discount: off(1_001) }),
      'invalid_discount',
      'discount.amount',
    ],
    [
      'a line that is too large',
      input([line(), line({ quantity: '999999999999', unitAmount: 2 })]),
      'invalid_lines',
      'lines.1',
    ],
    [
      'a sum that is too large',
      input(Array.from({ length: 3 }, () => line({ unitAmount: 400_000_000_000 }))),
      'invalid_lines',
      'lines',
    ],
    [
      'an amount that is too large with its tax',
      input([line({ unitAmount: 999_999_999_999, tax: 'bt_gst_5' })]),
      'invalid_amount',
      'amount',
    ],
    ['an amount of 0', input([line({ unitAmount: 0 })]), 'invalid_amount', 'amount'],
  ])('refuses %s', (_, charges, code, field) => {
    expect(() => computeCharges(charges, day)).toThrow(expect.objectContaining({ code, field }));
  });

  test('refuses a tax before it exists', () => {
    const taxed = input([line({ tax: 'bt_gst_5' })]);
    expect(() => computeCharges(taxed, '2025-12-31')).toThrow(
      expect.objectContaining({
        field: 'lines.0.tax',
        message: 'The tax bt_gst_5 exists from 2026-01-01 on, and the invoice is of 2025-12-31.',
      }),
    );
    expect(computeCharges(taxed, '2026-01-01').amount).toBe(1_050);
  });
});

const domestic = { sellerState: '29', kind: 'domestic', isReverseCharge: false } as const;

describe.each<[name: string, supply: IndianSupply]>([
  ['within a state of India', { ...domestic, placeOfSupply: '29' }],
  ['between states of India', { ...domestic, placeOfSupply: '27' }],
])('any invoice %s', (_name, supply) => {
  const decimal = (most: number) =>
    fc.integer({ min: 0, max: most * 1_000 }).map((value) => String(value / 1_000));
  const discount = fc.oneof(fc.constant(null), decimal(100).map(percent), fc.nat(200).map(off));
  const anyLine = fc
    .record({
      quantity: decimal(50).filter((text) => text !== '0'),
      unitAmount: fc.oneof(fc.nat(20), fc.integer({ min: 200_000, max: 10_000_000 })),
      discount,
      tax: fc.constantFrom<TaxCodeName>(...taxCodeNames, 'own_hotel', 'own_levy'),
      taxPercent: decimal(30),
    })
    .map(({ taxPercent, ...fields }) => {
      if (isOwnTax(fields.tax)) return line({ ...fields, taxPercent, taxName: 'Levy' });
      return line({ ...fields, taxPercent: hasOwnRate(fields.tax) ? taxPercent : null });
    });
  const anyInput = fc.record<ChargeInput>({
    lines: fc.array(anyLine, { minLength: 1, maxLength: 12 }),
    prices: fc.constantFrom('exclusive', 'inclusive'),
    discount,
    roundTo: fc.constantFrom(null, 5, 100),
  });
  /** Most random invoices can be computed. Those that come to nothing are refused. */
  const compute = (charged: ChargeInput): Charges | undefined => {
    try {
      return computeCharges(charged, day, supply);
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^invalid_(lines|discount|amount)$/) });
      return undefined;
    }
  };
  const sum = (values: readonly number[]) => values.reduce((one, other) => one + other, 0);

  test('has columns that add up to their totals', () => {
    fc.assert(
      fc.property(anyInput, (charged) => {
        const charges = compute(charged);
        if (!charges) return;
        const { lines, taxes, totals, amount, prices } = charges;
        expect(sum(lines.map((each) => each.amount))).toBe(totals.subtotal);
        expect(sum(lines.map((each) => each.taxableAmount))).toBe(totals.taxable);
        expect(sum(lines.map((each) => each.taxAmount))).toBe(totals.tax);
        expect(sum(taxes.map((each) => each.amount))).toBe(totals.tax);
        expect(amount).toBe(totals.taxable + totals.tax + totals.rounding);
        expect(totals.subtotal - totals.discount).toBe(
          prices === 'inclusive' ? totals.taxable + totals.tax : totals.taxable,
        );
        for (const each of lines)
          expect(Math.min(each.amount, each.taxableAmount, each.taxAmount)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns },
    );
  });

  test('comes to the same in any order of its lines', () => {
    fc.assert(
      fc.property(
        anyInput.chain((charged) =>
          fc
            .shuffledSubarray([...charged.lines], { minLength: charged.lines.length })
            .map((lines) => [charged, { ...charged, lines }] as const),
        ),
        ([charged, shuffled]) => {
          const [one, other] = [compute(charged), compute(shuffled)];
          expect(other?.totals).toEqual(one?.totals);
          expect(new Set(other?.taxes.map((row) => JSON.stringify(row)))).toEqual(
            new Set(one?.taxes.map((row) => JSON.stringify(row))),
          );
        },
      ),
      { numRuns },
    );
  });

  test('with inclusive prices comes to their sum, and each tax differs from that of exclusive prices by one at most', () => {
    fc.assert(
      fc.property(anyInput, (any) => {
        const inclusive = compute({ ...any, prices: 'inclusive', roundTo: null });
        if (!inclusive) return;
        expect(inclusive.amount).toBe(inclusive.totals.subtotal - inclusive.totals.discount);
        for (const { taxable, percent: rate, amount } of inclusive.taxes) {
          const exact = (BigInt(taxable) * (parseDecimal(rate) ?? 0n)) / 100_000_000n;
          expect(Math.abs(amount - Number(exact))).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns },
    );
  });

  test('that is computed from its own result comes to the same', () => {
    fc.assert(
      fc.property(anyInput, (charged) => {
        const charges = compute(charged);
        if (!charges) return;
        const lines = charges.lines.map(
          ({ amount: _, taxableAmount: _2, taxAmount: _3, ...fields }) => fields,
        );
        expect(computeCharges({ ...charges, lines }, day, supply)).toEqual(charges);
      }),
      { numRuns },
    );
  });
});

test('an invoice without lines shows one, which comes to the same as if it had been sent', () => {
  const lines = plainLines(2_500, 'x'.repeat(600));
  const sent = line({ description: 'x'.repeat(500), unitAmount: 2_500 });
  const computed = computeCharges(input([sent]), day);
  expect({ ...plainCharges, lines, totals: plainTotals(2_500), amount: 2_500 }).toEqual(computed);
});
