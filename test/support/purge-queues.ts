/** Deletes every message that waits in the queues of a stack, to simulate their loss. */
import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Stack } from '../../infra/local/stack.ts';

export async function purgeQueues({ sqsEndpoint, queueUrls }: Stack): Promise<void> {
  const sqs = new SQSClient({ endpoint: sqsEndpoint, region: 'us-east-1' });
  for (const { url } of Object.values(queueUrls)) await sqs.send(new PurgeQueueCommand({ QueueUrl: url }));
  sqs.destroy();
}
