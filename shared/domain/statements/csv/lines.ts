/** Divides the text of a CSV file into lines with cells. The delimiter is recognized. Pure. */
import { CsvError, parse } from 'csv-parse/sync';
import { StatementFileError } from './file-error.ts';

const delimiters = [',', ';', '\t', '|'];

/** A line of a file with its cells. */
export interface CsvLine {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Divides a text into lines with cells. @throws StatementFileError if a quotation mark is not closed */
export function csvLinesOf(text: string): CsvLine[] {
  const delimiter = delimiterOf(text);
  try {
    const records = parse(text, {
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
      info: true,
    }) as unknown as { readonly info: { readonly lines: number }; readonly record: readonly string[] }[];
    return records.map(({ info, record }) => ({ line: info.lines, cells: record.map(withoutFormula) }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = typeof error.lines === 'number' ? ` in line ${error.lines}` : '';
    throw new StatementFileError(
      `The file is not valid CSV${line}: a quotation mark is not closed. Save it as CSV again.`,
    );
  }
}

/** A spreadsheet keeps the zeros of a number with a formula. */
const withoutFormula = (cell: string): string => (/^="[^"]*"$/.test(cell) ? cell.slice(2, -1) : cell).trim();

/** Returns the delimiter that most lines have. */
function delimiterOf(text: string): string {
  const lines = text.split(/\r\n?|\n/, 60);
  const counts = delimiters.map((each) => lines.filter((line) => line.includes(each)).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}
