/** Knows which cursor of an event log is correct. */

/** Whether a cursor is at the last of `count` events, or up to 16 before it: see `shared/domain/events/append-events.ts`. */
export const isCursorOf = (cursor: number, count: number): boolean =>
  cursor <= count && cursor >= Math.max(Math.min(1, count), count - 16);
