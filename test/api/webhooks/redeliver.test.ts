/** Tests POST /api/webhooks/:id/deliveries/:deliveryId/redeliver: one immediate attempt outside the schedule. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  isReplay,
  newWebhook,
  ownerOf,
  readDeliveries,
  relaySampleEvents,
  repeatInParallel,
  timestamp,
  underKey,
  unknownWebhookId,
  waitForDeliveries,
  webhookPath,
} from './new-webhook.ts';
import { type MailboxBehavior, type MailboxReceiver, startMailboxReceiver, verify } from './receiver.ts';

const minute = 60_000;
let stack: Stack;
let table: TestTable;
let receiver: MailboxReceiver;
let clock: TestClock;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 60 * minute });
  table = tableOf(stack);
  receiver = await startMailboxReceiver();
  clock = stopClock();
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

/** Creates an endpoint with one delivery, and waits for its first attempt. `first` decides the response. */
async function newTestDelivery(first: MailboxBehavior | number) {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const mailbox = receiver.mailbox();
  mailbox.respondWith(first);
  const webhook = await newWebhook(api, { url: mailbox.url });
  const [eventId = ''] = await relaySampleEvents(ownerOf(account), ['invoice.paid']);
  const [delivery] = await waitForDeliveries(
    api,
    webhook,
    'the first attempt was made',
    ([one]) => one?.attempts.length === 1,
  );
  return { account, api, mailbox, webhook, delivery, eventId };
}

const redeliver = (api: Api, webhook: { id: string }, { id }: { id: string }, options = {}) =>
  api.post(webhookPath(webhook, `/deliveries/${id}/redeliver`), undefined, options);
const shown = async (api: Api, webhook: { id: string }) => (await readDeliveries(api, webhook))[0];
const timersOf = async ({ id }: { id: string }) =>
  (await table.all('TIMER#')).filter(({ reference }) => reference.includes(id));

/** Advances the clock until a delivery has no timer. */
async function runAllTimers(delivery: { id: string }): Promise<void> {
  await waitUntil(
    'no timer is left',
    async () => {
      clock.advance(10 * minute);
      await stack.schedule.run();
      return (await timersOf(delivery)).length === 0;
    },
    { everyMs: 500 },
  );
}

