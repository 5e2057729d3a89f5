/**
 * Stores timers. A timer is an item that names a record to check later, stored under the minute in which it is due.
 * `sweep-timers.ts` sends timers to their queues when they are due.
 *
 * - A timer is only a hint. The conditional write that its consumer makes decides, so a late, early or repeated message
 *   does no harm.
 * - Each timer is delivered at least once, because the table stores it until a consumer completes its effect and deletes
 *   it. A purged queue, a failed consumer or a stopped sweep delays a timer and never loses it.
 * - A leased timer is stored under the minute in which its lease ends. If its message is lost, that minute's sweep
 *   finds the timer and sends it again.
 * - Two marks rise. Every minute up to `closed` may have had its last read, so a timer stored there later would never be
 *   found. Therefore a writer reads `closed` after its put. If the mark has reached that minute, the writer puts the
 *   timer again under a later minute.
 * - Every timer up to `done` has been leased, so a sweep begins after `done`.
 */
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../base/env.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import { type Instant, now as readClock } from '../../base/time.ts';
import { dynamodb, tableTime } from '../client.ts';
import { type QueueMessage, sendMessage, sendMessages } from '../queues.ts';
import type { TransactionItem } from '../transactions.ts';
import {
  type Lease,
  type Timer,
  type TimerKind,
  type TimerMessage,
  timerItem,
  timerKey,
} from './timer-item.ts';
import { minuteMs, minuteOf, readMarks } from './timer-marks.ts';

/**
 * How long a consumer has, in milliseconds, before a timer is sent again: after the first message, the second, and so on.
 *
 * - The leases grow, so that a consumer that is down for an hour finds a few messages of each timer, not thirty.
 * - They grow again after that hour. A message that is handled after its lease does its work, but only the next one
 *   completes the timer. If a queue held more timers than its consumers handle in the longest lease, it would repeat
 *   itself for ever.
 */
export const leasesMs = [
  ...([2 * minuteMs, 4 * minuteMs, 8 * minuteMs] as const),
  ...([15 * minuteMs, 15 * minuteMs, 15 * minuteMs, 30 * minuteMs, 60 * minuteMs] as const),
] as const;

/**
 * Sets a timer. If it is due within a minute, its message goes to the queue immediately. Then the stored item is the
 * watchdog: the sweep sends the message again if no consumer completes the timer. Setting a timer twice leaves one item. If
 * it is due within a minute, it can leave two, whose messages have one effect.
 */
export async function setTimer(timer: Timer, now: Instant): Promise<void> {
  const { send } = await prepareTimer(timer, now);
  await send();
}

/** A timer that is stored and whose message is not sent yet. */
export interface PreparedTimer {
  /**
   * Sends the message if the timer is due within a minute. Without this call, the sweep sends it when the lease ends.
   */
  readonly send: () => Promise<void>;
  readonly cancel: () => Promise<void>;
}

/**
 * Stores a timer before the caller writes the change that needs it. So that change never exists without its timer.
 * Afterwards the caller sends or cancels the timer.
 */
export async function prepareTimer(timer: Timer, now: Instant): Promise<PreparedTimer> {
  const { scheduled, lease, time } = schedule(timer, now);
  return toPrepared(await storeTimer(scheduled, lease), { lease, time });
}

/**
 * Checks timers that were just put, with one read of the marks. Moves those whose minute is closed.
 * @returns the timers as they are stored, in the same order
 */
export async function confirmAllStored(timers: readonly ScheduledTimer[]): Promise<TimerMessage[]> {
  const isAnyNear = timers.some(({ scheduled }) => !isCertainlyOpen(scheduled));
  const closed = isAnyNear ? (await readMarks(readClock())).closed : undefined;
  return Promise.all(
    timers.map(async ({ scheduled, lease }) => {
      const isClosed = closed !== undefined && closed >= scheduled.minute;
      return isClosed ? moveAfter(closed, scheduled, lease) : scheduled;
    }),
  );
}

/** Returns a timer that was stored, with the functions that send or cancel it. */
export function toPrepared(
  stored: TimerMessage,
  { lease, time }: Omit<ScheduledTimer, 'scheduled'>,
): PreparedTimer {
  return {
    send: async () => {
      if (lease.leasedUntil !== undefined) await sendTimer(stored, time);
    },
    cancel: () => completeTimer(stored),
  };
}

/**
 * Completes a timer within a transaction of the caller, and sets the next one, if there is one.
 * @returns `actions` to include in the transaction, and `confirm` to call after it was written. `confirm` moves the next
 *   timer to a later minute if the sweep has already closed its minute. If the timer is due within a minute, `confirm`
 *   also sends its message.
 */
export function endTimer(
  from: TimerMessage,
  next: Timer | undefined,
  now: Instant,
): { readonly actions: TransactionItem[]; readonly confirm: () => Promise<void> } {
  const deletion: TransactionItem = { Delete: { TableName: env.tableName(), Key: timerKey(from) } };
  if (!next) return { actions: [deletion], confirm: async () => {} };
  const { scheduled, lease, time } = schedule(next, now);
  return {
    actions: [deletion, timerPut({ scheduled, lease, time })],
    confirm: async () => {
      const stored = await confirmStored(scheduled, lease);
      if (lease.leasedUntil !== undefined) await sendTimer(stored, time);
    },
  };
}

