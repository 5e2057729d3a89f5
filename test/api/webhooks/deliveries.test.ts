/** GET /api/webhooks/:id/deliveries: the log of what was sent to an endpoint, newest first. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import type { Owner } from '../../../shared/ids.ts';
import type { TimerMessage } from '../../../shared/store/timers.ts';
import { newAccount, type TestAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { expectError } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  commonTypes,
  deliveriesOf,
  newWebhook,
  ownerOf,
  pathOf,
  publishEvents,
  rareTypes,
  timestamp,
  unknownId,
  waitForDeliveries,
} from './new-webhook.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let stack: Stack;
let receiver: Receiver;
let clock: TestClock;
let account: TestAccount;
let owner: Owner;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  receiver = await startReceiver();
  clock = stopClock();
  account = await newAccount(stack.baseUrl);
  owner = ownerOf(account);
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

// biome-ignore lint/suspicious/noExplicitAny: deliveries as they were answered
type Shown = any;
const statuses = ['pending', 'succeeded', 'failed', 'skipped'] as const;

/** Deliveries of `count` events, put by the service's own code, in turn of each status; their ids, newest first. */
async function fill(
  webhook: { id: string },
  count: number,
  statusOf = (index: number) => statuses[index % 4],
) {
  const { newDelivery } = await import('../../../shared/webhooks/delivery.ts');
  const { putDelivery } = await import('../../../shared/webhooks/delivery-store.ts');
  const made: { id: string; status: string }[] = [];
  for (let index = 0; index < count; index++) {
    clock.advance(1);
    const body = JSON.stringify({ timestamp: new Date(clock.now()).toISOString() });
    const event = { id: `evt_${String(index).padStart(26, '0')}`, type: 'invoice.paid', body };
    const delivery = newDelivery(owner, { ...webhook, status: 'enabled' }, event, index + 1);
    const status = statusOf(index) ?? 'pending';
    const nextAttemptAt = status === 'pending' ? delivery.nextAttemptAt : undefined;
    await putDelivery({ ...delivery, status, nextAttemptAt });
    made.unshift({ id: delivery.id, status });
  }
  return made;
}

const log = (webhook: { id: string }, query = '') => account.test.get(pathOf(webhook, `/deliveries${query}`));
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

test('nothing was sent: an empty log', async () => {
  const webhook = await newWebhook(account.test);
  expect((await log(webhook)).json).toEqual({ data: [], cursor: { hasMore: false, next: null } });
});

test('a delivery shows its event, its attempts and when the next one is due; exactly these fields', async () => {
  const mailbox = receiver.mailbox();
  mailbox.answer(() => ({ status: 500, body: 'out of order' }));
  const { test: api, ...rest } = await newAccount(stack.baseUrl);
  const webhook = await newWebhook(api, { url: mailbox.url });
  const [eventId] = await publishEvents(ownerOf({ ...rest, test: api }), ['refund.processed']);
  const [delivery] = await waitForDeliveries(
    api,
    webhook,
    'an attempt was made',
    ([one]) => one?.attempts.length === 1,
  );
  const attempt = { number: 1, at: timestamp, durationMs: expect.any(Number), status: 500, error: null };
  expect(delivery).toEqual({
    id: expect.stringMatching(/^dlv_[0-9a-z]{26}$/),
    ...{ eventId, eventType: 'refund.processed', status: 'pending' },
    attempts: [{ ...attempt, answer: 'out of order' }],
    ...{ nextAttemptAt: timestamp, createdAt: new Date(clock.now()).toISOString() },
  });
  const waitMs = Date.parse(delivery.nextAttemptAt) - clock.now();
  expect(waitMs).toBeGreaterThanOrEqual(4_000);
  expect(waitMs).toBeLessThanOrEqual(6_000);
  await api.delete(pathOf(webhook));
});

test('a message that comes before its time leaves the timer that stands behind it', async () => {
  const { dispatch } = await import('../../../shared/webhooks/dispatch.ts');
  const mailbox = receiver.mailbox();
  mailbox.answer(() => ({ status: 503, headers: { 'Retry-After': '30' } }));
  const other = await newAccount(stack.baseUrl);
  const webhook = await newWebhook(other.test, { url: mailbox.url });
  await publishEvents(ownerOf(other), ['invoice.paid']);
  const timersOf = async () =>
    (await tableOf(stack).all('TIMER#')).filter(({ reference }) => reference.includes(webhook.id));
  const [timer] = await waitUntil('it waits for its second attempt', async () => {
    const timers = await timersOf();
    const waits = timers.length === 1 && timers.every(({ due }) => due > clock.now());
    return waits ? timers : undefined;
  });
  await dispatch(timer as unknown as TimerMessage);
  expect(mailbox.received).toHaveLength(1);
  expect(await timersOf()).toEqual([timer]);
});

test('newest first, in pages of any limit, each delivery once', async () => {
  const webhook = await newWebhook(account.test);
  const made = await fill(webhook, 45);
  for (const limit of [1, 7, 20, 44, 45, 46, 100]) {
    const found: string[] = [];
    for (let before = ''; ; ) {
      const { data, cursor } = (await log(webhook, `?limit=${limit}${before}`)).json;
      found.push(...idsOf(data));
      const left = made.length - found.length;
      expect(data).toHaveLength(left > 0 ? limit : made.length - (found.length - data.length));
      expect(cursor).toEqual({ hasMore: left > 0, next: left > 0 ? data.at(-1).id : null });
      if (!cursor.hasMore) break;
      before = `&before=${cursor.next}`;
    }
    expect(found).toEqual(idsOf(made));
  }
  expect((await log(webhook)).json.data).toHaveLength(20);
});

