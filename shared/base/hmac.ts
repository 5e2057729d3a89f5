/**
 * Computes keyed hashes: HMAC-SHA256 of RFC 2104, as two hashes over the key and the text. Node's own function makes several
 * objects for each hash, and that takes a multiple of the time of both hashes.
 */
import { hash } from 'node:crypto';

const blockBytes = 64;
const digestBytes = 32;
/** The room for a text. A longer one is copied. */
const textBytes = 1024;

/** What the two hashes of a key begin with: a block each. After it, both have room for what they hash. */
interface PreparedKey {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

/** The prepared keys, by the bytes of each key. An entry lives as long as its bytes, which the caller never changes. */
const preparedKeys = new WeakMap<Uint8Array, PreparedKey>();

/**
 * Returns the HMAC-SHA256 of the parts, one after another: 32 bytes.
 * @param key the bytes of the key. The caller never changes them.
 */
export function hmacSha256(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  let prepared = preparedKeys.get(key);
  if (!prepared) {
    prepared = prepare(key);
    preparedKeys.set(key, prepared);
  }
  const { inner, outer } = prepared;
  outer.write(hash('sha256', afterBlock(inner, parts), 'binary'), blockBytes, 'latin1');
  // As a text, because each buffer that a hash returns has memory of its own.
  return Buffer.from(hash('sha256', outer, 'binary'), 'latin1');
}

/** Returns the block at the beginning of `inner` with the parts behind it. The next call overwrites them. */
function afterBlock(inner: Buffer, parts: readonly (string | Uint8Array)[]): Uint8Array {
  let end = blockBytes;
  for (const part of parts) {
    // A character of a text has at most three bytes.
    const needed = typeof part === 'string' ? 3 * part.length : part.length;
    if (end + needed > inner.length)
      return Buffer.concat([inner.subarray(0, blockBytes), ...parts.map((each) => Buffer.from(each))]);
    if (typeof part === 'string') {
      end += inner.write(part, end);
    } else {
      inner.set(part, end);
      end += part.length;
    }
  }
  return inner.subarray(0, end);
}

function prepare(key: Uint8Array): PreparedKey {
  const inner = Buffer.alloc(blockBytes + textBytes);
  const outer = Buffer.alloc(blockBytes + digestBytes);
  inner.set(key.length > blockBytes ? hash('sha256', key, 'buffer') : key);
  for (let index = 0; index < blockBytes; index++) {
    const byte = inner[index] ?? 0;
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  return { inner, outer };
}
