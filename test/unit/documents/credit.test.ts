/** Tests that credit notes divide the taxes of an invoice exactly, however it is refunded. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { computeCharges } from '../../../shared/domain/charges/compute.ts';
import type { Charges, LineInput } from '../../../shared/domain/charges/line.ts';
import { type Credited, creditOf } from '../../../shared/domain/documents/credit.ts';
import { isExhaustive } from '../../support/run.ts';

const lineOf = (fields: Partial<LineInput>): LineInput => ({
  id: null,
  description: 'Tea',
  quantity: '1',
  unit: null,
  unitAmount: 100,
  discount: null,
  tax: 'none',
  taxPercent: null,
  productCode: null,
  ...fields,
});
const taxes = fc.constantFrom<Partial<LineInput>>(
  { tax: 'none' },
  { tax: 'bt_gst_5' },
  { tax: 'bt_zero' },
  { tax: 'us_sales', taxPercent: '8.875' },
  { tax: 'us_sales', taxPercent: '8.8750' },
  { tax: 'us_sales', taxPercent: '4' },
);
const line = fc
  .tuple(fc.integer({ min: 100, max: 1_000_000 }), taxes)
  .map(([unitAmount, tax]) => lineOf({ unitAmount, ...tax }));
const invoices = fc
  .tuple(
    fc.array(line, { minLength: 1, maxLength: 6 }),
    fc.constantFrom('exclusive' as const, 'inclusive' as const),
    fc.constantFrom(null, 100 as const),
  )
  .map(([lines, prices, roundTo]) =>
    computeCharges({ lines, prices, discount: null, roundTo }, '2026-11-27'),
  );

/** Credits the parts of an invoice, and then what is left. Returns the charges of each credit note. */
function creditAll(invoice: Charges, parts: readonly number[]) {
  const notes: ReturnType<typeof creditOf>['charges'][] = [];
  let credited: Credited | undefined;
  for (const part of [...parts, invoice.amount]) {
    const amount = Math.min(part, invoice.amount - (credited?.amount ?? 0));
    if (amount === 0) continue;
    const note = creditOf(invoice, credited, { amount, description: 'Credit' });
    credited = note.credited;
    const { totals, lines, taxes: rows } = note.charges;
    const { taxable, tax } = totals;
    expect([
      taxable + tax + totals.rounding,
      sum(lines.map((each) => each.amount)),
      sum(lines.map((each) => each.taxAmount)),
      sum(rows.map((row) => row.amount)),
      Math.min(taxable, tax) >= 0,
    ]).toEqual([amount, taxable, tax, tax, true]);
    notes.push(note.charges);
  }
  return notes;
}

const sum = (values: readonly number[]) => values.reduce((one, other) => one + other, 0);
const nameOf = ({ code, percent }: Charges['taxes'][number]) => `${code} ${Number(percent)}`;

describe('creditOf', () => {
  test('the credits of a refunded invoice add up to it, tax by tax', () => {
    const parts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { maxLength: 8 });
    const property = fc.property(invoices, parts, (invoice, credits) => {
      const notes = creditAll(invoice, credits);
      const { taxable, tax, rounding } = invoice.totals;
      expect({
        taxable: sum(notes.map(({ totals }) => totals.taxable)),
        tax: sum(notes.map(({ totals }) => totals.tax)),
        rounding: sum(notes.map(({ totals }) => totals.rounding)),
      }).toEqual({ taxable, tax, rounding });
      for (const row of invoice.taxes) {
        const same = notes.flatMap(({ taxes: rows }) => rows).filter((each) => nameOf(each) === nameOf(row));
        expect(sum(same.map(({ amount }) => amount))).toBe(row.amount);
      }
    });
    fc.assert(property, { numRuns: isExhaustive ? 5_000 : 100 });
  });

  test('half of an invoice is half of each of its taxes', () => {
    const lines = [
      lineOf({ unitAmount: 20_000, tax: 'bt_gst_5' }),
      lineOf({ unitAmount: 10_000, tax: 'us_sales', taxPercent: '10' }),
    ];
    const invoice = computeCharges(
      { lines, prices: 'exclusive', discount: null, roundTo: null },
      '2026-11-27',
    );
    const [half] = creditAll(invoice, [invoice.amount / 2]);
    expect(half?.taxes.map(({ taxable, amount }) => [taxable, amount])).toEqual([
      [10_000, 500],
      [5_000, 500],
    ]);
  });
});
