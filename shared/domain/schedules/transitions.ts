/**
 * Decides which changes of a schedule are allowed, and which event and timer follow from each. Pure.
 *
 * - A schedule is `open` until it ends, for good. An open one can be paused.
 * - `next` only rises. Each time is made or skipped once, and the item of it says so.
 * - A pause keeps the first day. What passes meanwhile is skipped, see `pauses.ts`. A schedule that has stopped by itself goes on with
 *   the time at which it stopped.
 */
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../base/errors.ts';
import type { Owner } from '../../base/ids.ts';
import type { AccountTime } from '../../base/time.ts';
import { type Change, internalChange } from '../../store/commit/command.ts';
import type { Timer } from '../../store/timers/timer-item.ts';
import { draftEvent } from '../events/event.ts';
import { requireUnchanged } from '../versions/read-only-fields.ts';
import { isDue, numberOutsidePauses, pauseTimes, resumeTimes, skipsAfter } from './pauses.ts';
import { dayOfTime, instantOfTime } from './recurrence.ts';
import {
  type CreateSchedule,
  isPaused,
  type LastMade,
  type Occurrence,
  type Schedule,
  type ScheduleFailure,
  showWithoutInvoice,
  statusOf,
  type UpdateSchedule,
  updateScheduleBody,
} from './schedule.ts';

/** The owner, sequence number and id of a new schedule. */
export interface NewScheduleIdentity extends Owner {
  readonly id: string;
  readonly seq: number;
}

/** A change of a schedule, with what came of times that it passes. */
export interface ScheduleChange {
  readonly change: Change<Schedule>;
  readonly occurrences: readonly Occurrence[];
}

const defaultHour = 9;

/**
 * Returns the timer of a schedule. It goes to the worker of due dates. The schedules of one account form one group, so many that are due at
 * once hold up no due date and no other account.
 */
export const scheduleTimer = ({ account, id }: Pick<Schedule, 'account' | 'id'>, due: number): Timer => ({
  due,
  kind: 'overdue',
  reference: id,
  group: account,
});

/**
 * Creates a schedule, with the timer of its first time.
 * @param timeZone of a schedule that names none
 * @throws ApiError `invalid_day`, `invalid_start_on`, `invalid_end_on` or `invalid_count`
 */
export function createSchedule(
  identity: NewScheduleIdentity,
  {
    every,
    startOn,
    day,
    hour,
    timeZone: own,
    endOn,
    count,
    dueInDays,
    mode,
    late,
  }: Omit<CreateSchedule, 'invoice'>,
  timeZone: string,
  now: AccountTime,
): Change<Schedule> {
  const schedule: Schedule = {
    ...identity,
    version: 1,
    objectVersion: 1,
    filterKeys: [],
    status: 'open',
    every,
    startOn,
    ...(day != null && { day }),
    hour: hour ?? defaultHour,
    timeZone: own ?? timeZone,
    ...(endOn != null && { endOn }),
    ...(count != null && { count }),
    ...(dueInDays != null && { dueInDays }),
    makes: mode ?? 'issue',
    late: late ?? 'all',
    next: 1,
    made: 0,
    createdAt: now,
    updatedAt: now,
  };
  requireFirstDay(schedule);
  requireEnd(schedule);
  const nextAt = instantOfTime(schedule, 1);
  if (nextAt === undefined || nextAt <= now) {
    const message = `The first time of the schedule, ${startOn} at ${schedule.hour}:00 in ${schedule.timeZone}, has passed. Send a later startOn or hour.`;
    throw new ApiError('invalid_start_on', { field: 'startOn', message });
  }
  return changeTo({ ...schedule, nextAt });
}

function requireFirstDay(schedule: Schedule): void {
  const { every, startOn, day } = schedule;
  if (day === undefined) return;
  const refuse = (message: string) => new ApiError('invalid_day', { field: 'day', message });
  if (every.unit !== 'month' && every.unit !== 'year')
    throw refuse('day is for schedules of months or years. Leave it out: startOn decides the day.');
  const first = dayOfTime(schedule, 1);
  if (first === undefined || first >= startOn) return;
  throw refuse(`The day ${day} of that month is before startOn. Send the startOn of a later month.`);
}

