/**
 * The background of a run: pollers in place of the stack's own, whose deliveries are late, doubled and out of order,
 * and sweeps that come when the run says so.
 */
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type QueueHandler, startQueue } from '../../infra/local/queue.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { type StreamHandler, startStream } from '../../infra/local/stream.ts';
import { queues, triggers } from '../../infra/triggers.ts';
import { runAs } from './invocations.ts';
import { unreliable } from './unreliable-delivery.ts';

export interface Background {
  /** Runs after the sweep before it; while one waits for that, it stands for all that are asked for. A dead one is none. */
  sweep(): Promise<unknown>;
  /** Delivers what was held back; from then on deliveries are reliable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const region = 'us-east-1';
const report = () => {};
const handlerOf = async <T>(file: string) =>
  ((await import(`../../${file}`)) as { handler: unknown }).handler as T;

export async function startUnreliableBackground(stack: Stack, seed: number): Promise<Background> {
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  const dynamodb = new DynamoDBClient({ endpoint: stack.dynamodbEndpoint, region });
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: stack.tableName }));
  const streams = new DynamoDBStreamsClient({ endpoint: stack.dynamodbEndpoint, region });
  const sqs = new SQSClient({ endpoint: stack.sqsEndpoint, region });
  const rate = { seed, rate: 0.15 };
  const publish = unreliable('stream', await handlerOf<StreamHandler>(triggers.publishOutbox.handler), rate);
  const loops = [
    await startStream({
      ...{ client: streams, streamArn: Table?.LatestStreamArn ?? '', region, report },
      ...{ trigger: triggers.publishOutbox, handler: publish.handler, idleMs: 20 },
    }),
  ];
  const deliveries = [publish];
  for (const trigger of [triggers.overdue, triggers.settlePayment, triggers.processRefund]) {
    const { queue } = trigger;
    const delivery = unreliable(`queue-${queue}`, await handlerOf<QueueHandler>(trigger.handler), rate);
    const { url: queueUrl, arn: queueArn } = stack.queueUrls[queue];
    const timeoutMs = queues[queue].visibilityTimeoutSeconds * 1000;
    loops.push(
      startQueue({
        ...{ client: sqs, region, report, trigger, handler: delivery.handler },
        ...{ queueUrl, queueArn, timeoutMs },
      }),
    );
    deliveries.push(delivery as unknown as typeof publish);
  }
  const sweepOnce = await handlerOf<() => Promise<void>>(triggers.sweep.handler);
  let sweeps = 0;
  let sweeping: Promise<unknown> = Promise.resolve();
  let waiting: Promise<unknown> | undefined;
  return {
    sweep: () => {
      waiting ??= sweeping = sweeping
        .then(() => {
          waiting = undefined;
          return runAs(`sweep-${sweeps++}`, sweepOnce);
        })
        .catch(() => {});
      return waiting;
    },
    flush: async () => {
      await sweeping;
      for (const delivery of deliveries) await delivery.flush();
    },
    close: async () => {
      await Promise.all(loops.map((loop) => loop.close()));
      for (const client of [dynamodb, streams, sqs]) client.destroy();
    },
  };
}
