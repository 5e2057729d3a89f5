import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { setPostLimits } from '../../shared/webhooks/post.ts';
import type { TestItem } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookStand, type WebhookOwner, type WebhookStand } from '../support/webhook-stand.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let stand: WebhookStand;

beforeAll(async () => {
  stand = await startWebhookStand();
});
afterEach(async () => {
  stand.receiver.answer();
  setPostLimits();
  await stand.stack.queues.pause();
});
afterAll(() => stand.close());

const fails = { status: 500, body: 'not today' };

test('a receiver that fails is asked ten times, after the waits of the schedule, by sweep and queue; then the delivery has failed', async () => {
  const owner = await stand.newOwner();
  const { clock, stack, receiver } = stand;
  receiver.answer(() => fails);
  stack.queues.resume();
  await owner.createInvoices(1);
  const start = clock.now();
  await stand.publish(owner);
  const waits = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs];
  waits.push(10 * hourMs, 14 * hourMs, 20 * hourMs, 24 * hourMs);
  for (const [place, wait] of waits.entries()) {
    const { nextAttemptAt } = await waitUntil(`attempt ${place + 1} is recorded`, async () =>
      (await owner.deliveries()).find(({ tries }) => tries === place + 1),
    );
    const actual = nextAttemptAt - clock.now();
    expect(Math.abs(actual - wait)).toBeLessThanOrEqual(0.2 * wait + 1);
    expect(owner.messagesTo(0)).toHaveLength(place + 1);
    clock.to(nextAttemptAt);
    await stack.schedule.run();
  }
  await waitUntil('the last attempt is recorded', async () => (await owner.timers()).length === 0);
  const [delivery] = (await stand.rest(owner)) as [TestItem];
  expect(delivery).toMatchObject({ status: 'failed', tries: 10 });
  const messages = owner.messagesTo(0);
  expect(messages.map(({ at }) => at)).toEqual(delivery.attempts.map(({ at }: TestItem) => at));
  expect(messages[0]?.at).toBe(start);
  expect(new Set(messages.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  expect(delivery.attempts.map(({ status, answer }: TestItem) => [status, answer])).toEqual(
    Array(10).fill([500, 'not today']),
  );
  clock.advance(10 * dayMs);
  await stack.schedule.run();
  expect(owner.messagesTo(0)).toHaveLength(10);
});

test('a receiver that succeeds at the last attempt has the event, and nothing comes after it', async () => {
  const owner = await stand.newOwner();
  stand.receiver.answer(() => (owner.messagesTo(0).length < 10 ? fails : { status: 204 }));
  await owner.createInvoices(1);
  expect(await stand.rest(owner)).toMatchObject([{ status: 'succeeded', tries: 9 }]);
  expect(owner.messagesTo(0)).toHaveLength(10);
});

test('Retry-After is honoured on 429 and 503, by seconds and by date, for a day at most, and on nothing else', async () => {
  const answers: readonly (readonly [number, string])[] = [
    [429, '3600'],
    [503, new Date(stand.clock.now() + 2 * hourMs).toUTCString()],
    [503, String(90 * 24 * 3600)],
    [500, '3600'],
    [429, 'soon'],
    [503, '1'],
  ];
  const owner = await stand.afterFirstAttempt(answers.length, (place) => {
    const [status, retryAfter] = answers[place] ?? [200, ''];
    return { status, headers: { 'Retry-After': retryAfter } };
  });
  const waits = await Promise.all(
    answers.map(async (_, place) => (await owner.deliveryTo(place)).nextAttemptAt - stand.clock.now()),
  );
  const [hour = 0, twoHours = 0, ninetyDays = 0, ...ordinary] = waits;
  expect(hour).toBe(hourMs);
  expect(Math.abs(twoHours - 2 * hourMs)).toBeLessThanOrEqual(secondMs);
  expect(ninetyDays).toBe(dayMs);
  for (const wait of ordinary) expect(Math.abs(wait - 5 * secondMs)).toBeLessThanOrEqual(secondMs);
  stand.receiver.answer();
  const deliveries = await stand.rest(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(answers.map(() => 'succeeded'));
});

test('410 disables the endpoint at once: no other attempt is made, and what comes meanwhile is skipped', async () => {
  const owner = await stand.afterFirstAttempt(2, (place) => ({ status: place === 0 ? 410 : 200 }));
  expect(await owner.shown(0)).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
  expect(await owner.shown(1)).toMatchObject({ status: 'enabled', disabledReason: null });
  await owner.createInvoices(2);
  const deliveries = await stand.rest(owner);
  const statusesTo = (place: number) =>
    deliveries.filter(({ pk }) => pk.endsWith(owner.endpoints[place]?.id)).map(({ status }) => status);
  expect(statusesTo(0).sort()).toEqual(['failed', 'skipped', 'skipped']);
  expect(statusesTo(1)).toEqual(Array(3).fill('succeeded'));
  expect(owner.messagesTo(0)).toHaveLength(1);
});

/** Ten events within thirteen hours, each of which fails in the course of some days. */
async function failTen(owner: WebhookOwner): Promise<void> {
  for (let time = 0; time < 10; time++) {
    await owner.createInvoices(1);
    await stand.publish(owner);
    await stand.handleDue(owner);
    stand.clock.advance(1.4 * hourMs);
  }
  await stand.rest(owner);
}

test('five days without a success disable an endpoint, ten failed deliveries alone do not, and one success forgets them', async () => {
  const owner = await stand.newOwner(3);
  const [failing, , healthy] = owner.endpoints;
  let recovers = false;
  stand.receiver.answer(({ path }) =>
    path === healthy?.path || (recovers && path !== failing?.path) ? { status: 200 } : fails,
  );
  const start = stand.clock.now();
  await failTen(owner);
  const states = async () => [await owner.shown(0), await owner.shown(1), await owner.shown(2)];
  const enabled = { status: 'enabled', disabledReason: null };
  expect(await states()).toMatchObject([enabled, enabled, enabled]);
  recovers = true;
  await owner.createInvoices(1);
  await stand.publish(owner);
  await stand.handleDue(owner);
  recovers = false;
  await owner.createInvoices(1);
  await stand.rest(owner);
  expect(stand.clock.now() - start).toBeGreaterThan(5 * dayMs);
  expect(await states()).toMatchObject([{ status: 'disabled', disabledReason: 'failing' }, enabled, enabled]);
  const before = owner.messagesTo(0).length;
  await owner.createInvoices(1);
  await stand.rest(owner);
  expect(owner.messagesTo(0)).toHaveLength(before);
  const last = (await owner.deliveries()).filter(({ position }) => position === 13);
  expect(last.find(({ pk }) => pk.endsWith(failing?.id))?.status).toBe('skipped');
});

test('a redirect is not followed, and counts as a failure', async () => {
  const location = stand.receiver.urlOf('/redirected');
  const owner = await stand.afterFirstAttempt(1, () => ({ status: 307, headers: { Location: location } }));
  expect(await owner.deliveryTo(0)).toMatchObject({ status: 'pending', attempts: [{ status: 307 }] });
  stand.receiver.answer();
  expect(await stand.rest(owner)).toMatchObject([{ status: 'succeeded' }]);
  expect(stand.receiver.receivedAt('/redirected')).toEqual([]);
});

test('a receiver that takes the event and hangs before it answers gets it again, under the same id', async () => {
  setPostLimits({ totalMs: 300, bodyMs: 100, bodyBytes: 16_384 });
  const owner = await stand.newOwner();
  stand.receiver.answer(() => (owner.messagesTo(0).length === 1 ? 'hang' : { status: 200 }));
  await owner.createInvoices(1);
  const [delivery] = (await stand.rest(owner)) as [TestItem];
  expect(delivery.attempts).toMatchObject([
    { number: 1, error: 'timeout' },
    { number: 2, status: 200 },
  ]);
  const [first, second] = owner.messagesTo(0);
  expect(second).toMatchObject({ id: first?.id, body: first?.body });
});
