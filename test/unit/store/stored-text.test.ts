/** Tests that stored texts are read in both forms. */
import { brotliCompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { fromStoredText } from '../../../shared/store/stored-text.ts';

test.each(['', 'short', 'Überweisung 🧾'.repeat(1_000)])('a text of any length is read: %#', (text) => {
  expect(fromStoredText(text)).toBe(text);
  expect(fromStoredText(brotliCompressSync(text))).toBe(text);
});

test('bytes that are not a compressed text, or that are too large, are an error', () => {
  expect(() => fromStoredText(Buffer.from('text'))).toThrow();
  expect(() => fromStoredText(brotliCompressSync('x'.repeat(2_000_000)))).toThrow();
});
