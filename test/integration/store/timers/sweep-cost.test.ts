/** Tests what a lease costs, and how many calls it takes. The model of the month end has the same figures. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Stack } from '../../../../infra/local/stack.ts';
import { tableKeys } from '../../../../shared/store/keys.ts';
import { queueClient } from '../../../../shared/store/queue-client.ts';
import { leasesPerPage, sweepTimers } from '../../../../shared/store/timers/sweep-timers.ts';
import { monthEnd } from '../../../model/month-end.ts';
import { countUnits, sumOf } from '../../../support/capacity-units.ts';
import { interceptCalls } from '../../../support/intercept-calls.ts';
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
afterAll(() => stack.close());

test('a lease has two writes of one unit, 25 leases two calls in sequence, and a page one read of the marks', async () => {
  const now = Date.now();
  await sweepTimers(now);
  const due = now + 10 * minuteMs;
  const minute = Math.floor(due / minuteMs);
  // All in one partition, more than two pages.
  const timers = Array.from({ length: 10_000 }, (_, index) => `inv_${index}`)
    .map((reference) => ({
      ...tableKeys.timer(minute, due, 'overdue', reference),
      ...{ due, kind: 'overdue', reference, minute },
    }))
    .filter(({ pk }) => pk.endsWith('#07'))
    .slice(0, 2 * leasesPerPage + 50);
  expect(timers).toHaveLength(250);
  await table.putAll(timers);

  const counter = countUnits(stack);
  const messages = countMessages();
  let running = 0;
  let mostAtOnce = 0;
  const interception = interceptCalls(async ({ operation }, send) => {
    const isWrite = operation === 'BatchWriteItem';
    if (isWrite) mostAtOnce = Math.max(mostAtOnce, ++running);
    const answer = await send();
    if (isWrite) running -= 1;
    return answer;
  });
  await sweepTimers(due);
  interception.remove();
  const queueCalls = messages.stop();
  const calls = counter.take().filter(({ items }) => items.some(({ kind }) => kind === 'TIMER'));
  counter.remove();
  const count = (operation: string) =>
    interception.calls.filter((call) => call.operation === operation).length;
  expect([count('PutItem'), count('DeleteItem'), count('TransactWriteItems')]).toEqual([0, 0, 0]);
  expect(count('BatchWriteItem')).toBe((250 / monthEnd.leasesPerTableCall) * monthEnd.tableCalls);
  // Each batch of 25 timers has 10, 10 and 5 messages.
  expect(queueCalls).toBe((250 / 25) * 3);
  // One at the start, and one for each page.
  expect(count('GetItem')).toBe(1 + 3);
  expect(sumOf(calls, 'write')).toBe(250 * monthEnd.unitsPerLease);
  expect(mostAtOnce).toBe(1);
  expect((await table.all('TIMER#')).every(({ sends }) => sends === 1)).toBe(true);
});

/** Counts the calls to SQS until `stop()` is called. */
function countMessages(): { stop(): number } {
  const send = jest.spyOn(queueClient, 'send');
  return {
    stop: () => {
      const calls = send.mock.calls.length;
      send.mockRestore();
      return calls;
    },
  };
}
