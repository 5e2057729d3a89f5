import { expect, test } from '@jest/globals';
import { checkHistory } from '../../support/history-check.ts';
import {
  at,
  cancel,
  cancelled,
  card,
  cardBody,
  chainOf,
  check,
  clock,
  completed,
  create,
  dearer,
  declined,
  error,
  invoice,
  key,
  later,
  laterDone,
  list,
  owed,
  paid,
  pay,
  payWith,
  pending,
  replayOf,
  secondBegun,
  secondFailed,
  see,
  story,
  update,
  wasPaid,
} from '../../support/history-examples.ts';

test.each<[string, () => string[]]>([
  [
    'a payment that completes in the background, with an update refused meanwhile',
    () =>
      check(
        [
          create,
          pay(3, 4, later, payWith('4000000000000077')),
          update(5, 6, {}, error('payment_in_progress')),
          see(11, 12, laterDone),
          see(13, 14, paid),
        ],
        { invoices: [chainOf(invoice, paid)], payments: [story(1, later, laterDone)] },
        { clock },
      ),
  ],
  [
    'a payment that nobody was answered',
    () => check([create, pay(3, 4), list(5, 6, 'list payments', [])], wasPaid),
  ],
])('accepts: %s', (_, faults) => {
  expect(faults()).toEqual([]);
});

