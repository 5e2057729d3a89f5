/** Defines what a timer says, and the item and the message that it is stored and sent as. `timers.ts` describes timers. */
import type { QueueName } from '../../base/queues.ts';
import type { Instant } from '../../base/time.ts';
import { type Key, tableKeys } from '../keys.ts';
import type { Item } from '../records.ts';
import {
  checksOf,
  count,
  type Field,
  instant,
  MalformedItemError,
  optional,
  requireAttributes,
  text,
} from '../stored-fields.ts';

/** The purpose of a timer. Its message goes to the queue of the same name. */
export type TimerKind = QueueName;

export interface Timer {
  readonly due: Instant;
  readonly kind: TimerKind;
  /** The id of the record to check. */
  readonly reference: string;
  /** Messages of one group with a long backlog wait, so that messages of other groups do not. */
  readonly group?: string | undefined;
  /** Describes a record that may not be stored yet. Its consumer reads it. */
  readonly first?: unknown;
}

/** The message in the queue: the timer, and where its item is stored until it is completed. */
export interface TimerMessage extends Timer {
  readonly minute: number;
}

/** What an item says about the messages that were sent for it. */
export interface Lease {
  /** Until this instant, the message that was sent may still lead to the effect, so the timer is not sent again. */
  readonly leasedUntil?: Instant | undefined;
  /** The number of messages sent for it. Absent: one if it is leased, otherwise none. */
  readonly sends?: number | undefined;
}

/** Returns the key of a stored timer. */
export const timerKey = ({ minute, due, kind, reference }: TimerMessage): Key =>
  tableKeys.timer(minute, due, kind, reference);

/** SQS accepts these characters in the id of a message group. */
const groupId: Field<string> = {
  expected: 'a text of 1 to 128 characters that SQS accepts as a group',
  accepts: (value) => typeof value === 'string' && /^[!-~]{1,128}$/.test(value),
};
const maxFirstLength = 4_096;
/** Its consumer reads it. With a larger one, a message could be too large for its call. */
const firstDescription: Field<unknown> = {
  expected: `at most ${maxFirstLength} characters as JSON`,
  accepts: (value) => value === undefined || JSON.stringify(value).length <= maxFirstLength,
};
const checks = checksOf({
  due: instant,
  // A later release can have other kinds. They wait for it.
  kind: text,
  reference: text,
  minute: count,
  group: optional(groupId),
  first: firstDescription,
  leasedUntil: optional(instant),
  sends: optional(count),
});

/** A timer as the table stores it. */
export type StoredTimer = TimerMessage & Lease & Key;

/** Returns the timer in an item. @throws MalformedItemError */
export function fromTimerItem(item: Item): StoredTimer {
  const { pk, sk } = item as Key & Item;
  requireAttributes(checks, item, () => `${pk} ${sk}`);
  const timer = item as unknown as StoredTimer;
  const key = timerKey(timer);
  if (key.pk !== pk || key.sk !== sk)
    throw new MalformedItemError(`${pk} ${sk}`, 'its attributes do not fit its key');
  return timer;
}

/** Returns the item of a timer. After it was put, check that its minute is not closed. */
export const timerItem = (timer: TimerMessage, lease: Lease): Key & Item => ({
  ...timerKey(timer),
  ...timer,
  ...lease,
});
