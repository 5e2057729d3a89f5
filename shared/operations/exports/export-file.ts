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

/**
 * Yields the bytes of an archive of documents that has the files and the rows of other ones, in their order. Ends before an archive that
 * has a file of the same name as one before.
 * @param onJoin is called for each archive that is joined. That is at least the first one
 */
export type JoinArchives = (
  archives: AsyncIterable<Uint8Array>,
  indexName: string,
  onJoin: () => void,
) => AsyncIterable<Uint8Array>;

/** What a step joins at most. So an archive needs no ZIP64: it has less than 65,535 files and 4 GB. */
const maxJoined = { parts: 400, bytes: 1_000_000_000 } as const;
const joinedPrefix = 'joined-';

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

/** What a step of joining leaves: the files of the export as they are then, and whether nothing is left to join. */
interface JoinedParts {
  readonly parts: readonly StoredPart[];
  readonly isLast: boolean;
}

/**
 * Joins the first archives of documents that are not joined yet. What a step has joined does not change any more.
 * @param readingMs reads no further archive after so many milliseconds
 * @throws ServiceException with the code of S3 as its name
 */
export async function joinParts(
  { account, id, format, parts }: Export,
  joinArchives: JoinArchives,
  readingMs: number,
): Promise<JoinedParts> {
  const isJoined = ({ name }: StoredPart) => name.startsWith(joinedPrefix);
  const [done, left] = [parts.filter(isJoined), parts.filter((part) => !isJoined(part))];
  if (left.length < 2) return { parts, isLast: true };
  const keyOf = (name: string) => bucketKeys.export(account, id, name);
  const begunAt = performance.now();
  async function* read(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for (const [index, part] of left.slice(0, maxJoined.parts).entries()) {
      bytes += part.bytes;
      if (index > 0 && (bytes > maxJoined.bytes || performance.now() - begunAt > readingMs)) return;
      const object = await bucket.get(keyOf(part.name));
      if (!object) throw new Error(`The file ${part.name} of the export ${id} does not exist.`);
      yield object.bytes;
    }
  }
  let count = 0;
  const joined = joinArchives(read(), `index.${format}`, () => {
    count += 1;
  });
  const name = `${joinedPrefix}${base32(randomBytes(10), 16)}.zip`;
  const bytes = await bucket.upload(keyOf(name), contentTypes.zip, joined);
  const rows = left.slice(0, count).reduce((sum, part) => sum + part.rows, 0);
  const others = left.slice(count);
  return { parts: [...done, { name, rows, bytes }, ...others], isLast: others.length < 2 };
}

async function toText({ kind, format, timeZone, bom }: Export, rows: readonly object[]): Promise<string> {
  if (format === 'csv') return rowsToCsv(kind, rows, { bom: bom ?? false, timeZone }, columnsOfExport(kind));
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
