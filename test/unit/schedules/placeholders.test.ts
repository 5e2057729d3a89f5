/** Tests the placeholders in the texts of a schedule. */
import { expect, test } from '@jest/globals';
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
  expect(fill('{} { month } {1} {{month}}')).toBe('{} { month } {1} {January 2027}');
});

test('a name in braces that is no placeholder is refused', () => {
  for (const text of ['{customer}', '{Month}', 'a {period.middle} b', '{constructor}'])
    expect(() => requirePlaceholders({ description: text, lines: null })).toThrow('does not exist');
  requirePlaceholders({ description: '{month} {} {1}', lines: null });
});
