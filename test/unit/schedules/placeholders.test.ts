/** Tests the placeholders in the texts of a schedule. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Locale } from '../../../shared/base/locales.ts';
import { noContent } from '../../../shared/domain/drafts/draft.ts';
import { fillPlaceholders, requirePlaceholders } from '../../../shared/domain/schedules/placeholders.ts';

const period = { start: '2027-01-31', end: '2027-02-27' };
const fill = (description: string, locale: Locale | null = null) =>
  fillPlaceholders({ ...noContent, description, locale }, period).description;

test('placeholders are replaced as plain text, in the language of the invoice', () => {
  expect(fill('{month}: {period.start} to {period.end}, $& {month}')).toBe(
    'January 2027: 31 January 2027 to 27 February 2027, $& January 2027',
  );
  expect(fill('{month}', 'hi')).toBe('जनवरी 2027');
  expect(fill('{month}', 'dz')).not.toContain('January');
  expect(fill('a } b {month}} {')).toBe('a } b January 2027} {');
  expect(fill('{\n{month}\n}')).toBe('{\nJanuary 2027\n}');
});

test.each([
  ['{customer}'],
  ['{Month}'],
  ['{constructor}'],
  ['{ month }'],
  ['{month\t}'],
  ['{period-start}'],
  ['{period.start }'],
  ['{month+1}'],
  ['{महीना}'],
  ['{}'],
  ['{1}'],
  ['a {period.middle} b', '{period.middle}'],
  ['{month} {year}', '{year}'],
  ['{{month}}', '{{month}'],
  ['{ {month} ', '{ {month}'],
])('%s is refused, and named beside the list', (text, named = text) => {
  const message = `the placeholder ${named}, which does not exist. Use {period.start}, {period.end}, {month}`;
  expect(() => requirePlaceholders({ description: text, lines: null })).toThrow(message);
});

test('every text with braces is refused or has none of them left where a pair was', () => {
  const piece = fc.constantFrom('{', '}', '{month}', '{period.end}', ' ', 'a', '.', '\n', '\r', '{ month }');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      try {
        requirePlaceholders({ description: text, lines: null });
      } catch {
        return;
      }
      expect(fill(text)).not.toMatch(/\{[^\r\n]*\}/);
    }),
  );
});

test('a lone brace is a text, and so are braces on different lines', () => {
  for (const text of ['a { b', 'a } b', '} {', '{month} }', '{\nmonth }', ''])
    requirePlaceholders({ description: text, lines: null });
});
