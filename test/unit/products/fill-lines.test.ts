/** Tests what lines of invoices take from their products. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Currency, currencies } from '../../../shared/base/money.ts';
import type { NewLine } from '../../../shared/domain/charges/line.ts';
import { fillLines, productsIn } from '../../../shared/domain/products/fill-lines.ts';
import type { Product } from '../../../shared/domain/products/product.ts';

const tea: Product = {
  account: 'acct_1',
  mode: 'test',
  id: `prod_${'1'.repeat(26)}`,
  seq: 1,
  version: 1,
  status: 'active',
  filterKeys: [],
  name: 'Tea',
  description: 'Green tea',
  unit: 'packs',
  unitAmounts: { BTN: 500, INR: 700 },
  tax: 'bt_gst_5',
  productCode: '0902',
  isArchived: false,
  createdAt: 1,
  updatedAt: 1,
  deletedAt: undefined,
} as unknown as Product;
const line = { quantity: '2', product: tea.id } as NewLine;
const fill = (
  lines: readonly NewLine[],
  {
    which = 'all' as const,
    product = tea,
    currency = 'BTN' as Currency,
    defaultTax = undefined as string | undefined,
  } = {},
) => fillLines({ lines }, which, new Map([[product.id, product]]), () => currency, defaultTax).lines;
const fromProduct = {
  description: 'Green tea',
  unit: 'packs',
  unitAmount: 500,
  tax: 'bt_gst_5',
  productCode: '0902',
};

describe('a line', () => {
  test('takes from its product what it does not say, in the currency of the invoice', () => {
    expect(fill([line])).toEqual([{ ...line, ...fromProduct }]);
    expect(fill([line], { currency: 'INR' })?.[0]?.unitAmount).toBe(700);
    expect(fill([line], { product: { ...tea, description: null } })?.[0]?.description).toBe('Tea');
  });

  test('keeps what it says, and null says that there is none', () => {
    const own = { description: 'Cup', unit: null, unitAmount: 0, tax: 'none', productCode: null } as const;
    expect(fill([{ ...line, ...own }])).toEqual([{ ...line, ...own }]);
  });

  test('without a product stays as it is, and takes the default tax if it names none', () => {
    const plain = { description: 'Cup', quantity: '1', unitAmount: 5 } as NewLine;
    expect(fill([plain, { ...plain, tax: null }], { defaultTax: 'bt_gst_5' })).toEqual([
      { ...plain, tax: 'bt_gst_5' },
      { ...plain, tax: null },
    ]);
    expect(fill([line], { defaultTax: 'bt_zero' })?.[0]?.tax).toBe('bt_gst_5');
  });

  test.each<[string, NewLine, Parameters<typeof fill>[1], string, string]>([
    ['does not exist', { ...line, product: 'prod_2' }, {}, 'lines.1.product', 'does not exist'],
    ['is archived', line, { product: { ...tea, isArchived: true } }, 'lines.1.product', 'is archived'],
    ['has no price in the currency', line, { currency: 'USD' }, 'lines.1.product', 'no price in USD'],
    [
      'has a tax whose rate the line lacks',
      line,
      { product: { ...tea, tax: 'us_sales' } },
      'lines.1.taxPercent',
      'taxPercent',
    ],
  ])('is refused if its product %s', (_, wrong, options, field, message) => {
    const plain = { description: 'Cup', quantity: '1', unitAmount: 5 } as NewLine;
    expect(() => fill([plain, wrong], options)).toThrow(
      expect.objectContaining({ code: 'invalid_lines', field, message: expect.stringContaining(message) }),
    );
  });
});

describe('any lines', () => {
  const missing = fc.constant(undefined);
  const anyLine = fc
    .record({
      quantity: fc.constant('1'),
      product: fc.constantFrom(tea.id, null, undefined),
      description: fc.oneof(fc.constant('Cup'), missing),
      unit: fc.oneof(fc.constantFrom('hours', null), missing),
      unitAmount: fc.oneof(fc.nat(1000), missing),
      tax: fc.oneof(fc.constantFrom('none' as const, 'bt_zero' as const, null), missing),
      productCode: fc.oneof(fc.constantFrom('9983', null), missing),
    })
    .filter(
      ({ product, description, unitAmount }) =>
        product != null || (description !== undefined && unitAmount !== undefined),
    );

  test('say everything after they are filled, keep what they said, and a second time changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(anyLine, { maxLength: 5 }),
        fc.constantFrom(...currencies.filter((each) => each !== 'USD')),
        (lines, currency) => {
          const filled = fill(lines, { currency }) ?? [];
          expect(filled.length).toBe(lines.length);
          for (const [index, each] of filled.entries()) {
            expect([typeof each.description, typeof each.unitAmount]).toEqual(['string', 'number']);
            const said = Object.entries(lines[index] ?? {}).filter(([, value]) => value !== undefined);
            expect(each).toMatchObject(Object.fromEntries(said));
          }
          expect(fillLines({ lines: filled }, 'incomplete', new Map(), () => currency).lines).toEqual(filled);
          const named = productsIn({ lines: filled }, 'incomplete');
          expect(named).toEqual([]);
        },
      ),
    );
  });
});
