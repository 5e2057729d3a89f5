/**
 * Executes refunds at hosted providers, and looks at them again later: the bank of a payer can return the money of a refund
 * that was processed days before.
 */

import { realClock } from '../../base/clock.ts';
import type { Instant, RealTime } from '../../base/time.ts';
import { Command } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { Timer, TimerMessage } from '../../store/timers/timer-item.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { askProvider } from '../payments/connections/ask-provider.ts';
import { longestHostedPollMs, nextPollAt, outcomeWithinMs } from '../payments/next-poll-at.ts';
import type { Payment } from '../payments/payment.ts';
import { providerWaitMs } from '../payments/provider/answer-within.ts';
import type {
  HostedProvider,
  HostedProviderName,
  ProviderRefundRequest,
} from '../payments/provider/hosted-provider.ts';
import type { ProviderOutcome } from '../payments/provider/provider.ts';
import type { Refund } from './refund.ts';
import { failProcessedRefund, processTimer } from './transitions.ts';

export type HostedPayment = Payment & {
  readonly provider: HostedProviderName;
  readonly providerReference: string;
};

/** A refund with the real time of its creation. The schedule of its polls has the real time. */
export type BegunRefund = Omit<Refund, 'createdAt'> & { readonly createdAt: RealTime };

/** Whether a hosted provider received the money of the payment. */
export const isHosted = (payment: Payment): payment is HostedPayment =>
  payment.provider !== undefined && payment.providerReference !== undefined;

const unknown: ProviderOutcome = { kind: 'unknown' };
const unconfirmed: ProviderOutcome = { kind: 'refused', code: 'refund_unconfirmed' };

/**
 * Returns money through the provider that received it. The refund's id is the provider's key, so each repetition is about
 * the same refund. If the provider does not answer, the outcome is unknown, and the worker asks again. If nobody can ask it for
 * 30 days, because the connection is deleted or its key is revoked, the refund is refused, so its amount can be returned in another way.
 */
export async function refundAtHostedProvider(
  refund: BegunRefund,
  payment: HostedPayment,
  now: Instant,
): Promise<ProviderOutcome> {
  const withoutAccess = now > refund.createdAt + outcomeWithinMs ? unconfirmed : undefined;
  const outcome = await ask(refund, payment, (provider, request) => provider.refund(request), withoutAccess);
  return outcome ?? unknown;
}

/** When the worker looks at a processed refund again, in milliseconds after its creation. Notifications are faster. */
const reviewsMs = [1, 7, 30].map((days) => days * 24 * 3_600_000);

/** The timer of the next review of a processed refund. Undefined if no review is left. */
export function reviewTimer(
  refund: BegunRefund,
  timer: { readonly due: Instant },
  now: Instant,
): Timer | undefined {
  const after = Math.max(now, timer.due);
  const due = reviewsMs.map((ms) => refund.createdAt + ms).find((at) => at > after);
  return due === undefined ? undefined : processTimer(refund, due);
}

/**
 * Asks the provider about a processed refund, and fails the refund if the money came back. The provider only says what it
 * has: this never makes a refund.
 * @returns the next timer, or undefined if no review is left
 */
export async function reviewRefund(
  [loaded, payment, invoice]: readonly [LoadedRecord<Refund>, LoadedRecord<Payment>, LoadedRecord<Invoice>],
  refund: BegunRefund,
  paidBy: HostedPayment,
  timer: TimerMessage,
  now: Instant,
): Promise<Timer | undefined> {
  const outcome = await ask(refund, paidBy, (provider, request) => provider.refundStatus(request));
  if (!outcome) {
    if (now > refund.createdAt + (reviewsMs.at(-1) ?? 0) + outcomeWithinMs) return undefined;
    return processTimer(refund, nextPollAt(refund.createdAt, timer, now, longestHostedPollMs));
  }
  if (outcome.kind !== 'refused') return reviewTimer(refund, timer, now);
  const { code } = outcome;
  const command = new Command<[Refund, Payment, Invoice]>(
    [loaded, payment, invoice],
    (present, presentPayment, presentInvoice) => ({
      changes:
        present && presentPayment && presentInvoice
          ? failProcessedRefund(present, presentPayment, presentInvoice, code, now)
          : [undefined, undefined, undefined],
      answer: undefined,
    }),
  );
  await commitInBackground(command, realClock(now));
  return undefined;
}

/**
 * Asks the provider how much of a payment it has returned, also in refunds that are pending there.
 * @returns in the smallest currency unit. 0 if the payment has no hosted provider, and undefined if the provider does not answer
 */
export async function refundedAtProvider(payment: Payment): Promise<number | undefined> {
  if (!isHosted(payment)) return 0;
  const answer = await askAboutPayment(payment, (provider) => provider.payment(payment.providerReference));
  return answer && (answer.value?.refundedMinor ?? 0);
}

/**
 * Asks the provider of a payment about it.
 * @returns undefined if the provider does not answer
 */
export function askAboutPayment<T>(
  payment: HostedPayment,
  call: (provider: HostedProvider) => Promise<T>,
): Promise<{ readonly value: T } | undefined> {
  const { id, provider } = payment;
  const question = { owner: payment, provider, waitMs: providerWaitMs.worker, about: { payment: id } };
  return askProvider(question, call);
}

/** Returns undefined if the provider does not answer. */
async function ask<T>(
  { id: key, amount: amountMinor, currency }: BegunRefund,
  payment: HostedPayment,
  call: (provider: HostedProvider, request: ProviderRefundRequest) => Promise<T>,
  withoutAccess?: T,
): Promise<T | undefined> {
  const question = {
    owner: payment,
    provider: payment.provider,
    waitMs: providerWaitMs.worker,
    about: { refund: key },
  };
  const request = { key, paymentReference: payment.providerReference, amountMinor, currency };
  return (await askProvider(question, (provider) => call(provider, request), withoutAccess))?.value;
}
