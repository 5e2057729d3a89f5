/** Tests how the reference page shows fields: each keyword of a schema has its words, and no pattern is without. */
import { expect, test } from '@jest/globals';
import type { SchemaObject } from '../../../shared/api/openapi/document-types.ts';
import { patternText } from '../../../shared/api/openapi/pattern-texts.ts';
import { fieldList, fieldOf, fieldsOf } from '../../../shared/web/docs/fields.ts';
import { visibleText } from '../../contract/readable-texts.ts';
import { document } from '../../support/document.ts';

const { schemas } = document.components;

function shown(
  schema: SchemaObject,
  direction: 'request' | 'response' = 'request',
  required = false,
): string {
  const field = fieldOf({ name: 'a', required }, schema, { schemas, direction, id: 'x' });
  return visibleText(fieldList([field]).toString())
    .replace(/\s+/g, ' ')
    .trim();
}

test.each<[SchemaObject, string]>([
  [{ type: 'integer', format: 'int64', minimum: 1, maximum: 100, default: 20 }, '1 to 100. Default: 20.'],
  [{ type: 'integer', minimum: 0 }, 'At least 0.'],
  [{ type: 'integer', maximum: 9 }, 'At most 9.'],
  [{ type: 'string', minLength: 1, maxLength: 255 }, '1 to 255 characters.'],
  [{ type: 'string', minLength: 1 }, 'At least 1 character.'],
  [{ type: 'string', maxLength: 1 }, 'At most 1 character.'],
  [{ type: ['string', 'null'], pattern: '\\S' }, 'string or null optional Not only white space.'],
  [{ type: 'string', pattern: '^x$' }, 'Must match ^x$.'],
  [{ type: 'string', pattern: '^inv_[0-9a-z]{26}$' }, 'inv_ and 26 letters and digits.'],
  [{ type: 'string', pattern: '^(start|evt_[0-9a-z]{26})$' }, 'evt_ and 26 letters and digits, or start.'],
  [{ type: 'string', format: 'date-time' }, 'string, date-time'],
  [{ type: 'string', enum: ['b', 'c'] }, 'One of b, c.'],
  [{ type: 'boolean', default: false }, 'Default: false.'],
  [
    { type: 'array', items: { type: 'string', enum: ['b'] }, minItems: 1, uniqueItems: true },
    'array of string optional Each is one of b. At least 1 item. Each listed once.',
  ],
  [{ anyOf: [{ $ref: '#/components/schemas/FailureCode' }, { type: 'null' }] }, 'One of card_declined,'],
  [{ anyOf: [{ $ref: '#/components/schemas/CardSummary' }, { type: 'null' }] }, 'last4 string'],
])('%j is shown as %j', (schema, text) => {
  expect(shown(schema)).toContain(text);
});

test('a field says whether a request needs it, and whether a response always has it', () => {
  const text: SchemaObject = { type: 'string' };
  expect(shown(text, 'request', true)).toBe('a string required');
  expect(shown(text, 'request', false)).toBe('a string optional');
  expect(shown(text, 'response', true)).toBe('a string');
  expect(shown(text, 'response', false)).toBe('a string not always present');
});

test('every pattern of the document has words', () => {
  const patterns = new Set<string>();
  JSON.stringify(document, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value);
    return value;
  });
  expect(patterns.size).toBeGreaterThan(15);
  expect([...patterns].filter((pattern) => patternText(pattern) === undefined)).toEqual([]);
});

test('the fields of nested objects have fragments of their own', () => {
  const fields = fieldsOf(schemas.Payment ?? {}, { schemas, direction: 'response', id: 'Payment' });
  expect(fieldList(fields).toString()).toContain('id="Payment.card.last4"');
});
