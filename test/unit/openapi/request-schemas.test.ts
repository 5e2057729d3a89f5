/** Tests that the JSON Schemas of request bodies agree with the checks of the service. */
import { describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import { namedSchemas, type SchemaName } from '../../../shared/api/openapi/named-schemas.ts';
import { propertiesOf } from '../../../shared/api/openapi/schemas.ts';
import { invalidDueDates, validDueDates } from '../../api/invoices/due-dates.ts';
import {
  invalidCustomerIds,
  invalidInvoiceDescriptions,
  validCustomerIds,
  validInvoiceDescriptions,
} from '../../api/invoices/fields.ts';
import { expectValid } from '../../support/document.ts';

const samples = {
  CreateInvoice: { customerId: 'c_1', amount: 1, currency: 'USD', description: 'd' },
  UpdateInvoice: {},
  CreatePayment: { invoiceId: `inv_${'0'.repeat(26)}`, method: 'offline' },
  CreateRefund: { paymentId: `pay_${'0'.repeat(26)}` },
  CreateCustomer: { name: 'n' },
  UpdateCustomer: {},
  AddressInput: {},
  TaxIdInput: { type: 'bt_tpn', value: 'v' },
  CreateWebhook: { url: 'https://example.com/', events: ['*'] },
  UpdateWebhook: {},
};
type Sample = keyof typeof samples;

const isAccepted = (name: SchemaName, body: unknown) => v.safeParse(namedSchemas[name], body).success;

function matchesDocument(name: SchemaName, body: unknown): boolean {
  try {
    expectValid(name, { $ref: `#/components/schemas/${name}` }, body);
    return true;
  } catch {
    return false;
  }
}

/** Expects that the service and the document agree on whether a body with these fields is valid. */
function expectAgreement(name: Sample, fields: object, valid: boolean): void {
  const body = { ...samples[name], ...fields };
  expect([isAccepted(name, body), matchesDocument(name, body)]).toEqual([valid, valid]);
}

const texts = Object.keys(samples).flatMap((name) =>
  Object.entries(propertiesOf(namedSchemas[name as Sample]))
    .filter(([, { pattern }]) => pattern === '\\S')
    .map(([field, { maxLength }]) => [name as Sample, field, Number(maxLength)] as const),
);

test.each(texts)('%s: %s has the length limits of the service, in code points', (name, field, maxLength) => {
  const longest = '\u{1F600}'.repeat(maxLength);
  for (const [text, valid] of [
    ['', false],
    [' \t\n', false],
    ['a', true],
    [longest, true],
    [`${longest}a`, false],
  ] as const) {
    expectAgreement(name, { [field]: text }, valid);
  }
});

const rows = {
  customerId: [validCustomerIds, invalidCustomerIds],
  description: [validInvoiceDescriptions, invalidInvoiceDescriptions],
  dueDate: [validDueDates, invalidDueDates],
} as const;

test.each(Object.entries(rows))(
  'CreateInvoice: the document accepts every %s that the service accepts, and refuses most others',
  (field, [valid, invalid]) => {
    for (const [, json] of valid) expectAgreement('CreateInvoice', { [field]: JSON.parse(json) }, true);
    const bodies = invalid.map(([, json]) => ({
      ...samples.CreateInvoice,
      [field]: JSON.parse(json) as unknown,
    }));
    const refused = bodies.filter((body) => !matchesDocument('CreateInvoice', body));
    // A schema cannot express check digits, the days of a month and the kinds of white space.
    expect(refused.length / bodies.length).toBeGreaterThan(0.6);
  },
);

test.each(['CreateWebhook', 'UpdateWebhook'] as const)('%s: url is a URI, events are unique', (name) => {
  expectAgreement(
    name,
    { url: 'https://example.com/a?b=c', events: ['invoice.paid', 'invoice.created'] },
    true,
  );
  expectAgreement(name, { events: ['invoice.paid', 'invoice.paid'] }, false);
  expectAgreement(name, { events: [] }, false);
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
    [{ color: 'red' }, false],
  ])('%j is valid: %s', (fields, valid) => {
    expectAgreement('CreatePayment', fields, valid);
  });
});
