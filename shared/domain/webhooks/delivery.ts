/** Defines the delivery of an event to a webhook endpoint: its fields, and its next state after each attempt. Pure. */

import * as v from 'valibot';
import { aheadMs, type Clock, clockAt } from '../../base/clock.ts';
import { deliveryId, idPatternOf, type Owner } from '../../base/ids.ts';
import { cursorSchema, paginationQuery } from '../../base/pagination.ts';
import type { WebhookFault } from '../../base/test-fault.ts';
import {
  type AccountTime,
  hasExpired,
  type Instant,
  timestampSchema,
  toSeconds,
  toTimestamp,
} from '../../base/time.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import { unlessRepeated } from '../../store/lists/filters/list-filters.ts';
import type { RecordBase } from '../../store/records.ts';
import { eventIdSchema, eventTypes } from '../events/event.ts';
import { retryAfterMs, waitAfter } from './retry-schedule.ts';

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'skipped'] as const;

/** The result of one attempt: the receiver's status, or an error code if there was no response. */
export interface DeliveryAttempt {
  /** Counted from 1. */
  readonly number: number;
  readonly at: Instant;
  readonly durationMs: number;
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  /** Why TLS failed. */
  readonly cause?: string | undefined;
  /** The first 1 KiB of the response's body. */
  readonly answer: string;
}

/** Identifies a delivery, with everything that is needed to read it, its endpoint and its event in one call. */
export interface DeliveryReference extends Owner {
  readonly webhookId: string;
  readonly id: string;
  readonly position: number;
}

export interface Delivery extends RecordBase {
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The event's position in the log. */
  readonly position: number;
  readonly status: (typeof deliveryStatuses)[number];
  /** The last attempts. */
  readonly attempts: readonly DeliveryAttempt[];
  /** The number of attempts in the present run of the schedule. */
  readonly tries: number;
  /** In the real time, also in test mode. */
  readonly nextAttemptAt?: Instant | undefined;
  /**
   * How far the account's clock was ahead of the real time when the next attempt was scheduled, in milliseconds. So the time
   * of the account at the next attempt is `nextAttemptAt` plus this.
   */
  readonly clockOffset?: number | undefined;
  /** A fault for which the client asked in test mode. */
  readonly fault?: WebhookFault | undefined;
  readonly createdAt: Instant;
  /** In seconds since 1970. The delivery expires with its event. */
  readonly expiresAt: number;
}

const retentionMs = 30 * 24 * 60 * 60 * 1000;
/** All attempts are stored in one item, and each has up to 1 KiB. */
const keptAttempts = 25;
/** The time between the two successful attempts of a delivery with the fault `twice`. */
const repetitionMs = 2_000;

const attemptFields = {
  number: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  at: timestampSchema,
  durationMs: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  status: v.nullable(v.pipe(v.number(), v.safeInteger())),
  error: v.nullable(v.string()),
  cause: v.nullable(v.string()),
  answer: v.string(),
};

export const attemptSchema = v.strictObject(attemptFields);

/** The answer to `POST …/test`. */
export const testResultSchema = v.strictObject({
  eventId: eventIdSchema,
  succeeded: v.boolean(),
  ...attemptFields,
});

export const deliverySchema = v.strictObject({
  id: v.pipe(v.string(), v.regex(idPatternOf('delivery'))),
  eventId: eventIdSchema,
  eventType: v.picklist(eventTypes),
  status: v.picklist(deliveryStatuses),
  attempts: v.array(attemptSchema),
  nextAttemptAt: v.nullable(timestampSchema),
  createdAt: timestampSchema,
});

const statusMessage = `status must be one of ${deliveryStatuses.join(', ')}.`;
const beforeMessage = 'before must be the ID of a delivery, in the form dlv_….';

/** The query of the list of deliveries, newest first. */
export const listDeliveriesQuery = v.strictObject({
  limit: paginationQuery.limit,
  status: v.optional(v.picklist(deliveryStatuses, unlessRepeated('status', statusMessage))),
  before: v.optional(v.pipe(v.string(beforeMessage), v.regex(/^dlv_[0-9a-z]{26}$/, beforeMessage))),
});

export type ListDeliveries = v.InferOutput<typeof listDeliveriesQuery>;

/** The list of deliveries. `next` is the value of `before` for the next page, or null if there is none. */
export const deliveryListSchema = v.strictObject({
  data: v.array(deliverySchema),
  cursor: cursorSchema,
});

/**
 * Returns the delivery of a new event. The same arguments give the same delivery.
 * @param position the position of the event in the log
 * @param waitMs the time from the event to the first attempt, in milliseconds
 */
export function newDelivery(
  { account, mode }: Owner,
  webhook: { readonly id: string; readonly status: string },
  event: EventDraft,
  position: number,
  {
    fault,
    waitMs = 0,
    committedAt,
  }: {
    readonly fault?: WebhookFault | undefined;
    readonly waitMs?: number;
    /** The real time of the change. In test mode, the time of its event can be ahead of it. */
    readonly committedAt?: Instant;
  } = {},
): Delivery {
  const createdAt = Date.parse(JSON.parse(event.body).timestamp);
  const firstAt = committedAt === undefined ? createdAt : Math.min(createdAt, committedAt);
  const pending = webhook.status === 'enabled';
  return {
    account,
    mode,
    webhookId: webhook.id,
    eventId: event.id,
    eventType: event.type,
    position,
    id: deliveryId(webhook.id, event.id, createdAt),
    version: 1,
    attempts: [],
    tries: 0,
    createdAt,
    ...(fault && { fault }),
    ...(createdAt > firstAt && { clockOffset: createdAt - firstAt }),
    ...(pending ? { status: 'pending', nextAttemptAt: firstAt + waitMs } : { status: 'skipped' }),
    expiresAt: toSeconds(createdAt + retentionMs),
  };
}

