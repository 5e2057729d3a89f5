/** Tests GET /api/webhooks/:id/deliveries: the deliveries to an endpoint, newest first. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import type { Owner } from '../../../shared/base/ids.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import type { TimerMessage } from '../../../shared/store/timers/timer-item.ts';
import { newAccount, type TestAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { expectError } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  commonTypes,
  newWebhook,
  ownerOf,
  readDeliveries,
  relaySampleEvents,
  timestamp,
  uncommonTypes,
  unknownWebhookId,
  waitForDeliveries,
  webhookPath,
} from './new-webhook.ts';
import { type MailboxReceiver, startMailboxReceiver } from './receiver.ts';

let stack: Stack;
let receiver: MailboxReceiver;
let clock: TestClock;
let account: TestAccount;
let owner: Owner;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  receiver = await startMailboxReceiver();
  clock = stopClock();
  account = await newAccount(stack.baseUrl);
  owner = ownerOf(account);
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

// biome-ignore lint/suspicious/noExplicitAny: deliveries as the API returned them
type Shown = any;
const statuses = ['pending', 'succeeded', 'failed', 'skipped'] as const;

/** Stores `count` deliveries with the service's own code, with the statuses in turn. Returns them, newest first. */
async function fill(
  webhook: { id: string },
  count: number,
  statusOf = (index: number) => statuses[index % 4],
) {
  const { newDelivery } = await import('../../../shared/domain/webhooks/delivery.ts');
  const { putNewDelivery } = await import('../../../shared/domain/webhooks/delivery-store.ts');
  const stored: { id: string; status: string }[] = [];
  for (let index = 0; index < count; index++) {
    clock.advance(1);
    const body = JSON.stringify({ timestamp: new Date(clock.now()).toISOString() });
    const event = { id: `evt_${String(index).padStart(26, '0')}`, type: 'invoice.paid', body };
    const delivery = newDelivery(owner, { ...webhook, status: 'enabled' }, event, index + 1);
    const status = statusOf(index) ?? 'pending';
    const nextAttemptAt = status === 'pending' ? delivery.nextAttemptAt : undefined;
    await putNewDelivery({ ...delivery, status, nextAttemptAt });
    stored.unshift({ id: delivery.id, status });
  }
  return stored;
}

/** Gives each delivery as many attempts as are kept, each with an answer of 1 KiB that JSON escapes. */
async function fillAnswers(webhook: { id: string }, ids: readonly string[]) {
  const table = tableOf(stack);
  const characters = ['\u0001', '"', '\\', '\n'];
  const items = ids.map(async (id, index) => {
    const answer = (characters[index % characters.length] ?? '').repeat(1_024);
    const attempts = Array.from({ length: 25 }, (_, attempt) => ({
      number: attempt + 1,
      at: clock.now(),
      durationMs: 1,
      status: 500,
      answer,
    }));
    return { ...(await table.get(tableKeys.delivery(webhook.id, id))), attempts };
  });
  await table.putAll(await Promise.all(items));
}

const listDeliveries = (webhook: { id: string }, query = '') =>
  account.test.get(webhookPath(webhook, `/deliveries${query}`));
const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

test('an endpoint without deliveries has an empty list', async () => {
  const webhook = await newWebhook(account.test);
  expect((await listDeliveries(webhook)).json).toEqual({ data: [], cursor: { hasMore: false, next: null } });
});

test('a delivery shows its event, its attempts and the time of the next one, and no other fields', async () => {
  const mailbox = receiver.mailbox();
  mailbox.respondWith(() => ({ status: 500, body: 'out of order' }));
  const { test: api, ...rest } = await newAccount(stack.baseUrl);
  const webhook = await newWebhook(api, { url: mailbox.url });
  const [eventId] = await relaySampleEvents(ownerOf({ ...rest, test: api }), ['refund.processed']);
  const [delivery] = await waitForDeliveries(
    api,
    webhook,
    'an attempt was made',
    ([one]) => one?.attempts.length === 1,
  );
  const attempt = {
    number: 1,
    at: timestamp,
    durationMs: expect.any(Number),
    status: 500,
    error: null,
    cause: null,
  };
  expect(delivery).toEqual({
    id: expect.stringMatching(/^dlv_[0-9a-z]{26}$/),
    eventId,
    eventType: 'refund.processed',
    status: 'pending',
    attempts: [{ ...attempt, answer: 'out of order' }],
    nextAttemptAt: timestamp,
    createdAt: new Date(clock.now()).toISOString(),
  });
  const waitMs = Date.parse(delivery.nextAttemptAt) - clock.now();
  expect(waitMs).toBeGreaterThanOrEqual(4_000);
  expect(waitMs).toBeLessThanOrEqual(6_000);
  await api.delete(webhookPath(webhook));
});

