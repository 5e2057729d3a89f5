/** Tests the schedule that calls a function. */
import { expect, test } from '@jest/globals';
import type { ScheduledEvent } from 'aws-lambda';
import { startSchedule } from '../../../../infra/local/schedule.ts';
import { setClock } from '../../../support/clock.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const trigger = { kind: 'schedule', handler: 'fixture', everySeconds: 60, timeoutSeconds: 90 } as const;

function start(work: (event: ScheduledEvent) => Promise<void>) {
  const state = { calls: 0, running: 0, most: 0, reports: [] as string[] };
  const schedule = startSchedule({
    trigger,
    region: 'us-east-1',
    intervalMs: 1,
    report: (line) => state.reports.push(line),
    handler: async (event) => {
      state.calls += 1;
      state.running += 1;
      state.most = Math.max(state.most, state.running);
      await work(event).finally(() => {
        state.running -= 1;
      });
    },
  });
  return { schedule, state };
}

test('calls the function repeatedly with an EventBridge event, and calls never overlap', async () => {
  setClock(() => Date.UTC(2026, 10, 21, 9, 45, 0, 123));
  const events: ScheduledEvent[] = [];
  const { schedule, state } = start(async (event) => {
    events.push(event);
    await new Promise((resolve) => setImmediate(resolve));
  });
  await Promise.all([schedule.run(), schedule.run(), schedule.run()]);
  await waitUntil('several calls', () => state.calls > 5);
  await schedule.close();
  setClock();
  expect(state.most).toBe(1);
  expect(events[0]).toMatchObject({
    source: 'aws.events',
    'detail-type': 'Scheduled Event',
    time: '2026-11-21T09:45:00Z',
  });
});

test('reports a failed call and continues; run() rejects if the function rejects', async () => {
  const { schedule, state } = start(() => Promise.reject(new Error('no')));
  await waitUntil('two reports', () => state.reports.length >= 2);
  expect(state.reports[0]).toBe('schedule fixture: Error: no');
  await schedule.pause();
  await expect(schedule.run()).rejects.toThrow('no');
  await schedule.close();
});

test('calls the function only through run() while paused', async () => {
  const { schedule, state } = start(async () => {});
  await schedule.pause();
  const { calls } = state;
  await schedule.run();
  expect(state.calls).toBe(calls + 1);
  schedule.resume();
  await waitUntil('more calls', () => state.calls > calls + 2);
  await schedule.close();
  const atEnd = state.calls;
  await new Promise((resolve) => setImmediate(resolve));
  expect(state.calls).toBe(atEnd);
});
