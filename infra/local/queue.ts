/**
 * Polls a queue as Lambda does: receives messages with long polling, calls the function, and deletes the messages that
 * succeeded. SQS redelivers a failed message after the visibility timeout, until the redrive policy moves it to the
 * dead-letter queue.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { divideConcurrency } from '../shares.ts';
import type { Trigger } from '../triggers.ts';
import { failedIds } from './batch-failures.ts';
import { isEventLoopBusy } from './event-loop.ts';
import { type LambdaHandler, lambdaContext } from './handler.ts';
import { type Loop, type ReportError, startLoop, summarizeError } from './loop.ts';
import type { QueueClient } from './poll-clients.ts';
import { endPolls } from './queue-polls.ts';
import { batchSizeNow } from './running-requests.ts';

export type QueueHandler = LambdaHandler<SQSEvent, SQSBatchResponse | undefined>;

export interface QueueOptions {
  readonly client: QueueClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly region: string;
  readonly trigger: Extract<Trigger, { kind: 'queue' }>;
  /** The time limit of one call, which the function reads with `getRemainingTimeInMillis`. */
  readonly timeoutMs: number;
  readonly handler: QueueHandler;
  readonly report: ReportError;
}

/** As Lambda, which is the longest time that SQS allows. */
const waitSeconds = 20;
/** How long a pause waits before it ends a poll that has begun meanwhile. */
const endEveryMs = 50;

/** How long a batch waits before it looks again whether the event loop has time for it. */
const busyWaitMs = 10;

/**
 * Starts to poll. Batches run in parallel, so a batch that waits for a receiver does not delay the others. On AWS each has an instance
 * of its own. Here they share one event loop with the requests, so another batch begins only while the event loop has time.
 */
export function startQueue(options: QueueOptions): Loop {
  const { client, queueUrl, trigger, report } = options;
  const maxConcurrency = divideConcurrency(1_000).queues[trigger.queue];
  const running = new Set<Promise<void>>();
  const mostMessages = Math.min(trigger.batchSize, 10);
  const step = async (signal: AbortSignal): Promise<boolean> => {
    while (running.size >= maxConcurrency || (running.size > 0 && isEventLoopBusy()))
      await Promise.race([...running, sleep(busyWaitMs, undefined, { ref: false })]);
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: batchSizeNow(mostMessages),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
      { abortSignal: signal },
    );
    if (Messages.length === 0) return true;
    const batch = handleBatch(Messages, options).catch((error) =>
      report(`queue ${trigger.handler}: ${summarizeError(error)}`),
    );
    running.add(batch);
    batch.finally(() => running.delete(batch));
    return true;
  };
  const loop = startLoop({ name: `queue ${trigger.handler}`, step, idleMs: 100, report });
  return {
    wake: loop.wake,
    pause: async () => {
      let isPaused = false;
      const paused = loop.pause().then(() => {
        isPaused = true;
      });
      while (!isPaused) {
        await endPolls(queueUrl);
        await Promise.race([paused, sleep(endEveryMs)]);
      }
      await Promise.all(running);
    },
    resume: loop.resume,
    close: async () => {
      await loop.close();
      await Promise.all(running);
    },
  };
}

async function handleBatch(messages: readonly Message[], options: QueueOptions): Promise<void> {
  const records = messages.map((message) => toSqsRecord(message, options.queueArn, options.region));
  const failed = await invoke(records, options);
  const done = records.filter((record) => !failed.has(record.messageId));
  if (done.length === 0) return;
  await options.client.send(
    new DeleteMessageBatchCommand({
      QueueUrl: options.queueUrl,
      Entries: done.map((record, index) => ({ Id: String(index), ReceiptHandle: record.receiptHandle })),
    }),
  );
}

/** Calls the function. Returns the ids of the failed messages. */
async function invoke(records: readonly SQSRecord[], options: QueueOptions): Promise<ReadonlySet<string>> {
  const ids = records.map((record) => record.messageId);
  const { handler, trigger, timeoutMs, report } = options;
  try {
    return failedIds(
      ids,
      await handler({ Records: [...records] }, lambdaContext(trigger.handler, timeoutMs)),
    );
  } catch (error) {
    report(`queue ${trigger.handler}: ${summarizeError(error)}`);
    return new Set(ids);
  }
}

/** Converts a message into a Lambda record. */
function toSqsRecord(message: Message, queueArn: string, region: string): SQSRecord {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
    name,
    {
      dataType: value.DataType ?? 'String',
      ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
      ...(value.BinaryValue && { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
    },
  ]);
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: message.Attributes as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: message.MD5OfBody ?? '',
    ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: region,
  };
}