test('a message that arrives early does not change its timer', async () => {
  const { dispatchDeliveries } = await import('../../../shared/domain/webhooks/dispatch.ts');
  const mailbox = receiver.mailbox();
  mailbox.respondWith(() => ({ status: 503, headers: { 'Retry-After': '30' } }));
  const other = await newAccount(stack.baseUrl);
  const webhook = await newWebhook(other.test, { url: mailbox.url });
  await relaySampleEvents(ownerOf(other), ['invoice.paid']);
  const timersOf = async () =>
    (await tableOf(stack).all('TIMER#')).filter(({ reference }) => reference.includes(webhook.id));
  const [timer] = await waitUntil('the delivery waits for its second attempt', async () => {
    const timers = await timersOf();
    const isWaiting = timers.length === 1 && timers.every(({ due }) => due > clock.now());
    return isWaiting ? timers : undefined;
  });
  await Promise.all(dispatchDeliveries([timer as unknown as TimerMessage]));
  expect(mailbox.received).toHaveLength(1);
  expect(await timersOf()).toEqual([timer]);
});

test('pages with any limit contain each delivery once, newest first', async () => {
  const webhook = await newWebhook(account.test);
  const stored = await fill(webhook, 45);
  for (const limit of [1, 7, 20, 44, 45, 46, 100]) {
    const found: string[] = [];
    for (let before = ''; ; ) {
      const { data, cursor } = (await listDeliveries(webhook, `?limit=${limit}${before}`)).json;
      found.push(...idsOf(data));
      const left = stored.length - found.length;
      expect(data).toHaveLength(left > 0 ? limit : stored.length - (found.length - data.length));
      expect(cursor).toEqual({ hasMore: left > 0, next: left > 0 ? data.at(-1).id : null });
      if (!cursor.hasMore) break;
      before = `&before=${cursor.next}`;
    }
    expect(found).toEqual(idsOf(stored));
  }
  expect((await listDeliveries(webhook)).json.data).toHaveLength(20);
});

test.each(['', '&status=failed'])(
  'a page of long answers ends early, and no delivery is lost: ?limit=100%s',
  async (filter) => {
    const webhook = await newWebhook(account.test);
    const stored = await fill(webhook, 120, () => 'failed');
    await fillAnswers(webhook, idsOf(stored));
    const found: string[] = [];
    const sizes: number[] = [];
    for (let before = ''; ; ) {
      const { text, json } = await listDeliveries(webhook, `?limit=100${filter}${before}`);
      // Lambda returns the body as a JSON string within its own JSON, so the body is escaped twice.
      sizes.push(Buffer.byteLength(JSON.stringify(text)));
      found.push(...idsOf(json.data));
      const hasMore = found.length < stored.length;
      expect(json.cursor).toEqual({ hasMore, next: hasMore ? json.data.at(-1)?.id : null });
      if (!hasMore || json.data.length === 0) break;
      before = `&before=${json.cursor.next}`;
    }
    expect(found).toEqual(idsOf(stored));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4_000_000);
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThan(3_500_000);
  },
);

test('before accepts any id, also the id of a delivery that does not exist', async () => {
  const webhook = await newWebhook(account.test);
  const stored = await fill(webhook, 3);
  const [, second] = stored;
  const absent = (second?.id ?? '').replace(/.$/, (last) => (last === 'z' ? 'y' : 'z'));
  const expected = idsOf(stored).filter((id) => id < absent);
  expect(idsOf((await listDeliveries(webhook, `?before=${absent}`)).json.data)).toEqual(expected);
  expect((await listDeliveries(webhook, `?before=dlv_${'0'.repeat(26)}`)).json.data).toEqual([]);
  expect(idsOf((await listDeliveries(webhook, `?before=dlv_${'z'.repeat(26)}`)).json.data)).toEqual(
    idsOf(stored),
  );
});

