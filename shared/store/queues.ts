/** Sends messages to the queues. Messages contain only ids and due times, never customer data or secrets. */
import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { env } from '../env.ts';
import { type QueueName, queueVariables } from '../queues.ts';
import { throwAfterAllSettled } from '../throw-after-all-settled.ts';
import { traceCalls } from './trace-calls.ts';

/** Enough for the messages of a sweep, see `timers/lease-timers.ts`, and of a batch of the relay. */
export const queueConnections = 256;

// Marked as pure, so bundles that send no message do not contain the client.
const sqs = /* @__PURE__ */ createQueueClient();

function createQueueClient(): SQSClient {
  const client = new SQSClient({
    requestHandler: {
      httpAgent: { maxSockets: queueConnections },
      httpsAgent: { maxSockets: queueConnections },
    },
  });
  client.middlewareStack.add(traceCalls('SQS'), { step: 'initialize', name: 'trace' });
  return client;
}

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
  await sqs.send(new SendMessageCommand({ QueueUrl: urlOf(queue), ...toEntry(message) }));
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
  const { Failed = [] } = await sqs.send(
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
