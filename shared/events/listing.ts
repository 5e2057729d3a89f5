/** The list of events: which of the log's events a page shows, and how a client goes on from it. */
import type * as v from 'valibot';
import { ApiError } from '../errors.ts';
import type { Owner } from '../ids.ts';
import type { Instant } from '../time.ts';
import { type eventListSchema, type ListEvents, placeMessages, showEvent } from './event.ts';
import {
  type Course,
  isExpired,
  logEnd,
  logStart,
  type Place,
  readLastExpired,
  readLog,
  readPlace,
  type StoredEvent,
} from './log-store.ts';

/** What one request looks at; a filter may find fewer than `limit` among them. */
const maxExamined = 1000;
/** Events read at a time in search of those of one type; one more than is looked at tells whether there is more. */
const filterStep = Math.ceil((maxExamined + 1) / 4);

/**
 * A page of the log: newest first, from `before` on; with `after`, oldest first. `hasMore` says that there are events
 * that were not looked at; without a filter, those are on the next page. A page with nothing to show behind `after`
 * has `after` itself as `next`, so that a client can always go on from `next`.
 * Throws `invalid_before` and `invalid_after`.
 */
export async function listEvents(
  owner: Owner,
  { limit, type, before, after }: ListEvents,
  now: Instant,
): Promise<v.InferOutput<typeof eventListSchema>> {
  const data: StoredEvent[] = [];
  let last: string | undefined;
  let examined = 0;
  const page = (hasMore: boolean) => ({
    data: data.map(showEvent),
    cursor: { hasMore, next: last ?? after ?? null },
  });
  const course = await courseOf(owner, before, after, now);
  const step = type === undefined ? limit + 1 : filterStep;
  for await (const event of keptEvents(owner, course, step, now)) {
    if (data.length === limit || examined === maxExamined) return page(true);
    if (type === undefined || event.type === type) data.push(event);
    last = event.id;
    examined += 1;
  }
  return page(false);
}

async function courseOf(
  owner: Owner,
  before: string | undefined,
  after: string | undefined,
  now: Instant,
): Promise<Course> {
  const placeOf = async (field: 'before' | 'after', id: string): Promise<Place> => {
    const place = await readPlace(owner, id, now);
    if (!place) throw new ApiError(`invalid_${field}`, { field, message: placeMessages[field] });
    return place;
  };
  if (after === 'start') return { order: 'oldest first', from: logStart };
  if (after !== undefined) return { order: 'oldest first', from: await placeOf('after', after) };
  return { order: 'newest first', from: before === undefined ? logEnd : await placeOf('before', before) };
}

/** The events on that course that have not expired, read `step` at a time. */
async function* keptEvents(
  owner: Owner,
  { order, from }: Course,
  step: number,
  now: Instant,
): AsyncGenerator<StoredEvent> {
  let place = from;
  for (;;) {
    const { events, more } = await readLog(owner, { order, from: place }, step, now);
    for (const event of events) {
      if (!isExpired(event, now)) yield event;
      else if (order === 'newest first') return;
    }
    const end = events.at(-1);
    if (!more || !end) return;
    // Where DynamoDB is late in deleting there can be more expired events than a request could pass.
    place = isExpired(end, now) ? await readLastExpired(owner, end, now) : end;
  }
}
