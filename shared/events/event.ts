/** Events: what a change announces. The body is frozen when the change commits; every delivery sends those bytes. */
import * as v from 'valibot';
import { eventId, modes, type Owner } from '../ids.ts';
import { cursorSchema, paginationQuery } from '../pagination.ts';
import type { EventDraft } from '../store/outbox.ts';
import { type Instant, timestampSchema, toTimestamp } from '../time.ts';

/** Sent to every endpoint that asks for all events. */
export const commonEventTypes = [
  'invoice.created',
  'invoice.paid',
  'payment.completed',
  'payment.failed',
  'refund.processed',
] as const;

/** All kinds of events; those beyond the common ones are sent only to endpoints that name them. */
export const eventTypes = [
  ...commonEventTypes,
  'invoice.updated',
  'invoice.cancelled',
  'invoice.overdue',
  'refund.failed',
] as const;

export type EventType = (typeof eventTypes)[number];

const typeMessage = `type must be one of ${eventTypes.join(', ')}.`;
/** What is wrong with a place in the log, also with one that cannot be found. */
export const placeMessages = {
  before:
    'before must be the id of one of your events of the last 30 days; leave it out to begin with the newest.',
  after: 'after must be the id of one of your events of the last 30 days, or start to begin with the oldest.',
};
const eitherMessage = 'after cannot be combined with before; send one of them.';

/** Newest first; with `after`, oldest first. */
export const listEventsQuery = v.pipe(
  v.strictObject({
    limit: paginationQuery.limit,
    type: v.optional(v.picklist(eventTypes, typeMessage)),
    before: v.optional(placeSchema(/^evt_[0-9a-z]{26}$/, placeMessages.before)),
    after: v.optional(placeSchema(/^(start|evt_[0-9a-z]{26})$/, placeMessages.after)),
  }),
  v.forward(
    v.check(({ before, after }) => before === undefined || after === undefined, eitherMessage),
    ['after'],
  ),
);

export type ListEvents = v.InferOutput<typeof listEventsQuery>;

/** The body of an event, as receivers see it: `objectVersion` rises by one with each change of the resource. */
export const eventSchema = v.strictObject({
  id: v.pipe(v.string(), v.regex(/^evt_[0-9a-z]{26}$/)),
  type: v.picklist(eventTypes),
  timestamp: timestampSchema,
  mode: v.picklist(modes),
  objectVersion: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  /** The resource as the API shows it. */
  data: v.looseObject({ id: v.string() }),
});

/** `next` is what to send as `before`, or as `after`, to go on; null if there is nothing to go on from. */
export const eventListSchema = v.strictObject({
  data: v.array(eventSchema),
  cursor: cursorSchema,
});

/** The body of an event, before it is frozen. */
export interface EventBody {
  readonly id: string;
  readonly type: EventType;
  readonly timestamp: string;
  readonly mode: Owner['mode'];
  readonly objectVersion: number;
  readonly data: object;
}

/** The event that version `objectVersion` of record `id` announces; the same arguments give the same bytes. */
export function eventOf(
  type: EventType,
  { id, objectVersion, mode }: { id: string; objectVersion: number; mode: Owner['mode'] },
  at: Instant,
  data: object,
): EventDraft {
  const event = eventId(id, objectVersion, type, at);
  const body: EventBody = { id: event, type, timestamp: toTimestamp(at), mode, objectVersion, data };
  return { id: event, type, body: JSON.stringify(body) };
}

/** The event as the API shows it: what its frozen body says. */
export function showEvent({ body }: Pick<EventDraft, 'body'>): v.InferOutput<typeof eventSchema> {
  return JSON.parse(body);
}

function placeSchema(form: RegExp, message: string) {
  return v.pipe(v.string(message), v.regex(form, message));
}
