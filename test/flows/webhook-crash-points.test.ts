/** Tests crashes of the webhook workers at every call: each event is still delivered. */

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { ScriptedFault } from '../support/fault-layer.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import type { TestItem } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { MessageResponse } from '../support/webhook-receiver.ts';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';
import { handleMessages, relayItems, toMessageBody } from '../support/webhook-workers.ts';

const minuteMs = 60_000;

let testStack: WebhookTestStack;

beforeAll(async () => {
  testStack = await startWebhookTestStack();
});
afterEach(() => testStack.receiver.respondWith());
afterAll(() => testStack.close());

let count = 0;

/** Returns labels of invocations that crash: each at the next point, which is before a call or after it. */
function crashingLabels(number: number): string[] {
  return Array.from({ length: number }, (_, index) => {
    const label = `crashing-${count++}`;
    const fault: ScriptedFault = index % 2 === 0 ? 'crash before call' : 'crash after call';
    testStack.crashes.set(label, { at: Math.floor(index / 2), fault });
    return label;
  });
}

const statuses = (deliveries: readonly TestItem[]) => deliveries.map(({ status }) => status);

/** The relay of an invoice makes between this many calls and that many. Relays at the same time append again and again. */
const fewerThanCalls = 6;
const moreThanCalls = 16;

test('the relay crashes at any call: the sweep relays the rest, and each event reaches each endpoint', async () => {
  const owner = await testStack.newOwner(2);
  await owner.createInvoices(2 * moreThanCalls);
  const items = await testStack.table.outboxOf(owner.owner);
  const labels = crashingLabels(items.length);
  let crashes = 0;
  for (const [index, item] of items.entries())
    if ((await relayItems([item], labels[index])).crashed) crashes += 1;
  // The last of them completed, so there was a crash at each call.
  expect(crashes).toBeLessThan(items.length);
  expect(crashes).toBeGreaterThan(2 * fewerThanCalls);
  testStack.clock.advance(minuteMs + 1);
  while ((await testStack.table.outboxOf(owner.owner)).length > 0) {
    await testStack.stack.schedule.run();
    testStack.clock.advance(minuteMs + 1);
  }
  const deliveries = await testStack.runToEnd(owner);
  expect(statuses(deliveries)).toEqual(Array(2 * items.length).fill('succeeded'));
  expect(await testStack.table.all(`EVENTS#${owner.owner}`)).toHaveLength(items.length);
});

test('the relay crashes after a delivery, and the endpoint unsubscribes before the sweep: the delivery still ends', async () => {
  const owner = await testStack.newOwner(2);
  /** Relays a new invoice, and crashes after a call. Returns whether that left a delivery and the outbox item. */
  const crashAfter = async (at: number): Promise<boolean> => {
    await owner.createInvoices(1);
    const [item] = (await testStack.table.outboxOf(owner.owner)) as [TestItem];
    const label = `relay-after-${count++}`;
    testStack.crashes.set(label, { at, fault: 'crash after call' });
    expect(await relayItems([item], label)).toMatchObject({ crashed: true });
    const stored = (await owner.deliveries()).map(({ eventId }) => eventId);
    return item.events.some(({ id }: TestItem) => stored.includes(id)) && (await isLeft());
  };
  const isLeft = async () => (await testStack.table.outboxOf(owner.owner)).length > 0;
  const sweep = () => {
    testStack.clock.advance(minuteMs + 1);
    return testStack.stack.schedule.run();
  };
  for (let at = 0; !(await crashAfter(at)); at++) await sweep();
  for (const { id } of owner.endpoints)
    await owner.api.patch(`/api/webhooks/${id}`, { events: ['refund.failed'] });
  await sweep();
  expect(await testStack.table.outboxOf(owner.owner)).toEqual([]);
  const deliveries = await testStack.runToEnd({ ...owner, endpoints: [] });
  expect(deliveries.length).toBeGreaterThan(0);
  expect(new Set(statuses(deliveries))).toEqual(new Set(['succeeded']));
});

