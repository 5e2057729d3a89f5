/**
 * Tests timers with functions whose clocks are days apart. DynamoDB's clock decides how far the marks move, so a wrong
 * clock neither loses nor delays a timer.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../../infra/local/stack.ts';
import { now } from '../../../../shared/base/time.ts';
import { tableKeys } from '../../../../shared/store/keys.ts';
import { sweepTimers } from '../../../../shared/store/timers/sweep-timers.ts';
import { readMarks } from '../../../../shared/store/timers/timer-marks.ts';
import { setTimer } from '../../../../shared/store/timers/timers.ts';
import { setClock } from '../../../support/clock.ts';
import { interceptCalls } from '../../../support/intercept-calls.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestTable, tableOf } from '../../../support/table.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const minuteOf = (instant: number) => Math.floor(instant / minuteMs);

let stack: Stack;
let table: TestTable;
/** The true time, which DynamoDB's clock shows. */
let time: number;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
});
beforeEach(async () => {
  time = Math.floor(Date.now() / minuteMs) * minuteMs + 10_000;
  for (const item of await table.all('TIMER#')) await table.delete(item as never);
  await table.delete(tableKeys.watermark);
});
afterAll(() => stack.close());

/**
 * Runs a function whose clock is `aheadMs` milliseconds ahead of DynamoDB's clock. In the test, the clock of the system
 * is right, and the clocks of both, the function and DynamoDB, are set.
 * @param firstCall whether the function has made a call before, as all functions do that set timers
 */
async function withClock<T>(aheadMs: number, work: () => Promise<T>, firstCall = true): Promise<T> {
  setClock(() => time + aheadMs);
  const interception = interceptCalls(async (_, send) => {
    const answer = await send();
    const { headers } = answer.response as { headers: Record<string, string> };
    headers.date = new Date(Date.parse(headers.date ?? '') - aheadMs).toUTCString();
    return answer;
  });
  try {
    if (firstCall) await readMarks(now());
    return await work();
  } finally {
    interception.remove();
    setClock();
  }
}

const timer = (due: number, reference: string) => ({ due, kind: 'overdue', reference }) as const;
const set = (due: number, reference: string) => setTimer(timer(due, reference), now());
const sweep = () => sweepTimers(now());
const timersStored = () => table.all('TIMER#');
const marks = async () => (await table.get(tableKeys.watermark)) ?? {};

test.each([
  ['a day ahead', dayMs],
  ['three days ahead', 3 * dayMs],
  ['a day behind', -dayMs],
])('a sweep whose clock is %s moves the marks by the clock of DynamoDB', async (_, aheadMs) => {
  await withClock(0, sweep);
  time += 10 * minuteMs;
  await withClock(aheadMs, sweep);
  const { closed, done } = await marks();
  for (const mark of [closed, done]) {
    expect(Math.abs(mark - (minuteOf(time) - 1))).toBeLessThanOrEqual(1);
  }
});

test('the first sweep of a table whose clock is a day ahead also uses the clock of DynamoDB', async () => {
  await withClock(dayMs, sweep);
  const { closed, done } = await marks();
  expect(Math.max(closed, done)).toBeLessThanOrEqual(minuteOf(time));
});

test.each([
  ['ahead', dayMs],
  ['behind', -dayMs],
])('timers are sent in time if every second sweep has a clock a day %s', async (_, aheadMs) => {
  await withClock(0, sweep);
  await withClock(aheadMs, sweep);
  for (const minutes of [5, 90, 600]) {
    await withClock(0, () => set(time + minutes * minuteMs, `inv_${minutes}`));
  }
  await withClock(aheadMs, sweep);
  const timers = await timersStored();
  expect(timers.map(({ minute, sends = 0 }) => [minute, sends])).toEqual(
    timers.map(({ due }) => [minuteOf(due), 0]),
  );
  for (const { due, reference } of timers.sort((one, other) => one.due - other.due)) {
    time = due + 3_000;
    await withClock(aheadMs, sweep);
    const [leased] = (await timersStored()).filter((item) => item.reference === reference);
    expect(leased?.sends).toBe(1);
    expect(Math.abs(leased?.leasedUntil - (time + 2 * minuteMs))).toBeLessThan(minuteMs);
  }
});

test.each([
  ['ahead', dayMs],
  ['behind', -dayMs],
])(
  'a writer whose clock is a day %s stores its timers where the next sweep finds them',
  async (_, aheadMs) => {
    await withClock(0, sweep);
    time += 5 * 60 * minuteMs;
    await withClock(0, sweep);
    // For the clock of a writer a day behind, both are many hours ahead. In truth, the first is overdue.
    await withClock(aheadMs, async () => {
      await set(time - 60 * minuteMs, 'inv_past');
      await set(time + 20 * minuteMs, 'inv_future');
    });
    time += 4 * minuteMs;
    await withClock(0, sweep);
    const past = (await timersStored()).find(({ reference }) => reference === 'inv_past');
    expect(past).toMatchObject({ reference: 'inv_past' });
    expect(past?.leasedUntil).toBeGreaterThan(time);
    time += 17 * minuteMs;
    await withClock(0, sweep);
    const leased = (await timersStored()).filter(({ leasedUntil }) => leasedUntil > time);
    expect(leased.map(({ reference }) => reference).sort()).toEqual(['inv_future', 'inv_past']);
  },
);

test('a timer an hour ahead is stored without a read of the marks, a nearer one with one', async () => {
  await withClock(0, sweep);
  const reads = async (minutes: number) => {
    const interception = interceptCalls();
    await set(now() + minutes * minuteMs, 'inv_1');
    interception.remove();
    return interception.calls.map(({ operation }) => operation).join();
  };
  expect(await reads(61)).toBe('PutItem');
  expect(await reads(60 * 24 * 30)).toBe('PutItem');
  expect(await reads(58)).toBe('PutItem,GetItem');
  expect(await reads(2)).toBe('PutItem,GetItem');
});

test('the answer to a put shows an instance whose clock is a day behind that the timer is due', async () => {
  await withClock(0, sweep);
  const setWithoutCallBefore = async () => {
    const interception = interceptCalls();
    // For this clock, the timer is 23 hours ahead.
    await set(time - 60 * minuteMs, 'inv_1');
    interception.remove();
    expect(interception.calls.map(({ operation }) => operation)).toContain('GetItem');
  };
  await withClock(-dayMs, setWithoutCallBefore, false);
  const [stored] = await timersStored();
  expect(stored?.minute).toBeGreaterThan((await marks()).closed);
});

test('an instance whose clock is a day ahead stores the first timers that it relays where the next sweeps find them', async () => {
  await withClock(0, sweep);
  // A second copy of the module is an instance that has made no call before.
  const path = '../../../../shared/store/timers/timer-batches.ts?first-call';
  const { prepareTimers }: typeof import('../../../../shared/store/timers/timer-batches.ts') = await import(
    path
  );
  await withClock(dayMs, () => prepareTimers([timer(time, 'inv_1')], now()), false);
  expect((await timersStored()).map(({ minute }) => minute)).toEqual([minuteOf(time + 2 * minuteMs)]);
});
