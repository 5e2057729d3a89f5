/**
 * Defines the webhook endpoint as clients see it: its fields, the bodies of its requests, and the answers. `outbound/`
 * decides which addresses may be called.
 */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { SettingValues } from '../../base/audit-origin.ts';
import { isPlainDate, parseDueDate } from '../../base/due-date.ts';
import { idPatternOf } from '../../base/ids.ts';
import {
  metadataUpdateSchema,
  newMetadataSchema,
  showMetadata,
  shownMetadataSchema,
} from '../../base/metadata.ts';
import { overlapHoursSchema } from '../../base/overlap-hours.ts';
import { paginationQuery } from '../../base/pagination.ts';
import { refuseCardNumber, typedText } from '../../base/text.ts';
import { type Instant, timestampSchema, toTimestamp } from '../../base/time.ts';
import type { RecordBase } from '../../store/records.ts';
import { commonEventTypes, type EventType, eventTypes } from '../events/event.ts';
import {
  type ApiVersion,
  apiVersionMessage,
  apiVersions,
  auditedApiVersion,
  storedApiVersion,
} from '../versions/versions.ts';
import { endpointTypeOf, endpointTypeSchema, targetSchema, urlMessage } from './destination.ts';
import { type EventFilter, filterSchema, matchesEventFilters, newFiltersSchema } from './event-filter.ts';

/** The number of endpoints that an account and mode can have. */
export const maxWebhooks = 20;

export const webhookStatuses = ['enabled', 'disabled'] as const;

/** What an endpoint can name besides event types: the common types, and all types, also those of later versions. */
const eventGroups = ['*', 'all'] as const;
export type EventSelector = EventType | (typeof eventGroups)[number];

/** Why an endpoint is disabled: its owner disabled it, it responded `410 Gone`, or it failed for five days. */
export const disabledReasons = ['manual', 'gone', 'failing'] as const;
export const disabledReasonSchema = v.picklist(disabledReasons);

/** A secret as it is stored. */
export interface EncryptedSecret {
  readonly ciphertext: string;
  /** When an old secret stops signing. Undefined for the present secret. */
  readonly until?: Instant | undefined;
}

