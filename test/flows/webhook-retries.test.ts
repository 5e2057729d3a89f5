/** Tests retries: the schedule, `Retry-After`, 410, and when a failing endpoint is disabled. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { setPostLimits } from '../support/outbound.ts';
import type { TestItem } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  startWebhookTestStack,
  type WebhookOwner,
  type WebhookTestStack,
} from '../support/webhook-test-stack.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let testStack: WebhookTestStack;

beforeAll(async () => {
  testStack = await startWebhookTestStack();
});
afterEach(async () => {
  testStack.receiver.respondWith();
  setPostLimits();
  await testStack.stack.queues.pause();
});
afterAll(() => testStack.close());

const failure = { status: 500, body: 'not today' };

test('a failing receiver gets ten attempts with the waits of the schedule, by sweep and queue, and then the delivery is failed', async () => {
  const owner = await testStack.newOwner();
  const { clock, stack, receiver } = testStack;
  receiver.respondWith(() => failure);
  stack.queues.resume();
  await owner.createInvoices(1);
  const start = clock.now();
  await testStack.relay(owner);
  const waits = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs];
  waits.push(10 * hourMs, 14 * hourMs, 20 * hourMs, 24 * hourMs);
  for (const [index, wait] of waits.entries()) {
    const { nextAttemptAt } = await waitUntil(`attempt ${index + 1} is recorded`, async () =>
      (await owner.deliveries()).find(({ tries }) => tries === index + 1),
    );
    const actual = nextAttemptAt - clock.now();
    expect(Math.abs(actual - wait)).toBeLessThanOrEqual(0.2 * wait + 1);
    expect(owner.messagesTo(0)).toHaveLength(index + 1);
    clock.to(nextAttemptAt);
    await stack.schedule.run();
  }
  await waitUntil('the last attempt is recorded', async () => (await owner.timers()).length === 0);
  const [delivery] = (await testStack.runToEnd(owner)) as [TestItem];
  expect(delivery).toMatchObject({ status: 'failed', tries: 10 });
  const messages = owner.messagesTo(0);
  expect(messages.map(({ at }) => at)).toEqual(delivery.attempts.map(({ at }: TestItem) => at));
  expect(messages[0]?.at).toBe(start);
  expect(new Set(messages.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  expect(delivery.attempts.map(({ status, answer }: TestItem) => [status, answer])).toEqual(
    Array(10).fill([500, 'not today']),
  );
  // Longer than each wait of the schedule.
  clock.advance(2 * dayMs);
  await stack.schedule.run();
  expect(owner.messagesTo(0)).toHaveLength(10);
});

test('a success at the last attempt is the end of the delivery', async () => {
  const owner = await testStack.newOwner();
  testStack.receiver.respondWith(() => (owner.messagesTo(0).length < 10 ? failure : { status: 204 }));
  await owner.createInvoices(1);
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded', tries: 9 }]);
  expect(owner.messagesTo(0)).toHaveLength(10);
});

test('Retry-After is honored only with 429 and 503, in seconds and as a date, for at most a day', async () => {
  const responses: readonly (readonly [number, string])[] = [
    [429, '3600'],
    [503, new Date(testStack.clock.now() + 2 * hourMs).toUTCString()],
    [503, String(90 * 24 * 3600)],
    [500, '3600'],
    [429, 'soon'],
    [503, '1'],
  ];
  const owner = await testStack.afterFirstAttempt(responses.length, (index) => {
    const [status, retryAfter] = responses[index] ?? [200, ''];
    return { status, headers: { 'Retry-After': retryAfter } };
  });
  const waits = await Promise.all(
    responses.map(async (_, index) => (await owner.deliveryTo(index)).nextAttemptAt - testStack.clock.now()),
  );
  const [hour = 0, twoHours = 0, ninetyDays = 0, ...ordinary] = waits;
  expect(hour).toBe(hourMs);
  expect(Math.abs(twoHours - 2 * hourMs)).toBeLessThanOrEqual(secondMs);
  expect(ninetyDays).toBe(dayMs);
  for (const wait of ordinary) expect(Math.abs(wait - 5 * secondMs)).toBeLessThanOrEqual(secondMs);
  testStack.receiver.respondWith();
  const deliveries = await testStack.runToEnd(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(responses.map(() => 'succeeded'));
});

test('410 disables the endpoint immediately: no other attempt is made, and later events are skipped', async () => {
  const owner = await testStack.afterFirstAttempt(2, (index) => ({ status: index === 0 ? 410 : 200 }));
  expect(await owner.shown(0)).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
  expect(await owner.shown(1)).toMatchObject({ status: 'enabled', disabledReason: null });
  await owner.createInvoices(2);
  const deliveries = await testStack.runToEnd(owner);
  const statusesTo = (index: number) =>
    deliveries.filter(({ pk }) => pk.endsWith(owner.endpoints[index]?.id)).map(({ status }) => status);
  expect(statusesTo(0).sort()).toEqual(['failed', 'skipped', 'skipped']);
  expect(statusesTo(1)).toEqual(Array(3).fill('succeeded'));
  expect(owner.messagesTo(0)).toHaveLength(1);
});

/** Creates ten events within thirteen hours, and lets their deliveries fail, which takes some days. */
async function failTenDeliveries(owner: WebhookOwner): Promise<void> {
  for (let time = 0; time < 10; time++) {
    await owner.createInvoices(1);
    await testStack.relay(owner);
    await testStack.handleDue(owner);
    testStack.clock.advance(1.4 * hourMs);
  }
  await testStack.runToEnd(owner);
}

