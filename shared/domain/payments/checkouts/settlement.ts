/**
 * Writes what a provider says about a checkout: one transaction for the payment, its name, the invoice and the checkout.
 *
 * - The decision is made on the records as they are when it is written. So of two workers, one settles.
 * - The currency and the key that the provider reports must be those of the checkout. Otherwise nothing is paid, and the
 *   checkout stays open and marked. A payment of another amount stays pending until the merchant decides.
 */

import { realClock } from '../../../base/clock.ts';
import type { Owner } from '../../../base/ids.ts';
import { logger } from '../../../base/log.ts';
import { metricFields } from '../../../base/metrics.ts';
import type { Instant } from '../../../base/time.ts';
import { Command } from '../../../store/commit/command.ts';
import { commitInBackground } from '../../../store/commit/commit.ts';
import type { Invoice } from '../../invoices/invoice.ts';
import type { CheckoutState, ReceivedPayment, RefusalReason } from '../provider/hosted-provider.ts';
import {
  changeCheckout,
  type LoadedCheckout,
  outcomeOf,
  readInvoiceOf,
  requireBoth,
  type SettledCheckout,
} from './change-checkout.ts';
import type { Checkout } from './checkout.ts';
import { readCheckout } from './checkout-store.ts';
import { providerReferenceId } from './record.ts';
import {
  abandonCheckout,
  awaitCheckout,
  completeCheckout,
  failUnanswered,
  refuseCheckout,
  reopenCheckout,
  unchanged,
} from './settled-changes.ts';
import { detachCheckout, isOfCheckout, markMismatch, pendingPaymentOf } from './transitions.ts';

/**
 * Applies the state of a checkout at the provider.
 * @param endAs the status of a checkout that the provider has ended without a payment
 */
export async function settleCheckout(
  checkout: LoadedCheckout,
  state: CheckoutState,
  endAs: 'expired' | 'voided',
  now: Instant,
): Promise<SettledCheckout> {
  if (state.kind === 'paid') {
    // Somebody has returned the money at the provider, so nothing was paid.
    if (isReturned(state.payment)) return endWithoutPayment(checkout, endAs, now);
    if (isOfCheckout(checkout.record, state.payment)) return complete(checkout, state.payment, now);
    return noteMismatch(checkout, state.payment, now);
  }
  if (state.kind === 'refused') {
    return changeCheckout(checkout, undefined, now, (target) =>
      // A merchant who did not wait has ended the checkout, and its payment still waits for the bank.
      target.checkout.status === 'open' || pendingPaymentOf(target.checkout) !== undefined
        ? { changes: refuseCheckout(target, state.code, now), answer: 'failed' }
        : { changes: unchanged, answer: outcomeOf(target) },
    );
  }
  if (state.kind === 'expired') return endWithoutPayment(checkout, endAs, now);
  if (state.kind === 'open' && pendingPaymentOf(checkout.record) !== undefined) {
    return changeCheckout(checkout, undefined, now, (target) => ({
      changes: reopenCheckout(target, now),
      answer: 'waiting',
    }));
  }
  if (state.kind !== 'processing' || checkout.record.status !== 'open') return 'waiting';
  const reason = state.reason === 'capture' ? 'not_captured' : 'processing';
  return changeCheckout(checkout, undefined, now, (target) => ({
    changes: awaitCheckout(target, reason, now),
    answer: 'waiting',
  }));
}

const isReturned = ({ amountMinor, refundedMinor }: ReceivedPayment) => refundedMinor >= amountMinor;

/**
 * Ends a checkout that nobody can pay, and releases its invoice.
 * @param refusal set if the provider refused to begin it. The merchant sees that.
 */
