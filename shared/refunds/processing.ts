/**
 * The worker: carries refunds out, and makes those that are owed because money came for nothing. Whatever is done
 * twice is done once: the refund's id is the provider's key, and a refund that is final stays so.
 */
import { isRecordId } from '../ids.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import { nextLook } from '../payments/next-look.ts';
import type { Payment } from '../payments/payment.ts';
import type { Outcome } from '../payments/provider.ts';
import { requiredProvider } from '../payments/providers.ts';
import { paymentType } from '../payments/record.ts';
import { commit } from '../store/commit.ts';
import { drawNumber } from '../store/numbers.ts';
import { readAnyRecord, readRecord } from '../store/records.ts';
import { completeTimer, setTimer, type TimerMessage } from '../store/timers.ts';
import { requireNew, Transition } from '../store/transition.ts';
import type { Instant } from '../time.ts';
import { refundType } from './record.ts';
import type { Refund } from './refund.ts';
import { newReading, placeOf } from './store.ts';
import { createOwedRefund, processAt, settleRefund } from './transitions.ts';

const nobody = { key: undefined, toReply: () => ({ status: 200, body: '' }) };

/** What arrived in the queue: a refund to carry out or, by the payment's id, one that is owed and to be made. */
export async function processRefund(timer: TimerMessage, now: Instant): Promise<void> {
  if (isRecordId('payment', timer.reference)) {
    await makeOwedRefund(timer.reference, now);
  } else {
    const next = await carryOut(timer, now);
    if (next) await setTimer(next, now);
  }
  await completeTimer(timer);
}

async function makeOwedRefund(paymentId: string, now: Instant): Promise<void> {
  const payment = await readAnyRecord(paymentType, paymentId);
  if (payment?.record?.owed !== 'refund') return;
  const place = placeOf(await drawNumber(payment.owner, 'refund'));
  const transition = new Transition<[Refund, Payment]>([newReading(place), payment], (existing, found) => {
    requireNew(existing);
    if (!found) throw new Error(`The payment ${paymentId} is gone.`);
    return { changes: createOwedRefund(place, found, now), answer: {} };
  });
  await commit(transition, { now, ...nobody });
}

/** Returns when to ask again, if the provider does not know yet. */
async function carryOut(timer: TimerMessage, now: Instant) {
  const id = timer.reference;
  const reading = await readAnyRecord(refundType, id);
  if (reading?.record?.status !== 'pending') return undefined;
  const refund = reading.record;
  const [payment, invoice] = await Promise.all([
    readRecord(paymentType, reading.owner, refund.paymentId),
    readRecord(invoiceType, reading.owner, refund.invoiceId),
  ]);
  if (!payment.record) throw new Error(`The payment of the refund ${id} is gone.`);
  const outcome = await outcomeOf(refund, payment.record);
  if (outcome.kind === 'unknown') return processAt(refund, nextLook(refund.createdAt, timer, now));
  const transition = new Transition<[Refund, Payment, Invoice]>(
    [reading, payment, invoice],
    (present, ofPayment, ofInvoice) => {
      if (!present || !ofPayment || !ofInvoice)
        throw new Error(`The refund ${id}, its payment or its invoice is gone.`);
      return { changes: settleRefund(present, ofPayment, ofInvoice, outcome, now), answer: {} };
    },
  );
  await commit(transition, { now, ...nobody });
  return undefined;
}

/** Money that was received outside is given back outside; the refund only records that. */
async function outcomeOf(refund: Refund, payment: Payment): Promise<Outcome> {
  if (payment.method === 'offline') return { kind: 'done' };
  const { id: key, amount: amountMinor } = refund;
  return requiredProvider(payment.mode).refund({ key, captureKey: payment.id, amountMinor });
}
