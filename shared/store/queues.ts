/** Sends messages to the queues. Messages contain only ids and due times, never customer data or secrets. */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { env } from '../env.ts';
import { type QueueName, queueVariables } from '../queues.ts';
import { traceCalls } from './trace-calls.ts';

/** Enough for the messages of a sweep, see `timers/sweep-timers.ts`. */
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

/**
 * Sends one message.
 * @param delayMs when the message is delivered, in milliseconds from now. Rounded up to seconds, 15 minutes at most.
 * @param group messages of a group with a long backlog wait, so that messages of other groups do not
 */
export async function sendMessage(
  queue: QueueName,
  message: unknown,
  delayMs = 0,
  group?: string,
): Promise<void> {
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: env.queueUrl(queueVariables[queue]),
      MessageBody: JSON.stringify(message),
      MessageGroupId: group,
      DelaySeconds: Math.min(maxDelaySeconds, Math.max(0, Math.ceil(delayMs / 1000))),
    }),
  );
}
