/** Tests the checks of stored attributes, and how long the check of a record takes. */
import { describe, expect, test } from '@jest/globals';
import {
  arrayOf,
  checksOf,
  compressibleText,
  count,
  type Field,
  flag,
  instant,
  integer,
  jsonObject,
  MalformedItemError,
  nullable,
  objectOf,
  oneOf,
  optional,
  positive,
  requireAttributes,
  text,
  textOf,
} from '../../../shared/store/stored-fields.ts';

const values = {
  undefined: undefined,
  null: null,
  text: 'text',
  'an empty text': '',
  zero: 0,
  'a number': 7,
  'a negative number': -7,
  'a fraction': 1.5,
  'not a number': Number.NaN,
  'a number beyond exact ones': 2 ** 53,
  'a number beyond dates': 8.64e15 + 1,
  true: true,
  'an object': { part: 'text' },
  'an object with more': { part: 'text', other: 1 },
  'an object with another part': { part: 1 },
  'a list of texts': ['text'],
  'an empty list': [],
  'a list of numbers': [1],
  bytes: new Uint8Array(1),
  'a set': new Set(['text']),
  'JSON texts': '{"key":"text"}',
  'JSON of numbers': '{"key":1}',
  'JSON of a list': '["text"]',
  'JSON null': 'null',
} as const;
type Value = keyof typeof values;

const texts = [
  'text',
  'an empty text',
  'JSON texts',
  'JSON of numbers',
  'JSON of a list',
  'JSON null',
] as const;
const numbers = ['zero', 'a number', 'a number beyond dates'] as const;

const accepted: readonly (readonly [
  name: string,
  field: Pick<Field<never>, 'accepts'>,
  accepts: readonly Value[],
])[] = [
  ['text', text, texts],
  ['textOf', textOf<'a'>(), texts],
  ['compressibleText', compressibleText, [...texts, 'bytes']],
  ['flag', flag, ['true']],
  ['integer', integer, [...numbers, 'a negative number']],
  ['count', count, numbers],
  ['positive', positive, ['a number', 'a number beyond dates']],
  ['instant', instant, ['zero', 'a number', 'a negative number']],
  // A list is an object for JavaScript. Nothing stores one here, and nothing fails if somebody does.
  ['jsonObject', jsonObject, ['JSON texts', 'JSON of a list']],
  ['oneOf', oneOf('text', 'other'), ['text']],
  ['optional', optional(count), [...numbers, 'undefined']],
  ['nullable', nullable(count), [...numbers, 'null']],
  ['arrayOf', arrayOf(text), ['a list of texts', 'an empty list']],
  ['objectOf', objectOf<{ part: string }>({ part: text }), ['an object', 'an object with more']],
];

describe.each(accepted)('%s', (_, { accepts }, expected) => {
  test.each(Object.entries(values))('judges %s', (name, value) => {
    expect(accepts(value)).toBe(expected.includes(name as Value));
  });
});

test('an error names the item and the attribute, and no value', () => {
  const checks = checksOf({ first: text, other: optional(count) });
  requireAttributes(checks, { first: 'x', other: 1, unknown: {} }, () => 'inv_1');
  const attempt = () => requireAttributes(checks, { first: 'x', other: 'secret' }, () => 'inv_1');
  expect(attempt).toThrow(MalformedItemError);
  expect(attempt).toThrow(
    'inv_1 is malformed: its attribute other has another form, and must be an integer from 0 on.',
  );
  expect(() => requireAttributes(checks, {}, () => 'inv_1')).toThrow('its attribute first is missing');
});
