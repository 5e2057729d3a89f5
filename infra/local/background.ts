/**
 * Starts what drives the background functions: every trigger of the trigger table with its poller or clock.
 */
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { QueueName } from '../../shared/queues.ts';
import { queues, type Trigger, triggers } from '../triggers.ts';
import { loadHandler } from './handler.ts';
import type { Loop, Pausable, Report } from './loop.ts';
import { startQueue } from './queue.ts';
import type { OpenQueue } from './queue-server.ts';
import { type Schedule, startSchedule } from './schedule.ts';
import { startStream } from './stream.ts';

export interface Background {
  readonly stream: Pausable;
  readonly queues: Pausable;
  /** Of what is done every minute; `run()` calls each of these functions once, now. The rest has commands. */
  readonly schedule: Pausable & Pick<Schedule, 'run'>;
  close(): Promise<void>;
}

export interface BackgroundOptions {
  readonly streams: DynamoDBStreamsClient;
  readonly streamArn: string;
  readonly sqs: SQSClient;
  readonly queues: Readonly<Record<QueueName, OpenQueue>>;
  readonly region: string;
  /** From one sweep to the next. */
  readonly scheduleIntervalMs: number;
  readonly report: Report;
}

/** Loads the background functions and starts driving them. */
export async function startBackground(options: BackgroundOptions): Promise<Background> {
  const started = { stream: [] as Loop[], queue: [] as Loop[], schedule: [] as Schedule[] };
  const close = async () => {
    await Promise.all([...started.stream, ...started.queue, ...started.schedule].map((loop) => loop.close()));
  };
  try {
    for (const trigger of Object.values<Trigger>(triggers)) {
      if (trigger.kind === 'stream') started.stream.push(await streamOf(trigger, options));
      if (trigger.kind === 'queue') started.queue.push(await queueOf(trigger, options));
      if (trigger.kind === 'schedule' && trigger.everySeconds <= 60) {
        started.schedule.push(await scheduleOf(trigger, options));
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  const run = async () => {
    await Promise.all(started.schedule.map((schedule) => schedule.run()));
  };
  return {
    stream: together(started.stream),
    queues: together(started.queue),
    schedule: { ...together(started.schedule), run },
    close,
  };
}

type OfKind<Kind extends Trigger['kind']> = Extract<Trigger, { kind: Kind }>;

async function streamOf(trigger: OfKind<'stream'>, options: BackgroundOptions): Promise<Loop> {
  const { streams: client, streamArn, region, report } = options;
  return startStream({
    client,
    streamArn,
    region,
    trigger,
    handler: await loadHandler(trigger.handler),
    report,
  });
}

async function queueOf(trigger: OfKind<'queue'>, options: BackgroundOptions): Promise<Loop> {
  const { sqs: client, region, report } = options;
  const { url: queueUrl, arn: queueArn } = options.queues[trigger.queue];
  const timeoutMs = queues[trigger.queue].visibilityTimeoutSeconds * 1000;
  return startQueue({
    client,
    queueUrl,
    queueArn,
    region,
    trigger,
    timeoutMs,
    handler: await loadHandler(trigger.handler),
    report,
  });
}

async function scheduleOf(trigger: OfKind<'schedule'>, options: BackgroundOptions): Promise<Schedule> {
  const { region, scheduleIntervalMs: intervalMs, report } = options;
  return startSchedule({ trigger, handler: await loadHandler(trigger.handler), region, intervalMs, report });
}

function together(parts: readonly Pausable[]): Pausable {
  return {
    pause: async () => {
      await Promise.all(parts.map((part) => part.pause()));
    },
    resume: () => {
      for (const part of parts) part.resume();
    },
  };
}