/** @throws ApiError `invalid_end_on` or `invalid_count` */
function requireEnd({ startOn, endOn, count }: Schedule): void {
  if (endOn !== undefined && endOn < startOn)
    throw new ApiError('invalid_end_on', {
      field: 'endOn',
      message: `endOn must not be before ${startOn}, the first day of the schedule.`,
    });
  if (endOn === undefined || count === undefined) return;
  const message = 'A schedule ends by endOn or by count. Send only one of them, and null for the other.';
  throw new ApiError('invalid_count', { field: 'count', message });
}

/**
 * Changes the settings that a body names, from the next time on. `status` pauses, resumes or ends the schedule. Null removes an end.
 * @param sent without the invoice, which is stored beside the schedule
 * @param changesTemplate whether the invoice changes
 * @returns undefined if nothing changes
 * @throws ApiError `schedule_ended`, `immutable_field`, `invalid_end_on`, `invalid_count`
 */
export function updateSchedule(
  schedule: Schedule,
  sent: Omit<UpdateSchedule, 'invoice'>,
  changesTemplate: boolean,
  now: AccountTime,
): ScheduleChange | undefined {
  const body = requireUnchanged('schedules', updateScheduleBody, showWithoutInvoice(schedule), sent);
  const { status = statusOf(schedule), mode, endOn, count, dueInDays, ...others } = body;
  const settings: Changed = {
    ...others,
    makes: mode,
    ...(endOn !== undefined && { endOn: endOn ?? undefined }),
    ...(count !== undefined && { count: count ?? undefined }),
    ...(dueInDays !== undefined && { dueInDays: dueInDays ?? undefined }),
  };
  const present = withoutUndefined(settings, ['endOn', 'count', 'dueInDays']);
  const isSame = Object.entries(present).every(([name, value]) =>
    isDeepStrictEqual(value, schedule[name as keyof Schedule]),
  );
  if (isSame && !changesTemplate && status === statusOf(schedule)) return undefined;
  requireGoesOn(schedule);
  const changed: Schedule = { ...nextVersion(schedule, now), ...present };
  requireEnd(changed);
  if (status === 'ended') return ended(changed);
  if (status === 'paused') {
    const paused = isPaused(schedule) ? changed : pauseTimes(changed, now);
    return { change: changeTo(paused), occurrences: [] };
  }
  return isPaused(schedule) ? resume(changed, now) : retime(schedule, changed);
}

type Changed = { readonly [Name in keyof Schedule]?: Schedule[Name] | undefined };

/** Returns the settings that change. Some can lose their value. */
const withoutUndefined = (settings: Changed, removable: readonly string[]): Partial<Schedule> =>
  Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== undefined || removable.includes(name)),
  ) as Partial<Schedule>;

/**
 * Lets a paused schedule go on, and skips what has passed while somebody paused it. A time that was due before is due now: so its timer
 * is another one than before the pause, which a late worker may complete.
 */
function resume(changed: Schedule, now: AccountTime): ScheduleChange {
  const { schedule, skipped, isHeld } = resumeTimes(changed, now);
  const { change } = toTime(schedule, changed.next);
  const { nextAt } = change.record;
  const isOpen = nextAt !== undefined;
  const resumed = isOpen && changeTo({ ...change.record, nextAt: isHeld ? now : Math.max(nextAt, now) });
  const occurrences = skipped ? [skippedTimes(skipped.number, skipped.through, 'paused', now)] : [];
  return { change: resumed || change, occurrences };
}

/**
 * Gives an active schedule the time of its next invoice again, unless that is due already. A time that is after the end is not made, also
 * if it is due.
 */
function retime(before: Schedule, changed: Schedule): ScheduleChange {
  const { next, updatedAt } = changed;
  const isDue = before.nextAt !== undefined && before.nextAt <= updatedAt;
  const isBeforeEnd = instantOfTime(changed, next) !== undefined;
  return isDue && isBeforeEnd ? { change: changeTo(changed), occurrences: [] } : toTime(changed, next);
}

/**
 * Skips the next time of an active schedule.
 * @throws ApiError `schedule_ended` or `schedule_not_active`
 */
export function skipTime(schedule: Schedule, now: AccountTime): ScheduleChange {
  requireActive(schedule);
  const { next } = schedule;
  const skipped = skippedTimes(next, next, 'request', now);
  return { ...toTime(nextVersion(schedule, now), next + 1), occurrences: [skipped] };
}

/**
 * Makes the next invoice of an active schedule due now. The times after it stay.
 * @returns undefined if it is due already
 * @throws ApiError `schedule_ended` or `schedule_not_active`
 */
