/** Says on which days sums count the money of a payment, so that an export of payments adds up to them. Pure. */
import { dayIn } from '../accounts/fiscal-year.ts';
import { isReceived } from '../journal/chart.ts';
import type { Payment } from '../payments/payment.ts';

/** The first and the last day of a range, `YYYY-MM-DD`, and its time zone. */
interface DaysInZone {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** What the sums of a range count of a payment. */
export interface CountedReceipt {
  /** The first day of the range on which it counts. */
  readonly countedOn: string;
  /** What the payment adds to the money received. */
  readonly amountCounted: number;
}

/** Whether the money of a payment has ever counted. */
export const hasCounted = (payment: Payment): boolean =>
  isReceived(payment) || (payment.voidedAt !== undefined && payment.method !== 'credit');

/**
 * Returns what the sums of a range count of a payment, as `journal/sums.ts` does: the amount on the day of receipt if it is known, otherwise
 * on the day on which the money was received. A void takes the amount back: on the day of receipt if it is known, otherwise on its own day.
 * @returns undefined if the payment does not count on a day of the range
 */
export function countIn({ from, to, timeZone }: DaysInZone, payment: Payment): CountedReceipt | undefined {
  if (!hasCounted(payment)) return undefined;
  const { amount, receivedOn, createdAt, receivedAt = createdAt, voidedAt } = payment;
  const dayOf = (at: number) => receivedOn ?? dayIn(timeZone, at);
  const counts = [
    { day: dayOf(receivedAt), value: amount },
    ...(voidedAt === undefined ? [] : [{ day: dayOf(voidedAt), value: -amount }]),
  ].filter(({ day }) => day >= from && day <= to);
  const [first] = counts;
  return first && { countedOn: first.day, amountCounted: counts.reduce((sum, { value }) => sum + value, 0) };
}
