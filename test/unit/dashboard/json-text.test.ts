/** Tests how JSON of a client is shown. */
import { expect, test } from '@jest/globals';
import { escapeInvisible, prettyJson } from '../../../shared/web/dashboard/records/json-text.ts';

test('JSON gets line breaks, and stays the same value', () => {
  const json = '{"a":"\u202e\u200fx\u0000","b":["é","😀"]}'.replace('\u0000', '\\u0000');
  const shown = prettyJson(json);
  expect(shown.split('\n')).toHaveLength(7);
  expect(shown).not.toMatch(/[\u202e\u200f]/);
  expect(JSON.parse(shown)).toEqual(JSON.parse(json));
});

test('line feeds and visible characters stay as they are', () => {
  expect(escapeInvisible('a\nb\tc\u2028😀')).toBe('a\nb\\u0009c\\u2028😀');
});
