/** Tests which mails follow from the events of changes. */
import { expect, test } from '@jest/globals';
import { draftEvent, type EventType } from '../../../shared/domain/events/event.ts';
import {
  canCauseMail,
  canCauseReminder,
  mailTimersOf,
} from '../../../shared/operations/outbox/mail-timers.ts';
import type { OutboxItem } from '../../../shared/store/commit/outbox-item.ts';
import { tableKeys } from '../../../shared/store/keys.ts';

const owner = { account: `acct_${'a'.repeat(16)}`, mode: 'test' } as const;
const [invoice, refund, payment] = ['inv', 'ref', 'pay'].map((prefix) => `${prefix}_${'0'.repeat(26)}`);
const createdAt = Date.parse('2026-11-24T00:00:00Z');
const hourMs = 60 * 60 * 1000;

const itemOf = (type: EventType, data: object) =>
  ({
    ...owner,
    events: [draftEvent(type, { id: 'x', objectVersion: 1, mode: 'test' }, createdAt, data)],
  }) as unknown as OutboxItem;

/** A payment that failed some time after it began. */
const failed = (afterMs: number, failureCode: string) =>
  itemOf('payment.failed', {
    id: payment,
    invoiceId: invoice,
    failureCode,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(createdAt + afterMs).toISOString(),
  });

const accountWith = (switches: object) => ({
  ...tableKeys.account(owner.account),
  name: 'Shop',
  plan: 'free',
  createdAt,
  ...switches,
});
const allOn = accountWith({ mailReceipt: true, mailRefund: true, mailFailure: true });

const referencesOf = (item: OutboxItem, stored: Parameters<typeof mailTimersOf>[1]) =>
  mailTimersOf(item, stored, createdAt).map(({ reference }) => reference.split('/').slice(2).join('/'));

test.each([
  ['a paid invoice', itemOf('invoice.paid', { id: invoice }), [`${invoice}/receipt`]],
  [
    'a processed refund',
    itemOf('refund.processed', { id: refund, invoiceId: invoice }),
    [`${invoice}/refund/${refund}`],
  ],
  ['a payment that fails after an hour', failed(hourMs, 'card_declined'), [`${invoice}/failure/${payment}`]],
  ['a payment that fails at once', failed(hourMs - 1, 'card_declined'), []],
  ['a payment whose money goes back', failed(hourMs, 'amount_differs'), []],
  ['a payment that nobody knows of', failed(hourMs, 'outcome_unknown'), []],
  ['another event', itemOf('invoice.created', { id: invoice }), []],
] as const)('%s', (_, item, references) => {
  expect(canCauseMail(item)).toBe(references.length > 0);
  expect(referencesOf(item, allOn)).toEqual(references);
  expect(referencesOf(item, accountWith({}))).toEqual([]);
  expect(referencesOf(item, undefined)).toEqual([]);
});

/** An item of a change of an open invoice that is due a day later. */
const changeOf = (type: EventType, fields: object = {}, previous?: object) => {
  const data = {
    id: invoice,
    status: 'pending',
    dueDate: new Date(createdAt + 24 * hourMs).toISOString(),
    updatedAt: new Date(createdAt).toISOString(),
    ...fields,
  };
  const change = { id: 'x', objectVersion: 1, mode: 'test' } as const;
  return {
    ...owner,
    ...tableKeys.outbox(owner, createdAt, 'change'),
    events: [draftEvent(type, change, createdAt, data, previous)],
  } as unknown as OutboxItem;
};
const planned = accountWith({ mailReminders: '-1, 0, 1, 7', mailReminderHour: 9 });

test('a change of an invoice has the timers of its near reminders of the future, as the daily reconciliation sets them', () => {
  const reminders = (...days: number[]) => days.map((day) => `${invoice}/reminder/${day}`);
  const created = changeOf('invoice.created');
  expect(referencesOf(created, planned)).toEqual(reminders(-1, 0, 1));
  expect(mailTimersOf(created, planned, createdAt + 60_000)).toEqual(
    mailTimersOf(created, planned, createdAt),
  );
  expect(mailTimersOf(created, planned, createdAt)[0]).toMatchObject({ due: createdAt + 9 * hourMs });
  // The clock of test mode is ahead by an hour.
  const ahead = changeOf('invoice.created', { updatedAt: new Date(createdAt + hourMs).toISOString() });
  expect(mailTimersOf(ahead, planned, createdAt)[0]).toMatchObject({ due: createdAt + 8 * hourMs });
  expect(referencesOf(changeOf('invoice.created', { reminders: [0, 1] }), planned)).toEqual(reminders(0, 1));
  expect(referencesOf(changeOf('invoice.created', { reminders: [] }), planned)).toEqual([]);
  const updated = (previous: object) => referencesOf(changeOf('invoice.updated', {}, previous), planned);
  expect(updated({ dueDate: 'earlier' })).toEqual(reminders(-1, 0, 1));
  expect(updated({ reminders: null })).toEqual(reminders(-1, 0, 1));
  expect(updated({ description: 'Tea' })).toEqual([]);
  expect(referencesOf(changeOf('invoice.created', { status: 'paid' }), planned)).toEqual([]);
  expect(referencesOf(created, allOn)).toEqual([]);
});

/** An item of a payment, with the events of its invoice. */
const paymentItem = (type: EventType, ofInvoice: EventType, documents?: true) =>
  ({
    ...itemOf(type, { id: payment, invoiceId: invoice }),
    events: [
      ...itemOf(type, { id: payment, invoiceId: invoice }).events,
      ...itemOf(ofInvoice, { id: invoice, dueDate: 'none' }).events,
    ],
    documents,
  }) as OutboxItem;

test('a payment has a receipt of its own only if it leaves its invoice open', () => {
  const referencesOfItem = (item: OutboxItem) => referencesOf(item, allOn);
  const part = paymentItem('payment.completed', 'invoice.updated');
  expect(canCauseMail(part)).toBe(true);
  expect(referencesOfItem(part)).toEqual([`${invoice}/part_receipt/${payment}`]);
  expect(referencesOf(part, accountWith({}))).toEqual([]);
  expect(referencesOfItem(paymentItem('payment.completed', 'invoice.paid'))).toEqual([`${invoice}/receipt`]);
  // Money that the invoice does not count goes back.
  expect(referencesOfItem(itemOf('payment.completed', { id: payment, invoiceId: invoice }))).toEqual([]);
});

test('only a void with documents has a credit note', () => {
  const voided = (documents?: true) => paymentItem('payment.voided', 'invoice.updated', documents);
  expect(referencesOf(voided(true), allOn)).toEqual([`${invoice}/credit_note/${payment}`]);
  expect(referencesOf(voided(true), accountWith({ mailReceipt: true }))).toEqual([]);
  expect(referencesOf(voided(), allOn)).toEqual([]);
});

test('an invoice that is new, or whose due date or days change, needs the plan for its reminders', () => {
  const needed = (...change: Parameters<typeof changeOf>) => {
    expect(canCauseMail(changeOf(...change))).toBe(false);
    return canCauseReminder(changeOf(...change));
  };
  expect(needed('invoice.created')).toBe(true);
  expect(needed('invoice.created', { reminders: [] })).toBe(true);
  expect(needed('invoice.updated', {}, { dueDate: 'earlier' })).toBe(true);
  expect(needed('invoice.updated', {}, { description: 'Tea' })).toBe(false);
  expect(needed('invoice.created', { status: 'paid' })).toBe(false);
});
