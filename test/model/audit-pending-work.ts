/**
 * Checks that no work on payments and refunds is left once the system is quiescent: no timer, no request without a
 * response, no event in the wrong order. `audit-balances.ts` checks the amounts. Pure.
 */

import { eventTextOf } from '../support/stored-bodies.ts';
import type { TestItem } from '../support/table.ts';
import { paymentAndRefundRecords } from './stored-lifecycles.ts';

/** @param owner `account#mode` */
export const pendingWorkViolations = (all: readonly TestItem[], owner: string): string[] => [
  ...leftWorkViolations(all, owner),
  ...eventOrderViolations(all, owner),
];

/** The work that is left, without the order of events. */
export function leftWorkViolations(all: readonly TestItem[], owner: string): string[] {
  const { payment, refund } = paymentAndRefundRecords(all, owner);
  // A refund at a provider is looked at again after it is processed.
  const unlessReviewed = ({ pk, paymentId, status }: TestItem) =>
    status === 'processed' && payment.some((each) => each.pk === paymentId && each.method === 'provider')
      ? []
      : [pk];
  const ids = new Set([...payment.map(({ pk }) => pk), ...refund.flatMap(unlessReviewed)]);
  return all.flatMap(({ pk, sk, reference, pendingOperation }) => {
    if (pk.startsWith('TIMER#') && ids.has(reference)) return [`the timer ${sk} is left`];
    return pk.startsWith(`IDEMPOTENCY#${owner}#`) && pendingOperation ? [`${pk} has no response`] : [];
  });
}

/** Checks that `payment.completed` comes before the `invoice.paid` of its invoice, unless all of the payment is over. */
function eventOrderViolations(all: readonly TestItem[], owner: string): string[] {
  const { payment: payments } = paymentAndRefundRecords(all, owner);
  const events = all.filter(({ pk }) => pk === `EVENTS#${owner}`).sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const announced = events
    .map((event) => JSON.parse(eventTextOf(event)))
    .map(({ type, data }) => `${type} ${data.id}`);
  return payments.flatMap(({ pk, invoiceId, status, amount, amountOver }) => {
    const completed = announced.indexOf(`payment.completed ${pk}`);
    const paid = announced.indexOf(`invoice.paid ${invoiceId}`);
    return status === 'completed' && amountOver !== amount && paid !== -1 && paid < completed
      ? [`invoice.paid of ${invoiceId} precedes payment.completed of ${pk}`]
      : [];
  });
}
