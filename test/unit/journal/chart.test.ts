/** Tests the rules of the journal: what each state of an invoice and of a payment means for the accounts. */
import { expect, test } from '@jest/globals';
import { invoiceBalance, paymentBalance } from '../../../shared/domain/journal/chart.ts';
import { entriesOfChange, type MoneyEntry } from '../../../shared/store/money-entries.ts';
import { seededRandom } from '../../support/seeded-random.ts';

type InvoiceMoney = Parameters<typeof invoiceBalance>[0];
type PaymentMoney = Parameters<typeof paymentBalance>[0];

const invoice: InvoiceMoney = {
  status: 'pending',
  amount: 10_500,
  currency: 'BTN',
  dueDate: '2026-12-31T00:00:00Z',
  charges: {
    taxes: [
      { code: 'bt_gst_5', amount: 300 },
      { code: 'bt_gst_5', amount: 200 },
    ],
  },
};
const payment: PaymentMoney = {
  status: 'completed',
  amount: 10_500,
  currency: 'BTN',
  method: 'offline',
  amountRefunded: 0,
  failureCode: null,
};

/** Returns the amounts of a balance by account, without those of 0. */
const amountsIn = (...entries: readonly (readonly MoneyEntry[])[]) => {
  const sums: Record<string, number> = {};
  for (const { account, amount } of entries.flat()) sums[account] = (sums[account] ?? 0) + amount;
  return Object.fromEntries(Object.entries(sums).filter(([, amount]) => amount !== 0));
};

test('an issued invoice is owed until its due date, and consists of sales and taxes', () => {
  expect(amountsIn(invoiceBalance(invoice))).toEqual({
    receivable: 10_500,
    sales: -10_000,
    'tax:bt_gst_5': -500,
  });
  expect(invoiceBalance(invoice)[0]).toMatchObject({ on: Date.parse('2026-12-31T00:00:00Z') });
  expect(amountsIn(invoiceBalance({ ...invoice, status: 'overdue' }))).toEqual(
    amountsIn(invoiceBalance(invoice)),
  );
});

test('a payment and the invoice that it pays meet', () => {
  const paid = invoiceBalance({ ...invoice, status: 'paid' });
  expect(amountsIn(paid, paymentBalance(payment))).toEqual({
    sales: -10_000,
    'tax:bt_gst_5': -500,
    'received:offline': 10_500,
  });
});

test('a part that is paid is not owed any more, and what is written off is not received', () => {
  const parts = [{ amount: 4_000 }, { amount: 6_000, writtenOff: 500 }];
  expect(amountsIn(invoiceBalance({ ...invoice, status: 'paid', parts }))).toEqual({
    sales: -10_000,
    'tax:bt_gst_5': -500,
    written_off: 500,
    unapplied: 10_000,
  });
});

test('money above the amount, and money for a cancelled invoice, is unapplied', () => {
  const paid = invoiceBalance({ ...invoice, status: 'paid' });
  expect(amountsIn(paid, paymentBalance({ ...payment, amount: 11_000 }))).toMatchObject({ unapplied: -500 });
  const cancelled = invoiceBalance({ ...invoice, status: 'cancelled' });
  const late = { ...payment, method: 'provider', provider: 'stripe' };
  expect(amountsIn(cancelled, paymentBalance(late))).toEqual({
    sales: -10_000,
    tax_reversed: -500,
    cancelled: 10_500,
    'received:stripe': 10_500,
    unapplied: -10_500,
  });
  expect(amountsIn(cancelled, paymentBalance({ ...late, amountRefunded: 10_500 }))).not.toHaveProperty(
    'unapplied',
  );
});

test('a paid invoice that another one replaces is as a cancelled one, and its payments belong to the other', () => {
  const credited = invoiceBalance({ ...invoice, status: 'paid', parts: [], replacedBy: 'inv_2' });
  expect(amountsIn(credited)).toEqual(amountsIn(invoiceBalance({ ...invoice, status: 'cancelled' })));
  const open = invoiceBalance({ ...invoice, parts: [{ amount: 4_000 }] });
  const moved = paymentBalance({ ...payment, amount: 4_000 });
  expect(amountsIn(open, moved, credited)).toMatchObject({ receivable: 6_500, cancelled: 10_500 });
  expect(amountsIn(open, moved, credited)).not.toHaveProperty('unapplied');
});

