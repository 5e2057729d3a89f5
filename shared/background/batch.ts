/**
 * Creates Lambda handlers that process a batch of records. Each record is processed on its own, and each failure is
 * logged and reported on its own. So a record that always fails does not delay the other records.
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
 * Creates the Lambda handler of a stream. If `handle` throws, its record and all later records of the shard are
 * delivered again.
 */
export function streamHandler(handle: (record: DynamoDBRecord) => Promise<void>) {
  return (event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> => {
    const handleOrLog = logged(context, 'eventID', handle);
    const processor = new BatchProcessor(EventType.DynamoDBStreams);
    return withDeadline(context, () =>
      processPartialResponse(event, handleOrLog, processor, options(context)),
    );
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
