/**
 * Starts the pollers and schedules that call the background functions: one for every trigger of the trigger table.
 */
import type { QueueName } from '../../shared/base/queues.ts';
import { queues, type Trigger, triggers } from '../triggers.ts';
import { loadHandler } from './handler.ts';
import type { Loop, Pausable, ReportError } from './loop.ts';
import type { PollClients } from './poll-clients.ts';
import { startQueue } from './queue.ts';
import type { OpenQueue } from './queue-server.ts';
import { type LocalSchedule, startSchedule } from './schedule.ts';
import { startStream } from './stream.ts';
import { listenToWrites } from './writes.ts';

export interface BackgroundLoops {
  readonly stream: Pausable;
  readonly queues: Pausable;
  /**
   * The functions that run at an interval. `run()` calls each of those that run every minute once, immediately, and `wake()`
   * does so unless they are paused. The others run at the start and then at their own interval.
   */
  readonly schedule: Pausable & Pick<LocalSchedule, 'run' | 'wake'>;
  close(): Promise<void>;
}

export interface BackgroundOptions {
  readonly streams: PollClients['streams'];
  readonly streamArn: string;
  readonly sqs: PollClients['sqs'];
  readonly queues: Readonly<Record<QueueName, OpenQueue>>;
  readonly region: string;
  /** The time between two runs of a function that runs every minute in a deployment. */
  readonly scheduleIntervalMs: number;
  /** Whether to call the function that begins the work of the day. */
  readonly beginsDailyWork?: boolean | undefined;
  readonly report: ReportError;
}

/** Loads the background functions and starts to call them. */
export async function startBackground(options: BackgroundOptions): Promise<BackgroundLoops> {
  const started = {
    stream: [] as Loop[],
    queue: [] as Loop[],
    schedule: [] as LocalSchedule[],
    rare: [] as LocalSchedule[],
  };
  let stopListening = () => {};
  const close = async () => {
    stopListening();
    await Promise.all(
      Object.values(started)
        .flat()
        .map((loop) => loop.close()),
    );
  };
  try {
    for (const trigger of Object.values<Trigger>(triggers)) {
      if (trigger.kind === 'stream') {
        const loop = await startStreamTrigger(trigger, options);
        started.stream.push(loop);
        stopListening = await listenToWrites(trigger.filter.pkPrefix, loop.wake);
      }
      if (trigger.kind === 'queue') started.queue.push(await startQueueTrigger(trigger, options));
      if (trigger.kind === 'schedule' && (options.beginsDailyWork || !trigger.beginsDailyWork)) {
        const group = trigger.everySeconds <= 60 ? started.schedule : started.rare;
        group.push(await startScheduleTrigger(trigger, options));
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  const run = async () => {
    await Promise.all(started.schedule.map((schedule) => schedule.run()));
  };
  const wake = () => {
    for (const schedule of started.schedule) schedule.wake();
  };
  return {
    stream: combine(started.stream),
    queues: combine(started.queue),
    schedule: { ...combine([...started.schedule, ...started.rare]), run, wake },
    close,
  };
}

type OfKind<Kind extends Trigger['kind']> = Extract<Trigger, { kind: Kind }>;

async function startStreamTrigger(trigger: OfKind<'stream'>, options: BackgroundOptions): Promise<Loop> {
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

async function startQueueTrigger(trigger: OfKind<'queue'>, options: BackgroundOptions): Promise<Loop> {
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

async function startScheduleTrigger(
  trigger: OfKind<'schedule'>,
  options: BackgroundOptions,
): Promise<LocalSchedule> {
  const { region, scheduleIntervalMs, report } = options;
  const intervalMs = trigger.everySeconds <= 60 ? scheduleIntervalMs : trigger.everySeconds * 1_000;
  return startSchedule({ trigger, handler: await loadHandler(trigger.handler), region, intervalMs, report });
}

function combine(parts: readonly Pausable[]): Pausable {
  return {
    pause: async () => {
      await Promise.all(parts.map((part) => part.pause()));
    },
    resume: () => {
      for (const part of parts) part.resume();
    },
  };
}
