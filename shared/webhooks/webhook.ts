/**
 * The webhook endpoint as clients see it: its fields, the bodies that its routes take, and what they answer. Which
 * addresses may be called is not judged here.
 */
import * as v from 'valibot';
import { parseDueDate } from '../due-date.ts';
import { commonEventTypes, type EventType, eventTypes } from '../events/event.ts';
import { paginationQuery } from '../pagination.ts';
import type { RecordBase } from '../store/records.ts';
import { textSchema } from '../text.ts';
import { type Instant, timestampSchema, toTimestamp } from '../time.ts';

/** Endpoints per account and mode. */
export const maxWebhooks = 20;

export const webhookStatuses = ['enabled', 'disabled'] as const;

/** Why an endpoint gets nothing: its owner, its own `410 Gone`, or five days without a success. */
export const disabledReasons = ['manual', 'gone', 'failing'] as const;

/** A secret as it is kept. */
export interface SealedSecret {
  readonly ciphertext: string;
  /** Until when it signs along; undefined: it is the present one. */
  readonly until?: Instant | undefined;
}

export interface Webhook extends RecordBase {
  /** Higher than those of all that were created before. */
  readonly number: number;
  readonly url: string;
  readonly events: readonly (EventType | '*')[];
  readonly description: string | null;
  readonly status: (typeof webhookStatuses)[number];
  readonly disabledReason: (typeof disabledReasons)[number] | null;
  /** The present one first. */
  readonly secrets: readonly SealedSecret[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const urlMessage =
  'url must be an absolute https address (in test mode http, too) of at most 2048 characters.';
const eventsMessage = `events must be an array of different kinds of events, or ["*"]; the kinds are ${eventTypes.join(', ')}.`;
const descriptionMessage =
  'description must be text of 1 to 255 characters, not only white space, without NUL or unpaired surrogates.';
const statusMessage = `status must be one of ${webhookStatuses.join(', ')}.`;
const overlapMessage = 'overlapHours must be an integer from 0 to 168.';
const sinceMessage = 'since must be an ISO 8601 datetime such as 2026-01-31T00:00:00Z.';

const urlSchema = v.pipe(v.string(urlMessage), v.nonEmpty(urlMessage), v.maxLength(2048, urlMessage));

const eventsSchema = v.pipe(
  v.array(v.picklist([...eventTypes, '*'], eventsMessage), eventsMessage),
  v.minLength(1, eventsMessage),
  v.check((events) => new Set(events).size === events.length, eventsMessage),
  v.check((events) => !events.includes('*') || events.length === 1, eventsMessage),
);

const description = textSchema(255, descriptionMessage);

export const createWebhookBody = v.strictObject({
  url: urlSchema,
  events: eventsSchema,
  description: v.nullish(description),
});

/** What is left out stays as it is; `description: null` takes it away. */
export const updateWebhookBody = v.strictObject({
  url: v.optional(urlSchema),
  events: v.optional(eventsSchema),
  description: v.nullish(description),
  status: v.optional(v.picklist(webhookStatuses, statusMessage)),
});

export const rotateSecretBody = v.strictObject({
  overlapHours: v.nullish(
    v.pipe(
      v.number(overlapMessage),
      v.integer(overlapMessage),
      v.minValue(0, overlapMessage),
      v.maxValue(168, overlapMessage),
    ),
    24,
  ),
});

/** Out: the instant. */
export const recoverBody = v.strictObject({
  since: v.pipe(v.string(sinceMessage), v.transform(parseSince), v.number(sinceMessage)),
});

export const listWebhooksQuery = v.strictObject(paginationQuery);

export type CreateWebhook = v.InferOutput<typeof createWebhookBody>;
export type UpdateWebhook = v.InferOutput<typeof updateWebhookBody>;

export const webhookIdSchema = v.pipe(v.string(), v.regex(/^wh_[0-9a-z]{26}$/));

const shownFields = {
  id: webhookIdSchema,
  url: v.string(),
  events: v.array(v.picklist([...eventTypes, '*'])),
  description: v.nullable(v.string()),
  status: v.picklist(webhookStatuses),
  disabledReason: v.nullable(v.picklist(disabledReasons)),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
};

/** The endpoint in responses: always all of these fields. */
export const webhookSchema = v.strictObject(shownFields);

/** The one time that its secret is shown: at creation and at rotation. */
export const webhookWithSecretSchema = v.strictObject({
  ...shownFields,
  secret: v.pipe(v.string(), v.regex(/^whsec_[A-Za-z0-9+/]{43}=$/)),
});

export const webhookDeletionSchema = v.strictObject({ id: webhookIdSchema, deletedAt: timestampSchema });

export const recoverySchema = v.strictObject({ id: webhookIdSchema, since: timestampSchema });

/** The endpoint as the API shows it. */
export function showWebhook(webhook: Webhook): v.InferOutput<typeof webhookSchema> {
  const { id, url, events, description, status, disabledReason } = webhook;
  return {
    ...{ id, url, events: [...events], description, status, disabledReason },
    createdAt: toTimestamp(webhook.createdAt),
    updatedAt: toTimestamp(webhook.updatedAt),
  };
}

/** The instant of a `since`, or undefined if it is none: a plain date would mean the end of its day. */
function parseSince(text: string): Instant | undefined {
  return text.includes('T') ? parseDueDate(text)?.instant : undefined;
}

/** Whether the endpoint asked for events of that kind. */
export function wants({ events }: Pick<Webhook, 'events'>, type: string): boolean {
  if (events.includes(type as EventType)) return true;
  return events.includes('*') && (commonEventTypes as readonly string[]).includes(type);
}
