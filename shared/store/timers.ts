/**
 * Timers: what is to be looked at later, as items sorted by the minute in which it is due. A timer is a hint; the
 * conditional write that it leads to decides. Delivered at least once: a purged queue, a dead consumer or a stopped
 * sweep delays and loses nothing.
 *
 * Invariants. Two marks rise and never fall: every minute up to `closed` may have had its last read, so nothing
 * is put there any more (a writer looks at `closed` after its put and, if it was too late, puts again further
 * on); every timer up to `done` has been leased. A leased timer stands under the minute in which its lease ends
 * until whoever completed its effect deletes it.
 */
import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { env } from '../env.ts';
import type { QueueName } from '../queues.ts';
import { allOrThrow } from '../settle.ts';
import type { Instant } from '../time.ts';
import { dynamodb } from './client.ts';
import { keys, padMinute, timerPartition, timerShards } from './keys.ts';
import { send } from './queues.ts';
import type { Item } from './records.ts';
import { closeMinutes, minuteMs, minuteOf, raise, readMarks } from './timer-marks.ts';
import { type TransactionItem, writeTransaction } from './transactions.ts';

/** What a timer is for; its message goes to the queue of the same name. */
export type TimerKind = QueueName;

export interface Timer {
  readonly due: Instant;
  readonly kind: TimerKind;
  /** The id of the record to look at. */
  readonly reference: string;
  /** Messages of one group wait for one another rather than making those of others wait. */
  readonly group?: string | undefined;
}

/** What arrives in the queue: the timer, and the minute under which its item stands until it is completed. */
export interface TimerMessage extends Timer {
  readonly minute: number;
}

/** How long a consumer has, after the due time, before the timer is sent once more. */
export const leaseMs = 2 * minuteMs;
/** The sweep leases timers this many minutes before they are due; the queue delays them to the second. */
const minutesAhead = 2;
/** A sweep that has fallen behind catches up by this many hours in one run, or as many as there is time for. */
const maxHoursPerSweep = 1_000;
const sweepMs = 45_000;

/**
 * Sets a timer. One that is due within a minute goes to its queue at once, with a watchdog behind it; setting
 * the same timer twice leaves one.
 */
export async function setTimer(timer: Timer, now: Instant): Promise<void> {
  const { send } = await prepareTimer(timer, now);
  await send();
}

/** A timer that stands already, and is not sent yet. */
export interface PreparedTimer {
  /** Sends what goes to its queue at once; without that the timer comes when its lease has ended. */
  readonly send: () => Promise<void>;
  readonly cancel: () => Promise<void>;
}

/** Sets a timer before that which it is for is written, so that this is never there without one. */
export async function prepareTimer(timer: Timer, now: Instant): Promise<PreparedTimer> {
  const { minute, leasedUntil } = placeOf(timer, now);
  const stands = await put(timer, minute, leasedUntil, now);
  return {
    send: () => sendIfLeased(timer, stands, leasedUntil, now),
    cancel: () => completeTimer({ ...timer, minute: stands }),
  };
}

/**
 * Completes a timer by setting the next one, in a transaction of the caller's that has these actions in it; after it
 * was written, `confirm` makes sure that the timer does not stand where the sweep has been already, and sends it.
 */
export function nextTimer(
  { minute, due, kind, reference }: TimerMessage,
  timer: Timer,
  now: Instant,
): { actions: TransactionItem[]; confirm: () => Promise<void> } {
  const TableName = env.tableName();
  const { minute: wanted, leasedUntil } = placeOf(timer, now);
  return {
    actions: [
      { Delete: { TableName, Key: keys.timer(minute, due, kind, reference) } },
      { Put: { TableName, Item: { ...timerItem(timer, wanted), ...(leasedUntil && { leasedUntil }) } } },
    ],
    confirm: async () => {
      const { closed } = await readMarks(now);
      const stands = closed < wanted ? wanted : await put(timer, wanted, leasedUntil, now);
      await sendIfLeased(timer, stands, leasedUntil, now);
    },
  };
}

/** Deletes a timer whose effect is complete, or no longer wanted. */
export async function completeTimer({ minute, due, kind, reference }: TimerMessage): Promise<void> {
  await dynamodb.send(
    new DeleteCommand({ TableName: env.tableName(), Key: keys.timer(minute, due, kind, reference) }),
  );
}

