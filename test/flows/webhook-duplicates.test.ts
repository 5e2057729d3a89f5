/** Tests repeated and unreadable messages: an event has one recorded result, and a bad message fails alone. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { tableKeys } from '../../shared/store/keys.ts';
import type { TestItem } from '../support/table.ts';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';
import { handleMessages, relayItems, toMessageBody } from '../support/webhook-workers.ts';

let testStack: WebhookTestStack;

beforeAll(async () => {
  testStack = await startWebhookTestStack();
});
afterEach(() => testStack.receiver.respondWith());
afterAll(() => testStack.close());

/** Creates an owner with one endpoint and one relayed event. Returns the message of its delivery, too. */
async function newDeliveryMessage() {
  const owner = await testStack.newOwner();
  await owner.createInvoices(1);
  await relayItems(await testStack.table.outboxOf(owner.owner));
  const [timer] = (await owner.timers()) as [TestItem];
  const [endpoint] = owner.endpoints as [(typeof owner.endpoints)[0]];
  return { owner, endpoint, timer, message: toMessageBody(timer) };
}

const fiveTimes = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 5 }, work));
const receivedBy = ({ endpoints: [endpoint] }: WebhookOwner) =>
  testStack.receiver.receivedAt(endpoint?.path ?? '');

/** Each response waits for five requests, so that all are in progress together. */
function respondToFiveTogether(owner: WebhookOwner, status: number): void {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  testStack.receiver.respondWith(async () => {
    if (receivedBy(owner).length === 5) resolve();
    await all;
    return { status };
  });
}

test('a message that is handled five times concurrently has one recorded result, and all sent messages are equal', async () => {
  const { owner, message } = await newDeliveryMessage();
  respondToFiveTogether(owner, 200);
  await fiveTimes(() => handleMessages('webhook', [message]));
  const [delivery, ...others] = await testStack.runToEnd(owner);
  expect([delivery?.status, delivery?.attempts.length, others]).toEqual(['succeeded', 1, []]);
  const messages = receivedBy(owner);
  expect(messages).toHaveLength(5);
  expect(new Set(messages.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
});

test('a message that is handled five times concurrently and fails counts as one attempt, with one next attempt', async () => {
  const { owner, message } = await newDeliveryMessage();
  respondToFiveTogether(owner, 500);
  await fiveTimes(() => handleMessages('webhook', [message]));
  const [delivery] = await owner.deliveries();
  expect(delivery).toMatchObject({ status: 'pending', tries: 1, attempts: [{ number: 1, status: 500 }] });
  expect((await owner.timers()).map(({ due }) => due)).toEqual([delivery?.nextAttemptAt]);
  testStack.receiver.respondWith();
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded', tries: 1 }]);
});

test('a message that is handled five times in sequence is sent once', async () => {
  const { owner, message } = await newDeliveryMessage();
  for (let time = 0; time < 5; time++) await handleMessages('webhook', [message]);
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded', attempts: [{ number: 1 }] }]);
  expect(receivedBy(owner)).toHaveLength(1);
});

test('with different responses to concurrent attempts, a success is final in any order', async () => {
  const { owner, message } = await newDeliveryMessage();
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const statuses = [500, 429, 200, 404, 503];
  let requests = 0;
  testStack.receiver.respondWith(async () => {
    const status = statuses[requests++] ?? 200;
    if (requests === 5) resolve();
    await all;
    return { status };
  });
  await fiveTimes(() => handleMessages('webhook', [message]));
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
  expect(receivedBy(owner)).toHaveLength(5);
});

test('a message that is repeated while a retry waits causes no attempt and does not change the retry', async () => {
  const { owner, endpoint, message } = await newDeliveryMessage();
  testStack.receiver.respondWith(() => ({ status: 500 }));
  await handleMessages('webhook', [message]);
  await handleMessages('webhook', [message, message]);
  // The message of the retry arrives early, as from an instance with a fast clock.
  const [timer] = (await owner.timers()) as [TestItem];
  await handleMessages('webhook', [toMessageBody(timer)]);
  await handleMessages('webhook', [toMessageBody(timer)]);
  expect(testStack.receiver.receivedAt(endpoint.path)).toHaveLength(1);
  expect(await owner.timers()).toMatchObject([{ due: timer.due }]);
  testStack.receiver.respondWith();
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
});

test('an outbox item that is relayed five times concurrently, and again, causes one event and one delivery', async () => {
  const owner = await testStack.newOwner(3);
  await owner.createInvoices(1);
  const items = await testStack.table.outboxOf(owner.owner);
  await fiveTimes(() => relayItems(items));
  await testStack.handleDue(owner);
  await relayItems(items);
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(3).fill('succeeded'));
  expect(receivedBy(owner)).toHaveLength(1);
});

/** Delays the response to the next message until the test calls `respond`. */
function delayNextResponse() {
  const arrived = Promise.withResolvers<void>();
  const response = Promise.withResolvers<{ status: number }>();
  let count = 0;
  testStack.receiver.respondWith(() => {
    if (count++ > 0) return { status: 500 };
    arrived.resolve();
    return response.promise;
  });
  return { arrived: arrived.promise, respond: (status: number) => response.resolve({ status }) };
}

test.each([
  ['succeeds', 200, 'succeeded'],
  ['fails', 500, 'pending'],
  ['responds 410', 410, 'pending'],
] as const)(
  'a redelivery fails during a scheduled attempt that %s: the delivery keeps its timer until it ends',
  async (_, status, next) => {
    const { owner, endpoint, message } = await newDeliveryMessage();
    const { arrived, respond } = delayNextResponse();
    const attempt = handleMessages('webhook', [message]);
    await arrived;
    const [delivery] = (await owner.deliveries()) as [TestItem];
    const path = `/api/webhooks/${endpoint.id}/deliveries/${delivery.sk}/redeliver`;
    expect((await owner.api.post(path)).json.status).toBe('pending');
    respond(status);
    await attempt;
    expect((await owner.deliveries())[0]?.status).toBe(next);
    testStack.receiver.respondWith();
    const ends = { succeeded: 'succeeded', pending: status === 410 ? 'skipped' : 'succeeded' };
    expect(await testStack.runToEnd(owner)).toMatchObject([{ status: ends[next] }]);
  },
);

/**
 * Creates a message that cannot be handled, because the endpoint's secret cannot be decrypted. `repair` restores it.
 */
async function newPoisonMessage(): Promise<{
  owner: WebhookOwner;
  message: string;
  repair: () => Promise<unknown>;
}> {
  const { owner, endpoint, message } = await newDeliveryMessage();
  const [account = ''] = owner.owner.split('#');
  const item = (await testStack.table.get(
    tableKeys.webhook({ account, mode: 'test' }, endpoint.id),
  )) as TestItem;
  await testStack.table.put({ ...item, secrets: [{ ciphertext: '1:unreadable' }] });
  return { owner, message, repair: () => testStack.table.put(item) };
}

test('a message of a recovery that is repeated after its end restarts nothing that was missed since', async () => {
  const owner = await testStack.newOwner();
  const id = owner.endpoints[0]?.id;
  const setStatus = (status: string) => owner.api.patch(`/api/webhooks/${id}`, { status });
  const missEvents = async () => {
    await setStatus('disabled');
    await owner.createInvoices(55);
    await testStack.relay(owner);
    await setStatus('enabled');
  };
  await missEvents();
  const since = new Date(testStack.clock.now() - 3_600_000).toISOString();
  expect((await owner.api.post(`/api/webhooks/${id}/recover`, { since })).status).toBe(200);
  await testStack.relay(owner);
  const messages: string[] = [];
  // The recovery has two parts.
  for (const part of [1, 2]) {
    const timers = (await owner.timers()).filter(({ kind }) => kind === 'recovery');
    expect(timers).toHaveLength(1);
    messages.push(...timers.map(toMessageBody));
    expect(await handleMessages('recovery', messages.slice(-1))).toEqual({ crashed: false, failed: [] });
    // A message that is repeated before the last part is done leads to nothing more.
    if (part === 1) await handleMessages('recovery', messages);
  }
  const delivered = await testStack.runToEnd(owner);
  expect(delivered.map(({ status }) => status)).toEqual(Array(55).fill('succeeded'));
  await missEvents();
  for (const message of messages)
    expect(await handleMessages('recovery', [message])).toEqual({ crashed: false, failed: [] });
  expect(await owner.timers()).toEqual([]);
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.filter(({ status }) => status === 'skipped')).toHaveLength(55);
  expect(owner.messagesTo(0)).toHaveLength(55);
});

