/** Tests timers: storing, leasing, sending, completing, and that no crash or race loses one. */
import {
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { Stack } from '../../../../infra/local/stack.ts';
import { type Key, tableKeys } from '../../../../shared/store/keys.ts';
import { queueClient } from '../../../../shared/store/queue-client.ts';
import { sweepTimers } from '../../../../shared/store/timers/sweep-timers.ts';
import type { TimerMessage } from '../../../../shared/store/timers/timer-item.ts';
import { completeTimer, setTimer } from '../../../../shared/store/timers/timers.ts';
import {
  type DynamodbAttempt,
  type FaultHandler,
  injectFault,
  interceptCalls,
  loseResponse,
  respondWith,
  respondWithError,
} from '../../../support/intercept-calls.ts';
import { startTestStack } from '../../../support/stack.ts';
import { type TestTable, tableOf } from '../../../support/table.ts';
import { waitUntil } from '../../../support/wait-until.ts';

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
  // The test consumes the messages and starts the sweeps.
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

const timer = (due: number, reference = 'inv_1') => ({ due, kind: 'overdue', reference }) as const;
const storedTimers = async () =>
  (await table.all('TIMER#')).map(({ minute, due, leasedUntil }) => ({ minute, due, leasedUntil }));
const marks = () => table.get(tableKeys.watermark);
/** Matches a batch with a write of that kind to the timer of that reference. */
const onBatchOf = (write: string, reference: string) => (call: DynamodbAttempt) =>
  call.body.includes(write) && on('BatchWriteItem', reference)(call);

/** Puts timers that are due in the same minute and stored in the same partition. Returns their references, sorted. */
async function putInOneShard(due: number, count: number): Promise<string[]> {
  const items = Array.from({ length: 10_000 }, (_, index) => `inv_${String(index).padStart(5, '0')}`)
    .map((reference) => ({
      ...tableKeys.timer(minuteOf(due), due, 'overdue', reference),
      ...timer(due, reference),
      minute: minuteOf(due),
    }))
    .filter(({ pk }) => pk.endsWith('#07'))
    .slice(0, count);
  expect(items).toHaveLength(count);
  await table.putAll(items);
  return items.map(({ reference }) => reference);
}

/** Counts the messages that were sent: delayed, waiting and received ones. */
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
async function withFault<T>(fault: FaultHandler, work: () => Promise<T>): Promise<T> {
  const interception = interceptCalls(fault);
  try {
    return await work();
  } finally {
    interception.remove();
  }
}
/** Runs `work` while the queue cannot be reached. */
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
  ({ operation: of, body }: DynamodbAttempt) =>
    of === operation && body.includes(text);

test('a timer is stored under its minute, leased and sent when due, and deleted when it is completed', async () => {
  const due = start + 10 * minuteMs;
  await setTimer(timer(due), start);
  await sweepTimers(start + 7 * minuteMs);
  expect(await storedTimers()).toEqual([{ minute: minuteOf(due), due, leasedUntil: undefined }]);
  expect(await sent()).toBe(0);
  await sweepTimers(due);
  expect(await storedTimers()).toEqual([
    { minute: minuteOf(due + leaseMs), due, leasedUntil: due + leaseMs },
  ]);
  const [message, ...more] = await receive();
  expect(more).toEqual([]);
  expect(message).toEqual({ ...timer(due), minute: minuteOf(due + leaseMs) });
  await completeTimer(message as TimerMessage);
  expect(await storedTimers()).toEqual([]);
  await sweepTimers(due + 10 * minuteMs);
  expect(await sent()).toBe(1);
});

test('a timer is leased two minutes before it is due, so the queue can deliver it to the second', async () => {
  const due = start + 10 * minuteMs;
  await setTimer(timer(due), start);
  await sweepTimers(due - 2 * minuteMs);
  expect(await storedTimers()).toMatchObject([{ leasedUntil: due + leaseMs }]);
  expect([await sent(), await receive()]).toEqual([1, []]);
});

test('a timer is not sent again during its lease, and is sent again if the lease ends without completion', async () => {
  const due = start + 10 * minuteMs;
  await setTimer(timer(due), start);
  for (const now of [due, due + 1, due + minuteMs, due + leaseMs - 1]) await sweepTimers(now);
  expect(await sent()).toBe(1);
  const later = due + leaseMs + minuteMs;
  await sweepTimers(later);
  expect(await sent()).toBe(2);
  expect(await storedTimers()).toEqual([
    // The second lease is twice as long.
    { minute: minuteOf(later + 2 * leaseMs), due, leasedUntil: later + 2 * leaseMs },
  ]);
});

test('leases grow: a consumer that is down for an hour finds seven messages', async () => {
  await setTimer(timer(start), start);
  for (let minute = 1; minute <= 60; minute++) await sweepTimers(start + minute * minuteMs);
  expect(await sent()).toBe(7);
  expect(await table.all('TIMER#')).toMatchObject([{ due: start, sends: 7 }]);
});

test('leases grow to an hour, so that a queue with a long backlog does not repeat itself for ever', async () => {
  await setTimer(timer(start), start);
  for (let minute = 1; minute <= 300; minute++) await sweepTimers(start + minute * minuteMs);
  // Seven in the first hour, one after half an hour more, and one after each further hour.
  expect(await sent()).toBe(11);
});

test('a lease keeps what a newer version stored with the timer, and sends it', async () => {
  await setTimer(timer(start + 10 * minuteMs), start);
  const [item] = await table.all('TIMER#');
  await table.put({ ...item, addedLater: 'a newer version' });
  await sweepTimers(start + 11 * minuteMs);
  expect(await table.all('TIMER#')).toMatchObject([{ addedLater: 'a newer version' }]);
  expect(await receive()).toMatchObject([{ reference: 'inv_1', addedLater: 'a newer version' }]);
});

test('setting a timer several times stores one timer', async () => {
  await Promise.all([1, 2, 3].map(() => setTimer(timer(start + 10 * minuteMs), start)));
  expect(await storedTimers()).toHaveLength(1);
});

test('a timer that is due within a minute or in the past is sent immediately, with a watchdog', async () => {
  await setTimer(timer(start - 5 * minuteMs), start);
  expect(await receive()).toMatchObject([{ due: start - 5 * minuteMs, minute: minuteOf(start + leaseMs) }]);
  expect(await storedTimers()).toMatchObject([{ leasedUntil: start + leaseMs }]);
  await sweepTimers(start + leaseMs + minuteMs);
  expect(await sent()).toBe(2);
});

test('a crash between storing the watchdog and sending the message only delays the timer', async () => {
  await withoutQueue(() => expect(setTimer(timer(start), start)).rejects.toThrow());
  expect([await sent(), (await storedTimers()).length]).toEqual([0, 1]);
  await sweepTimers(start + leaseMs + minuteMs);
  expect(await receive()).toMatchObject([timer(start)]);
});

test('a sweep that crashes between lease and message only delays the timer', async () => {
  const due = start + 10 * minuteMs;
  await setTimer(timer(due), start);
  await withoutQueue(() => expect(sweepTimers(due)).rejects.toThrow());
  expect([await sent(), (await storedTimers()).length]).toEqual([0, 1]);
  await sweepTimers(due + leaseMs + minuteMs);
  expect(await receive()).toMatchObject([timer(due)]);
});

test('the marks closed and done rise to the last minute that has ended, and never fall', async () => {
  await sweepTimers(start);
  const marksAt = (minute: number) => ({
    closed: minute,
    done: minute,
  });
  const first = marksAt(minuteOf(start) - 1);
  expect(await marks()).toMatchObject(first);
  await sweepTimers(start - 30 * minuteMs);
  expect(await marks()).toMatchObject(first);
  await sweepTimers(start + 3 * 60 * minuteMs);
  expect(await marks()).toMatchObject(marksAt(first.closed + 180));
});

test.each(['PutRequest', 'DeleteRequest'])(
  'done stays below the minute of a timer whose %s failed, and the next sweep leases that timer',
  async (write) => {
    const due = start + 10 * minuteMs;
    await setTimer(timer(due, 'inv_bad'), start);
    await setTimer(timer(due + 5 * minuteMs, 'inv_good'), start);
    const now = due + 30 * minuteMs;
    const fault = injectFault(onBatchOf(write, 'inv_bad'), respondWithError('AccessDeniedException'));
    await withFault(fault, () => expect(sweepTimers(now)).rejects.toThrow());
    expect(await marks()).toMatchObject({ closed: minuteOf(now) - 1 });
    expect((await marks())?.done).toBeLessThan(minuteOf(due));
    expect(await receive()).toMatchObject([{ reference: 'inv_good' }]);
    await sweepTimers(now);
    expect(await marks()).toMatchObject({ done: minuteOf(now) - 1 });
    expect(await receive()).toMatchObject([{ reference: 'inv_bad' }]);
  },
);

test('a sweep that is far behind ends in time, and the next sweeps continue where it ended', async () => {
  await sweepTimers(start);
  const hours = [1, 2, 3].map((hour) => start + hour * 60 * minuteMs);
  for (const due of hours) await setTimer(timer(due, `inv_${due}`), start);
  const now = start + 5 * 60 * minuteMs;
  let behindMs = 0;
  const present = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => present() + behindMs);
  try {
    // Every lease takes a minute.
    const slow: FaultHandler = (call, send) => {
      if (onBatchOf('DeleteRequest', '')(call)) behindMs += minuteMs;
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

test('a writer that is too late for a minute stores its timer under a minute that is not closed, and it is sent', async () => {
  const now = start + 60 * minuteMs;
  await sweepTimers(now);
  const due = start + 30 * minuteMs;
  await setTimer(timer(due), start);
  expect(await storedTimers()).toEqual([{ minute: minuteOf(now), due, leasedUntil: undefined }]);
  await sweepTimers(now + 1);
  expect(await receive()).toMatchObject([timer(due)]);
});

test('a sweep that closes a minute around the put of a timer loses no timer', async () => {
  const due = start + 10 * minuteMs;
  const now = due + 5 * minuteMs;
  for (const sweepsFirst of [true, false]) {
    const reference = `inv_${sweepsFirst}`;
    const race = injectFault(on('PutItem', reference), async (_, send) => {
      if (sweepsFirst) await sweepTimers(now);
      const answer = await send();
      if (!sweepsFirst) await sweepTimers(now);
      return answer;
    });
    await table.delete(tableKeys.watermark);
    await withFault(race, () => setTimer(timer(due, reference), start));
    await sweepTimers(now + minuteMs);
    expect((await receive()).map((message) => message.reference)).toContain(reference);
  }
});

test('parallel sweeps leave one lease of each timer, and each of them sends it at most once', async () => {
  const due = start + 10 * minuteMs;
  for (let index = 0; index < 20; index++) await setTimer(timer(due, `inv_${index}`), start);
  await Promise.all([sweepTimers(due), sweepTimers(due), sweepTimers(due)]);
  const stored = await storedTimers();
  expect(stored).toHaveLength(20);
  expect(stored.every(({ leasedUntil }) => leasedUntil === due + leaseMs)).toBe(true);
  expect(await sent()).toBeGreaterThanOrEqual(20);
  expect(await sent()).toBeLessThanOrEqual(60);
});

test('a batch that fails does not stop the other batches of its partition', async () => {
  const due = start + 10 * minuteMs;
  const references = await putInOneShard(due, 80);
  const [bad = ''] = references;
  const fault = injectFault(onBatchOf('PutRequest', bad), respondWithError('AccessDeniedException'));
  await withFault(fault, () => expect(sweepTimers(due)).rejects.toThrow());
  const isLeased = (await storedTimers()).map(({ leasedUntil }) => leasedUntil !== undefined);
  expect([isLeased.filter((leased) => leased).length, isLeased.length]).toEqual([55, 80]);
  expect(await sent()).toBe(55);
  await sweepTimers(due);
  expect(await sent()).toBe(80);
});

test('a batch that DynamoDB refuses because of one timer is divided, and only this timer is set aside', async () => {
  const due = start + 10 * minuteMs;
  const [bad = ''] = await putInOneShard(due, 80);
  const fault = injectFault(onBatchOf('PutRequest', bad), respondWithError('ValidationException'), 10);
  await withFault(fault, () => sweepTimers(due));
  expect(await sent()).toBe(79);
  expect((await storedTimers()).every(({ leasedUntil }) => leasedUntil === due + leaseMs)).toBe(true);
  const [work, ...others] = await table.all('SETASIDE');
  expect([work?.content.reference, others]).toEqual([bad, []]);
  await table.delete(work as Key);
});

test('writes that DynamoDB leaves unprocessed are repeated', async () => {
  const due = start + 10 * minuteMs;
  await putInOneShard(due, 25);
  let left = 3;
  const unprocessed: FaultHandler = async (call, send) => {
    if (!onBatchOf('Request', '')(call) || left === 0) return send();
    left -= 1;
    const { RequestItems } = JSON.parse(call.body) as { RequestItems: Record<string, object[]> };
    const writes = RequestItems[stack.tableName] ?? [];
    return respondWith({ UnprocessedItems: { [stack.tableName]: writes } });
  };
  await withFault(unprocessed, () => sweepTimers(due));
  expect(left).toBe(0);
  expect(await sent()).toBe(25);
  expect((await storedTimers()).every(({ leasedUntil }) => leasedUntil === due + leaseMs)).toBe(true);
});

test('a message that SQS refuses alone fails its lease, and is sent when the lease ends', async () => {
  const due = start + 10 * minuteMs;
  await putInOneShard(due, 3);
  const send = queueClient.send.bind(queueClient) as (command: object) => Promise<object>;
  const refuse = jest.spyOn(queueClient, 'send').mockImplementation((async (command: {
    input: { Entries?: { Id: string }[] };
  }) => {
    const [first, ...others] = command.input.Entries ?? [];
    command.input.Entries = others;
    const answer = await send(command);
    return { ...answer, Failed: [{ Id: first?.Id, SenderFault: false, Code: 'InternalError' }] };
  }) as never);
  try {
    await expect(sweepTimers(due)).rejects.toThrow('SQS refused 1 of 3 messages with InternalError.');
  } finally {
    refuse.mockRestore();
  }
  expect(await sent()).toBe(2);
  await sweepTimers(due + leaseMs);
  expect(await sent()).toBe(2 + 3);
});

test('a lease whose answer was lost still sends the message', async () => {
  const due = start + 10 * minuteMs;
  await setTimer(timer(due), start);
  await withFault(injectFault(onBatchOf('PutRequest', 'inv_1'), loseResponse), () => sweepTimers(due));
  expect([await sent(), (await storedTimers()).length]).toEqual([1, 1]);
});

test('all timers of a minute are leased and sent, even if one query does not return them all', async () => {
  const due = start + 10 * minuteMs;
  const references = Array.from({ length: 450 }, (_, index) => `inv_${index}`);
  await table.putAll(
    references.map((reference) => ({
      ...tableKeys.timer(minuteOf(due), due, 'overdue', reference),
      ...timer(due, reference),
      minute: minuteOf(due),
    })),
  );
  await sweepTimers(due);
  expect(await sent()).toBe(450);
  expect((await storedTimers()).every(({ leasedUntil }) => leasedUntil === due + leaseMs)).toBe(true);
});

/** Receives so many messages. Returns how many each group has. The body says the group, because SQS on this machine does not. */
async function countGroups(count: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let received = 0;
  await waitUntil('the messages', async () => {
    for (const { group = 'none' } of await receive()) {
      counts[group] = (counts[group] ?? 0) + 1;
      received += 1;
    }
    return received >= count;
  });
  return counts;
}

test('the schedules of an account are one group, so many of them hold up no due date and no other account', async () => {
  const { scheduleTimer } = await import('../../../../shared/domain/schedules/transitions.ts');
  const due = start + minuteMs;
  const timersOf = (account: string, count: number) =>
    Array.from({ length: count }, (_, number) =>
      scheduleTimer({ account, id: `sch_${account}_${number}` }, due),
    );
  const dueDates = Array.from({ length: 3 }, (_, number) => timer(due, `inv_${number}`));
  const timers = [...timersOf('acct_many', 24), ...timersOf('acct_few', 2), ...dueDates];
  for (const each of timers) await setTimer(each, start);
  await sweepTimers(start + 2 * minuteMs);
  expect(await countGroups(timers.length)).toEqual({ acct_many: 24, acct_few: 2, none: 3 });
});