/**
 * Leases and sends all timers that are due or will be within two minutes. An hour that fails keeps no other from being
 * swept. Should two sweeps overlap, timers are sent twice. But none may live on for the two minutes after which the
 * timers that it leases stand: a later sweep could have closed these, and what it puts there would never be read.
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
  await allOrThrow(failed.map(({ failure }) => Promise.reject(failure)));
}

/** Where a timer is to stand: one that goes to its queue at once is its own watchdog. */
function placeOf({ due }: Timer, now: Instant): { minute: number; leasedUntil: Instant | undefined } {
  if (due - now >= minuteMs) return { minute: minuteOf(due), leasedUntil: undefined };
  const leasedUntil = Math.max(due, now) + leaseMs;
  return { minute: minuteOf(leasedUntil), leasedUntil };
}

async function sendIfLeased(
  timer: Timer,
  minute: number,
  leasedUntil: Instant | undefined,
  now: Instant,
): Promise<void> {
  if (leasedUntil === undefined) return;
  await send(timer.kind, { ...timer, minute } satisfies TimerMessage, timer.due - now, timer.group);
}

/** Minutes of one clock hour, the first and the last. */
interface HourOfMinutes {
  readonly first: number;
  readonly last: number;
}

/** The minutes from `first` to `last`, cut at the full hours. */
function hoursFrom(first: number, last: number): HourOfMinutes[] {
  const hours: HourOfMinutes[] = [];
  for (let start = first; start <= last; start = endOfHour(start) + 1) {
    hours.push({ first: start, last: Math.min(last, endOfHour(start)) });
  }
  return hours;
}

const endOfHour = (minute: number) => minute - (minute % 60) + 59;

/** Puts the timer under `minute` or, if that has been closed, under a later one; returns where it stands. */
async function put(
  timer: Timer,
  minute: number,
  leasedUntil: Instant | undefined,
  now: Instant,
): Promise<number> {
  const tooLate: number[] = [];
  for (;;) {
    const item = { ...timerItem(timer, minute), leasedUntil };
    await dynamodb.send(new PutCommand({ TableName: env.tableName(), Item: item }));
    const { closed } = await readMarks(now);
    if (closed < minute) break;
    tooLate.push(minute);
    minute = closed + 1;
  }
  for (const other of tooLate) await completeTimer({ ...timer, minute: other });
  return minute;
}

/** A timer as it stands in the table. */
interface TimerItem extends TimerMessage {
  /** While this lies ahead, a message is on its way. */
  readonly leasedUntil?: Instant;
}

const timerItem = (timer: Timer, minute: number): Item => ({
  ...keys.timer(minute, timer.due, timer.kind, timer.reference),
  ...timer,
  minute,
});

async function sweepHour(hour: HourOfMinutes, now: Instant): Promise<void> {
  await allOrThrow(Array.from({ length: timerShards }, (_, shard) => sweepShard(hour, shard, now)));
}

async function sweepShard({ first, last }: HourOfMinutes, shard: number, now: Instant): Promise<void> {
  let start: Item | undefined;
  do {
    const answer = await dynamodb.send(
      new QueryCommand({
        TableName: env.tableName(),
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :end',
        ExpressionAttributeValues: {
          ':pk': timerPartition(first, shard),
          ':first': padMinute(first),
          ':end': padMinute(last + 1),
        },
        ConsistentRead: true,
        Limit: 100,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    await allOrThrow((answer.Items ?? []).map((item) => leaseAndSend(item as TimerItem, now)));
    start = answer.LastEvaluatedKey;
  } while (start);
}

/** Moves the timer to where its lease ends, unless a lease is running or it is gone, and sends it. */
async function leaseAndSend(item: TimerItem, now: Instant): Promise<void> {
  const { minute, due, kind, reference, group } = item;
  const timer: Timer = { due, kind, reference, group };
  if (item.leasedUntil !== undefined && item.leasedUntil > now) return;
  const leasedUntil = Math.max(due, now) + leaseMs;
  // A later minute in any case, also if this clock is behind that of whoever set the timer.
  const leased = Math.max(minuteOf(leasedUntil), minute + 1);
  const TableName = env.tableName();
  const { written } = await writeTransaction([
    {
      Delete: {
        TableName,
        Key: keys.timer(minute, due, kind, reference),
        ConditionExpression: 'attribute_exists(pk)',
      },
    },
    { Put: { TableName, Item: { ...timerItem(timer, leased), leasedUntil } } },
  ]);
  if (!written) return;
  const stands = (await readMarks(now)).closed < leased ? leased : await put(timer, leased, leasedUntil, now);
  await sendIfLeased(timer, stands, leasedUntil, now);
}
