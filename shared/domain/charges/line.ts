/** Defines the lines of an invoice, its discounts and taxes: the schemas of requests and responses. `compute.ts` computes them. */
import * as v from 'valibot';
import { parseDecimal } from '../../base/decimal.ts';
import { idPatternOf } from '../../base/ids.ts';
import { maxAmount } from '../../base/money.ts';
import { identifierText, typedText } from '../../base/text.ts';
import { maxLineDescription } from './plain-charges.ts';
import { acceptedTaxes, hasOwnRate, isOwnTax, noTax, type TaxCodeName, taxCodeSchema } from './tax-codes.ts';

const maxLines = 100;
/** Whole units of a currency, tens and hundreds of them. */
const roundings = [5, 10, 25, 50, 100, 1000, 10000] as const;

const linesMessage = `lines must be an array of 1 to ${maxLines} objects with quantity, and description and unitAmount or product.`;
const quantityMessage =
  'quantity must be a decimal number as text, more than 0, with at most 12 digits before the point and 6 after it, such as "2.5".';
const unitAmountMessage = `unitAmount must be an integer from 0 to ${maxAmount}, in the smallest currency unit.`;
const taxMessage = `tax must be ${acceptedTaxes}.`;
const percentMessage =
  'percent must be a decimal number as text from 0 to 100, with at most 6 places, such as "7.5".';
const descriptionMessage = 'A line needs a description, or a product that has one.';
export const taxPercentMessage =
  'taxPercent must be a decimal number as text from 0 to 100, such as "8.875", for the tax us_sales, and left out for others.';
const discountMessage = 'discount must be an object with either percent or amount.';
const discountAmountMessage = `The amount of a discount must be an integer from 0 to ${maxAmount}, in the smallest currency unit.`;
const pricesMessage = 'prices must be exclusive or inclusive.';
const roundToMessage = `roundTo must be one of ${roundings.join(', ')}, in the smallest currency unit.`;
const productCodeMessage = 'productCode must be 4 to 8 digits, such as an HSN or SAC code.';
const productMessage = 'product must be the ID of a product, such as prod_3k9w1xh6q0mz4tv8c2jr5nbd7e.';

/** An HSN or SAC code. */
export const productCodeSchema = v.pipe(
  v.string(productCodeMessage),
  v.regex(/^\d{4,8}$/, productCodeMessage),
);

const hundredPercent = 100_000_000n;

/** Returns the schema of a rate in percent. */
export function percentSchema(message: string) {
  return v.pipe(
    v.string(message),
    v.check((text) => {
      const percent = parseDecimal(text);
      return percent !== undefined && percent <= hundredPercent;
    }, message),
  );
}

function minorUnits(message: string) {
  return v.pipe(
    v.number(message),
    v.integer(message),
    v.minValue(0, message),
    v.maxValue(maxAmount, message),
  );
}

/** Whether a line says a rate if and only if its tax has none. A line with a tax of the account can have its rate, which is ignored. */
export const fitsTaxPercent = ({
  tax,
  taxPercent,
}: {
  readonly tax?: TaxCodeName | null | undefined;
  readonly taxPercent?: string | null | undefined;
}): boolean => isOwnTax(tax ?? noTax) || (taxPercent != null) === hasOwnRate(tax ?? noTax);

/** A discount in a request: a share, or an amount in the smallest currency unit. */
export const newDiscountSchema = v.pipe(
  v.strictObject(
    {
      percent: v.nullish(percentSchema(percentMessage)),
      amount: v.nullish(minorUnits(discountAmountMessage)),
    },
    discountMessage,
  ),
  v.check(({ percent, amount }) => (percent == null) !== (amount == null), discountMessage),
);

/** A line in a request. It can have the computed fields of a response, which are ignored. */
export const newLineSchema = v.pipe(
  v.strictObject(
    {
      id: v.nullish(identifierText('The id of a line', 128)),
      description: v.optional(typedText('The description of a line', maxLineDescription)),
      quantity: v.pipe(
        v.string(quantityMessage),
        v.check((text) => (parseDecimal(text) ?? 0n) > 0n, quantityMessage),
      ),
      unit: v.nullish(typedText('unit', 50)),
      unitAmount: v.optional(minorUnits(unitAmountMessage)),
      discount: v.nullish(newDiscountSchema),
      tax: v.nullish(taxCodeSchema(taxMessage)),
      taxPercent: v.nullish(percentSchema(taxPercentMessage)),
      productCode: v.nullish(productCodeSchema),
      product: v.nullish(v.pipe(v.string(productMessage), v.regex(idPatternOf('product'), productMessage))),
      taxName: v.optional(v.unknown()),
      amount: v.optional(v.unknown()),
      taxableAmount: v.optional(v.unknown()),
      taxAmount: v.optional(v.unknown()),
    },
    linesMessage,
  ),
  v.forward(
    v.check(({ description, product }) => description !== undefined || product != null, descriptionMessage),
    ['description'],
  ),
  v.forward(
    v.check(({ unitAmount, product }) => unitAmount !== undefined || product != null, unitAmountMessage),
    ['unitAmount'],
  ),
  v.forward(
    v.check(
      (line) => (line.product != null && line.tax === undefined) || fitsTaxPercent(line),
      taxPercentMessage,
    ),
    ['taxPercent'],
  ),
);

