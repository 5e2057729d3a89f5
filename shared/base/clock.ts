/** Converts between the real time and the time of an account, whose clock can be ahead in test mode. */
import type { AccountTime, RealTime } from './time.ts';

/** One moment on both clocks. Only the functions below convert between them. */
export interface Clock {
  readonly real: RealTime;
  readonly account: AccountTime;
}

/**
 * Returns the moment at which the real time is `now`.
 * @param stored how far the clock of the account is ahead, in milliseconds. Undefined: the account has the real time
 */
export const clockAt = (stored: { readonly o: number } | undefined, now: RealTime): Clock => ({
  real: now,
  account: now + (stored?.o ?? 0),
});

/** Returns a moment of an account that has the real time, or of a change in which no record has its time. */
export const realClock = (now: RealTime): Clock => clockAt(undefined, now);

/** Returns how far the clock of the account is ahead of the real time, in milliseconds. */
export const aheadMs = ({ real, account }: Clock): number => account - real;

/** Returns the real time at which the clock of the account shows `at`. */
export const toRealTime = (clock: Clock, at: AccountTime): RealTime => at - aheadMs(clock);
