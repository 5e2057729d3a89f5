/**
 * Makes the attempts to deliver webhooks that become due while a clock of test mode moves. The dispatcher makes each of
 * them. This code only makes it due now, and waits for its result.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, clockAt } from '../../base/clock.ts';
import type { Owner } from '../../base/ids.ts';
import type { StoredClock } from '../../base/test-clock.ts';
import { type Instant, now } from '../../base/time.ts';
import { attemptAtOnce, type Delivery, isDueSoon } from '../../domain/webhooks/delivery.ts';
import { queryDeliveries, readDelivery, replaceDelivery } from '../../domain/webhooks/delivery-store.ts';
import { deliveryTimer } from '../../domain/webhooks/delivery-timer.ts';
import { readWebhooks } from '../../domain/webhooks/webhook-store.ts';
import { committedAtOf, readUnrelayed } from '../../store/commit/outbox-item.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import { prepareTimer, setTimer } from '../../store/timers/timers.ts';

/** How many of the newest deliveries of each endpoint a move considers. The others keep the real time. */
const newestDeliveries = 1_000;
const checkMs = 100;
/** An attempt takes less time. If it is not stored after this time, its message is sent again. */
const lostAfterMs = 30_000;

/** Everything follows from a change within this time, with the first attempts, unless something fails. */
export const followsWithinMs = 30_000;

/**
 * Waits until everything has followed from the changes of test mode before an instant, with the first attempts to deliver their
 * events. A delivery is stored with the outcome of its first attempt, see `first-message.ts`.
 * @param end when to stop, on the clock of `performance.now`
 * @returns false if something has not followed in time
 */
export async function settleChanges(owner: Owner, before: Instant, end: number): Promise<boolean> {
  while (await hasOpenChanges(owner, before)) {
    if (performance.now() > end) return false;
    await wait(checkMs);
  }
  return true;
}

/** Whether something still follows from a change with an event before an instant. Changes that wait for longer do not count. */
export async function hasOpenChanges(owner: Owner, before: Instant): Promise<boolean> {
  const unrelayed = (await readUnrelayed(owner)).filter(({ events }) => events.length > 0);
  const times = unrelayed.map(committedAtOf);
  return times.some((at) => at < before && at > now() - followsWithinMs);
}

/** Reads the pending deliveries of all endpoints. */
export async function readPendingDeliveries(owner: Owner): Promise<Delivery[]> {
  const webhooks = await readWebhooks(owner);
  return (await Promise.all(webhooks.map(({ id }) => readPendingOfEndpoint(owner, id)))).flat();
}

async function readPendingOfEndpoint(owner: Owner, webhookId: string): Promise<Delivery[]> {
  const pending: Delivery[] = [];
  let before: string | undefined;
  for (let left = newestDeliveries; left > 0; ) {
    const { deliveries, malformed, last, more } = await queryDeliveries(owner, webhookId, {
      before,
      limit: left,
    });
    noteLeftOut(malformed);
    pending.push(...deliveries.filter(({ status }) => status === 'pending'));
    if (!more) break;
    left -= Math.max(1, deliveries.length);
    before = last;
  }
  return pending;
}

/**
 * Waits until the next attempt of a delivery was made and its result is stored.
 * @param first the delivery before the attempt
 * @param clock the clock of the account
 * @param end when to stop, on the clock of `performance.now`
 * @returns false if the attempt was not made in time
 */
export async function settleAttempt(first: Delivery, clock: StoredClock, end: number): Promise<boolean> {
  let isSent = false;
  while (performance.now() < end) {
    const present = (await readDelivery(first, first.webhookId, first.id)).record;
    if (present?.status !== 'pending' || lastNumber(present) !== lastNumber(first)) return true;
    if (!isSent) isSent = await send(present, clockAt(clock, now()));
    await wait(checkMs);
  }
  return false;
}

const lastNumber = ({ attempts }: Delivery): number => attempts.at(-1)?.number ?? 0;

/** Makes the next attempt due now. Returns whether this call sent its message. */
async function send(delivery: Delivery, clock: Clock): Promise<boolean> {
  const { real: at } = clock;
  if (isDueSoon(delivery, at)) {
    // An attempt may be running. Only if it does not end, its message was lost.
    if ((delivery.nextAttemptAt ?? at) > at - lostAfterMs) return false;
    await setTimer(deliveryTimer(delivery), at);
    return true;
  }
  const next = attemptAtOnce(delivery, clock);
  // The timer is stored first, so a crash after the write leaves a timer whose lease ends.
  const timer = await prepareTimer(deliveryTimer(next), at);
  const { written } = await replaceDelivery(next);
  if (written) await timer.send();
  return written;
}
