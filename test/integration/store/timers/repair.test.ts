/** Tests `remit timers`: a sweep of the last release with a wrong clock has moved the marks too far ahead. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../../infra/local/stack.ts';
import { tableKeys } from '../../../../shared/store/keys.ts';
import { sweepTimers } from '../../../../shared/store/timers/sweep-timers.ts';
import { setTimer } from '../../../../shared/store/timers/timers.ts';
import { run, runJson } from '../../../support/command-line.ts';
import { type FaultHandler, injectFault, interceptCalls } from '../../../support/intercept-calls.ts';
import { lastReleaseOf } from '../../../support/last-release-timers.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestTable, tableOf } from '../../../support/table.ts';

const minuteMs = 60_000;
const dayMinutes = 24 * 60;
const minuteOf = (instant: number) => Math.floor(instant / minuteMs);

let stack: Stack;
let table: TestTable;
let last: ReturnType<typeof lastReleaseOf>;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  last = lastReleaseOf(stack);
  await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
});
beforeEach(async () => {
  for (const item of await table.all('TIMER#')) await table.delete(item as never);
  await table.delete(tableKeys.watermark);
});
afterAll(() => stack.close());

const timer = (due: number, reference: string) => ({ due, kind: 'overdue', reference }) as const;
const marks = async () => (await table.get(tableKeys.watermark)) ?? {};
const status = () => runJson('timers', ['status']);
const minutesByReference = async () =>
  Object.fromEntries((await table.all('TIMER#')).map(({ reference, minute }) => [reference, minute]));

test('while all is well, status succeeds, and repair changes nothing', async () => {
  const now = Date.now();
  await setTimer(timer(now + 30 * minuteMs, 'inv_1'), now);
  await sweepTimers(now);
  const before = [await marks(), await table.all('TIMER#')];
  expect(await status()).toMatchObject({ waiting: 0, ahead: [], wideFrom: '1970-01-01T00:00:00.000Z' });
  expect((await run('timers', ['status'])).code).toBe(0);
  expect(await runJson('timers', ['repair'])).toEqual({ lowered: [], moved: 0 });
  expect([await marks(), await table.all('TIMER#')]).toEqual(before);
});

test('status shows a late sweep, counts waiting timers, and fails', async () => {
  const now = Date.now();
  await sweepTimers(now - 30 * minuteMs);
  for (const reference of ['inv_1', 'inv_2']) await setTimer(timer(now + minuteMs, reference), now);
  const shown = await run('timers', ['status', '--json']);
  expect(shown.code).toBe(1);
  const { waiting, lagSeconds } = JSON.parse(shown.out);
  expect(waiting).toBe(2);
  expect(Math.abs(lagSeconds - 30 * 60)).toBeLessThanOrEqual(60);
});

test('repair lowers marks that are a day ahead, and moves the timers that are stored too late', async () => {
  const now = Date.now();
  await sweepTimers(now);
  // The sweep of the last release leases what is due within its day, and closes the day.
  await last.setTimer(timer(now + 10 * minuteMs, 'inv_leased'), now);
  await last.sweep(now + dayMinutes * minuteMs);
  await last.setTimer(timer(now + 20 * minuteMs, 'inv_late'), now);
  await last.setTimer(timer(now + 3 * dayMinutes * minuteMs, 'inv_far'), now);
  const before = await minutesByReference();
  for (const reference of ['inv_leased', 'inv_late']) {
    expect(before[reference]).toBeGreaterThan(minuteOf(now) + dayMinutes - 2);
  }
  const shown = await run('timers', ['status']);
  expect([shown.code, shown.out.includes('npx remit timers repair')]).toEqual([1, true]);

  expect(await runJson('timers', ['repair'])).toEqual({ lowered: ['narrow'], moved: 2 });
  const { closed, done } = await marks();
  expect(closed).toBeLessThanOrEqual(minuteOf(Date.now()) + 5);
  expect(done).toBeLessThanOrEqual(minuteOf(Date.now()) - dayMinutes);
  expect(await minutesByReference()).toEqual({
    inv_leased: minuteOf(now + 10 * minuteMs),
    inv_late: minuteOf(now + 20 * minuteMs),
    inv_far: before.inv_far,
  });
  // The next sweeps read the last day again, and send the timers in time.
  await sweepTimers(now + minuteMs);
  expect((await marks()).done).toBe(minuteOf(now));
  await sweepTimers(now + 20 * minuteMs);
  const sends = (await table.all('TIMER#')).map(({ reference, sends: count = 0 }) => [reference, count]);
  expect(Object.fromEntries(sends)).toEqual({ inv_leased: 2, inv_late: 1, inv_far: 0 });
  expect((await run('timers', ['repair'])).code).toBe(0);
});

test('a repair that stops at any write continues when it runs again', async () => {
  const now = Date.now();
  for (let writes = 0; ; writes++) {
    for (const item of await table.all('TIMER#')) await table.delete(item as never);
    await table.delete(tableKeys.watermark);
    await sweepTimers(now);
    await last.sweep(now + 180 * minuteMs);
    await last.setTimer(timer(now + 20 * minuteMs, 'inv_1'), now);
    const { repairTimers } = await import('../../../../shared/store/timers/repair-timers.ts');
    let count = 0;
    const fault: FaultHandler = async (_, send) => {
      if (count++ === writes) throw Object.assign(new Error('stopped'), { name: 'ValidationException' });
      return send();
    };
    const isWrite = ({ operation }: { operation: string }) => /^(Put|Update|Delete)/.test(operation);
    const interception = interceptCalls(injectFault(isWrite, fault, 100));
    const stopped = await repairTimers(now).then(
      () => false,
      () => true,
    );
    interception.remove();
    await repairTimers(now);
    expect((await marks()).closed).toBeLessThanOrEqual(minuteOf(now) + 5);
    expect(await minutesByReference()).toEqual({ inv_1: minuteOf(now + 20 * minuteMs) });
    if (!stopped) return expect(writes).toBe(4);
  }
});

test('a sweep that runs during the repair does not skip the minutes that the repair opened again', async () => {
  const now = Date.now();
  await sweepTimers(now);
  await last.sweep(now + dayMinutes * minuteMs);
  const { repairTimers } = await import('../../../../shared/store/timers/repair-timers.ts');
  // A timer in a minute that the marks have passed, as only an error leaves it.
  const minute = minuteOf(now) - 60;
  const lost = timer(minute * minuteMs, 'inv_1');
  await table.put({ ...tableKeys.timer('narrow', minute, lost.due, lost.kind, 'inv_1'), ...lost, minute });
  let repaired = false;
  const interception = interceptCalls(async ({ operation }, send) => {
    if (operation === 'UpdateItem' && !repaired) {
      repaired = true;
      await repairTimers(now);
    }
    return send();
  });
  await sweepTimers(now + 2 * minuteMs);
  interception.remove();
  expect(repaired).toBe(true);
  await sweepTimers(now + 3 * minuteMs);
  expect(await table.all('TIMER#')).toMatchObject([{ reference: 'inv_1', sends: 1 }]);
});
