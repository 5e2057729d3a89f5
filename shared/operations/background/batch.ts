/**
 * Creates Lambda handlers that process a batch of records. Each failure is logged and reported on its own. So a record
 * that always fails does not delay the other records.
 *
 * - A message that cannot be read is set aside, and leaves its queue: it would fail each time.
 *
 * A record that is not finished at the deadline of the batch fails with `DeadlineExceededError`.
 */
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import { rejectAtDeadline, withDeadline } from '../../base/deadline.ts';
import { logger, serializeError } from '../../base/log.ts';
import type { QueueName } from '../../base/queues.ts';
import { setMessageAside } from '../../store/set-aside.ts';
import { MalformedItemError } from '../../store/stored-fields.ts';

/**
 * Creates the Lambda handler of a queue. If `handle` throws, its message is delivered again.
 * @param parse reads the body of a message. If it throws `MalformedItemError`, the message is set aside.
 */
export function queueHandler<T>(
  queue: QueueName,
  parse: (body: string) => T,
  handle: (message: T) => Promise<void>,
) {
  const handleRecord = async ({ body }: SQSRecord): Promise<void> => {
    const message = parseOr(parse, body);
    if (message instanceof MalformedItemError) await setMessageAside(queue, body, message);
    else await handle(message);
  };
  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const handleOrLog = logged(context, 'messageId', handleRecord, subjectOf);
    const processor = new BatchProcessor(EventType.SQS);
    return withDeadline(context, () =>
      processPartialResponse(event, handleOrLog, processor, options(context)),
    );
  };
}

/**
 * Creates the Lambda handler of a queue that processes the messages of a batch together. A message that fails is delivered
 * again.
 * @param parse as in `queueHandler`
 * @param handle processes the messages. It returns one promise for each, in the same order.
 */
export function queueBatchHandler<T>(
  queue: QueueName,
  parse: (body: string) => T,
  handle: (parsed: readonly T[]) => readonly Promise<void>[],
) {
  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const processor = new BatchProcessor(EventType.SQS);
    return withDeadline(context, () => {
      // Only messages: a record that a message names can be malformed, too, and its message is tried again.
      const messages = new Map(event.Records.map((record) => [record, parseOr(parse, record.body)]));
      const readable = event.Records.filter(
        (record) => !(messages.get(record) instanceof MalformedItemError),
      );
      const outcomes = handleTogether(readable, (record) => messages.get(record) as T, handle);
      const outcomeOf = async (record: SQSRecord): Promise<void> => {
        const message = messages.get(record);
        if (message instanceof MalformedItemError) await setMessageAside(queue, record.body, message);
        else await outcomes(record);
      };
      const handleOrLog = logged(context, 'messageId', outcomeOf, subjectOf);
      return processPartialResponse(event, handleOrLog, processor, options(context));
    });
  };
}

/**
 * Creates the Lambda handler of a stream, which processes the records of a batch together. If a record fails, this
 * record and all later records of the batch are delivered again.
 * @param parse converts a record. If it throws, only this record fails.
 * @param handle processes the converted records. It returns one promise for each, in the same order.
 */
export function streamHandler<T>(
  parse: (record: DynamoDBRecord) => T,
  handle: (parsed: readonly T[]) => readonly Promise<void>[],
) {
  return (event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> => {
    const processor = new BatchProcessor(EventType.DynamoDBStreams);
    return withDeadline(context, () => {
      const outcomeOf = handleTogether(event.Records, parse, handle);
      const handleOrLog = logged(context, 'eventID', outcomeOf);
      return processPartialResponse(event, handleOrLog, processor, options(context));
    });
  };
}

/** Returns a function that returns the outcome of each record. */
function handleTogether<R, T>(
  records: readonly R[],
  parse: (record: R) => T,
  handle: (parsed: readonly T[]) => readonly Promise<void>[],
): (record: R) => Promise<void> {
  const parsed: T[] = [];
  const indexes = new Map<R, number>();
  const faults = new Map<R, unknown>();
  for (const record of records) {
    try {
      indexes.set(record, parsed.push(parse(record)) - 1);
    } catch (error) {
      faults.set(record, error);
    }
  }
  const outcomes = handle(parsed);
  // At the deadline nobody waits for them any more, and a rejection that nobody handles ends the process.
  for (const outcome of outcomes) outcome.catch(() => {});
  return async (record) => {
    if (faults.has(record)) throw faults.get(record);
    await outcomes[indexes.get(record) ?? -1];
  };
}

function parseOr<T>(parse: (body: string) => T, body: string): T | MalformedItemError {
  try {
    return parse(body);
  } catch (error) {
    if (error instanceof MalformedItemError) return error;
    throw error;
  }
}

const options = (context: Context) => ({ context, throwOnFullBatchFailure: false });

/** Returns what a message is about, so that the log line of its failure says who is affected. */
function subjectOf({ body }: SQSRecord): object {
  try {
    const { account, mode, reference } = JSON.parse(body);
    return { account, mode, reference };
  } catch {
    return {};
  }
}

/** @param about returns further fields of the log line of a failure */
function logged<R>(
  context: Context,
  id: keyof R,
  handle: (record: R) => Promise<void>,
  about: (record: R) => object = () => ({}),
) {
  return async (record: R): Promise<void> => {
    try {
      await rejectAtDeadline(() => handle(record));
    } catch (error) {
      logger.error('record failed', {
        function: context.functionName,
        record: record[id],
        ...about(record),
        error: serializeError(error),
      });
      throw error;
    }
  };
}