/** A situation that a dispatcher handles. */
interface DispatchCase {
  readonly situation: string;
  /** The number of calls that the dispatcher makes. */
  readonly calls: number;
  readonly response: MessageResponse;
  /** Prepares the deliveries. */
  readonly prepare?: (owner: WebhookOwner) => Promise<unknown>;
  /** The possible final statuses of the deliveries. */
  readonly finalStatuses: readonly string[];
  /** The final status of the endpoints. */
  readonly endpointStatus?: string;
  /** The largest number of attempts, with all crashes. */
  readonly maxAttempts: number;
}

const ok: MessageResponse = { status: 200 };
const unavailable: MessageResponse = { status: 500, body: 'later' };

async function failOnce(owner: WebhookOwner): Promise<void> {
  testStack.receiver.respondWith(() => unavailable);
  await testStack.handleDue(owner);
  testStack.clock.advance(6_001);
}

async function disable({ api, endpoints }: WebhookOwner): Promise<void> {
  const disabled = { status: 'disabled' };
  for (const { id } of endpoints) await api.patch(`/api/webhooks/${id}`, disabled);
}

const cases: readonly DispatchCase[] = [
  {
    situation: 'a delivery succeeds',
    calls: 2,
    response: ok,
    finalStatuses: ['succeeded'],
    maxAttempts: 2,
  },
  {
    situation: 'a delivery succeeds after a failure, and the health is deleted',
    calls: 3,
    response: ok,
    prepare: failOnce,
    finalStatuses: ['succeeded'],
    maxAttempts: 3,
  },
  {
    situation: 'a delivery fails and is retried',
    // One of them reads the clock of test mode.
    calls: 6,
    response: unavailable,
    finalStatuses: ['succeeded'],
    maxAttempts: 4,
  },
  {
    situation: 'an endpoint responds 410',
    calls: 4,
    response: { status: 410 },
    finalStatuses: ['failed', 'skipped'],
    endpointStatus: 'disabled',
    maxAttempts: 2,
  },
  {
    situation: 'a delivery to a disabled endpoint is skipped',
    calls: 2,
    response: ok,
    prepare: disable,
    finalStatuses: ['skipped'],
    endpointStatus: 'disabled',
    maxAttempts: 0,
  },
];

test.each(cases)(
  'the dispatcher crashes at any call while $situation: a repeated message or its timer leads to the same end',
  async ({ calls, response, prepare, finalStatuses, endpointStatus = 'enabled', maxAttempts }) => {
    const owner = await testStack.newOwner(2 * (calls + 1));
    await owner.createInvoices(1);
    await testStack.relay(owner);
    await prepare?.(owner);
    testStack.receiver.respondWith(() => response);
    const timers = await owner.timers();
    expect(timers).toHaveLength(owner.endpoints.length);
    const labels = crashingLabels(timers.length);
    const runs = await Promise.all(
      timers.map(async (timer, index) => {
        const messages = [toMessageBody(timer)];
        const run = await handleMessages('webhook', messages, labels[index]);
        if (index % 4 < 2) await handleMessages('webhook', messages);
        return run;
      }),
    );
    expect(runs.map(({ crashed }) => crashed)).toEqual(timers.map((_, index) => index < 2 * calls));
    // The work of the crashed dispatchers is due by now.
    testStack.clock.advance(6_001);
    await testStack.handleDue(owner);
    if (response === unavailable) testStack.receiver.respondWith();
    const deliveries = await testStack.runToEnd(owner);
    expect(deliveries).toHaveLength(owner.endpoints.length);
    expect(finalStatuses).toEqual(expect.arrayContaining([...new Set(statuses(deliveries))]));
    for (const { path } of owner.endpoints) {
      expect(testStack.receiver.receivedAt(path).length).toBeLessThanOrEqual(maxAttempts);
    }
    const { data } = (await owner.api.get('/api/webhooks?limit=100')).json;
    expect(new Set(data.map(({ status }: { status: string }) => status))).toEqual(new Set([endpointStatus]));
  },
);

