/**
 * Starts an SQS emulator in this process, with its data in memory, and creates queues with their dead-letter queues.
 */
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Queue } from '../triggers.ts';

export interface QueueServer {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** An existing queue. */
export interface OpenQueue {
  readonly url: string;
  readonly arn: string;
  readonly deadLetterUrl: string;
}

/** Starts the server on a free port of the loopback address. Only this loads the emulator. */
export async function startQueueServer(region: string): Promise<QueueServer> {
  const { buildApp } = await import('fauxqs');
  const app = buildApp({ logger: false, defaultRegion: region });
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  return { endpoint, close: () => app.close().then(() => {}) };
}

/** Creates or updates the queue `name` with its visibility timeout, dead-letter queue and redrive policy. */
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
  if (!QueueUrl) throw new Error(`The queue server returned no URL for the queue ${name}.`);
  const url = await toReachableUrl(client, QueueUrl);
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
  );
  return { url, arn: Attributes?.QueueArn ?? '' };
}

/** Replaces the host of a queue URL with the endpoint. Emulators return host names that may not resolve. */
async function toReachableUrl(client: SQSClient, queueUrl: string): Promise<string> {
  const endpoint = await client.config.endpoint?.();
  if (!endpoint) return queueUrl;
  const port = endpoint.port ? `:${endpoint.port}` : '';
  return `${endpoint.protocol}//${endpoint.hostname}${port}${new URL(queueUrl).pathname}`;
}
