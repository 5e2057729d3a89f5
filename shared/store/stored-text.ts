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
 * The qualities of Brotli. The dense one makes a tenth less of a usual body and takes ten times as long: 1.2 ms for 1 KB, a third of the time
 * of a card payment. It is used where the quick one could leave an item with more than 1 KB, because each further kilobyte is a unit.
 */
const [quick, dense] = [5, 11];
/** A longer text has hundreds of units with either quality, and the dense one takes a tenth of a second. */
const longBytes = 64 * 1024;
/** With a compressed text of fewer bytes, an item has at most 1 KB, also with an entry of the audit log. */
const quickBytes = 600;
/** 64 KiB, as long as a usual text can be. With the default of 4 MiB, most of the time goes to memory that is mapped for each text. */
const windowBits = 16;

/** Returns a text as it is stored. @param besides the bytes that the item has beside the text, above what is usual */
export function toStoredText(text: string, besides = 0): StoredText {
  if (Buffer.byteLength(text) + besides < minBytes) return text;
  const bytes = Buffer.from(text);
  const stored = compress(bytes, quick);
  const isEnough = stored.length + besides < quickBytes || bytes.length > longBytes;
  return isEnough ? stored : compress(bytes, dense);
}

function compress(bytes: Uint8Array, quality: number): Uint8Array {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_PARAM_LGWIN } = constants;
  const params = {
    [BROTLI_PARAM_QUALITY]: quality,
    [BROTLI_PARAM_SIZE_HINT]: bytes.length,
    [BROTLI_PARAM_LGWIN]: windowBits,
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
