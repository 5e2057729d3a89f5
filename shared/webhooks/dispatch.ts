/**
 * Dispatches deliveries: makes one scheduled attempt to deliver an event.
 *
 * - Each event is delivered at least once, also after a crash: the timer is stored until the attempt is recorded.
 * - A receiver may get an event twice, and recognizes it by its id.
 */

import { policyOf } from '../outbound/policy.ts';
import { postTo } from '../outbound/post.ts';
import { decrypt } from '../secrets/encryption.ts';
import { Command } from '../store/commit/command.ts';
import { commitInBackground } from '../store/commit/commit.ts';
import { completeTimer, setTimer, type TimerMessage } from '../store/timers/timers.ts';
import { type Instant, now } from '../time.ts';
import {
  applyScheduledAttempt,
  type Delivery,
  type DeliveryAttempt,
  isSuccess,
  skipDelivery,
} from './delivery.ts';
import { logDelivery } from './delivery-log-line.ts';
import {
  type DeliveryWork,
  type PutResult,
  postponeDelivery,
  readDeliveryWork,
  replaceDelivery,
} from './delivery-store.ts';
import { deliveryReferenceOf, deliveryTimer } from './delivery-timer.ts';
import { beginAttempt, endAttempt, type Health, shouldDisable } from './health.ts';
import { recordFailure, resetHealth } from './health-store.ts';
import { webhookType } from './record.ts';
import { maxTries } from './retry-schedule.ts';
import { signedHeaders } from './signature.ts';
import { disableWebhook } from './transitions.ts';
import type { Webhook } from './webhook.ts';

/** The result of sending an event. */
export interface SendResult extends Omit<DeliveryAttempt, 'number'> {
  readonly retryAfter?: string | undefined;
}

type Event = NonNullable<DeliveryWork['event']>;

/** A message may arrive this early, because the clocks of instances differ. */
const earlyMs = 1_000;

/** Handles a message of the queue: makes the attempt, if it is still due. */
export async function dispatchDelivery(timer: TimerMessage): Promise<void> {
  const { delivery, webhook, health, event } = await readDeliveryWork(deliveryReferenceOf(timer));
  if (delivery?.status !== 'pending') return completeTimer(timer);
  if (webhook?.status !== 'enabled' || !event) {
    logDelivery(delivery, skipDelivery(delivery), undefined);
    return completeUnlessPending(timer, await replaceDelivery(skipDelivery(delivery)));
  }
  const { nextAttemptAt = 0 } = delivery;
  if (nextAttemptAt > now() + earlyMs) {
    await setTimer(deliveryTimer(delivery), now());
    // If the message is only early, its timer item may be the one that was just set.
    return timer.due === nextAttemptAt ? undefined : completeTimer(timer);
  }
  const isLast = delivery.tries + 1 >= maxTries;
  if (!beginAttempt(webhook.id, health, now()) && !isLast) {
    return recordAttempt(timer, delivery, webhook, health, circuitOpenResult(now()));
  }
  let timedOut = false;
  try {
    const sent = await sendEvent(webhook, event);
    timedOut = sent.error === 'timeout';
    await recordAttempt(timer, delivery, webhook, health, sent);
  } finally {
    const openCircuit = endAttempt(webhook.id, health, timedOut, now());
    if (openCircuit) await recordFailure(webhook.id, { final: false, ...openCircuit }, now());
  }
}

/** Signs the event and posts it. @throws Error only if the endpoint's secret cannot be decrypted */
export async function sendEvent(webhook: Webhook, event: Event): Promise<SendResult> {
  const at = now();
  const valid = webhook.secrets.filter(({ until = Number.POSITIVE_INFINITY }) => until > at);
  const secrets = await Promise.all(valid.map(({ ciphertext }) => decrypt(ciphertext, webhook.id)));
  const body = Buffer.from(event.body);
  const headers = {
    ...signedHeaders(event.id, body, secrets, at),
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Remit',
  };
  const { body: answer, ...outcome } = await postTo(webhook.url, { headers, body }, policyOf(webhook.mode));
  return { at, ...outcome, answer };
}

/**
 * Returns the result of an attempt that is not made because the circuit is open. It counts in the schedule, so that
 * deliveries to an unresponsive endpoint end. The last attempt of a delivery is always made, so that no delivery fails
 * without a real attempt.
 */
const circuitOpenResult = (at: Instant): SendResult => ({
  at,
  durationMs: 0,
  error: 'endpoint_unresponsive',
  answer: '',
});

async function recordAttempt(
  timer: TimerMessage,
  delivery: Delivery,
  webhook: Webhook,
  health: Health | undefined,
  sent: SendResult,
): Promise<void> {
  const { retryAfter, ...attempt } = sent;
  const after = applyScheduledAttempt(delivery, attempt, { retryAfter, random: Math.random(), now: now() });
  logDelivery(delivery, after, sent.at);
  if (isSuccess(attempt)) {
    await Promise.all([recordSuccess(after, attempt), health && resetHealth(webhook.id)]);
    return completeTimer(timer);
  }
  if (after.status === 'failed') {
    const recorded = recordFailure(webhook.id, { final: true }, now());
    // Before the delivery is stored, so that the endpoint is disabled even if this function crashes afterwards.
    if (attempt.status === 410) await Promise.all([disable(webhook, 'gone'), recorded]);
    const [outcome, updatedHealth] = await Promise.all([replaceDelivery(after), recorded]);
    if (shouldDisable(updatedHealth, now())) await disable(webhook, 'failing');
    return completeUnlessPending(timer, outcome);
  }
  const recorded = health ? undefined : recordFailure(webhook.id, { final: false }, now());
  await Promise.all([postponeDelivery(after, timer, deliveryTimer(after), now()), recorded]);
}

/**
 * Completes the timer, unless a concurrent redelivery has changed the delivery and it is still pending. In that case
 * the timer stays stored, and fires again when its lease ends.
 */
async function completeUnlessPending(timer: TimerMessage, outcome: PutResult): Promise<void> {
  if (outcome.written || outcome.stored?.status !== 'pending') await completeTimer(timer);
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

/** Records a success. Repeats after a version conflict, because the receiver has the event in all cases. */
async function recordSuccess(after: Delivery, attempt: Omit<DeliveryAttempt, 'number'>): Promise<void> {
  let outcome = await replaceDelivery(after);
  while (!outcome.written && outcome.stored && outcome.stored.status !== 'succeeded') {
    const options = { retryAfter: undefined, random: 0, now: now() };
    outcome = await replaceDelivery(applyScheduledAttempt(outcome.stored, attempt, options));
  }
}

/** Disables the endpoint, unless its URL has changed, because the new URL has not been tried yet. */
async function disable(webhook: Webhook, reason: 'gone' | 'failing'): Promise<void> {
  const { account, mode, id, url } = webhook;
  const loaded = { type: webhookType, owner: { account, mode }, id, record: webhook };
  const command = new Command<[Webhook]>([loaded], (present) => ({
    changes: [present?.url === url ? disableWebhook(present, reason, now()) : undefined],
    answer: {},
  }));
  await commitInBackground(command, now());
}
