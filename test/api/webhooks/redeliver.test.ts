/** POST /api/webhooks/:id/deliveries/:deliveryId/redeliver: one attempt at once, outside the schedule. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { keys } from '../../../shared/store/keys.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  deliveriesOf,
  isReplay,
  newWebhook,
  ownerOf,
  pathOf,
  publishEvents,
  timestamp,
  together,
  underKey,
  unknownId,
  waitForDeliveries,
} from './new-webhook.ts';
import { type Behaviour, type Receiver, startReceiver, verify } from './receiver.ts';

const minute = 60_000;
let stack: Stack;
let table: TestTable;
let receiver: Receiver;
let clock: TestClock;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 60 * minute });
  table = tableOf(stack);
  receiver = await startReceiver();
  clock = stopClock();
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

/** An endpoint with one delivery, once its first attempt was answered so. */
async function newSubject(first: Behaviour | number) {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const mailbox = receiver.mailbox();
  mailbox.answer(first);
  const webhook = await newWebhook(api, { url: mailbox.url });
  const [eventId = ''] = await publishEvents(ownerOf(account), ['invoice.paid']);
  const [delivery] = await waitForDeliveries(
    api,
    webhook,
    'the first attempt was made',
    ([one]) => one?.attempts.length === 1,
  );
  return { account, api, mailbox, webhook, delivery, eventId };
}

const redeliver = (api: Api, webhook: { id: string }, { id }: { id: string }, options = {}) =>
  api.post(pathOf(webhook, `/deliveries/${id}/redeliver`), undefined, options);
const shown = async (api: Api, webhook: { id: string }) => (await deliveriesOf(api, webhook))[0];
const timersOf = async ({ id }: { id: string }) =>
  (await table.all('TIMER#')).filter(({ reference }) => reference.includes(id));

/** Lets all timers of a delivery come, however late they are due. */
async function letTimersCome(delivery: { id: string }): Promise<void> {
  await waitUntil(
    'no timer waits any more',
    async () => {
      clock.advance(10 * minute);
      await stack.schedule.run();
      return (await timersOf(delivery)).length === 0;
    },
    { everyMs: 500 },
  );
}