test('the dispatcher crashes after the response 200 and before recording it: the same event is sent again and recorded once', async () => {
  const owner = await testStack.newOwner();
  await owner.createInvoices(1);
  await testStack.relay(owner);
  const [timer] = (await owner.timers()) as [TestItem];
  testStack.crashes.set('after the response', { at: 'TransactWriteItems', fault: 'crash before call' });
  expect((await handleMessages('webhook', [toMessageBody(timer)], 'after the response')).crashed).toBe(true);
  expect(await owner.deliveries()).toMatchObject([{ status: 'pending', attempts: [] }]);
  // The message is lost. The sweep sends the one of the timer again.
  await purgeQueues(testStack.stack);
  testStack.clock.advance(3 * minuteMs);
  await testStack.stack.schedule.run();
  testStack.stack.queues.resume();
  await waitUntil('the attempt is recorded', async () => (await owner.timers()).length === 0);
  await testStack.stack.queues.pause();
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded', attempts: [{ number: 1 }] }]);
  const messages = testStack.receiver.receivedAt(owner.endpoints[0]?.path ?? '');
  expect(messages).toHaveLength(2);
  expect(new Set(messages.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
});

/** Creates an owner with enabled endpoints that each missed `count` events. */
async function newOwnerWithMissedEvents(endpoints: number, count: number): Promise<WebhookOwner> {
  const owner = await testStack.newOwner(endpoints);
  await disable(owner);
  await owner.createInvoices(count);
  await testStack.relay(owner);
  for (const { id } of owner.endpoints) await owner.api.patch(`/api/webhooks/${id}`, { status: 'enabled' });
  expect(statuses(await owner.deliveries())).toEqual(Array(endpoints * count).fill('skipped'));
  return owner;
}

async function startRecovery(owner: WebhookOwner): Promise<void> {
  const since = { since: new Date(testStack.clock.now() - 60 * minuteMs).toISOString() };
  for (const { id } of owner.endpoints) {
    expect((await owner.api.post(`/api/webhooks/${id}/recover`, since)).status).toBe(200);
  }
  await testStack.relay(owner);
}

test('the recovery worker crashes at any call: all missed events are delivered', async () => {
  // Timer, endpoint and deliveries; timer, mark, delivery and message; the timer of the recovery.
  const calls = 8;
  const owner = await newOwnerWithMissedEvents(2 * (calls + 1), 1);
  await startRecovery(owner);
  const timers = await owner.timers();
  expect(timers.map(({ kind }) => kind)).toEqual(Array(owner.endpoints.length).fill('recovery'));
  const labels = crashingLabels(timers.length);
  const runs = await Promise.all(
    timers.map((timer, index) => handleMessages('recovery', [toMessageBody(timer)], labels[index])),
  );
  expect(runs.map(({ crashed }) => crashed)).toEqual(timers.map((_, index) => index < 2 * calls));
  expect(statuses(await testStack.runToEnd(owner))).toEqual(Array(owner.endpoints.length).fill('succeeded'));
});

test('the recovery worker crashes between two messages of a long list: the recovery continues to the end', async () => {
  const missed = 55;
  const owner = await newOwnerWithMissedEvents(2, missed);
  await startRecovery(owner);
  const [first, second] = (await owner.timers()) as [TestItem, TestItem];
  // Timer, endpoint and deliveries; four calls for each of 50 deliveries; timer, mark and message of the next part; the end.
  const calls = 3 + 50 * 4 + 4;
  testStack.crashes.set('before the next part', { at: calls - 4, fault: 'crash before call' });
  testStack.crashes.set('before its own end', { at: calls - 1, fault: 'crash before call' });
  const runs = [
    await handleMessages('recovery', [toMessageBody(first)], 'before the next part'),
    await handleMessages('recovery', [toMessageBody(second)], 'before its own end'),
  ];
  expect(runs.map(({ crashed }) => crashed)).toEqual([true, true]);
  expect(statuses(await testStack.runToEnd(owner))).toEqual(Array(2 * missed).fill('succeeded'));
});

test('the recovery worker crashes, and its endpoint is disabled before the retry: restarted deliveries still end', async () => {
  const calls = 8;
  const owner = await newOwnerWithMissedEvents(2 * calls, 1);
  await startRecovery(owner);
  const timers = await owner.timers();
  const labels = crashingLabels(timers.length);
  await Promise.all(
    timers.map((timer, index) => handleMessages('recovery', [toMessageBody(timer)], labels[index])),
  );
  await disable(owner);
  expect(statuses(await testStack.runToEnd(owner))).toEqual(Array(owner.endpoints.length).fill('skipped'));
});
