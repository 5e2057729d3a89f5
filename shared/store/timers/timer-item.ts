/** Defines what a timer says, and the item and the message that it is stored and sent as. `timers.ts` describes timers. */
import type { QueueName } from '../../queues.ts';
import type { Instant } from '../../time.ts';
import { type Key, tableKeys } from '../keys.ts';
import type { Item } from '../records.ts';

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
  /**
   * The outbox item that exists in place of a timer until the message is completed. A sweep relays it again if the message is
   * lost, and then sets a timer.
   */
  readonly outboxItem?: Key | undefined;
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

/** Returns the key of the item that is deleted when a message is completed. */
export const watchdogKey = (message: TimerMessage): Key => message.outboxItem ?? timerKey(message);

/** Returns the item of a timer. After it was put, check that its minute is not closed. */
export const timerItem = (timer: TimerMessage, lease: Lease): Key & Item => ({
  ...timerKey(timer),
  ...timer,
  ...lease,
});
