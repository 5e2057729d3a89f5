import { expect, test } from '@jest/globals';
import {
  cancelCall,
  cancelledInvoice,
  clockPastDelay,
  compensationRefund,
  completedDelayedPayment,
  completedPayment,
  createCall,
  declinedPayment,
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
  pendingInvoice,
  pendingPayment,
  pendingRefund,
  processedRefund,
  readCall,
  refundCall,
  refundedPayment,
  refundedRecords,
  storedInvoice,
  timestampAt,
  withCardNumber,
} from '../../model/example-history.ts';
import type { Snapshot } from '../../model/history.ts';

/** A payment of 100 succeeds. */
const paying = [createCall, payCall(3, 4, completedPayment)];
/** Then a refund of a part begins. */
const refunding = [...paying, refundCall(5, 6, pendingRefund)];

test.each<[string, () => string[]]>([
  [
    'a payment that is refunded and listed',
    () =>
      findViolations(
        [
          ...paying,
          readCall(5, 6, paidInvoice),
          listCall(7, 8, 'list payments', [completedPayment], { invoiceId: 'inv_1', status: 'completed' }),
          listCall(9, 10, 'list', [paidInvoice], { status: 'paid' }),
          refundCall(11, 12, pendingRefund),
          listCall(13, 14, 'list refunds', [pendingRefund], { paymentId: 'pay_1' }),
          readCall(15, 16, refundedPayment),
          readCall(17, 18, processedRefund),
          refundCall(
            19,
            20,
            {},
            {
              body: { paymentId: 'pay_1', amount: 61, reason: 'Refund 2' },
              ...errorResponse('refund_exceeds_payment'),
            },
          ),
          payCall(21, 22, {}, errorResponse('invoice_already_paid')),
        ],
        refundedRecords,
      ),
  ],
  [
    'a payment that completes after the cancellation and is compensated',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, delayedPayment, withCardNumber(delayedCardNumber)),
          cancelCall(5, 6),
          readCall(11, 12, completedDelayedPayment),
          refundCall(13, 14, {}, errorResponse('refund_exceeds_payment')),
          readCall(15, 16, compensationRefund),
        ],
        {
          invoices: [storedInvoice(pendingInvoice, cancelledInvoice)],
          payments: [lifecycle(1, delayedPayment, completedDelayedPayment)],
          refunds: [lifecycle(1, compensationRefund)],
        },
        clockPastDelay,
      ),
  ],
  [
    'refunds whose processing order follows from the shown amounts',
    () => {
      const other = { ...pendingRefund, id: 'ref_2', amount: 50, reason: 'Refund 2' };
      const otherDone = { ...other, status: 'processed', updatedAt: timestampAt(7) };
      const first = { ...completedPayment, amountRefunded: 50, updatedAt: timestampAt(7) };
      const both = { ...completedPayment, amountRefunded: 90, updatedAt: timestampAt(8) };
      return findViolations(
        [
          ...refunding,
          refundCall(7, 8, other, { body: { paymentId: 'pay_1', amount: 50, reason: 'Refund 2' } }),
          readCall(9, 10, first),
          readCall(11, 12, pendingRefund),
          readCall(13, 14, both),
        ],
        {
          ...paidRecords,
          payments: [lifecycle(1, pendingPayment, completedPayment, both)],
          refunds: [lifecycle(1, pendingRefund, processedRefund), lifecycle(2, other, otherDone)],
        },
      );
    },
  ],
  [
    'refunds whose processing order follows from a list',
    () => {
      const other = { ...pendingRefund, id: 'ref_2', amount: 50, reason: 'Refund 2' };
      const otherDone = { ...other, status: 'processed', updatedAt: timestampAt(7) };
      const both = { ...completedPayment, amountRefunded: 90, updatedAt: timestampAt(8) };
      return findViolations(
        [
          ...refunding,
          refundCall(7, 8, other, { body: { paymentId: 'pay_1', amount: 50, reason: 'Refund 2' } }),
          listCall(9, 10, 'list refunds', [pendingRefund], { status: 'pending' }),
          readCall(11, 12, pendingRefund),
          readCall(13, 14, both),
        ],
        {
          ...paidRecords,
          payments: [lifecycle(1, pendingPayment, completedPayment, both)],
          refunds: [lifecycle(1, pendingRefund, processedRefund), lifecycle(2, other, otherDone)],
        },
      );
    },
  ],
])('accepts: %s', (_, violations) => {
  expect(violations()).toEqual([]);
});

