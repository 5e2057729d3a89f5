/** Tests the conversion of answers and events between versions. */
import { expect, test } from '@jest/globals';
import { eventBodyIn, showIn } from '../../../shared/domain/versions/convert.ts';
import { firstApiVersion } from '../../../shared/domain/versions/versions.ts';
import { sampleChanges } from './sample-change.ts';

const first = firstApiVersion;
const second = '2026-11-23';
const old = { id: 'inv_1', amount: 5 };
const defaults = { ...old, color: {}, size: null };
const full = { ...old, color: { red: '1' }, size: 'L' };
const pagination = { total: 1 };
const event = { id: 'evt_1', type: 'invoice.updated', data: full, former: { amount: 4 } };

test.each([
  ['a resource', 'invoices', full, old],
  ['a list', 'invoices', { data: [full, defaults], pagination }, { data: [old, old], pagination }],
  ['an event', 'events', event, { id: 'evt_1', type: 'invoice.updated', data: old }],
  [
    'a list of events',
    'events',
    { data: [event], cursor: {} },
    { data: [{ id: 'evt_1', type: 'invoice.updated', data: old }], cursor: {} },
  ],
  ['another resource', 'payments', full, full],
  [
    'an event of another resource',
    'events',
    { type: 'payment.failed', data: full },
    { type: 'payment.failed', data: full },
  ],
] as const)('the first version does not show the added fields of %s', (_, resource, newest, shown) => {
  expect(showIn(first, resource, newest, sampleChanges)).toEqual(shown);
  expect(showIn(second, resource, newest, sampleChanges)).toEqual(newest);
});

test('a voided payment is fully refunded for the first version, also in its events', () => {
  const payment = { id: 'pay_1', amount: 900, amountRefunded: 0, voidedAt: '2026-11-25T03:20:44.180Z' };
  expect(showIn(first, 'payments', payment)).toEqual({ id: 'pay_1', amount: 900, amountRefunded: 900 });
  const stored = { id: 'evt_1', type: 'payment.voided', data: payment };
  expect(JSON.parse(eventBodyIn(first, JSON.stringify(stored))).data.amountRefunded).toBe(900);
  expect(showIn(second, 'payments', payment)).toMatchObject({ amountRefunded: 0 });
  expect(showIn(first, 'payments', { ...payment, voidedAt: null })).toMatchObject({ amountRefunded: 0 });
});

test('the second version shows the defaults of fields that a stored answer does not have', () => {
  expect(showIn(second, 'invoices', { data: [old] }, sampleChanges)).toEqual({ data: [defaults] });
  expect(showIn(second, 'events', { type: 'invoice.paid', data: old }, sampleChanges)).toEqual({
    type: 'invoice.paid',
    data: defaults,
  });
});

test('the body of an event keeps the order of its fields', () => {
  expect(eventBodyIn(first, JSON.stringify(event), sampleChanges)).toBe(
    '{"id":"evt_1","type":"invoice.updated","data":{"id":"inv_1","amount":5}}',
  );
  expect(eventBodyIn(second, JSON.stringify(event), sampleChanges)).toBe(JSON.stringify(event));
});
