/** Writes items as CSV for spreadsheets: a row for each item, and a column for each field with the API's name of the field. */
import { toMajorUnits } from './money.ts';

type Cells = Record<string, string | number | boolean>;

/** The fields that are amounts in the smallest unit of a currency. */
const amountFields = /(^|\.)amount[A-Z]?\w*$|^(totals|fees|unitAmounts)\.(?!currency$)/;

interface CsvOptions {
  /** Begin with a byte order mark. Excel needs it for other scripts than Latin. */
  readonly bom: boolean;
  /** Returns what a text of an item becomes. @param column the name of its field */
  readonly textOf: (text: string, column: string) => string;
}

/**
 * Returns items as CSV (RFC 4180, with line feeds). Amounts are in units of their currency. A text that a spreadsheet would take for a
 * formula begins with an apostrophe. Fields that are lists of objects, such as lines, are left out.
 * @returns the empty text if there are no items, because only items have fields
 */
export async function toCsv(items: readonly object[], { bom, textOf }: CsvOptions): Promise<string> {
  if (items.length === 0) return '';
  // Few calls need it, and the start of the command line is measured.
  const { stringify } = await import('csv-stringify/sync');
  const rows = items.map((item) => Object.fromEntries(cellsOf(item)) as Cells);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return stringify(rows, {
    header: true,
    columns,
    bom,
    escape_formulas: true,
    cast: {
      boolean: String,
      string: (value, { column }) => textOf(value, String(column)),
      number: (value, { column }) =>
        amountFields.test(String(column)) ? toSignedUnits(value) : String(value),
    },
  });
}

/** Returns the cells of an item: nested fields have dotted names. */
function cellsOf(item: object, prefix = ''): [name: string, value: string | number | boolean][] {
  return Object.entries(item).flatMap(([name, value]): ReturnType<typeof cellsOf> => {
    const column = prefix + name;
    if (Array.isArray(value)) {
      const isText = value.length > 0 && value.every((each) => typeof each !== 'object');
      return isText ? [[column, value.join(', ')]] : [];
    }
    if (typeof value === 'object' && value !== null) return cellsOf(value, `${column}.`);
    return [[column, value ?? '']];
  });
}

const toSignedUnits = (amountMinor: number) =>
  `${amountMinor < 0 ? '-' : ''}${toMajorUnits(Math.abs(amountMinor))}`;