test.each<[string, () => string[], RegExp]>([
  ['a payment that was answered and is gone', () => check([create, pay(3, 4, completed)], {}), /lost/],
  [
    'a key with two payments',
    () =>
      check([create, pay(3, 4, undefined, payWith('4000000000000002'))], {
        payments: [story(1, { ...pending, ...card('0002') }, declined), story(2, secondBegun, secondFailed)],
      }),
    /nobody made it/,
  ],
  [
    'two operations that were answered with one payment',
    () => check([create, pay(3, 6, completed), pay(4, 5, completed)], wasPaid),
    /no effect of its own/,
  ],
  ['a payment that nobody asked for', () => check([create], wasPaid), /nobody made it/],
  [
    'a refused payment that took effect',
    () => check([create, pay(3, 4, {}, { ...error('payment_in_progress') })], wasPaid),
    /nobody made it/,
  ],
  [
    'a completed payment that is shown pending again',
    () => check([create, pay(3, 4, completed), see(5, 6, pending)], wasPaid),
    /must have come/,
  ],
  [
    'a payment that is final twice',
    () =>
      check([create, pay(3, 4, undefined)], {
        ...wasPaid,
        payments: [story(1, completed, { ...completed, status: 'failed', updatedAt: at(6) })],
      }),
    /follows completed|was updated/,
  ],
  [
    'a declined card that completes',
    () =>
      check([create, pay(3, 4, undefined, payWith('4000000000000002'))], {
        ...wasPaid,
        payments: [story(1, { ...pending, ...card('0002') }, { ...completed, ...card('0002') })],
      }),
    /is completed/,
  ],
  [
    'a good card that is declined',
    () =>
      check([create, pay(3, 4)], {
        payments: [story(1, pending, { ...declined, ...card('4242') })],
      }),
    /is failed card_declined/,
  ],
  [
    'an outcome before the provider can know it',
    () =>
      check(
        [create, pay(3, 4, later, payWith('4000000000000077')), see(5, 6, laterDone)],
        { invoices: [chainOf(invoice, paid)], payments: [story(1, later, laterDone)] },
        { clock },
      ),
    /must have come/,
  ],
  [
    'a payment that was given up while a request could be at work',
    () => {
      const givenUp = { ...declined, ...card('4242'), failureCode: 'processing_error' };
      return check(
        [create, pay(3, 4), see(11, 12, givenUp)],
        { payments: [story(1, pending, givenUp)] },
        { clock },
      );
    },
    /must have come/,
  ],
  [
    'an invoice that is paid after the payment was shown completed',
    () => check([create, pay(3, 4, completed), see(5, 6, invoice)], wasPaid),
    /must have come/,
  ],
  [
    'an invoice that is paid before its payment began',
    () => check([create, see(3, 4, paid), pay(5, 6, completed)], wasPaid),
    /must have come/,
  ],
  [
    'a payment over another amount than the invoice had',
    () =>
      check([create, update(3, 4, dearer), pay(5, 6, { ...completed, updatedAt: at(6) })], {
        invoices: [chainOf(invoice, dearer, { ...dearer, status: 'paid', updatedAt: at(6) })],
        payments: [story(1, pending, { ...completed, updatedAt: at(6) })],
      }),
    /at no time did the invoice cost that/,
  ],
  [
    'an update while a payment is in progress',
    () =>
      check(
        [
          create,
          pay(3, 4, later, payWith('4000000000000077')),
          update(5, 6, dearer),
          see(7, 8, later),
          see(11, 12, laterDone),
        ],
        {
          invoices: [chainOf(invoice, dearer, { ...dearer, status: 'paid', updatedAt: at(6) })],
          payments: [story(1, later, laterDone)],
        },
        { clock },
      ),
    /unchanged from its beginning to its end/,
  ],
  [
    'two payments in progress at once',
    () =>
      check(
        [
          create,
          pay(3, 4, later, payWith('4000000000000077')),
          pay(5, 6, secondFailed, payWith('4000000000000002')),
          see(7, 8, later),
        ],
        {
          invoices: [chainOf(invoice, paid)],
          payments: [story(1, later, laterDone), story(2, secondBegun, secondFailed)],
        },
        { clock },
      ),
    /in progress at once/,
  ],
  [
    'a payment in progress without one',
    () => check([create, pay(3, 4, {}, error('payment_in_progress'))], {}),
    /payment_in_progress, which/,
  ],
  [
    'a payment in progress that is over',
    () =>
      check(
        [
          create,
          pay(3, 4, declined, payWith('4000000000000002')),
          update(5, 6, {}, error('payment_in_progress')),
        ],
        { payments: [story(1, { ...pending, ...card('0002') }, declined)] },
      ),
    /payment_in_progress, which/,
  ],
  [
    'a wrong amount that was right',
    () =>
      check([create, pay(3, 4, {}, { body: { ...cardBody, amount: 100 }, ...error('invalid_amount') })], {}),
    /invalid_amount, which/,
  ],
  [
    'a payment that was confirmed with another amount',
    () => check([create, pay(3, 4, undefined, { body: { ...cardBody, amount: 99 } })], wasPaid),
    /nobody made it/,
  ],
  [
    'card data that live mode took',
    () => {
      const live = 'acct_1#live';
      const calls = [create, pay(3, 4, completed)].map((one) => ({ ...one, owner: live }));
      const told = { refunds: [], ...wasPaid };
      return checkHistory({ calls, clock: [{ at: 0, now: 0 }], settled: [] }, new Map([[live, told]]));
    },
    /card_data_not_accepted/,
  ],
  [
    'a repetition that met its own payment in progress',
    () =>
      check(
        [
          create,
          pay(3, 4, later, { ...payWith('4000000000000077'), ...key }),
          pay(5, 6, {}, { ...payWith('4000000000000077'), ...key, ...error('payment_in_progress') }),
        ],
        { payments: [story(1, later)] },
      ),
    /its repetition .* was refused/,
  ],
  [
    'a repetition that was answered with a later state',
    () =>
      check(
        [
          create,
          pay(3, 4, later, { ...payWith('4000000000000077'), ...key }),
          pay(11, 12, {}, { ...payWith('4000000000000077'), ...key, ...replayOf(laterDone) }),
        ],
        { invoices: [chainOf(invoice, paid)], payments: [story(1, later, laterDone)] },
        { clock },
      ),
    /other bytes/,
  ],
  [
    'a payment that completed before the cancellation that it follows',
    () =>
      check(
        [create, pay(3, 4, later, payWith('4000000000000077')), see(11, 12, laterDone), cancel(13, 14)],
        {
          invoices: [chainOf(invoice, { ...cancelled, updatedAt: at(3) })],
          payments: [story(1, later, laterDone)],
          refunds: [story(1, owed)],
        },
        { clock },
      ),
    /must have come/,
  ],
])('rejects: %s', (_, faults, expected) => {
  expect(faults().join('\n')).toMatch(expected);
});
