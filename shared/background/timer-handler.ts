/** Creates the Lambda handler of a queue that receives timers. */
import * as v from 'valibot';
import { type QueueName, queueVariables } from '../queues.ts';
import type { TimerMessage } from '../store/timers/timer-item.ts';
import { type Instant, now } from '../time.ts';
import { queueBatchHandler, queueHandler } from './batch.ts';

/** Unknown fields are ignored: a newer version may send them. */
const timerMessageSchema = v.object({
  due: v.pipe(v.number(), v.safeInteger()),
  kind: v.picklist(Object.keys(queueVariables) as QueueName[]),
  reference: v.pipe(v.string(), v.nonEmpty()),
  group: v.optional(v.string()),
  minute: v.pipe(v.number(), v.safeInteger()),
  first: v.optional(v.unknown()),
  outboxItem: v.optional(v.object({ pk: v.string(), sk: v.string() })),
});

/**
 * Creates the handler. If `handle` throws, or a message is not a timer, the message is delivered again, and ends in the
 * dead-letter queue after its last delivery.
 * @param handle handles one timer at the time `now`, in milliseconds since 1970
 */
export function timerHandler(handle: (timer: TimerMessage, now: Instant) => Promise<void>) {
  return queueHandler((record) => handle(parseTimer(record), now()));
}

/**
 * Creates the handler of a queue whose timers are handled together.
 * @param handle returns one promise for each timer, in the same order
 */
export function timerBatchHandler(handle: (timers: readonly TimerMessage[]) => readonly Promise<void>[]) {
  return queueBatchHandler(parseTimer, handle);
}

const parseTimer = ({ body }: { readonly body: string }): TimerMessage =>
  v.parse(timerMessageSchema, JSON.parse(body));
