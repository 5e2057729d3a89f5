/**
 * Stores timers and sends them to their queues when they are due. A timer is an item that names a record to check
 * later, stored under the minute in which it is due.
 *
 * - A timer is only a hint. The conditional write that its consumer makes decides, so a late, early or repeated message
 *   does no harm.
 * - Each timer is delivered at least once, because the table stores it until a consumer completes its effect and deletes
 *   it. A purged queue, a failed consumer or a stopped sweep delays a timer and never loses it.
 * - A leased timer is stored under the minute in which its lease ends. If its message is lost, that minute's sweep
 *   finds the timer and sends it again.
 * - Two marks rise and never fall. Every minute up to `closed` may have had its last read, so a timer stored there
 *   later would never be found. Therefore a writer reads `closed` after its put. If the mark has reached that minute,
 *   the writer puts the timer again under a later minute.
 * - Every timer up to `done` has been leased, so a sweep begins after `done`.
 */
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../../env.ts';
import type { QueueName } from '../../queues.ts';
import { throwAfterAllSettled } from '../../throw-after-all-settled.ts';
import type { Instant } from '../../time.ts';
import { putItems } from '../batch-write.ts';
import { dynamodb } from '../client.ts';
import { type Key, padMinute, tableKeys, timerPartition, timerShards } from '../keys.ts';
import { queryPages } from '../query-pages.ts';
import { sendMessage } from '../queues.ts';
import type { Item } from '../records.ts';
import { type TransactionItem, writeTransaction } from '../transactions.ts';
import { closeMinutes, minuteMs, minuteOf, raise, readMarks } from './timer-marks.ts';

/** The purpose of a timer. Its message goes to the queue of the same name. */
export type TimerKind = QueueName;

export interface Timer {
  readonly due: Instant;
  readonly kind: TimerKind;
  /** The id of the record to check. */
  readonly reference: string;
  /** Messages of one group with a long backlog wait, so that messages of other groups do not. */
  readonly group?: string | undefined;
}

/** The message in the queue: the timer, and the minute under which its item is stored until it is completed. */
export interface TimerMessage extends Timer {
  readonly minute: number;
}

/**
 * How long a consumer has, in milliseconds, before a timer is sent again: after the first message, the second, and so on.
 * The leases grow, so that a consumer that is down for an hour finds a few messages of each timer, not thirty.
 */
export const leasesMs = [2 * minuteMs, 4 * minuteMs, 8 * minuteMs, 15 * minuteMs] as const;
/** The sweep leases timers this many minutes before they are due. The queue delays their messages to the second. */
const minutesAhead = 2;
/** A sweep that is behind catches up by at most this many hours in one run, and only while `sweepMs` lasts. */
const maxHoursPerSweep = 1_000;
const sweepMs = 45_000;

/**
 * Sets a timer. If it is due within a minute, its message goes to the queue immediately. Then the stored item is the
 * watchdog: the sweep sends the message again if no consumer completes the timer. Setting a timer twice leaves one item.
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
  const { minute, leasedUntil } = schedule(timer, now);
  const storedMinute = await put(timer, minute, leasedUntil, now);
  return {
    send: () => sendIfLeased(timer, storedMinute, leasedUntil, now),
    cancel: () => completeTimer({ ...timer, minute: storedMinute }),
  };
}

/**
 * Stores timers in batches, and reads the mark once after all of them. See `prepareTimer`.
 * @returns the prepared timers, in the same order
 */
export async function prepareTimers(timers: readonly Timer[], now: Instant): Promise<PreparedTimer[]> {
  if (timers.length === 0) return [];
  const scheduled = timers.map((timer) => ({ timer, ...schedule(timer, now) }));
  await putItems(
    scheduled.map(({ timer, minute, leasedUntil }) => ({ ...timerItem(timer, minute), leasedUntil })),
  );
  const { closed } = await readMarks(now);
  return Promise.all(
    scheduled.map(async ({ timer, minute, leasedUntil }) => {
      const isClosed = closed >= minute;
      const storedMinute = isClosed ? await put(timer, closed + 1, leasedUntil, now) : minute;
      // The timer under the closed minute is deleted last, so the timer always exists.
      if (isClosed) await completeTimer({ ...timer, minute });
      return {
        send: () => sendIfLeased(timer, storedMinute, leasedUntil, now),
        cancel: () => completeTimer({ ...timer, minute: storedMinute }),
      };
    }),
  );
}

