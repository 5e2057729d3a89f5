/** Reads the lines of an invoice from options such as `--line "2 x Tea @ 1000 bt_gst_5"`. */
import type { InvoiceCreateParams } from '../client/src/remit.ts';
import { type OptionSpec, type ParsedOptions, usageError } from './command.ts';
import { requireSmallestUnit } from './read-options.ts';

type Lines = NonNullable<InvoiceCreateParams['lines']>;

const form = 'QUANTITY x DESCRIPTION @ PRICE [TAX [PERCENT]]';
const example = '--line "2 x Tea @ 1000 bt_gst_5"';

/** The option of commands that set the lines of an invoice. */
export const lineOption: Readonly<Record<string, OptionSpec>> = {
  line: {
    value: 'LINE',
    about: `A line, as ${form}, or as QUANTITY x prod_… for a product. The price is in the smallest currency unit. Repeat the option for more lines.`,
    repeatable: true,
  },
};

const pattern =
  /^(?<quantity>[\d.]+)\s*x\s+(?<description>.+?)\s+@\s*(?<price>\S+)(?:\s+(?<tax>[a-z]\w*)(?:\s+(?<percent>[\d.]+)\s*%?)?)?$/i;

/** A line that takes all from a product. */
const productPattern = /^(?<quantity>[\d.]+)\s*x\s+(?<product>prod_\w+)$/i;

/**
 * Returns the lines as a part of the request body. The API validates their values.
 * @returns an empty object if no line is given
 * @throws CommandError (usage) if a line has another form, or if its price is not in the smallest currency unit
 */
export function readLines(options: ParsedOptions): { lines?: Lines } {
  const lines = options.all('line').map(parseLine);
  return lines.length > 0 ? { lines } : {};
}

function parseLine(text: string): Lines[number] {
  const sold = productPattern.exec(text.trim())?.groups;
  if (sold?.quantity !== undefined && sold.product !== undefined)
    return { quantity: sold.quantity, product: sold.product };
  const { quantity, description, price, tax, percent } = pattern.exec(text.trim())?.groups ?? {};
  if (quantity === undefined || description === undefined || price === undefined)
    throw usageError(`--line must be ${form}, for example ${example}, or QUANTITY x PRODUCT.`);
  requireSmallestUnit('The price of --line', price);
  return {
    description,
    quantity,
    unitAmount: Number(price),
    // The API knows the codes.
    ...(tax !== undefined && { tax: tax as NonNullable<Lines[number]['tax']> }),
    ...(percent !== undefined && { taxPercent: percent }),
  };
}
