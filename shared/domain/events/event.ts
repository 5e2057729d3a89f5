/**
 * Defines the events that changes announce, and how the API lists them.
 *
 * - An event's body is fixed when the change commits. Every delivery sends the same bytes, until an erasure removes
 *   personal data from the body.
 */

import * as v from 'valibot';
import { eventId, idPatternOf, modes, type Owner } from '../../base/ids.ts';
import { cursorSchema, paginationQuery } from '../../base/pagination.ts';
import { type Instant, timestampSchema, toTimestamp } from '../../base/time.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import { newestApiVersion } from '../versions/versions.ts';

/** The event types that an endpoint with `*` receives. */
export const commonEventTypes = [
  'invoice.created',
  'invoice.paid',
  'payment.completed',
  'payment.failed',
  'refund.processed',
] as const;

/** All event types. Those that are not common are sent only to endpoints that name them, or `all`. */
export const eventTypes = [
  ...commonEventTypes,
  'invoice.updated',
  'invoice.cancelled',
  'invoice.overdue',
  'invoice.claimed',
  'payment.updated',
  'payment.disputed',
  'payment.held',
  'payment.voided',
  'refund.failed',
  'document.issued',
  'mail.bounced',
  'schedule.failed',
  'schedule.ended',
  'export.completed',
  'export.failed',
] as const;

export type EventType = (typeof eventTypes)[number];

const typeMessage = `type must be one of ${eventTypes.join(', ')}.`;
/** The messages for a position in the log that is malformed or does not exist. */
export const positionMessages = {
  before:
    'before must be the ID of one of your events of the last 30 days. Leave it out to begin with the newest event.',
  after:
    'after must be the ID of one of your events of the last 30 days, or start to begin with the oldest event.',
};
const eitherMessage = 'after cannot be combined with before. Send only one of them.';

/** The query of the event list: newest first, or oldest first with `after`. */
export const listEventsQuery = /* @__PURE__ */ createListQuery();

export type ListEvents = v.InferOutput<typeof listEventsQuery>;

export const eventIdSchema = v.pipe(v.string(), v.regex(idPatternOf('event')));

/** The body of an event as receivers see it. `objectVersion` rises by one with each change of the resource. */
export const eventSchema = v.strictObject({
  id: eventIdSchema,
  type: v.picklist(eventTypes),
  timestamp: timestampSchema,
  mode: v.picklist(modes),
  objectVersion: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  /** The resource as the API shows it. */
  data: v.looseObject({ id: v.string() }),
  /** The version whose form the event has. Shown in each version but the first, and never stored. */
  apiVersion: v.literal(newestApiVersion),
  /** The former values of the fields that an update has changed. */
  previous: v.optional(v.record(v.string(), v.unknown())),
});

/** The event list. `next` is the value of `before` or `after` for the next page, or null if there is no event. */
export const eventListSchema = /* @__PURE__ */ v.strictObject({
  data: /* @__PURE__ */ v.array(eventSchema),
  cursor: cursorSchema,
});

/** The body of an event before it is serialized. */
export interface EventBody {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  readonly mode: Owner['mode'];
  readonly objectVersion: number;
  readonly data: object;
  readonly previous?: object | undefined;
}

/**
 * Returns the event that version `objectVersion` of record `id` announces. The same arguments give the same bytes.
 * @param previous of an update: the result of `changedValues`
 */
export function draftEvent(
  type: EventType,
  { id, objectVersion, mode }: { id: string; objectVersion: number; mode: Owner['mode'] },
  at: Instant,
  data: object,
  previous?: object,
): EventDraft {
  const event = eventId(id, objectVersion, type, at);
  const body: EventBody = {
    id: event,
    type,
    timestamp: toTimestamp(at),
    mode,
    objectVersion,
    data,
    previous,
  };
  return { id: event, type, body: JSON.stringify(body) };
}

/** Returns the former values of the fields that an update has changed, without `updatedAt`, which always changes. */
export function changedValues(before: object, after: object): object {
  const isChanged = ([field, value]: [string, unknown]) =>
    field !== 'updatedAt' &&
    JSON.stringify(value) !== JSON.stringify((after as Readonly<Record<string, unknown>>)[field]);
  return Object.fromEntries(Object.entries(before).filter(isChanged));
}

/** Returns the stored body of an event. The API shows it in the version of the request. */
export function showEvent({ body }: Pick<EventDraft, 'body'>): v.InferOutput<typeof eventSchema> {
  return { ...JSON.parse(body), apiVersion: newestApiVersion };
}

function positionSchema(pattern: RegExp, message: string) {
  return v.pipe(v.string(message), v.regex(pattern, message));
}

/** A bundle omits the result if it does not use it. */
function createListQuery() {
  return v.pipe(
    v.strictObject({
      limit: paginationQuery.limit,
      type: v.optional(v.picklist(eventTypes, typeMessage)),
      before: v.optional(positionSchema(/^evt_[0-9a-z]{26}$/, positionMessages.before)),
      after: v.optional(positionSchema(/^(start|evt_[0-9a-z]{26})$/, positionMessages.after)),
    }),
    v.forward(
      v.check(({ before, after }) => before === undefined || after === undefined, eitherMessage),
      ['after'],
    ),
  );
}
