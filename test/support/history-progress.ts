/**
 * What invoices, payments and refunds owe each other in time: which of their states came about together, and that
 * while a payment is in progress there is no other, and its invoice is not updated.
 */
import type { Life, PaymentLife, RefundLife } from './history-lives.ts';
import { afterOf, beforeOf, type Link, type Moments, type Place, together } from './history-order.ts';
import { isOwed } from './history-payments.ts';

/** All that belongs to one invoice. */
export interface Family {
  readonly invoice: Life;
  readonly payments: readonly PaymentLife[];
  /** By payment; those that were processed come first, in the order in which they were. */
  readonly refunds: ReadonlyMap<string, readonly RefundLife[]>;
  /** Refunds of which it is known as the how manieth of their payment they were processed. */
  readonly placed: ReadonlySet<RefundLife>;
}

type MomentsOf = (life: Life) => Moments;

/** Which version has that status first; one that never came if there is none. */
export function placeOf(life: Life, status: string, momentsOf: MomentsOf): Place {
  const index = life.states.findIndex(({ shown }) => shown.status === status);
  return { moments: momentsOf(life), version: index === -1 ? life.states.length + 1 : index + 1 };
}

/** Where the payment was no longer in progress. */
export const settledPlace = (payment: PaymentLife, momentsOf: MomentsOf): Place => {
  const index = payment.states.findIndex(({ shown }) => shown.status !== 'pending');
  return { moments: momentsOf(payment), version: index === -1 ? payment.states.length + 1 : index + 1 };
};

const beginOf = (life: Life, momentsOf: MomentsOf): Place => ({ moments: momentsOf(life), version: 1 });

/** What came about in one transaction, and what can only follow upon something else. */
export function linksOf({ invoice, payments, refunds, placed }: Family, momentsOf: MomentsOf): Link[] {
  return payments.flatMap((payment) => {
    const links: Link[] = [{ first: beginOf(invoice, momentsOf), next: beginOf(payment, momentsOf) }];
    const own = refunds.get(payment.id) ?? [];
    const completed = placeOf(payment, 'completed', momentsOf);
    if (completed.version <= payment.states.length) {
      const paid = placeOf(invoice, 'paid', momentsOf);
      const cancelled = placeOf(invoice, 'cancelled', momentsOf);
      if (paid.version <= invoice.states.length) links.push(...together(completed, paid));
      else if (cancelled.version <= invoice.states.length) links.push({ first: cancelled, next: completed });
      links.push(...own.map((refund) => ({ first: completed, next: beginOf(refund, momentsOf) })));
    }
    const processed = own.filter(({ states }) => states[1]?.shown.status === 'processed');
    processed.forEach((refund, index) => {
      if (!placed.has(refund)) return;
      const version = completed.version + index + 1;
      links.push(
        ...together({ moments: momentsOf(payment), version }, placeOf(refund, 'processed', momentsOf)),
      );
    });
    return links;
  });
}

/** What is wrong with payments next to their invoice and to each other. */
export function progressFaults({ invoice, payments, refunds }: Family, momentsOf: MomentsOf): string[] {
  const faults: string[] = [];
  const interval = (payment: PaymentLife) => ({
    begin: beginOf(payment, momentsOf),
    end: settledPlace(payment, momentsOf),
  });
  payments.forEach((payment, index) => {
    const own = interval(payment);
    if (!hasPlace(invoice, payment, own, momentsOf)) {
      faults.push(
        `${payment.id} (${payment.name}) over ${amountOf(payment)}: at no time did the invoice cost that, unchanged from its beginning to its end`,
      );
    }
    for (const other of payments.slice(index + 1)) {
      const { begin, end } = interval(other);
      if (afterOf(own.end) < beforeOf(begin) || afterOf(end) < beforeOf(own.begin)) continue;
      faults.push(`${payment.id} and ${other.id} were in progress at once, for ${invoice.id}`);
    }
    faults.push(...refundFaults(payment, refunds.get(payment.id) ?? [], invoice));
  });
  return faults;
}

/** Whether some version of the invoice had the amount, was payable, and could stay until the payment had an outcome. */
function hasPlace(
  invoice: Life,
  payment: PaymentLife,
  { begin, end }: { begin: Place; end: Place },
  momentsOf: MomentsOf,
): boolean {
  const moments = momentsOf(invoice);
  return invoice.states.some(({ shown }, index) => {
    if (shown.amount !== amountOf(payment)) return false;
    // Paid at its very beginning, the payment came about together with the version after this one.
    if (shown.status !== 'pending' && shown.status !== 'overdue') return false;
    const here = { moments, version: index + 1 };
    const next = { moments, version: index + 2 };
    const from = Math.max(afterOf(here), afterOf(begin));
    if (from >= Math.min(beforeOf(next), beforeOf(begin))) return false;
    const isUpdate = invoice.states[index + 1]?.type === 'invoice.updated';
    return !isUpdate || afterOf(end) < beforeOf(next);
  });
}

function refundFaults(payment: PaymentLife, refunds: readonly RefundLife[], invoice: Life): string[] {
  const faults: string[] = [];
  const isCancelled = invoice.states.some(({ shown }) => shown.status === 'cancelled');
  const owed = refunds.filter(isOwed);
  if (owed.length > 1) faults.push(`${payment.id}: ${owed.length} refunds were owed`);
  for (const refund of owed) {
    if (!isCancelled) faults.push(`${refund.id} was owed, and ${invoice.id} was not cancelled`);
    if (amountOf(refund) !== amountOf(payment))
      faults.push(`${refund.id} was owed, and is not the whole amount`);
  }
  const isCompleted = payment.states.some(({ shown }) => shown.status === 'completed');
  if (refunds.length > 0 && !isCompleted) faults.push(`${payment.id} has refunds and was never completed`);
  return faults;
}

const amountOf = ({ states }: Life) => states[0]?.shown.amount ?? 0;
