/**
 * Dispatching: one scheduled attempt to deliver an event. At least once, whatever crashes: the timer that led here
 * stands until the outcome is entered, and a receiver that was sent an event twice recognises it by its id.
 */
import { decrypt } from '../secrets/encryption.ts';
import { commit } from '../store/commit.ts';
import { completeTimer, setTimer, type TimerMessage } from '../store/timers.ts';
import { Transition } from '../store/transition.ts';
import { type Instant, now } from '../time.ts';
import { type Attempt, afterAttempt, type Delivery, isSuccess, skipped } from './delivery.ts';
import { logDelivery } from './delivery-log-line.ts';
import { postponeDelivery, readWork, replaceDelivery, type Work, type Written } from './delivery-store.ts';
import { deliveryTimer, referenceOf } from './delivery-timer.ts';
import { endAttempt, type Health, isGivenUp, mayAttempt } from './health.ts';
import { forgetFailures, noteFailure } from './health-store.ts';
import { policyOf } from './policy.ts';
import { postTo } from './post.ts';
import { webhookType } from './record.ts';
import { maxTries } from './retry-schedule.ts';
import { signedHeaders } from './signature.ts';
import { disableWebhook } from './transitions.ts';
import type { Webhook } from './webhook.ts';

/** What was sent, and what came back. */
export interface Sent extends Omit<Attempt, 'number'> {
  readonly retryAfter?: string | undefined;
}

type Event = NonNullable<Work['event']>;

/** Clocks of two instances differ. */
const earlyMs = 1_000;

/** What arrived in the queue: the attempt is made, if it is still due. */
export async function dispatch(timer: TimerMessage): Promise<void> {
  const { delivery, webhook, health, event } = await readWork(referenceOf(timer));
  if (delivery?.status !== 'pending') return completeTimer(timer);
  if (webhook?.status !== 'enabled' || !event) {
    logDelivery(delivery, skipped(delivery), undefined);
    return completeUnlessPending(timer, await replaceDelivery(skipped(delivery)));
  }
  const { nextAttemptAt = 0 } = delivery;
  if (nextAttemptAt > now() + earlyMs) {
    await setTimer(deliveryTimer(delivery), now());
    // One that has only come early may be the very item that was just set.
    return timer.due === nextAttemptAt ? undefined : completeTimer(timer);
  }
  const isLast = delivery.tries + 1 >= maxTries;
  if (!mayAttempt(webhook.id, health, now()) && !isLast) {
    return enter(timer, delivery, webhook, health, notAsked(now()));
  }
  let timedOut = false;
  try {
    const sent = await send(webhook, event);
    timedOut = sent.error === 'timeout';
    await enter(timer, delivery, webhook, health, sent);
  } finally {
    const opening = endAttempt(webhook.id, health, timedOut, now());
    if (opening) await noteFailure(webhook.id, { final: false, ...opening }, now());
  }
}

/** Signs the event and posts it. Throws only if its secret cannot be read. */
export async function send(webhook: Webhook, event: Event): Promise<Sent> {
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
 * One that never answers is not waited for once more. It counts in the schedule, else the deliveries to a dead endpoint
 * would have no end; so that none fails unasked, the last attempt is made in any case.
 */
const notAsked = (at: Instant): Sent => ({ at, durationMs: 0, error: 'endpoint_unresponsive', answer: '' });

async function enter(
  timer: TimerMessage,
  delivery: Delivery,
  webhook: Webhook,
  health: Health | undefined,
  sent: Sent,
): Promise<void> {
  const { retryAfter, ...attempt } = sent;
  const after = afterAttempt(delivery, attempt, { retryAfter, random: Math.random(), now: now() });
  logDelivery(delivery, after, sent.at);
  if (isSuccess(attempt)) {
    await Promise.all([enterSuccess(after, attempt), health && forgetFailures(webhook.id)]);
    return completeTimer(timer);
  }
  if (after.status === 'failed') {
    const noted = noteFailure(webhook.id, { final: true }, now());
    // First, so that the endpoint is disabled also if this ends in between.
    if (attempt.status === 410) await Promise.all([giveUp(webhook, 'gone'), noted]);
    const [outcome, present] = await Promise.all([replaceDelivery(after), noted]);
    if (isGivenUp(present, now())) await giveUp(webhook, 'failing');
    return completeUnlessPending(timer, outcome);
  }
  const noted = health ? undefined : noteFailure(webhook.id, { final: false }, now());
  await Promise.all([postponeDelivery(after, timer, deliveryTimer(after), now()), noted]);
}

/**
 * Another may have entered an attempt on request meanwhile, which leaves the delivery as pending as it was: then the
 * timer stands, and leads here once more when its lease ends.
 */
async function completeUnlessPending(timer: TimerMessage, outcome: Written): Promise<void> {
  if (outcome.written || outcome.present?.status !== 'pending') await completeTimer(timer);
}

/**
 * What an answer that was asked for outside the schedule says of the endpoint itself: that it takes events again, or
 * that it is gone.
 */
export async function heed(
  webhook: Webhook,
  health: Health | undefined,
  attempt: Pick<Attempt, 'status'>,
): Promise<void> {
  if (isSuccess(attempt) && health) await forgetFailures(webhook.id);
  if (attempt.status === 410) await giveUp(webhook, 'gone');
}

/** Whatever others have entered meanwhile, the receiver has it. */
async function enterSuccess(after: Delivery, attempt: Omit<Attempt, 'number'>): Promise<void> {
  let outcome = await replaceDelivery(after);
  while (!outcome.written && outcome.present && outcome.present.status !== 'succeeded') {
    const options = { retryAfter: undefined, random: 0, now: now() };
    outcome = await replaceDelivery(afterAttempt(outcome.present, attempt, options));
  }
}

/** Disables the endpoint, unless it was led elsewhere meanwhile, where nobody has been asked yet. */
async function giveUp(webhook: Webhook, reason: 'gone' | 'failing'): Promise<void> {
  const { account, mode, id, url } = webhook;
  const reading = { type: webhookType, owner: { account, mode }, id, record: webhook };
  const transition = new Transition<[Webhook]>([reading], (present) => ({
    changes: [present?.url === url ? disableWebhook(present, reason, now()) : undefined],
    answer: {},
  }));
  await commit(transition, { now: now(), key: undefined, toReply: () => ({ status: 200, body: '' }) });
}
