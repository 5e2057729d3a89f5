/**
 * Plans the products of `remit import`. Pure.
 *
 * - A tax is imported only under the code that the caller names for it, because names and percents do not say whose tax it is.
 * - A price that contains its tax is left out: in Remit, the invoice says so, not the product.
 */
import { type Currency, currencies } from '../shared/base/money.ts';
import type { ImportRow } from './import-file.ts';
import type { ImportChoices, LeftOutRow, PlannedProduct } from './import-records.ts';

interface PlannedProducts {
  readonly products: readonly PlannedProduct[];
  readonly leftOut: readonly LeftOutRow[];
}

interface Price {
  readonly currency: Currency;
  readonly amount: number;
  readonly tax: string | undefined;
}

export function planProducts(rows: readonly ImportRow[], choices: ImportChoices): PlannedProducts {
  const products = new Map<string, PlannedProduct & { readonly id: string }>();
  const leftOut: LeftOutRow[] = [];
  for (const row of rows) {
    const name = row.get('name');
    const price = priceOf(row, choices);
    const same = products.get(name);
    const reason = typeof price === 'string' ? price : conflictOf(row, price, same);
    if (reason !== undefined || typeof price === 'string')
      leftOut.push({ kind: 'products', line: row.line, name, reason: reason ?? '' });
    else {
      const unitAmounts = { ...same?.body.unitAmounts, [price.currency]: price.amount };
      const body = same ? { ...same.body, unitAmounts } : { ...textsOf(row, price), unitAmounts };
      products.set(name, { line: same?.line ?? row.line, id: row.get('id'), body });
    }
  }
  return { products: [...products.values()].map(({ line, body }) => ({ line, body })), leftOut };
}

const textsOf = (row: ImportRow, { tax }: Price) => {
  const code = row.get('productCode') || row.get('serviceCode');
  return {
    name: row.get('name'),
    ...(row.get('text') && { description: row.get('text') }),
    ...(tax && { tax }),
    ...(code && { productCode: code }),
  };
};

/** Returns the price of a row, or why the row is left out. */
function priceOf(row: ImportRow, { tool, currency: chosen, taxes }: ImportChoices): Price | string {
  if (row.get('name') === '') return 'It has no name.';
  if (/^(false|no|0)$/i.test(row.get('active'))) return 'It is not active.';
  const interval = row.get('interval');
  if (interval) return `It is a price for each ${interval}. Create a schedule instead.`;
  if (/tiered/i.test(row.get('billingScheme'))) return 'Its price depends on the quantity.';
  const code = tool === 'invoice-ninja' ? (chosen ?? '') : row.get('currency').toUpperCase();
  const currency = currencies.find((each) => each === code);
  if (!currency) return `Its currency ${code} is not one of ${currencies.join(', ')}.`;
  const amount = row.amount('amount');
  if (amount === undefined || amount < 0)
    return `Its price ${row.get('amount')} is not an amount with at most two decimal places.`;
  const tax = taxOf(row, taxes);
  if (typeof tax === 'object') return tax.reason;
  const isInclusive = /^(inclusive|true|yes|1)$/i.test(row.get('taxBehavior'));
  if (isInclusive && (tax !== undefined || tool === 'stripe'))
    return 'Its price contains the tax. Create it with a price without the tax.';
  return { currency, amount, tax };
}

/** Returns the code of the tax, undefined without a tax, or why the row is left out. */
function taxOf(
  row: ImportRow,
  taxes: ReadonlyMap<string, string>,
): string | undefined | { readonly reason: string } {
  const [first, ...others] = ['taxRate1', 'taxRate2', 'taxRate3'].map((field) => Number(row.get(field)));
  if (others.some((rate) => rate !== 0)) return { reason: 'It has several taxes.' };
  if (first === 0) return undefined;
  const name = [row.get('taxName1'), Number.isNaN(first) ? row.get('taxRate1') : String(first)]
    .filter(Boolean)
    .join(' ');
  const code = taxes.get(name);
  return code ?? { reason: `Its tax ${name} has no code. Add --tax "${name}=CODE".` };
}

/** Products are told apart by their names. One of several currencies has a row for each. */
function conflictOf(
  row: ImportRow,
  { currency }: Price,
  same: (PlannedProduct & { readonly id: string }) | undefined,
): string | undefined {
  if (!same) return undefined;
  if (row.get('id') === '' || same.id !== row.get('id')) return `Line ${same.line} has the same name.`;
  if (same.body.unitAmounts[currency] === undefined) return undefined;
  return `Line ${same.line} has another price of the product in ${currency}.`;
}
