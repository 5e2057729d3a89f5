/**
 * Reads texts that can be long: descriptions, and the bodies of answers and events. Such a text is stored as a string,
 * or compressed as bytes.
 *
 * This release reads both forms and writes strings. A later release can write the compressed form, because no function
 * of a release that cannot read it runs then.
 */
import { brotliDecompressSync } from 'node:zlib';

/** A text as it is stored: itself, or the Brotli stream of its UTF-8 bytes. */
export type StoredText = string | Uint8Array;

/** No stored text is larger: an item of DynamoDB has at most 400 KB, and a request body at most 64 KiB. */
const maxBytes = 1024 * 1024;

/**
 * Returns a stored text.
 * @throws Error if the bytes are not a Brotli stream of at most 1 MB
 */
export function fromStoredText(stored: StoredText): string {
  if (typeof stored === 'string') return stored;
  return brotliDecompressSync(stored, { maxOutputLength: maxBytes }).toString('utf8');
}
