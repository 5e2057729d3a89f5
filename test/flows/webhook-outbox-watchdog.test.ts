/**
 * Tests first messages whose watchdogs are outbox items: one delivery follows from such an item, and the dispatcher deletes it after
 * the first attempt. Crashes, messages that are lost, early or repeated, and dispatchers that ignore the item must lose nothing.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { ScriptedFault } from '../support/fault-layer.ts';
import {
  type DynamodbAttempt,
  injectFault,
  interceptCalls,
  respondWithError,
} from '../support/intercept-calls.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import type { TestItem } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
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
const faults: readonly ScriptedFault[] = ['crash before call', 'crash after call'];
let count = 0;

const outboxOf = ({ owner }: WebhookOwner) => testStack.table.outboxOf(owner);
const statuses = (deliveries: readonly TestItem[]) => deliveries.map(({ status }) => status);

/** Returns the label of an invocation that crashes at a call. */
function crashingLabel(at: number, fault: ScriptedFault): string {
  const label = `crashing-${count++}`;
  testStack.crashes.set(label, { at, fault });
  return label;
}

/** Lets the sweep relay what is left after a minute. */
async function sweep(): Promise<void> {
  testStack.clock.advance(minuteMs + 1);
  await testStack.stack.schedule.run();
}

/** Creates an owner with one endpoint, and an invoice whose outbox item was relayed. Returns the message that was sent. */
async function newFirstMessage() {
  const owner = await testStack.newOwner();
  await owner.createInvoices(1);
  await testStack.relay(owner);
  const [message] = (await owner.timers()) as [TestItem];
  expect(await outboxOf(owner)).toHaveLength(1);
  expect(await owner.deliveries()).toEqual([]);
  return { owner, message, body: toMessageBody(message) };
}

test('the relay crashes at any call: the message is sent later, and the item stays until the first attempt', async () => {
  for (let at = 0; ; at++) {
    const crashes: boolean[] = [];
    for (const fault of faults) {
      const owner = await testStack.newOwner();
      // Then the relay knows the endpoint and the end of the log.
      for (const _ of ['first', 'second']) {
        await owner.createInvoices(1);
        await testStack.relay(owner);
        await testStack.handleDue(owner);
      }
      await owner.createInvoices(1);
      const items = await outboxOf(owner);
      crashes.push((await relayItems(items, crashingLabel(at, fault))).crashed);
      expect(await outboxOf(owner)).toHaveLength(1);
      await relayItems(await outboxOf(owner));
      expect(statuses(await testStack.runToEnd(owner))).toEqual(Array(3).fill('succeeded'));
      expect(owner.messagesTo(0)).toHaveLength(3);
    }
    if (crashes.includes(false)) {
      expect(at).toBe(4);
      break;
    }
  }
});

test.each([
  // The reading, the outcome and the deletion.
  { situation: 'succeeds', calls: 3, status: 200 },
  // The reading, the health, the clock of test mode, the mark of the timers, the outcome with the next timer, and its message.
  { situation: 'fails', calls: 6, status: 500 },
])('the dispatcher crashes at any call while the first attempt $situation', async ({ calls, status }) => {
  for (const isLost of [false, true]) {
    const owner = await testStack.newOwner();
    await owner.createInvoices(2 * (calls + 1));
    const items = await outboxOf(owner);
    for (const item of items) await relayItems([item]);
    const messages = (await owner.timers()).map(toMessageBody);
    expect(messages).toHaveLength(items.length);
    testStack.receiver.respondWith(() => ({ status }));
    const crashes: boolean[] = [];
    for (const [index, message] of messages.entries()) {
      const label = crashingLabel(Math.floor(index / 2), faults[index % 2] as ScriptedFault);
      crashes.push((await handleMessages('webhook', [message], label)).crashed);
      if (!isLost) await handleMessages('webhook', [message]);
    }
    expect(crashes.slice(0, 2 * (calls - 1))).toEqual(Array(2 * (calls - 1)).fill(true));
    expect(crashes.at(-1)).toBe(false);
    testStack.receiver.respondWith();
    await purgeQueues(testStack.stack);
    await sweep();
    expect(await outboxOf(owner)).toEqual([]);
    expect(statuses(await testStack.runToEnd(owner))).toEqual(items.map(() => 'succeeded'));
  }
});

