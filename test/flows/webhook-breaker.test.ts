import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { keys } from '../../shared/store/keys.ts';
import { setPostLimits } from '../../shared/webhooks/post.ts';
import type { TestItem } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import { startWebhookStand, type WebhookOwner, type WebhookStand } from '../support/webhook-stand.ts';
import { handleMessages, messageOf } from '../support/webhook-workers.ts';

/** For how long an endpoint is not asked at first. */
const openMs = 30_000;

let stand: WebhookStand;

beforeAll(async () => {
  stand = await startWebhookStand();
});
beforeEach(() => setPostLimits({ totalMs: 200, bodyMs: 100, bodyBytes: 16_384 }));
afterEach(() => {
  stand.receiver.answer();
  setPostLimits();
});
afterAll(() => stand.close());

/** An owner with that many endpoints and events, all published; the first endpoint hangs. */
async function ownerWithHanging(endpoints: number, events: number): Promise<WebhookOwner> {
  const owner = await stand.newOwner(endpoints);
  const hanging = owner.endpoints[0]?.path;
  stand.receiver.answer(({ path }) => (path === hanging ? 'hang' : { status: 200 }));
  await owner.createInvoices(events);
  await stand.publish(owner);
  return owner;
}

const isTo = (owner: WebhookOwner, place: number) => {
  const id = owner.endpoints[place]?.id;
  return ({ reference, pk }: TestItem) => (reference ?? pk).includes(id);
};
const deliveriesTo = async (owner: WebhookOwner, place = 0) =>
  (await owner.deliveries()).filter(isTo(owner, place));

async function handleInTurn(timers: readonly TestItem[]): Promise<void> {
  for (const timer of timers) await handleMessages('webhook', [messageOf(timer)]);
}

/** Three time-outs, and the endpoint is left alone. */
async function openBreaker(events: number): Promise<WebhookOwner> {
  const owner = await ownerWithHanging(1, events);
  await handleInTurn(await owner.timers());
  expect(owner.messagesTo(0)).toHaveLength(3);
  return owner;
}

test('an endpoint that hangs costs three time-outs, then nothing; all its deliveries succeed once it answers', async () => {
  const owner = await openBreaker(12);
  const errors = (await deliveriesTo(owner)).map(({ attempts: [{ error }] }) => error);
  expect(errors.sort()).toEqual([...Array(9).fill('endpoint_unresponsive'), ...Array(3).fill('timeout')]);
  stand.receiver.answer();
  const deliveries = await stand.rest(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(12).fill('succeeded'));
});

test('an endpoint hangs, and those whose messages are in the same batch get theirs meanwhile', async () => {
  // Nothing times out before the test lets go of it.
  setPostLimits({ totalMs: 100_000, bodyMs: 100, bodyBytes: 16_384 });
  const owner = await stand.newOwner(5);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  stand.receiver.answer(async ({ path }) => {
    if (path === owner.endpoints[0]?.path) await released;
    return { status: 200 };
  });
  await owner.createInvoices(10);
  await stand.publish(owner);
  const timers = await owner.timers();
  const hanging = timers.filter(isTo(owner, 0));
  const batch = handleMessages(
    'webhook',
    [...hanging, ...timers.filter((timer) => !hanging.includes(timer))].map(messageOf),
  );
  await waitUntil('the others are done', async () => (await owner.timers()).length === hanging.length);
  for (const place of [1, 2, 3, 4]) {
    expect(new Set((await deliveriesTo(owner, place)).map(({ status }) => status))).toEqual(
      new Set(['succeeded']),
    );
  }
  expect(new Set((await deliveriesTo(owner)).map(({ status }) => status))).toEqual(new Set(['pending']));
  release();
  await batch;
  await stand.rest(owner);
});

