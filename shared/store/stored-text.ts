/**
 * Stores texts that can be long: descriptions, and the bodies of answers and events. A short text is stored as a string, and a
 * long one compressed as bytes.
 */
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';

/** A text as it is stored: itself, or the Brotli stream of its UTF-8 bytes. */
export type StoredText = string | Uint8Array;

/** No stored text is larger: an item of DynamoDB has at most 400 KB, and the request body of a record at most 64 KiB. */
const maxBytes = 1024 * 1024;
/** With a shorter text, an item has at most 1 KB. So compression would save no capacity unit. */
const minBytes = 680;

/** Returns a text as it is stored. @param besides the bytes that the item has beside the text, above what is usual */
export function toStoredText(text: string, besides = 0): StoredText {
  if (Buffer.byteLength(text) + besides < minBytes) return text;
  return new Uint8Array(brotliCompressSync(text));
}

/**
 * Returns a stored text.
 * @throws Error if the bytes are not a Brotli stream of at most 1 MB
 */
export function fromStoredText(stored: StoredText): string {
  if (typeof stored === 'string') return stored;
  return brotliDecompressSync(stored, { maxOutputLength: maxBytes }).toString('utf8');
}