test('100 messages are lost: the sweep relays their items, and then timers exist', async () => {
  const owner = await testStack.newOwner();
  await owner.createInvoices(100);
  await testStack.relay(owner);
  await purgeQueues(testStack.stack);
  expect(await owner.deliveries()).toEqual([]);
  await sweep();
  expect(await outboxOf(owner)).toEqual([]);
  expect(statuses(await owner.deliveries())).toEqual(Array(100).fill('pending'));
  testStack.stack.queues.resume();
  await waitUntil('all attempts are recorded', async () => (await owner.timers()).length === 0);
  await testStack.stack.queues.pause();
  expect(statuses(await testStack.runToEnd(owner))).toEqual(Array(100).fill('succeeded'));
  expect(owner.messagesTo(0)).toHaveLength(100);
});

test('a message that arrives after the sweep has relayed its item causes one attempt', async () => {
  for (const status of [200, 500]) {
    const { owner, body } = await newFirstMessage();
    await sweep();
    testStack.receiver.respondWith(() => ({ status }));
    await handleMessages('webhook', [body]);
    expect(await owner.deliveries()).toMatchObject([{ attempts: [{ number: 1, status }] }]);
    testStack.receiver.respondWith();
    expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
    expect(owner.messagesTo(0)).toHaveLength(status === 200 ? 1 : 2);
  }
});

test('an early message sets a timer, and only then deletes the item', async () => {
  const { owner, message } = await newFirstMessage();
  const due = testStack.clock.now() + 5 * minuteMs;
  const body = toMessageBody({ ...message, due });
  for (const at of [0, 1, 2]) {
    const { crashed } = await handleMessages('webhook', [body], crashingLabel(at, 'crash after call'));
    const left = [...(await owner.timers()), ...(await outboxOf(owner))];
    expect([crashed, left.length > 0]).toEqual([true, true]);
  }
  await handleMessages('webhook', [body]);
  expect(await outboxOf(owner)).toEqual([]);
  expect(await owner.timers()).toMatchObject([{ due, first: message.first }]);
  expect(owner.messagesTo(0)).toEqual([]);
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
});

test('the endpoint changes before the first attempt: the delivery is skipped or made, and never missing', async () => {
  const disabled = await newFirstMessage();
  const path = ({ owner }: typeof disabled) => `/api/webhooks/${owner.endpoints[0]?.id}`;
  await disabled.owner.api.patch(path(disabled), { status: 'disabled' });
  expect(await testStack.runToEnd(disabled.owner)).toMatchObject([{ status: 'skipped', attempts: [] }]);

  const deleted = await newFirstMessage();
  await deleted.owner.api.delete(path(deleted));
  expect(await testStack.runToEnd({ ...deleted.owner, endpoints: [] })).toMatchObject([
    { status: 'skipped' },
  ]);

  const unsubscribed = await newFirstMessage();
  await unsubscribed.owner.api.patch(path(unsubscribed), { events: ['refund.failed'] });
  await sweep();
  expect(await testStack.runToEnd({ ...unsubscribed.owner, endpoints: [] })).toMatchObject([
    { status: 'succeeded' },
  ]);
});

