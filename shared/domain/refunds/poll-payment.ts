/**
 * Asks the provider about a payment that it received: about its fees, its dispute, and refunds that somebody made in the
 * provider's own dashboard. Notifications start this, and a timer if the fees are not known. While a dispute is open or such a
 * refund is pending, the worker asks every day. Without fees after a week, the payment has none.
 */

import { realClock, toRealTime } from '../../base/clock.ts';
import { logger } from '../../base/log.ts';
import { metricFields } from '../../base/metrics.ts';
import type { Instant } from '../../base/time.ts';
import { Command } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { readRecordOfAnyAccount } from '../../store/records.ts';
import type { Timer, TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer, setTimer } from '../../store/timers/timers.ts';
import { checkoutTimer } from '../payments/checkouts/transitions.ts';
import { applyReport } from '../payments/disputes.ts';
import { nextPollAt } from '../payments/next-poll-at.ts';
import type { Payment } from '../payments/payment.ts';
import { isUndecided } from '../payments/provider/hosted-provider.ts';
import { paymentType } from '../payments/record.ts';
import { askAboutPayment, isHosted } from './hosted-refunds.ts';
import { recordRefundsOfProvider } from './provider-refunds.ts';

const longestMs = 24 * 3_600_000;

/** How long after a payment the worker asks for its fees. Providers know them within minutes. */
const feesWithinMs = 7 * 24 * 3_600_000;

/**
 * How long after a payment the worker asks a provider that does not answer, for example because its connection was deleted. Most
 * banks accept disputes for about 120 days, and a decision takes weeks. The reconciliation finds later refunds.
 */
const unansweredForMs = 180 * 24 * 3_600_000;

/** Handles the timer of a payment. Sets the next timer if the provider must be asked again. */
export async function pollHostedPayment(timer: TimerMessage, now: Instant): Promise<void> {
  const next = await pollOnce(timer, now);
  if (next) await setTimer(next, now);
  await completeTimer(timer);
}

async function pollOnce(timer: TimerMessage, now: Instant): Promise<Timer | undefined> {
  const loaded = await readRecordOfAnyAccount(paymentType, timer.reference);
  const payment = loaded?.record;
  if (!payment || !isHosted(payment)) return undefined;
  const { providerReference: reference } = payment;
  // A payment at a provider has the real time.
  const createdAt = toRealTime(realClock(now), payment.createdAt);
  const answer = await askAboutPayment(payment, (provider) => provider.payment(reference));
  let isUnsettled = answer === undefined && now < createdAt + unansweredForMs;
  if (answer) {
    const command = new Command<[Payment], Payment | undefined>([loaded], (present) => {
      const change = present && answer.value && applyReport(present, answer.value, now);
      return { changes: [change], answer: change?.record ?? present };
    });
    const present = await commitInBackground(command, realClock(now));
    if (present) reportNewDispute(payment, present);
    const awaitsFees = answer.value?.fees === undefined && now < createdAt + feesWithinMs;
    isUnsettled = isUndecided(present?.dispute?.status) || (awaitsFees && present?.fees === undefined);
    // A refund that somebody made at the provider cannot be told from a pending one by its amount.
    isUnsettled ||= (present?.amountReserved ?? 0) > 0;
    if (present && hasOtherRefunds(present, answer.value?.refundedMinor ?? 0)) {
      const refunds = await askAboutPayment(payment, (provider) => provider.refunds(reference));
      const areAllFinal = refunds && (await recordRefundsOfProvider(payment, refunds.value, now));
      isUnsettled ||= !areAllFinal;
    }
  }
  return isUnsettled ? checkoutTimer(payment, nextPollAt(createdAt, timer, now, longestMs)) : undefined;
}

/**
 * Whether the provider has returned another amount than this service knows. A pending refund of this service may not have
 * reached the provider yet.
 */
const hasOtherRefunds = ({ amountRefunded, amountReserved }: Payment, refundedMinor: number): boolean =>
  refundedMinor < amountRefunded || refundedMinor > amountRefunded + amountReserved;

/** Reports a dispute that the payment did not have before. The merchant must answer it at the provider, within days. */
function reportNewDispute(before: Payment, { id, account, mode, provider, dispute }: Payment): void {
  if (!dispute || !isUndecided(dispute.status) || dispute.reference === before.dispute?.reference) return;
  const { reason, amount } = dispute;
  const details = { account, mode, payment: id, provider, reason, amount };
  logger.warn('a payer has disputed a payment', { ...details, ...metricFields({ NewDisputes: 1 }) });
}