export const newLinesSchema = v.pipe(
  v.array(newLineSchema, linesMessage),
  v.minLength(1, linesMessage),
  v.maxLength(maxLines, linesMessage),
  v.readonly(),
);
export const pricesSchema = v.picklist(['exclusive', 'inclusive'], pricesMessage);
export const roundToSchema = v.picklist(roundings, roundToMessage);

const shownText = v.nullable(v.string());
const shownAmount = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const signedAmount = v.pipe(v.number(), v.safeInteger());

export const discountSchema = v.strictObject({ percent: shownText, amount: v.nullable(shownAmount) });

export const lineSchema = v.strictObject({
  id: shownText,
  description: v.string(),
  quantity: v.string(),
  unit: shownText,
  unitAmount: shownAmount,
  discount: v.nullable(discountSchema),
  tax: taxCodeSchema(),
  taxPercent: shownText,
  taxName: v.optional(v.string()),
  productCode: shownText,
  product: v.optional(v.string()),
  amount: shownAmount,
  taxableAmount: shownAmount,
  taxAmount: shownAmount,
});

export const taxRowSchema = v.strictObject({
  code: taxCodeSchema(),
  name: v.string(),
  percent: v.string(),
  taxable: shownAmount,
  amount: shownAmount,
});

export const totalsSchema = v.strictObject({
  subtotal: shownAmount,
  discount: shownAmount,
  taxable: shownAmount,
  tax: shownAmount,
  rounding: signedAmount,
});

/** A line as clients send it. */
export type NewLine = v.InferOutput<typeof newLineSchema>;
/** A line that says all that an invoice needs. */
export type FilledLine = Omit<NewLine, 'taxName'> & {
  readonly description: string;
  readonly unitAmount: number;
  /** What documents call a tax of the account. */
  readonly taxName?: unknown;
};

/** A body with lines, as clients send it. */
export interface LinesBody {
  readonly lines?: readonly NewLine[] | null | undefined;
}

/** A body whose lines say all that an invoice needs. */
export type Filled<Body> = Omit<Body, 'lines'> & {
  readonly lines?: readonly FilledLine[] | null | undefined;
};

export type Discount = v.InferOutput<typeof discountSchema>;
export type ShownLine = v.InferOutput<typeof lineSchema>;
export type TaxRow = v.InferOutput<typeof taxRowSchema>;

/** A line as it is computed: without the results. */
export type LineInput = Omit<ShownLine, 'amount' | 'taxableAmount' | 'taxAmount'>;

/** What an invoice with lines is computed from. */
export interface ChargeInput {
  readonly lines: readonly LineInput[];
  /** Whether the unit amounts contain the taxes. */
  readonly prices: v.InferOutput<typeof pricesSchema>;
  /** The discount on the sum of the lines. */
  readonly discount: Discount | null;
  /** The amount is rounded to a multiple of this, in the smallest currency unit. */
  readonly roundTo: v.InferOutput<typeof roundToSchema> | null;
}

/** The lines of an invoice, and what they come to. Amounts are in the smallest currency unit. */
export interface Charges extends Omit<ChargeInput, 'lines'> {
  readonly lines: readonly ShownLine[];
  /** One row for each part of a tax. */
  readonly taxes: readonly TaxRow[];
  readonly totals: v.InferOutput<typeof totalsSchema>;
  readonly amount: number;
}

/** Returns a line of a request with null for what it lacks, and without computed fields. */
export function toLineInput(line: FilledLine | ShownLine): LineInput {
  const {
    id = null,
    description,
    quantity,
    unit = null,
    unitAmount,
    tax,
    taxPercent = null,
    taxName,
    productCode = null,
    product,
  } = line;
  const discount = toDiscount(line.discount);
  return {
    id,
    description,
    quantity,
    unit,
    unitAmount,
    discount,
    tax: tax ?? noTax,
    taxPercent,
    ...(isOwnTax(tax ?? noTax) && typeof taxName === 'string' && { taxName }),
    productCode,
    ...(product != null && { product }),
  };
}

/** Returns a discount of a request with null for what it lacks. */
export function toDiscount(
  discount: v.InferOutput<typeof newDiscountSchema> | null | undefined,
): Discount | null {
  return discount ? { percent: discount.percent ?? null, amount: discount.amount ?? null } : null;
}