test.each([
  { change: 'unsubscribes', statuses: ['succeeded'] },
  { change: 'is disabled', statuses: ['skipped'] },
  { change: 'is deleted', statuses: ['skipped'] },
])(
  'an attempt is not recorded, its message is lost, and the endpoint $change: the delivery exists',
  async (row) => {
    for (const isRepeated of [false, true]) {
      const { owner, body } = await newFirstMessage();
      const [item] = (await outboxOf(owner)) as [TestItem];
      const [read, record] = [0, 1];
      for (const at of [read, record]) {
        const { crashed } = await handleMessages('webhook', [body], crashingLabel(at, 'crash before call'));
        expect(crashed).toBe(true);
      }
      expect(owner.messagesTo(0)).toHaveLength(1);
      const path = `/api/webhooks/${owner.endpoints[0]?.id}`;
      if (row.change === 'is deleted') await owner.api.delete(path);
      else if (row.change === 'is disabled') await owner.api.patch(path, { status: 'disabled' });
      else await owner.api.patch(path, { events: ['refund.failed'] });
      // The stream can repeat a record, with the item as it was.
      if (isRepeated) expect(await relayItems([item])).toEqual({ crashed: false, failed: [] });
      await purgeQueues(testStack.stack);
      await sweep();
      expect(await outboxOf(owner)).toEqual([]);
      expect(statuses(await testStack.runToEnd({ ...owner, endpoints: [] }))).toEqual(row.statuses);
    }
  },
);

test('another endpoint subscribes instead before the relay is repeated: both get the event, with timers', async () => {
  const { owner, message } = await newFirstMessage();
  const items = await outboxOf(owner);
  const [first] = owner.endpoints;
  await owner.api.patch(`/api/webhooks/${first?.id}`, { events: ['refund.failed'] });
  const url = testStack.receiver.urlOf('/instead');
  await owner.api.post('/api/webhooks', { url, events: ['*'] });
  await relayItems(items);
  expect(await owner.deliveries()).toHaveLength(2);
  await handleMessages('webhook', [toMessageBody(message)]);
  expect(statuses(await testStack.runToEnd({ ...owner, endpoints: [] }))).toEqual(['succeeded', 'succeeded']);
});

test('an item with a delayed or dropped first attempt, or with two deliveries, has timers', async () => {
  const owner = await testStack.newOwner();
  for (const fault of ['delay=5', 'drop', 'twice'])
    await owner.api.post(
      '/api/invoices',
      { customerId: 'cust_1', amount: 100, currency: 'USD', description: 'x' },
      { headers: { 'X-Test-Fault': fault } },
    );
  await testStack.relay(owner);
  expect(await outboxOf(owner)).toEqual([]);
  expect(await owner.deliveries()).toHaveLength(3);
  expect(await owner.timers()).toHaveLength(3);
});

test('a change that is ahead of the clock of the relay has a timer', async () => {
  const owner = await testStack.newOwner();
  await owner.createInvoices(1);
  const plan = { seed: 0, script: testStack.crashes.script };
  testStack.layer.setPlan({ ...plan, clockOffsetMs: () => -2 * minuteMs });
  await testStack.relay(owner);
  testStack.layer.setPlan(plan);
  expect(await outboxOf(owner)).toEqual([]);
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
});

test('without its entry in the audit log, a change has no message yet', async () => {
  const owner = await testStack.newOwner();
  await owner.createInvoices(1);
  const isEntry = ({ operation, body }: DynamodbAttempt) =>
    operation === 'TransactWriteItems' && body.includes('"AUDIT#');
  const failing = interceptCalls(injectFault(isEntry, respondWithError('AccessDeniedException')));
  expect((await relayItems(await outboxOf(owner))).failed).toEqual([0]);
  failing.remove();
  expect([await owner.timers(), owner.messagesTo(0)]).toEqual([[], []]);
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
});

test('a dispatcher that ignores the item leaves it: it is relayed again, and a success is not sent again', async () => {
  for (const status of [200, 500]) {
    const { owner, message } = await newFirstMessage();
    const { outboxItem: _, ...known } = message;
    testStack.receiver.respondWith(() => ({ status }));
    await handleMessages('webhook', [toMessageBody(known)]);
    testStack.receiver.respondWith();
    expect(await outboxOf(owner)).toHaveLength(1);
    await sweep();
    expect(await outboxOf(owner)).toEqual([]);
    expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
    // A retry that became due meanwhile may have several timers.
    if (status === 200) expect(owner.messagesTo(0)).toHaveLength(1);
  }
});
