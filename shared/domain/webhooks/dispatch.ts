/**
 * Dispatches deliveries: makes one scheduled attempt for each message.
 *
 * - Each event is delivered at least once, also after a crash: the timer is stored until the attempt is recorded.
 * - The messages of an invocation share their reads.
 * - A receiver may get an event twice, and recognizes it by its id.
 */

import { type AuditOrigin, changedSettings } from '../../base/audit-origin.ts';
import { realClock } from '../../base/clock.ts';
import { type Instant, now } from '../../base/time.ts';
import { readStoredClock } from '../../store/account-clock.ts';
import { Command } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import type { TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer, setTimer } from '../../store/timers/timers.ts';
import {
  applyScheduledAttempt,
  type Delivery,
  type DeliveryAttempt,
  isDropped,
  isDueSoon,
  isExpired,
  isSuccess,
  skipDelivery,
} from './delivery.ts';
import { logDelivery } from './delivery-log-line.ts';
import { type DeliveryWork, type PutResult, readDeliveryWorks, recordOutcome } from './delivery-store.ts';
import { deliveryReferenceOf, deliveryTimer } from './delivery-timer.ts';
import { fromFirstMessage } from './first-message.ts';
import { beginAttempt, endAttempt, type Health, shouldDisable } from './health.ts';
import { recordFailure, resetHealth } from './health-store.ts';
import { registryKey, webhookType } from './record.ts';
import { maxTries } from './retry-schedule.ts';
import { type SendResult, sendEvent } from './send-event.ts';
import { disableWebhook } from './transitions.ts';
import type { Webhook } from './webhook.ts';

/**
 * Handles messages of the queue together: reads what they need in one call for 25 of them, and makes the attempts that are still
 * due.
 * @returns one promise for each message, in the same order. It settles when the attempt is recorded and its timer is deleted.
 */
export function dispatchDeliveries(timers: readonly TimerMessage[]): Promise<void>[] {
  const reading = readDeliveryWorks(timers.flatMap((timer) => deliveryReferenceOf(timer) ?? []));
  return timers.map(async (timer) => {
    const reference = deliveryReferenceOf(timer);
    if (!reference) throw new Error(`The message names no delivery: ${timer.reference}`);
    const { delivery: stored, ...work } = (await reading)(reference);
    const delivery = stored ?? fromFirstMessage(timer, reference);
    if (delivery) await dispatchDelivery({ ...work, timer, delivery, isNew: !stored });
    else await completeTimer(timer);
  });
}

/** A delivery of which an attempt may be due, with the message that says so. */
interface DueDelivery extends DeliveryWork {
  readonly delivery: Delivery;
  /** Whether the delivery was not stored yet when it was read. */
  readonly isNew: boolean;
  readonly timer: TimerMessage;
}

/** Makes the attempt, if it is still due. */
async function dispatchDelivery(due: DueDelivery): Promise<void> {
  const { timer, delivery, isNew, webhook, health, event } = due;
  if (delivery.status !== 'pending') return completeTimer(timer);
  if (isNew && !event) {
    // Until its event is stored, or has expired, the timer leads to the attempt later.
    if (isExpired(delivery, now())) await completeTimer(timer);
    return;
  }
  if (webhook?.status !== 'enabled' || !event) {
    const after = skipDelivery(delivery);
    logDelivery(delivery, after, undefined);
    await store(due, after);
    return;
  }
  if (!isDueSoon(delivery, now())) {
    // A delivery that is not stored yet needs the description.
    await setTimer({ ...deliveryTimer(delivery), first: isNew ? timer.first : undefined }, now());
    // If the message is only early, its timer item may be the one that was just set.
    if (timer.due !== delivery.nextAttemptAt) await completeTimer(timer);
    return;
  }
  if (isDropped(delivery)) return recordAttempt(due, webhook, unsent('dropped_by_test', now()));
  const isLast = delivery.tries + 1 >= maxTries;
  if (!beginAttempt(webhook.id, health, now()) && !isLast) {
    return recordAttempt(due, webhook, unsent('endpoint_unresponsive', now()));
  }
  let timedOut = false;
  try {
    const sent = await sendEvent(webhook, event);
    timedOut = sent.error === 'timeout';
    await recordAttempt(due, webhook, sent);
  } finally {
    const openCircuit = endAttempt(webhook.id, health, timedOut, now());
    if (openCircuit) await recordFailure(webhook.id, { final: false, ...openCircuit }, now());
  }
}

