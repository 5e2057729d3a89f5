/** Tests first messages that arrive before their deliveries are stored, because the relay sends them at the same time. */

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { interceptCalls } from '../support/intercept-calls.ts';
import { currentInvocation } from '../support/invocations.ts';
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

const minuteMs = 60_000;
let count = 0;
const statuses = (deliveries: readonly TestItem[]) => deliveries.map(({ status }) => status);

test('a first message arrives before its delivery is stored: the relay keeps the outcome, and nothing is sent again', async () => {
  for (const status of [200, 500]) {
    const owner = await testStack.newOwner();
    await owner.createInvoices(1);
    const items = await testStack.table.outboxOf(owner.owner);
    const message = await firstMessageOf(owner, items);
    testStack.receiver.respondWith(() => ({ status }));
    expect(await handleMessages('webhook', [message])).toEqual({ crashed: false, failed: [] });
    const [delivery] = await owner.deliveries();
    expect(delivery).toMatchObject({ version: 2, attempts: [{ number: 1, status }] });
    await relayItems(items);
    expect(await owner.deliveries()).toEqual([delivery]);
    testStack.receiver.respondWith();
    expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
    expect(owner.messagesTo(0)).toHaveLength(status === 200 ? 1 : 2);
  }
});

test('the dispatcher crashes at any call of a first message whose delivery is not stored: the event still arrives', async () => {
  const [read, record] = [0, 1];
  for (const at of [read, record]) {
    for (const fault of ['crash before call', 'crash after call'] as const) {
      const owner = await testStack.newOwner();
      await owner.createInvoices(1);
      const items = await testStack.table.outboxOf(owner.owner);
      const message = await firstMessageOf(owner, items);
      const label = `first message ${at} ${fault}`;
      testStack.crashes.set(label, { at, fault });
      expect((await handleMessages('webhook', [message], label)).crashed).toBe(true);
      await relayItems(items);
      await handleMessages('webhook', [message]);
      expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded', tries: 0 }]);
      expect(owner.messagesTo(0).length).toBeLessThanOrEqual(2);
    }
  }
});

test('the relay crashes after it stored the timer, and the endpoint unsubscribes: the timer alone leads to the attempt', async () => {
  for (const status of [200, 500]) {
    const owner = await testStack.newOwner();
    await owner.createInvoices(1);
    const items = await testStack.table.outboxOf(owner.owner);
    await firstMessageOf(owner, items);
    await owner.api.patch(`/api/webhooks/${owner.endpoints[0]?.id}`, { events: ['refund.failed'] });
    await relayItems(await testStack.table.outboxOf(owner.owner));
    expect(await owner.deliveries()).toEqual([]);
    // The first message is lost, and the sweep sends the message of the stored timer.
    testStack.clock.advance(3 * minuteMs);
    await testStack.stack.schedule.run();
    testStack.receiver.respondWith(() => ({ status }));
    const [timer = {}] = await owner.timers();
    expect(timer).toMatchObject({ sends: 2, first: { eventType: 'invoice.created' } });
    await handleMessages('webhook', [toMessageBody(timer)]);
    testStack.receiver.respondWith();
    expect(await testStack.runToEnd({ ...owner, endpoints: [] })).toMatchObject([{ status: 'succeeded' }]);
  }
});

test('an early first message, or one whose event has expired, does not lose the delivery or keep its timer', async () => {
  const owner = await testStack.newOwner();
  await owner.createInvoices(1);
  const items = await testStack.table.outboxOf(owner.owner);
  const message = JSON.parse(await firstMessageOf(owner, items));
  const due = testStack.clock.now() + minuteMs;
  const [timer = {}] = await owner.timers();
  await testStack.table.delete(timer as { pk: string; sk: string });
  expect(await handleMessages('webhook', [JSON.stringify({ ...message, due })])).toMatchObject({
    failed: [],
  });
  expect(await owner.timers()).toMatchObject([{ due, first: message.first }]);
  const [event] = await testStack.table.all(`EVENTS#${owner.owner}`);
  await testStack.table.delete(event as { pk: string; sk: string });
  testStack.clock.advance(31 * 24 * 60 * minuteMs);
  const [early = {}] = await owner.timers();
  expect(await handleMessages('webhook', [toMessageBody(early)])).toMatchObject({ failed: [] });
  expect([await owner.timers(), await owner.deliveries()]).toEqual([[], []]);
});

test('a first message arrives before its event is stored, or after its endpoint was deleted: nothing is lost', async () => {
  const owner = await testStack.newOwner(2);
  await owner.createInvoices(1);
  const items = await testStack.table.outboxOf(owner.owner);
  const message = await firstMessageOf(owner, items);
  const [event] = await testStack.table.all(`EVENTS#${owner.owner}`);
  await testStack.table.delete(event as { pk: string; sk: string });
  expect(await handleMessages('webhook', [message])).toEqual({ crashed: false, failed: [] });
  expect(await owner.deliveries()).toEqual([]);
  await testStack.table.put(event as TestItem);
  await relayItems(items);
  const [deleted, other] = owner.endpoints;
  await owner.api.delete(`/api/webhooks/${deleted?.id}`);
  const deliveries = await testStack.runToEnd({ ...owner, endpoints: other ? [other] : [] });
  expect(statuses(deliveries).sort()).toEqual(['skipped', 'succeeded']);
});

/** Relays the items, and fails before it stores the deliveries. Returns the message that was sent for the first of them. */
async function firstMessageOf(owner: WebhookOwner, items: readonly TestItem[]): Promise<string> {
  const label = `failing-${count++}`;
  const interception = interceptCalls(async (call, send) => {
    const isPut = call.operation === 'PutItem' && call.body.includes('DELIVERIES#');
    if (currentInvocation()?.label !== label || !isPut) return send();
    throw new Error('The relay fails.');
  });
  expect((await relayItems(items, label)).failed).toEqual([0]);
  interception.remove();
  expect(await owner.deliveries()).toEqual([]);
  const timers = await owner.timers();
  expect(timers).toHaveLength(owner.endpoints.length);
  return toMessageBody(timers[0] ?? {});
}
