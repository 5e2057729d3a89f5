/**
 * Tests first messages that arrive before their deliveries are stored, because the relay sends them and stores the deliveries at
 * the same time.
 */

import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { toFirstMessage } from '../../shared/webhooks/first-message.ts';
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

let count = 0;
const statuses = (deliveries: readonly TestItem[]) => deliveries.map(({ status }) => status);

test('a first message arrives before its delivery is stored: the relay keeps the outcome, and nothing is sent again', async () => {
  for (const status of [200, 500]) {
    const owner = await testStack.newOwner();
    await owner.createInvoices(1);
    const items = await testStack.table.outboxOf(owner.owner);
    const message = await firstMessageOf(owner, items);
    expect(await owner.deliveries()).toEqual([]);
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
  const [read, record, complete] = [0, 1, 2];
  for (const at of [read, record, complete]) {
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

/** Relays the items, and fails before the deliveries are stored. Returns the message that was sent for the first of them. */
async function firstMessageOf(owner: WebhookOwner, items: readonly TestItem[]): Promise<string> {
  const label = `failing-${count++}`;
  let transaction = '';
  const interception = interceptCalls(async (call, send) => {
    const isOwn = currentInvocation()?.label === label && call.operation === 'TransactWriteItems';
    if (!isOwn || !call.body.includes('DELIVERIES#')) return send();
    transaction = call.body;
    throw new Error('The relay fails.');
  });
  expect((await relayItems(items, label)).failed).toEqual([0]);
  interception.remove();
  const puts = JSON.parse(transaction).TransactItems.map(({ Put }: { Put: { Item: never } }) =>
    unmarshall(Put.Item),
  );
  const [delivery, timer] = [puts[0], puts[owner.endpoints.length]];
  return JSON.stringify({ ...JSON.parse(toMessageBody(timer)), first: toFirstMessage(delivery) });
}
