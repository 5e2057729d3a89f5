/** Says on which days sums count the money of a payment or a refund, so that an export of them adds up to the sums. Pure. */
import { dayIn } from '../accounts/fiscal-year.ts';
import { isReceived } from '../journal/chart.ts';
import type { Payment } from '../payments/payment.ts';
import type { Refund } from '../refunds/refund.ts';

/** The first and the last day of a range, `YYYY-MM-DD`, and its time zone. */
interface DaysInZone {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** What the sums of a range count of a payment or a refund. */
export interface CountedMoney {
  /** The first day of the range on which it counts. */
  readonly countedOn: string;
  /** What a payment adds to the money received, and a refund to the money refunded. */
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
export function countIn(range: DaysInZone, payment: Payment): CountedMoney | undefined {
  if (!hasCounted(payment)) return undefined;
  const { amount, receivedOn, createdAt, receivedAt = createdAt, voidedAt } = payment;
  const dayOf = (at: number) => receivedOn ?? dayIn(range.timeZone, at);
  return countDays(range, amount, dayOf(receivedAt), voidedAt === undefined ? undefined : dayOf(voidedAt));
}

/**
 * Returns the same of a refund: the amount on the day on which it was processed. If the bank of the payer returned the money, the amount goes
 * back on the day of that.
 */
export function countRefundIn(range: DaysInZone, refund: Refund): CountedMoney | undefined {
  const { amount, processedAt, undoneAt } = refund;
  if (processedAt === undefined) return undefined;
  const dayOf = (at: number) => dayIn(range.timeZone, at);
  return countDays(range, amount, dayOf(processedAt), undoneAt === undefined ? undefined : dayOf(undoneAt));
}

/** @param backOn the day on which the amount goes back. Undefined: it does not */
function countDays(
  { from, to }: DaysInZone,
  amount: number,
  day: string,
  backOn: string | undefined,
): CountedMoney | undefined {
  const counts = [{ day, value: amount }, ...(backOn === undefined ? [] : [{ day: backOn, value: -amount }])];
  const [first, ...others] = counts.filter((each) => each.day >= from && each.day <= to);
  return (
    first && {
      countedOn: first.day,
      amountCounted: others.reduce((sum, { value }) => sum + value, first.value),
    }
  );
}
