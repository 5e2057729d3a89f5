/** Tests the circuit breaker: an endpoint that does not respond gets few attempts, and loses no event. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { failingHealth } from '../support/failing-health.ts';
import { setPostLimits } from '../support/outbound.ts';
import type { TestItem } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';
import { handleMessages, toMessageBody } from '../support/webhook-workers.ts';

/** How long the circuit is open at first. */
const openMs = 30_000;

let testStack: WebhookTestStack;

beforeAll(async () => {
  testStack = await startWebhookTestStack();
});
beforeEach(() => setPostLimits({ totalMs: 200, bodyMs: 100, bodyBytes: 16_384 }));
afterEach(() => {
  testStack.receiver.respondWith();
  setPostLimits();
});
afterAll(() => testStack.close());

/** Creates an owner with endpoints and relayed events. The first endpoint does not respond. */
async function newOwnerWithHangingEndpoint(endpoints: number, events: number): Promise<WebhookOwner> {
  const owner = await testStack.newOwner(endpoints);
  const hanging = owner.endpoints[0]?.path;
  testStack.receiver.respondWith(({ path }) => (path === hanging ? 'hang' : { status: 200 }));
  await owner.createInvoices(events);
  await testStack.relay(owner);
  return owner;
}

const isTo = (owner: WebhookOwner, index: number) => {
  const id = owner.endpoints[index]?.id;
  return ({ reference, pk }: TestItem) => (reference ?? pk).includes(id);
};
const deliveriesTo = async (owner: WebhookOwner, index = 0) =>
  (await owner.deliveries()).filter(isTo(owner, index));

async function handleInTurn(timers: readonly TestItem[]): Promise<void> {
  for (const timer of timers) await handleMessages('webhook', [toMessageBody(timer)]);
}

/** Opens the circuit of an endpoint by three time-outs. */
async function openCircuit(events: number): Promise<WebhookOwner> {
  const owner = await newOwnerWithHangingEndpoint(1, events);
  await handleInTurn(await owner.timers());
  expect(owner.messagesTo(0)).toHaveLength(3);
  return owner;
}

test('an endpoint that does not respond causes three time-outs, and its deliveries succeed once it responds', async () => {
  const owner = await openCircuit(12);
  const errors = (await deliveriesTo(owner)).map(({ attempts: [{ error }] }) => error);
  expect(errors.sort()).toEqual([...Array(9).fill('endpoint_unresponsive'), ...Array(3).fill('timeout')]);
  testStack.receiver.respondWith();
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(12).fill('succeeded'));
});

test('an endpoint that does not respond does not delay others in the same batch', async () => {
  // No attempt times out before the test releases it.
  setPostLimits({ totalMs: 100_000, bodyMs: 100, bodyBytes: 16_384 });
  const owner = await testStack.newOwner(5);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  testStack.receiver.respondWith(async ({ path }) => {
    if (path === owner.endpoints[0]?.path) await released;
    return { status: 200 };
  });
  await owner.createInvoices(10);
  await testStack.relay(owner);
  const timers = await owner.timers();
  const hanging = timers.filter(isTo(owner, 0));
  const batch = handleMessages(
    'webhook',
    [...hanging, ...timers.filter((timer) => !hanging.includes(timer))].map(toMessageBody),
  );
  await waitUntil('the other deliveries are done', async () => {
    const others = [1, 2, 3, 4].map((index) => deliveriesTo(owner, index));
    return (await Promise.all(others)).flat().every((delivery) => delivery.status === 'succeeded');
  });
  expect(new Set((await deliveriesTo(owner)).map(({ status }) => status))).toEqual(new Set(['pending']));
  release();
  await batch;
  await testStack.runToEnd(owner);
});

test('one attempt probes the endpoint after the pause, and the others follow on time once it responds', async () => {
  const owner = await openCircuit(10);
  testStack.clock.advance(openMs - 1);
  await testStack.handleDue(owner);
  expect(owner.messagesTo(0)).toHaveLength(3);
  // The endpoint responds after all due messages are handled.
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  testStack.receiver.respondWith(() => released.then(() => ({ status: 200 })));
  setPostLimits({ totalMs: 100_000, bodyMs: 100, bodyBytes: 16_384 });
  testStack.clock.advance(10 * 60_000);
  const due = await owner.timers();
  expect(due).toHaveLength(10);
  const attempts = due.map((timer) => handleMessages('webhook', [toMessageBody(timer)]));
  await waitUntil(
    'all but one are postponed',
    async () => (await owner.timers()).filter((timer) => timer.due > testStack.clock.now()).length === 9,
  );
  await waitUntil('the probe has arrived', () => owner.messagesTo(0).length > 3);
  expect(owner.messagesTo(0)).toHaveLength(4);
  release();
  await Promise.all(attempts);
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(10).fill('succeeded'));
  expect(owner.messagesTo(0)).toHaveLength(13);
});

test('an endpoint that still does not respond gets one attempt after each pause, and pauses get longer', async () => {
  const owner = await openCircuit(4);
  const pauses: number[] = [];
  for (let pause = 0; pause < 6; pause++) {
    const [health] = await testStack.table.all(`WEBHOOKHEALTH#${owner.endpoints[0]?.id}`);
    pauses.push(health?.openMs);
    // The health of a deleted endpoint expires.
    expect(health?.expiresAt).toBeGreaterThan(testStack.clock.now() / 1000);
    testStack.clock.to(Math.max(health?.openUntil, testStack.clock.now()));
    await owner.createInvoices(1);
    await testStack.relay(owner);
    const before = owner.messagesTo(0).length;
    const fresh = (await owner.timers()).filter(({ due }) => due <= testStack.clock.now());
    expect(fresh.length).toBeGreaterThan(0);
    await handleInTurn(fresh);
    expect(owner.messagesTo(0)).toHaveLength(before + 1);
  }
  expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  testStack.receiver.respondWith();
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(10).fill('succeeded'));
});

test('if the probing worker crashes, another one probes, and no event is lost', async () => {
  const owner = await openCircuit(5);
  testStack.receiver.respondWith();
  testStack.clock.advance(10 * 60_000);
  const [first, ...others] = (await owner.timers()) as [TestItem, ...TestItem[]];
  testStack.crashes.set('probing worker', { at: 'TransactWriteItems', fault: 'crash before call' });
  expect((await handleMessages('webhook', [toMessageBody(first)], 'probing worker')).crashed).toBe(true);
  await handleInTurn(others);
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(5).fill('succeeded'));
});

test('with a circuit that stays open, each delivery still makes its last attempt, and its result counts', async () => {
  const owner = await testStack.newOwner(2);
  const [succeeding] = owner.endpoints;
  testStack.receiver.respondWith(({ path }) => ({ status: path === succeeding?.path ? 200 : 500 }));
  const now = testStack.clock.now();
  for (const { id } of owner.endpoints)
    await testStack.table.put(failingHealth(id, now, { openUntil: now + 1e10, openMs }));
  await owner.createInvoices(1);
  await testStack.runToEnd(owner);
  const skipped = Array(9).fill('endpoint_unresponsive');
  for (const [index, [status, received]] of [
    ['succeeded', 200] as const,
    ['failed', 500] as const,
  ].entries()) {
    const [delivery] = await deliveriesTo(owner, index);
    expect(delivery?.status).toBe(status);
    const attempts = delivery?.attempts.map((attempt: TestItem) => attempt.error ?? attempt.status);
    expect(attempts).toEqual([...skipped, received]);
    expect(owner.messagesTo(index)).toHaveLength(1);
  }
});
