/**
 * Replaces the stack's pollers for a run under faults. Each batch of the stream and of the queues is an invocation that
 * meets the fault layer. Batches arrive late, twice or out of order. The sweep runs when the run starts it.
 */
import { channel } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type LambdaHandler, lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import { createPollClients } from '../../infra/local/poll-clients.ts';
import { startQueue } from '../../infra/local/queue.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { startStream } from '../../infra/local/stream.ts';
import { queues, type Trigger, triggers } from '../../infra/triggers.ts';
import type { Instant } from '../../shared/base/time.ts';
import { runAsInvocation } from './invocations.ts';
import { type Batch, makeUnreliable } from './unreliable-delivery.ts';
import { waitUntil } from './wait-until.ts';

export interface Background {
  /**
   * Runs one sweep after the running one. While a sweep waits, further calls return that sweep. Never rejects, because a
   * sweep may crash.
   */
  sweep(): Promise<unknown>;
  /** Waits until all messages are processed. Messages that failed stay in their queue; the watchdogs replace them. */
  idle(): Promise<void>;
  /** Waits as `idle` does, and calls `work` while no function runs and no webhook is in flight. */
  whileIdle(work: () => void): Promise<void>;
  /** Returns when the oldest webhook that is in flight was signed, on the clock of the run. */
  oldestWebhookSignedAt(): Instant | undefined;
  /** Delivers all deferred batches, and defers no batch from now on. */
  flush(): Promise<void>;
  /** Returns how many messages are in dead-letter queues. There are none, unless the service has a bug. */
  deadLetters(): Promise<number>;
  close(): Promise<void>;
}

const region = 'us-east-1';
const report = () => {};
const newContext = ({ handler }: Pick<Trigger, 'handler'>) => lambdaContext(handler, 60_000);

/** @param chances the seed, and the chance of each batch to be late, to be delivered twice, and to be reordered */
export async function startUnreliableBackground(
  stack: Stack,
  chances: { seed: number; rate: number },
): Promise<Background> {
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  const { dynamodbEndpoint, sqsEndpoint, tableName } = stack;
  const dynamodb = new DynamoDBClient({ endpoint: dynamodbEndpoint, region });
  const polls = createPollClients({ dynamodb: dynamodbEndpoint, sqs: sqsEndpoint, region });
  const sqs = new SQSClient({ endpoint: sqsEndpoint, region });
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: tableName }));
  const flushes: (() => Promise<void>)[] = [];
  let running = 0;
  const loadUnreliable = async <R, A>(name: string, { handler: file }: Trigger) => {
    const loaded: LambdaHandler<Batch<R>, A> = await loadHandler(file);
    // A late batch is an invocation of its own, with the whole time of one.
    const invoke: typeof loaded = (event) => loaded(event, newContext({ handler: file }));
    const { handler, flush } = makeUnreliable(name, invoke, chances);
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
      client: polls.streams,
      streamArn: Table?.LatestStreamArn ?? '',
      region,
      report,
      idleMs: 20,
      trigger: triggers.publishOutbox,
      handler: await loadUnreliable('stream', triggers.publishOutbox),
    }),
  ];
  for (const trigger of Object.values(triggers)) {
    if (trigger.kind !== 'queue') continue;
    const { url: queueUrl, arn: queueArn } = stack.queueUrls[trigger.queue];
    const timeoutMs = queues[trigger.queue].visibilityTimeoutSeconds * 1000;
    const handler = await loadUnreliable(`queue-${trigger.queue}`, trigger);
    loops.push(
      startQueue({
        client: polls.sqs,
        region,
        report,
        trigger,
        handler: handler as never,
        queueUrl,
        queueArn,
        timeoutMs,
      }),
    );
  }
  const isIdle = async () => (await countWaitingMessages(sqs, stack)) === 0 && running === 0;
  const posts = followWebhooks();
  const sweeper = await createSweeper();
  const idle = async () => {
    await waitUntil('no message is waiting', isIdle, { deadlineMs: 3_600_000 });
  };
  return {
    sweep: sweeper.sweep,
    idle,
    whileIdle: async (work) => {
      await idle();
      await Promise.all([sweeper.ended(), ...loops.map((loop) => loop.pause())]);
      try {
        // An invocation that has crashed may still wait for a receiver.
        const areNone = () => posts.oldest() === undefined;
        await waitUntil('no webhook is in flight', areNone, { deadlineMs: 3_600_000 });
        // Messages that arrive meanwhile may wait for the clock, so nothing waits for them.
        work();
      } finally {
        for (const loop of loops) loop.resume();
      }
    },
    oldestWebhookSignedAt: posts.oldest,
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
      posts.stop();
      for (const client of [dynamodb, polls, sqs]) client.destroy();
    },
  };
}

