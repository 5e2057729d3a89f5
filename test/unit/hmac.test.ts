/** Compares keyed hashes with those of Node, for keys and texts around the sizes of a block. */
import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { hmacSha256 } from '../../shared/base/hmac.ts';

const sizes = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, 1023, 1024, 1025, 2000];
const bytes = (size: number, seed: number) =>
  Uint8Array.from({ length: size }, (_, index) => index * seed + 7);

test.each(sizes)('a key of %i bytes gives the hashes that Node computes', (size) => {
  const key = bytes(size, 31);
  for (const length of sizes) {
    const text = bytes(length, 17);
    const expected = createHmac('sha256', key).update(text).digest();
    // Twice, because the second hash uses the prepared key.
    expect(hmacSha256(key, text)).toEqual(expected);
    expect(hmacSha256(key, text.subarray(0, 5), text.subarray(5))).toEqual(expected);
  }
});

test.each([1, 341, 342, 512, 1024, 1025])(
  'a text of %i characters of three bytes has the hash of Node',
  (length) => {
    const key = bytes(32, 5);
    const text = '€'.repeat(length);
    const expected = createHmac('sha256', key).update(`ab${text}`).digest();
    expect(hmacSha256(key, 'ab', text)).toEqual(expected);
    expect(hmacSha256(key, Buffer.from(`ab${text}`))).toEqual(expected);
  },
);

test('texts are hashed as UTF-8, one after another', () => {
  const key = bytes(32, 5);
  const expected = createHmac('sha256', key)
    .update('ü', 'utf8')
    .update(Uint8Array.of(255))
    .update('z')
    .digest();
  expect(hmacSha256(key, 'ü', Uint8Array.of(255), 'z')).toEqual(expected);
});
