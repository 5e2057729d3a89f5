/** Tests `remit timers status`. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../../infra/local/stack.ts';
import { tableKeys } from '../../../../shared/store/keys.ts';
import { sweepTimers } from '../../../../shared/store/timers/sweep-timers.ts';
import { setTimer } from '../../../../shared/store/timers/timers.ts';
import { run } from '../../../support/command-line.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestTable, tableOf } from '../../../support/table.ts';

const minuteMs = 60_000;

let stack: Stack;
let table: TestTable;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
});
beforeEach(() => table.delete(tableKeys.watermark));
afterAll(() => stack.close());

const timer = (due: number, reference: string) => ({ due, kind: 'overdue', reference }) as const;
const status = async () => {
  const { code, out } = await run('timers', ['status', '--json']);
  return { code, ...JSON.parse(out) };
};

test('status shows the marks of a sweep that has just run, and succeeds', async () => {
  const now = Date.now();
  await setTimer(timer(now + 30 * minuteMs, 'inv_1'), now);
  await sweepTimers(now);
  const minute = new Date(Math.floor(now / minuteMs) * minuteMs).toISOString();
  const { code, waiting, closedUntil, doneUntil } = await status();
  expect([code, waiting, closedUntil, doneUntil]).toEqual([0, 0, minute, minute]);
});

test('status shows a late sweep, counts waiting timers, and fails', async () => {
  const now = Date.now();
  await sweepTimers(now - 30 * minuteMs);
  for (const reference of ['inv_1', 'inv_2']) await setTimer(timer(now + minuteMs, reference), now);
  const { code, waiting, lagSeconds } = await status();
  expect([code, waiting]).toEqual([1, 2]);
  expect(Math.abs(lagSeconds - 30 * 60)).toBeLessThanOrEqual(60);
});