/** Whether the receiver accepted the event: its status is 2xx. */
export const isSuccess = ({ status = 0 }: Pick<DeliveryAttempt, 'status'>): boolean =>
  status >= 200 && status < 300;

/**
 * Returns the delivery after a scheduled attempt: succeeded, pending until the next attempt, or finally failed. With the fault
 * `twice`, it is also pending after its first success.
 * @param retryAfter the receiver's `Retry-After` header, honored for 429 and 503
 * @param random from 0 to 1, for the jitter of the wait
 */
export function applyScheduledAttempt(
  delivery: Delivery,
  attempt: Omit<DeliveryAttempt, 'number'>,
  { retryAfter, random, now }: { retryAfter: string | undefined; random: number; now: Instant },
): Delivery {
  const attempted = withAttempt(delivery, attempt);
  if (isSuccess(attempt)) {
    const isRepeated = delivery.fault === 'twice' && !delivery.attempts.some(isSuccess);
    if (isRepeated) return { ...attempted, nextAttemptAt: now + repetitionMs };
    return { ...attempted, status: 'succeeded', nextAttemptAt: undefined };
  }
  const tries = delivery.tries + 1;
  const minWait = attempt.status === 429 || attempt.status === 503 ? retryAfterMs(retryAfter, now) : 0;
  const wait = attempt.status === 410 ? undefined : waitAfter(tries, random, minWait);
  if (wait === undefined) return { ...attempted, tries, status: 'failed', nextAttemptAt: undefined };
  return { ...attempted, tries, nextAttemptAt: now + wait };
}

/**
 * Returns the delivery after an attempt outside the schedule. A success ends the schedule, a failure leaves it as it
 * is.
 */
export function applyExtraAttempt(delivery: Delivery, attempt: Omit<DeliveryAttempt, 'number'>): Delivery {
  const attempted = withAttempt(delivery, attempt);
  return isSuccess(attempt) ? { ...attempted, status: 'succeeded', nextAttemptAt: undefined } : attempted;
}

/** Returns the delivery as skipped, because its endpoint is disabled or deleted, or its event expired. */
export function skipDelivery(delivery: Delivery): Delivery {
  return { ...next(delivery), status: 'skipped', nextAttemptAt: undefined };
}

/** Whether the next attempt is only counted as failed and not made: it is the first one, and the fault is `drop`. */
export const isDropped = ({ fault, attempts }: Delivery): boolean =>
  fault === 'drop' && attempts.length === 0;

/** Restarts the schedule of a failed or skipped delivery. Returns undefined for other deliveries. */
export function restartSchedule(delivery: Delivery, now: Instant): Delivery | undefined {
  if (delivery.status !== 'failed' && delivery.status !== 'skipped') return undefined;
  return { ...next(delivery), status: 'pending', tries: 0, nextAttemptAt: now };
}

/** A message may arrive this early, because the clocks of instances differ. */
const earlyMs = 1_000;

/** Whether an attempt is due, or a message that arrives early may already make it. */
export const isDueSoon = ({ nextAttemptAt = 0 }: Delivery, now: Instant): boolean =>
  nextAttemptAt <= now + earlyMs;

/** Whether the time for which a delivery is kept has passed. Its event has expired, too. */
export const isExpired = ({ expiresAt }: Delivery, now: Instant): boolean => hasExpired(expiresAt, now);

/** Returns a pending delivery whose next attempt is due now. */
export function attemptAtOnce(delivery: Delivery, clock: Clock): Delivery {
  return { ...next(delivery), nextAttemptAt: clock.real, clockOffset: aheadMs(clock) };
}

/** Returns the time of the account at the next attempt of a pending delivery. */
export const accountTimeOfAttempt = ({ nextAttemptAt = 0, clockOffset: o = 0 }: Delivery): AccountTime =>
  clockAt({ o }, nextAttemptAt).account;

function withAttempt(delivery: Delivery, attempt: Omit<DeliveryAttempt, 'number'>): Delivery {
  const number = (delivery.attempts.at(-1)?.number ?? 0) + 1;
  return { ...next(delivery), attempts: [...delivery.attempts, { number, ...attempt }].slice(-keptAttempts) };
}

const next = (delivery: Delivery): Delivery => ({ ...delivery, version: delivery.version + 1 });

export type TestResult = v.InferOutput<typeof testResultSchema>;
export type ShownDelivery = v.InferOutput<typeof deliverySchema>;

/** Returns the attempt as the API shows it. */
export function showAttempt({
  number,
  at,
  durationMs,
  status,
  error,
  cause,
  answer,
}: DeliveryAttempt): v.InferOutput<typeof attemptSchema> {
  const failure = { error: error ?? null, cause: cause ?? null };
  return { number, at: toTimestamp(at), durationMs, status: status ?? null, ...failure, answer };
}

/** Returns the delivery as the API shows it. */
export function showDelivery(delivery: Delivery): v.InferOutput<typeof deliverySchema> {
  const { id, eventId, eventType, status, attempts, nextAttemptAt, createdAt } = delivery;
  return {
    id,
    eventId,
    eventType: eventType as (typeof eventTypes)[number],
    status,
    attempts: attempts.map(showAttempt),
    nextAttemptAt: nextAttemptAt === undefined ? null : toTimestamp(nextAttemptAt),
    createdAt: toTimestamp(createdAt),
  };
}
