/**
 * SQS on this machine, in memory and in this process, and the queues with their dead-letter queues.
 */
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import type { Queue } from '../triggers.ts';

export interface QueueServer {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** A queue that exists. */
export interface OpenQueue {
  readonly url: string;
  readonly arn: string;
  readonly deadLetterUrl: string;
}

/** Starts the server on a free port of the loopback address. */
export async function startQueueServer(region: string): Promise<QueueServer> {
  const app = buildApp({ logger: false, defaultRegion: region });
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  return { endpoint, close: () => app.close().then(() => {}) };
}

/** Creates or updates the queue `name` and its dead-letter queue, with its visibility timeout and redrive policy. */
export async function ensureQueue(client: SQSClient, name: string, queue: Queue): Promise<OpenQueue> {
  const deadLetters = await create(client, `${name}-dead-letters`);
  const { url, arn } = await create(client, name);
  await client.send(
    new SetQueueAttributesCommand({
      QueueUrl: url,
      Attributes: {
        VisibilityTimeout: String(queue.visibilityTimeoutSeconds),
        RedrivePolicy: JSON.stringify({
          deadLetterTargetArn: deadLetters.arn,
          maxReceiveCount: queue.maxReceives,
        }),
      },
    }),
  );
  return { url, arn, deadLetterUrl: deadLetters.url };
}

async function create(client: SQSClient, name: string): Promise<{ url: string; arn: string }> {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name }));
  if (!QueueUrl) throw new Error(`The queue ${name} has no address.`);
  const url = await reachable(client, QueueUrl);
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
  );
  return { url, arn: Attributes?.QueueArn ?? '' };
}

/** Emulators answer with host names of their own that may not resolve: the queue is reached where its server is. */
async function reachable(client: SQSClient, queueUrl: string): Promise<string> {
  const endpoint = await client.config.endpoint?.();
  if (!endpoint) return queueUrl;
  const port = endpoint.port ? `:${endpoint.port}` : '';
  return `${endpoint.protocol}//${endpoint.hostname}${port}${new URL(queueUrl).pathname}`;
}
