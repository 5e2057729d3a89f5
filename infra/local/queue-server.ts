/**
 * Starts an emulator of SQS and S3 in this process, and creates queues with their dead-letter queues, and the bucket. Messages are in
 * memory, and objects can be in files.
 */
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { BuildAppOptions } from 'fauxqs';
import type { Queue } from '../triggers.ts';
import { letPollsEnd, shareTimer } from './queue-polls.ts';

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

/**
 * Starts the server on a free port of the loopback address. Only this loads the emulator.
 * @param objectDirectory where the objects of buckets stay. Undefined: they are in memory.
 */
export async function startQueueServer(region: string, objectDirectory?: string): Promise<QueueServer> {
  const { buildApp } = await import('fauxqs');
  await acceptAllCharacters();
  const stores = await storesIn(objectDirectory);
  const { SqsQueue } = await partOfEmulator('./sqs/sqsStore.js');
  const stopTimer = shareTimer(SqsQueue);
  const app = buildApp({ logger: false, defaultRegion: region, stores });
  letPollsEnd(app, stores.sqsStore);
  const endpoint = await app.listen({ port: 0, host: '127.0.0.1' });
  return { endpoint, close: () => app.close().then(stopTimer) };
}

/**
 * Lets the emulator accept the characters that SQS accepts, which include those outside of the Basic Multilingual Plane:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
async function acceptAllCharacters(): Promise<void> {
  const { INVALID_MESSAGE_BODY_CHAR: invalid } = await partOfEmulator('./sqs/sqsTypes.js');
  const notAccepted = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
  Object.assign(invalid, { test: (text: string) => notAccepted.test(text) });
}

const partOfEmulator = (file: string) => import(new URL(file, import.meta.resolve('fauxqs')).href);

/**
 * Returns the stores of the emulator. The emulator's own start does this, but listens on all interfaces, so its parts are put together
 * here.
 * @param directory where the objects of buckets stay. Undefined: they are in memory.
 */
async function storesIn(directory: string | undefined): Promise<NonNullable<BuildAppOptions['stores']>> {
  const [{ SqsStore }, { SnsStore }, { S3Store }, { FileS3Persistence }] = await Promise.all([
    partOfEmulator('./sqs/sqsStore.js'),
    partOfEmulator('./sns/snsStore.js'),
    partOfEmulator('./s3/s3Store.js'),
    partOfEmulator('./s3/fileS3Persistence.js'),
  ]);
  const s3Store = new S3Store();
  if (directory !== undefined) {
    const persistence = new FileS3Persistence(directory);
    // What is loaded is not written again.
    persistence.loadS3(s3Store);
    s3Store.persistence = persistence;
  }
  return { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store };
}

/** Creates a bucket, unless it exists. @throws Error if the server refuses it */
export async function ensureBucket(endpoint: string, name: string): Promise<void> {
  const { status } = await fetch(`${endpoint}/${name}`, { method: 'HEAD' });
  if (status === 200) return;
  const created = await fetch(`${endpoint}/${name}`, { method: 'PUT' });
  if (!created.ok) throw new Error(`The S3 server did not create the bucket ${name}: ${created.status}.`);
}

/** Creates or updates the queue `name` with its visibility timeout, dead-letter queue and redrive policy. */
export async function ensureQueue(client: SQSClient, name: string, queue: Queue): Promise<OpenQueue> {
  const deadLetters = await ensurePlainQueue(client, `${name}-dead-letters`);
  const { url, arn } = await ensurePlainQueue(client, name);
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

/** Creates a queue without a dead-letter queue, unless it exists. It is a FIFO queue if its name ends with `.fifo`. */
export async function ensurePlainQueue(
  client: SQSClient,
  name: string,
): Promise<Omit<OpenQueue, 'deadLetterUrl'>> {
  const Attributes = name.endsWith('.fifo') ? { FifoQueue: 'true' } : undefined;
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
  if (!QueueUrl) throw new Error(`The queue server returned no URL for the queue ${name}.`);
  const url = await toReachableUrl(client, QueueUrl);
  const { Attributes: found } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
  );
  return { url, arn: found?.QueueArn ?? '' };
}

/** Replaces the host of a queue URL with the endpoint. Emulators return host names that may not resolve. */
async function toReachableUrl(client: SQSClient, queueUrl: string): Promise<string> {
  const endpoint = await client.config.endpoint?.();
  if (!endpoint) return queueUrl;
  const port = endpoint.port ? `:${endpoint.port}` : '';
  return `${endpoint.protocol}//${endpoint.hostname}${port}${new URL(queueUrl).pathname}`;
}
