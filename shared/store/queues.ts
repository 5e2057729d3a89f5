/** Sending to the queues. Messages hold references only: ids and due times, never a customer's data or a secret. */
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { env } from '../env.ts';
import { type QueueName, queueVariables } from '../queues.ts';

// Pure, so that a bundle that sends nothing leaves the client out.
const sqs = /* @__PURE__ */ new SQSClient({
  requestHandler: { httpAgent: { maxSockets: 128 }, httpsAgent: { maxSockets: 128 } },
});

/** The longest delay that SQS takes. */
const maxDelaySeconds = 900;

/**
 * Sends one message, to be received after `delayMs` (rounded up to seconds, 15 minutes at most).
 * @param group fair queues let a group with many messages wait, and not the others
 */
export async function send(queue: QueueName, message: unknown, delayMs = 0, group?: string): Promise<void> {
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: env.queueUrl(queueVariables[queue]),
      MessageBody: JSON.stringify(message),
      MessageGroupId: group,
      DelaySeconds: Math.min(maxDelaySeconds, Math.max(0, Math.ceil(delayMs / 1000))),
    }),
  );
}
