/**
 * Appends events to the log of an account and mode. The log is a sequence of positions, each with one event, and a pointer
 * for each event, which names its position. There are three ways, and all run side by side on one log:
 *
 * - In turn (`appendInTurn`): reserve the next position in the event's pointer, then put the event there. This takes two
 *   write units for an event.
 * - At once (`appendAtOnce`): one transaction puts an event and its pointer. This takes four units, and one call less.
 * - Together (`appendTogether`): one transaction puts events and pointers and raises the cursor. This takes four units for an
 *   event, and one call for many.
 *
 * Why each event has one position, and readers miss none:
 *
 * - A position never changes its event. All puts are conditional on a free position, and only expired events are deleted.
 * - The log has no gap before an event. A position is reserved or written only after the position before it was seen with
 *   an event.
 * - An event has one position. All relays of an event put it where its pointer says. The pointer moves only after another
 *   event was seen at that position, so the position is never free again for a relay that is late. A transaction puts only
 *   events that have no pointer. A refused `appendAtOnce` goes on in turn.
 * - The end of the log is known while its newest event is not about to expire. If it is older, later events may be deleted
 *   already. Then a transaction appends, and continues far enough after the cursor: the cursor is at most `cursorStep`
 *   behind the last event that has ever existed. The transaction is conditional on the cursor, so of several such
 *   transactions one succeeds.
 */
import type { EventDraft } from '../../store/commit/outbox-item.ts';

/** An event of a log: its position, and when it expires, in seconds since 1970. */
export interface LoggedEvent {
  readonly id: string;
  readonly position: number;
  readonly expiresAt: number;
}

/** The calls that appending makes. Each one takes effect at one moment. All reads are strongly consistent. */
export interface EventLogCalls {
  readonly readNewest: () => Promise<LoggedEvent | undefined>;
  /** Returns a position that the log has reached. 0: none yet. */
  readonly readCursor: () => Promise<number>;
  /** Returns the event at a position, or undefined if the position is free. */
  readonly readAt: (position: number) => Promise<LoggedEvent | undefined>;
  /** Puts the pointer of an event, if it has none. Returns the position that the pointer has then. */
  readonly reserve: (event: EventDraft, position: number) => Promise<number>;
  /** Changes the position of a pointer, if it is still `from`. Returns the position that the pointer has then. */
  readonly move: (event: EventDraft, from: number, to: number) => Promise<number>;
  /** Puts an event at a position, if the position is free. Returns whether it was. */
  readonly put: (event: EventDraft, position: number) => Promise<boolean>;
  /**
   * Puts an event at a position together with its pointer, if the position is free and the event has no pointer.
   * @returns if it was refused, the position in the event's pointer, if it has one
   */
  readonly putWithPointer: (
    event: EventDraft,
    position: number,
  ) => Promise<
    { readonly written: true } | { readonly written: false; readonly reserved?: number | undefined }
  >;
  /** Sets the cursor to a position, if it is lower. */
  readonly raiseCursor: (position: number) => Promise<void>;
  /**
   * Puts events and their pointers at consecutive positions and sets the cursor to the last one, in one transaction. It needs a
   * cursor that is still `cursor`, free positions, and events without pointers.
   * @returns if it was refused, the position in the pointer of each event that has one
   */
  readonly putTogether: (
    events: readonly EventDraft[],
    cursor: number,
    first: number,
  ) => Promise<
    | { readonly written: true }
    | { readonly written: false; readonly reserved: readonly (number | undefined)[] }
  >;
  /** Waits before attempt number `attempt`, from 1. */
  readonly wait: (attempt: number) => Promise<void>;
}

/** The cursor is raised to each multiple of this position before the log continues. */
const cursorStep = 16;
/** An event that expires within a day may be deleted already, with those after it, if clocks differ. */
const expiryMarginSeconds = 24 * 60 * 60;
const maxAttempts = 30;

/**
 * Returns the position of the newest stored event if no later event can be deleted already. Otherwise undefined.
 * @param nowSeconds the time of DynamoDB's clock
 */
