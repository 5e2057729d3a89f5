/** Tests the sums of days, and the summary that follows from them. */
import { expect, test } from '@jest/globals';
import { addSums, withExactText } from '../../../shared/base/exact-sum.ts';
import { invoiceBalance, paymentBalance } from '../../../shared/domain/journal/chart.ts';
import { journalPartOf } from '../../../shared/domain/journal/journal-item.ts';
import { periodsOf, rangeOf, summarize } from '../../../shared/domain/journal/summarize.ts';
import { additionsOf } from '../../../shared/domain/journal/sums.ts';
import type { OutboxItem } from '../../../shared/store/commit/outbox-item.ts';
import type { Item } from '../../../shared/store/records.ts';
import { formatSigned } from '../../../shared/web/charge-rows.ts';

const keyOf = (day: string) => ({ pk: 'days', sk: day });
const totalsKey = { pk: 'totals', sk: '' };
const invoice = { status: 'pending', amount: 1_000, currency: 'BTN', dueDate: '2026-11-27T17:59:59.999Z' };
const paid = { ...invoice, status: 'paid' };
const payment = {
  status: 'completed',
  amount: 1_000,
  currency: 'BTN',
  method: 'card',
  amountRefunded: 0,
  failureCode: null,
};

const query = { by: 'month', currency: undefined, from: undefined, to: undefined } as const;

test('sums beyond 2^53 are exact, in the summary and as its JSON text', () => {
  const large = 2n ** 53n + 1n;
  const day = (name: string, item: Item) => ({ day: name, item });
  const days = [
    day('2026-11-20', { 'BTN:o': large, 'BTN:r:card': large, 'BTN:r:offline': 2, 'BTN:i': 7 }),
    day('2026-12-20', { 'BTN:o': 3 }),
  ];
  const range = { from: '2026-11-01', to: '2026-11-30' };
  const [btn] = summarize(query, range, '2026-11-30', days, { 'BTN:o': large + 3n + 40n });
  expect(btn).toMatchObject({ outstanding: large + 43n, overdue: large + 40n });
  expect(btn?.ages).toEqual({ notDue: 3, days1To30: large, days31To60: 0, days61To90: 0, older: 40 });
  expect(btn?.periods).toMatchObject([{ received: large + 2n, invoiced: 7 }]);
  expect(JSON.stringify(withExactText(btn))).toContain('"overdue":9007199254741033,');
  expect(formatSigned(-(large + 2n), 'USD')).toBe('−$90,071,992,547,409.95');
  expect([addSums(large, -2n), addSums(2 ** 53 - 1, 1), addSums(-5, 5)]).toEqual([2 ** 53 - 1, 2n ** 53n, 0]);
});

/** Adds up changes as the table does. */
function sumUp(changes: readonly Parameters<typeof additionsOf>[0][], timeZone: string) {
  const items = new Map<string, Item>();
  for (const change of changes)
    for (const { key, attribute, amount } of additionsOf(change, timeZone, keyOf, totalsKey)) {
      const item = items.get(key.sk) ?? {};
      items.set(key.sk, { ...item, [attribute]: Number(item[attribute] ?? 0) + amount });
    }
  const days = [...items].filter(([day]) => day !== '').map(([day, item]) => ({ day, item }));
  return { days, totals: items.get('') ?? {} };
}

const issued = {
  at: Date.parse('2026-10-27T18:30:00Z'),
  entries: invoiceBalance(invoice),
  types: ['invoice.created'],
};
const settled = {
  at: Date.parse('2026-11-30T20:00:00Z'),
  entries: [
    ...invoiceBalance(paid),
    ...invoiceBalance(invoice).map((each) => ({ ...each, amount: -each.amount })),
    ...paymentBalance(payment),
  ],
  types: ['payment.completed', 'invoice.paid'],
};

test('a change counts on its day in the time zone, and what is outstanding ages by the day of the reader', () => {
  const { days, totals } = sumUp([issued], 'Asia/Thimphu');
  expect(days.map(({ day }) => day).sort()).toEqual(['2026-10-28', '2026-11-27']);
  const range = { from: '2026-10-01', to: '2026-11-30' };
  const agesOn = (today: string) => summarize(query, range, today, days, totals)[0];
  expect(agesOn('2026-11-27')).toMatchObject({ outstanding: 1_000, overdue: 0, ages: { notDue: 1_000 } });
  expect(agesOn('2026-11-28')).toMatchObject({ overdue: 1_000, ages: { notDue: 0, days1To30: 1_000 } });
  expect(agesOn('2026-12-27')).toMatchObject({ ages: { days1To30: 1_000 } });
  expect(agesOn('2026-12-28')).toMatchObject({ ages: { days31To60: 1_000 } });
  expect(agesOn('2027-01-27')).toMatchObject({ ages: { days61To90: 1_000 } });
  expect(agesOn('2027-02-25')).toMatchObject({ ages: { days61To90: 1_000, older: 0 } });
  expect(agesOn('2027-02-26')).toMatchObject({ overdue: 1_000, ages: { days61To90: 0, older: 1_000 } });
});