/**
 * Completes a timer by setting the next one, within a transaction of the caller.
 * @returns `actions` to include in the transaction, and `confirm` to call after it was written. `confirm` moves the new
 *   timer to a later minute if the sweep has already closed its minute. If the timer is due within a minute, `confirm`
 *   also sends its message.
 */
export function nextTimer(
  { minute, due, kind, reference }: TimerMessage,
  timer: Timer,
  now: Instant,
): { actions: TransactionItem[]; confirm: () => Promise<void> } {
  const TableName = env.tableName();
  const { minute: wanted, leasedUntil } = schedule(timer, now);
  return {
    actions: [
      { Delete: { TableName, Key: tableKeys.timer(minute, due, kind, reference) } },
      { Put: { TableName, Item: { ...timerItem(timer, wanted), ...(leasedUntil && { leasedUntil }) } } },
    ],
    confirm: async () => {
      const { closed } = await readMarks(now);
      const storedMinute = closed < wanted ? wanted : await put(timer, wanted, leasedUntil, now);
      await sendIfLeased(timer, storedMinute, leasedUntil, now);
    },
  };
}

/** Deletes a timer whose effect is complete or no longer needed. */
export async function completeTimer({ minute, due, kind, reference }: TimerMessage): Promise<void> {
  await dynamodb.send(
    new DeleteCommand({ TableName: env.tableName(), Key: tableKeys.timer(minute, due, kind, reference) }),
  );
}

/**
 * Leases and sends all timers that are due now or within two minutes.
 *
 * - A failure in one hour does not stop the sweep of the other hours.
 * - If two sweeps overlap, they may send a timer twice, which does no harm.
 * - A sweep must end before the first lease that it gives ends, which is after two minutes. A later sweep could already
 *   have closed that minute, and a timer that this sweep then stores there would never be read.
 * @throws the failure of an hour, or an `AggregateError` of several, after all other hours were swept
 */
export async function sweepTimers(now: Instant): Promise<void> {
  const present = minuteOf(now);
  const { done } = await closeMinutes(present - 1, now);
  const failed: { first: number; failure: unknown }[] = [];
  const end = performance.now() + sweepMs;
  let last = done;
  for (const hour of hoursFrom(done + 1, present + minutesAhead).slice(0, maxHoursPerSweep)) {
    if (performance.now() > end) break;
    await sweepHour(hour, now).catch((failure) => failed.push({ first: hour.first, failure }));
    last = hour.last;
  }
  await raise('done', Math.min(present - 1, last, ...failed.map(({ first }) => first - 1)));
  await throwAfterAllSettled(failed.map(({ failure }) => Promise.reject(failure)));
}

/**
 * Chooses the minute under which to store a timer. The message of a timer that is due within a minute is sent
 * immediately. So this timer is stored as already leased, under the minute in which the lease ends: it is a watchdog.
 */
function schedule({ due }: Timer, now: Instant): { minute: number; leasedUntil: Instant | undefined } {
  if (due - now >= minuteMs) return { minute: minuteOf(due), leasedUntil: undefined };
  const leasedUntil = Math.max(due, now) + leasesMs[0];
  return { minute: minuteOf(leasedUntil), leasedUntil };
}

async function sendIfLeased(
  timer: Timer,
  minute: number,
  leasedUntil: Instant | undefined,
  now: Instant,
): Promise<void> {
  if (leasedUntil === undefined) return;
  await sendMessage(timer.kind, { ...timer, minute } satisfies TimerMessage, timer.due - now, timer.group);
}

