/**
 * Reads the rows of a bank statement from a CSV file, as banks and spreadsheets write them. Pure.
 *
 * - Encoding, delimiter, the lines before the names of the columns, the form of days and the decimal sign are recognized.
 * - Either all rows are read, or none: an error names the lines and what to do.
 * - Cells are data. A text that a spreadsheet would take for a formula stays a text, and `="00123"` is the text 00123.
 */
import type { Currency } from '../../../base/money.ts';
import { isPlainText } from '../../../base/text.ts';
import type { ColumnField, ColumnNames, DayForm } from '../column-mapping.ts';
import type { NewRow } from '../statement.ts';
import { type Cell, type DecimalSign, dayFormOf, decimalSignOf, readAmount, readDay } from './cells.ts';
import { type FoundColumns, findColumns } from './columns.ts';
import { decodeFile, type Encoding } from './decode.ts';
import { signOfDirection } from './direction.ts';
import { StatementFileError, summarizeProblems } from './file-error.ts';
import { type CsvLine, csvLinesOf } from './lines.ts';
import { amountTextsOf, cellOf, problemsOfWidth } from './table-cells.ts';

/** How many rows a file has at most. */
export const maxFileRows = 5_000;

/** What the caller knows of a file. Everything else is recognized. */
export interface CsvOptions {
  readonly currency: Currency;
  readonly columns?: ColumnNames | undefined;
  readonly dayForm?: DayForm | undefined;
}

/** The rows of a file, and how it was read. */
export interface CsvStatement {
  readonly rows: readonly NewRow[];
  /** Lines without an amount, such as opening balances and totals. */
  readonly skipped: number;
  readonly encoding: Encoding;
  readonly columns: ColumnNames;
  /** The names of all columns of the file. */
  readonly names: readonly string[];
  readonly dayForm: DayForm;
  /** No day shows whether day or month comes first. */
  readonly isDayFormAssumed: boolean;
  readonly decimalSign: DecimalSign;
}

/** @throws StatementFileError with all problems, up to 20 */
export function readCsv(bytes: Uint8Array, { currency, columns: chosen, dayForm }: CsvOptions): CsvStatement {
  const { text, encoding } = decodeFile(bytes);
  const lines = csvLinesOf(text);
  const found = findColumns(
    lines.map(({ cells }) => cells),
    chosen,
  );
  const table = lines.slice(found.header + 1);
  if (table.length > maxFileRows)
    throw new StatementFileError(
      `The file has ${table.length} rows, and at most ${maxFileRows} are read at once. Download the statement of a shorter time.`,
    );
  const misplaced = problemsOfWidth(found, table);
  if (misplaced.length > 0) throw new StatementFileError(...summarizeProblems(misplaced));
  requireCurrency(found, table, currency);
  const amountCells = (['amount', 'credit', 'debit'] as const).flatMap((field) =>
    cellsOf(found, table, field),
  );
  const decimalSign = decimalSignOf(amountCells);
  const money = table.filter((line) => amountTextsOf(found, line).some((cell) => cell !== ''));
  const days = dayForm ? { form: dayForm, isAssumed: false } : dayFormOf(cellsOf(found, money, 'day'));
  const problems: string[] = [];
  const rows = money.flatMap((line): NewRow[] => {
    const row = rowOf(found, line, days.form, decimalSign);
    if (typeof row === 'string') problems.push(row);
    else if (row.amount !== 0) return [row];
    return [];
  });
  if (problems.length > 0) throw new StatementFileError(...summarizeProblems(problems));
  if (rows.length === 0)
    throw new StatementFileError('The file has no row with an amount. Check that the download is complete.');
  return {
    rows,
    skipped: table.length - rows.length,
    encoding,
    columns: found.columns,
    names: found.names,
    dayForm: days.form,
    isDayFormAssumed: days.isAssumed,
    decimalSign,
  };
}

const cellsOf = (found: FoundColumns, lines: readonly CsvLine[], field: ColumnField): Cell[] =>
  lines.flatMap((line) => {
    const text = cellOf(found, line, field);
    return text === '' ? [] : [{ line: line.line, text }];
  });

/** Returns the row of a line, or what is wrong with it. */
function rowOf(found: FoundColumns, line: CsvLine, dayForm: DayForm, sign: DecimalSign): NewRow | string {
  const at = `Line ${line.line}:`;
  const dayText = cellOf(found, line, 'day');
  const day = readDay(dayText, dayForm);
  const amount = amountOf(found, line, sign);
  if (typeof amount === 'string') return `${at} ${amount}`;
  if (amount === 0) return { day: '', amount };
  if (day === undefined)
    return dayText === ''
      ? `${at} the day is missing. Add it, or remove the amount if the line is a total.`
      : `${at} ${dayText} is not a day. Correct it.`;
  const texts = { reference: 255, text: 500, name: 200 } as const;
  const fields: { reference?: string; text?: string; name?: string } = {};
  for (const [field, max] of Object.entries(texts) as [keyof typeof texts, number][]) {
    const value = cellOf(found, line, field);
    if (value === '') continue;
    if (!isPlainText(value, max))
      return `${at} the ${field} is longer than ${max} characters, or has characters that cannot be stored. Shorten it.`;
    fields[field] = value;
  }
  return { day, amount, ...fields };
}

function amountOf(found: FoundColumns, line: CsvLine, decimalSign: DecimalSign): number | string {
  const [amountText = '', creditText = '', debitText = ''] = amountTextsOf(found, line);
  const read = (text: string) => (text === '' ? 0 : readAmount(text, decimalSign));
  const [amount, credit, debit] = [read(amountText), read(creditText), read(debitText)];
  const wrong = [amount, credit, debit].indexOf(undefined);
  if (wrong >= 0)
    return `${[amountText, creditText, debitText][wrong]} is not an amount with at most two decimal places. Correct it.`;
  if (credit && debit) return 'the row has a credit and a debit. Divide it into two rows.';
  const direction = cellOf(found, line, 'direction');
  const sign = signOfDirection(direction);
  // A minus says the direction, too.
  if (sign === undefined && amount && amount > 0)
    return `${direction} in the column ${found.columns.direction} says neither money in nor money out. Write Cr or Dr, or choose no column for the direction if the amounts have signs.`;
  const signed = sign === -1 ? -Math.abs(amount ?? 0) : (amount ?? 0);
  // Some banks write a minus in the column of money out.
  return signed + (credit ?? 0) - Math.abs(debit ?? 0);
}

/** @throws StatementFileError if a row, or the name of a column, has another currency */
function requireCurrency(found: FoundColumns, lines: readonly CsvLine[], currency: Currency): void {
  const inNames = (['amount', 'credit', 'debit'] as const).flatMap((field) => {
    const code = /\b(BTN|USD|INR)\b/i.exec(found.columns[field] ?? '')?.[1];
    return code ? [{ text: code, line: found.header + 1 }] : [];
  });
  const other = [...inNames, ...cellsOf(found, lines, 'currency')].find(
    ({ text }) => text.toUpperCase() !== currency,
  );
  if (other)
    throw new StatementFileError(
      `Line ${other.line}: the currency is ${other.text}, and the statement is imported in ${currency}. Import each currency alone.`,
    );
}
