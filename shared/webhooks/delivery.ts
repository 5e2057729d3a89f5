/** The delivery of an event to a webhook endpoint: its fields, and what becomes of it with each attempt. Pure. */
import * as v from 'valibot';
import { eventTypes } from '../events/event.ts';
import { deliveryId, isRecordId, type Owner } from '../ids.ts';
import { cursorSchema, paginationQuery } from '../pagination.ts';
import { keys } from '../store/keys.ts';
import type { EventDraft } from '../store/outbox.ts';
import type { RecordBase, RecordType } from '../store/records.ts';
import { type Instant, timestampSchema, toSeconds, toTimestamp } from '../time.ts';
import { retryAfterMs, waitAfter } from './retry-schedule.ts';

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'skipped'] as const;

/** What became of one attempt: the receiver's status, or the code of what went wrong before there was one. */
export interface Attempt {
  /** From 1. */
  readonly number: number;
  readonly at: Instant;
  readonly durationMs: number;
  readonly status?: number | undefined;
  readonly error?: string | undefined;
  /** The first 1 KiB of what the receiver answered. */
  readonly answer: string;
}

export interface Delivery extends RecordBase {
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** Where the event stands in the log. */
  readonly position: number;
  readonly status: (typeof deliveryStatuses)[number];
  /** The last ones. */
  readonly attempts: readonly Attempt[];
  /** How far it is in the schedule. */
  readonly tries: number;
  readonly nextAttemptAt?: Instant | undefined;
  readonly createdAt: Instant;
  /** Seconds since 1970: as long as its event. */
  readonly expiresAt: number;
}

const retentionMs = 30 * 24 * 60 * 60 * 1000;
/** Each is up to 1 KiB, and all of them stand in one item. */
const keptAttempts = 25;

const attemptFields = {
  number: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  at: timestampSchema,
  durationMs: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  status: v.nullable(v.pipe(v.number(), v.safeInteger())),
  error: v.nullable(v.string()),
  answer: v.string(),
};

export const attemptSchema = v.strictObject(attemptFields);

/** The answer to `POST …/test`. */
export const testResultSchema = v.strictObject({
  eventId: v.string(),
  succeeded: v.boolean(),
  ...attemptFields,
});

export const deliverySchema = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^dlv_[0-9a-z]{26}$/)),
  eventId: v.string(),
  eventType: v.picklist(eventTypes),
  status: v.picklist(deliveryStatuses),
  attempts: v.array(attemptSchema),
  nextAttemptAt: v.nullable(timestampSchema),
  createdAt: timestampSchema,
});

const statusMessage = `status must be one of ${deliveryStatuses.join(', ')}.`;
const beforeMessage = 'before must be the id of a delivery, of the form dlv_….';

/** Newest first. */
export const listDeliveriesQuery = v.strictObject({
  limit: paginationQuery.limit,
  status: v.optional(v.picklist(deliveryStatuses, statusMessage)),
  before: v.optional(v.pipe(v.string(beforeMessage), v.regex(/^dlv_[0-9a-z]{26}$/, beforeMessage))),
});

export type ListDeliveries = v.InferOutput<typeof listDeliveriesQuery>;

/** `next` is what to send as `before` to go on; null if there is nothing to go on from. */
export const deliveryListSchema = v.strictObject({
  data: v.array(deliverySchema),
  cursor: cursorSchema,
});

/** How the deliveries to one endpoint are kept. */
export function deliveryType(webhookId: string): RecordType<Delivery> {
  return {
    isId: (id) => isRecordId('webhook', webhookId) && isRecordId('delivery', id),
    keyOf: (_, id) => keys.delivery(webhookId, id),
    idIn: 'sk',
    attributes: [
      ...(['eventId', 'eventType', 'position', 'attempts', 'tries', 'nextAttemptAt'] as const),
      ...(['createdAt', 'expiresAt'] as const),
    ],
    derived: () => ({ webhookId }),
  };
}

