/** Decides how a dispute and the fees that a provider reports change a payment. Pure. */

import type { Instant } from '../../base/time.ts';
import type { Change } from '../../store/commit/command.ts';
import type { Payment, PaymentDispute } from './payment.ts';
import { feesOf, nextPaymentVersion, paymentChange } from './payment-changes.ts';
import type { Dispute, ReceivedPayment } from './provider/hosted-provider.ts';

/**
 * Applies what the provider reports about a payment after it has been completed: the dispute, and the fees if they were not known.
 * Emits `payment.disputed` or, for fees alone, `payment.updated`. Returns undefined if nothing changed.
 */
export function applyReport(
  payment: Payment,
  { dispute, fees: reported }: Pick<ReceivedPayment, 'dispute' | 'fees'>,
  now: Instant,
): Change<Payment> | undefined {
  const fees = payment.fees === undefined ? feesOf(reported) : undefined;
  const present = fees ? { ...payment, fees } : payment;
  const disputed = applyDispute(present, dispute, now);
  if (disputed || !fees) return disputed;
  return paymentChange(nextPaymentVersion(present, now), { event: 'payment.updated', sameStatus: true });
}

/**
 * Applies the dispute that the provider reports. Emits `payment.disputed` if it is new, or if its status or amount changed.
 * Returns undefined if nothing changed. The money of the payment counts as before: the provider takes it back by itself.
 */
export function applyDispute(
  payment: Payment,
  reported: Dispute | undefined,
  now: Instant,
): Change<Payment> | undefined {
  if (!reported) return undefined;
  const { reference, status, reason, amountMinor: amount, isRefundable, respondBy } = reported;
  const { dispute: before } = payment;
  const isSame = before?.reference === reference;
  const isShownAlike = isSame && before.status === status && before.amount === amount;
  if (isShownAlike && before.isRefundable === isRefundable && before.respondBy === respondBy)
    return undefined;
  const openedAt = isSame ? before.openedAt : now;
  const dispute: PaymentDispute = {
    ...{ reference, status, reason, amount, openedAt, isRefundable },
    ...(respondBy !== undefined && { respondBy }),
  };
  const next = { ...nextPaymentVersion(payment, now), dispute };
  return paymentChange(next, { event: 'payment.disputed', sameStatus: true });
}