test('a paid invoice is not outstanding, and its money is received in the month of the payment', () => {
  const { days, totals } = sumUp([issued, settled], 'Asia/Thimphu');
  const [btn] = summarize(query, { from: '2026-10-01', to: '2026-12-31' }, '2026-12-05', days, totals);
  expect(btn).toMatchObject({ currency: 'BTN', outstanding: 0, overdue: 0 });
  expect(btn?.periods).toMatchObject([
    { from: '2026-10-01', to: '2026-10-31', invoiced: 1_000, invoices: 1, received: 0, payments: 0 },
    { from: '2026-11-01', to: '2026-11-30', invoiced: 0, received: 0 },
    { from: '2026-12-01', received: 1_000, receivedBy: [{ method: 'card', amount: 1_000 }], payments: 1 },
  ]);
});

test('money that is recorded later counts on the day of its receipt, and its void takes it from that day', () => {
  const recorded = { ...payment, method: 'offline', receivedOn: '2026-10-31' };
  const balance = paymentBalance(recorded);
  const voided = {
    at: Date.parse('2026-12-04T00:00:00Z'),
    entries: balance.map((each) => ({ ...each, amount: -each.amount })),
    types: ['payment.voided'],
  };
  const completed = { ...settled, entries: [...invoiceBalance(paid), ...balance] };
  const monthsOf = (...changes: Parameters<typeof sumUp>[0]) => {
    const { days, totals } = sumUp(changes, 'America/New_York');
    const range = { from: '2026-10-01', to: '2026-12-31' };
    const [btn] = summarize(query, range, '2026-12-05', days, totals);
    return btn?.periods.map(({ received, payments }) => [received, payments]);
  };
  expect(monthsOf(completed)).toEqual([[1_000, 1], ...Array(2).fill([0, 0])]);
  expect(monthsOf(completed, voided)).toEqual(Array(3).fill([0, 0]));
});

test.each([
  ['payment.completed', 'offline', [1]],
  ['payment.voided', 'offline', [-1]],
  ['payment.completed', 'credit', []],
  ['payment.voided', 'credit', []],
])('%s of a payment with the method %s adds %j to the number of payments', (type, method, expected) => {
  const data = { id: 'pay_1', invoiceId: 'inv_1', method };
  const body = JSON.stringify({ timestamp: '2026-11-30T20:00:00.000Z', data });
  const entries = [
    { account: 'receivable', currency: 'BTN', amount: -1_000 },
    { account: 'unapplied', currency: 'BTN', amount: 1_000 },
  ];
  const events = [{ id: 'evt_1', type, body }];
  const part = journalPartOf({ account: 'acct_1', mode: 'test', entries, events } as unknown as OutboxItem);
  const counts = part?.additions(undefined, 'UTC').filter(({ attribute }) => attribute === 'BTN:np');
  expect(counts?.map(({ amount }) => amount)).toEqual(expected);
});

test('weeks begin on Monday, and the first and the last period can be shorter', () => {
  expect(periodsOf({ from: '2026-11-26', to: '2026-12-01' }, 'week')).toEqual([
    { from: '2026-11-26', to: '2026-11-29' },
    { from: '2026-11-30', to: '2026-12-01' },
  ]);
  expect(periodsOf({ from: '2026-01-31', to: '2026-03-01' }, 'month').map(({ to }) => to)).toEqual([
    '2026-01-31',
    '2026-02-28',
    '2026-03-01',
  ]);
});

test.each([
  ['day', '9999-12-30', ['9999-12-30', '9999-12-31']],
  ['week', '9999-12-20', ['9999-12-26', '9999-12-31']],
  ['month', '9999-11-30', ['9999-11-30', '9999-12-31']],
] as const)('a range can end with the last %s of the year 9999', (by, from, ends) => {
  const range = rangeOf({ ...query, from, to: '9999-12-31', by }, '2026-11-28');
  expect(periodsOf(range, by).map(({ to }) => to)).toEqual(ends);
});

test('a range is the last twelve months, and at most ten years or 400 periods', () => {
  expect(rangeOf(query, '2026-11-28')).toEqual({ from: '2025-12-01', to: '2026-11-28' });
  const refused =
    (from: string, to: string, by: 'day' | 'month' = 'month') =>
    () =>
      rangeOf({ ...query, from, to, by }, '2026-11-28');
  expect(refused('2026-11-29', '2026-11-28')).toThrow('not be after to');
  expect(refused('2016-10-31', '2026-11-28')).toThrow(
    '10 years apart. Send an earlier to, or a from that is 2016-11-01',
  );
  expect(refused('1900-01-01', '2026-11-28')).toThrow('a from that is 2016-11-01 or later');
  expect(refused('1969-12-31', '1970-06-30')).toThrow('a from that is 1970-01-01 or later');
  expect(rangeOf({ ...query, to: '1970-06-30' }, '2026-11-28').from).toBe('1970-01-01');
  expect(rangeOf({ ...query, to: '9999-12-31' }, '2026-11-28').from).toBe('9999-01-01');
  expect(refused('2025-01-01', '2026-11-28', 'day')).toThrow('400 periods');
  expect(refused('2016-11-01', '2026-11-28')()).toEqual({ from: '2016-11-01', to: '2026-11-28' });
});
