/** Deliveries on request: one attempt outside the schedule, and the schedule anew for all that were missed. */
import { randomUUID } from 'node:crypto';
import { ApiError } from '../errors.ts';
import { eventId, firstDeliveryId, type Mode, type Owner } from '../ids.ts';
import { allOrThrow } from '../settle.ts';
import type { Reading } from '../store/records.ts';
import { completeTimer, prepareTimer, setTimer, type Timer, type TimerMessage } from '../store/timers.ts';
import { Transition } from '../store/transition.ts';
import { type Instant, now, toTimestamp } from '../time.ts';
import {
  type Attempt,
  afterExtraAttempt,
  type Delivery,
  isSuccess,
  revived,
  showAttempt,
  showDelivery,
} from './delivery.ts';
import { queryDeliveriesFrom, readDelivery, readWork, replaceDelivery, type Work } from './delivery-store.ts';
import { deliveryTimer } from './delivery-timer.ts';
import { heed, send } from './dispatch.ts';
import type { Health } from './health.ts';
import { foundWebhook, readWebhook } from './store.ts';
import { showWebhook, type Webhook } from './webhook.ts';

/**
 * Sends a delivery's event now, and returns the transition that enters how it went. What is not there is refused by the
 * transition, since this may be the repetition of a request that has taken effect meanwhile. A receiver may get the
 * event once more than is entered: if this dies in between, or is asked for twice at once under one key.
 */
export async function redelivered(
  endpoint: Reading<Webhook>,
  reading: Reading<Delivery>,
): Promise<Transition<[Delivery]>> {
  const { record: webhook } = endpoint;
  const work = webhook && reading.record && (await readWork(reading.record));
  const attempt = webhook && work?.event && (await ask(webhook, work.health, work.event));
  return new Transition<[Delivery]>([reading], (record) => {
    foundWebhook(endpoint);
    if (!record || !attempt) throw new ApiError('delivery_not_found');
    const next = afterExtraAttempt(record, attempt);
    return {
      changes: [{ record: next, element: undefined, events: [], timers: [] }],
      answer: showDelivery(next),
    };
  });
}

/**
 * Sends a `webhook.test` event now, which is not kept, and returns the transition that answers what the receiver did.
 * As above: refused by the transition, and sent again if this dies before the answer is kept.
 */
export async function tested(
  reading: Reading<Webhook>,
  health: Health | undefined,
  at: Instant,
): Promise<Transition<[Webhook]>> {
  const answer = reading.record && (await sendTest(reading.record, health, at));
  return new Transition<[Webhook]>([reading], () => {
    foundWebhook(reading);
    return { changes: [undefined], answer };
  });
}

async function sendTest(webhook: Webhook, health: Health | undefined, at: Instant) {
  const type = 'webhook.test';
  const id = eventId(webhook.id, webhook.version, `${type}:${randomUUID()}`, at);
  const { mode } = webhook;
  const body = { id, type, timestamp: toTimestamp(at), mode, objectVersion: 1, data: showWebhook(webhook) };
  const attempt = await ask(webhook, health, { id, body: JSON.stringify(body) });
  return {
    eventId: id,
    succeeded: isSuccess(attempt),
    ...showAttempt({ number: 1, ...attempt } satisfies Attempt),
  };
}

async function ask(
  webhook: Webhook,
  health: Health | undefined,
  event: NonNullable<Work['event']>,
): Promise<Omit<Attempt, 'number'>> {
  const { retryAfter: _, ...attempt } = await send(webhook, event);
  await heed(webhook, health, attempt);
  return attempt;
}

const perStep = 50;

/** The timer that leads to the recovery of all that failed or was skipped since then, beginning with delivery `from`. */
function recoveryTimer({ account, mode }: Owner, webhookId: string, from: string, due: Instant): Timer {
  return { due, kind: 'recovery', reference: [account, mode, webhookId, from].join('/'), group: webhookId };
}

/** The transition that sets out to recover what an endpoint has missed since then. */
export function startRecovery(
  reading: Reading<Webhook>,
  since: Instant,
  now: Instant,
): Transition<[Webhook]> {
  return new Transition<[Webhook]>([reading], (record) => {
    const webhook = foundWebhook({ record });
    if (webhook.status !== 'enabled') throw new ApiError('webhook_disabled');
    const timers = [recoveryTimer(webhook, webhook.id, firstDeliveryId(since), now)];
    // The next version, since a change is what a timer follows from; nothing that is shown changes.
    const next = { ...webhook, version: webhook.version + 1 };
    return {
      changes: [{ record: next, element: undefined, events: [], timers }],
      answer: { id: webhook.id, since: toTimestamp(since) },
    };
  });
}

/** What arrived in the queue: some deliveries begin their schedule anew, then a message for those after them is sent. */
export async function recover(timer: TimerMessage): Promise<void> {
  const [account = '', mode, webhookId = '', from = ''] = timer.reference.split('/');
  const owner: Owner = { account, mode: mode as Mode };
  const { record: webhook } = await readWebhook(owner, webhookId);
  if (webhook?.status === 'enabled') {
    const { deliveries, more } = await queryDeliveriesFrom(owner, webhookId, { from, limit: perStep });
    await allOrThrow(deliveries.map(revive));
    const last = deliveries.at(-1);
    if (more && last) await setTimer(recoveryTimer(owner, webhookId, `${last.id}~`, timer.due), now());
  }
  await completeTimer(timer);
}

/** A delivery that another has taken up meanwhile is on its way already. */
async function revive(delivery: Delivery): Promise<void> {
  const next = revived(delivery, now());
  if (!next) return;
  // It stands first: should this end in between and the endpoint be disabled, nobody comes back to the delivery.
  const timer = await prepareTimer(deliveryTimer(next), now());
  const { written } = await replaceDelivery(next);
  if (written) await timer.send();
}

/** Reads an endpoint and one of its deliveries. */
export async function readDeliveryOf(owner: Owner, webhookId: string, id: string) {
  const [webhook, delivery] = await Promise.all([
    readWebhook(owner, webhookId),
    readDelivery(owner, webhookId, id),
  ]);
  return { webhook, delivery };
}
