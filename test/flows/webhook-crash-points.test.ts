import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Fate } from '../support/fault-layer.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import type { TestItem } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Answer } from '../support/webhook-receiver.ts';
import { startWebhookStand, type WebhookOwner, type WebhookStand } from '../support/webhook-stand.ts';
import { handleMessages, messageOf, publishItems } from '../support/webhook-workers.ts';

const minuteMs = 60_000;

let stand: WebhookStand;

beforeAll(async () => {
  stand = await startWebhookStand();
});
afterEach(() => stand.receiver.answer());
afterAll(() => stand.close());

let count = 0;

/** The next invocations die one after the other at one place further: before the call, then after it. */
function dyingLabels(number: number): string[] {
  return Array.from({ length: number }, (_, place) => {
    const label = `dying-${count++}`;
    const fate: Fate = place % 2 === 0 ? 'dies before' : 'dies after';
    stand.deaths.set(label, { at: Math.floor(place / 2), fate });
    return label;
  });
}

const statuses = (deliveries: readonly TestItem[]) => deliveries.map(({ status }) => status);

test('the publisher dies at any call: the sweep publishes the rest, and each event reaches each endpoint', async () => {
  // Two index pages, cursor, log, endpoints; for two deliveries each timer, mark, itself, message; the due date's
  // timer, its mark; the item's deletion.
  const calls = 16;
  const owner = await stand.newOwner(2);
  await owner.createInvoices(2 * (calls + 1));
  const items = await stand.table.outboxOf(owner.owner);
  const labels = dyingLabels(items.length);
  const runs = await Promise.all(items.map((item, place) => publishItems([item], labels[place])));
  expect(runs.map(({ died }) => died)).toEqual(items.map((_, place) => place < 2 * calls));
  stand.clock.advance(minuteMs + 1);
  while ((await stand.table.outboxOf(owner.owner)).length > 0) {
    await stand.stack.schedule.run();
    stand.clock.advance(minuteMs + 1);
  }
  const deliveries = await stand.rest(owner);
  expect(statuses(deliveries)).toEqual(Array(2 * items.length).fill('succeeded'));
  expect(await stand.table.all(`EVENTS#${owner.owner}`)).toHaveLength(items.length);
});

test('the publisher dies behind a delivery, and the endpoint is changed to other events before the sweep: the delivery ends all the same', async () => {
  const owner = await stand.newOwner();
  await owner.createInvoices(4);
  const items = await stand.table.outboxOf(owner.owner);
  // Behind two index pages, cursor, log and endpoints.
  const first = 5;
  const runs = items.map((item, place) => {
    const label = `publisher-behind-${place}`;
    stand.deaths.set(label, { at: first + place, fate: 'dies after' });
    return publishItems([item], label);
  });
  expect((await Promise.all(runs)).map(({ died }) => died)).toEqual(Array(4).fill(true));
  const [endpoint] = owner.endpoints;
  await owner.api.patch(`/api/webhooks/${endpoint?.id}`, { events: ['refund.failed'] });
  stand.clock.advance(minuteMs + 1);
  await stand.stack.schedule.run();
  expect(await stand.table.outboxOf(owner.owner)).toEqual([]);
  const deliveries = await stand.rest({ ...owner, endpoints: [] });
  expect(deliveries.length).toBeGreaterThan(0);
  expect(new Set(statuses(deliveries))).toEqual(new Set(['succeeded']));
});

/** What a dispatcher comes to. */
interface Case {
  readonly what: string;
  /** The calls that it makes. */
  readonly calls: number;
  readonly answer: Answer;
  /** Brings the deliveries to where the dispatcher begins. */
  readonly prepare?: (owner: WebhookOwner) => Promise<unknown>;
  /** What has become of the deliveries in the end. */
  readonly ends: readonly string[];
  /** What the endpoints' status is in the end. */
  readonly endpoint?: string;
  /** Attempts that are made at most, however often it dies. */
  readonly most: number;
}

const ok: Answer = { status: 200 };
const unavailable: Answer = { status: 500, body: 'later' };

async function failOnce(owner: WebhookOwner): Promise<void> {
  stand.receiver.answer(() => unavailable);
  await stand.handleDue(owner);
  stand.clock.advance(6_001);
}

async function disable({ api, endpoints }: WebhookOwner): Promise<void> {
  const disabled = { status: 'disabled' };
  for (const { id } of endpoints) await api.patch(`/api/webhooks/${id}`, disabled);
}

const cases: readonly Case[] = [
  { what: 'a delivery succeeds', calls: 3, answer: ok, ends: ['succeeded'], most: 2 },
  {
    what: 'a delivery succeeds after it failed, and the failure is forgotten',
    ...{ calls: 4, answer: ok, prepare: failOnce, ends: ['succeeded'], most: 3 },
  },
  {
    what: 'a delivery fails and comes again',
    ...{ calls: 5, answer: unavailable, ends: ['succeeded'], most: 4 },
  },
  {
    what: 'an endpoint is gone',
    ...{ calls: 5, answer: { status: 410 }, ends: ['failed', 'skipped'], endpoint: 'disabled', most: 2 },
  },
  {
    what: 'a disabled endpoint is skipped',
    ...{ calls: 3, answer: ok, prepare: disable, ends: ['skipped'], endpoint: 'disabled', most: 0 },
  },
];

