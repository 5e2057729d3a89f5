/**
 * Handles the checkout queue: asks the provider about a checkout, and settles it.
 *
 * - The payer's return and the provider's notifications are hints: they only set a timer for now. The worker alone
 *   settles, so there is one path, and a lost or forged hint does no harm.
 * - Without any notification, the worker asks at growing intervals until the checkout has ended. If a bank can still approve
 *   an earlier attempt, it asks until that is over. A pending payment is never forgotten: the worker asks until it is decided, or
 *   until the merchant has gone on without it and no outcome can be expected any more.
 * - If the provider fails or does not answer, the worker asks again later. A message never fails for this reason. It fails if
 *   a call to the table fails.
 */

import { logger } from '../../../base/log.ts';
import { metricFields } from '../../../base/metrics.ts';
import type { Instant } from '../../../base/time.ts';
import { readRecord } from '../../../store/records.ts';
import type { Timer, TimerMessage } from '../../../store/timers/timer-item.ts';
import { completeTimer, setTimer } from '../../../store/timers/timers.ts';
import { amountDueOf } from '../../invoices/received-money.ts';
import { invoiceType } from '../../invoices/record.ts';
import { contentVersionOf, isPayable } from '../../invoices/transitions.ts';
import { askProvider } from '../connections/ask-provider.ts';
import { longestHostedPollMs, nextPollAt, outcomeWithinMs } from '../next-poll-at.ts';
import { providerWaitMs } from '../provider/answer-within.ts';
import type { SettledCheckout } from './change-checkout.ts';
import { type Checkout, requestOf } from './checkout.ts';
import { readCheckoutOfAnyAccount } from './checkout-store.ts';
import { endUnanswered, endWithoutAnswer, settleCheckout } from './settlement.ts';
import { checkoutTimer, isNeverShown, pendingPaymentOf } from './transitions.ts';

/** The worker voids a checkout this long after its end, in milliseconds. The provider has ended it by then. */
const graceMs = 5 * 60_000;

/** Handles the timer of a checkout. */
export async function pollCheckout(timer: TimerMessage, now: Instant): Promise<void> {
  const next = await pollOnce(timer, now);
  if (next) await setTimer(next, now);
  await completeTimer(timer);
}

/** Returns the next timer if the provider must be asked again. */
async function pollOnce(timer: TimerMessage, now: Instant): Promise<Timer | undefined> {
  const loaded = await readCheckoutOfAnyAccount(timer.reference);
  const checkout = loaded?.record;
  if (!checkout || checkout.status === 'completed') return undefined;
  const wasOpen = checkout.status === 'open';
  // A merchant can end a checkout that the provider still has. So an ended one is always voided.
  const isVoiding = !wasOpen || (!checkout.hasMismatch && (await mustVoid(checkout, now)));
  const question = {
    owner: checkout,
    provider: checkout.provider,
    waitMs: providerWaitMs.worker,
    about: { checkout: checkout.id },
  };
  const state = await askProvider(question, (provider) =>
    provider[isVoiding ? 'void' : 'status'](requestOf(checkout), checkout.reference),
  );
  if (!state && wasOpen && now >= checkout.openUntil + graceMs) {
    if (await endWithoutAnswer(checkout, checkout.id, isNeverShown, now)) return undefined;
  }
  const endAs = isVoiding && now < checkout.openUntil ? 'voided' : 'expired';
  const found = { ...loaded, record: checkout };
  const outcome = state ? await settleCheckout(found, state.value, endAs, now) : 'waiting';
  const lateUntil = state?.value.kind === 'expired' ? state.value.lateUntil : undefined;
  if (lateUntil !== undefined && now < lateUntil && outcome === 'ended') {
    const next = nextPollAt(checkout.createdAt, timer, now, longestHostedPollMs);
    return checkoutTimer(checkout, Math.min(next, lateUntil + graceMs));
  }
  if (!isUnsettled(outcome)) return undefined;
  const isLate = now > checkout.openUntil + outcomeWithinMs;
  const isPending =
    pendingPaymentOf(checkout) !== undefined && (!isLate || isUnsettled(await endUnanswered(found, now)));
  // Money can move for as long as the provider says that the payment is in progress.
  const isInProgress = state?.value.kind === 'processing';
  const isAsked = isLate ? isInProgress : !isNeverShown(checkout);
  if (!wasOpen && !isPending && !isAsked) return undefined;
  const isUnknown = isInProgress && state.value.reason === 'unknown';
  if (wasOpen) reportDelay(checkout, isUnknown, now);
  return checkoutTimer(checkout, nextPollOf(checkout, timer, now));
}

const isUnsettled = (outcome: SettledCheckout): boolean => outcome === 'waiting' || outcome === 'mismatch';

/** How long a status that the provider does not document may last. */
const unknownForMs = 24 * 3_600_000;

/**
 * Reports a checkout that should have ended. Its invoice cannot be changed until the provider knows the outcome. A pending payment
 * is reported only if its status is unknown: the merchant sees it, and a bank can take days.
 */
function reportDelay(checkout: Checkout, isUnknown: boolean, now: Instant): void {
  const { account, mode, id, provider, openUntil } = checkout;
  const isSeen = pendingPaymentOf(checkout) !== undefined;
  if (isSeen && !isUnknown) return;
  if (now <= openUntil + (isSeen ? unknownForMs : graceMs)) return;
  const CheckoutDelay = Math.round((now - openUntil) / 1000);
  logger.warn('a checkout has no outcome yet', {
    account,
    mode,
    checkout: id,
    provider,
    ...metricFields({ CheckoutDelay }),
  });
}

/**
 * Whether nobody may pay the checkout any more: its time is over, or the invoice has changed although nobody has
 * voided the checkout.
 */
async function mustVoid(checkout: Checkout, now: Instant): Promise<boolean> {
  if (now >= checkout.openUntil + graceMs) return true;
  const { record: invoice } = await readRecord(invoiceType, checkout, checkout.invoiceId);
  return (
    invoice?.openCheckout !== checkout.id ||
    !isPayable(invoice) ||
    contentVersionOf(invoice) !== checkout.contentVersion ||
    amountDueOf(invoice) < checkout.amount
  );
}

/** The intervals grow from seconds to hours. One poll is at the end of the checkout, which voids it. */
function nextPollOf(
  { createdAt, openUntil }: Checkout,
  timer: { readonly due: Instant },
  now: Instant,
): Instant {
  const next = nextPollAt(createdAt, timer, now, longestHostedPollMs);
  const end = openUntil + graceMs;
  return Math.max(now, timer.due) < end ? Math.min(next, end) : next;
}