test('a filter returns all deliveries of a status and no others, also if they are few among many', async () => {
  const webhook = await newWebhook(account.test);
  const stored = await fill(webhook, 230, (index) => (index % 70 === 3 ? 'failed' : statuses[index % 2]));
  for (const status of statuses) {
    const expected = idsOf(stored.filter((one) => one.status === status));
    for (const limit of [1, 2, 3, 4, 100]) {
      const found: string[] = [];
      for (let before = ''; ; ) {
        const { data, cursor } = (await listDeliveries(webhook, `?status=${status}&limit=${limit}${before}`))
          .json;
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

test('a full page with a filter has hasMore only if more deliveries are possible', async () => {
  const webhook = await newWebhook(account.test);
  await fill(webhook, 3, () => 'failed');
  expect((await listDeliveries(webhook, '?status=failed&limit=3')).json.cursor).toEqual({
    hasMore: false,
    next: null,
  });
  expect((await listDeliveries(webhook, '?status=failed&limit=2')).json.cursor.hasMore).toBe(true);
});

test('* receives the common event types, all every type, a list of types receives those, in the same account and mode only', async () => {
  const everyType = [...commonTypes, ...uncommonTypes];
  const other = await newAccount(stack.baseUrl);
  const { test: api } = other;
  const subscriptions: [string[], readonly string[]][] = [
    [['*'], commonTypes],
    [
      ['*', 'refund.failed'],
      [...commonTypes, 'refund.failed'],
    ],
    [['all'], everyType],
    ...[['invoice.overdue'], ['invoice.paid', 'refund.failed'], everyType].map(
      (events): [string[], string[]] => [events, events],
    ),
  ];
  const webhooks = [];
  for (const [events] of subscriptions)
    webhooks.push(await newWebhook(api, { events, url: receiver.mailbox().url }));
  const strangers = [account.test, other.live];
  const theirs: Shown[] = [];
  for (const stranger of strangers)
    theirs.push(await newWebhook(stranger, { url: 'https://127.0.0.1:9/', events: everyType }));
  await relaySampleEvents(ownerOf(other), everyType);
  for (const [index, [, expected]] of subscriptions.entries()) {
    const types = (await readDeliveries(api, webhooks[index])).map(({ eventType }) => eventType);
    expect(types.sort()).toEqual([...expected].sort());
  }
  expect(await readDeliveries(account.test, theirs[0])).toEqual([]);
  expect(await readDeliveries(other.live, theirs[1])).toEqual([]);
});

test('events that are relayed while an endpoint is disabled are skipped', async () => {
  const other = await newAccount(stack.baseUrl);
  const mailbox = receiver.mailbox();
  const webhook = await newWebhook(other.test, { url: mailbox.url });
  await other.test.patch(webhookPath(webhook), { status: 'disabled' });
  await relaySampleEvents(ownerOf(other), ['invoice.paid']);
  expect(await readDeliveries(other.test, webhook)).toMatchObject([
    { status: 'skipped', attempts: [], nextAttemptAt: null },
  ]);
  await other.test.patch(webhookPath(webhook), { status: 'enabled' });
  clock.advance(1_000);
  await relaySampleEvents(ownerOf(other), ['invoice.created']);
  await waitForDeliveries(
    other.test,
    webhook,
    'the next event is delivered',
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
])('400 for ?%s', async (query, code, field) => {
  const webhook = { id: unknownWebhookId };
  const response = await listDeliveries(webhook, `?${query}`);
  expectError(response, 400, code, field);
});

test('the deliveries of another owner, or of an unknown endpoint, are 404', async () => {
  const webhook = await newWebhook(account.test);
  await fill(webhook, 1);
  const stranger = await newAccount(stack.baseUrl);
  for (const theirs of [account.live, stranger.test, stranger.live])
    expectError(await theirs.get(webhookPath(webhook, '/deliveries')), 404, 'webhook_not_found');
  for (const id of [unknownWebhookId, 'REGISTRY', 'nonsense', `${webhook.id}0`, 'x'.repeat(3000)])
    expectError(await listDeliveries({ id }), 404, 'webhook_not_found');
});
