import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { toOutboxItem } from '../../shared/store/outbox.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import type { TestItem } from '../support/table.ts';
import { waiting } from '../support/unreliable-background.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookStand, type WebhookOwner, type WebhookStand } from '../support/webhook-stand.ts';

const minuteMs = 60_000;

let stand: WebhookStand;
let sqs: SQSClient;

beforeAll(async () => {
  stand = await startWebhookStand();
  sqs = new SQSClient({ endpoint: stand.stack.sqsEndpoint, region: 'us-east-1' });
});
afterEach(async () => {
  await Promise.all([stand.stack.stream.pause(), stand.stack.queues.pause()]);
});
afterAll(async () => {
  sqs.destroy();
  await stand.close();
});

const receivedBy = ({ endpoints }: WebhookOwner) =>
  endpoints.reduce((sum, { path }) => sum + stand.receiver.receivedAt(path).length, 0);
const messagesWaiting = () => waiting(sqs, stand.stack);

test('a change reaches its receivers by stream and queue alone, without a sweep', async () => {
  const owner = await stand.newOwner(2);
  stand.stack.stream.resume();
  stand.stack.queues.resume();
  await owner.createInvoices(3);
  await waitUntil('all have come', () => receivedBy(owner) === 6);
  await waitUntil('nothing is left to do', async () => (await owner.timers()).length === 0);
  await stand.rest(owner);
  expect(receivedBy(owner)).toBe(6);
});

test('the stream is silent for ten minutes: what happened meanwhile comes by the sweep, and once the stream is back nothing comes twice', async () => {
  const owner = await stand.newOwner(2);
  const { stack, clock } = stand;
  stack.queues.resume();
  for (let minute = 0; minute < 10; minute++) {
    await owner.createInvoices(1);
    clock.advance(minuteMs);
    await stack.schedule.run();
  }
  clock.advance(minuteMs);
  await stack.schedule.run();
  await waitUntil('all have come', () => receivedBy(owner) >= 20);
  await waitUntil('nothing is left to do', async () => (await owner.timers()).length === 0);
  stack.stream.resume();
  await owner.createInvoices(1);
  await waitUntil('what came after has come', () => receivedBy(owner) === 22);
  await waitUntil('all is recorded', async () => (await owner.timers()).length === 0);
  expect(await stand.rest(owner)).toHaveLength(22);
  expect(receivedBy(owner)).toBe(22);
});

test('the queue is purged with 1,000 messages in it: the watchdogs bring all of them', async () => {
  const owner = await stand.newOwner(20);
  const { stack, clock } = stand;
  await owner.createInvoices(50);
  await stand.publish(owner);
  expect(await messagesWaiting()).toBe(1000);
  await purgeQueues(stack);
  expect(await messagesWaiting()).toBe(0);
  clock.advance(3 * minuteMs);
  await stack.schedule.run();
  expect(await messagesWaiting()).toBe(1000);
  stack.queues.resume();
  await waitUntil('all have come', () => receivedBy(owner) === 1000);
  await waitUntil('all is recorded', async () => (await owner.timers()).length === 0);
  const deliveries = await stand.rest(owner);
  expect(deliveries.filter(({ status }) => status === 'succeeded')).toHaveLength(1000);
});

test('the queue is purged again and again, and no sweep runs for hours: retries that wait are not lost either', async () => {
  const owner = await stand.newOwner(3);
  const { stack, clock, receiver } = stand;
  receiver.answer(() => ({ status: 500 }));
  await owner.createInvoices(4);
  await stand.publish(owner);
  await stand.handleDue(owner);
  for (let time = 0; time < 5; time++) {
    clock.advance(3 * minuteMs);
    await stack.schedule.run();
    await purgeQueues(stack);
  }
  clock.advance(5 * 60 * minuteMs);
  receiver.answer();
  stack.queues.resume();
  await stack.schedule.run();
  await waitUntil('all is recorded', async () => (await owner.timers()).length === 0);
  const deliveries = await stand.rest(owner);
  expect(deliveries.map(({ status, tries }) => [status, tries])).toEqual(Array(12).fill(['succeeded', 1]));
});

/** Items of the outbox, one element each, oldest first; with a status that is none they cannot be published. */
function leftItems({ owner }: WebhookOwner, count: number, status: string): TestItem[] {
  const [account = ''] = owner.split('#');
  const at = stand.clock.now();
  return Array.from({ length: count }, (_, seq) => {
    const elements = [{ resource: 'invoice', seq, dimensions: [], status }] as const;
    const followUps = { elements, events: [], timers: [] };
    return { ...toOutboxItem({ account, mode: 'test' }, `item-${seq}`, at + seq, followUps) };
  });
}

const elementsOf = async ({ owner }: WebhookOwner) =>
  (await stand.table.all(`INDEX#${owner}`)).reduce((sum, page) => sum + page.c.size, 0);

test('30 items that cannot be published lie before 1,000 others in one shard: a sweep publishes those, and tries the 30 later and later', async () => {
  const owner = await stand.newOwner(0);
  const { stack, clock, table } = stand;
  const left = async () => (await table.outboxOf(owner.owner)).map(({ sk }) => sk);
  const poison = leftItems(owner, 30, 'unknown');
  clock.advance(30);
  await table.putAll([...poison, ...leftItems(owner, 1000, 'pending')]);
  clock.advance(minuteMs + 1000);
  await expect(stack.schedule.run()).rejects.toThrow();
  expect(await left()).toEqual(poison.map(({ sk }) => sk));
  expect(await elementsOf(owner)).toBe(1000);
  for (const minutes of [1, 2, 4, 8, 15, 15]) {
    clock.advance(minutes * minuteMs - 1);
    await stack.schedule.run();
    clock.advance(1);
    await expect(stack.schedule.run()).rejects.toThrow();
  }
  const items = await table.outboxOf(owner.owner);
  expect(items).toHaveLength(30);
  const elements = leftItems(owner, 1, 'pending')[0]?.elements;
  await table.putAll(items.map((item) => ({ ...item, elements })));
  clock.advance(15 * minuteMs);
  await stack.schedule.run();
  expect(await left()).toEqual([]);
});

test('a sweep whose time is up leaves the rest to the next one', async () => {
  const owner = await stand.newOwner(0);
  const { stack, clock, table } = stand;
  await table.putAll(leftItems(owner, 60, 'pending'));
  clock.advance(2 * minuteMs);
  const { now } = performance;
  let hours = 0;
  performance.now = () => now.call(performance) + 60 * minuteMs * hours++;
  await stack.schedule.run().finally(() => {
    performance.now = now;
  });
  expect(await table.outboxOf(owner.owner)).toHaveLength(35);
  await stack.schedule.run();
  expect(await table.outboxOf(owner.owner)).toEqual([]);
  expect(await elementsOf(owner)).toBe(60);
});
