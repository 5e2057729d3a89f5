/** Finds the cells of a line by the columns of its file, and the lines whose cells are not below their names. Pure. */
import type { ColumnField } from '../column-mapping.ts';
import { isDayLike } from './cells.ts';
import type { FoundColumns } from './columns.ts';
import type { CsvLine } from './lines.ts';

const amountFields = ['amount', 'credit', 'debit'] as const;
/** Without one of these cells, money could be read in the wrong way. Banks leave out other empty cells at the end of a line. */
const neededFields = [...amountFields, 'direction', 'currency'] as const;

/** Returns the cell of a field. Empty: the line has none. Banks draw lines of stars, and write a dash for no amount. */
export function cellOf({ positions }: FoundColumns, { cells }: CsvLine, field: ColumnField): string {
  const position = positions[field];
  const cell = position === undefined ? '' : (cells[position] ?? '');
  return field === 'direction' ? cell : withoutFiller(cell);
}

const withoutFiller = (cell: string): string => (/^[-–—*=_]+$/.test(cell) ? '' : cell);

/** Returns the cells of the amount, the credit and the debit of a line. */
export const amountTextsOf = (found: FoundColumns, line: CsvLine) =>
  amountFields.map((field) => cellOf(found, line, field));

/**
 * Returns what is wrong with the lines that have more cells than the names, or too few. A comma in a text without quotation marks moves
 * the cells after it to other columns. Lines without a day and an amount, such as the text at the end of a file, can have any cells.
 */
export function problemsOfWidth(found: FoundColumns, table: readonly CsvLine[]): string[] {
  const { positions, width, lastNamed } = found;
  const hasAmount = (line: CsvLine) => amountTextsOf(found, line).some((text) => text !== '');
  const rows = table.filter((line) => hasAmount(line) || line.cells.some(isDayLike));
  // Some banks end each line with a delimiter, but not the names.
  const allowed = Math.max(
    width,
    rows.reduce((least, { cells }) => Math.min(least, cells.length), Number.POSITIVE_INFINITY),
  );
  const named = lastNamed + 1;
  return rows.flatMap((line) => {
    const { cells } = line;
    if (cells.length > allowed || cells.slice(named).some((cell) => withoutFiller(cell) !== ''))
      return [
        `Line ${line.line}: it has more cells than the columns have names. Put a text or an amount that has the delimiter in quotation marks, and give each column a name.`,
      ];
    const missing = neededFields.find((field) => (positions[field] ?? 0) >= cells.length);
    return missing && hasAmount(line)
      ? [
          `Line ${line.line}: it ends before the column ${found.columns[missing]}. Add the delimiters that are missing, or download the file again.`,
        ]
      : [];
  });
}
