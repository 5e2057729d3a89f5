import { expect, test } from '@jest/globals';
import { checkHistory } from '../../model/check.ts';
import {
  approvedCard,
  cancelCall,
  cancelledInvoice,
  clockPastDelay,
  compensationRefund,
  completedDelayedPayment,
  completedPayment,
  createCall,
  declinedPayment,
  declinedSecondPayment,
  decliningCard,
  decliningCardNumber,
  delayedCardNumber,
  delayedPayment,
  errorResponse,
  findViolations,
  lifecycle,
  listCall,
  paidInvoice,
  paidRecords,
  payCall,
  payCallBody,
  pendingInvoice,
  pendingPayment,
  readCall,
  replayedResponse,
  repricedInvoice,
  secondPayment,
  storedInvoice,
  timestampAt,
  updateCall,
  withCardNumber,
  withKey,
} from '../../model/example-history.ts';

test.each<[string, () => string[]]>([
  [
    'a payment that completes later and blocks an update meanwhile',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, delayedPayment, withCardNumber(delayedCardNumber)),
          updateCall(5, 6, {}, errorResponse('payment_in_progress')),
          readCall(11, 12, completedDelayedPayment),
          readCall(13, 14, paidInvoice),
        ],
        {
          invoices: [storedInvoice(pendingInvoice, paidInvoice)],
          payments: [lifecycle(1, delayedPayment, completedDelayedPayment)],
        },
        clockPastDelay,
      ),
  ],
  [
    'a payment without a response',
    () => findViolations([createCall, payCall(3, 4), listCall(5, 6, 'list payments', [])], paidRecords),
  ],
])('accepts: %s', (_, violations) => {
  expect(violations()).toEqual([]);
});