/** The delivery of an event that was just published: the same however often that is done. */
export function newDelivery(
  { account, mode }: Owner,
  webhook: { readonly id: string; readonly status: string },
  event: EventDraft,
  position: number,
): Delivery {
  const createdAt = Date.parse(JSON.parse(event.body).timestamp);
  const pending = webhook.status === 'enabled';
  return {
    ...{ account, mode, webhookId: webhook.id, eventId: event.id, eventType: event.type, position },
    ...{ id: deliveryId(webhook.id, event.id, createdAt), version: 1, attempts: [], tries: 0, createdAt },
    ...(pending ? { status: 'pending', nextAttemptAt: createdAt } : { status: 'skipped' }),
    expiresAt: toSeconds(createdAt + retentionMs),
  };
}

/** What `attempt` was answered with: whether the receiver has taken the event. */
export const isSuccess = ({ status = 0 }: Pick<Attempt, 'status'>): boolean => status >= 200 && status < 300;

/** A scheduled attempt was made: it has succeeded, or comes again after a wait, or has failed for good. */
export function afterAttempt(
  delivery: Delivery,
  attempt: Omit<Attempt, 'number'>,
  { retryAfter, random, now }: { retryAfter: string | undefined; random: number; now: Instant },
): Delivery {
  const attempted = withAttempt(delivery, attempt);
  if (isSuccess(attempt)) return { ...attempted, status: 'succeeded', nextAttemptAt: undefined };
  const tries = delivery.tries + 1;
  const asked = attempt.status === 429 || attempt.status === 503 ? retryAfterMs(retryAfter, now) : 0;
  const wait = attempt.status === 410 ? undefined : waitAfter(tries, random, asked);
  if (wait === undefined) return { ...attempted, tries, status: 'failed', nextAttemptAt: undefined };
  return { ...attempted, tries, nextAttemptAt: now + wait };
}

/** An attempt outside the schedule was made: success ends the waiting ones, failure changes nothing. */
export function afterExtraAttempt(delivery: Delivery, attempt: Omit<Attempt, 'number'>): Delivery {
  const attempted = withAttempt(delivery, attempt);
  return isSuccess(attempt) ? { ...attempted, status: 'succeeded', nextAttemptAt: undefined } : attempted;
}

/** Its endpoint takes nothing at present. */
export function skipped(delivery: Delivery): Delivery {
  return { ...next(delivery), status: 'skipped', nextAttemptAt: undefined };
}

/** Begins the schedule anew; undefined if it has succeeded or is on its way. */
export function revived(delivery: Delivery, now: Instant): Delivery | undefined {
  if (delivery.status !== 'failed' && delivery.status !== 'skipped') return undefined;
  return { ...next(delivery), status: 'pending', tries: 0, nextAttemptAt: now };
}

function withAttempt(delivery: Delivery, attempt: Omit<Attempt, 'number'>): Delivery {
  const number = (delivery.attempts.at(-1)?.number ?? 0) + 1;
  return { ...next(delivery), attempts: [...delivery.attempts, { number, ...attempt }].slice(-keptAttempts) };
}

const next = (delivery: Delivery): Delivery => ({ ...delivery, version: delivery.version + 1 });

/** The attempt as the API shows it. */
export function showAttempt({
  number,
  at,
  durationMs,
  status,
  error,
  answer,
}: Attempt): v.InferOutput<typeof attemptSchema> {
  return { number, at: toTimestamp(at), durationMs, status: status ?? null, error: error ?? null, answer };
}

/** The delivery as the API shows it. */
export function showDelivery(delivery: Delivery): v.InferOutput<typeof deliverySchema> {
  const { id, eventId, eventType, status, attempts, nextAttemptAt, createdAt } = delivery;
  return {
    ...{ id, eventId, eventType: eventType as (typeof eventTypes)[number], status },
    attempts: attempts.map(showAttempt),
    nextAttemptAt: nextAttemptAt === undefined ? null : toTimestamp(nextAttemptAt),
    createdAt: toTimestamp(createdAt),
  };
}
