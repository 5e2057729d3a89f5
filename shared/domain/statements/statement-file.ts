/** Defines files of banks that clients upload, and the schemas of the requests and responses of their endpoints. */
import * as v from 'valibot';
import { idPatternOf } from '../../base/ids.ts';
import { currencySchema } from '../../base/money.ts';
import { timestampSchema } from '../../base/time.ts';
import { columnMappingSchema, newColumnMappingSchema } from './column-mapping.ts';
import { fileIdSchema } from './statement.ts';

/** The largest file, in bytes: 5,000 rows of camt.053 with 2 KB each, and of CSV many more. */
export const maxUploadBytes = 10 * 1024 * 1024;

const sizeMessage = `size must be an integer from 1 to ${maxUploadBytes}: how many bytes the file has.`;
const mappingMessage = 'mapping must be the names of columns as JSON, such as {"day":"Txn Date"}.';

/** How large the file is that a client is about to upload. */
export const linkFileQuery = /* @__PURE__ */ v.strictObject({
  size: v.pipe(
    v.string(sizeMessage),
    v.regex(/^\d{1,9}$/, sizeMessage),
    v.transform(Number),
    v.minValue(1, sizeMessage),
    v.maxValue(maxUploadBytes, sizeMessage),
  ),
});

/** A link with which a file is uploaded, in responses. */
export const fileLinkSchema = v.strictObject({
  file: v.pipe(v.string(), v.regex(idPatternOf('file'))),
  uploadUrl: v.string(),
  size: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  expiresAt: timestampSchema,
});

/** Which file is read, and how. */
export const previewFileQuery = /* @__PURE__ */ v.strictObject({
  file: fileIdSchema,
  currency: currencySchema,
  mapping: v.optional(
    v.pipe(v.string(mappingMessage), v.transform(parseOrUndefined), newColumnMappingSchema),
  ),
});

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const shownText = v.nullable(v.string());

/** A row of a file, in responses. It always has all of these fields. */
export const fileRowSchema = v.strictObject({
  day: v.string(),
  amount: v.pipe(v.number(), v.safeInteger()),
  reference: shownText,
  text: shownText,
  name: shownText,
});

/** What is read from a file, in responses. It always has all of these fields. */
export const filePreviewSchema = v.strictObject({
  format: v.picklist(['csv', 'camt.053']),
  encoding: v.picklist(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']),
  decimalSign: v.nullable(v.picklist(['.', ','])),
  columns: v.array(v.string()),
  mapping: v.nullable(columnMappingSchema),
  isDayFormAssumed: v.boolean(),
  rowCount: count,
  skipped: count,
  withReference: count,
  amountIn: count,
  amountOut: count,
  firstDay: v.string(),
  lastDay: v.string(),
  rows: v.array(fileRowSchema),
});

export type FileLink = v.InferOutput<typeof fileLinkSchema>;
export type FilePreview = v.InferOutput<typeof filePreviewSchema>;
