/** Makes deliveries on request: one attempt outside the schedule, or a new schedule for all missed deliveries. */

import { randomUUID } from 'node:crypto';
import { noteEffect } from '../../base/deadline.ts';
import { ApiError } from '../../base/errors.ts';
import { eventId, firstDeliveryId, type Mode, type Owner } from '../../base/ids.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import { type Instant, now, toTimestamp } from '../../base/time.ts';
import { Command, internalChange } from '../../store/commit/command.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import type { LoadedRecord } from '../../store/records.ts';
import type { Timer, TimerMessage } from '../../store/timers/timer-item.ts';
import { completeTimer, isTimerStored, prepareTimer, setTimer } from '../../store/timers/timers.ts';
import {
  applyExtraAttempt,
  type Delivery,
  type DeliveryAttempt,
  isSuccess,
  restartSchedule,
  type ShownDelivery,
  showAttempt,
  showDelivery,
  type TestResult,
} from './delivery.ts';
import {
  type DeliveryWork,
  queryDeliveriesFrom,
  readDelivery,
  readDeliveryWork,
  replaceDelivery,
} from './delivery-store.ts';
import { deliveryTimer } from './delivery-timer.ts';
import { applyOutcome } from './dispatch.ts';
import type { Health } from './health.ts';
import { takeSendLease } from './lease-store.ts';
import { sendEvent } from './send-event.ts';
import { type StartedRecovery, showWebhook, type Webhook } from './webhook.ts';
import { readWebhook, requireWebhook } from './webhook-store.ts';

/**
 * Sends a delivery's event now, and returns the command that records the attempt.
 *
 * - The command rejects a missing endpoint or delivery, and a busy endpoint (`webhook_busy`), not this function: the
 *   request may be a repetition whose stored answer the commit returns.
 * - The receiver may get the event one time more than is recorded, if this function crashes after sending or two
 *   requests with the same key run at once.
 */
export async function redeliverNow(
  endpoint: LoadedRecord<Webhook>,
  loaded: LoadedRecord<Delivery>,
): Promise<Command<[Delivery], ShownDelivery>> {
  const { record: webhook } = endpoint;
  const sent = webhook && loaded.record && (await sendNow(webhook, readDeliveryWork(loaded.record)));
  const attempt = sent?.attempt;
  const decide = (record: Delivery | undefined) => {
    requireWebhook(endpoint);
    if (!record || !attempt) throw new ApiError('delivery_not_found');
    if (attempt instanceof ApiError) throw attempt;
    const next = applyExtraAttempt(record, attempt);
    return {
      changes: [internalChange(next)] as const,
      answer: showDelivery(next),
    };
  };
  return new Command<[Delivery], ShownDelivery>([loaded], decide, { meanwhile: sent?.released });
}

/**
 * Sends a `webhook.test` event now, and returns the command whose answer is the result. The event is not stored.
 *
 * - The command rejects a missing or busy endpoint, for the same reason as in `redeliverNow`.
 * - The event is sent again if this function crashes before the answer is stored and the client repeats the request.
 */
export async function testEndpoint(
  loaded: LoadedRecord<Webhook>,
  health: Health | undefined,
  at: Instant,
): Promise<Command<[Webhook], TestResult>> {
  const test = loaded.record && (await sendTest(loaded.record, health, at));
  const decide = () => {
    if (!test) throw new ApiError('webhook_not_found');
    if (test.answer instanceof ApiError) throw test.answer;
    return { changes: [undefined] as const, answer: test.answer, hasOtherEffect: true as const };
  };
  return new Command<[Webhook], TestResult>([loaded], decide, { meanwhile: test?.released });
}

async function sendTest(webhook: Webhook, health: Health | undefined, at: Instant) {
  const type = 'webhook.test';
  const id = eventId(webhook.id, webhook.version, `${type}:${randomUUID()}`, at);
  const { mode } = webhook;
  const body = { id, type, timestamp: toTimestamp(at), mode, objectVersion: 1, data: showWebhook(webhook) };
  const event = { id, body: JSON.stringify(body) };
  const { attempt, released } = await sendNow(webhook, Promise.resolve({ event, health }));
  if (!attempt) throw new Error('The test event was not sent.');
  if (attempt instanceof ApiError) return { answer: attempt, released };
  const shown = showAttempt({ number: 1, ...attempt } satisfies DeliveryAttempt);
  return { answer: { eventId: id, succeeded: isSuccess(attempt), ...shown }, released };
}

