import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { toPrintable } from '../../../shared/web/documents/printable-text.ts';

const isLatin = (codePoint: number) => codePoint >= 0x20 && codePoint < 0x250;
const print = (text: string) => toPrintable(text, isLatin);

test('a character that no font has is shown as its code point, and named once', () => {
  expect(print('Snow ☃ and 漢字, ☃')).toEqual({
    text: 'Snow [U+2603] and [U+6F22 U+5B57], [U+2603]',
    missing: ['☃', '漢', '字'],
  });
  expect(print('a\u0000b\u0007').text).toBe('a[U+0000]b[U+0007]');
  expect(print('😀').text).toBe('[U+1F600]');
});

test('controls of the writing direction and other invisible characters are left out', () => {
  expect(print('in\u202evoice\u2066 \u200f1\u061c\u00ad\ufe0f\u{e0041}')).toEqual({
    text: 'invoice 1',
    missing: [],
  });
});

test('all line breaks become line feeds, and a tab becomes a space', () => {
  expect(print('a\r\nb\rc\u2028d\u0085e\tf').text).toBe('a\nb\nc\nd\ne f');
});

test('an unpaired surrogate is replaced', () => {
  expect(toPrintable('a\ud800b', () => true).text).toBe('a\ufffdb');
});

test('a long run without a place to break gets some, but a usual word or address gets none', () => {
  const shown = print(`${'W'.repeat(40)} accounts@drukcrafts.example`).text;
  expect(shown).toBe(
    `${'W'.repeat(16)}\u200b${'W'.repeat(16)}\u200b${'W'.repeat(8)} accounts@drukcrafts.example`,
  );
});

test('a syllable is never broken, and Tibetan text breaks at its own marks', () => {
  const text = 'ཁྲལ་གྱི་རིན་ཐོ་ཁྲལ་གྱི་རིན་ཐོ་ཁྲལ་གྱི་རིན་ཐོ།';
  expect(toPrintable(text, () => true).text).toBe(text);
  const clusters = toPrintable('e\u0301'.repeat(40), () => true).text.split('\u200b');
  expect(clusters.every((part) => part.startsWith('e') && part.endsWith('\u0301'))).toBe(true);
});

test('a printable text is printable as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const once = print(text).text.replaceAll('\u200b', '');
      expect(print(once).text.replaceAll('\u200b', '')).toBe(once);
    }),
  );
});
