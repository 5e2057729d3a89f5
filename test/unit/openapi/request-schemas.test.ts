/** What is described of requests in JSON Schema by hand says the same as the service's own checks. */
import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { fieldKeywords } from '../../../shared/openapi/keywords.ts';
import { namedSchemas, type SchemaName } from '../../../shared/openapi/named-schemas.ts';
import { expectValid } from '../../support/document.ts';

const samples = {
  CreateInvoice: { customerId: 'c_1', amount: 1, currency: 'USD', description: 'd' },
  UpdateInvoice: {},
  CreatePayment: { invoiceId: 'inv_1', method: 'offline' },
  CreateRefund: { paymentId: 'pay_1' },
  CreateWebhook: { url: 'https://example.com/', events: ['*'] },
  UpdateWebhook: {},
};
type Sample = keyof typeof samples;

const takes = (name: SchemaName, body: unknown) => v.safeParse(namedSchemas[name], body).success;

function describes(name: SchemaName, body: unknown): boolean {
  try {
    expectValid(name, { $ref: `#/components/schemas/${name}` }, body);
    return true;
  } catch {
    return false;
  }
}

function expectBoth(name: Sample, fields: object, valid: boolean): void {
  const body = { ...samples[name], ...fields };
  expect([takes(name, body), describes(name, body)]).toEqual([valid, valid]);
}

const described = Object.keys(samples).flatMap((name) =>
  Object.entries(fieldKeywords[name as Sample] ?? {}).map(
    ([field, keywords]) => [name as Sample, field, keywords] as const,
  ),
);
const texts = described.filter(([, , { maxLength }]) => maxLength !== undefined);

test.each(texts)('%s: the bounds of %s are those of the service, in code points', (name, field, keywords) => {
  const longest = '\u{1F600}'.repeat(Number(keywords.maxLength));
  for (const [text, valid] of [
    ['', false],
    ['a', true],
    [longest, true],
    [`${longest}a`, false],
  ] as const) {
    expectBoth(name, { [field]: text }, valid);
  }
});

test.each(['CreateWebhook', 'UpdateWebhook'] as const)('%s: url is an address, events differ', (name) => {
  expectBoth(name, { url: 'https://example.com/a?b=c', events: ['invoice.paid', 'invoice.created'] }, true);
  expectBoth(name, { events: ['invoice.paid', 'invoice.paid'] }, false);
  expectBoth(name, { events: [] }, false);
});

describe('CreatePayment', () => {
  const card = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvc: '123' };

  test.each([
    [{}, true],
    [{ reference: 'r', amount: 1 }, true],
    [{ reference: null, amount: null }, true],
    [{ card }, false],
    [{ method: 'card', card }, true],
    [{ method: 'card', card, amount: 1 }, true],
    [{ method: 'card' }, false],
    [{ method: 'card', card: null }, false],
    [{ method: 'card', card, reference: 'r' }, false],
    [{ method: 'provider' }, false],
    [{ colour: 'red' }, false],
  ])('%j is valid: %s', (fields, valid) => {
    expectBoth('CreatePayment', fields, valid);
  });
});
