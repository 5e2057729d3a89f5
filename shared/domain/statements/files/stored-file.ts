/**
 * Links to files of banks that clients upload, and reads their rows.
 *
 * - Nothing but the object in the bucket says that a file exists. The bucket deletes it after a day.
 * - The key of an object has the account and the mode of the request. So a file of another account is one that does not exist.
 */
import * as v from 'valibot';
import { ApiError } from '../../../base/errors.ts';
import { type Owner, randomFileId } from '../../../base/ids.ts';
import type { Currency } from '../../../base/money.ts';
import { type AccountTime, type RealTime, toTimestamp } from '../../../base/time.ts';
import { bucket, bucketKeys } from '../../../store/bucket.ts';
import { columnsOfSent } from '../column-mapping.ts';
import { MissingColumnError, StatementFileError } from '../csv/file-error.ts';
import { type CreateStatement, type NewStatement, newRowSchema } from '../statement.ts';
import { type FileLink, maxUploadBytes } from '../statement-file.ts';
import { findFutureRow, futureDayMessage } from '../transitions.ts';
import { type FileStatement, mappingOf, readStatementRows } from './read-file.ts';

/** How long a client has to begin the upload. */
const linkSeconds = 900;

/** Returns a link with which a file of this size is uploaded. No call. */
export async function linkFile(owner: Owner, size: number, now: RealTime): Promise<FileLink> {
  const file = randomFileId();
  const uploadUrl = await bucket.uploadLinkTo(bucketKeys.statementFile(owner, file), {
    seconds: linkSeconds,
    bytes: size,
  });
  return { file, uploadUrl, size, expiresAt: toTimestamp(now + linkSeconds * 1000) };
}

/** Stores a file. Returns its id. @throws ServiceException with the code of S3 as its name */
export async function storeFile(owner: Owner, bytes: Uint8Array): Promise<string> {
  const file = randomFileId();
  const contentType = 'application/octet-stream';
  await bucket.put(bucketKeys.statementFile(owner, file), { contentType, bytes });
  return file;
}

/** Returns the bytes of a file. Undefined: it was not uploaded, or has expired. */
export const loadFile = async (owner: Owner, file: string): Promise<Uint8Array | undefined> =>
  (await bucket.get(bucketKeys.statementFile(owner, file)))?.bytes;

/** Which file is read, and how. */
export interface FileToRead {
  readonly file: string;
  readonly currency: Currency;
  readonly mapping?: CreateStatement['mapping'];
}

/**
 * Reads the rows of a file. Each of them can be one of a statement. One call.
 * @throws ApiError `invalid_file` with all problems of the file, up to 20, or if there is no such file
 */
export async function readFileRows(
  owner: Owner,
  { file, currency, mapping }: FileToRead,
  now: AccountTime,
): Promise<FileStatement> {
  const bytes = await loadFile(owner, file);
  if (!bytes)
    throw refuse(
      'No file has this ID. Upload it with its link within 15 minutes, and import it on the same day.',
    );
  if (bytes.length > maxUploadBytes)
    throw refuse('The file is larger than 10 MiB. Download the statement of a shorter time.');
  try {
    const columns = columnsOfSent(mapping);
    const found = readStatementRows(bytes, { currency, columns, dayForm: mapping?.dayForm ?? undefined });
    const problem = problemOfRows(found.rows, now);
    if (problem !== undefined) throw refuse(problem);
    return found;
  } catch (error) {
    if (!(error instanceof StatementFileError)) throw error;
    const hint =
      error instanceof MissingColumnError ? ['For example, send {"day":"Txn Date"} in mapping.'] : [];
    throw refuse([...error.problems, ...hint].join(' '));
  }
}

/** How much JSON the rows of a file have at most. One transaction stores them, and DynamoDB takes 4 MB in one. */
const maxRowBytes = 2 * 1024 * 1024;

const refuse = (message: string) => new ApiError('invalid_file', { field: 'file', message });

/** Says what is wrong with rows, or with the first one that no statement can have. Rows are counted from 1, as a preview shows them. */
export function problemOfRows(rows: FileStatement['rows'], now: AccountTime): string | undefined {
  const future = findFutureRow(rows, now);
  if (Buffer.byteLength(JSON.stringify(rows)) > maxRowBytes)
    return 'The texts of the rows are too long together. Download the statement of a shorter time.';
  for (const [index, row] of rows.entries()) {
    const { issues } = v.safeParse(newRowSchema, row, { abortEarly: true });
    const message = index === future ? futureDayMessage : issues?.[0].message;
    if (message !== undefined) return `Row ${index + 1}: ${message}`;
  }
  return undefined;
}

/**
 * Returns the statement of a request, with the rows that it has itself or those of its file.
 * @throws ApiError `invalid_rows` if it has none or both, `invalid_file`, or `invalid_mapping` if the form of days is not known
 */
export async function readNewStatement(
  owner: Owner,
  { rows, file, ...statement }: CreateStatement,
  now: AccountTime,
): Promise<NewStatement> {
  if ((rows == null) === (file == null)) {
    const message = 'Send either rows, or the ID of an uploaded file in file.';
    throw new ApiError('invalid_rows', { field: 'rows', message });
  }
  if (rows != null) return { ...statement, rows };
  const { currency, mapping } = statement;
  const found = await readFileRows(owner, { file: file ?? '', currency, mapping }, now);
  if (found.format === 'csv' && found.isDayFormAssumed) {
    const message = `No day of the file shows whether day or month comes first. If the first row is of ${found.rows[0]?.day}, send dayForm "dmy", else "mdy".`;
    throw new ApiError('invalid_mapping', { field: 'mapping.dayForm', message });
  }
  return { ...statement, rows: found.rows, mapping: mappingOf(found) };
}
