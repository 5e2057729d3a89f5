/**
 * Asks the provider about the dispute of a payment. Notifications start this, and while a dispute is open, the worker asks
 * every day.
 */
import { logger } from '../../log.ts';
import { metricFields } from '../../metrics.ts';
import { Command } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { readRecordOfAnyAccount } from '../../store/records.ts';
import type { Timer, TimerMessage } from '../../store/timers/timer-item.ts';
import type { Instant } from '../../time.ts';
import { askProvider } from '../connections/ask-provider.ts';
import { applyDispute } from '../disputes.ts';
import { nextPollAt } from '../next-poll-at.ts';
import type { Payment } from '../payment.ts';
import { providerWaitMs } from '../provider/answer-within.ts';
import type { ReceivedPayment } from '../provider/hosted-provider.ts';
import { paymentType } from '../record.ts';
import { checkoutTimer } from './transitions.ts';

const longestMs = 24 * 3_600_000;

/** Handles the timer of a payment. Returns the next timer if a dispute is open, or if the provider does not answer. */
export async function pollDispute(timer: TimerMessage, now: Instant): Promise<Timer | undefined> {
  const loaded = await readRecordOfAnyAccount(paymentType, timer.reference);
  const payment = loaded?.record;
  if (!payment) return undefined;
  const answer = await receivedPayment(payment);
  if (answer) {
    const command = new Command<[Payment], Payment | undefined>([loaded], (present) => {
      const change = present && applyDispute(present, answer.value?.dispute, now);
      return { changes: [change], answer: change?.record ?? present };
    });
    const present = await commitInBackground(command, now);
    if (present) reportNewDispute(payment, present);
    if (present?.dispute?.status !== 'open') return undefined;
  }
  return checkoutTimer(payment, nextPollAt(payment.createdAt, timer, now, longestMs));
}

/** Reports a dispute that the payment did not have before. The merchant must answer it at the provider, within days. */
function reportNewDispute(before: Payment, { id, account, mode, provider, dispute }: Payment): void {
  if (dispute?.status !== 'open' || dispute.reference === before.dispute?.reference) return;
  const { reason, amount } = dispute;
  const details = { account, mode, payment: id, provider, reason, amount };
  logger.warn('a payer has disputed a payment', { ...details, ...metricFields({ NewDisputes: 1 }) });
}

/** Returns undefined if the provider does not answer. */
async function receivedPayment(
  payment: Payment,
): Promise<{ readonly value: ReceivedPayment | undefined } | undefined> {
  const { id, provider, providerReference: reference } = payment;
  if (!provider || !reference) return { value: undefined };
  const question = { owner: payment, provider, waitMs: providerWaitMs.worker, about: { payment: id } };
  return askProvider(question, (opened) => opened.payment(reference));
}