async function createSweeper(): Promise<{ sweep: Background['sweep']; ended(): Promise<unknown> }> {
  const sweepOnce: LambdaHandler<object, void> = await loadHandler(triggers.sweep.handler);
  let sweeps = 0;
  let sweeping: Promise<unknown> = Promise.resolve();
  let next: Promise<unknown> | undefined;
  const sweep = () => {
    next ??= sweeping = sweeping
      .then(() => {
        next = undefined;
        return runAsInvocation(`sweep-${sweeps++}`, () => sweepOnce({}, newContext(triggers.sweep)));
      })
      .catch(() => {});
    return next;
  };
  return { sweep, ended: () => sweeping };
}

/** On a busy machine, a receiver may read a message long after its sender has given up. After this time it never does. */
const longestReadMs = 10_000;

/** Follows the webhooks that were signed and that the receiver has not finished, also those of invocations that have crashed. */
function followWebhooks(): { oldest(): Instant | undefined; stop(): void } {
  const created = channel('http.client.request.created');
  const arrived = channel('http.server.request.start');
  const sent = new Set<{ readonly name: string; readonly signedAt: Instant; isClosed: boolean }>();
  const finished = new Set<string>();
  const nameOf = (path: string | undefined, id: unknown, timestamp: unknown) => `${path} ${id} ${timestamp}`;
  const onCreated = (message: unknown) => {
    const { request } = message as { request: ClientRequest };
    const [id, timestamp] = [request.getHeader('webhook-id'), request.getHeader('webhook-timestamp')];
    if (id === undefined) return;
    const name = nameOf(request.path, id, timestamp);
    const webhook = { name, signedAt: Number(timestamp) * 1000, isClosed: false };
    sent.add(webhook);
    request.once('response', () => finished.add(name));
    request.once('close', () => {
      webhook.isClosed = true;
      if (finished.has(name)) sent.delete(webhook);
      else setTimeout(() => sent.delete(webhook), longestReadMs).unref();
    });
  };
  const onArrived = (message: unknown) => {
    const { request } = message as { request: IncomingMessage };
    const { 'webhook-id': id, 'webhook-timestamp': timestamp } = request.headers;
    if (id === undefined) return;
    const name = nameOf(request.url, id, timestamp);
    request.once('close', () => {
      finished.add(name);
      for (const webhook of sent) if (webhook.name === name && webhook.isClosed) sent.delete(webhook);
    });
  };
  created.subscribe(onCreated);
  arrived.subscribe(onArrived);
  return {
    oldest: () => (sent.size > 0 ? Math.min(...[...sent].map(({ signedAt }) => signedAt)) : undefined),
    stop: () => {
      created.unsubscribe(onCreated);
      arrived.unsubscribe(onArrived);
    },
  };
}

/** Returns how many messages in the queues can be received now. */
export function countWaitingMessages(sqs: SQSClient, { queueUrls }: Stack): Promise<number> {
  return countMessages(
    sqs,
    Object.values(queueUrls).map(({ url }) => url),
  );
}

async function countMessages(sqs: SQSClient, urls: readonly string[]): Promise<number> {
  const counts = urls.map(async (QueueUrl) => {
    const input = { QueueUrl, AttributeNames: ['ApproximateNumberOfMessages' as const] };
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand(input));
    return Number(Attributes?.ApproximateNumberOfMessages);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}