test('before takes any id, also that of a delivery that is not there', async () => {
  const webhook = await newWebhook(account.test);
  const made = await fill(webhook, 3);
  const [, second] = made;
  const beside = (second?.id ?? '').replace(/.$/, (last) => (last === 'z' ? 'y' : 'z'));
  const expected = idsOf(made).filter((id) => id < beside);
  expect(idsOf((await log(webhook, `?before=${beside}`)).json.data)).toEqual(expected);
  expect((await log(webhook, `?before=dlv_${'0'.repeat(26)}`)).json.data).toEqual([]);
  expect(idsOf((await log(webhook, `?before=dlv_${'z'.repeat(26)}`)).json.data)).toEqual(idsOf(made));
});

test('with a filter: all of that status and no others, however few they are among many', async () => {
  const webhook = await newWebhook(account.test);
  const made = await fill(webhook, 230, (index) => (index % 70 === 3 ? 'failed' : statuses[index % 2]));
  for (const status of statuses) {
    const expected = idsOf(made.filter((one) => one.status === status));
    for (const limit of [1, 2, 3, 4, 100]) {
      const found: string[] = [];
      for (let before = ''; ; ) {
        const { data, cursor } = (await log(webhook, `?status=${status}&limit=${limit}${before}`)).json;
        expect(data.length).toBeLessThanOrEqual(limit);
        found.push(...idsOf(data));
        if (!cursor.hasMore) break;
        before = `&before=${cursor.next}`;
      }
      expect({ status, limit, found }).toEqual({ status, limit, found: expected });
      if (expected.length > 20) break;
    }
  }
});

test('a full page of a filter says that there are more only if there may be', async () => {
  const webhook = await newWebhook(account.test);
  await fill(webhook, 3, () => 'failed');
  expect((await log(webhook, '?status=failed&limit=3')).json.cursor).toEqual({ hasMore: false, next: null });
  expect((await log(webhook, '?status=failed&limit=2')).json.cursor.hasMore).toBe(true);
});

test('* is sent exactly the common kinds, who names kinds exactly those, in each account and mode its own', async () => {
  const everyType = [...commonTypes, ...rareTypes];
  const other = await newAccount(stack.baseUrl);
  const { test: api } = other;
  const wishes = [['*'], ['invoice.overdue'], ['invoice.paid', 'refund.failed'], everyType];
  const webhooks = [];
  for (const events of wishes) webhooks.push(await newWebhook(api, { events, url: receiver.mailbox().url }));
  const strangers = [account.test, other.live];
  const theirs: Shown[] = [];
  for (const stranger of strangers)
    theirs.push(await newWebhook(stranger, { url: 'https://127.0.0.1:9/', events: everyType }));
  await publishEvents(ownerOf(other), everyType);
  for (const [index, events] of wishes.entries()) {
    const types = (await deliveriesOf(api, webhooks[index])).map(({ eventType }) => eventType);
    expect(types.sort()).toEqual([...(events[0] === '*' ? commonTypes : events)].sort());
  }
  expect(await deliveriesOf(account.test, theirs[0])).toEqual([]);
  expect(await deliveriesOf(other.live, theirs[1])).toEqual([]);
});

test('events that come while an endpoint is disabled are skipped', async () => {
  const other = await newAccount(stack.baseUrl);
  const mailbox = receiver.mailbox();
  const webhook = await newWebhook(other.test, { url: mailbox.url });
  await other.test.patch(pathOf(webhook), { status: 'disabled' });
  await publishEvents(ownerOf(other), ['invoice.paid']);
  expect(await deliveriesOf(other.test, webhook)).toMatchObject([
    { status: 'skipped', attempts: [], nextAttemptAt: null },
  ]);
  await other.test.patch(pathOf(webhook), { status: 'enabled' });
  clock.advance(1_000);
  await publishEvents(ownerOf(other), ['invoice.created']);
  await waitForDeliveries(
    other.test,
    webhook,
    'the next one has arrived',
    ([one]) => one.status === 'succeeded',
  );
  expect(mailbox.received.map(({ json }) => json.type)).toEqual(['invoice.created']);
});

test.each([
  ['limit=0', 'invalid_limit', 'limit'],
  ['limit=101', 'invalid_limit', 'limit'],
  ['limit=2&limit=2', 'invalid_limit', 'limit'],
  ['status=', 'invalid_status', 'status'],
  ['status=enabled', 'invalid_status', 'status'],
  ['status=failed&status=skipped', 'invalid_status', 'status'],
  ['before=', 'invalid_before', 'before'],
  ['before=nonsense', 'invalid_before', 'before'],
  [`before=evt_${'0'.repeat(26)}`, 'invalid_before', 'before'],
  [`before=dlv_${'0'.repeat(27)}`, 'invalid_before', 'before'],
  ['offset=1', 'unknown_parameter', 'offset'],
  ['after=x', 'unknown_parameter', 'after'],
])('400: ?%s', async (query, code, field) => {
  const webhook = { id: unknownId };
  const response = await log(webhook, `?${query}`);
  expectError(response, 400, code, field);
});

test("another's log, and that of what is no endpoint, is 404", async () => {
  const webhook = await newWebhook(account.test);
  await fill(webhook, 1);
  const stranger = await newAccount(stack.baseUrl);
  for (const theirs of [account.live, stranger.test, stranger.live])
    expectError(await theirs.get(pathOf(webhook, '/deliveries')), 404, 'webhook_not_found');
  for (const id of [unknownId, 'REGISTRY', 'nonsense', `${webhook.id}0`, 'x'.repeat(3000)])
    expectError(await log({ id }), 404, 'webhook_not_found');
});
