/**
 * Dispatches deliveries: makes one scheduled attempt for each message.
 *
 * - Each event is delivered at least once, also after a crash: the timer or the outbox item is stored until the attempt is recorded.
 * - The messages of an invocation share calls. A timer may outlive its attempt until the slowest receiver of the invocation has
 *   answered. If its message is sent again meanwhile, the delivery is no longer pending, and nothing happens.
 * - A receiver may get an event twice, and recognizes it by its id.
 */

import { type Instant, now } from '../../base/time.ts';
import { policyOf } from '../../platform/outbound/policy.ts';
import { postTo } from '../../platform/outbound/post.ts';
import { decrypt } from '../../platform/secrets/encryption.ts';
import { readAccountClock } from '../../store/account-clock.ts';
import { Command } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { completeTimers } from '../../store/timers/timer-batches.ts';
import type { TimerMessage } from '../../store/timers/timer-item.ts';
import { setTimer } from '../../store/timers/timers.ts';
import { eventBodyIn } from '../versions/convert.ts';
import { type ApiVersion, storedApiVersion } from '../versions/versions.ts';
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
import {
  type DeliveryWork,
  type PutResult,
  postponeDelivery,
  readDeliveryWorks,
  replaceDelivery,
} from './delivery-store.ts';
import { deliveryReferenceOf, deliveryTimer } from './delivery-timer.ts';
import { fromFirstMessage } from './first-message.ts';
import { beginAttempt, endAttempt, type Health, shouldDisable } from './health.ts';
import { recordFailure, resetHealth } from './health-store.ts';
import { registryKey, webhookType } from './record.ts';
import { maxTries } from './retry-schedule.ts';
import { fixedMessageHeaders, signedHeaders } from './signature.ts';
import { disableWebhook } from './transitions.ts';
import type { Webhook } from './webhook.ts';

/** The result of sending an event. */
export interface SendResult extends Omit<DeliveryAttempt, 'number'> {
  readonly retryAfter?: string | undefined;
}

type Event = NonNullable<DeliveryWork['event']>;

/**
 * Handles messages of the queue together: reads what they need in one call for 25 of them, makes the attempts that are still
 * due, and deletes the timers that are complete in one call for 25 of them.
 * @returns one promise for each message, in the same order. It settles when the attempt is recorded and its timer is deleted.
 */
export function dispatchDeliveries(timers: readonly TimerMessage[]): Promise<void>[] {
  const reading = readDeliveryWorks(timers.flatMap((timer) => deliveryReferenceOf(timer) ?? []));
  const complete: TimerMessage[] = [];
  const dispatching = timers.map(async (timer) => {
    const reference = deliveryReferenceOf(timer);
    if (!reference) throw new Error(`The message names no delivery: ${timer.reference}`);
    const { delivery: stored, ...work } = (await reading)(reference);
    const delivery = stored ?? fromFirstMessage(timer, reference);
    const isComplete = !delivery || (await dispatchDelivery({ ...work, timer, delivery, isNew: !stored }));
    if (isComplete) complete.push(timer);
    return isComplete;
  });
  const completing = Promise.allSettled(dispatching).then(() => completeTimers(complete));
  return dispatching.map(async (each) => {
    if (await each) await completing;
  });
}

/** A delivery of which an attempt may be due, with the message that says so. */
interface DueDelivery extends DeliveryWork {
  readonly delivery: Delivery;
  /** Whether the delivery was not stored yet when it was read. */
  readonly isNew: boolean;
  readonly timer: TimerMessage;
}

/** Makes the attempt, if it is still due. Returns whether the timer is complete and may be deleted. */
async function dispatchDelivery(due: DueDelivery): Promise<boolean> {
  const { timer, delivery, isNew, webhook, health, event } = due;
  if (delivery.status !== 'pending') return true;
  // Until its event is stored, or has expired, the timer leads to the attempt later.
  if (isNew && !event) return isExpired(delivery, now());
  if (webhook?.status !== 'enabled' || !event) {
    logDelivery(delivery, skipDelivery(delivery), undefined);
    return hasEnded(await replaceDelivery(skipDelivery(delivery), isNew));
  }
  if (!isDueSoon(delivery, now())) {
    // A delivery that is not stored yet needs the description.
    await setTimer({ ...deliveryTimer(delivery), first: isNew ? timer.first : undefined }, now());
    // If the message is only early, its timer item may be the one that was just set.
    return timer.outboxItem !== undefined || timer.due !== delivery.nextAttemptAt;
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
    return await recordAttempt(due, webhook, sent);
  } finally {
    const openCircuit = endAttempt(webhook.id, health, timedOut, now());
    if (openCircuit) await recordFailure(webhook.id, { final: false, ...openCircuit }, now());
  }
}

