/** Tests that marks of the sweep that cannot be read stop no timer: they are replaced by marks that lose none. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../../infra/local/stack.ts';
import { tableKeys } from '../../../../shared/store/keys.ts';
import { sweepTimers } from '../../../../shared/store/timers/sweep-timers.ts';
import { timerItem } from '../../../../shared/store/timers/timer-item.ts';
import { readMarks } from '../../../../shared/store/timers/timer-marks.ts';
import { setTimer } from '../../../../shared/store/timers/timers.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../../../support/table.ts';

const minuteMs = 60_000;

let stack: Stack;
let table: TestTable;
let minute: number;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
});
beforeEach(async () => {
  minute = Math.floor(Date.now() / minuteMs);
  for (const { pk, sk } of await table.all('TIMER#')) await table.delete({ pk, sk });
});
afterAll(() => stack.close());

/** Stores a timer as a writer has done before the marks were damaged. */
const storeTimer = (at: number, reference: string) => {
  const due = at * minuteMs;
  return table.put(timerItem({ due, kind: 'overdue', reference, group: 'acct_1', minute: at }, {}));
};
const storeMarks = (marks: TestItem) => table.put({ ...tableKeys.watermark, ...marks });
const storedMarks = async () => (await table.get(tableKeys.watermark)) ?? {};
const sends = async () =>
  Object.fromEntries(
    (await table.all('TIMER#')).map(({ reference, sends: count = 0 }) => [reference, count]),
  );

const damages: readonly (readonly [string, (good: TestItem) => TestItem])[] = [
  ['no attributes', () => ({})],
  ...['closed', 'done'].flatMap((name): [string, (good: TestItem) => TestItem][] => [
    [`no ${name}`, ({ [name]: _, ...good }) => good],
    ...[String(Date.now()), { other: 'form' }, null, -1, 9e15, ['list']].map(
      (value): [string, (good: TestItem) => TestItem] => [
        `another form of ${name}: ${JSON.stringify(value)}`,
        (good) => ({ ...good, [name]: value }),
      ],
    ),
  ]),
];

test.each(damages)('marks with %s are replaced by the sweep, which sends all timers', async (_, damage) => {
  await storeMarks(damage({ closed: minute - 2, done: minute - 2 }));
  await Promise.all([
    storeTimer(minute - 1, 'inv_due'),
    storeTimer(minute - 300, 'inv_late'),
    storeTimer(minute + 90, 'inv_later'),
  ]);
  await sweepTimers(Date.now());
  const late = damage({ done: 1 }).done === 1 ? 0 : 1;
  expect(await sends()).toEqual({ inv_due: 1, inv_late: late, inv_later: 0 });
  const { closed, done } = await storedMarks();
  expect(closed).toBeGreaterThanOrEqual(minute - 1);
  expect(done).toBeGreaterThanOrEqual(minute - 1);
});

test.each(damages)(
  'marks with %s are replaced by a writer, whose timer is stored after them',
  async (_, damage) => {
    await storeMarks(damage({ closed: minute - 1, done: minute - 1 }));
    const due = (minute - 10) * minuteMs;
    await setTimer({ due, kind: 'overdue', reference: 'inv_new', group: 'acct_1' }, Date.now());
    const { closed, done } = await storedMarks();
    expect(Math.min(closed, done)).toBeGreaterThan(0);
    const [stored, ...others] = await table.all('TIMER#');
    expect(others).toEqual([]);
    expect(stored?.minute).toBeGreaterThan(closed);
  },
);

test('marks that cannot be read are replaced once by writers and sweeps at the same time', async () => {
  await storeMarks({ closed: 'text', done: minute - 5 });
  await storeTimer(minute - 4, 'inv_due');
  const read = await Promise.all(Array.from({ length: 8 }, () => readMarks(Date.now())));
  expect(new Set(read.map(({ done }) => done))).toEqual(new Set([minute - 5]));
  await sweepTimers(Date.now());
  expect(await sends()).toEqual({ inv_due: 1 });
});
