import {
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { keys } from '../../../shared/store/keys.ts';
import { completeTimer, setTimer, sweepTimers, type TimerMessage } from '../../../shared/store/timers.ts';
import {
  errorAnswer,
  type Fault,
  faultOn,
  intercept,
  lostAnswer,
  type WireCall,
} from '../../support/faults.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';

const minuteMs = 60_000;
const leaseMs = 2 * minuteMs;
/** Ten seconds into a minute. */
const start = Math.floor(Date.now() / minuteMs) * minuteMs + 10_000;
const minuteOf = (instant: number) => Math.floor(instant / minuteMs);

let stack: Stack;
let table: TestTable;
let sqs: SQSClient;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  sqs = new SQSClient({ endpoint: stack.sqsEndpoint, region: 'us-east-1' });
  // The test is the consumer, and says when a sweep runs.
  await Promise.all([stack.queues.pause(), stack.schedule.pause()]);
});
beforeEach(async () => {
  for (const item of await table.all('TIMER#')) await table.delete(item as never);
  await table.delete(keys.watermark);
  await sqs.send(new PurgeQueueCommand({ QueueUrl: stack.queueUrls.overdue.url }));
});
afterAll(async () => {
  sqs.destroy();
  await stack.close();
});

const timer = (due: number, reference = 'inv_1') => ({ due, kind: 'overdue', reference }) as const;
const standing = async () =>
  (await table.all('TIMER#')).map(({ minute, due, leasedUntil }) => ({ minute, due, leasedUntil }));
const marks = () => table.get(keys.watermark);

/** How many messages were sent, whether they are delayed, waiting or received. */
async function sent(): Promise<number> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: stack.queueUrls.overdue.url, AttributeNames: ['All'] }),
  );
  return (['', 'Delayed', 'NotVisible'] as const)
    .map((state) => Number(Attributes[`ApproximateNumberOfMessages${state}`]))
    .reduce((sum, count) => sum + count, 0);
}
async function receive(): Promise<TimerMessage[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: stack.queueUrls.overdue.url, MaxNumberOfMessages: 10 }),
  );
  return Messages.map(({ Body = '' }) => JSON.parse(Body));
}
async function withFault<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
  const interception = intercept(fault);
  try {
    return await work();
  } finally {
    interception.remove();
  }
}
/** A queue that cannot be reached. */
async function withoutQueue(work: () => Promise<void>): Promise<void> {
  const url = process.env.OVERDUE_QUEUE_URL;
  process.env.OVERDUE_QUEUE_URL = `${url}-gone`;
  try {
    await work();
  } finally {
    process.env.OVERDUE_QUEUE_URL = url;
  }
}
const on =
  (operation: string, text: string) =>
  ({ operation: of, body }: WireCall) =>
    of === operation && body.includes(text);

test('a timer stands under its minute, is leased and sent two minutes ahead, and deleted by who completes it', async () => {
  const due = start + 10 * minuteMs;
  await setTimer(timer(due), start);
  await sweepTimers(start + 7 * minuteMs);
  expect(await standing()).toEqual([{ minute: minuteOf(due), due, leasedUntil: undefined }]);
  expect(await sent()).toBe(0);
  await sweepTimers(due);
  expect(await standing()).toEqual([{ minute: minuteOf(due + leaseMs), due, leasedUntil: due + leaseMs }]);
  const [message, ...more] = await receive();
  expect(more).toEqual([]);
  expect(message).toEqual({ ...timer(due), minute: minuteOf(due + leaseMs) });
  await completeTimer(message as TimerMessage);
  expect(await standing()).toEqual([]);
  await sweepTimers(due + 10 * minuteMs);
  expect(await sent()).toBe(1);
});

test('a timer is leased ahead of its time, so that the queue can deliver it to the second', async () => {
  const due = start + 10 * minuteMs;
  await setTimer(timer(due), start);
  await sweepTimers(due - 2 * minuteMs);
  expect(await standing()).toMatchObject([{ leasedUntil: due + leaseMs }]);
  expect([await sent(), await receive()]).toEqual([1, []]);
});

test('while its lease runs a timer is not sent again; when it has ended without completion, it is', async () => {
  const due = start + 10 * minuteMs;
  await setTimer(timer(due), start);
  for (const now of [due, due + 1, due + minuteMs, due + leaseMs - 1]) await sweepTimers(now);
  expect(await sent()).toBe(1);
  const later = due + leaseMs + minuteMs;
  await sweepTimers(later);
  expect(await sent()).toBe(2);
  expect(await standing()).toEqual([
    { minute: minuteOf(later + leaseMs), due, leasedUntil: later + leaseMs },
  ]);
});

test('setting a timer twice leaves one', async () => {
  await Promise.all([1, 2, 3].map(() => setTimer(timer(start + 10 * minuteMs), start)));
  expect(await standing()).toHaveLength(1);
});

test('a timer within the minute, or in the past, is sent at once, with a watchdog behind it', async () => {
  await setTimer(timer(start - 5 * minuteMs), start);
  expect(await receive()).toMatchObject([{ due: start - 5 * minuteMs, minute: minuteOf(start + leaseMs) }]);
  expect(await standing()).toMatchObject([{ leasedUntil: start + leaseMs }]);
  await sweepTimers(start + leaseMs + minuteMs);
  expect(await sent()).toBe(2);
});

test('a crash between the watchdog and the message only delays', async () => {
  await withoutQueue(() => expect(setTimer(timer(start), start)).rejects.toThrow());
  expect([await sent(), (await standing()).length]).toEqual([0, 1]);
  await sweepTimers(start + leaseMs + minuteMs);
  expect(await receive()).toMatchObject([timer(start)]);
});

