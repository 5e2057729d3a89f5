/** Writes items as CSV for spreadsheets: a row for each item, and a column for each field with the API's name of the field. */
import { toMajorUnits } from './money.ts';

type Cells = Record<string, string | number | boolean>;

/** The fields that are amounts in the smallest unit of a currency. */
const amountFields =
  /(^|\.)(amount[A-Z]?\w*|unitAmount|taxableAmount|taxAmount|writeOff|roundTo|balance)$|^(totals|fees|unitAmounts)\.(?!currency$)/;

interface CsvOptions {
  /** Begin with a byte order mark. Excel needs it for other scripts than Latin. */
  readonly bom: boolean;
  /** Returns what a text of an item becomes. @param column the name of its field */
  readonly textOf: (text: string, column: string) => string;
  /**
   * The names of the columns, also without items. An object that is a column of its own is JSON. Undefined: the fields of the items.
   */
  readonly columns?: readonly string[] | undefined;
}

/**
 * Returns items as CSV (RFC 4180, with line feeds). Amounts are in units of their currency. A text that a spreadsheet would take for a
 * formula begins with an apostrophe. Fields that are lists of objects, such as lines, are left out.
 * @returns the empty text if there are neither items nor columns
 */
export async function toCsv(
  items: readonly object[],
  { bom, textOf, columns: named }: CsvOptions,
): Promise<string> {
  if (items.length === 0 && !named) return '';
  // Few calls need it, and the start of the command line is measured.
  const { stringify } = await import('csv-stringify/sync');
  const whole = new Set(named);
  const rows = items.map((item) => Object.fromEntries(cellsOf(item, whole)) as Cells);
  const columns = named ? [...named] : [...new Set(rows.flatMap((row) => Object.keys(row)))];
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

/** Returns the cells of an item: nested fields have dotted names. @param whole the objects that are one cell */
function cellsOf(
  item: object,
  whole: ReadonlySet<string>,
  prefix = '',
): [name: string, value: string | number | boolean][] {
  return Object.entries(item).flatMap(([name, value]): ReturnType<typeof cellsOf> => {
    const column = prefix + name;
    if (Array.isArray(value)) {
      const isText = value.length > 0 && value.every((each) => typeof each !== 'object');
      return isText ? [[column, value.join(', ')]] : [];
    }
    if (typeof value === 'object' && value !== null)
      return whole.has(column) ? [[column, jsonCell(value)]] : cellsOf(value, whole, `${column}.`);
    return [[column, value ?? '']];
  });
}

/** Metadata without keys is an empty cell. */
const jsonCell = (value: object) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value));

const toSignedUnits = (amountMinor: number) =>
  `${amountMinor < 0 ? '-' : ''}${toMajorUnits(Math.abs(amountMinor))}`;
