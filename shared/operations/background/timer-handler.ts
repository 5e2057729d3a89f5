/** Creates the Lambda handler of a queue that receives timers. */
import { queueVariables } from '../../base/queues.ts';
import { type Instant, now } from '../../base/time.ts';
import { parseMessage } from '../../store/parse-message.ts';
import {
  checksOf,
  count,
  instant,
  MalformedItemError,
  oneOf,
  optional,
  requireAttributes,
  text,
} from '../../store/stored-fields.ts';
import type { TimerKind, TimerMessage } from '../../store/timers/timer-item.ts';
import { queueBatchHandler, queueHandler } from './batch.ts';

const kinds = Object.keys(queueVariables) as TimerKind[];

/** Fields that this version does not know are ignored: a newer version may send them. */
const checks = checksOf({
  due: instant,
  kind: oneOf(...kinds),
  reference: text,
  group: optional(text),
  minute: count,
});

/**
 * Creates the handler. If `handle` throws, the message is delivered again, and ends in the dead-letter queue after its last
 * delivery. A message that is not a timer is set aside.
 * @param handle handles one timer at the time `now`, in milliseconds since 1970
 */
export function timerHandler(queue: TimerKind, handle: (timer: TimerMessage, now: Instant) => Promise<void>) {
  return queueHandler(queue, parseTimer, (timer) => handle(timer, now()));
}

/**
 * Creates the handler of a queue whose timers are handled together.
 * @param handle returns one promise for each timer, in the same order
 */
export function timerBatchHandler(
  queue: TimerKind,
  handle: (timers: readonly TimerMessage[]) => readonly Promise<void>[],
) {
  return queueBatchHandler(queue, parseTimer, handle);
}

/** Reads the body of a message. @throws MalformedItemError */
export function parseTimer(body: string): TimerMessage {
  const message = parseMessage(body);
  requireAttributes(checks, message, () => 'message');
  if (message.reference === '') throw new MalformedItemError('message', 'its attribute reference is empty');
  return message as unknown as TimerMessage;
}
