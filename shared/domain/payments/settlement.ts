/**
 * Gives a payment its outcome: from the provider's answer to the capture, or by polling the provider later.
 *
 * - The pending payment is stored before the provider is called, and its id is the provider's key. After a crash, a
 *   repeated request and the timer therefore ask about the same operation.
 * - Only an answer of the provider makes a payment final.
 * - The transaction that writes the outcome also answers the request that waits for it.
 */

import { type Clock, toRealTime } from '../../base/clock.ts';
import type { Owner } from '../../base/ids.ts';
import { logger, serializeError } from '../../base/log.ts';
import type { RealTime } from '../../base/time.ts';
import { clockOfRecord } from '../../store/account-clock.ts';
import { Command, type Committed, type PresentRecords } from '../../store/commit/command.ts';
import { commit, commitInBackground, replay } from '../../store/commit/commit.ts';
import { type RequestKey, readIdempotency } from '../../store/commit/idempotency-records.ts';
import { type LoadedRecord, readRecord, readRecordOfAnyAccount } from '../../store/records.ts';
import type { TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer, setTimer } from '../../store/timers/timers.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import { applyDispute } from './disputes.ts';
import { nextPollAt } from './next-poll-at.ts';
import { type Payment, type ShownPayment, showPayment } from './payment.ts';
import type { Card } from './provider/card.ts';
import type { PaymentProvider, ProviderOutcome } from './provider/provider.ts';
import { requireProvider } from './provider/registry.ts';
import { paymentType } from './record.ts';
import { disputeOfTestCard } from './test-dispute.ts';
import { abandonedAfterMs, completeCompensation, pollTimer, settlePayment } from './transitions.ts';

interface Capture {
  readonly owner: Owner;
  /** The payment's id. */
  readonly id: string;
  /** Payment and invoice as the pending operation left them; undefined for a repetition of the request. */
  readonly records: PresentRecords<[Payment, Invoice]> | undefined;
  readonly card: Card;
  readonly provider: PaymentProvider;
  readonly key: RequestKey | undefined;
  readonly clock: Clock;
}

/**
 * Captures under the payment's id and writes the outcome.
 * @returns the payment, or the stored answer if another process has answered the request before
 * @throws Error if the payment or its invoice does not exist
 */
export async function captureAndSettle(capture: Capture): Promise<Committed<ShownPayment>> {
  const { owner, id, card, provider, key, clock } = capture;
  const [payment, invoice] = capture.records ?? (await readBoth(owner, id));
  if (!payment || !invoice) throw missing(id);
  const outcome =
    payment.status === 'pending'
      ? await captureAtProvider(provider, payment, card)
      : ({ kind: 'unknown' } as const);
  const { completed, answer } = await settle(payment, invoice, outcome, clock);
  if (completed || !key) return { answer };
  const stored = await readIdempotency(owner, key.keyHash, clock.real);
  return stored?.final ? replay<[], ShownPayment>(stored, key) : { answer };
}

/** Handles a payment's timer: completes what is pending, or sets the next timer if the provider does not know yet. */
export async function pollPayment(timer: TimerMessage, now: RealTime): Promise<void> {
  const payment = (await readRecordOfAnyAccount(paymentType, timer.reference))?.record;
  if (payment) {
    const clock = await clockOfRecord(payment, payment.createdAt, now);
    const isComplete = await completePending(payment, clock);
    // Both times of the schedule are real. So all polls of a payment follow the same one.
    const createdAt = toRealTime(clock, payment.createdAt);
    if (!isComplete) await setTimer(pollTimer(payment, nextPollAt(createdAt, timer, now)), now);
  }
  await completeTimer(timer);
}

/** Completes what is pending of a payment. Returns false if the provider does not know the outcome yet. */
async function completePending(payment: Payment, clock: Clock): Promise<boolean> {
  if (payment.pendingCompensation === 'reversal') return compensate(payment, clock);
  if (payment.status === 'pending') return pollOutcome(payment, clock);
  await applyTestDispute(payment, clock);
  return true;
}

