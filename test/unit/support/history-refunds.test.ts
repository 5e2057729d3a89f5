import { expect, test } from '@jest/globals';
import type { Shown } from '../../support/history.ts';
import {
  at,
  cancel,
  cancelled,
  card,
  chainOf,
  check,
  clock,
  completed,
  create,
  declined,
  error,
  giveBack,
  invoice,
  later,
  laterDone,
  list,
  owed,
  paid,
  pay,
  payWith,
  pending,
  processed,
  refund,
  refunded,
  see,
  story,
  wasPaid,
  wasRefunded,
} from '../../support/history-examples.ts';

test.each<[string, () => string[]]>([
  [
    'paid, refunded, listed',
    () =>
      check(
        [
          create,
          pay(3, 4, completed),
          see(5, 6, paid),
          list(7, 8, 'list payments', [completed], { invoiceId: 'inv_1', status: 'completed' }),
          list(9, 10, 'list', [paid], { status: 'paid' }),
          giveBack(11, 12, refund),
          list(13, 14, 'list refunds', [refund], { paymentId: 'pay_1' }),
          see(15, 16, refunded),
          see(17, 18, processed),
          giveBack(
            19,
            20,
            {},
            {
              body: { paymentId: 'pay_1', amount: 61, reason: 'Refund 2' },
              ...error('refund_exceeds_payment'),
            },
          ),
          pay(21, 22, {}, error('invoice_already_paid')),
        ],
        wasRefunded,
      ),
  ],
  [
    'money that came after the cancellation and went back',
    () =>
      check(
        [
          create,
          pay(3, 4, later, payWith('4000000000000077')),
          cancel(5, 6),
          see(11, 12, laterDone),
          giveBack(13, 14, {}, error('refund_exceeds_payment')),
          see(15, 16, owed),
        ],
        {
          invoices: [chainOf(invoice, cancelled)],
          payments: [story(1, later, laterDone)],
          refunds: [story(1, owed)],
        },
        { clock },
      ),
  ],
  [
    'refunds processed in an order that only the amounts tell',
    () => {
      const other = { ...refund, id: 'ref_2', amount: 50, reason: 'Refund 2' };
      const otherDone = { ...other, status: 'processed', updatedAt: at(7) };
      const first = { ...completed, amountRefunded: 50, updatedAt: at(7) };
      const both = { ...completed, amountRefunded: 90, updatedAt: at(8) };
      return check(
        [
          create,
          pay(3, 4, completed),
          giveBack(5, 6, refund),
          giveBack(7, 8, other, { body: { paymentId: 'pay_1', amount: 50, reason: 'Refund 2' } }),
          see(9, 10, first),
          see(11, 12, refund),
          see(13, 14, both),
        ],
        {
          ...wasPaid,
          payments: [story(1, pending, completed, both)],
          refunds: [story(1, refund, processed), story(2, other, otherDone)],
        },
      );
    },
  ],
  [
    'refunds processed in an order that only a list tells',
    () => {
      const other = { ...refund, id: 'ref_2', amount: 50, reason: 'Refund 2' };
      const otherDone = { ...other, status: 'processed', updatedAt: at(7) };
      const both = { ...completed, amountRefunded: 90, updatedAt: at(8) };
      return check(
        [
          create,
          pay(3, 4, completed),
          giveBack(5, 6, refund),
          giveBack(7, 8, other, { body: { paymentId: 'pay_1', amount: 50, reason: 'Refund 2' } }),
          list(9, 10, 'list refunds', [refund], { status: 'pending' }),
          see(11, 12, refund),
          see(13, 14, both),
        ],
        {
          ...wasPaid,
          payments: [story(1, pending, completed, both)],
          refunds: [story(1, refund, processed), story(2, other, otherDone)],
        },
      );
    },
  ],
])('accepts: %s', (_, faults) => {
  expect(faults()).toEqual([]);
});