/** Returns the action that stores a timer. After the transaction, check with `confirmAllStored` that its minute is not closed. */
export const timerPut = ({ scheduled, lease }: ScheduledTimer): TransactionItem => ({
  Put: { TableName: env.tableName(), Item: timerItem(scheduled, lease) },
});

/** Deletes a timer whose effect is complete or no longer needed. */
export async function completeTimer(timer: TimerMessage): Promise<void> {
  await dynamodb.send(new DeleteCommand({ TableName: env.tableName(), Key: timerKey(timer) }));
}

/**
 * Whether the timer of a message still exists, strongly consistent. If not, the message is late or repeated: its effect is
 * complete, or a later message of the same timer leads to it. Only for timers that are always stored before their messages
 * are sent. That excludes the first attempts of deliveries.
 * @throws the error of DynamoDB if the read fails
 */
export async function isTimerStored(timer: TimerMessage): Promise<boolean> {
  const { Item } = await dynamodb.send(
    new GetCommand({ TableName: env.tableName(), Key: timerKey(timer), ConsistentRead: true }),
  );
  return Item !== undefined;
}

/** Sends the message of a stored timer to its queue, with the delay until it is due. */
function sendTimer(timer: TimerMessage, time: Instant): Promise<void> {
  return sendMessage(timer.kind, toMessage(timer, time));
}

/**
 * Sends the messages of stored timers to their queues.
 * @throws the error of a call that failed, or an `AggregateError` of several, after all calls
 */
export async function sendTimers(timers: readonly TimerMessage[], time: Instant): Promise<void> {
  const queues = Object.entries(Object.groupBy(timers, ({ kind }) => kind));
  await throwAfterAllSettled(
    queues.map(([kind, ofKind]) =>
      sendMessages(
        kind as TimerKind,
        ofKind.map((timer) => toMessage(timer, time)),
      ),
    ),
  );
}

const toMessage = (timer: TimerMessage, time: Instant): QueueMessage => ({
  body: timer,
  delayMs: timer.due - time,
  group: timer.group,
});

/** Where to store a timer, decided at `time` on DynamoDB's clock. */
export interface ScheduledTimer {
  readonly scheduled: TimerMessage;
  readonly lease: Lease;
  readonly time: Instant;
}

/**
 * Chooses where to store a timer. The message of a timer that is due within a minute is sent immediately. So this timer
 * is stored as already leased, under the minute in which the lease ends: it is a watchdog.
 * @returns also the time on DynamoDB's clock, so that a process whose clock is wrong delays no timer
 */
export function schedule(timer: Timer, now: Instant): ScheduledTimer {
  const time = tableTime(now);
  if (timer.due - time >= minuteMs)
    return { scheduled: { ...timer, minute: minuteOf(timer.due) }, lease: {}, time };
  const leasedUntil = Math.max(timer.due, time) + leasesMs[0];
  return { scheduled: { ...timer, minute: minuteOf(leasedUntil) }, lease: { leasedUntil }, time };
}

/**
 * Stores a timer under its minute, or under a later minute if the sweep has closed that one.
 * @returns the timer as it is stored
 */
export async function storeTimer(timer: TimerMessage, lease: Lease): Promise<TimerMessage> {
  await dynamodb.send(new PutCommand({ TableName: env.tableName(), Item: timerItem(timer, lease) }));
  return confirmStored(timer, lease);
}

/** Checks a timer that was just put. Moves it if its minute is closed. Returns the timer as it is stored. */
async function confirmStored(timer: TimerMessage, lease: Lease): Promise<TimerMessage> {
  if (isCertainlyOpen(timer)) return timer;
  const { closed } = await readMarks(readClock());
  return closed < timer.minute ? timer : moveAfter(closed, timer, lease);
}

/**
 * Moves a timer to a minute after `closed`. The old item is deleted last, so the timer always exists.
 * @returns the timer as it is stored
 */
export async function moveAfter(closed: number, timer: TimerMessage, lease: Lease): Promise<TimerMessage> {
  const moved = await storeTimer({ ...timer, minute: closed + 1 }, lease);
  await completeTimer(timer);
  return moved;
}

/** A timer this many minutes ahead is stored without a look at the marks. */
const farMinutes = 60;

/**
 * Whether the minute of a timer that was just put is certainly open: an hour ahead.
 *
 * - Marks never pass the last minute that has ended on DynamoDB's clock.
 * - The clock is compared after the put, with the answer of DynamoDB to that put. So the clock of this process does not
 *   matter. The hour allows for all differences between the clocks of DynamoDB's servers, and for slow answers.
 */
function isCertainlyOpen({ minute }: TimerMessage): boolean {
  return minute - minuteOf(tableTime(readClock())) >= farMinutes;
}
