/**
 * Defines the columns of the files of each kind, and how their cells are written. Downloads of lists and exports have the same columns.
 *
 * - The columns follow from the schemas of responses, so all files of a kind have the same ones in the same order.
 * - Lists of objects, such as the lines of an invoice, have no column. Metadata is one column, as JSON.
 */
import type * as v from 'valibot';
import { toCsv } from '../../base/csv.ts';
import { movementRowSchema } from '../account-statements/movement-row.ts';
import { timestampIn, zoneOfDueDate } from '../accounts/fiscal-year.ts';
import { auditEntrySchema } from '../audit/entry.ts';
import { lineSchema } from '../charges/line.ts';
import { customerSchema } from '../customers/customer.ts';
import { documentSummarySchema } from '../documents/document.ts';
import { invoiceSchema } from '../invoices/invoice.ts';
import { journalEntrySchema, journalLineSchema } from '../journal/journal.ts';
import { paymentSchema } from '../payments/payment.ts';
import { refundSchema } from '../refunds/refund.ts';
import type { ExportKind } from './export-kinds.ts';

/** The fields of an invoice that its lines have before their own, with these names. */
export const invoiceFieldsOfLines = [
  'number',
  'invoiceId',
  'customerId',
  'customerName',
  'status',
  'currency',
  'createdAt',
  'line',
] as const;

/** The columns of an index that say which file a document is. `sha256` is that of the file, so that a reader can compare the two. */
const columnsOfFiles = ['contentSha256', 'file', 'sha256'] as const;

/** The columns of each kind. */
const columns: Readonly<Record<ExportKind, () => readonly string[]>> = {
  invoices: () => [...new Set(['number', ...columnsOf(invoiceSchema), 'customerName'])],
  lines: () => [...invoiceFieldsOfLines, ...columnsOf(lineSchema)],
  payments: () => [...columnsOf(paymentSchema), 'customerName'],
  refunds: () => columnsOf(refundSchema),
  customers: () => columnsOf(customerSchema),
  journal: () => [...columnsOf(journalEntrySchema), ...columnsOf(journalLineSchema)],
  documents: () => [
    ...columnsOf(documentSummarySchema).filter((name) => name !== 'sha256'),
    ...columnsOfFiles,
  ],
  audit: () => columnsOf(auditEntrySchema),
  statement: () => columnsOf(movementRowSchema),
};

interface AnySchema {
  readonly type: string;
  readonly wrapped?: AnySchema;
  readonly item?: AnySchema;
  readonly entries?: Readonly<Record<string, AnySchema>>;
}

/** Returns the columns of what a schema describes: nested fields have dotted names. */
function columnsOf(schema: v.GenericSchema): string[] {
  return namesIn(schema as unknown as AnySchema, '');
}

function namesIn({ wrapped, item, entries }: AnySchema, name: string): string[] {
  if (wrapped) return namesIn(wrapped, name);
  if (item?.entries) return [];
  if (!entries) return [name];
  const prefix = name === '' ? '' : `${name}.`;
  return Object.entries(entries).flatMap(([field, each]) => namesIn(each, prefix + field));
}

/** The columns that a file of an export has besides those of its kind. A list has no range in which its rows count. */
export const columnsOfExport = (kind: ExportKind): readonly string[] =>
  kind === 'payments' || kind === 'refunds' ? ['countedOn', 'amountCounted', 'asOf'] : ['asOf'];

interface FileOptions {
  readonly bom: boolean;
  /** The IANA name of the time zone in which times are shown. */
  readonly timeZone: string;
}

/**
 * Returns rows as CSV, with the clock and the offset of the time zone in all times. A due date has the clock that names its day.
 * @param more columns after those of the kind
 */
export function rowsToCsv(
  kind: ExportKind,
  rows: readonly object[],
  { bom, timeZone }: FileOptions,
  more: readonly string[] = [],
): Promise<string> {
  const textOf = (text: string, column: string) => (isTime(column) ? timeIn(timeZone, text, column) : text);
  return toCsv(rows, { bom, textOf, columns: [...columns[kind](), ...more] });
}

const isTime = (column: string): boolean => /(^|\.)(\w+At|dueDate|timestamp|asOf)$/.test(column);

/** A date without a time of day stays as it is. */
function timeIn(timeZone: string, text: string, column: string): string {
  if (!/^\d{4}-\d\d-\d\dT.*Z$/.test(text)) return text;
  const at = Date.parse(text);
  return timestampIn(column === 'dueDate' ? zoneOfDueDate(timeZone, at) : timeZone, at);
}
