/** Builds the pages of the event list from the event log. */
import type * as v from 'valibot';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import { type eventListSchema, type ListEvents, positionMessages, showEvent } from './event.ts';
import {
  findLastExpired,
  isEventExpired,
  type LogPosition,
  logEnd,
  logStart,
  type MalformedEvent,
  type ReadOrder,
  readableEvents,
  readLog,
  readLogPosition,
  type StoredEvent,
} from './log-store.ts';

/** The events that one request examines. A filter may find fewer than `limit` among them. */
const defaultMaxExamined = 1000;
/** The events of one query when there is a filter. Four queries read one event more than the maximum, for `hasMore`. */
const filterStep = Math.ceil((defaultMaxExamined + 1) / 4);

/**
 * Returns a page of the log: the events before `before`, newest first, or those after `after`, oldest first.
 * `hasMore` means that there are events that this request did not examine. If no events follow `after`,
 * `next` is `after` itself, so that a client can always continue from `next`.
 * @param maxExamined the events that this request examines at most
 * @throws ApiError `invalid_before` or `invalid_after`
 */
export async function listEventPage(
  owner: Owner,
  { limit, type, before, after }: ListEvents,
  now: Instant,
  maxExamined: number = defaultMaxExamined,
): Promise<v.InferOutput<typeof eventListSchema>> {
  const data: StoredEvent[] = [];
  let last: string | undefined;
  let examined = 0;
  const page = (hasMore: boolean) => ({
    data: data.map(showEvent),
    cursor: { hasMore, next: last ?? after ?? null },
  });
  const readOrder = await toReadOrder(owner, before, after, now);
  const step = type === undefined ? limit + 1 : filterStep;
  for await (const event of readUnexpired(owner, readOrder, step, now)) {
    if (data.length === limit || examined === maxExamined) return page(true);
    for (const readable of readableEvents([event]))
      if (type === undefined || readable.type === type) data.push(readable);
    last = event.id ?? last;
    examined += 1;
  }
  return page(false);
}

async function toReadOrder(
  owner: Owner,
  before: string | undefined,
  after: string | undefined,
  now: Instant,
): Promise<ReadOrder> {
  const find = async (field: 'before' | 'after', id: string): Promise<LogPosition> => {
    const position = await readLogPosition(owner, id, now);
    if (!position) throw new ApiError(`invalid_${field}`, { field, message: positionMessages[field] });
    return position;
  };
  if (after === 'start') return { order: 'oldest first', from: logStart };
  if (after !== undefined) return { order: 'oldest first', from: await find('after', after) };
  return { order: 'newest first', from: before === undefined ? logEnd : await find('before', before) };
}

/** Reads the events that have not expired, in the given order, `step` at a time. */
async function* readUnexpired(
  owner: Owner,
  { order, from }: ReadOrder,
  step: number,
  now: Instant,
): AsyncGenerator<StoredEvent | MalformedEvent> {
  let position = from;
  for (;;) {
    const { events, more } = await readLog(owner, { order, from: position }, step, now);
    for (const event of events) {
      if (!isEventExpired(event, now)) yield event;
      else if (order === 'newest first') return;
    }
    const end = events.at(-1);
    if (!more || !end) return;
    // DynamoDB deletes late, so there can be more expired events than one request can read. They are skipped.
    position = isEventExpired(end, now) ? await findLastExpired(owner, end, now) : end;
  }
}