/** Applies the dispute that a test card causes. A payment of another card has none, so nothing is written. */
async function applyTestDispute(payment: Payment, clock: Clock): Promise<void> {
  if (payment.dispute || !disputeOfTestCard(payment)) return;
  const command = new Command([toLoadedRecord(payment)], (present) => ({
    changes: [present && applyDispute(present, disputeOfTestCard(present), clock.account)],
    answer: undefined,
  }));
  await commitInBackground(command, clock);
}

/** Asks the provider for the outcome of a pending payment. Returns whether the payment has one now. */
async function pollOutcome(payment: Payment, clock: Clock): Promise<boolean> {
  const provider = requireProvider(payment.mode);
  const ageMs = clock.account - payment.createdAt;
  let outcome = await provider.status(payment.id);
  // No process sends the capture any more, but it could still be on its way: void it.
  if (outcome.kind === 'absent' && ageMs >= abandonedAfterMs) outcome = await provider.void(payment.id);
  if (outcome.kind === 'absent' || outcome.kind === 'unknown') return false;
  const [, invoice] = await readBoth(payment, payment.id);
  if (!invoice) throw missing(payment.id);
  await settle(payment, invoice, outcome, clock);
  return true;
}

/** Returns money that the provider captured although the payment had failed. Returns whether that is done. */
async function compensate(payment: Payment, clock: Clock): Promise<boolean> {
  const { id, amount: amountMinor } = payment;
  const outcome = await requireProvider(payment.mode).refund({
    key: `${id}:reversal`,
    captureKey: id,
    amountMinor,
  });
  if (outcome.kind === 'unknown') return false;
  if (outcome.kind !== 'done')
    throw new Error(`The provider refused to reverse ${id}. The timer tries again.`);
  const command = new Command([toLoadedRecord(payment)], (record) => ({
    changes: [record && completeCompensation(record)],
    answer: undefined,
  }));
  await commitInBackground(command, clock);
  return true;
}

async function captureAtProvider(
  provider: PaymentProvider,
  payment: Payment,
  card: Card,
): Promise<ProviderOutcome> {
  const { id: key, amount: amountMinor, currency } = payment;
  try {
    return await provider.capture({ key, amountMinor, currency, card });
  } catch (error) {
    // The error's text could repeat the card data, so only its name is logged.
    logger.error('capture without an answer', { payment: key, error: serializeError(error).name });
    return { kind: 'unknown' };
  }
}

/** Writes the outcome, and answers the request that waits for it. */
function settle(
  payment: Payment,
  invoice: Invoice,
  outcome: ProviderOutcome,
  clock: Clock,
): Promise<Committed<ShownPayment>> {
  const loaded: [LoadedRecord<Payment>, LoadedRecord<Invoice>] = [
    toLoadedRecord(payment),
    { type: invoiceType, owner: payment, id: invoice.id, record: invoice },
  ];
  const command = new Command<[Payment, Invoice], ShownPayment>(loaded, (presentPayment, presentInvoice) => {
    if (!presentPayment || !presentInvoice) throw missing(payment.id);
    const changes = settlePayment(presentPayment, presentInvoice, outcome, clock.account);
    const completes = changes[0] && presentPayment.pendingRequest;
    return { changes, answer: showPayment(changes[0]?.record ?? presentPayment), completes };
  });
  return commit(command, { clock, key: undefined });
}

const toLoadedRecord = (payment: Payment): LoadedRecord<Payment> => ({
  type: paymentType,
  owner: { account: payment.account, mode: payment.mode },
  id: payment.id,
  record: payment,
});

async function readBoth(owner: Owner, id: string): Promise<PresentRecords<[Payment, Invoice]>> {
  const { record: payment } = await readRecord(paymentType, owner, id);
  if (!payment) return [undefined, undefined];
  return [payment, (await readRecord(invoiceType, owner, payment.invoiceId)).record];
}

const missing = (paymentId: string) => new Error(`The payment ${paymentId} or its invoice does not exist.`);
