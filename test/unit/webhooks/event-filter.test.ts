/** Tests the filters of webhook endpoints: which are valid, which events match, and their form as text. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { documentSummarySchema } from '../../../shared/domain/documents/document.ts';
import { eventTypes } from '../../../shared/domain/events/event.ts';
import { exportSchema } from '../../../shared/domain/exports/export.ts';
import { invoiceSchema } from '../../../shared/domain/invoices/invoice.ts';
import { mailSchema } from '../../../shared/domain/mails/mail.ts';
import { paymentSchema } from '../../../shared/domain/payments/payment.ts';
import { refundSchema } from '../../../shared/domain/refunds/refund.ts';
import { scheduleSchema } from '../../../shared/domain/schedules/schedule.ts';
import {
  type EventFilter,
  filterFields,
  matchesEventFilters,
  newFilterSchema,
  newFiltersSchema,
} from '../../../shared/domain/webhooks/event-filter.ts';
import { formatFilter, parseFilter } from '../../../shared/domain/webhooks/filter-text.ts';

const event = JSON.stringify({
  type: 'payment.completed',
  objectVersion: 2,
  data: {
    amount: 315000,
    currency: 'BTN',
    card: null,
    dispute: { status: 'open' },
    metadata: { shop: 'Paro', 'a.b': 'x', __proto__: null },
  },
});
const matches = (...filters: EventFilter[]) => matchesEventFilters(filters, event);

test('an event is sent if all filters match, and a field that it does not have is null', () => {
  expect(matches()).toBe(true);
  expect(matches({ path: 'data.currency', equals: 'BTN' })).toBe(true);
  expect(matches({ path: 'data.currency', in: ['INR', 'BTN'] })).toBe(true);
  expect(matches({ path: 'data.currency', in: ['INR'] })).toBe(false);
  expect(matches({ path: 'data.currency', prefix: 'BT' }, { path: 'type', prefix: 'payment.' })).toBe(true);
  expect(matches({ path: 'data.currency', equals: 'BTN' }, { path: 'objectVersion', greaterThan: 2 })).toBe(
    false,
  );
  expect(matches({ path: 'data.amount', greaterThan: 314999 })).toBe(true);
  expect(matches({ path: 'data.amount', greaterThan: 315000 })).toBe(false);
  expect(matches({ path: 'data.amount', equals: '315000' })).toBe(false);
  expect(matches({ path: 'data.card', equals: null })).toBe(true);
  expect(matches({ path: 'data.card.brand', equals: null })).toBe(true);
  expect(matches({ path: 'data.dispute.status', equals: 'open' })).toBe(true);
  expect(matches({ path: 'data.metadata.shop', equals: 'Paro' })).toBe(true);
  expect(matches({ path: 'data.metadata.a.b', equals: 'x' })).toBe(true);
  for (const name of ['constructor', 'toString', '__proto__.x'])
    expect([name, matches({ path: `data.metadata.${name}`, equals: null })]).toEqual([name, true]);
  expect(matches({ path: 'data.number', prefix: 'INV' })).toBe(false);
});

test.each<[string, unknown, RegExp]>([
  ['no kind', { path: 'data.amount' }, /exactly one/],
  ['two kinds', { path: 'data.amount', equals: 1, greaterThan: 1 }, /exactly one/],
  ['an unknown kind', { path: 'data.amount', lessThan: 1 }, /exactly one/],
  ['another root', { path: 'metadata.shop', equals: 'x' }, /path must be/],
  ['a field with the texts of people', { path: 'data.description', equals: 'x' }, /path must be/],
  ['a field that events do not have', { path: 'data.amunt', greaterThan: 1 }, /path must be/],
  ['a message of a failure', { path: 'data.failure.message', prefix: 'x' }, /path must be/],
  ['the address of a mail', { path: 'data.to', equals: 'x' }, /path must be/],
  ['a reason of people', { path: 'data.reason', equals: 'Broken cup' }, /a reason of a mail: /],
  ['a start of a reason of people', { path: 'data.reason', prefix: 'Broken' }, /a reason of a mail: /],
  ['a reason of people among others', { path: 'data.reason', in: ['rejected', 'Broken'] }, /a reason of a/],
  ['an empty name', { path: 'data.metadata..shop', equals: 'x' }, /path must be/],
  ['a long path', { path: `data.metadata.${'a'.repeat(99)}`, equals: 'x' }, /path must be/],
  ['an email address', { path: 'data.customerId', equals: 'dorji@example.bt' }, /email address/],
  ['a card number', { path: 'data.metadata.a', prefix: '4242424242424242' }, /card number/],
  ['an email address as prefix', { path: 'data.customerId', prefix: 'dorji@' }, /Use an ID instead/],
  ['a number of a card', { path: 'data.metadata.a', equals: 4242424242424242 }, /card number/],
  ['an empty text', { path: 'data.currency', prefix: '' }, /1 to 100/],
  ['a long text', { path: 'data.currency', equals: 'a'.repeat(101) }, /1 to 100/],
  ['a list as value', { path: 'data.currency', equals: ['BTN'] }, /compares with/],
  ['no choice', { path: 'data.currency', in: [] }, /1 to 20/],
  ['a choice twice', { path: 'data.currency', in: ['BTN', 'BTN'] }, /different/],
  ['21 choices', { path: 'data.amount', in: Array.from({ length: 21 }, (_, n) => n) }, /1 to 20/],
  ['a text as number', { path: 'data.amount', greaterThan: '5' }, /a number/],
  ['a text instead of a filter', 'data.amount > 5', /exactly one/],
])('%s is refused with the remedy', (_, filter, message) => {
  const { issues } = v.safeParse(newFilterSchema, filter);
  expect(issues?.[0].message).toMatch(message);
});

test('an endpoint has at most five filters', () => {
  const filters = Array.from({ length: 6 }, (_, number) => ({ path: 'objectVersion', greaterThan: number }));
  expect(v.safeParse(newFiltersSchema, filters).issues?.[0].message).toMatch('up to 5');
  expect(v.safeParse(newFiltersSchema, filters.slice(1)).success).toBe(true);
});

/** The fields of the data of events that no filter can name: texts of people, lists, addresses with secrets, or hashes. */
const unfiltered: [string, { readonly entries: object }, string[]][] = [
  [
    'an invoice',
    invoiceSchema,
    ['buyer', 'claim', 'description', 'lines', 'paymentUrl', 'reference', 'reminders', 'taxes'],
  ],
  ['a payment', paymentSchema, ['bank', 'claim', 'failureMessage', 'note', 'reference', 'voidReason']],
  ['a refund', refundSchema, []],
  ['a document', documentSummarySchema, ['sha256']],
  ['a mail', mailSchema, ['to']],
  ['a schedule', scheduleSchema, ['invoice']],
  ['an export', exportSchema, ['parts', 'to']],
];

