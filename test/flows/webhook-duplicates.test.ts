import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { keys, outboxPartition } from '../../shared/store/keys.ts';
import type { TestItem } from '../support/table.ts';
import { startWebhookStand, type WebhookOwner, type WebhookStand } from '../support/webhook-stand.ts';
import { handleMessages, messageOf, publishItems } from '../support/webhook-workers.ts';

let stand: WebhookStand;

beforeAll(async () => {
  stand = await startWebhookStand();
});
afterEach(() => stand.receiver.answer());
afterAll(() => stand.close());

/** An owner with one endpoint and one event, published; with its delivery's message. */
async function oneDelivery() {
  const owner = await stand.newOwner();
  await owner.createInvoices(1);
  await stand.publish(owner);
  const [timer] = (await owner.timers()) as [TestItem];
  const [endpoint] = owner.endpoints as [(typeof owner.endpoints)[0]];
  return { owner, endpoint, timer, message: messageOf(timer) };
}

const fiveTimes = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 5 }, work));
const receivedBy = ({ endpoints: [endpoint] }: WebhookOwner) =>
  stand.receiver.receivedAt(endpoint?.path ?? '');

test('a message delivered five times at once has one recorded outcome, and each message the same id and bytes', async () => {
  const { owner, message } = await oneDelivery();
  // Each waits for the others, so that all are under way at once.
  const { promise: all, resolve } = Promise.withResolvers<void>();
  stand.receiver.answer(async () => {
    if (receivedBy(owner).length === 5) resolve();
    await all;
    return { status: 200 };
  });
  await fiveTimes(() => handleMessages('webhook', [message]));
  const [delivery, ...others] = await stand.rest(owner);
  expect([delivery?.status, delivery?.attempts.length, others]).toEqual(['succeeded', 1, []]);
  const messages = receivedBy(owner);
  expect(messages).toHaveLength(5);
  expect(new Set(messages.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
});

test('a message delivered five times at once to a receiver that fails counts as one attempt, with one next one', async () => {
  const { owner, message } = await oneDelivery();
  const { promise: all, resolve } = Promise.withResolvers<void>();
  stand.receiver.answer(async () => {
    if (receivedBy(owner).length === 5) resolve();
    await all;
    return { status: 500 };
  });
  await fiveTimes(() => handleMessages('webhook', [message]));
  const [delivery] = await owner.deliveries();
  expect(delivery).toMatchObject({ status: 'pending', tries: 1, attempts: [{ number: 1, status: 500 }] });
  expect((await owner.timers()).map(({ due }) => due)).toEqual([delivery?.nextAttemptAt]);
  stand.receiver.answer();
  expect(await stand.rest(owner)).toMatchObject([{ status: 'succeeded', tries: 1 }]);
});

test('a message delivered five times in sequence is sent once', async () => {
  const { owner, message } = await oneDelivery();
  for (let time = 0; time < 5; time++) await handleMessages('webhook', [message]);
  expect(await stand.rest(owner)).toMatchObject([{ status: 'succeeded', attempts: [{ number: 1 }] }]);
  expect(receivedBy(owner)).toHaveLength(1);
});

test('a receiver that answers differently to what it got at once: a success stands, in whatever order', async () => {
  const { owner, message } = await oneDelivery();
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const statuses = [500, 429, 200, 404, 503];
  let place = 0;
  stand.receiver.answer(async () => {
    const status = statuses[place++] ?? 200;
    if (place === 5) resolve();
    await all;
    return { status };
  });
  await fiveTimes(() => handleMessages('webhook', [message]));
  expect(await stand.rest(owner)).toMatchObject([{ status: 'succeeded' }]);
  expect(receivedBy(owner)).toHaveLength(5);
});

test('a message that comes again while a retry waits attempts nothing, and leaves the retry its timer', async () => {
  const { owner, endpoint, message } = await oneDelivery();
  stand.receiver.answer(() => ({ status: 500 }));
  await handleMessages('webhook', [message]);
  await handleMessages('webhook', [message, message]);
  // That of the retry itself comes early, as from an instance whose clock is ahead.
  const [timer] = (await owner.timers()) as [TestItem];
  await handleMessages('webhook', [messageOf(timer)]);
  await handleMessages('webhook', [messageOf(timer)]);
  expect(stand.receiver.receivedAt(endpoint.path)).toHaveLength(1);
  expect(await owner.timers()).toMatchObject([{ due: timer.due }]);
  stand.receiver.answer();
  expect(await stand.rest(owner)).toMatchObject([{ status: 'succeeded' }]);
});

test('an item of the outbox published five times at once, and again, makes one event and one delivery', async () => {
  const owner = await stand.newOwner(3);
  await owner.createInvoices(1);
  const items = await stand.table.outboxOf(owner.owner);
  await fiveTimes(() => publishItems(items));
  await stand.handleDue(owner);
  await publishItems(items);
  const deliveries = await stand.rest(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(3).fill('succeeded'));
  expect(receivedBy(owner)).toHaveLength(1);
});

/** Holds the answer to the next message back until it is told which it is. */
function held() {
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<{ status: number }>();
  let count = 0;
  stand.receiver.answer(() => {
    if (count++ > 0) return { status: 500 };
    arrived.resolve();
    return answer.promise;
  });
  return { arrived: arrived.promise, answer: (status: number) => answer.resolve({ status }) };
}

test.each([
  ['succeeds', 200, 'succeeded'],
  ['fails', 500, 'pending'],
  ['says that the endpoint is gone', 410, 'pending'],
] as const)(
  'an attempt on request fails while a scheduled one is under way that %s: the delivery keeps its timer until it ends',
  async (_, status, next) => {
    const { owner, endpoint, message } = await oneDelivery();
    const { arrived, answer } = held();
    const attempt = handleMessages('webhook', [message]);
    await arrived;
    const [delivery] = (await owner.deliveries()) as [TestItem];
    const path = `/api/webhooks/${endpoint.id}/deliveries/${delivery.sk}/redeliver`;
    expect((await owner.api.post(path)).json.status).toBe('pending');
    answer(status);
    await attempt;
    expect((await owner.deliveries())[0]?.status).toBe(next);
    stand.receiver.answer();
    const ends = { succeeded: 'succeeded', pending: status === 410 ? 'skipped' : 'succeeded' };
    expect(await stand.rest(owner)).toMatchObject([{ status: ends[next] }]);
  },
);

/** A message that can never be handled: its endpoint's secret cannot be read. */
async function poison(): Promise<{ owner: WebhookOwner; message: string; heal: () => Promise<unknown> }> {
  const { owner, endpoint, message } = await oneDelivery();
  const [account = ''] = owner.owner.split('#');
  const item = (await stand.table.get(keys.webhook({ account, mode: 'test' }, endpoint.id))) as TestItem;
  await stand.table.put({ ...item, secrets: [{ ciphertext: '1:unreadable' }] });
  return { owner, message, heal: () => stand.table.put(item) };
}

test('poison in a batch of 100 messages fails alone: the other 98 are delivered, and it is once it can be', async () => {
  const { owner: poisoned, message, heal } = await poison();
  const owner = await stand.newOwner(14);
  await owner.createInvoices(7);
  await stand.publish(owner);
  const messages = (await owner.timers()).map(messageOf);
  expect(messages).toHaveLength(98);
  const batch = [...messages.slice(0, 40), message, ...messages.slice(40), '{'];
  expect(await handleMessages('webhook', batch)).toEqual({ died: false, failed: [40, 99] });
  const deliveries = await stand.rest(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(98).fill('succeeded'));
  // It is our fault, not that of the endpoint: however often it fails, nothing is counted.
  for (let time = 0; time < 4; time++) {
    expect(await handleMessages('webhook', [message])).toEqual({ died: false, failed: [0] });
  }
  expect(receivedBy(poisoned)).toEqual([]);
  await heal();
  expect(await stand.rest(poisoned)).toMatchObject([{ status: 'succeeded', attempts: [{ number: 1 }] }]);
});

test('poison in a batch of 100 items of the outbox fails alone, in the stream and in the sweep', async () => {
  const owner = await stand.newOwner();
  await owner.createInvoices(99);
  const items = await stand.table.outboxOf(owner.owner);
  const [account = ''] = owner.owner.split('#');
  const { pk } = keys.outbox({ account, mode: 'test' }, 0, '');
  const elements = [{ ...items[0]?.elements[0], status: 'unknown' }];
  const broken = { ...items[0], pk, sk: `${'0'.repeat(15)}#broken`, elements } as TestItem;
  await stand.table.put(broken);
  const batch = [...items.slice(0, 20), broken, ...items.slice(20, 60)];
  expect(await publishItems(batch)).toEqual({ died: false, failed: [20] });
  expect(await stand.table.outboxOf(owner.owner)).toHaveLength(39);
  // The sweep comes upon it first each time.
  stand.clock.advance(60_001);
  while ((await stand.table.outboxOf(owner.owner)).length > 0) {
    await expect(stand.stack.schedule.run()).rejects.toThrow('unknown');
    stand.clock.advance(60_001);
  }
  const deliveries = await stand.rest(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(99).fill('succeeded'));
  expect(await stand.table.all(outboxPartition(Number(pk.split('#')[1])))).toMatchObject([{ sk: broken.sk }]);
  await stand.table.delete(broken as { pk: string; sk: string });
});