test('after the pause one attempt finds out whether it answers; once it does, the others come at their time', async () => {
  const owner = await openBreaker(10);
  stand.clock.advance(openMs - 1);
  await stand.handleDue(owner);
  expect(owner.messagesTo(0)).toHaveLength(3);
  // Now it answers, but not before all that are due have been looked at.
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  stand.receiver.answer(() => released.then(() => ({ status: 200 })));
  setPostLimits({ totalMs: 100_000, bodyMs: 100, bodyBytes: 16_384 });
  stand.clock.advance(10 * 60_000);
  const due = await owner.timers();
  expect(due).toHaveLength(10);
  const attempts = due.map((timer) => handleMessages('webhook', [messageOf(timer)]));
  await waitUntil(
    'all but one have been put off',
    async () => (await owner.timers()).filter((timer) => timer.due > stand.clock.now()).length === 9,
  );
  await waitUntil('that one has arrived', () => owner.messagesTo(0).length > 3);
  expect(owner.messagesTo(0)).toHaveLength(4);
  release();
  await Promise.all(attempts);
  const deliveries = await stand.rest(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(10).fill('succeeded'));
  expect(owner.messagesTo(0)).toHaveLength(13);
});

test('an endpoint that goes on hanging is asked by one attempt after each pause, and the pauses get longer', async () => {
  const owner = await openBreaker(4);
  const pauses: number[] = [];
  for (let pause = 0; pause < 6; pause++) {
    const [health] = await stand.table.all(`WEBHOOKHEALTH#${owner.endpoints[0]?.id}`);
    pauses.push(health?.openMs);
    // What is known of an endpoint that is deleted does not stay.
    expect(health?.expiresAt).toBeGreaterThan(stand.clock.now() / 1000);
    stand.clock.to(Math.max(health?.openUntil, stand.clock.now()));
    await owner.createInvoices(1);
    await stand.publish(owner);
    const asked = owner.messagesTo(0).length;
    const fresh = (await owner.timers()).filter(({ due }) => due <= stand.clock.now());
    expect(fresh.length).toBeGreaterThan(0);
    await handleInTurn(fresh);
    expect(owner.messagesTo(0)).toHaveLength(asked + 1);
  }
  expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  stand.receiver.answer();
  const deliveries = await stand.rest(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(10).fill('succeeded'));
});

test('the one who finds out dies: after it another finds out, and nothing is lost', async () => {
  const owner = await openBreaker(5);
  stand.receiver.answer();
  stand.clock.advance(10 * 60_000);
  const [first, ...others] = (await owner.timers()) as [TestItem, ...TestItem[]];
  stand.deaths.set('prober', { at: 'PutItem', fate: 'dies before' });
  expect((await handleMessages('webhook', [messageOf(first)], 'prober')).died).toBe(true);
  await handleInTurn(others);
  const deliveries = await stand.rest(owner);
  expect(deliveries.map(({ status }) => status)).toEqual(Array(5).fill('succeeded'));
});

test('an endpoint that is left alone all along is asked once by each delivery, at its last attempt, and its answer counts', async () => {
  const owner = await stand.newOwner(2);
  const [taking] = owner.endpoints;
  stand.receiver.answer(({ path }) => ({ status: path === taking?.path ? 200 : 500 }));
  const health = { failingSince: stand.clock.now(), openUntil: stand.clock.now() + 1e10, openMs };
  for (const { id } of owner.endpoints) await stand.table.put({ ...keys.webhookHealth(id), ...health });
  await owner.createInvoices(1);
  await stand.rest(owner);
  const unasked = Array(9).fill('endpoint_unresponsive');
  for (const [place, [status, answered]] of [
    ['succeeded', 200] as const,
    ['failed', 500] as const,
  ].entries()) {
    const [delivery] = await deliveriesTo(owner, place);
    expect(delivery?.status).toBe(status);
    const attempts = delivery?.attempts.map((attempt: TestItem) => attempt.error ?? attempt.status);
    expect(attempts).toEqual([...unasked, answered]);
    expect(owner.messagesTo(place)).toHaveLength(1);
  }
});
