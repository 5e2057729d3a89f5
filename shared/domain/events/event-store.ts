/**
 * Stores the events of changes in the event log of their account and mode. `append-events.ts` says how the log stays without
 * gaps and repetitions.
 */
import { env } from '../../base/env.ts';
import type { Owner } from '../../base/ids.ts';
import { type Instant, toSeconds } from '../../base/time.ts';
import { tableTime } from '../../store/client.ts';
import type { EventDraft } from '../../store/commit/outbox-item.ts';
import { tableKeys } from '../../store/keys.ts';
import { appendAtOnce, appendInTurn, appendTogether, type EventLogCalls, knownEnd } from './append-events.ts';
import { eventLogCalls, readWatchedEndpoints, type WatchedEndpoints } from './append-store.ts';

/** So many events are appended one by one, which takes a third of the write units. More are appended together. */
const mostAlone = 8;
/** A transaction has at most 100 actions: one for the cursor, and two for each event. */
const eventsPerTransaction = 49;
/** DynamoDB accepts 4 MB in one transaction. This is the limit for the bodies of events. */
const bytesPerTransaction = 3 * 1024 * 1024;
/** The size of the attributes of an event and its pointer, apart from the body. It is an upper bound. */
const bytesPerEvent = 1024;

/** The last append of each owner in this instance. Appends of one owner run in turn, because they continue one log. */
const lastAppends = new Map<string, Promise<EventPositions>>();

/**
 * The last position to which this instance has appended events one by one in each log, and when, in seconds since 1970. It saves a read. If
 * another instance has continued the log, the next event finds its position taken, and the end is read.
 */
const ends = new Map<string, { readonly position: number; readonly at: number }>();
/** The event at a remembered position has not expired. */
const rememberedSeconds = 60 * 60;
const maxRemembered = 10_000;

/** The positions of events in the log, by event id. */
export type EventPositions = ReadonlyMap<string, number>;

/** Where events are in the log, and the endpoints that they name. */
export interface StoredEvents {
  readonly positions: EventPositions;
  readonly watched: WatchedEndpoints;
}

/** A position that the pointer of an event names, before the event is stored. */
export interface ReservedPosition {
  readonly eventId: string;
  readonly position: number;
  /** A position that has an event. */
  readonly last: number;
}

/** How events are appended. See `storeEvents`. */
export interface AppendOptions {
  readonly reserved?: ReservedPosition | undefined;
  readonly atOnce?: boolean;
  readonly watched?: WatchedEndpoints;
}

/**
 * Reserves a position for the first of the events that will be the next ones of their log. So the caller can do something else
 * before they are stored, which needs one call less then. If they are not stored, the reservation does no harm: another event takes
 * the position.
 * @returns undefined if the position is not known in advance
 */
export async function reservePosition(
  owner: Owner,
  events: readonly EventDraft[],
  now: Instant,
): Promise<ReservedPosition | undefined> {
  const { pk } = tableKeys.eventCursor(owner);
  const [event] = events;
  if (!event || !areAppendedAlone(events) || lastAppends.has(pk)) return undefined;
  const log = eventLogCalls(owner, now);
  const last = await findEnd(nameOf(pk), log, toSeconds(tableTime(now)));
  if (last === undefined) return undefined;
  return { eventId: event.id, last, position: await log.reserve(event, last + 1) };
}

/**
 * Stores those events that are not stored yet, in the given order.
 * @param changes the events of each change. If they are stored in transactions, those of one change are in the same one.
 * @param options.reserved the position of one of the events, if it was reserved
 * @param options.atOnce whether to append a single event in one call instead of two, for two write units more
 * @param options.watched the endpoints that events name, if this call stores them
 * @returns the positions of all events, and the endpoints that they name as they are stored
 */
export async function storeEvents(
  owner: Owner,
  changes: readonly (readonly EventDraft[])[],
  now: Instant,
  options: AppendOptions = {},
): Promise<StoredEvents> {
  if (changes.every((events) => events.length === 0)) return { positions: new Map(), watched: new Map() };
  const { pk } = tableKeys.eventCursor(owner);
  const previous = lastAppends.get(pk) ?? Promise.resolve();
  const own = new Set<string>();
  const log = eventLogCalls(owner, now, options.watched, ({ id }) => own.add(id));
  const start = () => appendChanges(nameOf(pk), log, changes, now, options);
  const append = previous.then(start, start);
  lastAppends.set(pk, append);
  const positions = await append.finally(() => {
    if (lastAppends.get(pk) === append) lastAppends.delete(pk);
  });
  const others = new Map([...positions].filter(([id]) => !own.has(id)));
  const watched = new Map([...(options.watched ?? [])].filter(([id]) => own.has(id)));
  return { positions, watched: new Map([...watched, ...(await readWatchedEndpoints(owner, others))]) };
}

const areAppendedAlone = (events: readonly EventDraft[]) => events.length <= mostAlone;

/** Returns the name of a log in `ends`. */
const nameOf = (pk: string) => `${env.tableName()} ${pk}`;

/** @param name the name of the log in `ends` */
async function appendChanges(
  name: string,
  log: EventLogCalls,
  changes: readonly (readonly EventDraft[])[],
  now: Instant,
  { reserved, atOnce }: AppendOptions,
): Promise<EventPositions> {
  const seconds = toSeconds(tableTime(now));
  const events = changes.flat();
  const positions = new Map<string, number>();
  if (areAppendedAlone(events)) {
    let last = reserved?.last ?? (await findEnd(name, log, seconds));
    if (last !== undefined) {
      // After an error, the next append reads the end.
      ends.delete(name);
      for (const event of events) {
        const pointer = event.id === reserved?.eventId ? reserved.position : undefined;
        const position =
          atOnce && pointer === undefined
            ? await appendAtOnce(log, event, last)
            : await appendInTurn(log, event, last, pointer);
        positions.set(event.id, position);
        last = Math.max(last, position);
      }
      rememberEnd(name, last, seconds);
      return positions;
    }
  }
  for (const group of groupByTransaction(changes)) {
    const stored = await appendTogether(log, group, seconds);
    for (const [index, { id }] of group.entries()) positions.set(id, stored[index] as number);
  }
  return positions;
}

/** Returns a position with an event, at the end of the log as far as known. Undefined if later events may have expired. */
async function findEnd(name: string, log: EventLogCalls, seconds: number): Promise<number | undefined> {
  return rememberedEnd(name, seconds) ?? knownEnd(await log.readNewest(), seconds);
}

function rememberedEnd(name: string, seconds: number): number | undefined {
  const end = ends.get(name);
  return end && Math.abs(seconds - end.at) < rememberedSeconds ? end.position : undefined;
}

function rememberEnd(name: string, position: number, seconds: number): void {
  if (ends.size >= maxRemembered) ends.clear();
  ends.set(name, { position, at: seconds });
}

/** Divides the events into groups that fit into one transaction each. The events of one change stay together. */
function groupByTransaction(changes: readonly (readonly EventDraft[])[]): EventDraft[][] {
  const groups: EventDraft[][] = [];
  let group: EventDraft[] = [];
  let bytes = 0;
  for (const events of changes) {
    const size = events.reduce((sum, { body }) => sum + Buffer.byteLength(body) + bytesPerEvent, 0);
    const fits = group.length + events.length <= eventsPerTransaction && bytes + size <= bytesPerTransaction;
    if (groups.length === 0 || !fits) {
      group = [];
      groups.push(group);
      bytes = 0;
    }
    group.push(...events);
    bytes += size;
  }
  return groups;
}
