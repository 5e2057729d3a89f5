/**
 * Tests deliveries to targets in AWS that fail, are repeated, and crash. `npm test` runs the deleted queue, the refused entry and the
 * costs, in about 3 s.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectEventQueues, type EventQueues } from '../support/event-queues.ts';
import { exhaustiveTest } from '../support/exhaustive-test.ts';
import type { FaultPlan, ScriptedFault } from '../support/fault-layer.ts';
import { inNewestVersion } from '../support/newest-version.ts';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';
import { handleMessages, toMessageBody } from '../support/webhook-workers.ts';

let testStack: WebhookTestStack;
let queues: EventQueues;
/** The calls of each invocation, by its label. */
const calls = new Map<string, readonly string[]>();

beforeAll(async () => {
  testStack = await startWebhookTestStack();
  queues = connectEventQueues(testStack.stack);
  const script: FaultPlan['script'] = (call) => {
    calls.set(call.label, [...(calls.get(call.label) ?? []), call.operation]);
    return testStack.crashes.script(call);
  };
  testStack.layer.setPlan({ seed: 0, script });
});
afterAll(async () => {
  queues.close();
  await testStack.close();
});

/** Creates an owner with one endpoint, and an invoice whose event is relayed. */
async function newOwnerWith(fields: object): Promise<WebhookOwner & { readonly id: string }> {
  const owner = await testStack.newOwner(0);
  const { json } = await inNewestVersion(owner.api).post('/api/webhooks', { events: ['*'], ...fields });
  await owner.createInvoices(1);
  await testStack.relay(owner);
  return { ...owner, id: json.id };
}

const toQueue = () => ({ type: 'sqs', target: testStack.stack.targets.queue.arn });
/** Handles the message of the only timer. Returns the calls of that invocation. */
async function deliver(owner: WebhookOwner, label: string): Promise<readonly string[]> {
  const [timer] = await owner.timers();
  await handleMessages('webhook', [toMessageBody(timer ?? {})], label);
  return calls.get(label) ?? [];
}

test('a delivery to a queue makes the calls to the table of a delivery to a URL, and one to the queue', async () => {
  const { receiver } = testStack;
  const toTable = await deliver(await newOwnerWith({ url: receiver.urlOf('/units') }), 'to a URL');
  expect(toTable.length).toBeGreaterThan(0);
  const made = await deliver(await newOwnerWith(toQueue()), 'to a queue');
  expect(made.filter((operation) => operation === 'SendMessage')).toHaveLength(1);
  expect(made.filter((operation) => operation !== 'SendMessage')).toEqual(toTable);
  await queues.take(testStack.stack.targets.queue.url);
});

test('the queue is deleted: the attempts fail with the cause until the last one, and a recovery sends the event', async () => {
  const { url } = testStack.stack.targets.queue;
  const owner = await newOwnerWith(toQueue());
  await queues.remove(url);
  const [failed] = await testStack.runToEnd(owner);
  expect(failed).toMatchObject({ status: 'failed' });
  expect(failed?.attempts).toHaveLength(10);
  for (const attempt of failed?.attempts ?? [])
    expect(attempt).toMatchObject({ error: 'target_not_found', cause: 'QueueDoesNotExist' });
  await queues.create(url);
  const since = new Date(testStack.clock.now() - 20 * 86_400_000).toISOString();
  expect((await owner.api.post(`/api/webhooks/${owner.id}/recover`, { since })).status).toBe(200);
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
  const messages = await queues.take(url);
  expect(messages.map(({ Body = '' }) => JSON.parse(Body).id)).toEqual([failed?.eventId]);
});

test('an entry that the bus refuses is repeated alone, and the endpoint is healthy again after the success', async () => {
  const { bus, double } = testStack.stack.targets;
  const owner = await newOwnerWith({ type: 'eventbridge', target: bus });
  double.refusals.set(bus, 'InternalFailure');
  await testStack.handleDue(owner);
  expect((await owner.deliveries())[0]).toMatchObject({
    status: 'pending',
    attempts: [{ error: 'target_failed', cause: 'InternalFailure' }],
  });
  double.refusals.clear();
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded', tries: 1 }]);
  expect(await testStack.table.all(`WEBHOOKHEALTH#${owner.id}`)).toEqual([]);
});

exhaustiveTest('the dispatcher crashes at any call: a repeated message leads to the same end', async () => {
  const { queue, fifoQueue } = testStack.stack.targets;
  for (const { arn, url } of [queue, fifoQueue]) {
    const isFifo = arn.endsWith('.fifo');
    // The read, the message to the target and the outcome, each before and after.
    for (let point = 0; point <= 6; point++) {
      const owner = await newOwnerWith({ type: 'sqs', target: arn });
      const fault: ScriptedFault = point % 2 === 0 ? 'crash before call' : 'crash after call';
      const label = `crash ${isFifo} ${point}`;
      testStack.crashes.set(label, { at: Math.floor(point / 2), fault });
      const [timer] = await owner.timers();
      const messages = [toMessageBody(timer ?? {})];
      const { crashed } = await handleMessages('webhook', messages, label);
      expect([point, crashed]).toEqual([point, point < 6]);
      await handleMessages('webhook', messages);
      expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
      const arrived = await queues.take(url);
      // A queue without an order gets the event again if the outcome was not stored. All have the same id.
      const isRepeated = !isFifo && [3, 4].includes(point);
      expect([point, arrived.length]).toEqual([point, isRepeated ? 2 : 1]);
      expect(new Set(arrived.map(({ Body }) => Body)).size).toBe(1);
    }
  }
});