test('the same bytes are sent immediately under the same id, and a success ends the schedule', async () => {
  const { api, mailbox, webhook, delivery, eventId } = await newTestDelivery(500);
  expect(delivery).toMatchObject({ status: 'pending', nextAttemptAt: timestamp });
  mailbox.respondWith(() => ({ status: 201, body: 'at last' }));
  const response = await redeliver(api, webhook, delivery);
  expect(response.status).toBe(200);
  expectHeaders(response);
  expect(response.json).toEqual({
    ...delivery,
    status: 'succeeded',
    nextAttemptAt: null,
    attempts: [
      ...delivery.attempts,
      {
        number: 2,
        at: new Date(clock.now()).toISOString(),
        durationMs: expect.any(Number),
        status: 201,
        error: null,
        cause: null,
        answer: 'at last',
      },
    ],
  });
  expect(await shown(api, webhook)).toEqual(response.json);
  const [first, second] = mailbox.received;
  if (!first || !second) throw new Error('The receiver did not get two attempts.');
  expect(second.body.equals(first.body)).toBe(true);
  expect([first, second].map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
  expect(verify(webhook.secret, second)).toEqual((await api.get(`/api/events/${eventId}`)).json);

  await runAllTimers(delivery);
  expect(mailbox.received).toHaveLength(2);
  expect(await shown(api, webhook)).toEqual(response.json);
});

test('a failure only adds the attempt, and the schedule continues', async () => {
  const { api, mailbox, webhook, delivery } = await newTestDelivery(500);
  for (const [index, behavior] of [503, 404, () => undefined].entries()) {
    mailbox.respondWith(behavior as MailboxBehavior);
    const { json } = await redeliver(api, webhook, delivery);
    expect(json).toEqual({ ...delivery, attempts: expect.anything() });
    expect(json.attempts).toHaveLength(index + 2);
    expect(json.attempts.slice(0, index + 1)).toEqual((await shown(api, webhook)).attempts.slice(0, -1));
  }
  expect((await api.get(webhookPath(webhook))).json.status).toBe('enabled');
  mailbox.respondWith(200);
  await runAllTimers(delivery);
  const after = await shown(api, webhook);
  expect([after.status, after.attempts.map((each: { status: number }) => each.status)]).toEqual([
    'succeeded',
    [500, 503, 404, null, 200],
  ]);
});

test('410 disables the endpoint immediately, and the next attempt of the delivery is skipped', async () => {
  const { api, mailbox, webhook, delivery } = await newTestDelivery(500);
  mailbox.respondWith(410);
  const first = await redeliver(api, webhook, delivery, underKey('gone'));
  expect(first.json).toEqual({ ...delivery, attempts: [expect.anything(), expect.anything()] });
  const gone = { status: 'disabled', disabledReason: 'gone' };
  expect((await api.get(webhookPath(webhook))).json).toMatchObject(gone);
  const again = await redeliver(api, webhook, delivery, underKey('gone'));
  expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  await runAllTimers(delivery);
  expect((await shown(api, webhook)).status).toBe('skipped');
  expect(mailbox.received).toHaveLength(2);
});

test('a success deletes the health of the endpoint, and a failure does not', async () => {
  const { api, mailbox, webhook, delivery } = await newTestDelivery(500);
  const health = () => table.get(tableKeys.webhookHealth(webhook.id));
  await waitUntil('the failure is recorded', health);
  await redeliver(api, webhook, delivery);
  expect(await health()).toBeDefined();
  mailbox.respondWith(200);
  await redeliver(api, webhook, delivery);
  expect(await health()).toBeUndefined();
});

test('a failed delivery to an endpoint that 410 disabled can succeed, and the endpoint stays disabled', async () => {
  const { api, mailbox, webhook, delivery } = await newTestDelivery(410);
  const [failed] = await waitForDeliveries(
    api,
    webhook,
    'the delivery has failed',
    ([one]) => one.status === 'failed',
  );
  await waitUntil(
    'the endpoint is disabled',
    async () => (await api.get(webhookPath(webhook))).json.status === 'disabled',
  );
  expect((await api.get(webhookPath(webhook))).json.disabledReason).toBe('gone');
  mailbox.respondWith(500);
  expect((await redeliver(api, webhook, delivery)).json).toMatchObject({
    status: 'failed',
    nextAttemptAt: null,
  });
  mailbox.respondWith(200);
  const { json } = await redeliver(api, webhook, failed);
  expect([json.status, json.attempts.length]).toEqual(['succeeded', 3]);
  expect((await api.get(webhookPath(webhook))).json.status).toBe('disabled');
});

test('a skipped delivery can be redelivered, also while its endpoint is disabled', async () => {
  const { account, api, mailbox, webhook } = await newTestDelivery(200);
  await api.patch(webhookPath(webhook), { status: 'disabled' });
  clock.advance(1_000);
  await relaySampleEvents(ownerOf(account), ['invoice.created']);
  const skipped = await shown(api, webhook);
  expect(skipped.status).toBe('skipped');
  mailbox.respondWith(500);
  expect((await redeliver(api, webhook, skipped)).json.status).toBe('skipped');
  mailbox.respondWith(200);
  expect((await redeliver(api, webhook, skipped)).json.status).toBe('succeeded');
  expect(mailbox.received.map(({ json }) => json.type)).toEqual([
    'invoice.paid',
    'invoice.created',
    'invoice.created',
  ]);
});

test('a succeeded delivery is sent again, and stays succeeded with any response', async () => {
  const { api, mailbox, webhook, delivery } = await newTestDelivery(200);
  mailbox.respondWith(500);
  const { json } = await redeliver(api, webhook, delivery);
  expect(json).toMatchObject({ status: 'succeeded', attempts: [{ status: 200 }, { status: 500 }] });
  expect(mailbox.received).toHaveLength(2);
});

test('under a key the event is sent once, and a repetition gets the same response', async () => {
  const { api, mailbox, webhook, delivery } = await newTestDelivery(500);
  const first = await redeliver(api, webhook, delivery, underKey('again'));
  mailbox.respondWith(200);
  const second = await redeliver(api, webhook, delivery, underKey('again'));
  expect([second.text, isReplay(second)]).toEqual([first.text, true]);
  expect(mailbox.received).toHaveLength(2);
  expect((await shown(api, webhook)).attempts).toHaveLength(2);
});

test('concurrent redeliveries take turns: each attempt is recorded with its number, and one success is enough', async () => {
  const { api, mailbox, webhook, delivery } = await newTestDelivery(500);
  mailbox.respondWith((_, nth) => ({ status: nth % 3 === 0 ? 200 : 500 }));
  let left = 8;
  while (left > 0) {
    const responses = await repeatInParallel(left, () => redeliver(api, webhook, delivery));
    const done = responses.filter(({ status }) => status === 200);
    for (const refused of responses.filter(({ status }) => status !== 200))
      expectError(refused, 429, 'webhook_busy');
    expect(done.length).toBeGreaterThan(0);
    left -= done.length;
  }
  const after = await shown(api, webhook);
  expect(after.status).toBe('succeeded');
  expect(after.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await runAllTimers(delivery);
  expect(mailbox.received).toHaveLength(9);
});

test('a failure during the last scheduled attempt does not leave the delivery pending forever', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const mailbox = receiver.mailbox();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  mailbox.respondWith(async (_, nth) => {
    if (nth > 1) return { status: 500 };
    await released;
    return { status: 410 };
  });
  const webhook = await newWebhook(api, { url: mailbox.url });
  // With a second endpoint, deliveries are stored before their first attempts.
  await newWebhook(api, { url: receiver.mailbox().url });
  await relaySampleEvents(ownerOf(account), ['invoice.paid']);
  await waitUntil('the scheduled attempt is in progress', () => mailbox.received.length === 1);
  const delivery = await shown(api, webhook);
  expect((await redeliver(api, webhook, delivery)).json).toMatchObject({ status: 'pending' });
  release();
  await waitUntil(
    'the endpoint is disabled',
    async () => (await api.get(webhookPath(webhook))).json.disabledReason === 'gone',
  );
  await runAllTimers(delivery);
  expect((await shown(api, webhook)).status).toBe('skipped');
});

test('a delivery whose event is deleted is 404', async () => {
  const { account, api, mailbox, webhook, delivery } = await newTestDelivery(200);
  await table.delete(tableKeys.event(ownerOf(account), 1));
  expectError(await redeliver(api, webhook, delivery), 404, 'delivery_not_found');
  expect(mailbox.received).toHaveLength(1);
});

test('404 for unknown deliveries, and for those of another endpoint, mode or account', async () => {
  const { account, api, mailbox, webhook, delivery } = await newTestDelivery(200);
  const other = await newWebhook(api, { events: ['invoice.created'] });
  expectError(await redeliver(api, other, delivery), 404, 'delivery_not_found');
  for (const id of [`dlv_${'0'.repeat(26)}`, 'nonsense', `${delivery.id}0`, 'x'.repeat(3000)])
    expectError(await redeliver(api, webhook, { id }), 404, 'delivery_not_found');
  for (const id of [unknownWebhookId, 'nonsense', 'x'.repeat(3000)])
    expectError(await redeliver(api, { id }, delivery), 404, 'webhook_not_found');
  const strangers: TestAccount = await newAccount(stack.baseUrl);
  for (const theirs of [account.live, strangers.test, strangers.live])
    expectError(await redeliver(theirs, webhook, delivery), 404, 'webhook_not_found');
  const own = await newWebhook(strangers.test);
  expectError(await redeliver(strangers.test, own, delivery), 404, 'delivery_not_found');
  expect(mailbox.received).toHaveLength(1);
});
