import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  mergeMetadata as mergeText,
  metadataUpdateSchema,
  newMetadataSchema,
  showMetadata,
} from '../../shared/base/metadata.ts';

type Update = Parameters<typeof mergeText>[1];
/** Merges metadata that is stored as text. */
const mergeMetadata = (stored: object | undefined, update: Update) => {
  const text = mergeText(stored && JSON.stringify(stored), update);
  return text === undefined ? undefined : (JSON.parse(text) as Record<string, string>);
};

const messageFor = (schema: v.GenericSchema, input: unknown) =>
  v.safeParse(schema, input).issues?.[0].message;
const keys = (count: number, text = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, text]));
/** As a JSON body has it: own keys, whatever their names are. */
const parsed = (json: string) => JSON.parse(json) as unknown;

describe('new metadata', () => {
  test.each([
    ['{}', {}],
    ['one key', { orderId: '1047' }],
    ['an empty text', { note: '' }],
    ['20 keys', keys(20)],
    ['a key of 40 code points', { ['🧾'.repeat(40)]: 'x' }],
    ['a text of 500 code points', { note: '🧾'.repeat(500) }],
    [
      'names of properties',
      parsed('{"constructor":"a","toString":"b","prototype":"c","hasOwnProperty":"d"}'),
    ],
    ['a key like a card number', { '4242424242424242': 'x' }],
    ['an account number in IBAN form', { iban: 'DE89 3704 0044 0532 0130 00' }],
    // {"a":"…"} has 8 bytes besides the text. Several keys reach the limit exactly.
    ['4096 bytes', { ...keys(8, 'x'.repeat(499)), last: 'y'.repeat(4096 - 8 * (499 + 10) - 2 - 9) }],
  ])('accepts %s', (_, input) => {
    expect(messageFor(newMetadataSchema, input)).toBeUndefined();
  });

  test.each([
    ['null', null, /must be an object/],
    ['a text', 'orderId=1', /must be an object/],
    ['an array', [], /must be an object/],
    ['a number as a value', { a: 1 }, /no valid text for the key "a"/],
    ['null as a value', { a: null }, /no valid text for the key "a"/],
    ['an object as a value', { a: {} }, /no valid text for the key "a"/],
    ['21 keys', keys(21), /would have 21 keys. Have at most 20/],
    ['an empty key', { '': 'x' }, /has the key ""/],
    ['a long key', { ['k'.repeat(41)]: 'x' }, /has the key "k{40}…"/],
    ['a key of white space', { ' \u3000': 'x' }, /A key must have 1 to 40/],
    ['a key of 41 code points', { ['k'.repeat(41)]: 'x' }, /A key must have 1 to 40/],
    ['a text of 501 code points', { a: '🧾'.repeat(501) }, /at most 500 characters/],
    ['NUL in a key', { 'a\0': 'x' }, /A key must/],
    ['NUL in a text', { a: '\0' }, /without NUL/],
    ['a lone surrogate in a key', { 'a\ud800': 'x' }, /A key must/],
    ['a lone surrogate in a text', { a: '\ud800' }, /unpaired surrogates/],
    ['__proto__', parsed('{"__proto__":"x"}'), /__proto__/],
    ['a card number in a text', { a: 'card 4242424242424242.' }, /card number/],
    [
      '4097 bytes',
      { ...keys(8, 'x'.repeat(499)), last: 'y'.repeat(4097 - 8 * (499 + 10) - 2 - 9) },
      /4097 bytes/,
    ],
    ['4 bytes for each character', keys(3, '🧾'.repeat(400)), /bytes as JSON in UTF-8/],
  ])('refuses %s', (_, input, message) => {
    expect(messageFor(newMetadataSchema, input)).toMatch(message);
  });

  test('a message has no long number of a key, and is well-formed', () => {
    const message = messageFor(newMetadataSchema, { 'account 123456789012 \ud800': 1 });
    expect(message).not.toContain('123456789012');
    expect(message?.isWellFormed()).toBe(true);
  });
});

describe('an update', () => {
  test.each([
    ['null as a value', { a: null }],
    ['the removal of 30 keys', Object.fromEntries(Object.keys(keys(30)).map((key) => [key, null]))],
  ])('accepts %s', (_, input) => {
    expect(messageFor(metadataUpdateSchema, input)).toBeUndefined();
  });

  test.each([
    ['a text', 'x'],
    ['undefined as a value', { a: undefined }],
    ['a wrong key', { '': null }],
  ])('refuses %s', (_, input) => {
    expect(messageFor(metadataUpdateSchema, input)).toMatch(/metadata/);
  });

  test('sets, replaces and removes keys, and leaves the others', () => {
    const stored = { a: '1', b: '2', c: '3' };
    expect(mergeMetadata(stored, { a: null, b: '4', d: '5' })).toEqual({ b: '4', c: '3', d: '5' });
    expect(mergeMetadata(stored, undefined)).toEqual(stored);
    expect(mergeMetadata(stored, {})).toEqual(stored);
    expect(mergeMetadata(stored, null)).toBeUndefined();
    expect(mergeMetadata(stored, { a: null, b: null, c: null, d: null })).toBeUndefined();
    expect(stored).toEqual({ a: '1', b: '2', c: '3' });
  });

  test('the limits apply to the result', () => {
    expect(() => mergeMetadata(keys(20), { more: 'x' })).toThrow(/21 keys/);
    expect(mergeMetadata(keys(20), { more: 'x', key0: null })).toMatchObject({ more: 'x' });
    expect(() => mergeMetadata(keys(8, 'x'.repeat(490)), { more: 'x'.repeat(400) })).toThrow(/bytes/);
  });

  test('names of properties are plain data', () => {
    const update = parsed('{"constructor":"a","toString":null}') as Update;
    const merged = mergeMetadata(undefined, update);
    expect(Object.entries(merged ?? {})).toEqual([['constructor', 'a']]);
    expect(mergeMetadata(merged, { constructor: null } as never)).toBeUndefined();
  });
});

const name = fc
  .oneof(
    fc.constantFrom('a', 'b', '1', '10', '9', 'constructor', 'valueOf'),
    fc.string({ minLength: 1, maxLength: 8 }),
  )
  .filter((key) => key.trim() !== '' && key !== '__proto__' && !key.includes('\0'));
const text = fc.string({ maxLength: 20 });
const update = fc.dictionary(name, fc.oneof(text, fc.constant(null)), { maxKeys: 6 });

test('updates are applied as to a map, are shown in one order, and repeating the last one changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(update, fc.constant(null)), { maxLength: 3 }), (updates) => {
      const model = new Map<string, string>();
      let stored: string | undefined;
      for (const each of updates) {
        stored = mergeText(stored, each);
        if (each === null) model.clear();
        for (const [key, value] of Object.entries(each ?? {})) {
          if (value === null) model.delete(key);
          else model.set(key, value);
        }
      }
      expect(new Map(Object.entries(showMetadata(stored)))).toEqual(model);
      expect(mergeText(stored, updates.at(-1))).toBe(stored);
      // Equal metadata is equal text.
      const reversed = Object.fromEntries([...model].reverse());
      expect(mergeText(undefined, reversed)).toBe(stored);
    }),
  );
});
