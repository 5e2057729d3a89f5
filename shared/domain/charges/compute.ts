/**
 * Computes what the lines of an invoice come to: the only place that does. API, pages and documents show its result. Pure, and
 * with integers only.
 *
 * The rounding rule:
 * - A line is its quantity times its unit amount, rounded to the smallest unit of the currency, less its discount.
 * - The discount of the document is divided among the taxes in proportion to their amounts, and then among the lines of each. So the
 *   order of the lines does not matter.
 * - Each tax is computed once, on the sum of its lines, and rounded. So an invoice with many small lines has the same tax as one with
 *   a single line. Each part of a tax, such as a state's, is rounded for itself, because it is paid for itself.
 * - A half is rounded up. Shares of a sum go to the lines by the largest remainder, so each column adds up to its total.
 * - With inclusive prices, the tax is taken out of the sum, so it never changes the total.
 */
import { apportion, divideRounded, formatDecimal, millionths, parseDecimal } from '../../base/decimal.ts';
import { ApiError } from '../../base/errors.ts';
import { maxAmount } from '../../base/money.ts';
import type { IndianSupply } from './indian-supply.ts';
import type { ChargeInput, Charges, Discount, LineInput, ShownLine, TaxRow } from './line.ts';
import { componentsOf, firstDayOf, noTax, type TaxCodeName } from './tax-codes.ts';
import { rateOf, type TaxComponent } from './tax-component.ts';

const hundredPercent = 100n * millionths;

/** A line on its way through the computation. Amounts are in the smallest currency unit. */
interface Item {
  readonly index: number;
  readonly line: LineInput;
  readonly code: TaxCodeName;
  readonly components: readonly TaxComponent[];
  /** Less the discount of the line. */
  readonly amount: bigint;
  /** Less the line's share of the discount of the document, too. */
  readonly charged: bigint;
}

/**
 * Computes an invoice with lines.
 * @param input the lines and what holds for all of them, validated by the schemas
 * @param day the day of the invoice, which decides the tax rates: `YYYY-MM-DD`
 * @param supply what decides the parts of the taxes of India. Needed only for lines with such a tax
 * @returns the lines with their amounts, the taxes and the totals, in the smallest currency unit
 * @throws ApiError `invalid_lines`, `invalid_discount` or `invalid_amount` if a discount is larger than its amount, a tax does not
 *   exist on that day, or a sum is not from 1 to 999,999,999,999
 */
export function computeCharges(input: ChargeInput, day: string, supply?: IndianSupply): Charges {
  return computeWith(input, (line, index) => partsOn(line, index, day, supply));
}

/** Returns the parts of the tax on a line. */
type PartsOf = (line: LineInput, index: number) => readonly TaxComponent[];

/**
 * Computes an invoice with lines, with given parts of the taxes.
 * @throws ApiError as `computeCharges` does, or what `partsOf` throws
 */
export function computeWith(input: ChargeInput, partsOf: PartsOf): Charges {
  const { prices, discount, roundTo } = input;
  const priced = input.lines.map((line, index) => toItem(line, index, partsOf(line, index)));
  const subtotal = sumOf(priced.map(({ amount }) => amount));
  requireSum(subtotal, 'lines');
  const discounted = discountOf(discount, subtotal, 'discount', 'the sum of the lines');
  const groups = discountGroups(groupsOf(priced), discounted);
  const isInclusive = prices === 'inclusive';
  const taxes = groups.flatMap((group) => taxesOf(group, isInclusive));
  const tax = sumOf(taxes.map(({ amount }) => amount));
  const charged = subtotal - discounted;
  const total = isInclusive ? charged : charged + tax;
  const rounded = roundTo === null ? total : divideRounded(total, BigInt(roundTo)) * BigInt(roundTo);
  requireSum(rounded, 'amount');
  if (rounded < 1n)
    throw invalid('amount', 'The invoice must come to at least 1, in the smallest currency unit.');
  const taxable = isInclusive ? charged - tax : charged;
  return {
    prices,
    discount,
    roundTo,
    lines: showLines(groups.flat(), taxes, isInclusive),
    taxes: taxes.map(showTax),
    totals: {
      subtotal: Number(subtotal),
      discount: Number(discounted),
      taxable: Number(taxable),
      tax: Number(tax),
      rounding: Number(rounded - total),
    },
    amount: Number(rounded),
  };
}

function toItem(line: LineInput, index: number, components: readonly TaxComponent[]): Item {
  const { quantity, unitAmount, tax } = line;
  const gross = divideRounded((parseDecimal(quantity) ?? 0n) * BigInt(unitAmount), millionths);
  requireSum(gross, `lines.${index}`);
  const amount = gross - discountOf(line.discount, gross, `lines.${index}.discount`, 'the line');
  return { index, line, code: tax, components, amount, charged: amount };
}

