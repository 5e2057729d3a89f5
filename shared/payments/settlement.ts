/**
 * How a payment gets its outcome: from the provider's answer to the capture, or later by asking.
 *
 * Invariants: the intent is stored before the provider is called, under the payment's id as the provider's key; so
 * whoever comes after a crash, the repeated request or the timer, asks about the same deed. Only an answer of the
 * provider makes a payment final. Whoever writes the outcome also answers the request that waits for it.
 */
import type { Owner } from '../ids.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import { loggable, logger } from '../log.ts';
import { commit, type RequestKey, repeat } from '../store/commit.ts';
import { type Reply, readIdempotency } from '../store/idempotency-records.ts';
import { type Reading, readAnyRecord, readRecord } from '../store/records.ts';
import { completeTimer, setTimer, type TimerMessage } from '../store/timers.ts';
import { type Change, type Committed, type Records, Transition } from '../store/transition.ts';
import type { Instant } from '../time.ts';
import type { Card } from './card.ts';
import { nextLook } from './next-look.ts';
import { type Payment, showPayment } from './payment.ts';
import type { Outcome, PaymentProvider } from './provider.ts';
import { requiredProvider } from './providers.ts';
import { paymentType } from './record.ts';
import { abandonedAfterMs, endReversal, lookAt, settlePayment } from './transitions.ts';

interface Capture {
  readonly owner: Owner;
  /** The payment's id. */
  readonly id: string;
  /** Payment and invoice as the intent left them; unknown to a repetition. */
  readonly records: Records<[Payment, Invoice]> | undefined;
  readonly card: Card;
  readonly provider: PaymentProvider;
  readonly key: RequestKey | undefined;
  readonly now: Instant;
}

/** Captures under the payment's id, writes the outcome and answers with the payment. */
export async function captureAndSettle(capture: Capture): Promise<Committed> {
  const { owner, id, card, provider, key, now } = capture;
  const [payment, invoice] = capture.records ?? (await readBoth(owner, id));
  if (!payment || !invoice) throw new Error(`The payment ${id} or its invoice is gone.`);
  const outcome =
    payment.status === 'pending' ? await outcomeOf(provider, payment, card) : ({ kind: 'unknown' } as const);
  const { answered, committed } = await settle(payment, invoice, outcome, now);
  if (answered || !key) return committed;
  // Somebody else has answered this request before, with what was so then.
  const kept = await readIdempotency(owner, key.keyHash, now);
  return kept?.final ? repeat(kept, key) : committed;
}

/** What arrived in the queue: a payment is looked at, and again later if its outcome is still open. */
export async function lookAtPayment(timer: TimerMessage, now: Instant): Promise<void> {
  const payment = (await readAnyRecord(paymentType, timer.reference))?.record;
  if (payment && !(await isSettled(payment, now)))
    await setTimer(lookAt(payment, nextLook(payment.createdAt, timer, now)), now);
  await completeTimer(timer);
}

/** Does what is left to do of a payment, and returns whether it is done; else the provider does not know yet. */
async function isSettled(payment: Payment, now: Instant): Promise<boolean> {
  if (payment.owed === 'reversal') return reverse(payment, now);
  return payment.status !== 'pending' || askFor(payment, now);
}

/** Asks for the outcome of a payment that is pending. Returns whether it has one now. */
async function askFor(payment: Payment, now: Instant): Promise<boolean> {
  const provider = requiredProvider(payment.mode);
  const ageMs = now - payment.createdAt;
  let outcome = await provider.status(payment.id);
  // It never arrived and nobody is left to send it, but it could still be on its way: so it is forbidden.
  if (outcome.kind === 'absent' && ageMs >= abandonedAfterMs) outcome = await provider.void(payment.id);
  if (outcome.kind === 'absent' || outcome.kind === 'unknown') return false;
  const [, invoice] = await readBoth(payment, payment.id);
  if (!invoice) throw new Error(`The invoice of the payment ${payment.id} is gone.`);
  await settle(payment, invoice, outcome, now);
  return true;
}

/** Gives back at the provider what it captured although the payment had failed. Returns whether that is done. */
async function reverse(payment: Payment, now: Instant): Promise<boolean> {
  const { id, amount: amountMinor } = payment;
  const outcome = await requiredProvider(payment.mode).refund({
    key: `${id}:reversal`,
    captureKey: id,
    amountMinor,
  });
  if (outcome.kind === 'unknown') return false;
  if (outcome.kind !== 'done') throw new Error(`The reversal of ${id} is refused; it is asked for again.`);
  const transition = new Transition([readingOf(payment)], (record) => ({
    changes: [record && endReversal(record)],
    answer: {},
  }));
  await commit(transition, { now, key: undefined, toReply });
  return true;
}

async function outcomeOf(provider: PaymentProvider, payment: Payment, card: Card): Promise<Outcome> {
  const { id: key, amount: amountMinor, currency } = payment;
  try {
    return await provider.capture({ key, amountMinor, currency, card });
  } catch (error) {
    // Its text might repeat what was sent.
    logger.error('a capture has no answer', { payment: key, error: loggable(error).name });
    return { kind: 'unknown' };
  }
}

async function settle(payment: Payment, invoice: Invoice, outcome: Outcome, now: Instant) {
  let answered = false;
  const readings: [Reading<Payment>, Reading<Invoice>] = [
    readingOf(payment),
    { type: invoiceType, owner: payment, id: invoice.id, record: invoice },
  ];
  const transition = new Transition<[Payment, Invoice]>(readings, (present, ofInvoice) => {
    if (!present || !ofInvoice) throw new Error(`The payment ${payment.id} or its invoice is gone.`);
    const changes: readonly [Change<Payment> | undefined, Change<Invoice> | undefined] = settlePayment(
      present,
      ofInvoice,
      outcome,
      now,
    );
    const answers = changes[0] && present.request;
    answered = answers !== undefined;
    return { changes, answer: showPayment(changes[0]?.record ?? present), answers };
  });
  const committed = await commit(transition, { now, key: undefined, toReply });
  return { answered, committed };
}

/** The answer to the request that created it, in the form that endpoints send. */
const toReply = (answer: unknown): Reply => ({ status: 201, body: JSON.stringify(answer) });

const readingOf = (payment: Payment): Reading<Payment> => ({
  type: paymentType,
  owner: { account: payment.account, mode: payment.mode },
  id: payment.id,
  record: payment,
});

async function readBoth(owner: Owner, id: string): Promise<Records<[Payment, Invoice]>> {
  const { record: payment } = await readRecord(paymentType, owner, id);
  if (!payment) return [undefined, undefined];
  return [payment, (await readRecord(invoiceType, owner, payment.invoiceId)).record];
}