export async function endWithoutPayment(
  checkout: LoadedCheckout,
  status: 'expired' | 'voided',
  now: Instant,
  refusal?: RefusalReason,
): Promise<SettledCheckout> {
  if (pendingPaymentOf(checkout.record) !== undefined) {
    return changeCheckout(checkout, undefined, now, ({ payment, ...records }) => {
      const pending = 'pending' in payment ? payment.pending : undefined;
      const changes = abandonCheckout(records.checkout, records.invoice, status, pending, now);
      return { changes, answer: 'ended' };
    });
  }
  const invoice = await readInvoiceOf(checkout.record);
  const command = new Command<[Checkout, Invoice], SettledCheckout | undefined>(
    [checkout, invoice],
    (present, presentInvoice) => {
      const records = requireBoth(checkout.id, present, presentInvoice);
      if (pendingPaymentOf(records.checkout) !== undefined)
        return { changes: [undefined, undefined], answer: undefined };
      const { provider } = records.checkout;
      const noted = refusal && { provider, reason: refusal, at: now };
      const [, released, ended] = abandonCheckout(
        records.checkout,
        records.invoice,
        status,
        undefined,
        now,
        noted,
      );
      return { changes: [ended, released], answer: 'ended' };
    },
  );
  const outcome = await commitInBackground(command, realClock(now));
  // Another worker has stored a pending payment meanwhile. The next poll ends it.
  return outcome ?? 'waiting';
}

/**
 * Ends an open checkout although the provider has not said that nobody can pay it, and releases its invoice. The worker
 * then asks the provider until it says so.
 * @param allows decides on the checkout as it is now
 * @returns whether the checkout has ended
 */
export async function endWithoutAnswer(
  owner: Owner,
  id: string,
  allows: (checkout: Checkout) => boolean,
  now: Instant,
): Promise<boolean> {
  const checkout = await readCheckout(owner, id);
  if (!checkout.record) return true;
  const invoice = await readInvoiceOf(checkout.record);
  const command = new Command<[Checkout, Invoice], boolean>(
    [checkout, invoice],
    (present, presentInvoice) => {
      const records = requireBoth(id, present, presentInvoice);
      const isOpen = records.checkout.status === 'open';
      if (!isOpen || !allows(records.checkout)) return { changes: [undefined, undefined], answer: !isOpen };
      return { changes: detachCheckout(records.checkout, records.invoice, now), answer: true };
    },
  );
  return commitInBackground(command, realClock(now));
}

/**
 * Fails the pending payment of a checkout that the merchant has ended, if the provider has not said its outcome for too long.
 * @returns `waiting` if the merchant waits for the outcome, or must decide about the payment
 */
export function endUnanswered(checkout: LoadedCheckout, now: Instant): Promise<SettledCheckout> {
  return changeCheckout(checkout, undefined, now, (target) => {
    const changes = failUnanswered(target, now);
    return { changes, answer: changes === unchanged ? 'waiting' : 'ended' };
  });
}

async function complete(
  checkout: LoadedCheckout,
  received: ReceivedPayment,
  now: Instant,
): Promise<SettledCheckout> {
  const name = providerReferenceId(checkout.owner, checkout.record.provider, 'payment', received.reference);
  return changeCheckout(checkout, name, now, (target, named) => {
    if (target.checkout.status === 'completed') return { changes: unchanged, answer: outcomeOf(target) };
    if (named) throw new Error(`The payment of ${checkout.id} belongs to ${named.record} already.`);
    const { payment } = target;
    const known = 'pending' in payment ? payment.pending.providerReference : undefined;
    if (known !== undefined && known !== received.reference)
      return { changes: unchanged, answer: 'mismatch' };
    const changes = completeCheckout(target, received, known === undefined ? name : undefined, now);
    const after = changes[0]?.record;
    if (after?.status !== 'completed') return { changes, answer: 'mismatch' };
    if (after.pendingCompensation !== undefined) return { changes, answer: 'returned' };
    return { changes, answer: changes[1]?.record.status === 'paid' ? 'paid' : 'part' };
  });
}

/** Marks the checkout, and reports the difference each time the provider is asked, so that the alarm stays on. */
async function noteMismatch(
  checkout: LoadedCheckout,
  received: ReceivedPayment,
  now: Instant,
): Promise<'mismatch'> {
  const command = new Command<[Checkout]>([checkout], (present) => ({
    changes: [present?.status === 'open' ? markMismatch(present) : undefined],
    answer: undefined,
  }));
  await commitInBackground(command, realClock(now));
  const { account, mode, id, amount, currency } = checkout.record;
  logger.error('the provider reports another payment than the checkout asked for', {
    account,
    mode,
    checkout: id,
    expected: { key: id, amountMinor: amount, currency },
    reported: {
      key: received.key,
      amountMinor: received.amountMinor,
      currency: received.currency,
      reference: received.reference,
    },
    ...metricFields({ CheckoutMismatches: 1 }),
  });
  return 'mismatch';
}
