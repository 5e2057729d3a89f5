/**
 * The background of a run under faults, in place of the stack's own pollers: each batch of the stream and of the
 * webhook queues is an invocation that meets the fault layer, late, doubled and out of order; sweeps come when asked.
 */
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { loadHandler } from '../../infra/local/handler.ts';
import { type QueueHandler, startQueue } from '../../infra/local/queue.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { type StreamHandler, startStream } from '../../infra/local/stream.ts';
import { queues, triggers } from '../../infra/triggers.ts';
import { runAs } from './invocations.ts';
import { unreliable } from './unreliable-delivery.ts';
import { waitUntil } from './wait-until.ts';

export interface WebhookBackground {
  /** A dead or failing sweep is none. */
  sweep(): Promise<void>;
  /** Waits until nothing that was sent so far is under way; what failed in a queue is left to the watchdogs. */
  idle(): Promise<void>;
  /** Delivers what is held back, and holds nothing back from then on. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const region = 'us-east-1';
const report = () => {};

/** @param rate the chance that a batch comes late, twice, or out of order, each */
export async function startWebhookBackground(
  stack: Stack,
  { seed, rate }: { seed: number; rate: number },
): Promise<WebhookBackground> {
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  const { dynamodbEndpoint, sqsEndpoint, tableName } = stack;
  const dynamodb = new DynamoDBClient({ endpoint: dynamodbEndpoint, region });
  const streams = new DynamoDBStreamsClient({ endpoint: dynamodbEndpoint, region });
  const sqs = new SQSClient({ endpoint: sqsEndpoint, region });
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: tableName }));
  let running = 0;
  const counted =
    <E, C, A>(handler: (event: E, context: C) => Promise<A>) =>
    async (event: E, context: C) => {
      running += 1;
      return handler(event, context).finally(() => {
        running -= 1;
      });
    };
  const publish = unreliable('stream', (await loadHandler(triggers.publishOutbox.handler)) as StreamHandler, {
    seed,
    rate,
  });
  const flushes = [publish.flush];
  const loops = [
    await startStream({
      ...{ client: streams, streamArn: Table?.LatestStreamArn ?? '', region, report, idleMs: 20 },
      ...{ trigger: triggers.publishOutbox, handler: counted(publish.handler) },
    }),
  ];
  for (const trigger of [triggers.deliverWebhook, triggers.recoverDeliveries]) {
    const { queue, handler } = trigger;
    const loaded = (await loadHandler(handler)) as QueueHandler;
    const delivery = unreliable(`queue-${queue}`, loaded, { seed, rate });
    const { url: queueUrl, arn: queueArn } = stack.queueUrls[queue];
    const timeoutMs = queues[queue].visibilityTimeoutSeconds * 1000;
    loops.push(
      startQueue({
        ...{ client: sqs, region, report, trigger, timeoutMs, queueUrl, queueArn },
        handler: counted(delivery.handler),
      }),
    );
    flushes.push(delivery.flush);
  }
  const sweep = await loadHandler<object, void>(triggers.sweep.handler);
  let sweeps = 0;
  const isIdle = async () => (await waiting(sqs, stack)) === 0 && running === 0;
  return {
    sweep: () => runAs(`sweep-${sweeps++}`, () => sweep({}, {} as never)).catch(() => {}),
    idle: async () => {
      await waitUntil('no message waits', isIdle, { deadlineMs: 300_000 });
    },
    flush: async () => {
      for (const flush of flushes) await flush();
    },
    close: async () => {
      await Promise.all(loops.map((loop) => loop.close()));
      for (const client of [dynamodb, streams, sqs]) client.destroy();
    },
  };
}

/** The messages in the webhook queue that can be received now. */
export async function waiting(sqs: SQSClient, { queueUrls }: Stack): Promise<number> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrls.webhook.url,
      AttributeNames: ['ApproximateNumberOfMessages'],
    }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages);
}