export function runNow(schedule: Schedule, now: AccountTime): Change<Schedule> | undefined {
  requireActive(schedule);
  if (schedule.nextAt !== undefined && schedule.nextAt <= now) return undefined;
  return changeTo({ ...nextVersion(schedule, now), nextAt: now });
}

/**
 * Records that a schedule has made an invoice or draft.
 * @param number from `dueNumber`
 * @param record the id of the invoice or draft
 * @param setsTimer whether a timer follows although the next time is due already
 */
export function makeTime(
  schedule: Schedule,
  number: number,
  record: string,
  now: AccountTime,
  setsTimer: boolean,
): ScheduleChange {
  const { next, made } = schedule;
  const late = number > next ? [skippedTimes(next, number - 1, 'late', now)] : [];
  const occurrence: Occurrence = { number, through: number, status: 'made', record, at: now };
  const last: LastMade = { id: record, at: now, ...(schedule.makes === 'send' && { isMailed: true }) };
  const changed = { ...nextVersion(schedule, now), made: made + 1, last };
  const { change } = toTime(changed, number + 1);
  const isLate = isDue(change.record, now);
  const timers = isLate && !setsTimer ? [] : change.timers;
  return { change: { ...change, timers }, occurrences: [...late, occurrence] };
}

/** Stops a schedule that cannot make its invoice, until somebody resumes it. Emits `schedule.failed`. */
export function failSchedule(
  schedule: Schedule,
  { code, message }: Pick<ScheduleFailure, 'code' | 'message'>,
  now: AccountTime,
): Change<Schedule> {
  const failed: Schedule = {
    ...nextVersion(schedule, now),
    nextAt: undefined,
    failure: { code, message, at: now },
  };
  const event = draftEvent('schedule.failed', failed, failed.updatedAt, showWithoutInvoice(failed));
  return { ...changeTo(failed), events: [event] };
}

/** Ends a schedule whose invoice an erasure removes. @returns undefined if it has ended already */
export function endSchedule(schedule: Schedule, now: AccountTime): Change<Schedule> | undefined {
  return schedule.status === 'ended' ? undefined : ended(nextVersion(schedule, now)).change;
}

/** Returns a schedule whose next time is the first one from this number on that no pause has skipped. It ends if there is none. */
function toTime(changed: Schedule, from: number): ScheduleChange {
  const number = numberOutsidePauses(changed, from);
  const nextAt = instantOfTime(changed, number);
  const next: Schedule = { ...changed, next: number, nextAt, skips: skipsAfter(changed, number) };
  return nextAt === undefined ? ended(next) : { change: changeTo(next), occurrences: [] };
}

function ended(changed: Schedule): ScheduleChange {
  const { pausedFrom: _, nextAt: __, skips: ___, ...others } = changed;
  const end: Schedule = { ...others, status: 'ended' };
  const event = draftEvent('schedule.ended', end, end.updatedAt, showWithoutInvoice(end));
  return { change: { ...changeTo(end), events: [event] }, occurrences: [] };
}

const skippedTimes = (
  number: number,
  through: number,
  reason: NonNullable<Occurrence['reason']>,
  at: AccountTime,
): Occurrence => ({ number, through, status: 'skipped', reason, at });

/** @throws ApiError `schedule_ended` */
export function requireGoesOn({ status }: Schedule): void {
  if (status === 'ended') throw new ApiError('schedule_ended');
}

/** @throws ApiError `schedule_ended` or `schedule_not_active` */
export function requireActive(schedule: Schedule): void {
  requireGoesOn(schedule);
  if (isPaused(schedule)) throw new ApiError('schedule_not_active');
}

const nextVersion = (schedule: Schedule, now: AccountTime): Schedule => ({
  ...schedule,
  version: schedule.version + 1,
  objectVersion: schedule.objectVersion + 1,
  updatedAt: Math.max(now, schedule.updatedAt + 1),
});

/** Returns a change with the timer of the next time. */
const changeTo = (record: Schedule): Change<Schedule> => ({
  ...internalChange(record),
  ...((record.version === 1 || record.status === 'ended') && {
    indexEntry: { resource: 'schedule' as const, seq: record.seq, filterKeys: [], status: record.status },
  }),
  timers: record.nextAt === undefined ? [] : [scheduleTimer(record, record.nextAt)],
});
