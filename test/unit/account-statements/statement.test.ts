/** Tests the balances and the statement of account of a customer. Costs 0.1 s. */
import { expect, test } from '@jest/globals';
import { balancesOf } from '../../../shared/domain/account-statements/balance.ts';
import {
  accountStatementsOf,
  type CustomerRecords,
  type Movement,
  movementsOf,
} from '../../../shared/domain/account-statements/statement.ts';
import type { Invoice } from '../../../shared/domain/invoices/invoice.ts';
import { invoiceBalance, paymentBalance } from '../../../shared/domain/journal/chart.ts';
import type { Payment } from '../../../shared/domain/payments/payment.ts';
import type { Refund } from '../../../shared/domain/refunds/refund.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const invoice = (id: string, fields: object): Invoice =>
  ({
    ...{ id, status: 'pending', amount: 1000, currency: 'BTN', dueDate: '2026-03-31T23:59:59.999Z' },
    ...{ createdAt: 10, updatedAt: 20, ...fields },
  }) as Invoice;
const payment = (id: string, invoiceId: string, fields: object = {}): Payment =>
  ({
    ...{ id, invoiceId, status: 'completed', amount: 1000, currency: 'BTN', method: 'card' },
    ...{ failureCode: null, amountRefunded: 0, createdAt: 20, updatedAt: 20, ...fields },
  }) as Payment;
const refund = (paymentId: string, invoiceId: string, fields: object): Refund =>
  ({
    ...{ id: 'r', paymentId, invoiceId, status: 'processed', currency: 'BTN' },
    ...{ createdAt: 25, updatedAt: 30, processedAt: 30, ...fields },
  }) as Refund;
const paidBy = (paymentId: string) => ({ status: 'paid', receipt: { paymentId } });
const short = (movements: readonly Movement[]) => movements.map(({ at, kind, amount }) => [at, kind, amount]);

test('an open invoice is owed', () => {
  const records = { invoices: [invoice('a', {})], payments: [], refunds: [] };
  expect(short(movementsOf(records, 'UTC'))).toEqual([[10, 'invoice', 1000]]);
});

test('a paid invoice is not, and a refund of it is a credit that goes back', () => {
  const records = {
    invoices: [invoice('a', { ...paidBy('p'), refundedMinor: 300 })],
    payments: [payment('p', 'a', { amountRefunded: 300 })],
    refunds: [
      // A row of a bank statement has changed it later.
      refund('p', 'a', { amount: 300, updatedAt: 40 }),
      refund('p', 'a', { amount: 100, status: 'failed', processedAt: undefined }),
      refund('p', 'a', { amount: 100, status: 'pending', processedAt: undefined }),
    ],
  };
  expect(short(movementsOf(records, 'UTC'))).toEqual([
    [10, 'invoice', 1000],
    [20, 'payment', -1000],
    [30, 'credit', -300],
    [30, 'refund', 300],
  ]);
});

test('money beyond the amount is a credit of the customer until it goes back, and no credit of the invoice', () => {
  const parts = [{ paymentId: 'p', amount: 1000 }];
  const payerNote = { overRefundedMinor: 200 };
  const records = {
    invoices: [invoice('a', { status: 'paid', parts, refundedMinor: 200, payerNote })],
    payments: [payment('p', 'a', { amount: 1200, amountOver: 200, amountRefunded: 200 })],
    refunds: [refund('p', 'a', { amount: 200, amountOver: 200 })],
  };
  expect(short(movementsOf(records, 'UTC'))).toEqual([
    [10, 'invoice', 1000],
    [20, 'payment', -1200],
    [30, 'refund', 200],
  ]);
});

test('what is written off, cancelled, held, voided and failed', () => {
  const parts = [{ paymentId: 'p', amount: 900, writtenOff: 100 }];
  const records = {
    invoices: [
      invoice('a', { status: 'paid', parts, updatedAt: 99 }),
      invoice('b', { status: 'cancelled', amount: 500, updatedAt: 50, createdAt: 40 }),
    ],
    payments: [
      payment('p', 'a', { amount: 900 }),
      payment('v', 'a', { voidedAt: 21 }),
      payment('f', 'a', { status: 'failed' }),
      payment('h', 'b', { status: 'pending', pendingReason: 'amount_differs', amount: 70, createdAt: 60 }),
    ],
    refunds: [],
  };
  expect(short(movementsOf(records, 'UTC'))).toEqual([
    [10, 'invoice', 1000],
    [20, 'payment', -900],
    [20, 'written_off', -100],
    [40, 'invoice', 500],
    [50, 'cancelled', -500],
    [60, 'payment', -70],
  ]);
});

test('a paid invoice that another one replaces is credited, and a payment that has moved counts once', () => {
  const records = {
    invoices: [
      invoice('a', { status: 'paid', parts: [], replacedBy: 'b', updatedAt: 50 }),
      invoice('b', { replaces: 'a', parts: [{ paymentId: 'p', amount: 400 }], createdAt: 50 }),
    ],
    payments: [payment('p', 'b', { amount: 400 }), payment('v', 'a', { amount: 600, voidedAt: 50 })],
    refunds: [],
  };
  expect(short(movementsOf(records, 'UTC'))).toEqual([
    [10, 'invoice', 1000],
    [20, 'payment', -400],
    [50, 'invoice', 1000],
    [50, 'cancelled', -1000],
  ]);
});

