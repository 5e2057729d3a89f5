/** Reads the rows of a bank statement from a file of any format: CSV, or XML in the format camt.053. Pure. */
import * as v from 'valibot';
import { type CamtStatement, isXml, readCamt } from '../camt/read-camt.ts';
import { type ColumnMapping, newColumnMappingSchema } from '../column-mapping.ts';
import { decodeFile } from '../csv/decode.ts';
import { StatementFileError } from '../csv/file-error.ts';
import { type CsvOptions, type CsvStatement, readCsv } from '../csv/read-csv.ts';

/** The rows of a file, and how it was read. */
export type FileStatement =
  | (CsvStatement & { readonly format: 'csv' })
  | (CamtStatement & { readonly format: 'camt.053' });

/** Whether a file is XML. @throws StatementFileError if it is no text */
export const isXmlFile = (bytes: Uint8Array): boolean => isXml(decodeFile(bytes).text);

/**
 * Returns the rows of a file.
 * @param options what the caller knows of it. Columns and the form of days are those of CSV
 * @throws StatementFileError with all problems, up to 20
 */
export function readStatementRows(bytes: Uint8Array, options: CsvOptions): FileStatement {
  if (!isXmlFile(bytes)) return { format: 'csv', ...readCsv(bytes, options) };
  if (options.dayForm !== undefined || Object.keys(options.columns ?? {}).length > 0)
    throw new StatementFileError(
      'The file is XML, which has no columns. Leave out the columns and the form of days.',
    );
  return { format: 'camt.053', ...readCamt(bytes, options.currency) };
}

/** Returns how the columns of a file were read. Undefined: it has none, or one whose name is too long to keep. */
export function mappingOf(statement: FileStatement): ColumnMapping | undefined {
  if (statement.format !== 'csv') return undefined;
  const { columns, dayForm } = statement;
  const named = Object.entries(columns).filter(([, name]) => name !== '');
  const mapping = { ...Object.fromEntries(named), dayForm };
  return v.is(newColumnMappingSchema, mapping) ? mapping : undefined;
}
