/**
 * Stores texts that can be long: descriptions, and the bodies of answers and events. A short text is stored as a string, and a
 * long one compressed as bytes.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** A text as it is stored: itself, or the Brotli stream of its UTF-8 bytes. */
export type StoredText = string | Uint8Array;

/** No stored text is larger: an item of DynamoDB has at most 400 KB, and the request body of a record at most 64 KiB. */
const maxBytes = 1024 * 1024;
/** With a shorter text, an item has at most 1 KB. So compression would save no capacity unit. */
const minBytes = 680;

/**
 * The quality of Brotli. 11 makes a tenth less of a usual body than 5 and takes ten times as long: 1.2 ms for 1 KB, a third of the time of
 * a card payment. Of a long text it saves kilobytes, and each is a write unit.
 */
const qualityOf = (bytes: number): number => (bytes > 4096 ? 11 : 5);
/** 64 KiB, as long as a usual text can be. With the default of 4 MiB, most of the time goes to memory that is mapped for each text. */
const windowBits = 16;

/** Returns a text as it is stored. @param besides the bytes that the item has beside the text, above what is usual */
export function toStoredText(text: string, besides = 0): StoredText {
  if (Buffer.byteLength(text) + besides < minBytes) return text;
  const bytes = Buffer.from(text);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: qualityOf(bytes.length),
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    [constants.BROTLI_PARAM_LGWIN]: windowBits,
  };
  return new Uint8Array(brotliCompressSync(bytes, { params }));
}

/**
 * Returns a stored text.
 * @throws Error if the bytes are not a Brotli stream of at most 1 MB
 */
export function fromStoredText(stored: StoredText): string {
  if (typeof stored === 'string') return stored;
  return brotliDecompressSync(stored, { maxOutputLength: maxBytes }).toString('utf8');
}