test('the balance is what the journal says of the records, also for random ones', () => {
  const numbers = seededRandom('statements');
  const random = (below: number) => numbers.integer(0, below - 1);
  for (let run = 0; run < 300; run++) {
    const records = randomRecords(random);
    const all = [...records.invoices.flatMap(invoiceBalance), ...records.payments.flatMap(paymentBalance)];
    const owed = all
      .filter(({ account }) => account === 'receivable' || account === 'unapplied')
      .reduce((sum, { amount }) => sum + amount, 0);
    const sum = movementsOf(records, 'UTC').reduce((total, { amount }) => total + amount, 0);
    expect([run, sum]).toEqual([run, owed]);
  }
});

/** Returns invoices that are paid, in parts or not, with refunds of what they have received. */
function randomRecords(random: (below: number) => number): CustomerRecords {
  const invoices: Invoice[] = [];
  const payments: Payment[] = [];
  const refunds: Refund[] = [];
  for (let count = 0; count < 1 + random(4); count++) {
    const id = `i${count}`;
    const amount = 1 + random(2000);
    const isCancelled = random(5) === 0;
    const paid = Array.from({ length: random(3) }, (_, part) => ({ part, amount: 1 + random(700) }));
    let left = amount;
    let refundedMinor = 0;
    let overRefundedMinor = 0;
    const parts = paid.map(({ part, amount: received }) => {
      const paymentId = `${id}p${part}`;
      const applied = Math.min(left, received);
      left -= applied;
      const back = random(2) * (1 + random(received));
      const amountOver = Math.min(back, received - applied);
      if (back > 0)
        refunds.push(refund(paymentId, id, { amount: back, amountOver, processedAt: 30 + random(5) }));
      refundedMinor += back;
      overRefundedMinor += amountOver;
      payments.push(payment(paymentId, id, { amount: received, amountRefunded: back }));
      return { paymentId, amount: applied };
    });
    const payerNote = { overRefundedMinor };
    const state = isCancelled ? { status: 'cancelled' } : { parts, refundedMinor, payerNote };
    invoices.push(invoice(id, { amount, ...state }));
  }
  return { invoices, payments, refunds };
}

test('a statement has the balance before its range, that after each movement, and that at its end', () => {
  const records = {
    invoices: [
      invoice('a', { ...paidBy('p'), createdAt: 10 }),
      invoice('b', { createdAt: 20, amount: 300 }),
      invoice('c', { createdAt: 40, amount: 5 }),
      invoice('d', { createdAt: 15, currency: 'USD' }),
    ],
    payments: [payment('p', 'a', { createdAt: 25 })],
    refunds: [],
  };
  const [btn, usd] = accountStatementsOf(records, { from: 20, until: 40 }, 'UTC');
  expect(btn).toMatchObject({ currency: 'BTN', opening: 1000, closing: 300 });
  expect(btn?.rows.map(({ invoiceId, balance }) => [invoiceId, balance])).toEqual([
    ['b', 1300],
    ['a', 300],
  ]);
  expect(usd).toEqual({ currency: 'USD', opening: 1000, rows: [], closing: 1000 });
  expect(accountStatementsOf(records, { from: 0, until: 10 }, 'UTC')).toEqual([]);
});

test('a payment is of the day of its receipt in the time zone, and of its own time on that day', () => {
  const invoiceAt = Date.parse('2026-11-01T00:00:00Z');
  const createdAt = Date.parse('2026-12-02T03:00:00Z');
  const received = (receivedOn: string) => payment('p', 'a', { createdAt, receivedOn });
  const paidAt = (receivedOn: string) => {
    const paid = invoice('a', { ...paidBy('p'), createdAt: invoiceAt });
    const records = { invoices: [paid], payments: [received(receivedOn)], refunds: [] };
    return new Date(movementsOf(records, 'Asia/Thimphu').at(-1)?.at ?? 0).toISOString();
  };
  expect(paidAt('2026-11-30')).toBe('2026-11-30T17:59:59.999Z');
  expect(paidAt('2026-12-02')).toBe('2026-12-02T03:00:00.000Z');
  expect(paidAt('2026-12-03')).toBe('2026-12-02T03:00:00.000Z');
});

test('the balances have ages by the days of the time zone', () => {
  const due = (dueDate: string, fields: object = {}) => invoice(dueDate, { dueDate, ...fields });
  const open = [
    due('2026-03-31T20:00:00.000Z', { amount: 1 }),
    due('2026-03-31T17:00:00.000Z', { amount: 20, status: 'overdue' }),
    due('2026-03-01T17:00:00.000Z', { amount: 300 }),
    due('2026-01-01T17:00:00.000Z', { amount: 4000 }),
    due('2025-12-31T17:00:00.000Z', { amount: 50_000, parts: [{ paymentId: 'p', amount: 10_000 }] }),
    due('2020-01-01T17:00:00.000Z', { amount: 600_000 }),
    due('2026-01-01T17:00:00.000Z', { status: 'paid' }),
  ];
  expect(balancesOf(open, [], { today: '2026-04-01', timeZone: 'Asia/Thimphu' })).toEqual([
    {
      currency: 'BTN',
      outstanding: 644_321,
      overdue: 644_320,
      ages: { notDue: 1, days1To30: 20, days31To60: 300, days61To90: 4000, older: 640_000 },
      credit: 0,
    },
  ]);
  expect(balancesOf([], [], { today: '2026-04-01', timeZone: 'UTC' })).toEqual([]);
});
