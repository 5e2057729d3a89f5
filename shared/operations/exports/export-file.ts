/** Writes the rows of a step of an export as a file. */
import { randomBytes } from 'node:crypto';
import { base32, type Owner } from '../../base/ids.ts';
import { columnsOfExport, rowsToCsv } from '../../domain/exports/columns.ts';
import type { Export, StoredPart } from '../../domain/exports/export.ts';
import { bucket, bucketKeys } from '../../store/bucket.ts';

/** Makes an archive of documents. @param rows summaries of documents, in the order of the index */
export type ArchiveDocuments = (
  owner: Owner,
  rows: readonly object[],
  toIndex: (rows: readonly object[]) => Promise<{ readonly name: string; readonly text: string }>,
) => Promise<Uint8Array>;

const contentTypes = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  zip: 'application/zip',
} as const;

/**
 * Stores rows as a file. Its name was never used before. So a step that runs again, or beside another one, does not replace a file
 * that the record names. A file that no record names expires with the others.
 * @throws ServiceException with the code of S3 as its name
 */
export async function storePart(
  record: Export,
  rows: readonly object[],
  archiveDocuments: ArchiveDocuments,
): Promise<StoredPart> {
  const { account, mode, id, kind, format, parts } = record;
  const isArchive = kind === 'documents';
  const toIndex = async (some: readonly object[]) => ({
    name: `index.${format}`,
    text: await toText(record, some),
  });
  const bytes = isArchive
    ? await archiveDocuments({ account, mode }, rows, toIndex)
    : Buffer.from(await toText(record, rows));
  const extension = isArchive ? 'zip' : format;
  const number = String(parts.length + 1).padStart(4, '0');
  const name = `${number}-${base32(randomBytes(10), 16)}.${extension}`;
  await bucket.put(bucketKeys.export(account, id, name), { contentType: contentTypes[extension], bytes });
  return { name, rows: rows.length, bytes: bytes.length };
}

async function toText({ kind, format, timeZone, bom }: Export, rows: readonly object[]): Promise<string> {
  if (format === 'csv') return rowsToCsv(kind, rows, { bom: bom ?? false, timeZone }, columnsOfExport(kind));
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
