/**
 * Computes which times of a schedule a pause skips. Pure.
 *
 * - A pause skips the times that pass during it, and no others. A time that was due before the pause, and that no worker had made, stays
 *   due. The schedule makes it after the pause.
 * - So times to skip can follow times to make. The schedule lists them as `skips` until it has passed them.
 */
import type { AccountTime } from '../../base/time.ts';
import { numberAfter } from './recurrence.ts';
import type { Schedule, TimeRange } from './schedule.ts';

/** Whether a schedule has to make an invoice. */
export const isDue = ({ nextAt }: Schedule, now: AccountTime): boolean =>
  nextAt !== undefined && nextAt <= now;

/** Returns an active schedule as paused, with the number of the first time that the pause can skip. */
export function pauseTimes(schedule: Schedule, now: AccountTime): Schedule {
  const { next, skips = [] } = schedule;
  const first = isDue(schedule, now) ? next + 1 : next;
  const last = skips.at(-1)?.through ?? 0;
  const pausedFrom = numberAfter(schedule, Math.max(first, last + 1), now);
  return { ...schedule, pausedFrom, nextAt: undefined };
}

/** A schedule after a pause, before it gets its next time. */
interface Resumed {
  readonly schedule: Schedule;
  /** The times that the pause has skipped. */
  readonly skipped?: TimeRange;
  /** Whether a time that was due before the pause is still to be made. */
  readonly isHeld: boolean;
}

/** Ends the pause of a schedule. One that has stopped by itself skips nothing. */
export function resumeTimes(paused: Schedule, now: AccountTime): Resumed {
  const { next, pausedFrom, skips = [] } = paused;
  const schedule: Schedule = { ...paused, pausedFrom: undefined, failure: undefined };
  if (pausedFrom === undefined) return { schedule, isHeld: false };
  const isHeld = pausedFrom > next;
  const through = numberAfter(paused, pausedFrom, now) - 1;
  if (through < pausedFrom) return { schedule, isHeld };
  const skipped: TimeRange = { number: pausedFrom, through };
  return { schedule: { ...schedule, skips: [...skips, skipped] }, skipped, isHeld };
}

/** Returns the number of the first time from `number` on that no pause has skipped. */
export function numberOutsidePauses({ skips = [] }: Pick<Schedule, 'skips'>, number: number): number {
  let found = number;
  for (const skip of skips) if (skip.number <= found && found <= skip.through) found = skip.through + 1;
  return found;
}

/** Returns what a schedule whose next time has this number still has to skip. */
export function skipsAfter({ skips = [] }: Pick<Schedule, 'skips'>, next: number): Schedule['skips'] {
  const left = skips.filter(({ number }) => number > next);
  return left.length > 0 ? left : undefined;
}

/**
 * Returns the number of the time for which a schedule that is due makes its next invoice. The times before a pause and those after it
 * are caught up with separately.
 */
export function dueNumber(schedule: Schedule, now: AccountTime): number {
  const { late, next, skips: [skip] = [] } = schedule;
  if (late === 'all') return next;
  const newest = Math.max(next, numberAfter(schedule, next, now) - 1);
  return skip ? Math.min(newest, skip.number - 1) : newest;
}

/**
 * Returns the numbers of the times for which an active schedule makes its next invoices: first those that are due now, without what it
 * skips because it is late.
 * @param count how many. A number can be after the last time of the schedule.
 */
export function nextNumbers(schedule: Schedule, now: AccountTime, count: number): number[] {
  const numbers: number[] = [];
  for (let left = schedule; numbers.length < count; ) {
    const number = dueNumber(left, now);
    numbers.push(number);
    const next = numberOutsidePauses(left, number + 1);
    left = { ...left, next, skips: skipsAfter(left, next) };
  }
  return numbers;
}
