/**
 * Reads the file of a bank that a form sends. The second form names the file, which the bucket keeps for a day. What it sends is read and
 * checked like a new file.
 */
import * as v from 'valibot';
import { type Currency, currencies } from '../../../base/money.ts';
import {
  type ColumnNames,
  columnFields,
  columnsOfMapping,
  type DayForm,
  dayForms,
  type ShownColumnMapping,
} from '../../../domain/statements/column-mapping.ts';
import { MissingColumnError, StatementFileError } from '../../../domain/statements/csv/file-error.ts';
import {
  type FileStatement,
  isXmlFile,
  readStatementRows,
} from '../../../domain/statements/files/read-file.ts';
import { createStatementBody } from '../../../domain/statements/statement.ts';
import { type FieldErrors, lineOf, type SentFields, validateFields } from '../input/form-fields.ts';
import { importTexts, uploadFields } from './bank-statement-texts.ts';

/** The largest file, in bytes. */
export const maxFileBytes = 3 * 1024 * 1024;

/** No column of a file can have this name, because a dash stands for an empty cell. */
export const noColumn = '-';

/** The name of the select of a field. */
export const columnName = (field: string) => `column-${field}`;

/** What both forms say of the file. */
export interface StatementHead {
  readonly bank: string;
  readonly currency: Currency;
}

/** A file, and how its form says that it is read. */
export interface SentFile extends StatementHead {
  /** Undefined: it is not stored yet. */
  readonly id: string | undefined;
  readonly bytes: Uint8Array;
  readonly columns: ColumnNames;
  readonly dayForm: DayForm | undefined;
}

const headSchema = v.strictObject({
  bank: createStatementBody.entries.bank,
  currency: v.picklist(currencies),
});

/** Reads bank and currency, as the API does. */
export const readHead = (fields: SentFields) =>
  validateFields(
    headSchema,
    { bank: lineOf(fields, 'bank'), currency: lineOf(fields, 'currency') },
    uploadFields,
  );

/** Reads the names of the columns that the form chooses. A field without a column has an empty name. */
export function readColumns(fields: SentFields): ColumnNames {
  const entries = columnFields.map((field) => {
    const sent = lineOf(fields, columnName(field));
    // An empty choice is none of the list, so no column has this name.
    return [field, sent === noColumn ? '' : sent || '?'];
  });
  return Object.fromEntries(entries);
}

/** Reads the form of days. Undefined: it is none of the list. */
export const readDayForm = (fields: SentFields) =>
  dayForms.find((form) => form === lineOf(fields, 'dayForm'));

/** What came of a file: its rows, or what is wrong, with the names of its columns if others can be chosen. */
export type ReadFile =
  | { readonly ok: true; readonly statement: FileStatement }
  | { readonly ok: false; readonly problems: readonly string[]; readonly names?: readonly string[] };

/** Reads the rows of a file. XML has no columns, so the form has no choice of them. */
export function readFile({ bytes, currency, columns, dayForm }: SentFile): ReadFile {
  try {
    const statement = readStatementRows(
      bytes,
      isXmlFile(bytes) ? { currency } : { currency, columns, dayForm },
    );
    return { ok: true, statement };
  } catch (error) {
    if (!(error instanceof StatementFileError)) throw error;
    const { problems } = error;
    return error instanceof MissingColumnError
      ? { ok: false, problems, names: error.names }
      : { ok: false, problems };
  }
}

/**
 * Returns a file with the columns of an earlier one. If the file does not show whether day or month comes first, its days have the form
 * of the earlier one too. Undefined: it cannot be read so.
 */
export function withMapping(file: SentFile, mapping: ShownColumnMapping): SentFile | undefined {
  const kept = { ...file, columns: columnsOfMapping(mapping) };
  const read = readFile(kept);
  if (!read.ok || read.statement.format !== 'csv') return undefined;
  if (!read.statement.isDayFormAssumed) return kept;
  const sameDays = { ...kept, dayForm: mapping.dayForm ?? undefined };
  return readFile(sameDays).ok ? sameDays : kept;
}

/** Reads the form with the file. @returns what is wrong, by field */
export function readUpload(
  fields: SentFields,
): { readonly ok: true; readonly file: SentFile } | { readonly ok: false; readonly errors: FieldErrors } {
  const head = readHead(fields);
  const bytes = Buffer.from(fields.get('file') ?? '', 'base64');
  const wrong =
    bytes.length === 0 ? importTexts.noFile : bytes.length > maxFileBytes ? importTexts.tooLarge : undefined;
  if (head.ok && wrong === undefined)
    return { ok: true, file: { ...head.output, id: undefined, bytes, columns: {}, dayForm: undefined } };
  return { ok: false, errors: { ...(!head.ok && head.errors), ...(wrong !== undefined && { file: wrong }) } };
}