export function knownEnd(newest: LoggedEvent | undefined, nowSeconds: number): number | undefined {
  const isRecent = newest !== undefined && newest.expiresAt > nowSeconds + expiryMarginSeconds;
  return isRecent ? newest.position : undefined;
}

/**
 * Appends an event, if it is not in the log yet.
 * @param last a position that has an event, at the end of the log or before it
 * @param reserved the position in the event's pointer. Without it, the pointer is put at the position after `last`.
 * @returns the position of the event
 */
export async function appendInTurn(
  log: EventLogCalls,
  event: EventDraft,
  last: number,
  reserved?: number,
): Promise<number> {
  return settle(log, event, reserved ?? (await log.reserve(event, last + 1)), last);
}

/**
 * Appends an event, if it is not in the log yet, in one call if no other event comes first.
 * @param last as in `appendInTurn`
 * @returns the position of the event
 */
export async function appendAtOnce(log: EventLogCalls, event: EventDraft, last: number): Promise<number> {
  const position = last + 1;
  await raiseCursorBefore(log, position);
  const result = await log.putWithPointer(event, position);
  return result.written ? position : appendInTurn(log, event, last, result.reserved);
}

/** Puts an event where its pointer says, and moves the pointer while another event has that position. */
async function settle(
  log: EventLogCalls,
  event: EventDraft,
  reserved: number,
  last: number,
): Promise<number> {
  let position = reserved;
  let end = last;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0) {
      await log.wait(attempt);
      end = (await log.readNewest())?.position ?? position;
      position = await log.move(event, position, end + 1);
    }
    // All positions up to the end have had an event.
    if (position > end) {
      await raiseCursorBefore(log, position);
      if (await log.put(event, position)) return position;
    }
    const id = (await log.readAt(position))?.id;
    // Without an event there, it has expired.
    if (id === event.id || (id === undefined && position <= end)) return position;
  }
  throw new Error(`Event ${event.id} found no position in ${maxAttempts} attempts.`);
}

async function raiseCursorBefore(log: EventLogCalls, position: number): Promise<void> {
  if (position % cursorStep === 1) await log.raiseCursor(position - 1);
}

/**
 * Appends those events that are not in the log yet, in as few transactions as possible.
 * @param nowSeconds the time of DynamoDB's clock
 * @returns the positions of the events, in the same order
 */
export async function appendTogether(
  log: EventLogCalls,
  events: readonly EventDraft[],
  nowSeconds: number,
): Promise<number[]> {
  const positions = new Map<EventDraft, number>();
  for (let attempt = 0; positions.size < events.length; attempt++) {
    if (attempt > 0) await log.wait(attempt);
    const open = events.filter((event) => !positions.has(event));
    const { cursor, last, first } = await readEnd(log, nowSeconds);
    const result = await log.putTogether(open, cursor, first);
    for (const [index, event] of open.entries()) {
      const reserved = result.written ? undefined : result.reserved[index];
      if (result.written) positions.set(event, first + index);
      else if (reserved !== undefined) positions.set(event, await settle(log, event, reserved, last));
    }
  }
  return events.map((event) => positions.get(event) ?? 0);
}

/** Returns the cursor, the last position that has or had an event, as far as known, and the position that follows. */
async function readEnd(log: EventLogCalls, nowSeconds: number) {
  const [cursor, newest] = await Promise.all([log.readCursor(), log.readNewest()]);
  const end = knownEnd(newest, nowSeconds);
  if (end !== undefined) return { cursor, last: end, first: end + 1 };
  // A relay that has appended meanwhile has changed the cursor. Its event is at that position, or will be found from there.
  const after = await log.readNewest();
  const atCursor = cursor > 0 ? await log.readAt(cursor) : undefined;
  const endAfter = knownEnd(after, nowSeconds) ?? knownEnd(atCursor, nowSeconds);
  if (endAfter !== undefined) return { cursor, last: endAfter, first: endAfter + 1 };
  const last = Math.max(cursor, after?.position ?? 0);
  return { cursor, last, first: last === 0 ? 1 : last + cursorStep + 1 };
}
