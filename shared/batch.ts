/**
 * Functions that work through a batch: each record by itself, failures logged and reported one by one, so that a
 * poison record holds back nobody else.
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
import { loggable, logger } from './log.ts';

/** The Lambda handler of a queue. What `handle` throws for is delivered again. */
export function queueHandler(handle: (record: SQSRecord) => Promise<void>) {
  return (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const handleOrLog = logged(context, 'messageId', handle);
    return processPartialResponse(event, handleOrLog, new BatchProcessor(EventType.SQS), options(context));
  };
}

/** The Lambda handler of a stream. What `handle` throws for, and all behind it in the shard, is delivered again. */
export function streamHandler(handle: (record: DynamoDBRecord) => Promise<void>) {
  return (event: DynamoDBStreamEvent, context: Context): Promise<DynamoDBBatchResponse> => {
    const handleOrLog = logged(context, 'eventID', handle);
    return processPartialResponse(
      event,
      handleOrLog,
      new BatchProcessor(EventType.DynamoDBStreams),
      options(context),
    );
  };
}

const options = (context: Context) => ({ context, throwOnFullBatchFailure: false });

function logged<R>(context: Context, id: keyof R, handle: (record: R) => Promise<void>) {
  return async (record: R): Promise<void> => {
    try {
      await handle(record);
    } catch (error) {
      logger.error('record failed', {
        function: context.functionName,
        record: record[id],
        error: loggable(error),
      });
      throw error;
    }
  };
}