/** Returns the parts of the tax on a line on a day. */
function partsOn(
  line: LineInput,
  index: number,
  day: string,
  supply: IndianSupply | undefined,
): readonly TaxComponent[] {
  const { tax } = line;
  const components = componentsOf(tax, line, day, supply);
  if (components) return components;
  const from = firstDayOf(tax);
  const message =
    from === undefined
      ? `The rate of the tax ${tax} is not known.`
      : `The tax ${tax} exists from ${from} on, and the invoice is of ${day}.`;
  throw invalid(`lines.${index}.tax`, message);
}

/** Returns the lines with the same tax, in an order that does not depend on that of the lines. */
function groupsOf(items: readonly Item[]): (readonly Item[])[] {
  const groups = Map.groupBy(items, ({ code, line }) => `${code} ${parseDecimal(line.taxPercent ?? '0')}`);
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

/** Divides the discount of the document among the groups, and then among the lines of each. */
function discountGroups(groups: readonly (readonly Item[])[], discount: bigint): (readonly Item[])[] {
  const amountsOf = (items: readonly Item[]) => items.map(({ amount }) => amount);
  const ofGroups = apportion(
    discount,
    groups.map((items) => sumOf(amountsOf(items))),
  );
  return groups.map((items, index) => {
    const ofLines = apportion(ofGroups[index] ?? 0n, amountsOf(items));
    return items.map((item, position) => ({ ...item, charged: item.amount - (ofLines[position] ?? 0n) }));
  });
}

/** Returns a discount in the smallest currency unit. @param what that of which it is taken, in the message */
function discountOf(discount: Discount | null, of: bigint, field: string, what: string): bigint {
  if (!discount) return 0n;
  const { percent, amount } = discount;
  if (percent !== null) return divideRounded(of * (parseDecimal(percent) ?? 0n), hundredPercent);
  const taken = BigInt(amount ?? 0);
  if (taken > of)
    throw invalid(`${field}.amount`, `The discount of ${taken} is more than ${what}, which is ${of}.`);
  return taken;
}

/** A part of a tax on some lines. */
interface Tax {
  readonly items: readonly Item[];
  readonly code: TaxCodeName;
  readonly component: TaxComponent;
  readonly taxable: bigint;
  readonly amount: bigint;
}

/** Returns the parts of the tax on lines with the same tax. */
function taxesOf(items: readonly Item[], isInclusive: boolean): Tax[] {
  const [{ code, components } = { code: noTax, components: [] }] = items;
  const charged = sumOf(items.map((item) => item.charged));
  const divisor = hundredPercent + (isInclusive ? sumOf(components.map(rateOf)) : 0n);
  const amounts = components.map((component) => divideRounded(charged * rateOf(component), divisor));
  const taxable = isInclusive ? charged - sumOf(amounts) : charged;
  return components.map((component, index) => ({
    items,
    code,
    component,
    taxable,
    amount: amounts[index] ?? 0n,
  }));
}

/** Returns the lines in their order, each with its share of the taxes. */
function showLines(items: readonly Item[], taxes: readonly Tax[], isInclusive: boolean): ShownLine[] {
  const taxOf = new Map<Item, bigint>();
  for (const { items: taxed, amount } of taxes) {
    const shares = apportion(
      amount,
      taxed.map(({ charged }) => charged),
    );
    for (const [index, item] of taxed.entries())
      taxOf.set(item, (taxOf.get(item) ?? 0n) + (shares[index] ?? 0n));
  }
  return items
    .toSorted((one, other) => one.index - other.index)
    .map((item) => showLine(item, taxOf.get(item) ?? 0n, isInclusive));
}

function showLine({ line, amount, charged }: Item, tax: bigint, isInclusive: boolean): ShownLine {
  return {
    ...line,
    quantity: formatDecimal(parseDecimal(line.quantity) ?? 0n),
    amount: Number(amount),
    taxableAmount: Number(isInclusive ? charged - tax : charged),
    taxAmount: Number(tax),
  };
}

const showTax = ({ code, component: { name, percent }, taxable, amount }: Tax): TaxRow => ({
  code,
  name,
  percent,
  taxable: Number(taxable),
  amount: Number(amount),
});

const sumOf = (values: readonly bigint[]) => values.reduce((one, other) => one + other, 0n);

function requireSum(sum: bigint, field: string): void {
  if (sum > BigInt(maxAmount))
    throw invalid(
      field,
      `${field} comes to ${sum}, and at most ${maxAmount} is accepted, in the smallest currency unit.`,
    );
}

function invalid(field: string, message: string): ApiError {
  const [top = ''] = field.split('.');
  const code = ({ lines: 'invalid_lines', discount: 'invalid_discount' } as const)[top] ?? 'invalid_amount';
  return new ApiError(code, { field, message });
}
