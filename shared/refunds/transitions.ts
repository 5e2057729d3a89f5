/** Which state of a refund may follow which, what becomes of its payment, and what is announced. Pure. */
import { eventOf } from '../events/event.ts';
import type { Owner } from '../ids.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { noteRefund } from '../invoices/transitions.ts';
import type { Payment } from '../payments/payment.ts';
import type { Outcome } from '../payments/provider.ts';
import { assignOwedRefund, refundable, reserveRefund, settleRefundOf } from '../payments/transitions.ts';
import type { Timer } from '../store/timers.ts';
import type { Change } from '../store/transition.ts';
import type { Instant } from '../time.ts';
import { type Refund, showRefund } from './refund.ts';

/** A new refund's own number and id. */
export interface RefundPlace extends Owner {
  readonly id: string;
  readonly seq: number;
}

type RefundAndPayment = readonly [Change<Refund> | undefined, Change<Payment> | undefined];

const owedReason = 'The invoice was cancelled while the payment was in progress.';

/**
 * A new refund is `pending`; its amount is kept from the payment, and the worker is told.
 * @param amount all that is left of the payment if undefined
 * @throws ApiError `payment_not_refundable`, `refund_exceeds_payment`
 */
export function createRefund(
  place: RefundPlace,
  payment: Payment,
  { amount = refundable(payment), reason }: { amount: number | undefined; reason: string | null },
  now: Instant,
): readonly [Change<Refund>, Change<Payment>] {
  const reserved = reserveRefund(payment, amount);
  return [begin(newRefund(place, payment, amount, reason, now), now), reserved];
}

/** The refund of a payment that came for nothing, whose whole amount is kept already; undefined once it is made. */
export function createOwedRefund(place: RefundPlace, payment: Payment, now: Instant): RefundAndPayment {
  const assigned = assignOwedRefund(payment);
  if (!assigned) return [undefined, undefined];
  return [begin(newRefund(place, payment, payment.amount, owedReason, now), now), assigned];
}

/**
 * What the provider's answer makes of refund, payment and invoice. `done`: processed, announces `refund.processed`; `refused`:
 * failed, and its amount is free again, announces `refund.failed`. A refund that is final stays so.
 */
export function settleRefund(
  refund: Refund,
  payment: Payment,
  invoice: Invoice,
  outcome: Outcome,
  now: Instant,
): readonly [...RefundAndPayment, Change<Invoice> | undefined] {
  if (refund.status !== 'pending' || outcome.kind === 'unknown') return [undefined, undefined, undefined];
  const processed = outcome.kind === 'done';
  const next: Refund = {
    ...refund,
    version: refund.version + 1,
    objectVersion: refund.objectVersion + 1,
    updatedAt: Math.max(now, refund.updatedAt + 1),
    status: processed ? 'processed' : 'failed',
    failureCode: processed ? null : outcome.code,
  };
  const event = eventOf(
    processed ? 'refund.processed' : 'refund.failed',
    next,
    next.updatedAt,
    showRefund(next),
  );
  const change = { record: next, element: elementOf(next), events: [event], timers: [] };
  const { amount: amountMinor } = refund;
  return [
    change,
    settleRefundOf(payment, { amountMinor, processed }, now),
    processed ? noteRefund(invoice, amountMinor) : undefined,
  ];
}

/** The timer by which the worker takes a refund up, at `due`. */
export const processAt = ({ id }: Refund, due: Instant): Timer => ({ due, kind: 'refund', reference: id });

function begin(refund: Refund, now: Instant): Change<Refund> {
  return { record: refund, element: elementOf(refund), events: [], timers: [processAt(refund, now)] };
}

function newRefund(
  place: RefundPlace,
  { id, invoiceId, currency }: Payment,
  amount: number,
  reason: string | null,
  now: Instant,
): Refund {
  return {
    ...place,
    version: 1,
    objectVersion: 1,
    dimensions: [`#payment#${id}`, `#invoice#${invoiceId}`],
    paymentId: id,
    invoiceId,
    amount,
    currency,
    status: 'pending',
    reason,
    failureCode: null,
    createdAt: now,
    updatedAt: now,
  };
}

function elementOf({ seq, dimensions, status }: Refund) {
  return { resource: 'refund', seq, dimensions, status } as const;
}