/**
 * Returns the result of an attempt that is not made, because the circuit is open or the client asked for the fault `drop`.
 * It counts in the schedule, so that deliveries to an unresponsive endpoint end. The last attempt of a delivery is always
 * made, so that no delivery fails without a real attempt.
 */
const unsent = (error: 'endpoint_unresponsive' | 'dropped_by_test', at: Instant): SendResult => ({
  at,
  durationMs: 0,
  error,
  answer: '',
});

/** Records an attempt. */
async function recordAttempt(due: DueDelivery, webhook: Webhook, sent: SendResult): Promise<void> {
  const { delivery, health } = due;
  const { retryAfter, ...attempt } = sent;
  const after = await withClock(
    applyScheduledAttempt(delivery, attempt, { retryAfter, random: Math.random(), now: now() }),
  );
  logDelivery(delivery, after, sent.at);
  if (isSuccess(attempt)) {
    await Promise.all([storeSuccess(due, after, attempt), health && resetHealth(webhook.id)]);
    return;
  }
  const isFinal = after.status === 'failed';
  const recorded = isFinal || !health ? recordFailure(webhook.id, { final: isFinal }, now()) : undefined;
  // Before the delivery is stored, so that the endpoint is disabled even if this function crashes afterwards.
  if (isFinal && attempt.status === 410) await Promise.all([disable(webhook, 'gone'), recorded]);
  const [, updated] = await Promise.all([store(due, after), recorded]);
  if (isFinal && updated && shouldDisable(updated, now())) await disable(webhook, 'failing');
}

/** Stores the next version of a delivery with its timer. If another writer was first and has ended it, deletes the timer. */
async function store({ timer, isNew }: DueDelivery, after: Delivery): Promise<PutResult> {
  const outcome = await recordOutcome(after, isNew, timer, now());
  if (!outcome.written && outcome.stored?.status !== 'pending') await completeTimer(timer);
  return outcome;
}

/** Returns a pending delivery of test mode with the present offset of its account's clock. Live mode has no clock. */
async function withClock(delivery: Delivery): Promise<Delivery> {
  if (delivery.mode !== 'test' || delivery.status !== 'pending') return delivery;
  return { ...delivery, clockOffset: (await readStoredClock(delivery))?.o };
}

/**
 * Applies the result of an attempt outside the schedule to the endpoint: resets its health, or disables it after 410.
 */
export async function applyOutcome(
  webhook: Webhook,
  health: Health | undefined,
  attempt: Pick<DeliveryAttempt, 'status'>,
): Promise<void> {
  if (isSuccess(attempt) && health) await resetHealth(webhook.id);
  if (attempt.status === 410) await disable(webhook, 'gone');
}

/** Stores a success. Repeats after a version conflict, because the receiver has the event in all cases. */
async function storeSuccess(
  due: DueDelivery,
  after: Delivery,
  attempt: Omit<DeliveryAttempt, 'number'>,
): Promise<void> {
  let outcome = await store(due, after);
  while (!outcome.written && outcome.stored && outcome.stored.status !== 'succeeded') {
    const options = { retryAfter: undefined, random: 0, now: now() };
    const stored = { ...outcome.stored, fault: undefined };
    outcome = await store({ ...due, isNew: false }, applyScheduledAttempt(stored, attempt, options));
  }
}

/** Who disables an endpoint in the audit log. */
const disabling: AuditOrigin = {
  actor: { type: 'service', id: 'webhooks' },
  action: 'webhook.disable',
  requestId: null,
  source: null,
};

/** Disables the endpoint, unless its events go elsewhere now, because that has not been tried yet. */
async function disable(webhook: Webhook, reason: 'gone' | 'failing'): Promise<void> {
  const { account, mode, id, url } = webhook;
  const at = now();
  const loaded = { type: webhookType, owner: { account, mode }, id, record: webhook };
  const command = new Command<[Webhook]>([loaded], (present) => {
    const change = present?.url === url ? disableWebhook(present, reason, at) : undefined;
    return {
      changes: [change],
      answer: {},
      bumpsVersionOf: change ? [registryKey(loaded.owner)] : [],
      changedSettings: changedSettings({ status: 'enabled' }, { status: 'disabled', disabledReason: reason }),
    };
  });
  await commitInBackground(command, realClock(at), disabling);
}