test('a sweep that dies between lease and message only delays', async () => {
  const due = start + 10 * minuteMs;
  await setTimer(timer(due), start);
  await withoutQueue(() => expect(sweepTimers(due)).rejects.toThrow());
  expect([await sent(), (await standing()).length]).toEqual([0, 1]);
  await sweepTimers(due + leaseMs + minuteMs);
  expect(await receive()).toMatchObject([timer(due)]);
});

test('marks: closed and done rise to the last minute that is over, and never fall', async () => {
  await sweepTimers(start);
  const first = { closed: minuteOf(start) - 1, done: minuteOf(start) - 1 };
  expect(await marks()).toMatchObject(first);
  await sweepTimers(start - 30 * minuteMs);
  expect(await marks()).toMatchObject(first);
  await sweepTimers(start + 3 * 60 * minuteMs);
  expect(await marks()).toMatchObject({ closed: first.closed + 180, done: first.done + 180 });
});

test('done stays below a minute with a timer that could not be leased, and the next sweep leases it', async () => {
  const due = start + 10 * minuteMs;
  await setTimer(timer(due, 'inv_bad'), start);
  await setTimer(timer(due + 5 * minuteMs, 'inv_good'), start);
  const now = due + 30 * minuteMs;
  const fault = faultOn(on('TransactWriteItems', 'inv_bad'), errorAnswer('ValidationException'));
  await withFault(fault, () => expect(sweepTimers(now)).rejects.toThrow());
  expect(await marks()).toMatchObject({ closed: minuteOf(now) - 1 });
  expect((await marks())?.done).toBeLessThan(minuteOf(due));
  expect(await receive()).toMatchObject([{ reference: 'inv_good' }]);
  await sweepTimers(now);
  expect(await marks()).toMatchObject({ done: minuteOf(now) - 1 });
  expect(await receive()).toMatchObject([{ reference: 'inv_bad' }]);
});

test('a sweep that has much to catch up with ends in time, and the next ones go on where it ended', async () => {
  await sweepTimers(start);
  const hours = [1, 2, 3].map((hour) => start + hour * 60 * minuteMs);
  for (const due of hours) await setTimer(timer(due, `inv_${due}`), start);
  const now = start + 5 * 60 * minuteMs;
  let behindMs = 0;
  const present = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => present() + behindMs);
  try {
    // Every lease takes a minute.
    const slow: Fault = ({ operation }, send) => {
      if (operation === 'TransactWriteItems') behindMs += minuteMs;
      return send();
    };
    for (const [index, due] of hours.entries()) {
      await withFault(slow, () => sweepTimers(now));
      expect(await sent()).toBe(index + 1);
      expect((await marks())?.done).toBeGreaterThanOrEqual(minuteOf(due));
      expect((await marks())?.done).toBeLessThan(minuteOf(due) + 60);
    }
  } finally {
    clock.mockRestore();
  }
  await sweepTimers(now);
  expect(await marks()).toMatchObject({ done: minuteOf(now) - 1 });
  expect(await sent()).toBe(3);
});

test('a writer that comes too late for a minute puts its timer beyond the closed ones, and it is sent', async () => {
  const now = start + 60 * minuteMs;
  await sweepTimers(now);
  const due = start + 30 * minuteMs;
  await setTimer(timer(due), start);
  expect(await standing()).toEqual([{ minute: minuteOf(now), due, leasedUntil: undefined }]);
  await sweepTimers(now + 1);
  expect(await receive()).toMatchObject([timer(due)]);
});

test('a minute that is closed between a put and the look at the marks loses no timer', async () => {
  const due = start + 10 * minuteMs;
  const now = due + 5 * minuteMs;
  for (const sweepsFirst of [true, false]) {
    const reference = `inv_${sweepsFirst}`;
    const race = faultOn(on('PutItem', reference), async (_, send) => {
      if (sweepsFirst) await sweepTimers(now);
      const answer = await send();
      if (!sweepsFirst) await sweepTimers(now);
      return answer;
    });
    await table.delete(keys.watermark);
    await withFault(race, () => setTimer(timer(due, reference), start));
    await sweepTimers(now + minuteMs);
    expect((await receive()).map((message) => message.reference)).toContain(reference);
  }
});

test('two sweeps at once lease a timer once and leave one', async () => {
  const due = start + 10 * minuteMs;
  for (let index = 0; index < 20; index++) await setTimer(timer(due, `inv_${index}`), start);
  await Promise.all([sweepTimers(due), sweepTimers(due), sweepTimers(due)]);
  expect(await standing()).toHaveLength(20);
  expect(await sent()).toBe(20);
});

test('a lease whose answer was lost still leads to a message', async () => {
  const due = start + 10 * minuteMs;
  await setTimer(timer(due), start);
  await withFault(faultOn(on('TransactWriteItems', 'inv_1'), lostAnswer), () => sweepTimers(due));
  expect([await sent(), (await standing()).length]).toEqual([1, 1]);
});

test('more timers in a minute than one query returns are all leased and sent', async () => {
  const due = start + 10 * minuteMs;
  const references = Array.from({ length: 450 }, (_, index) => `inv_${index}`);
  await table.putAll(
    references.map((reference) => ({
      ...keys.timer(minuteOf(due), due, 'overdue', reference),
      ...timer(due, reference),
      minute: minuteOf(due),
    })),
  );
  await sweepTimers(due);
  expect(await sent()).toBe(450);
  expect((await standing()).every(({ leasedUntil }) => leasedUntil === due + leaseMs)).toBe(true);
});
