/**
 * Calls a scheduled function at an interval, which is shorter than in a deployment. Calls never overlap.
 */
import { randomUUID } from 'node:crypto';
import type { ScheduledEvent } from 'aws-lambda';
import { now, toTimestamp } from '../../shared/base/time.ts';
import type { Trigger } from '../triggers.ts';
import { type LambdaHandler, lambdaContext } from './handler.ts';
import { type Loop, type ReportError, startLoop } from './loop.ts';

export type ScheduleHandler = LambdaHandler<ScheduledEvent, void>;

export interface LocalSchedule extends Loop {
  /** Calls the function once, after a running call and also while paused. Rejects if the function rejects. */
  run(): Promise<void>;
}

export interface ScheduleOptions {
  readonly trigger: Extract<Trigger, { kind: 'schedule' }>;
  readonly handler: ScheduleHandler;
  readonly region: string;
  /** The time from the end of one call to the start of the next. */
  readonly intervalMs: number;
  readonly report: ReportError;
}

const timeoutMs = 60_000;

/** Starts the schedule with an immediate first call. */
export function startSchedule({
  trigger,
  handler,
  region,
  intervalMs,
  report,
}: ScheduleOptions): LocalSchedule {
  let last: Promise<void> = Promise.resolve();
  const run = () => {
    const call = last.then(() => handler(scheduledEvent(region), lambdaContext(trigger.handler, timeoutMs)));
    last = call.then(
      () => {},
      () => {},
    );
    return call;
  };
  const loop = startLoop({
    name: `schedule ${trigger.handler}`,
    idleMs: intervalMs,
    report,
    step: async () => {
      await run();
      return false;
    },
  });
  const close = async () => {
    await loop.close();
    await last;
  };
  return { ...loop, run, close };
}

function scheduledEvent(region: string): ScheduledEvent {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: '000000000000',
    time: toTimestamp(now()).replace(/\.\d+Z$/, 'Z'),
    region,
    resources: [`arn:aws:events:${region}:000000000000:rule/local`],
    detail: {},
  };
}
