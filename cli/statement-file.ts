/** Reads the rows of `remit statements import` from a file: CSV or camt.053 of a bank, or JSON. */
import { readFile } from 'node:fs/promises';
import type { StatementCreateParams } from '../client/src/remit.ts';
import { type Currency, formatAmount } from '../shared/base/money.ts';
import { columnFields, dayForms, showColumnMapping } from '../shared/domain/statements/column-mapping.ts';
import { MissingColumnError, StatementFileError } from '../shared/domain/statements/csv/file-error.ts';
import {
  type FileStatement,
  mappingOf,
  readStatementRows,
} from '../shared/domain/statements/files/read-file.ts';
import { type ParsedOptions, parseChoice, usageError } from './command.ts';

type Rows = NonNullable<StatementCreateParams['rows']>;

/** The rows of a file, and sentences about how it was read. */
export interface StatementFile {
  readonly rows: Rows;
  /** The file of the bank, which the service reads again. Undefined: the rows are those of a JSON file. */
  readonly bytes?: Uint8Array;
  readonly remarks: readonly string[];
  /** How the columns were read. Undefined: the file has none. */
  readonly mapping?: StatementCreateParams['mapping'];
}

/** @throws CommandError (usage) that says what is wrong with the file, and what to do */
export async function readStatementFile(options: ParsedOptions, currency: Currency): Promise<StatementFile> {
  const file = options.required('FILE');
  const bytes = await readFile(file).catch(() => {
    throw usageError(`The file ${file} cannot be read. Check its path.`);
  });
  if (/^\s*\[/.test(bytes.subarray(0, 100).toString('utf8')))
    return { rows: parseRows(file, bytes.toString('utf8')), remarks: [] };
  return readBankFile(file, bytes, options, currency);
}

async function readBankFile(
  file: string,
  bytes: Uint8Array,
  options: ParsedOptions,
  currency: Currency,
): Promise<StatementFile> {
  const named = options.optional('day-form');
  const dayForm = named === undefined ? undefined : parseChoice('day-form', named, dayForms);
  const columns = Object.fromEntries(
    options.all('column').map((text) => {
      const [field = '', ...name] = text.split('=');
      if (name.length === 0)
        throw usageError('--column must be FIELD=NAME, for example --column day="Txn Date".');
      return [parseChoice('column', field, columnFields), name.join('=')];
    }),
  );
  try {
    const found = readStatementRows(bytes, { currency, columns, dayForm });
    const [first] = found.rows;
    if (found.format === 'csv' && found.isDayFormAssumed && !options.flag('dry-run'))
      throw usageError(
        `No day in ${file} shows whether day or month comes first. If the first row is of ${first?.day}, add --day-form dmy, else --day-form mdy.`,
      );
    // A field without a column is sent as null, so the service does not look for one either.
    const mapping = mappingOf(found);
    return {
      rows: found.rows as Rows,
      bytes,
      remarks: describe(found, currency),
      ...(mapping && { mapping: showColumnMapping(mapping) }),
    };
  } catch (error) {
    if (!(error instanceof StatementFileError)) throw error;
    const hint = error instanceof MissingColumnError ? ['For example, add --column day="Txn Date".'] : [];
    throw usageError([`The file ${file} cannot be imported.`, ...error.problems, ...hint].join('\n'));
  }
}

/** Says how a file was read, so that a person can compare it with the file. */
function describe(file: FileStatement, currency: Currency): string[] {
  const { rows, skipped, encoding } = file;
  const amounts = rows.map(({ amount }) => amount);
  const sumOf = (some: readonly number[]) =>
    formatAmount(Math.abs(some.reduce((sum, amount) => sum + amount, 0)), currency);
  const came = sumOf(amounts.filter((amount) => amount > 0));
  const went = sumOf(amounts.filter((amount) => amount < 0));
  const sums = `${rows.length} rows: ${came} came in, and ${went} went out.`;
  if (file.format === 'camt.053')
    return [
      `${sums} ${skipped} entries that are not booked or have no amount were skipped.`,
      `Format: camt.053. Encoding: ${encoding}.`,
    ];
  const names = Object.entries(file.columns).map(([field, name]) => `${field}: ${name}`);
  return [
    `${sums} ${skipped} lines without an amount were skipped.`,
    `Columns: ${names.join(', ')}. Form of days: ${file.dayForm}. Decimal sign: ${file.decimalSign === ',' ? 'comma' : 'point'}. Encoding: ${encoding}.`,
  ];
}

/** @throws CommandError (usage) if the text is not a list of rows */
function parseRows(file: string, text: string): Rows {
  const parsed = parseJson(text);
  const isList =
    Array.isArray(parsed) && parsed.every((row) => typeof row === 'object' && row !== null && 'day' in row);
  if (!isList || parsed.length === 0)
    throw usageError(`The file ${file} must be a JSON list of rows, each with day and amount.`);
  return parsed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
