import { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { purgeQueues } from '../support/purge-queues.ts';
import { waitUntil } from '../support/wait-until.ts';
import { waiting } from '../support/webhook-background.ts';
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