test('a refund takes taxes in proportion, and a full one all of them', () => {
  const half = { ...invoice, status: 'paid', refundedMinor: 5_250 };
  expect(amountsIn(invoiceBalance(half), paymentBalance({ ...payment, amountRefunded: 5_250 }))).toEqual({
    sales: -10_000,
    'tax:bt_gst_5': -250,
    tax_reversed: -250,
    refunds: 5_250,
    'received:offline': 10_500,
    'refunded:offline': -5_250,
  });
  expect(amountsIn(invoiceBalance({ ...half, refundedMinor: 10_500 }))).not.toHaveProperty('tax:bt_gst_5');
  const unneeded = { ...half, payerNote: { unneededRefundedMinor: 5_250 } };
  expect(amountsIn(invoiceBalance(unneeded))).toEqual(
    amountsIn(invoiceBalance({ ...invoice, status: 'paid' })),
  );
});

test('a held payment was received, and stays so when it is refused and returned; a voided one was not', () => {
  const held = { ...payment, status: 'pending', pendingReason: 'amount_differs' };
  const refused = { ...payment, status: 'failed', failureCode: 'amount_differs' };
  for (const each of [held, refused])
    expect(amountsIn(paymentBalance(each))).toEqual({ 'received:offline': 10_500, unapplied: -10_500 });
  expect(amountsIn(paymentBalance({ ...payment, status: 'pending' }))).toEqual({});
  expect(amountsIn(paymentBalance({ ...payment, voidedAt: 1 }))).toEqual({});
  expect(amountsIn(paymentBalance({ ...payment, status: 'failed', failureCode: 'card_declined' }))).toEqual(
    {},
  );
});

test('an open dispute and a lost one take money, an inquiry and a won one do not', () => {
  const disputed = (status: string) =>
    amountsIn(paymentBalance({ ...payment, dispute: { status, amount: 900 } }));
  expect(disputed('open')).toMatchObject({ 'withdrawn:offline': -900, disputes_open: 900 });
  expect(disputed('lost')).toMatchObject({ 'withdrawn:offline': -900, disputes_lost: 900 });
  for (const status of ['inquiry', 'won', 'closed'])
    expect(disputed(status)).toEqual(amountsIn(paymentBalance(payment)));
});

test('fees are kept of the money received, in the currency of the settlement', () => {
  const fees = { amount: 236, tax: 36, currency: 'INR' };
  const paid = { ...payment, method: 'provider', provider: 'razorpay' };
  const type = { balanceOf: paymentBalance as (record: object) => readonly MoneyEntry[] };
  expect(entriesOfChange([{ type, before: paid, after: { ...paid, fees } }])).toEqual([
    { account: 'fees:razorpay', currency: 'INR', amount: 200 },
    { account: 'fee_tax:razorpay', currency: 'INR', amount: 36 },
    { account: 'fees_kept:razorpay', currency: 'INR', amount: -236 },
  ]);
});

test('every change of any states balances, and the changes add up to the last state', () => {
  const random = seededRandom('journal');
  const randomInvoice = (): InvoiceMoney => {
    const amount = random.integer(1, 999_999_999_999);
    const tax = random.integer(0, Math.floor(amount / 3));
    return {
      status: random.pick(['pending', 'overdue', 'paid', 'cancelled', 'a later status']) ?? '',
      amount,
      currency: random.pick(['BTN', 'USD']) ?? '',
      dueDate: `2026-12-${random.integer(10, 31)}T12:00:00Z`,
      charges: random.chance(0.5)
        ? {
            taxes: [
              { code: 'a', amount: tax },
              { code: 'b', amount: tax },
            ],
          }
        : undefined,
      refundedMinor: random.chance(0.5) ? random.integer(0, amount) : undefined,
      ...(random.chance(0.2) && { parts: [{ amount: random.integer(0, amount), writtenOff: 0 }] }),
    };
  };
  const type = { balanceOf: invoiceBalance as (record: object) => readonly MoneyEntry[] };
  for (let round = 0; round < 300; round++) {
    const states = Array.from({ length: 5 }, randomInvoice);
    // It throws if a change does not balance.
    const changes = states.map((after, index) =>
      entriesOfChange([{ type, before: states[index - 1], after }]),
    );
    const gone = entriesOfChange([{ type, before: states.at(-1), after: undefined }]);
    expect(amountsIn(...changes, gone)).toEqual({});
    const last = states.at(-1) as InvoiceMoney;
    expect(
      amountsIn(...changes.map((each) => each.filter(({ currency }) => currency === last.currency))),
    ).toEqual(amountsIn(invoiceBalance(last)));
  }
});

test('entries that do not balance are refused', () => {
  const type = { balanceOf: () => [{ account: 'sales', currency: 'BTN', amount: 1 }] };
  expect(() => entriesOfChange([{ type, before: undefined, after: {} }])).toThrow('add up to 1');
});