test('bad messages in a batch of 100 fail alone: the other 98 are delivered, and a repaired one later', async () => {
  const { owner: poisoned, message, repair } = await newPoisonMessage();
  const owner = await testStack.newOwner(14);
  await owner.createInvoices(7);
  await testStack.relay(owner);
  const messages = (await owner.timers()).map(toMessageBody);
  expect(messages).toHaveLength(98);
  const batch = [...messages.slice(0, 40), message, ...messages.slice(40), '{'];
  // The last message cannot be read, so it is set aside.
  expect(await handleMessages('webhook', batch)).toEqual({ crashed: false, failed: [40] });
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(98).fill('succeeded'));
  // The failure is not the endpoint's, so it is never counted as an attempt.
  for (let time = 0; time < 4; time++) {
    expect(await handleMessages('webhook', [message])).toEqual({ crashed: false, failed: [0] });
  }
  expect(receivedBy(poisoned)).toEqual([]);
  await repair();
  expect(await testStack.runToEnd(poisoned)).toMatchObject([
    { status: 'succeeded', attempts: [{ number: 1 }] },
  ]);
});

test('a bad item in a batch of 100 outbox items fails alone, in the stream and in the sweep', async () => {
  const owner = await testStack.newOwner(2);
  await owner.createInvoices(99);
  // Without the items of the endpoints, which have no events.
  const items = (await testStack.table.outboxOf(owner.owner)).filter(({ events }) => events.length > 0);
  const [account = ''] = owner.owner.split('#');
  const { pk } = tableKeys.outbox({ account, mode: 'test' }, 0, '');
  // Without the attribute of its status, no version can add the entry to an index page.
  const { set: _, ...entry } = items[0]?.indexEntries[0] ?? {};
  const indexEntries = [{ ...entry, status: 'unknown' }];
  const broken = { ...items[0], pk, sk: `${'0'.repeat(15)}#broken`, indexEntries } as TestItem;
  await testStack.table.put(broken);
  const waiting = async () =>
    (await testStack.table.outboxOf(owner.owner)).filter(({ sk }) => sk !== broken.sk);
  const batch = [...items.slice(0, 20), broken, ...items.slice(20, 60)];
  expect(await relayItems(batch)).toEqual({ crashed: false, failed: [20] });
  expect((await waiting()).filter(({ events }) => events.length > 0)).toHaveLength(39);
  // Each sweep reads the bad item first.
  testStack.clock.advance(60_001);
  while ((await waiting()).length > 0) {
    await expect(testStack.stack.schedule.run()).rejects.toThrow('unknown');
    testStack.clock.advance(60_001);
  }
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(2 * 99).fill('succeeded'));
  expect(await testStack.table.all(pk)).toMatchObject([{ sk: broken.sk }]);
  await testStack.table.delete(broken as { pk: string; sk: string });
});
