/**
 * Tests timers while this release and the last one run side by side, in either order, and after a rollback. The last
 * release knows four shards. No timer may be lost, and none may be delayed while both may run.
 */
import { GetQueueAttributesCommand, PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Stack } from '../../../../infra/local/stack.ts';
import { tableKeys, timerShards } from '../../../../shared/store/keys.ts';
import { lastReleaseKey, lastReleaseOf } from '../../../support/last-release-timers.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestTable, tableOf } from '../../../support/table.ts';

const minuteMs = 60_000;
const weekMs = 7 * 24 * 60 * minuteMs;
const start = Math.floor(Date.now() / minuteMs) * minuteMs + 10_000;

let stack: Stack;
let table: TestTable;
let sqs: SQSClient;
let last: ReturnType<typeof lastReleaseOf>;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  last = lastReleaseOf(stack);
  sqs = new SQSClient({ endpoint: stack.sqsEndpoint, region: 'us-east-1' });
  await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
});
beforeEach(async () => {
  for (const item of await table.all('TIMER#')) await table.delete(item as never);
  await table.delete(tableKeys.watermark);
  await sqs.send(new PurgeQueueCommand({ QueueUrl: stack.queueUrls.overdue.url }));
});
afterAll(async () => {
  sqs.destroy();
  await stack.close();
});

/** Loads the functions of this release as a new instance does, which remembers nothing. */
async function newInstance() {
  let loaded!: typeof import('../../../../shared/store/timers/timers.ts') &
    typeof import('../../../../shared/store/timers/sweep-timers.ts');
  await jest.isolateModulesAsync(async () => {
    loaded = {
      ...(await import('../../../../shared/store/timers/timers.ts')),
      ...(await import('../../../../shared/store/timers/sweep-timers.ts')),
    };
  });
  return loaded;
}

const references = Array.from({ length: 64 }, (_, index) => `inv_${index}`);
const timer = (due: number, reference: string) => ({ due, kind: 'overdue', reference }) as const;
const stored = async () => (await table.all('TIMER#')).length;
const inWideLayout = async () =>
  (await table.all('TIMER#')).filter(({ pk }) => /#\d\d$/.test(pk)).map(({ reference }) => reference);

async function sent(): Promise<number> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: stack.queueUrls.overdue.url, AttributeNames: ['All'] }),
  );
  return (['', 'Delayed', 'NotVisible'] as const)
    .map((state) => Number(Attributes[`ApproximateNumberOfMessages${state}`]))
    .reduce((sum, count) => sum + count, 0);
}

test('the partitions of the layouts differ, and the narrow ones are those of the last release', () => {
  const minute = Math.floor(start / minuteMs);
  const partitions = (layout: 'narrow' | 'wide') =>
    new Set(
      Array.from({ length: 2_000 }, (_, index) => tableKeys.timer(layout, minute, 1, 'k', `${index}`).pk),
    );
  const [narrow, wide] = [partitions('narrow'), partitions('wide')];
  expect([narrow.size, wide.size, timerShards]).toEqual([4, 32, { narrow: 4, wide: 32 }]);
  expect([...wide].filter((pk) => narrow.has(pk))).toEqual([]);
  for (const reference of references) {
    const { due, kind } = timer(start, reference);
    expect(tableKeys.timer('narrow', minute, due, kind, reference)).toEqual(
      lastReleaseKey(timer(start, reference), minute),
    );
  }
});

test('before the first sweep of this release, its writers store timers where the last release finds them', async () => {
  const { setTimer } = await newInstance();
  await last.sweep(start);
  const due = start + 90 * minuteMs;
  for (const reference of references) await setTimer(timer(due, reference), start);
  expect(await inWideLayout()).toEqual([]);
  expect((await last.sweep(due)).sort()).toEqual([...references].sort());
});

test('within a week, a sweep of either release finds the timers of both, in any order', async () => {
  const current = await newInstance();
  await last.sweep(start);
  await current.sweepTimers(start);
  const { wideFrom } = (await table.get(tableKeys.watermark)) ?? {};
  expect(wideFrom).toBe(start + weekMs);
  const due = start + 90 * minuteMs;
  for (const [index, reference] of references.entries()) {
    await (index % 2 === 0 ? last : current).setTimer(timer(due, reference), start);
  }
  // The sweeps take turns. Each of them raises the marks that the other one uses.
  for (let minute = 1; minute < 88; minute++) {
    if (minute % 2 === 0) await last.sweep(start + minute * minuteMs);
    else if (minute % 9 === 0) await current.sweepTimers(start + minute * minuteMs);
  }
  const before = await sent();
  expect([before, await inWideLayout()]).toEqual([0, []]);
  await current.sweepTimers(due);
  expect(await sent()).toBe(references.length);
  // A rollback before the lease ends: the sweep of the last release sends them again.
  expect((await last.sweep(due + 3 * minuteMs)).sort()).toEqual([...references].sort());
});

test('after a week timers are stored in 32 shards, and the sweep also finds those in the four', async () => {
  const current = await newInstance();
  await last.sweep(start);
  await current.sweepTimers(start);
  const due = start + weekMs + 90 * minuteMs;
  await last.setTimer(timer(due, 'inv_last'), start);
  await current.setTimer(timer(due, 'inv_narrow'), start);
  await table.put({ ...(await table.get(tableKeys.watermark)), wideFrom: start - 1 });
  const { setTimer, sweepTimers } = await newInstance();
  await setTimer(timer(due, 'inv_wide'), start);
  expect(await inWideLayout()).toEqual(['inv_wide']);
  await sweepTimers(due);
  expect(await sent()).toBe(3);
  // A lease moves timers to the wide layout.
  expect((await inWideLayout()).sort()).toEqual(['inv_last', 'inv_narrow', 'inv_wide']);
  await sweepTimers(due + 3 * minuteMs);
  expect(await sent()).toBe(6);
});

test('after a late rollback, timers in the 32 shards wait for this release, and none is lost', async () => {
  const current = await newInstance();
  const due = start + 90 * minuteMs;
  for (const reference of references) await current.setTimer(timer(due, reference), start);
  expect(await inWideLayout()).toHaveLength(references.length);
  // The last release runs for a day, and raises its marks far beyond the timers.
  for (let hours = 1; hours <= 24; hours++) {
    const now = start + hours * 60 * minuteMs;
    await last.setTimer(timer(now + 30 * minuteMs, `inv_of_last_${hours}`), now);
    await last.sweep(now);
  }
  const [both, alone] = [await stored(), 24];
  expect(both).toBe(references.length + alone);
  await (await newInstance()).sweepTimers(start + 25 * 60 * minuteMs);
  // Those of the last release are sent again, because nothing completed them.
  expect(await sent()).toBeGreaterThanOrEqual(references.length);
  const waiting = (await table.all('TIMER#')).filter(({ sends = 0 }) => sends === 0);
  expect(waiting).toEqual([]);
});

test('a message of either release completes the timer where that release stored it', async () => {
  const { completeTimer, setTimer } = await newInstance();
  const due = start + 30 * minuteMs;
  const minute = Math.floor(due / minuteMs);
  await last.setTimer(timer(due, 'inv_last'), start);
  await table.delete(tableKeys.watermark);
  await setTimer(timer(due, 'inv_wide'), start);
  expect(await stored()).toBe(2);
  await completeTimer({ ...timer(due, 'inv_last'), minute });
  expect(await inWideLayout()).toEqual(['inv_wide']);
  await completeTimer({ ...timer(due, 'inv_wide'), minute, layout: 'wide' });
  expect(await stored()).toBe(0);
});