test.each<[string, () => string[], RegExp]>([
  [
    'a list without a successful payment',
    () => findViolations([...paying, listCall(5, 6, 'list payments', [])], paidRecords),
    /certain/,
  ],
  [
    'a list that counts a payment by an earlier status',
    () =>
      findViolations([...paying, listCall(5, 6, 'list payments', [], { status: 'pending' }, 1)], paidRecords),
    /total is 1|rows/,
  ],
  [
    'a list of paid invoices without an invoice whose payment completed',
    () => findViolations([...paying, listCall(5, 6, 'list', [], { status: 'paid' })], paidRecords),
    /certain/,
  ],
  [
    'a row of another invoice',
    () =>
      findViolations(
        [...paying, listCall(5, 6, 'list payments', [completedPayment], { invoiceId: 'inv_2' })],
        paidRecords,
      ),
    /invoiceId is inv_1/,
  ],
  [
    "a list of a payment's refunds without a successful refund",
    () =>
      findViolations(
        [...refunding, listCall(7, 8, 'list refunds', [], { paymentId: 'pay_1', invoiceId: 'inv_1' })],
        refundedRecords,
      ),
    /certain/,
  ],
  ['a successful refund that is lost', () => findViolations(refunding, paidRecords), /lost/],
  ['a refund without an operation', () => findViolations(paying, refundedRecords), /no operation made it/],
  [
    'a processed refund that a later read shows as pending',
    () =>
      findViolations(
        [...refunding, readCall(7, 8, processedRefund), readCall(9, 10, pendingRefund)],
        refundedRecords,
      ),
    /fits nowhere in the order/,
  ],
  [
    'a payment that does not show a processed refund',
    () =>
      findViolations(
        [...refunding, readCall(7, 8, processedRefund), readCall(9, 10, completedPayment)],
        refundedRecords,
      ),
    /fits nowhere in the order/,
  ],
  [
    'a refunded amount that is the sum of no refunds',
    () =>
      findViolations(
        [
          ...refunding,
          readCall(7, 8, { ...completedPayment, amountRefunded: 30, updatedAt: timestampAt(7) } as Snapshot),
        ],
        refundedRecords,
      ),
    /never existed/,
  ],
  [
    'refunds that exceed the payment',
    () => {
      const other = { ...pendingRefund, id: 'ref_2', amount: 70, reason: 'Refund 2' };
      const body = { paymentId: 'pay_1', amount: 70, reason: 'Refund 2' };
      return findViolations([...refunding, refundCall(7, 8, other, { body })], {
        ...paidRecords,
        refunds: [lifecycle(1, pendingRefund), lifecycle(2, other)],
      });
    },
    /other refunds reserved at least 40/,
  ],
  [
    'a refund of the rest that returns too little',
    () => {
      const body = { paymentId: 'pay_1', reason: 'Refund 1' };
      return findViolations([...paying, refundCall(5, 6, pendingRefund, { body })], refundedRecords);
    },
    /more was left to return/,
  ],
  [
    'a refund that is refused although enough is left',
    () =>
      findViolations([...paying, refundCall(5, 6, {}, errorResponse('refund_exceeds_payment'))], paidRecords),
    /refund_exceeds_payment, but there was no reason/,
  ],
  [
    'a completed payment that is refused as not refundable',
    () =>
      findViolations([...paying, refundCall(5, 6, {}, errorResponse('payment_not_refundable'))], paidRecords),
    /fits nowhere in the order/,
  ],
  [
    'a failed refund with a card that allows refunds',
    () => {
      const failed = {
        ...pendingRefund,
        status: 'failed',
        failureCode: 'refund_refused',
        updatedAt: timestampAt(7),
      };
      return findViolations(refunding, {
        ...paidRecords,
        refunds: [lifecycle(1, pendingRefund, failed)],
      });
    },
    /is failed, which the card 4242/,
  ],
  [
    'a refund of a payment that was never completed',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, declinedPayment, withCardNumber(decliningCardNumber)),
          refundCall(5, 6, pendingRefund),
        ],
        {
          payments: [lifecycle(1, { ...pendingPayment, ...decliningCard }, declinedPayment)],
          refunds: [lifecycle(1, pendingRefund)],
        },
      ),
    /never completed/,
  ],
  [
    'a compensation although the invoice was not cancelled',
    () =>
      findViolations(paying, {
        ...paidRecords,
        refunds: [lifecycle(1, compensationRefund)],
      }),
    /was not cancelled/,
  ],
  [
    'a compensation before the payment completed',
    () =>
      findViolations(
        [
          createCall,
          payCall(3, 4, delayedPayment, withCardNumber(delayedCardNumber)),
          cancelCall(5, 6),
          readCall(11, 12, compensationRefund),
          readCall(13, 14, delayedPayment),
        ],
        {
          invoices: [storedInvoice(pendingInvoice, cancelledInvoice)],
          payments: [lifecycle(1, delayedPayment, completedDelayedPayment)],
          refunds: [lifecycle(1, compensationRefund)],
        },
        clockPastDelay,
      ),
    /fits nowhere in the order/,
  ],
  [
    'rows after quiescence that do not add up to the records',
    () =>
      findViolations(
        [...paying, listCall(9, 10, 'list payments', [{ ...completedPayment, amount: 90 } as Snapshot])],
        paidRecords,
        { quiescentAt: [8] },
      ),
    /sum of amount is 90, but the records have 100/,
  ],
])('rejects: %s', (_, violations, expected) => {
  expect(violations().join('\n')).toMatch(expected);
});
