/** Shows what is read from a file, so that a person can compare it with the file before it is imported. Pure. */
import { showColumnMapping } from '../column-mapping.ts';
import { referencesIn } from '../identify-rows.ts';
import type { FilePreview } from '../statement-file.ts';
import { type FileStatement, mappingOf } from './read-file.ts';

/** How many rows a preview shows. */
const shownRows = 10;
/** A column with a longer name cannot be chosen. */
const maxNameLength = 100;
const maxNames = 100;

/** Returns what is read from a file, with its first rows. */
export function showPreviewOf(statement: FileStatement): FilePreview {
  const { rows, format, encoding, skipped } = statement;
  const isCsv = format === 'csv';
  const days = rows.map(({ day }) => day).sort();
  const mapping = mappingOf(statement);
  const sumOf = (sign: 1 | -1) =>
    rows.reduce((sum, { amount }) => (Math.sign(amount) === sign ? sum + Math.abs(amount) : sum), 0);
  return {
    format,
    encoding,
    decimalSign: isCsv ? statement.decimalSign : null,
    columns: isCsv
      ? statement.names.filter((name) => name !== '' && name.length <= maxNameLength).slice(0, maxNames)
      : [],
    mapping: mapping ? showColumnMapping(mapping) : null,
    isDayFormAssumed: isCsv && statement.isDayFormAssumed,
    rowCount: rows.length,
    skipped,
    withReference: rows.filter((row) => row.amount > 0 && referencesIn(row).length === 1).length,
    amountIn: sumOf(1),
    amountOut: sumOf(-1),
    firstDay: days[0] ?? '',
    lastDay: days.at(-1) ?? '',
    rows: rows.slice(0, shownRows).map(({ day, amount, reference, text, name }) => ({
      day,
      amount,
      reference: reference ?? null,
      text: text ?? null,
      name: name ?? null,
    })),
  };
}