/** The result of a send for which a client waits. */
interface SentNow {
  /** The attempt, the error `webhook_busy`, or undefined if the event does not exist. */
  readonly attempt: Omit<DeliveryAttempt, 'number'> | ApiError | undefined;
  /** Resolves when the lease is released. */
  readonly released?: Promise<void>;
}

/**
 * Sends an event while the client waits, if the limits of such sends allow it.
 * @param reading the event and the endpoint's health, read while the lease is taken
 */
async function sendNow(
  webhook: Webhook,
  reading: Promise<Pick<DeliveryWork, 'event' | 'health'>>,
): Promise<SentNow> {
  const [taken, read] = await Promise.allSettled([takeSendLease(webhook), reading]);
  if (taken.status === 'rejected') throw taken.reason;
  const lease = taken.value;
  if (lease instanceof ApiError) return { attempt: lease };
  try {
    if (read.status === 'rejected') throw read.reason;
    const { event, health } = read.value;
    if (!event) return { attempt: undefined, released: lease.release() };
    noteEffect();
    const { retryAfter: _, ...attempt } = await sendEvent(webhook, event);
    await applyOutcome(webhook, health, attempt);
    return { attempt, released: lease.release() };
  } catch (error) {
    await lease.release();
    throw error;
  }
}

const deliveriesPerMessage = 50;

/** Returns the timer that restarts the failed and skipped deliveries of an endpoint, starting with delivery `from`. */
function recoveryTimer({ account, mode }: Owner, webhookId: string, from: string, due: Instant): Timer {
  return { due, kind: 'recovery', reference: [account, mode, webhookId, from].join('/'), group: webhookId };
}

/** Returns the command that starts the recovery of all deliveries that an endpoint has missed since `since`. */
export function startRecoveryCommand(
  loaded: LoadedRecord<Webhook>,
  since: Instant,
  now: Instant,
): Command<[Webhook], StartedRecovery> {
  return new Command([loaded], (record) => {
    const webhook = requireWebhook({ record });
    if (webhook.status !== 'enabled') throw new ApiError('webhook_disabled');
    const timers = [recoveryTimer(webhook, webhook.id, firstDeliveryId(since), now)];
    // The next version, since a change is what a timer follows from; nothing that is shown changes.
    const next = { ...webhook, version: webhook.version + 1 };
    return {
      changes: [{ ...internalChange(next), timers }],
      answer: { id: webhook.id, since: toTimestamp(since) },
    };
  });
}

/**
 * Handles a message of the queue: restarts some deliveries, and sets the timer for the next ones. A message that is repeated
 * after its end does nothing, because the endpoint may have missed other deliveries since then.
 */
export async function recoverDeliveries(timer: TimerMessage): Promise<void> {
  const [account = '', mode, webhookId = '', from = ''] = timer.reference.split('/');
  const owner: Owner = { account, mode: mode as Mode };
  const [isStored, { record: webhook }] = await Promise.all([
    isTimerStored(timer),
    readWebhook(owner, webhookId),
  ]);
  if (!isStored) return;
  if (webhook?.status === 'enabled') {
    const { deliveries, malformed, last, more } = await queryDeliveriesFrom(owner, webhookId, {
      from,
      limit: deliveriesPerMessage,
    });
    noteLeftOut(malformed);
    await throwAfterAllSettled(deliveries.map(restartDelivery));
    if (more && last) await setTimer(recoveryTimer(owner, webhookId, `${last}~`, timer.due), now());
  }
  await completeTimer(timer);
}

/**
 * Restarts a delivery. If another writer has changed it meanwhile, looks at it again: an attempt on request or an erasure does
 * not continue it.
 */
async function restartDelivery(delivery: Delivery): Promise<void> {
  const next = restartSchedule(delivery, now());
  if (!next) return;
  // The timer is stored first. Otherwise a crash after the write could leave a pending delivery without a timer.
  const timer = await prepareTimer(deliveryTimer(next), now());
  const result = await replaceDelivery(next);
  if (result.written) await timer.send();
  else if (result.stored) await restartDelivery(result.stored);
}

/** Reads an endpoint and one of its deliveries. */
export async function readDeliveryOf(owner: Owner, webhookId: string, id: string) {
  const [webhook, delivery] = await Promise.all([
    readWebhook(owner, webhookId),
    readDelivery(owner, webhookId, id),
  ]);
  return { webhook, delivery };
}