export interface Webhook extends RecordBase {
  /** Higher than the numbers of all older endpoints. */
  readonly number: number;
  /** Where events go: a URL, or the ARN of a target in AWS. */
  readonly url: string;
  readonly events: readonly EventSelector[];
  readonly description: string | null;
  readonly status: (typeof webhookStatuses)[number];
  readonly disabledReason: (typeof disabledReasons)[number] | null;
  /** The present secret first, and then those that also sign for some time. Empty: events go to a target, which needs none. */
  readonly secrets: readonly EncryptedSecret[];
  /** The version in which the endpoint gets events. */
  readonly apiVersion: ApiVersion;
  /** JSON text, see `mergeMetadata`. */
  readonly metadata?: string | undefined;
  /** Undefined: none. */
  readonly filters?: readonly EventFilter[] | undefined;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const eventsMessage = `events must be an array of event types without duplicates, or ["all"]. "*" stands for the common event types. The event types are ${eventTypes.join(', ')}.`;
const statusMessage = `status must be one of ${webhookStatuses.join(', ')}.`;
const sinceMessage = 'since must be an ISO 8601 date and time such as 2026-01-31T00:00:00Z.';

const urlSchema = v.pipe(
  v.string(urlMessage),
  v.nonEmpty(urlMessage),
  v.maxLength(2048, urlMessage),
  refuseCardNumber('url'),
);

const eventsSchema = v.pipe(
  v.array(v.picklist([...eventTypes, ...eventGroups], eventsMessage), eventsMessage),
  v.minLength(1, eventsMessage),
  v.check((events) => new Set(events).size === events.length, eventsMessage),
  v.check((events) => !events.includes('all') || events.length === 1, eventsMessage),
);

const description = typedText('description', 255);

export const createWebhookBody = v.strictObject({
  url: v.optional(urlSchema),
  events: eventsSchema,
  description: v.nullish(description),
  metadata: v.nullish(newMetadataSchema),
  filters: v.nullish(newFiltersSchema),
  type: v.nullish(endpointTypeSchema),
  target: v.nullish(targetSchema),
});

/**
 * The body of an update. Absent fields do not change. `description: null` removes the description. A client can send back an
 * endpoint that it received: `updateWebhook` compares the read-only fields.
 */
export const updateWebhookBody = v.strictObject({
  id: v.optional(v.unknown()),
  url: v.nullish(urlSchema),
  events: v.optional(eventsSchema),
  description: v.nullish(description),
  status: v.optional(v.picklist(webhookStatuses, statusMessage)),
  eventTypes: v.optional(v.unknown()),
  disabledReason: v.optional(v.unknown()),
  apiVersion: v.optional(v.picklist(apiVersions, apiVersionMessage)),
  createdAt: v.optional(v.unknown()),
  updatedAt: v.optional(v.unknown()),
  metadata: v.nullish(metadataUpdateSchema),
  filters: v.nullish(newFiltersSchema),
  type: v.optional(v.unknown()),
  target: v.nullish(targetSchema),
});

export const rotateSecretBody = v.strictObject({ overlapHours: overlapHoursSchema });

/** The body of a recovery. Its output has `since` as an instant. */
export const recoverBody = v.strictObject({
  since: v.pipe(v.string(sinceMessage), v.transform(parseSince), v.number(sinceMessage)),
});

export const listWebhooksQuery = v.strictObject(paginationQuery);

export type CreateWebhook = v.InferOutput<typeof createWebhookBody>;
export type UpdateWebhook = v.InferOutput<typeof updateWebhookBody>;

export const webhookIdSchema = v.pipe(v.string(), v.regex(idPatternOf('webhook')));

const shownFields = {
  id: webhookIdSchema,
  url: v.nullable(v.string()),
  events: v.array(v.picklist([...eventTypes, ...eventGroups])),
  eventTypes: v.array(v.picklist(eventTypes)),
  description: v.nullable(v.string()),
  status: v.picklist(webhookStatuses),
  disabledReason: v.nullable(disabledReasonSchema),
  apiVersion: v.picklist(apiVersions),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  metadata: shownMetadataSchema,
  filters: v.array(filterSchema),
  type: endpointTypeSchema,
  target: v.nullable(v.string()),
};

/** The endpoint in responses. All fields are always present. */
export const webhookSchema = v.strictObject(shownFields);

/** The endpoint with its secret, which only the responses to creation and rotation show. Null: a target needs none. */
export const webhookWithSecretSchema = v.strictObject({
  ...shownFields,
  secret: v.nullable(v.pipe(v.string(), v.regex(/^whsec_[A-Za-z0-9+/]{43}=$/))),
});

export const webhookDeletionSchema = v.strictObject({ id: webhookIdSchema, deletedAt: timestampSchema });

export const recoverySchema = v.strictObject({ id: webhookIdSchema, since: timestampSchema });

export type ShownWebhook = v.InferOutput<typeof webhookSchema>;
export type ShownWebhookWithSecret = v.InferOutput<typeof webhookWithSecretSchema>;
export type WebhookDeletion = v.InferOutput<typeof webhookDeletionSchema>;
export type StartedRecovery = v.InferOutput<typeof recoverySchema>;

/** Returns the endpoint as the API shows it. */
export function showWebhook(webhook: Webhook): ShownWebhook {
  const { id, events, description, status, disabledReason } = webhook;
  const type = endpointTypeOf(webhook.url);
  return {
    id,
    url: type === 'url' ? webhook.url : null,
    events: [...events],
    eventTypes: eventTypes.filter((type) => isSubscribedTo(webhook, type)),
    description,
    status,
    disabledReason,
    apiVersion: storedApiVersion(webhook.apiVersion),
    createdAt: toTimestamp(webhook.createdAt),
    updatedAt: toTimestamp(webhook.updatedAt),
    metadata: showMetadata(webhook.metadata),
    filters: [...(webhook.filters ?? [])],
    type,
    target: type === 'url' ? null : webhook.url,
  };
}

/**
 * Returns the instant of a `since`, or undefined if it is invalid. A plain date is invalid: it would mean the day's
 * end.
 */
function parseSince(text: string): Instant | undefined {
  return isPlainDate(text) ? undefined : parseDueDate(text)?.instant;
}

/** Whether the endpoint receives an event. @param body its JSON text, which only filters need */
export const receives = (
  webhook: Webhook,
  { type, body }: { readonly type: string; readonly body: string },
): boolean => isSubscribedTo(webhook, type) && matchesEventFilters(webhook.filters ?? [], body);

/** Whether the endpoint subscribes to events of a type. */
export function isSubscribedTo({ events }: Pick<Webhook, 'events'>, type: string): boolean {
  if (events.includes(type as EventType) || events.includes('all')) return true;
  return events.includes('*') && (commonEventTypes as readonly string[]).includes(type);
}

/**
 * Returns the settings of an endpoint that the audit log shows. The path and the query of a URL can contain a secret of the
 * receiver, so they appear only as a digest: it tells whether they have changed. The description is free text.
 */
export function auditedSettings(webhook: Webhook): SettingValues {
  const { url, target, events, status, filters } = showWebhook(webhook);
  return {
    ...(url === null ? { target: target ?? '' } : { url: `${new URL(url).origin}/… (${digestOf(url)})` }),
    events,
    status,
    apiVersion: auditedApiVersion(webhook.apiVersion),
    ...(filters.length > 0 && { filters: filters.map((filter) => JSON.stringify(filter)) }),
  };
}

const digestOf = (url: string): string => createHash('sha256').update(url).digest('base64url').slice(0, 8);