test.each<[string, () => string[], RegExp]>([
  [
    'a list without an answered payment',
    () => check([create, pay(3, 4, completed), list(5, 6, 'list payments', [])], wasPaid),
    /certain/,
  ],
  [
    'a list that shows an answered payment in a state that is over',
    () =>
      check(
        [create, pay(3, 4, completed), list(5, 6, 'list payments', [], { status: 'pending' }, 1)],
        wasPaid,
      ),
    /total is 1|rows/,
  ],
  [
    'a list of paid invoices without one whose payment was answered',
    () => check([create, pay(3, 4, completed), list(5, 6, 'list', [], { status: 'paid' })], wasPaid),
    /certain/,
  ],
  [
    'a row of another invoice',
    () =>
      check(
        [create, pay(3, 4, completed), list(5, 6, 'list payments', [completed], { invoiceId: 'inv_2' })],
        wasPaid,
      ),
    /of inv_1/,
  ],
  [
    'a list by payment without its answered refund',
    () =>
      check(
        [
          create,
          pay(3, 4, completed),
          giveBack(5, 6, refund),
          list(7, 8, 'list refunds', [], { paymentId: 'pay_1', invoiceId: 'inv_1' }),
        ],
        wasRefunded,
      ),
    /certain/,
  ],
  [
    'a refund that was answered and is gone',
    () => check([create, pay(3, 4, completed), giveBack(5, 6, refund)], wasPaid),
    /lost/,
  ],
  [
    'a refund that nobody asked for',
    () => check([create, pay(3, 4, completed)], wasRefunded),
    /nobody made it/,
  ],
  [
    'a processed refund that is shown pending again',
    () =>
      check(
        [create, pay(3, 4, completed), giveBack(5, 6, refund), see(7, 8, processed), see(9, 10, refund)],
        wasRefunded,
      ),
    /must have come/,
  ],
  [
    'a payment that does not know of a processed refund',
    () =>
      check(
        [create, pay(3, 4, completed), giveBack(5, 6, refund), see(7, 8, processed), see(9, 10, completed)],
        wasRefunded,
      ),
    /must have come/,
  ],
  [
    'an amount refunded that no refunds add up to',
    () =>
      check(
        [
          create,
          pay(3, 4, completed),
          giveBack(5, 6, refund),
          see(7, 8, { ...completed, amountRefunded: 30, updatedAt: at(7) } as Shown),
        ],
        wasRefunded,
      ),
    /never was/,
  ],
  [
    'refunds that exceed the payment',
    () => {
      const other = { ...refund, id: 'ref_2', amount: 70, reason: 'Refund 2' };
      const body = { paymentId: 'pay_1', amount: 70, reason: 'Refund 2' };
      return check([create, pay(3, 4, completed), giveBack(5, 6, refund), giveBack(7, 8, other, { body })], {
        ...wasPaid,
        refunds: [story(1, refund), story(2, other)],
      });
    },
    /others held 40 for certain/,
  ],
  [
    'a refund of the rest that leaves something',
    () => {
      const body = { paymentId: 'pay_1', reason: 'Refund 1' };
      return check([create, pay(3, 4, completed), giveBack(5, 6, refund, { body })], wasRefunded);
    },
    /it is not all/,
  ],
  [
    'a refund that was refused though enough was left',
    () => check([create, pay(3, 4, completed), giveBack(5, 6, {}, error('refund_exceeds_payment'))], wasPaid),
    /refund_exceeds_payment, which/,
  ],
  [
    'a completed payment that could not be refunded',
    () => check([create, pay(3, 4, completed), giveBack(5, 6, {}, error('payment_not_refundable'))], wasPaid),
    /must have come/,
  ],
  [
    'a refund that failed with a card that allows it',
    () => {
      const failed = { ...refund, status: 'failed', failureCode: 'refund_refused', updatedAt: at(7) };
      return check([create, pay(3, 4, completed), giveBack(5, 6, refund)], {
        ...wasPaid,
        refunds: [story(1, refund, failed)],
      });
    },
    /is failed, with card/,
  ],
  [
    'a refund of a payment that was never completed',
    () =>
      check([create, pay(3, 4, declined, payWith('4000000000000002')), giveBack(5, 6, refund)], {
        payments: [story(1, { ...pending, ...card('0002') }, declined)],
        refunds: [story(1, refund)],
      }),
    /never completed/,
  ],
  [
    'money that goes back by itself though the invoice was not cancelled',
    () => check([create, pay(3, 4, completed)], { ...wasPaid, refunds: [story(1, owed)] }),
    /was not cancelled/,
  ],
  [
    'money that goes back by itself before it came',
    () =>
      check(
        [
          create,
          pay(3, 4, later, payWith('4000000000000077')),
          cancel(5, 6),
          see(11, 12, owed),
          see(13, 14, later),
        ],
        {
          invoices: [chainOf(invoice, cancelled)],
          payments: [story(1, later, laterDone)],
          refunds: [story(1, owed)],
        },
        { clock },
      ),
    /must have come/,
  ],
  [
    'rows at rest that do not add up to the records',
    () =>
      check(
        [create, pay(3, 4, completed), list(9, 10, 'list payments', [{ ...completed, amount: 90 } as Shown])],
        wasPaid,
        { settled: [8] },
      ),
    /sum of amount 90, records say 100/,
  ],
])('rejects: %s', (_, faults, expected) => {
  expect(faults().join('\n')).toMatch(expected);
});
