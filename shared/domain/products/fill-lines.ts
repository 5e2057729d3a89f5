/** Fills the lines of an invoice with what they take from the products that they name. Pure. */
import { ApiError } from '../../base/errors.ts';
import type { Currency } from '../../base/money.ts';
import {
  type Filled,
  type FilledLine,
  fitsTaxPercent,
  type LinesBody,
  type NewLine,
  taxPercentMessage,
} from '../charges/line.ts';
import type { TaxCodeName } from '../charges/tax-codes.ts';
import type { Product } from './product.ts';

/** Whether a line leaves something to its product. Null says that there is none. */
const isIncomplete = ({ description, unit, unitAmount, tax, productCode }: NewLine): boolean =>
  [description, unit, unitAmount, tax, productCode].includes(undefined);

/** Returns the products that lines name. @param which `incomplete`: only those whose line leaves something to the product */
export const productsIn = ({ lines }: LinesBody, which: 'all' | 'incomplete'): readonly string[] =>
  (lines ?? []).flatMap((line) =>
    line.product != null && (which === 'all' || isIncomplete(line)) ? [line.product] : [],
  );

/**
 * Returns a body whose lines have what they do not say themselves from their products: the text, the unit, the price in the currency,
 * the tax and the code. The result no longer depends on the products.
 * @param products by id. A line whose product is not among them must say everything itself, unless `which` is `all`
 * @param defaultTax the tax of lines that name none, from the seller profile
 * @throws ApiError `invalid_lines` if a product does not exist, is archived, or has no price in the currency, or if the rate of its tax is
 *   missing
 */
export function fillLines<Body extends LinesBody>(
  body: Body,
  which: 'all' | 'incomplete',
  products: ReadonlyMap<string, Product>,
  currencyOf: () => Currency,
  defaultTax?: string,
): Filled<Body> {
  const { lines, ...others } = body;
  if (!lines) return { ...others, lines };
  const fill = (line: NewLine, index: number): FilledLine => {
    const isNeeded = line.product != null && (which === 'all' || isIncomplete(line));
    if (line.product == null && line.tax === undefined)
      return { ...line, tax: defaultTax as TaxCodeName | undefined } as FilledLine;
    return isNeeded
      ? fillLine(line, index, products.get(line.product ?? ''), currencyOf())
      : (line as FilledLine);
  };
  return { ...others, lines: lines.map(fill) };
}

function fillLine(
  line: NewLine,
  index: number,
  product: Product | undefined,
  currency: Currency,
): FilledLine {
  const field = `lines.${index}.product`;
  if (!product) return refuse(field, `${field} does not exist. Check its ID and the mode of your API key.`);
  if (product.isArchived)
    refuse(field, `${field} is archived. Make the product active again, or name another one.`);
  const unitAmount = line.unitAmount ?? product.unitAmounts[currency];
  if (unitAmount === undefined)
    return refuse(field, `${field} has no price in ${currency}. Add one to the product, or send unitAmount.`);
  const filled: FilledLine = {
    ...line,
    description: line.description ?? product.description ?? product.name,
    unit: line.unit === undefined ? product.unit : line.unit,
    unitAmount,
    tax: line.tax === undefined ? product.tax : line.tax,
    productCode: line.productCode === undefined ? product.productCode : line.productCode,
  };
  if (!fitsTaxPercent(filled)) refuse(`lines.${index}.taxPercent`, taxPercentMessage);
  return filled;
}

function refuse(field: string, message: string): never {
  throw new ApiError('invalid_lines', { field, message });
}