test.each(cases)(
  'the dispatcher dies at any call, where $what: it ends the same, whether its message comes again or its timer',
  async ({ calls, answer, prepare, ends, endpoint = 'enabled', most }) => {
    const owner = await stand.newOwner(2 * (calls + 1));
    await owner.createInvoices(1);
    await stand.publish(owner);
    await prepare?.(owner);
    stand.receiver.answer(() => answer);
    const timers = await owner.timers();
    expect(timers).toHaveLength(owner.endpoints.length);
    const labels = dyingLabels(timers.length);
    const runs = await Promise.all(
      timers.map(async (timer, place) => {
        const messages = [messageOf(timer)];
        const run = await handleMessages('webhook', messages, labels[place]);
        if (place % 4 < 2) await handleMessages('webhook', messages);
        return run;
      }),
    );
    expect(runs.map(({ died }) => died)).toEqual(timers.map((_, place) => place < 2 * calls));
    // What the dead have left is due by now; who failed has been told to come later.
    stand.clock.advance(6_001);
    await stand.handleDue(owner);
    if (answer === unavailable) stand.receiver.answer();
    const deliveries = await stand.rest(owner);
    expect(deliveries).toHaveLength(owner.endpoints.length);
    expect(ends).toEqual(expect.arrayContaining([...new Set(statuses(deliveries))]));
    for (const { path } of owner.endpoints) {
      expect(stand.receiver.receivedAt(path).length).toBeLessThanOrEqual(most);
    }
    const { data } = (await owner.api.get('/api/webhooks?limit=100')).json;
    expect(new Set(data.map(({ status }: { status: string }) => status))).toEqual(new Set([endpoint]));
  },
);

test('the dispatcher dies after the receiver has answered 200 and before that is recorded: the event comes once more, the same, and is recorded once', async () => {
  const owner = await stand.newOwner();
  await owner.createInvoices(1);
  await stand.publish(owner);
  const [timer] = (await owner.timers()) as [TestItem];
  stand.deaths.set('after the answer', { at: 'PutItem', fate: 'dies before' });
  expect((await handleMessages('webhook', [messageOf(timer)], 'after the answer')).died).toBe(true);
  expect(await owner.deliveries()).toMatchObject([{ status: 'pending', attempts: [] }]);
  // Its message is lost; the watchdog's comes by the sweep and the queue.
  await purgeQueues(stand.stack);
  stand.clock.advance(3 * minuteMs);
  await stand.stack.schedule.run();
  stand.stack.queues.resume();
  await waitUntil('it is recorded', async () => (await owner.timers()).length === 0);
  await stand.stack.queues.pause();
  expect(await stand.rest(owner)).toMatchObject([{ status: 'succeeded', attempts: [{ number: 1 }] }]);
  const messages = stand.receiver.receivedAt(owner.endpoints[0]?.path ?? '');
  expect(messages).toHaveLength(2);
  expect(new Set(messages.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
});

/** An owner whose endpoints have skipped `count` events each, and are enabled again. */
async function ownerWhoMissed(endpoints: number, count: number): Promise<WebhookOwner> {
  const owner = await stand.newOwner(endpoints);
  await disable(owner);
  await owner.createInvoices(count);
  await stand.publish(owner);
  for (const { id } of owner.endpoints) await owner.api.patch(`/api/webhooks/${id}`, { status: 'enabled' });
  expect(statuses(await owner.deliveries())).toEqual(Array(endpoints * count).fill('skipped'));
  return owner;
}

async function askForAll(owner: WebhookOwner): Promise<void> {
  const since = { since: new Date(stand.clock.now() - 60 * minuteMs).toISOString() };
  for (const { id } of owner.endpoints) {
    expect((await owner.api.post(`/api/webhooks/${id}/recover`, since)).status).toBe(200);
  }
  await stand.publish(owner);
}

test('the recovery worker dies at any call: all that was missed is delivered', async () => {
  // Endpoint, deliveries, a delivery's timer and mark, itself and its message, the recovery's timer.
  const calls = 7;
  const owner = await ownerWhoMissed(2 * (calls + 1), 1);
  await askForAll(owner);
  const timers = await owner.timers();
  expect(timers.map(({ kind }) => kind)).toEqual(Array(owner.endpoints.length).fill('recovery'));
  const labels = dyingLabels(timers.length);
  const runs = await Promise.all(
    timers.map((timer, place) => handleMessages('recovery', [messageOf(timer)], labels[place])),
  );
  expect(runs.map(({ died }) => died)).toEqual(timers.map((_, place) => place < 2 * calls));
  expect(statuses(await stand.rest(owner))).toEqual(Array(owner.endpoints.length).fill('succeeded'));
});

test('the recovery worker dies between two steps of a long log: it goes on to the end of the log', async () => {
  const missed = 55;
  const owner = await ownerWhoMissed(2, missed);
  await askForAll(owner);
  const [first, second] = (await owner.timers()) as [TestItem, TestItem];
  // Endpoint and deliveries, four calls for each of fifty, timer, mark and message of the next step, and the end.
  const calls = 2 + 50 * 4 + 4;
  stand.deaths.set('before the next step', { at: calls - 4, fate: 'dies before' });
  stand.deaths.set('before its own end', { at: calls - 1, fate: 'dies before' });
  const runs = [
    await handleMessages('recovery', [messageOf(first)], 'before the next step'),
    await handleMessages('recovery', [messageOf(second)], 'before its own end'),
  ];
  expect(runs.map(({ died }) => died)).toEqual([true, true]);
  expect(statuses(await stand.rest(owner))).toEqual(Array(2 * missed).fill('succeeded'));
});

test('the recovery worker dies, and its endpoint is disabled before it comes again: what it had taken up ends', async () => {
  const calls = 7;
  const owner = await ownerWhoMissed(2 * calls, 1);
  await askForAll(owner);
  const timers = await owner.timers();
  const labels = dyingLabels(timers.length);
  await Promise.all(
    timers.map((timer, place) => handleMessages('recovery', [messageOf(timer)], labels[place])),
  );
  await disable(owner);
  expect(statuses(await stand.rest(owner))).toEqual(Array(owner.endpoints.length).fill('skipped'));
});
