/**
 * The background of a run under faults, in place of the stack's own pollers: each batch of the stream and of the queues
 * is an invocation that meets the fault layer, late, doubled and out of order; sweeps come when the run says so.
 */
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type LambdaHandler, loadHandler } from '../../infra/local/handler.ts';
import { startQueue } from '../../infra/local/queue.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { startStream } from '../../infra/local/stream.ts';
import { queues, type Trigger, triggers } from '../../infra/triggers.ts';
import { runAs } from './invocations.ts';
import { type Batch, unreliable } from './unreliable-delivery.ts';
import { waitUntil } from './wait-until.ts';

export interface Background {
  /** Runs after the sweep before it; while one waits for that, it stands for all that are asked for. A dead one is none. */
  sweep(): Promise<unknown>;
  /** Waits until nothing that was sent so far is under way; what failed in a queue is left to the watchdogs. */
  idle(): Promise<void>;
  /** Delivers what is held back, and holds nothing back from then on. */
  flush(): Promise<void>;
  /** How many messages have come to dead-letter queues: none, unless there is a bug. */
  deadLetters(): Promise<number>;
  close(): Promise<void>;
}

const region = 'us-east-1';
const report = () => {};

/** @param rate the chance that a batch comes late, twice, or out of order, each */
export async function startUnreliableBackground(
  stack: Stack,
  chances: { seed: number; rate: number },
): Promise<Background> {
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  const { dynamodbEndpoint, sqsEndpoint, tableName } = stack;
  const dynamodb = new DynamoDBClient({ endpoint: dynamodbEndpoint, region });
  const streams = new DynamoDBStreamsClient({ endpoint: dynamodbEndpoint, region });
  const sqs = new SQSClient({ endpoint: sqsEndpoint, region });
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: tableName }));
  const flushes: (() => Promise<void>)[] = [];
  let running = 0;
  const handlerOf = async <R, A>(name: string, { handler: file }: Trigger) => {
    const loaded: LambdaHandler<Batch<R>, A> = await loadHandler(file);
    const { handler, flush } = unreliable(name, loaded, chances);
    flushes.push(flush);
    const counted: typeof handler = async (event, context) => {
      running += 1;
      return handler(event, context).finally(() => {
        running -= 1;
      });
    };
    return counted;
  };
  const loops = [
    await startStream({
      ...{ client: streams, streamArn: Table?.LatestStreamArn ?? '', region, report, idleMs: 20 },
      ...{ trigger: triggers.publishOutbox, handler: await handlerOf('stream', triggers.publishOutbox) },
    }),
  ];
  for (const trigger of Object.values(triggers)) {
    if (trigger.kind !== 'queue') continue;
    const { url: queueUrl, arn: queueArn } = stack.queueUrls[trigger.queue];
    const timeoutMs = queues[trigger.queue].visibilityTimeoutSeconds * 1000;
    const handler = await handlerOf(`queue-${trigger.queue}`, trigger);
    loops.push(
      startQueue({
        ...{ client: sqs, region, report, trigger, handler: handler as never },
        ...{ queueUrl, queueArn, timeoutMs },
      }),
    );
  }
  const isIdle = async () => (await waiting(sqs, stack)) === 0 && running === 0;
  return {
    sweep: await sweeper(),
    idle: async () => {
      await waitUntil('no message waits', isIdle, { deadlineMs: 600_000 });
    },
    flush: async () => {
      for (const flush of flushes) await flush();
    },
    deadLetters: () =>
      countMessages(
        sqs,
        Object.values(stack.queueUrls).map(({ deadLetterUrl }) => deadLetterUrl),
      ),
    close: async () => {
      await Promise.all(loops.map((loop) => loop.close()));
      for (const client of [dynamodb, streams, sqs]) client.destroy();
    },
  };
}

async function sweeper(): Promise<Background['sweep']> {
  const sweepOnce: LambdaHandler<object, void> = await loadHandler(triggers.sweep.handler);
  let sweeps = 0;
  let sweeping: Promise<unknown> = Promise.resolve();
  let next: Promise<unknown> | undefined;
  return () => {
    next ??= sweeping = sweeping
      .then(() => {
        next = undefined;
        return runAs(`sweep-${sweeps++}`, () => sweepOnce({}, {} as never));
      })
      .catch(() => {});
    return next;
  };
}

/** The messages in the queues that can be received now. */
export function waiting(sqs: SQSClient, { queueUrls }: Stack): Promise<number> {
  return countMessages(
    sqs,
    Object.values(queueUrls).map(({ url }) => url),
  );
}

async function countMessages(sqs: SQSClient, urls: readonly string[]): Promise<number> {
  const counts = urls.map(async (QueueUrl) => {
    const asked = { QueueUrl, AttributeNames: ['ApproximateNumberOfMessages' as const] };
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand(asked));
    return Number(Attributes?.ApproximateNumberOfMessages);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
