/** How the first thing wrong in an input is named: code, field and sentence. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { errorCodeOfField, otherFieldCodes } from '../../../shared/api/http/field-error-codes.ts';
import { missingFieldMessage } from '../../../shared/api/http/required-fields.ts';
import { validate } from '../../../shared/api/http/validate.ts';
import { type Route, routes } from '../../../shared/api/routes.ts';
import { errorCodes } from '../../../shared/base/errors.ts';

const schema = v.strictObject({
  customerId: v.string('customerId must be text.'),
  dueDate: v.optional(v.string('dueDate must be text.')),
  card: v.nullish(
    v.strictObject(
      { number: v.pipe(v.string('number!'), v.minLength(3, 'short!')), expMonth: v.number('month!') },
      'card must be an object.',
    ),
  ),
  events: v.optional(v.array(v.strictObject({ kind: v.string('kind!') }), 'events must be a list.')),
});

const valid = { customerId: 'c' };

describe('validate', () => {
  test('gives the output of a valid input', () => {
    expect(validate(schema, valid, { unknown: 'parameter' })).toEqual({ ok: true, output: valid });
  });

  test.each([
    [
      {},
      'invalid_customer',
      'customerId',
      'customerId is required. Add it, such as "customerId": "dorji@example.bt".',
    ],
    [
      { customer_id: 'c' },
      'invalid_customer',
      'customerId',
      'customerId is missing, and customer_id is unknown. Did you mean customerId?',
    ],
    [{ customerId: null }, 'invalid_customer', 'customerId', 'customerId must be text.'],
    [{ customerId: 1, foo: 1, dueDate: 1 }, 'invalid_customer', 'customerId', 'customerId must be text.'],
    [{ foo: 1, dueDate: null, ...valid }, 'invalid_due_date', 'dueDate', 'dueDate must be text.'],
    [{ ...valid, card: 1 }, 'invalid_card', 'card', 'card must be an object.'],
    [
      { ...valid, card: {} },
      'invalid_card_number',
      'card.number',
      'card.number is required. Add it, such as "number": "4242424242424242".',
    ],
    [{ ...valid, card: { number: '1' } }, 'invalid_card_number', 'card.number', 'short!'],
    [
      { ...valid, card: { number: '123', exp_month: 1 } },
      'invalid_card_expiry',
      'card.expMonth',
      'card.expMonth is missing, and card.exp_month is unknown. Did you mean card.expMonth?',
    ],
    [
      { ...valid, due_date: 'x' },
      'unknown_parameter',
      'due_date',
      'due_date is not a known parameter. Did you mean dueDate?',
    ],
    [
      { ...valid, customer_id: 'x' },
      'unknown_parameter',
      'customer_id',
      'customer_id is not a known parameter. Remove it or check its spelling.',
    ],
    [{ ...valid, events: 'all' }, 'invalid_events', 'events', 'events must be a list.'],
    [
      { ...valid, events: [{ kind: 'a' }, {}] },
      'invalid_events',
      'events.1.kind',
      'events.1.kind is required. Add it.',
    ],
  ])('%j: %s', (input, code, field, message) => {
    expect(validate(schema, input)).toMatchObject({ ok: false, code, field, message });
  });

  test('an unknown key inside an object has a dotted path', () => {
    const card = { number: '123', expMonth: 1, pin: 1 };
    expect(validate(schema, { ...valid, card })).toMatchObject({
      code: 'unknown_parameter',
      field: 'card.pin',
    });
  });

  test.each([
    'foo',
    'CustomerId',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '0',
    '',
  ])('the unknown key %j is named', (key) => {
    const input = JSON.parse(`{"customerId":"c",${JSON.stringify(key)}:{"card":null}}`);
    expect(validate(schema, input, { unknown: 'field' })).toMatchObject({
      ok: false,
      code: 'unknown_parameter',
      field: key,
      message: `${key || 'The empty name'} is not a known field. Remove it or check its spelling.`,
    });
  });

  test.each(['4242424242424242', '4242 4242-4242 4242'])(
    'a card number for a name, %s, is not repeated',
    (key) => {
      const card = { number: '123', expMonth: 1, [key]: 1 };
      expect(JSON.stringify(validate(schema, { ...valid, card }))).not.toMatch(/4242/);
    },
  );

  test('a key that its record refuses is not taken for an absent one', () => {
    const labels = v.strictObject({
      labels: v.record(v.pipe(v.string(), v.maxLength(2, 'key!')), v.string()),
    });
    expect(validate(labels, { labels: { abc: 'x' } })).toMatchObject({
      field: 'labels.abc',
      message: 'key!',
    });
  });

  test('a __proto__ key does not lend its fields', () => {
    expect(validate(schema, JSON.parse('{"__proto__":{"customerId":"c"}}'))).toMatchObject({
      code: 'invalid_customer',
    });
  });

  test('a very long unknown key is cut in the message only', () => {
    const result = validate(schema, { ...valid, ['x'.repeat(1000)]: 1 });
    expect(result).toMatchObject({ field: 'x'.repeat(1000) });
    expect(result.ok ? '' : result.message.length).toBeLessThan(200);
  });

  test.each([null, 'text', 1, undefined])('what is no object, as %j, is an error of the body', (input) => {
    expect(validate(schema, input)).toMatchObject({ ok: false, field: 'body', code: 'invalid_json' });
  });

  test('property: any input is judged without throwing, and every key that is not an entry is refused', () => {
    fc.assert(
      fc.property(fc.oneof(fc.object({ withNullPrototype: true }), fc.anything()), (input) => {
        const result = validate(schema, input);
        if (!result.ok)
          expect([result.code, result.field, result.message].every((text) => typeof text === 'string')).toBe(
            true,
          );
      }),
    );
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (key, value) => {
        fc.pre(!Object.hasOwn(schema.entries, key));
        const input = Object.fromEntries([
          ['customerId', 'c'],
          [key, value],
        ]);
        expect(validate(schema, input)).toMatchObject({ ok: false, code: 'unknown_parameter', field: key });
      }),
    );
  });
});

test('each required field of the API has an example that is valid', () => {
  const required = Object.values<Route>(routes).flatMap(({ body }) => requiredFields(body as never));
  expect(required.length).toBeGreaterThan(10);
  for (const [field, entry] of required) {
    const message = missingFieldMessage(field);
    const [, example = ''] = /: (.*)\.$/.exec(message) ?? [];
    expect([message, v.is(entry, JSON.parse(example))]).toEqual([
      expect.stringContaining(' is required. '),
      true,
    ]);
  }
});

type Shape = v.GenericSchema & { wrapped?: Shape; entries?: Record<string, Shape> };

function requiredFields(schema: Shape | undefined, prefix = ''): [string, v.GenericSchema][] {
  return Object.entries(schema?.entries ?? {}).flatMap(([name, entry]) => {
    const field = prefix + name;
    const inner = requiredFields(entry.wrapped ?? entry, `${field}.`);
    return entry.wrapped ? inner : [[field, entry] as [string, v.GenericSchema], ...inner];
  });
}

describe('all errors', () => {
  const allOf = (input: unknown) => {
    const result = validate(schema, input);
    return result.ok ? [] : result.findAll();
  };
  const fieldsOf = (input: unknown) => allOf(input).map(({ field }) => field);

  test('are in the order of the schema, with the unknown fields of an object after its known ones', () => {
    const input = {
      foo: 1,
      events: 'all',
      card: { pin: 1, expMonth: 'x', cvv: 1 },
      bar: 1,
      dueDate: 1,
    };
    expect(allOf(input).map(({ code, field }) => [code, field])).toEqual([
      ['invalid_customer', 'customerId'],
      ['invalid_due_date', 'dueDate'],
      ['invalid_card_number', 'card.number'],
      ['invalid_card_expiry', 'card.expMonth'],
      ['unknown_parameter', 'card.pin'],
      ['unknown_parameter', 'card.cvv'],
      ['invalid_events', 'events'],
      ['unknown_parameter', 'foo'],
      ['unknown_parameter', 'bar'],
    ]);
  });

  test('name each field once, although several of its checks fail', () => {
    const twoChecks = v.strictObject({
      reason: v.pipe(v.string(), v.minLength(3, 'short!'), v.regex(/^b/, 'begins with b!')),
    });
    const result = validate(twoChecks, { reason: 'a' });
    expect(result.ok ? [] : result.findAll()).toEqual([
      { code: 'invalid_reason', field: 'reason', message: 'short!' },
    ]);
  });

  test('are at most 20, and cut long names', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 1]));
    expect(allOf({ ...valid, ...many })).toHaveLength(20);
    expect(fieldsOf({ ...valid, events: Array.from({ length: 5000 }, () => 1) })).toHaveLength(20);
    const long = Object.fromEntries([1, 2, 3].map((index) => [`${index}${'x'.repeat(20_000)}`, 1]));
    expect(fieldsOf({ ...valid, ...long })).toEqual([1, 2, 3].map((index) => `${index}${'x'.repeat(127)}…`));
  });

  test('property: the first one is the error that is reported', () => {
    fc.assert(
      fc.property(fc.oneof(fc.object({ withNullPrototype: true }), fc.anything()), (input) => {
        const result = validate(schema, input);
        if (result.ok) return;
        const [first, ...others] = result.findAll();
        const { code, message } = result;
        expect(first).toMatchObject({ code, message });
        expect(others.length).toBeLessThan(20);
      }),
    );
  });
});

test.each([
  ['customerId', 'invalid_customer'],
  ['invoiceId', 'invalid_invoice'],
  ['paymentId', 'invalid_payment'],
  ['amount', 'invalid_amount'],
  ['dueDate', 'invalid_due_date'],
  ['overlapHours', 'invalid_overlap_hours'],
  ['card', 'invalid_card'],
  ['card.number', 'invalid_card_number'],
  ['card.expMonth', 'invalid_card_expiry'],
  ['card.expYear', 'invalid_card_expiry'],
  ['card.cvc', 'invalid_card_cvc'],
  ['events.0', 'invalid_events'],
])('the code of %s is %s', (field, code) => {
  expect(errorCodeOfField(field)).toBe(code);
});

test.each(Object.entries(otherFieldCodes))('%s has the code %s of a validation error', (_, code) => {
  expect(errorCodes[code].type).toBe('validation_error');
});