test.each<[string, () => string[], RegExp]>([
  [
    'a successful payment that is lost',
    () => findViolations([createCall, payCall(3, 4, completedPayment)], {}),
    /lost/,
  ],
  [
    'one operation that made two payments',
    () =>
      findViolations([createCall, payCall(3, 4, undefined, withCardNumber(decliningCardNumber))], {
        payments: [
          lifecycle(1, { ...pendingPayment, ...decliningCard }, declinedPayment),
          lifecycle(2, secondPayment, declinedSecondPayment),
        ],
      }),
    /no operation made it/,
  ],
  [
    'two successful operations with the same payment',
    () =>
      findViolations(
        [createCall, payCall(3, 6, completedPayment), payCall(4, 5, completedPayment)],
        paidRecords,
      ),
    /no effect of its own/,
  ],
  ['a payment without an operation', () => findViolations([createCall], paidRecords), /no operation made it/],
  [
    'a refused payment that took effect',
    () =>
      findViolations(
        [createCall, payCall(3, 4, {}, { ...errorResponse('payment_in_progress') })],
        paidRecords,
      ),
    /no operation made it/,
  ],
  [
    'a completed payment that a later read shows as pending',
    () =>
      findViolations(
        [createCall, payCall(3, 4, completedPayment), readCall(5, 6, pendingPayment)],
        paidRecords,
      ),
    /fits nowhere in the order/,
  ],
  [
    'a payment with two outcomes',
    () =>
      findViolations([createCall, payCall(3, 4, undefined)], {
        ...paidRecords,
        payments: [
          lifecycle(1, completedPayment, {
            ...completedPayment,
            status: 'failed',
            updatedAt: timestampAt(6),
          }),
        ],
      }),
    /follows status completed|updatedAt other than createdAt/,
  ],
  [
    'a completed payment with a declined card',
    () =>
      findViolations([createCall, payCall(3, 4, undefined, withCardNumber(decliningCardNumber))], {
        ...paidRecords,
        payments: [
          lifecycle(1, { ...pendingPayment, ...decliningCard }, { ...completedPayment, ...decliningCard }),
        ],
      }),
    /is completed/,
  ],
  [
    'a declined payment with a good card',
    () =>
      findViolations([createCall, payCall(3, 4)], {
        payments: [lifecycle(1, pendingPayment, { ...declinedPayment, ...approvedCard })],
      }),
    /is failed card_declined/,
  ],
  [
    'an outcome before the provider settles the payment',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, delayedPayment, withCardNumber(delayedCardNumber)),
          readCall(5, 6, completedDelayedPayment),
        ],
        {
          invoices: [storedInvoice(pendingInvoice, paidInvoice)],
          payments: [lifecycle(1, delayedPayment, completedDelayedPayment)],
        },
        clockPastDelay,
      ),
    /fits nowhere in the order/,
  ],
  [
    'a payment that is given up while its request may still run',
    () => {
      const givenUp = { ...declinedPayment, ...approvedCard, failureCode: 'processing_error' };
      return findViolations(
        [createCall, payCall(3, 4), readCall(11, 12, givenUp)],
        { payments: [lifecycle(1, pendingPayment, givenUp)] },
        clockPastDelay,
      );
    },
    /fits nowhere in the order/,
  ],
  [
    'an invoice that is still pending after its payment completed',
    () =>
      findViolations(
        [createCall, payCall(3, 4, completedPayment), readCall(5, 6, pendingInvoice)],
        paidRecords,
      ),
    /fits nowhere in the order/,
  ],
  [
    'an invoice that is paid before its payment started',
    () =>
      findViolations([createCall, readCall(3, 4, paidInvoice), payCall(5, 6, completedPayment)], paidRecords),
    /fits nowhere in the order/,
  ],
  [
    'a payment over an amount that the invoice did not have',
    () =>
      findViolations(
        [
          createCall,
          updateCall(3, 4, repricedInvoice),
          payCall(5, 6, { ...completedPayment, updatedAt: timestampAt(6) }),
        ],
        {
          invoices: [
            storedInvoice(pendingInvoice, repricedInvoice, {
              ...repricedInvoice,
              status: 'paid',
              updatedAt: timestampAt(6),
            }),
          ],
          payments: [lifecycle(1, pendingPayment, { ...completedPayment, updatedAt: timestampAt(6) })],
        },
      ),
    /the invoice never had that amount/,
  ],
  [
    'an update while a payment is in progress',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, delayedPayment, withCardNumber(delayedCardNumber)),
          updateCall(5, 6, repricedInvoice),
          readCall(7, 8, delayedPayment),
          readCall(11, 12, completedDelayedPayment),
        ],
        {
          invoices: [
            storedInvoice(pendingInvoice, repricedInvoice, {
              ...repricedInvoice,
              status: 'paid',
              updatedAt: timestampAt(6),
            }),
          ],
          payments: [lifecycle(1, delayedPayment, completedDelayedPayment)],
        },
        clockPastDelay,
      ),
    /unchanged while the payment was in progress/,
  ],
  [
    'two payments in progress at the same time',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, delayedPayment, withCardNumber(delayedCardNumber)),
          payCall(5, 6, declinedSecondPayment, withCardNumber(decliningCardNumber)),
          readCall(7, 8, delayedPayment),
        ],
        {
          invoices: [storedInvoice(pendingInvoice, paidInvoice)],
          payments: [
            lifecycle(1, delayedPayment, completedDelayedPayment),
            lifecycle(2, secondPayment, declinedSecondPayment),
          ],
        },
        clockPastDelay,
      ),
    /in progress at the same time/,
  ],
  [
    'an error for a payment in progress that does not exist',
    () => findViolations([createCall, payCall(3, 4, {}, errorResponse('payment_in_progress'))], {}),
    /payment_in_progress, but there was no reason/,
  ],
  [
    'an error for a payment in progress that has ended',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, declinedPayment, withCardNumber(decliningCardNumber)),
          updateCall(5, 6, {}, errorResponse('payment_in_progress')),
        ],
        { payments: [lifecycle(1, { ...pendingPayment, ...decliningCard }, declinedPayment)] },
      ),
    /payment_in_progress, but there was no reason/,
  ],
  [
    'an error for an amount that was correct',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, {}, { body: { ...payCallBody, amount: 100 }, ...errorResponse('invalid_amount') }),
        ],
        {},
      ),
    /invalid_amount, but there was no reason/,
  ],
  [
    'a payment whose request confirmed a different amount',
    () =>
      findViolations(
        [createCall, payCall(3, 4, undefined, { body: { ...payCallBody, amount: 99 } })],
        paidRecords,
      ),
    /no operation made it/,
  ],
  [
    'card data that live mode accepted',
    () => {
      const live = 'acct_1#live';
      const calls = [createCall, payCall(3, 4, completedPayment)].map((call) => ({ ...call, owner: live }));
      const stored = { refunds: [], ...paidRecords };
      return checkHistory(
        { calls, clock: [{ position: 0, now: 0 }], quiescentAt: [] },
        new Map([[live, stored]]),
      );
    },
    /card_data_not_accepted/,
  ],
  [
    'a repeated call that is refused because of its own payment',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, delayedPayment, { ...withCardNumber(delayedCardNumber), ...withKey }),
          payCall(
            5,
            6,
            {},
            { ...withCardNumber(delayedCardNumber), ...withKey, ...errorResponse('payment_in_progress') },
          ),
        ],
        { payments: [lifecycle(1, delayedPayment)] },
      ),
    /its repeated call .* was refused/,
  ],
  [
    'a repeated call whose response shows a later version',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, delayedPayment, { ...withCardNumber(delayedCardNumber), ...withKey }),
          payCall(
            11,
            12,
            {},
            {
              ...withCardNumber(delayedCardNumber),
              ...withKey,
              ...replayedResponse(completedDelayedPayment),
            },
          ),
        ],
        {
          invoices: [storedInvoice(pendingInvoice, paidInvoice)],
          payments: [lifecycle(1, delayedPayment, completedDelayedPayment)],
        },
        clockPastDelay,
      ),
    /different bytes/,
  ],
  [
    'a payment that completed before its invoice was cancelled',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, delayedPayment, withCardNumber(delayedCardNumber)),
          readCall(11, 12, completedDelayedPayment),
          cancelCall(13, 14),
        ],
        {
          invoices: [storedInvoice(pendingInvoice, { ...cancelledInvoice, updatedAt: timestampAt(3) })],
          payments: [lifecycle(1, delayedPayment, completedDelayedPayment)],
          refunds: [lifecycle(1, compensationRefund)],
        },
        clockPastDelay,
      ),
    /fits nowhere in the order/,
  ],
])('rejects: %s', (_, violations, expected) => {
  expect(violations().join('\n')).toMatch(expected);
});
