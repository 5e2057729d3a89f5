/** Sends messages to the queues. Messages contain only ids, times and event types, never customer data or secrets. */
import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { env } from '../base/env.ts';
import { type QueueName, queueVariables } from '../base/queues.ts';
import { throwAfterAllSettled } from '../base/throw-after-all-settled.ts';
import { queueClient } from './queue-client.ts';

/** The longest delay that SQS accepts. */
const maxDelaySeconds = 900;
/** The most messages that one call to SQS accepts. */
const messagesPerCall = 10;

/** A message to send. */
export interface QueueMessage {
  /** Sent as JSON. */
  readonly body: unknown;
  /** When the message is delivered, in milliseconds from now. Rounded up to seconds, 15 minutes at most. */
  readonly delayMs?: number | undefined;
  /** Messages of a group with a long backlog wait, so that messages of other groups do not. */
  readonly group?: string | undefined;
}

/** Sends one message. */
export async function sendMessage(queue: QueueName, message: QueueMessage): Promise<void> {
  await queueClient.send(new SendMessageCommand({ QueueUrl: urlOf(queue), ...toEntry(message) }));
}

/**
 * Sends messages, up to ten in each call. The calls are made in parallel.
 * @throws the error of a call that failed, or an `AggregateError` of several, after all calls. Other messages are sent.
 */
export async function sendMessages(queue: QueueName, messages: readonly QueueMessage[]): Promise<void> {
  const calls: Promise<void>[] = [];
  for (let start = 0; start < messages.length; start += messagesPerCall) {
    calls.push(sendBatch(queue, messages.slice(start, start + messagesPerCall)));
  }
  await throwAfterAllSettled(calls);
}

/** @throws Error if SQS refuses some of the messages */
async function sendBatch(queue: QueueName, messages: readonly QueueMessage[]): Promise<void> {
  const { Failed = [] } = await queueClient.send(
    new SendMessageBatchCommand({
      QueueUrl: urlOf(queue),
      Entries: messages.map((message, index) => ({ Id: String(index), ...toEntry(message) })),
    }),
  );
  const [first] = Failed;
  if (first)
    throw new Error(`SQS refused ${Failed.length} of ${messages.length} messages with ${first.Code}.`);
}

const urlOf = (queue: QueueName) => env.queueUrl(queueVariables[queue]);

const toEntry = ({ body, delayMs = 0, group }: QueueMessage) => ({
  MessageBody: JSON.stringify(body),
  MessageGroupId: group,
  DelaySeconds: Math.min(maxDelaySeconds, Math.max(0, Math.ceil(delayMs / 1000))),
});
