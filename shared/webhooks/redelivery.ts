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
import { queryDeliveriesFrom, readDelivery, readWork, replaceDelivery } from './delivery-store.ts';
import { deliveryTimer } from './delivery-timer.ts';
import { send } from './dispatch.ts';
import { readWebhook } from './store.ts';
import { showWebhook, type Webhook } from './webhook.ts';

/** The delivery that was read. Throws `delivery_not_found`. */
export function foundDelivery({ record }: Pick<Reading<Delivery>, 'record'>): Delivery {
  if (!record) throw new ApiError('delivery_not_found');
  return record;
}

/** Sends a delivery's event now, and returns the transition that enters how it went. */
export async function redelivered(
  webhook: Webhook,
  reading: Reading<Delivery>,
): Promise<Transition<[Delivery]>> {
  const delivery = foundDelivery(reading);
  const { event } = await readWork(delivery);
  if (!event) throw new ApiError('delivery_not_found');
  const { retryAfter: _, ...attempt } = await send(webhook, event);
  return new Transition<[Delivery]>([reading], (record) => {
    const next = afterExtraAttempt(foundDelivery({ record }), attempt);
    return {
      changes: [{ record: next, element: undefined, events: [], timers: [] }],
      answer: showDelivery(next),
    };
  });
}

/** Sends a `webhook.test` event now, which is not kept; returns what the receiver answered. */
export async function sendTest(webhook: Webhook, at: Instant) {
  const type = 'webhook.test';
  const id = eventId(webhook.id, webhook.version, `${type}:${randomUUID()}`);
  const { mode } = webhook;
  const body = { id, type, timestamp: toTimestamp(at), mode, objectVersion: 1, data: showWebhook(webhook) };
  const { retryAfter: _, ...attempt } = await send(webhook, { id, body: JSON.stringify(body) });
  return {
    eventId: id,
    succeeded: isSuccess(attempt),
    ...showAttempt({ number: 1, ...attempt } satisfies Attempt),
  };
}

const perStep = 50;

/** The timer that leads to the recovery of all that failed or was skipped since then, beginning with delivery `from`. */
function recoveryTimer({ account, mode }: Owner, webhookId: string, from: string, due: Instant): Timer {
  return { due, kind: 'recovery', reference: [account, mode, webhookId, from].join('/'), group: webhookId };
}

/** Sets out to recover what an endpoint has missed since then. Throws `webhook_disabled`. */
export async function startRecovery(webhook: Webhook, since: Instant, at: Instant): Promise<void> {
  if (webhook.status !== 'enabled') throw new ApiError('webhook_disabled');
  await setTimer(recoveryTimer(webhook, webhook.id, firstDeliveryId(since), at), at);
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
    if (more && last) await setTimer(recoveryTimer(owner, webhookId, `${last.id}~`, now()), now());
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