test('five days without a success disable an endpoint, ten failed deliveries alone do not, and a success resets both', async () => {
  const owner = await testStack.newOwner(3);
  const [failing, , healthy] = owner.endpoints;
  let hasRecovered = false;
  testStack.receiver.respondWith(({ path }) =>
    path === healthy?.path || (hasRecovered && path !== failing?.path) ? { status: 200 } : failure,
  );
  const start = testStack.clock.now();
  await failTenDeliveries(owner);
  const states = async () => [await owner.shown(0), await owner.shown(1), await owner.shown(2)];
  const enabled = { status: 'enabled', disabledReason: null };
  expect(await states()).toMatchObject([enabled, enabled, enabled]);
  hasRecovered = true;
  await owner.createInvoices(1);
  await testStack.relay(owner);
  await testStack.handleDue(owner);
  hasRecovered = false;
  await owner.createInvoices(1);
  await testStack.runToEnd(owner);
  expect(testStack.clock.now() - start).toBeGreaterThan(5 * dayMs);
  expect(await states()).toMatchObject([{ status: 'disabled', disabledReason: 'failing' }, enabled, enabled]);
  const before = owner.messagesTo(0).length;
  await owner.createInvoices(1);
  await testStack.runToEnd(owner);
  expect(owner.messagesTo(0)).toHaveLength(before);
  const last = (await owner.deliveries()).filter(({ position }) => position === 13);
  expect(last.find(({ pk }) => pk.endsWith(failing?.id))?.status).toBe('skipped');
});

test('a redirect is not followed and counts as a failure', async () => {
  const location = testStack.receiver.urlOf('/redirected');
  const owner = await testStack.afterFirstAttempt(1, () => ({
    status: 307,
    headers: { Location: location },
  }));
  expect(await owner.deliveryTo(0)).toMatchObject({ status: 'pending', attempts: [{ status: 307 }] });
  testStack.receiver.respondWith();
  expect(await testStack.runToEnd(owner)).toMatchObject([{ status: 'succeeded' }]);
  expect(testStack.receiver.receivedAt('/redirected')).toEqual([]);
});

test('a receiver that gets an event but does not respond gets it again under the same id', async () => {
  setPostLimits({ totalMs: 300, bodyMs: 100, bodyBytes: 16_384 });
  const owner = await testStack.newOwner();
  testStack.receiver.respondWith(() => (owner.messagesTo(0).length === 1 ? 'hang' : { status: 200 }));
  await owner.createInvoices(1);
  const [delivery] = (await testStack.runToEnd(owner)) as [TestItem];
  expect(delivery.attempts).toMatchObject([
    { number: 1, error: 'timeout' },
    { number: 2, status: 200 },
  ]);
  const [first, second] = owner.messagesTo(0);
  expect(second).toMatchObject({ id: first?.id, body: first?.body });
});
