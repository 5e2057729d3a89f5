/** Tests outages of the stream, the queues and the sweep: events are late, but none is lost. */
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { toOutboxItem } from '../../shared/store/commit/outbox-item.ts';
import type { IndexEntry } from '../../shared/store/lists/pages/index-pages.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import type { TestItem } from '../support/table.ts';
import { countWaitingMessages } from '../support/unreliable-background.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';

const minuteMs = 60_000;

let testStack: WebhookTestStack;
let sqs: SQSClient;

beforeAll(async () => {
  testStack = await startWebhookTestStack();
  sqs = new SQSClient({ endpoint: testStack.stack.sqsEndpoint, region: 'us-east-1' });
});
afterEach(async () => {
  await Promise.all([testStack.stack.stream.pause(), testStack.stack.queues.pause()]);
});
afterAll(async () => {
  sqs.destroy();
  await testStack.close();
});

const receivedBy = ({ endpoints }: WebhookOwner) =>
  endpoints.reduce((sum, { path }) => sum + testStack.receiver.receivedAt(path).length, 0);
/** A timer can outlive its attempt, if the dispatcher was faster than the relay. Then it fires once more, without effect. */
const areRecorded = async (owner: WebhookOwner) =>
  (await owner.deliveries()).every(({ status }) => status !== 'pending');
const messagesWaiting = () => countWaitingMessages(sqs, testStack.stack);

test('a change reaches its receivers by stream and queue alone, without a sweep', async () => {
  const owner = await testStack.newOwner(2);
  testStack.stack.stream.resume();
  testStack.stack.queues.resume();
  await owner.createInvoices(3);
  await waitUntil('all messages have arrived', () => receivedBy(owner) === 6);
  await waitUntil('all attempts are recorded', () => areRecorded(owner));
  await testStack.runToEnd(owner);
  expect(receivedBy(owner)).toBe(6);
});

test('the sweep relays the events of ten minutes without the stream, and the stream does not repeat them later', async () => {
  const owner = await testStack.newOwner(2);
  const { stack, clock } = testStack;
  stack.queues.resume();
  for (let minute = 0; minute < 10; minute++) {
    await owner.createInvoices(1);
    clock.advance(minuteMs);
    await stack.schedule.run();
  }
  clock.advance(minuteMs);
  await stack.schedule.run();
  await waitUntil('all messages have arrived', () => receivedBy(owner) >= 20);
  await waitUntil('all attempts are recorded', () => areRecorded(owner));
  stack.stream.resume();
  await owner.createInvoices(1);
  await waitUntil('the later messages have arrived', () => receivedBy(owner) === 22);
  await waitUntil('all attempts are recorded', () => areRecorded(owner));
  expect(await testStack.runToEnd(owner)).toHaveLength(22);
  expect(receivedBy(owner)).toBe(22);
});

test('the sweep sends all timers again after a queue with 1,000 messages is purged', async () => {
  const owner = await testStack.newOwner(20);
  const { stack, clock } = testStack;
  await owner.createInvoices(50);
  await testStack.relay(owner);
  expect(await messagesWaiting()).toBe(1000);
  await purgeQueues(stack);
  expect(await messagesWaiting()).toBe(0);
  clock.advance(3 * minuteMs);
  await stack.schedule.run();
  expect(await messagesWaiting()).toBe(1000);
  stack.queues.resume();
  await waitUntil('all messages have arrived', () => receivedBy(owner) === 1000);
  await waitUntil('all attempts are recorded', async () => (await owner.timers()).length === 0);
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.filter(({ status }) => status === 'succeeded')).toHaveLength(1000);
});

test('waiting retries are not lost if the queue is purged repeatedly and no sweep runs for hours', async () => {
  const owner = await testStack.newOwner(3);
  const { stack, clock, receiver } = testStack;
  receiver.respondWith(() => ({ status: 500 }));
  await owner.createInvoices(4);
  await testStack.relay(owner);
  await testStack.handleDue(owner);
  for (let time = 0; time < 5; time++) {
    clock.advance(3 * minuteMs);
    await stack.schedule.run();
    await purgeQueues(stack);
  }
  clock.advance(5 * 60 * minuteMs);
  receiver.respondWith();
  stack.queues.resume();
  await stack.schedule.run();
  await waitUntil('all attempts are recorded', async () => (await owner.timers()).length === 0);
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.map(({ status, tries }) => [status, tries])).toEqual(Array(12).fill(['succeeded', 1]));
});

/** Returns outbox items, each with one index entry, oldest first. With an unknown status they cannot be relayed. */
function newOutboxItems({ owner }: WebhookOwner, count: number, status: string): TestItem[] {
  const [account = ''] = owner.split('#');
  const at = testStack.clock.now();
  return Array.from({ length: count }, (_, index) => {
    const indexEntries = [
      { resource: 'invoice', seq: index + 1, filterKeys: [], status },
    ] as unknown as IndexEntry[];
    const followUps = { indexEntries, events: [], timers: [] };
    return { ...toOutboxItem({ account, mode: 'test' }, `item-${index}`, at + index, followUps) };
  });
}

const countIndexEntries = async ({ owner }: WebhookOwner) =>
  (await testStack.table.all(`INDEX#${owner}`)).reduce((sum, page) => sum + page.c.size, 0);

test('a sweep relays 1,000 items behind 30 bad ones in one shard, and retries the bad ones at growing intervals', async () => {
  const owner = await testStack.newOwner(0);
  const { stack, clock, table } = testStack;
  const remaining = async () => (await table.outboxOf(owner.owner)).map(({ sk }) => sk);
  const badItems = newOutboxItems(owner, 30, 'unknown');
  clock.advance(30);
  await table.putAll([...badItems, ...newOutboxItems(owner, 1000, 'pending')]);
  clock.advance(minuteMs + 1000);
  await expect(stack.schedule.run()).rejects.toThrow();
  expect(await remaining()).toEqual(badItems.map(({ sk }) => sk));
  expect(await countIndexEntries(owner)).toBe(1000);
  for (const minutes of [1, 2, 4, 8, 15, 15]) {
    clock.advance(minutes * minuteMs - 1);
    await stack.schedule.run();
    clock.advance(1);
    await expect(stack.schedule.run()).rejects.toThrow();
  }
  const items = await table.outboxOf(owner.owner);
  expect(items).toHaveLength(30);
  const indexEntries = newOutboxItems(owner, 1, 'pending')[0]?.indexEntries;
  await table.putAll(items.map((item) => ({ ...item, indexEntries })));
  clock.advance(15 * minuteMs);
  await stack.schedule.run();
  expect(await remaining()).toEqual([]);
});

test('a sweep whose time is over leaves the rest to the next one', async () => {
  const owner = await testStack.newOwner(0);
  const { stack, clock, table } = testStack;
  await table.putAll(newOutboxItems(owner, 60, 'pending'));
  clock.advance(2 * minuteMs);
  const { now } = performance;
  // Relaying takes so long that the sweep's time is over when its first items are done.
  let relayingMs = 0;
  performance.now = () => now.call(performance) + relayingMs;
  const interception = interceptCalls((call, send) => {
    if (call.operation === 'BatchWriteItem' && call.body.includes('OUTBOX#')) relayingMs = 46_000;
    return send();
  });
  await stack.schedule.run().finally(() => {
    performance.now = now;
    interception.remove();
  });
  expect(await table.outboxOf(owner.owner)).toHaveLength(11);
  await stack.schedule.run();
  expect(await table.outboxOf(owner.owner)).toEqual([]);
  expect(await countIndexEntries(owner)).toBe(60);
});