test('the same bytes under the same id at once; success ends the waiting attempts', async () => {
  const { api, mailbox, webhook, delivery, eventId } = await newSubject(500);
  expect(delivery).toMatchObject({ status: 'pending', nextAttemptAt: timestamp });
  mailbox.answer(() => ({ status: 201, body: 'at last' }));
  const response = await redeliver(api, webhook, delivery);
  expect(response.status).toBe(200);
  expectHeaders(response);
  expect(response.json).toEqual({
    ...{ ...delivery, status: 'succeeded', nextAttemptAt: null },
    attempts: [
      ...delivery.attempts,
      {
        ...{ number: 2, at: new Date(clock.now()).toISOString(), durationMs: expect.any(Number) },
        ...{ status: 201, error: null, answer: 'at last' },
      },
    ],
  });
  expect(await shown(api, webhook)).toEqual(response.json);
  const [first, second] = mailbox.received;
  if (!first || !second) throw new Error('There were no two attempts.');
  expect(second.body.equals(first.body)).toBe(true);
  expect([first, second].map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
  expect(verify(webhook.secret, second)).toEqual((await api.get(`/api/events/${eventId}`)).json);

  await letTimersCome(delivery);
  expect(mailbox.received).toHaveLength(2);
  expect(await shown(api, webhook)).toEqual(response.json);
});

test('failure changes nothing but adds the attempt; the schedule goes on as if nothing had been', async () => {
  const { api, mailbox, webhook, delivery } = await newSubject(500);
  for (const [index, answer] of [503, 404, () => undefined].entries()) {
    mailbox.answer(answer as Behaviour);
    const { json } = await redeliver(api, webhook, delivery);
    expect(json).toEqual({ ...delivery, attempts: expect.anything() });
    expect(json.attempts).toHaveLength(index + 2);
    expect(json.attempts.slice(0, index + 1)).toEqual((await shown(api, webhook)).attempts.slice(0, -1));
  }
  expect((await api.get(pathOf(webhook))).json.status).toBe('enabled');
  mailbox.answer(200);
  await letTimersCome(delivery);
  const after = await shown(api, webhook);
  expect([after.status, after.attempts.map((each: { status: number }) => each.status)]).toEqual([
    'succeeded',
    [500, 503, 404, null, 200],
  ]);
});

test('410 disables the endpoint at once, and changes nothing of the delivery, whose waiting attempt is skipped', async () => {
  const { api, mailbox, webhook, delivery } = await newSubject(500);
  mailbox.answer(410);
  const first = await redeliver(api, webhook, delivery, underKey('gone'));
  expect(first.json).toEqual({ ...delivery, attempts: [expect.anything(), expect.anything()] });
  const gone = { status: 'disabled', disabledReason: 'gone' };
  expect((await api.get(pathOf(webhook))).json).toMatchObject(gone);
  const again = await redeliver(api, webhook, delivery, underKey('gone'));
  expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  await letTimersCome(delivery);
  expect((await shown(api, webhook)).status).toBe('skipped');
  expect(mailbox.received).toHaveLength(2);
});

test('success ends the time without one: what is known of failures is forgotten; failure does not', async () => {
  const { api, mailbox, webhook, delivery } = await newSubject(500);
  const health = () => table.get(keys.webhookHealth(webhook.id));
  await waitUntil('the failure is noted', health);
  await redeliver(api, webhook, delivery);
  expect(await health()).toBeDefined();
  mailbox.answer(200);
  await redeliver(api, webhook, delivery);
  expect(await health()).toBeUndefined();
});

test('a failed delivery, its endpoint disabled by 410: redelivered it succeeds, the endpoint stays disabled', async () => {
  const { api, mailbox, webhook, delivery } = await newSubject(410);
  const [failed] = await waitForDeliveries(api, webhook, 'it has failed', ([one]) => one.status === 'failed');
  await waitUntil(
    'the endpoint is disabled',
    async () => (await api.get(pathOf(webhook))).json.status === 'disabled',
  );
  expect((await api.get(pathOf(webhook))).json.disabledReason).toBe('gone');
  mailbox.answer(500);
  expect((await redeliver(api, webhook, delivery)).json).toMatchObject({
    status: 'failed',
    nextAttemptAt: null,
  });
  mailbox.answer(200);
  const { json } = await redeliver(api, webhook, failed);
  expect([json.status, json.attempts.length]).toEqual(['succeeded', 3]);
  expect((await api.get(pathOf(webhook))).json.status).toBe('disabled');
});

test('a skipped one can be redelivered, also while its endpoint is disabled', async () => {
  const { account, api, mailbox, webhook } = await newSubject(200);
  await api.patch(pathOf(webhook), { status: 'disabled' });
  clock.advance(1_000);
  await publishEvents(ownerOf(account), ['invoice.created']);
  const skipped = await shown(api, webhook);
  expect(skipped.status).toBe('skipped');
  mailbox.answer(500);
  expect((await redeliver(api, webhook, skipped)).json.status).toBe('skipped');
  mailbox.answer(200);
  expect((await redeliver(api, webhook, skipped)).json.status).toBe('succeeded');
  expect(mailbox.received.map(({ json }) => json.type)).toEqual([
    'invoice.paid',
    'invoice.created',
    'invoice.created',
  ]);
});

test('one that has succeeded is sent again, and stays so whatever the receiver answers', async () => {
  const { api, mailbox, webhook, delivery } = await newSubject(200);
  mailbox.answer(500);
  const { json } = await redeliver(api, webhook, delivery);
  expect(json).toMatchObject({ status: 'succeeded', attempts: [{ status: 200 }, { status: 500 }] });
  expect(mailbox.received).toHaveLength(2);
});

test('under a key it is sent once, and the answer is the same again', async () => {
  const { api, mailbox, webhook, delivery } = await newSubject(500);
  const first = await redeliver(api, webhook, delivery, underKey('again'));
  mailbox.answer(200);
  const second = await redeliver(api, webhook, delivery, underKey('again'));
  expect([second.text, isReplay(second)]).toEqual([first.text, true]);
  expect(mailbox.received).toHaveLength(2);
  expect((await shown(api, webhook)).attempts).toHaveLength(2);
});

test('many at once: each attempt is entered, numbered on, and one success is enough', async () => {
  const { api, mailbox, webhook, delivery } = await newSubject(500);
  mailbox.answer((_, nth) => ({ status: nth % 3 === 0 ? 200 : 500 }));
  const answers = await together(8, () => redeliver(api, webhook, delivery));
  for (const { status } of answers) expect(status).toBe(200);
  const after = await shown(api, webhook);
  expect(after.status).toBe('succeeded');
  expect(after.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await letTimersCome(delivery);
  expect(mailbox.received).toHaveLength(9);
});

test('one that fails while the last scheduled attempt is under way leaves nothing pending for ever', async () => {
  const account = await newAccount(stack.baseUrl);
  const { test: api } = account;
  const mailbox = receiver.mailbox();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  mailbox.answer(async (_, nth) => {
    if (nth > 1) return { status: 500 };
    await released;
    return { status: 410 };
  });
  const webhook = await newWebhook(api, { url: mailbox.url });
  await publishEvents(ownerOf(account), ['invoice.paid']);
  await waitUntil('the scheduled attempt is under way', () => mailbox.received.length === 1);
  const delivery = await shown(api, webhook);
  expect((await redeliver(api, webhook, delivery)).json).toMatchObject({ status: 'pending' });
  release();
  await waitUntil(
    'the endpoint is gone',
    async () => (await api.get(pathOf(webhook))).json.disabledReason === 'gone',
  );
  await letTimersCome(delivery);
  expect((await shown(api, webhook)).status).toBe('skipped');
});

test('a delivery whose event is not kept any more is 404', async () => {
  const { account, api, mailbox, webhook, delivery } = await newSubject(200);
  await table.delete(keys.event(ownerOf(account), 1));
  expectError(await redeliver(api, webhook, delivery), 404, 'delivery_not_found');
  expect(mailbox.received).toHaveLength(1);
});

test('404 for what is not there, and for what belongs to another endpoint, mode or account', async () => {
  const { account, api, mailbox, webhook, delivery } = await newSubject(200);
  const other = await newWebhook(api, { events: ['invoice.created'] });
  expectError(await redeliver(api, other, delivery), 404, 'delivery_not_found');
  for (const id of [`dlv_${'0'.repeat(26)}`, 'nonsense', `${delivery.id}0`, 'x'.repeat(3000)])
    expectError(await redeliver(api, webhook, { id }), 404, 'delivery_not_found');
  for (const id of [unknownId, 'nonsense', 'x'.repeat(3000)])
    expectError(await redeliver(api, { id }, delivery), 404, 'webhook_not_found');
  const strangers: TestAccount = await newAccount(stack.baseUrl);
  for (const theirs of [account.live, strangers.test, strangers.live])
    expectError(await redeliver(theirs, webhook, delivery), 404, 'webhook_not_found');
  const own = await newWebhook(strangers.test);
  expectError(await redeliver(strangers.test, own, delivery), 404, 'delivery_not_found');
  expect(mailbox.received).toHaveLength(1);
});