/** A range of minutes within one clock hour, including its first and its last minute. */
interface HourOfMinutes {
  readonly first: number;
  readonly last: number;
}

/** Splits the minutes from `first` to `last` at the full hours. */
function hoursFrom(first: number, last: number): HourOfMinutes[] {
  const hours: HourOfMinutes[] = [];
  for (let start = first; start <= last; start = endOfHour(start) + 1) {
    hours.push({ first: start, last: Math.min(last, endOfHour(start)) });
  }
  return hours;
}

const endOfHour = (minute: number) => minute - (minute % 60) + 59;

/**
 * Stores the timer under `minute`, or under a later minute if the sweep has closed that one. Timers under closed
 * minutes are deleted last, so the timer always exists.
 * @returns the minute under which the timer is stored
 */
async function put(
  timer: Timer,
  minute: number,
  leasedUntil: Instant | undefined,
  now: Instant,
  sends?: number,
): Promise<number> {
  const tooLate: number[] = [];
  for (;;) {
    const item = { ...timerItem(timer, minute), leasedUntil, sends };
    await dynamodb.send(new PutCommand({ TableName: env.tableName(), Item: item }));
    const { closed } = await readMarks(now);
    if (closed < minute) break;
    tooLate.push(minute);
    minute = closed + 1;
  }
  for (const other of tooLate) await completeTimer({ ...timer, minute: other });
  return minute;
}

/** A timer as the table stores it. */
interface TimerItem extends TimerMessage, Key {
  /** Until this instant, the message that was sent may still lead to the effect, so the timer is not sent again. */
  readonly leasedUntil?: Instant;
  /** The number of messages sent for it. Absent in items of earlier releases. */
  readonly sends?: number;
}

const timerItem = (timer: Timer, minute: number): Key & Item => ({
  ...tableKeys.timer(minute, timer.due, timer.kind, timer.reference),
  ...timer,
  minute,
});

async function sweepHour(hour: HourOfMinutes, now: Instant): Promise<void> {
  await throwAfterAllSettled(Array.from({ length: timerShards }, (_, shard) => sweepShard(hour, shard, now)));
}

async function sweepShard({ first, last }: HourOfMinutes, shard: number, now: Instant): Promise<void> {
  const pages = queryPages({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :end',
    ExpressionAttributeValues: {
      ':pk': timerPartition(first, shard),
      ':first': padMinute(first),
      ':end': padMinute(last + 1),
    },
    Limit: 100,
  });
  for await (const items of pages) {
    await throwAfterAllSettled(items.map((item) => leaseAndSend(item as unknown as TimerItem, now)));
  }
}

/** Moves the timer to the minute in which its lease ends, and sends it. Skips timers that are leased or deleted. */
async function leaseAndSend(
  { pk: _, sk: __, minute, leasedUntil: before, sends = before === undefined ? 0 : 1, ...timer }: TimerItem,
  now: Instant,
): Promise<void> {
  const { due, kind, reference } = timer;
  if (before !== undefined && before > now) return;
  const leaseMs = leasesMs[Math.min(sends, leasesMs.length - 1)] ?? leasesMs[0];
  const leasedUntil = Math.max(due, now) + leaseMs;
  // Always a later minute, even if this clock is behind the clock of the process that set the timer.
  const leased = Math.max(minuteOf(leasedUntil), minute + 1);
  const TableName = env.tableName();
  const { written } = await writeTransaction([
    {
      Delete: {
        TableName,
        Key: tableKeys.timer(minute, due, kind, reference),
        ConditionExpression: 'attribute_exists(pk)',
      },
    },
    { Put: { TableName, Item: { ...timerItem(timer, leased), leasedUntil, sends: sends + 1 } } },
  ]);
  if (!written) return;
  const { closed } = await readMarks(now);
  const storedMinute = closed < leased ? leased : await put(timer, leased, leasedUntil, now, sends + 1);
  await sendIfLeased(timer, storedMinute, leasedUntil, now);
}
