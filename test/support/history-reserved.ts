/** How much of a payment was kept for refunds when another one was asked for: at least, and at most. */
import type { Life, PaymentLife, RefundLife } from './history-lives.ts';
import type { Operation } from './history-operations.ts';
import { afterOf, beforeOf, type Moments } from './history-order.ts';
import { isOwed } from './history-payments.ts';
import { placeOf } from './history-progress.ts';

type MomentsOf = (life: Life) => Moments;

export interface Reserved {
  readonly least: number;
  readonly most: number;
}

/** What refunds held of the payment between two places; what is processed is held for good. */
export function reservedBetween(
  payment: PaymentLife,
  refunds: readonly RefundLife[],
  momentsOf: MomentsOf,
  { from, to }: { from: number; to: number },
): Reserved {
  let least = 0;
  let most = 0;
  for (const refund of refunds) {
    const amount = refund.states[0]?.shown.amount ?? 0;
    // The whole amount of one that is owed is kept from the moment of the payment's completion.
    const begin = isOwed(refund)
      ? placeOf(payment, 'completed', momentsOf)
      : { moments: momentsOf(refund), version: 1 };
    const failed = placeOf(refund, 'failed', momentsOf);
    if (afterOf(begin) < to && beforeOf(failed) > from) most += amount;
    if (beforeOf(begin) <= from && afterOf(failed) >= to) least += amount;
  }
  return { least, most };
}

/** A refund never exceeds what is left beside the others; without an amount it is exactly that. */
export function amountFaults(
  payment: PaymentLife,
  refunds: readonly RefundLife[],
  makers: ReadonlyMap<string, Operation>,
  momentsOf: MomentsOf,
): string[] {
  const whole = payment.states[0]?.shown.amount ?? 0;
  return refunds.flatMap((refund) => {
    if (isOwed(refund)) return [];
    const begin = { moments: momentsOf(refund), version: 1 };
    const others = refunds.filter((other) => other !== refund);
    const window = { from: afterOf(begin), to: beforeOf(begin) };
    const { least, most } = reservedBetween(payment, others, momentsOf, window);
    const amount = refund.states[0]?.shown.amount ?? 0;
    const fault = (text: string) => [`${refund.id} (${refund.name}) over ${amount} of ${whole}: ${text}`];
    if (amount + least > whole) return fault(`others held ${least} for certain`);
    const isRest = makers.get(refund.id)?.first.body?.amount === undefined;
    return isRest && amount < whole - most ? fault(`others held ${most} at most, so it is not all`) : [];
  });
}