/**
 * Signs the event in the version of the endpoint and posts it. All attempts in one version send the same bytes.
 * @throws Error only if the endpoint's secret cannot be decrypted
 */
export async function sendEvent(webhook: Webhook, event: Event): Promise<SendResult> {
  const begunAt = now();
  const valid = webhook.secrets.filter(({ until = Number.POSITIVE_INFINITY }) => until > begunAt);
  const secrets = await Promise.all(valid.map(({ ciphertext }) => decrypt(ciphertext, webhook.id)));
  const body = sentBodyOf(event, storedApiVersion(webhook.apiVersion));
  // The receiver checks the age of the signature, so nothing waits between it and the request.
  const at = now();
  const headers = { ...signedHeaders(event.id, body, secrets, at), ...fixedMessageHeaders };
  const { body: answer, ...outcome } = await postTo(webhook.url, { headers, body }, policyOf(webhook));
  return { at, ...outcome, answer };
}

/** The bytes of events by version. So the endpoints of an event share its conversion. */
const sentBodies = new WeakMap<Event, Map<ApiVersion, Buffer>>();

function sentBodyOf(event: Event, version: ApiVersion): Buffer {
  const bodies = sentBodies.get(event) ?? new Map<ApiVersion, Buffer>();
  const body = bodies.get(version) ?? Buffer.from(eventBodyIn(version, event.body));
  sentBodies.set(event, bodies.set(version, body));
  return body;
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

/** Records an attempt. Returns whether the timer is complete. Replaces it if another attempt follows. */
async function recordAttempt(
  { timer, delivery, isNew, health }: DueDelivery,
  webhook: Webhook,
  sent: SendResult,
): Promise<boolean> {
  const { retryAfter, ...attempt } = sent;
  const after = await withClock(
    applyScheduledAttempt(delivery, attempt, { retryAfter, random: Math.random(), now: now() }),
  );
  logDelivery(delivery, after, sent.at);
  const reset = isSuccess(attempt) && health ? resetHealth(webhook.id) : undefined;
  if (after.status === 'succeeded') {
    await Promise.all([recordSuccess(after, isNew, attempt), reset]);
    return true;
  }
  if (isSuccess(attempt)) {
    await Promise.all([postponeDelivery(after, isNew, timer, deliveryTimer(after), now()), reset]);
    return false;
  }
  if (after.status === 'failed') {
    const recorded = recordFailure(webhook.id, { final: true }, now());
    // Before the delivery is stored, so that the endpoint is disabled even if this function crashes afterwards.
    if (attempt.status === 410) await Promise.all([disable(webhook, 'gone'), recorded]);
    const [outcome, updatedHealth] = await Promise.all([replaceDelivery(after, isNew), recorded]);
    if (shouldDisable(updatedHealth, now())) await disable(webhook, 'failing');
    return hasEnded(outcome);
  }
  const recorded = health ? undefined : recordFailure(webhook.id, { final: false }, now());
  await Promise.all([postponeDelivery(after, isNew, timer, deliveryTimer(after), now()), recorded]);
  return false;
}

/** Returns a pending delivery of test mode with the present offset of its account's clock. Live mode has no clock. */
async function withClock(delivery: Delivery): Promise<Delivery> {
  if (delivery.mode !== 'test' || delivery.status !== 'pending') return delivery;
  return { ...delivery, clockOffset: (await readAccountClock(delivery)).clock?.o };
}

/**
 * Whether the delivery has ended. If a concurrent redelivery has changed it and it is still pending, its timer stays stored, and
 * fires again when its lease ends.
 */
const hasEnded = (outcome: PutResult): boolean => outcome.written || outcome.stored?.status !== 'pending';

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
async function recordSuccess(
  after: Delivery,
  isNew: boolean,
  attempt: Omit<DeliveryAttempt, 'number'>,
): Promise<void> {
  let outcome = await replaceDelivery(after, isNew);
  while (!outcome.written && outcome.stored && outcome.stored.status !== 'succeeded') {
    const options = { retryAfter: undefined, random: 0, now: now() };
    const stored = { ...outcome.stored, fault: undefined };
    outcome = await replaceDelivery(applyScheduledAttempt(stored, attempt, options));
  }
}

/** Disables the endpoint, unless its URL has changed, because the new URL has not been tried yet. */
async function disable(webhook: Webhook, reason: 'gone' | 'failing'): Promise<void> {
  const { account, mode, id, url } = webhook;
  const at = now();
  const loaded = { type: webhookType, owner: { account, mode }, id, record: webhook };
  const command = new Command<[Webhook]>([loaded], (present) => {
    const change = present?.url === url ? disableWebhook(present, reason, at) : undefined;
    return { changes: [change], answer: {}, bumpsVersionOf: change ? [registryKey(loaded.owner)] : [] };
  });
  await commitInBackground(command, at);
}
