/**
 * Defines the clock of an account's test mode: how far it is ahead of the real time, and how a client moves it. Pure.
 *
 * - The clock only moves forward. It runs at the speed of the real time, from the instant to which it was moved.
 * - While it moves, requests already see the instant that it has reached. Everything that was due before that is done.
 */
import * as v from 'valibot';
import { clockAt } from './clock.ts';
import { ApiError } from './errors.ts';
import { type AccountTime, type RealTime, timestampSchema, toTimestamp } from './time.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** How far a clock may be ahead of the real time: two years, one of them a leap year. */
export const maxClockOffsetMs = (365 + 366) * dayMs;

/** The last sequence number of each resource, by the name of its attribute, and the position of the last event. */
export interface ClockOrigin {
  readonly seq: Readonly<Record<string, number>>;
  readonly event: number;
}

/** The clock as the account state stores it, with short names because the item is small. Absent: the real time. */
export interface StoredClock {
  /** How far the clock is ahead of the real time, in milliseconds. */
  readonly o: number;
  /** The offset to which it is still moving. Absent: it is not moving. */
  readonly t?: number;
  /** Rises with each write. Writes are conditional on it. */
  readonly v: number;
  /** What existed when the clock first left the real time: the last sequence numbers, and the last event. */
  readonly s?: ClockOrigin;
  /** The hash of the idempotency key of the last move, so that a repetition of the request moves nothing. */
  readonly k?: string;
}

const advanceSecondsMessage =
  'advanceSeconds must be a whole number of seconds, from 1 to 63158400. Send it without to.';
const toMessage =
  'to must be a time such as 2027-01-31T12:00:00Z, later than the present time of the clock. Send it without advanceSeconds.';

/** The body of a move. Exactly one of the fields is present, see `targetOffset`. */
export const moveClockBody = v.strictObject({
  advanceSeconds: v.optional(
    v.pipe(
      v.number(advanceSecondsMessage),
      v.safeInteger(advanceSecondsMessage),
      v.minValue(1, advanceSecondsMessage),
      v.maxValue(maxClockOffsetMs / 1000, advanceSecondsMessage),
    ),
  ),
  to: v.optional(
    v.pipe(
      v.string(toMessage),
      v.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/, toMessage),
      v.check((text) => !Number.isNaN(Date.parse(text)), toMessage),
    ),
  ),
});

export type MoveClock = v.InferOutput<typeof moveClockBody>;

/** The clock in responses. */
export const clockSchema = v.strictObject({
  now: timestampSchema,
  offsetSeconds: v.pipe(v.number(), v.minValue(0)),
  status: v.picklist(['ready', 'advancing']),
});

export type ShownClock = v.InferOutput<typeof clockSchema>;

/**
 * Returns the clock with the offset to which the body asks to move it.
 * @param now the real time
 * @throws ApiError `invalid_clock`: both fields or none, backwards, or too far; `clock_advancing`: it still moves
 */
export function moveClock(
  clock: StoredClock | undefined,
  { advanceSeconds, to }: MoveClock,
  now: RealTime,
): StoredClock {
  const { o = 0, t, v: version = 0, s } = clock ?? {};
  if (t !== undefined) throw new ApiError('clock_advancing');
  if ((advanceSeconds === undefined) === (to === undefined)) {
    throw new ApiError('invalid_clock', {
      message: 'Send either advanceSeconds or to.',
      field: 'advanceSeconds',
    });
  }
  const target = to === undefined ? o + (advanceSeconds ?? 0) * 1000 : Date.parse(to) - now;
  const field = to === undefined ? 'advanceSeconds' : 'to';
  if (target <= o) throw new ApiError('invalid_clock', { message: toMessage, field });
  if (target > maxClockOffsetMs) {
    const latest = toTimestamp(now + maxClockOffsetMs);
    const message = `The clock can be at most two years ahead of the real time. Send a time before ${latest}.`;
    throw new ApiError('invalid_clock', { message, field });
  }
  return { o, t: target, v: version + 1, ...(s && { s }) };
}

/**
 * Returns the clock after a step. It still moves until nothing more is due, also if it has reached the target.
 * @param due the time of the account that it reaches. Undefined: nothing more is due, so it has arrived.
 * @param now the real time
 */
export function stepClock(clock: StoredClock, due: AccountTime | undefined, now: RealTime): StoredClock {
  const { t, ...arrived } = clock;
  if (t === undefined) throw new Error('The clock does not move.');
  const v = clock.v + 1;
  return due === undefined
    ? { ...arrived, o: t, v }
    : { ...clock, o: Math.min(t, Math.max(clock.o, due - now)), v };
}

/** Returns the clock as the API shows it. */
export function showClock(clock: StoredClock | undefined, now: RealTime): ShownClock {
  return {
    now: toTimestamp(clockAt(clock, now).account),
    offsetSeconds: (clock?.o ?? 0) / 1000,
    status: clock?.t === undefined ? 'ready' : 'advancing',
  };
}
