/** Checks that refunds never exceed their payment, at any moment. */
import { type EffectBounds, lowerBoundOf, upperBoundOf } from './linearization.ts';
import type { Operation } from './operations.ts';
import { isCompensation } from './payment-causes.ts';
import { firstVersionWithStatus } from './payment-rules.ts';
import { amountOf, type PaymentTimeline, type RefundTimeline, type Timeline } from './timelines.ts';

type BoundsOf = (timeline: Timeline) => EffectBounds;

/** The amount that refunds reserved, in the smallest currency unit: at least `min`, at most `max`. */
export interface ReservedAmount {
  readonly min: number;
  readonly max: number;
}

/**
 * Returns how much of the payment these refunds reserved between two positions. A refund reserves its amount from its
 * creation until it fails. A processed refund reserves it forever.
 */
export function reservedDuring(
  payment: PaymentTimeline,
  refunds: readonly RefundTimeline[],
  boundsOf: BoundsOf,
  { from, to }: { from: number; to: number },
): ReservedAmount {
  let min = 0;
  let max = 0;
  for (const refund of refunds) {
    const amount = amountOf(refund);
    // A compensation reserves the whole amount from the moment at which the payment completes.
    const begin = isCompensation(refund)
      ? firstVersionWithStatus(payment, 'completed', boundsOf)
      : { bounds: boundsOf(refund), version: 1 };
    const failed = firstVersionWithStatus(refund, 'failed', boundsOf);
    if (lowerBoundOf(begin) < to && upperBoundOf(failed) > from) max += amount;
    if (upperBoundOf(begin) <= from && lowerBoundOf(failed) >= to) min += amount;
  }
  return { min, max };
}

/**
 * Checks that each refund fits into what the other refunds left of the payment. A refund that was requested without an
 * amount must be exactly the rest.
 *
 * @param creators the operation that created each refund, by refund id
 */
export function refundAmountViolations(
  payment: PaymentTimeline,
  refunds: readonly RefundTimeline[],
  creators: ReadonlyMap<string, Operation>,
  boundsOf: BoundsOf,
): string[] {
  const total = amountOf(payment);
  return refunds.flatMap((refund) => {
    if (isCompensation(refund)) return [];
    const begin = { bounds: boundsOf(refund), version: 1 };
    const others = refunds.filter((other) => other !== refund);
    const window = { from: lowerBoundOf(begin), to: upperBoundOf(begin) };
    const { min, max } = reservedDuring(payment, others, boundsOf, window);
    const amount = amountOf(refund);
    const violation = (text: string) => [
      `${refund.id} (${refund.label}) returns ${amount} of ${total}, but ${text}`,
    ];
    if (amount + min > total) return violation(`other refunds reserved at least ${min}`);
    const isForRest = creators.get(refund.id)?.first.body?.amount === undefined;
    return isForRest && amount < total - max
      ? violation(`other refunds reserved at most ${max}, so more was left to return`)
      : [];
  });
}
