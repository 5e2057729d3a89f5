/**
 * Handles the refund queue: executes refunds, and creates the refund of a payment that arrived after its invoice was
 * cancelled.
 *
 * A message can arrive twice and still has one effect: the refund's id is the provider's key, and a refund gets each outcome
 * once.
 */

import { toRealTime } from '../../base/clock.ts';
import { isRecordId } from '../../base/ids.ts';
import type { RealTime } from '../../base/time.ts';
import { clockOfRecord } from '../../store/account-clock.ts';
import { Command, requireNew } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { readRecord, readRecordOfAnyAccount } from '../../store/records.ts';
import { allocateSequenceNumber } from '../../store/sequence-numbers.ts';
import type { Timer, TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer, setTimer } from '../../store/timers/timers.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import { longestHostedPollMs, nextPollAt, outcomeWithinMs } from '../payments/next-poll-at.ts';
import { amountCreditedOf, type Payment } from '../payments/payment.ts';
import { compensationRefundTimer } from '../payments/payment-changes.ts';
import type { ProviderOutcome } from '../payments/provider/provider.ts';
import { requireProvider } from '../payments/provider/registry.ts';
import { paymentType } from '../payments/record.ts';
import {
  type BegunRefund,
  isHosted,
  refundAtHostedProvider,
  refundedAtProvider,
  reviewRefund,
  reviewTimer,
} from './hosted-refunds.ts';
import { refundType } from './record.ts';
import type { Refund } from './refund.ts';
import { absentRefund, identifyRefund } from './refund-store.ts';
import { createCompensatingRefund, endCompensation, processTimer, settleRefund } from './transitions.ts';

/** Handles a timer that refers to a refund to execute, or to a payment whose compensating refund is to be created. */
export async function processRefund(timer: TimerMessage, now: RealTime): Promise<void> {
  const run = isRecordId('payment', timer.reference) ? createCompensationRefund : executeRefund;
  const next = await run(timer, now);
  if (next) await setTimer(next, now);
  await completeTimer(timer);
}

/** Returns the next timer if the provider does not say how much of the payment somebody has returned there. */
async function createCompensationRefund(timer: TimerMessage, now: RealTime): Promise<Timer | undefined> {
  const { reference: paymentId } = timer;
  const payment = await readRecordOfAnyAccount(paymentType, paymentId);
  if (payment?.record?.pendingCompensation !== 'refund') return undefined;
  const { createdAt, updatedAt } = payment.record;
  const clock = await clockOfRecord(payment.owner, createdAt, now);
  const returned = await refundedAtProvider(payment.record);
  if (returned === undefined && clock.account <= updatedAt + outcomeWithinMs) {
    const next = nextPollAt(toRealTime(clock, createdAt), timer, now, longestHostedPollMs);
    return compensationRefundTimer(payment.record, next);
  }
  // Without an answer for so long, the refund begins. It fails if there is none again, and then the merchant decides.
  const refundedMinor = returned ?? 0;
  if (refundedMinor >= payment.record.amount - amountCreditedOf(payment.record)) {
    const ending = new Command<[Payment]>([payment], (present) => ({
      changes: [present && endCompensation(present, clock.account)],
      answer: undefined,
    }));
    await commitInBackground(ending, clock);
    return undefined;
  }
  const identity = identifyRefund(await allocateSequenceNumber(payment.owner, 'refund'));
  const command = new Command<[Refund, Payment]>(
    [absentRefund(identity), payment],
    (existing, presentPayment) => {
      requireNew(existing);
      if (!presentPayment) throw new Error(`The payment ${paymentId} does not exist.`);
      const changes = createCompensatingRefund(identity, presentPayment, refundedMinor, clock.account);
      return { changes, answer: undefined };
    },
  );
  await commitInBackground(command, clock);
  return undefined;
}

/**
 * Executes a pending refund at the provider, or looks at a processed one again. Returns the next timer if the outcome is not
 * known yet or can still change.
 */
async function executeRefund(timer: TimerMessage, now: RealTime): Promise<Timer | undefined> {
  const id = timer.reference;
  const loaded = await readRecordOfAnyAccount(refundType, id);
  const refund = loaded?.record;
  if (!refund || refund.status === 'failed') return undefined;
  const clock = await clockOfRecord(loaded.owner, refund.createdAt, now);
  const begun: BegunRefund = { ...refund, createdAt: toRealTime(clock, refund.createdAt) };
  const [payment, invoice] = await Promise.all([
    readRecord(paymentType, loaded.owner, refund.paymentId),
    readRecord(invoiceType, loaded.owner, refund.invoiceId),
  ]);
  if (!payment.record) throw missing(id);
  if (refund.status !== 'pending') {
    return isHosted(payment.record)
      ? reviewRefund([loaded, payment, invoice], begun, payment.record, timer, now)
      : undefined;
  }
  const outcome = await refundAtProvider(begun, payment.record, now);
  if (outcome.kind === 'unknown' || isTriedAgain(begun, outcome, now)) {
    const longestMs = isHosted(payment.record) ? longestHostedPollMs : undefined;
    return processTimer(refund, nextPollAt(begun.createdAt, timer, now, longestMs));
  }
  const command = new Command<[Refund, Payment, Invoice]>(
    [loaded, payment, invoice],
    (presentRefund, presentPayment, presentInvoice) => {
      if (!presentRefund || !presentPayment || !presentInvoice) throw missing(id);
      const changes = settleRefund(presentRefund, presentPayment, presentInvoice, outcome, clock.account);
      return { changes, answer: undefined };
    },
  );
  await commitInBackground(command, clock);
  return outcome.kind === 'done' && isHosted(payment.record) ? reviewTimer(begun, timer, now) : undefined;
}

/** How long a refund is tried again for which the merchant's account at the provider lacks balance. */
const triedForMs = 10 * 24 * 3_600_000;

/** Whether the provider refuses a refund for a reason that passes. */
const isTriedAgain = ({ createdAt }: BegunRefund, outcome: ProviderOutcome, now: RealTime): boolean =>
  outcome.kind === 'refused' && outcome.code === 'insufficient_balance' && now < createdAt + triedForMs;

/** Money that was received outside the service is returned outside it. The refund only records that. */
async function refundAtProvider(
  refund: BegunRefund,
  payment: Payment,
  now: RealTime,
): Promise<ProviderOutcome> {
  if (payment.method === 'offline') return { kind: 'done' };
  if (isHosted(payment)) return refundAtHostedProvider(refund, payment, now);
  const { id: key, amount: amountMinor } = refund;
  return requireProvider(payment.mode).refund({ key, captureKey: payment.id, amountMinor });
}

const missing = (refundId: string) =>
  new Error(`The refund ${refundId}, its payment or its invoice does not exist.`);
