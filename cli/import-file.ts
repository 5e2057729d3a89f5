/** Reads the rows of a CSV export of another tool for `remit import`. */
import { readFile } from 'node:fs/promises';
import { type DecimalSign, decimalSignOf, readAmount } from '../shared/domain/statements/csv/cells.ts';
import { decodeFile } from '../shared/domain/statements/csv/decode.ts';
import { StatementFileError } from '../shared/domain/statements/csv/file-error.ts';
import { csvLinesOf } from '../shared/domain/statements/csv/lines.ts';
import { usageError } from './command.ts';
import { importColumns } from './import-columns.ts';
import type { ImportKind, ImportTool } from './import-records.ts';

/** How many rows a file has at most. Each row can need two requests. */
export const maxImportRows = 10_000;

/** A row of an export. */
export interface ImportRow {
  /** The line of the file, from 1. */
  readonly line: number;
  /** Returns the text of a field. Empty: the row or the file does not have it. */
  readonly get: (field: string) => string;
  /** Returns an amount in the smallest currency unit. Undefined: the field is no amount. */
  readonly amount: (field: string) => number | undefined;
}

/** How the amounts of a file are written: in units of the currency, or in the smallest unit. */
export const amountForms = ['units', 'smallest'] as const;
export type AmountForm = (typeof amountForms)[number];

const amountFields = ['amount', 'total', 'paid', 'due'];

/** @throws CommandError (usage) that names the file, what is wrong with it, and what to do */
export async function readImportFile(
  path: string,
  tool: ImportTool,
  kind: ImportKind,
  amounts: AmountForm | undefined,
): Promise<ImportRow[]> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`The file ${path} cannot be read (${error.code}). Check --${kind}.`);
  });
  try {
    return importRowsOf(bytes, tool, kind, amounts);
  } catch (error) {
    if (!(error instanceof StatementFileError)) throw error;
    throw usageError([`The file ${path} cannot be imported.`, ...error.problems].join('\n'));
  }
}

/**
 * Returns the rows of a file. Pure.
 * @param amounts how amounts are written. Undefined: the tool or the file shows it
 * @throws StatementFileError if the file is no CSV text, lacks a column, is too long, or does not show how amounts are written
 */
export function importRowsOf(
  bytes: Uint8Array,
  tool: ImportTool,
  kind: ImportKind,
  amounts?: AmountForm,
): ImportRow[] {
  const { text } = decodeFile(bytes);
  const [header, ...lines] = csvLinesOf(text);
  if (lines.length === 0)
    throw new StatementFileError('The file has no rows below the names of its columns. Export it again.');
  if (lines.length > maxImportRows)
    throw new StatementFileError(
      `The file has ${lines.length.toLocaleString('en-US')} rows, and at most ${maxImportRows.toLocaleString('en-US')} are imported at once. Divide it into several files, each with the names of the columns.`,
    );
  const positions = positionsOf(header?.cells ?? [], tool, kind);
  const cellOf = (cells: readonly string[], field: string) => cells[positions[field] ?? -1] ?? '';
  const money = lines.flatMap(({ line, cells }) =>
    amountFields.flatMap((field) => {
      const cell = cellOf(cells, field);
      return cell === '' ? [] : [{ line, text: cell }];
    }),
  );
  const texts = money.map((cell) => cell.text);
  const form = amounts ?? (tool === 'razorpay' ? amountFormOf(texts) : 'units');
  const sign: DecimalSign = form === 'units' ? decimalSignOf(money) : '.';
  return lines.map(({ line, cells }) => ({
    line,
    get: (field) => cellOf(cells, field),
    amount: (field) => amountIn(cellOf(cells, field), form, sign),
  }));
}

function amountIn(text: string, form: AmountForm, sign: DecimalSign): number | undefined {
  if (form === 'units') return readAmount(text, sign);
  const amount = /^\d+$/.test(text) ? Number(text) : undefined;
  return amount !== undefined && Number.isSafeInteger(amount) ? amount : undefined;
}

/** The API of Razorpay has paise, and reports of its dashboard have rupees. Only decimal places show which ones a file has. */
function amountFormOf(amounts: readonly string[]): AmountForm {
  const unclear = amounts.find((text) => text !== '0' && !/[.,]\d\d$/.test(text));
  if (unclear === undefined) return 'units';
  throw new StatementFileError(
    `The amount ${unclear} can be rupees or paise. For rupees, add --amounts units, and for paise, add --amounts smallest.`,
  );
}

const comparable = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function positionsOf(
  header: readonly string[],
  tool: ImportTool,
  kind: ImportKind,
): Readonly<Record<string, number>> {
  const { required, names } = importColumns[tool][kind];
  const compared = header.map(comparable);
  const found = Object.entries(names).flatMap(([field, candidates]) => {
    const position = candidates.map((name) => compared.indexOf(comparable(name))).find((at) => at >= 0);
    return position === undefined ? [] : [[field, position] as const];
  });
  const positions = Object.fromEntries(found);
  const missing = required.filter((field) => positions[field] === undefined);
  if (missing.length === 0) return positions;
  const wanted = missing.map((field) => names[field]?.join(' or ')).join('; ');
  const has = header.filter(Boolean).slice(0, 20).join(', ');
  throw new StatementFileError(
    `The file lacks columns: ${wanted}. It has: ${has}.`,
    `Export the ${kind} again with these columns, in English.`,
  );
}
