/**
 * Creates Lambda handlers that process a batch of records. Each failure is logged and reported on its own. So a record
 * that always fails does not delay the other records.
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
import { rejectAtDeadline, withDeadline } from '../deadline.ts';
import { logger, serializeError } from '../log.ts';

/** Creates the Lambda handler of a queue. If `handle` throws, its message is delivered again. */
export function queueHandler(handle: (record: SQSRecord) => Promise<void>) {
  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const handleOrLog = logged(context, 'messageId', handle);
    const processor = new BatchProcessor(EventType.SQS);
    return withDeadline(context, () =>
      processPartialResponse(event, handleOrLog, processor, options(context)),
    );
  };
}

/**
 * Creates the Lambda handler of a queue that processes the messages of a batch together. A message that fails is delivered
 * again. Parameters as in `streamHandler`.
 */
export function queueBatchHandler<T>(
  parse: (record: SQSRecord) => T,
  handle: (parsed: readonly T[]) => readonly Promise<void>[],
) {
  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const processor = new BatchProcessor(EventType.SQS);
    return withDeadline(context, () => {
      const outcomeOf = handleTogether(event.Records, parse, handle);
      const handleOrLog = logged(context, 'messageId', outcomeOf);
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

const options = (context: Context) => ({ context, throwOnFullBatchFailure: false });

function logged<R>(context: Context, id: keyof R, handle: (record: R) => Promise<void>) {
  return async (record: R): Promise<void> => {
    try {
      await rejectAtDeadline(() => handle(record));
    } catch (error) {
      logger.error('record failed', {
        function: context.functionName,
        record: record[id],
        error: serializeError(error),
      });
      throw error;
    }
  };
}