test.each(unfiltered)(
  'a filter can name each field of %s that holds no text of people',
  (_, schema, others) => {
    const fields = Object.keys(schema.entries);
    expect(fields.filter((field) => !filterFields.includes(field as never)).sort()).toEqual(others);
  },
);

test('each field that a filter can name is one of the data of an event', () => {
  const fields = new Set(unfiltered.flatMap(([, { entries }]) => Object.keys(entries)));
  expect(filterFields.filter((field) => !fields.has(field))).toEqual([]);
  expect(new Set(filterFields).size).toBe(filterFields.length);
});

test('the resources of the events are those of the schemas above', () => {
  const resources = new Set(eventTypes.map((type) => type.split('.')[0]));
  expect([...resources].sort()).toEqual(
    ['document', 'export', 'invoice', 'mail', 'payment', 'refund', 'schedule'].sort(),
  );
  expect(resources.size).toBe(unfiltered.length);
});

test.each<[EventFilter, object]>([
  [{ path: 'data.state', equals: 'bounced' }, { state: 'bounced' }],
  [{ path: 'data.reason', equals: 'bounced_permanently' }, { reason: 'bounced_permanently' }],
  [{ path: 'data.reason', prefix: 'bounced' }, { reason: 'bounced_temporarily' }],
  [{ path: 'data.reason', in: [null, 'address_bounced'] }, { reason: null }],
  [{ path: 'data.failure.code', equals: 'account_closed' }, { failure: { code: 'account_closed' } }],
  [{ path: 'data.failure', equals: 'timed_out' }, { failure: 'timed_out' }],
  [{ path: 'data.every.unit', in: ['month', 'year'] }, { every: { n: 1, unit: 'month' } }],
  [{ path: 'data.made', greaterThan: 11 }, { made: 12 }],
  [{ path: 'data.mode', equals: 'send' }, { mode: 'send' }],
  [{ path: 'data.filters.currency', equals: 'BTN' }, { filters: { currency: 'BTN' } }],
])('%j is valid, and matches %j', (filter, data) => {
  expect(v.safeParse(newFilterSchema, filter).issues).toBe(undefined);
  expect(matchesEventFilters([filter], JSON.stringify({ type: 'mail.bounced', data }))).toBe(true);
});

test('the text of every valid filter is read as the same filter', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
  const value = fc.oneof(
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const path = fc.constantFrom('type', 'data.amount', 'data.metadata.shop');
  const filter = fc.oneof(
    fc.record({ path, equals: value }),
    fc.record({ path, in: fc.uniqueArray(value, { minLength: 1, maxLength: 4 }) }),
    fc.record({ path, prefix: text }),
    fc.record({ path, greaterThan: fc.integer() }),
  );
  fc.assert(
    fc.property(filter, (sent) => {
      const { success, output } = v.safeParse(newFilterSchema, JSON.parse(JSON.stringify(sent)));
      fc.pre(success);
      expect(parseFilter(formatFilter(output as EventFilter))).toEqual(output);
    }),
    { examples: [[{ path: 'type', in: [', ', '#'] }], [{ path: 'type', in: ['BTN', 5] }]] },
  );
});

test.each<[string, EventFilter]>([
  ['data.amount > 100000', { path: 'data.amount', greaterThan: 100000 }],
  ['data.currency in BTN, INR', { path: 'data.currency', in: ['BTN', 'INR'] }],
  ['data.metadata.shop = Paro Taktsang', { path: 'data.metadata.shop', equals: 'Paro Taktsang' }],
  ['data.metadata.branch = "12"', { path: 'data.metadata.branch', equals: '12' }],
  ['data.card = null', { path: 'data.card', equals: null }],
  ['data.number starts with INV-', { path: 'data.number', prefix: 'INV-' }],
  ['data.amount < 5', { path: 'data.amount < 5' }],
])('%s is read', (text, filter) => expect(parseFilter(`  ${text} `)).toEqual(filter));
