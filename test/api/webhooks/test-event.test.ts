/** POST /api/webhooks/:id/test: what the receiver is sent, and what its owner is told. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { keys } from '../../../shared/store/keys.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { isReplay, newWebhook, nowhere, pathOf, timestamp, underKey, unknownId } from './new-webhook.ts';
import { type Answer, type Receiver, startReceiver, verify } from './receiver.ts';

let stack: Stack;
let receiver: Receiver;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  receiver = await startReceiver();
  account = await newAccount(stack.baseUrl);
  api = account.test;
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

const send = (of: { id: string }, options = {}) => api.post(pathOf(of, '/test'), undefined, options);
const eventId = expect.stringMatching(/^evt_[0-9a-z]{26}$/);

async function newSubject(answer?: () => Answer | undefined) {
  const { test: own } = await newAccount(stack.baseUrl);
  api = own;
  const mailbox = receiver.mailbox();
  if (answer) mailbox.answer(answer);
  const { secret, ...webhook } = await newWebhook(own, { url: mailbox.url, events: ['invoice.paid'] });
  return { mailbox, secret, webhook };
}

test('the receiver gets a signed webhook.test event about its endpoint; the answer tells what it said', async () => {
  const { mailbox, secret, webhook } = await newSubject(() => ({ status: 202, body: 'thank you' }));
  const response = await send(webhook);
  expect(response.status).toBe(200);
  expectHeaders(response);
  expect(response.json).toEqual({
    ...{ eventId, succeeded: true, number: 1, at: timestamp, durationMs: expect.any(Number) },
    ...{ status: 202, error: null, answer: 'thank you' },
  });
  const [received, ...more] = mailbox.received;
  expect(more).toEqual([]);
  if (!received) throw new Error('Nothing was received.');
  expect(received.method).toBe('POST');
  expect(received.headers['webhook-id']).toBe(response.json.eventId);
  expect(verify(secret, received)).toEqual({
    ...{ id: response.json.eventId, type: 'webhook.test', timestamp, mode: 'test', objectVersion: 1 },
    data: webhook,
  });
  expect(received.body.toString()).not.toContain(secret);
});

test('it is no event: not in the list, not among the deliveries, not to be found by its id', async () => {
  const { webhook } = await newSubject();
  const { json } = await send(webhook);
  expect((await api.get('/api/events')).json.data).toEqual([]);
  expectError(await api.get(`/api/events/${json.eventId}`), 404, 'event_not_found');
  expect((await api.get(pathOf(webhook, '/deliveries'))).json.data).toEqual([]);
  expect((await api.get(pathOf(webhook))).json).toEqual(webhook);
  expect(JSON.stringify(await tableOf(stack).all(''))).not.toContain(json.eventId);
});

test('each is an event of its own', async () => {
  const { webhook, mailbox } = await newSubject();
  const ids = [await send(webhook), await send(webhook)].map(({ json }) => json.eventId);
  expect(new Set(ids).size).toBe(2);
  expect(mailbox.received.map(({ json }) => json.id)).toEqual(ids);
});

test.each([
  [500, 'internal error'],
  [404, ''],
  [302, 'elsewhere'],
  [429, 'slow down'],
])('a receiver that answers %d: 200, told as it was; nothing follows from it', async (status, body) => {
  const headers = { Location: '/hooks/0', 'Retry-After': '60' };
  const { webhook, mailbox } = await newSubject(() => ({ status, body, headers }));
  const response = await send(webhook);
  expect(response.status).toBe(200);
  expect(response.json).toMatchObject({ succeeded: false, status, error: null, answer: body });
  expect(mailbox.received).toHaveLength(1);
  expect((await api.get(pathOf(webhook))).json).toEqual(webhook);
});

test.each([
  ['without a key', {}],
  ['under a key', underKey('gone')],
])('410 disables the endpoint at once, %s', async (_, options) => {
  const { webhook, mailbox } = await newSubject(() => ({ status: 410, body: 'gone' }));
  const response = await send(webhook, options);
  expect(response.json).toMatchObject({ succeeded: false, status: 410, error: null, answer: 'gone' });
  const updatedAt = expect.any(String);
  expect((await api.get(pathOf(webhook))).json).toEqual({
    ...{ ...webhook, status: 'disabled', disabledReason: 'gone', updatedAt },
  });
  expect(mailbox.received).toHaveLength(1);
});

test('success ends the time without one: what is known of failures is forgotten; failure does not', async () => {
  const { noteFailure } = await import('../../../shared/webhooks/health-store.ts');
  const { webhook, mailbox } = await newSubject(() => ({ status: 500 }));
  const health = () => tableOf(stack).get(keys.webhookHealth(webhook.id));
  await noteFailure(webhook.id, { final: true }, Date.now());
  await send(webhook);
  expect(await health()).toMatchObject({ failures: 1 });
  mailbox.answer(200);
  await send(webhook);
  expect(await health()).toBeUndefined();
});

test('a receiver that closes the connection, or where nobody listens: 200, with the code of what went wrong', async () => {
  const { webhook } = await newSubject(() => undefined);
  const closed = { succeeded: false, status: null, answer: '' };
  expect((await send(webhook)).json).toMatchObject({ ...closed, error: 'connection_reset' });
  expect((await send(await newWebhook(api, { url: nowhere }))).json).toMatchObject({
    ...{ ...closed, error: 'connection_refused' },
  });
});

test('of a long answer the first KiB is shown, never cut inside a character', async () => {
  const { webhook } = await newSubject(() => ({ status: 200, body: `x${'ü'.repeat(2000)}` }));
  const { json } = await send(webhook);
  expect(json.answer).toBe(`x${'ü'.repeat(511)}`);
});

test('an endpoint that is disabled can be tested, too', async () => {
  const { webhook, mailbox } = await newSubject();
  await api.patch(pathOf(webhook), { status: 'disabled' });
  expect((await send(webhook)).json.succeeded).toBe(true);
  expect(mailbox.received[0]?.json.data).toMatchObject({ status: 'disabled', disabledReason: 'manual' });
});

test('under a key it is sent once, and the answer is the same again', async () => {
  const { webhook, mailbox } = await newSubject();
  const first = await send(webhook, underKey('test'));
  mailbox.answer(500);
  const again = await send(webhook, underKey('test'));
  expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  expect(mailbox.received).toHaveLength(1);
});

test('live mode says so in the event, and sends nothing that test mode made', async () => {
  const { webhook } = await newSubject();
  expectError(await account.live.post(pathOf(webhook, '/test')), 404, 'webhook_not_found');
  const { id } = await newWebhook(account.live, { url: nowhere.replace('http:', 'https:') });
  const { json } = await account.live.post(pathOf({ id }, '/test'));
  expect(json).toMatchObject({ succeeded: false, error: 'connection_refused' });
});

test('404 for others and for what is not there', async () => {
  const { webhook, mailbox } = await newSubject();
  expectError(await account.test.post(pathOf(webhook, '/test')), 404, 'webhook_not_found');
  for (const id of [unknownId, 'nonsense', 'REGISTRY'])
    expectError(await send({ id }), 404, 'webhook_not_found');
  expect(mailbox.received).toEqual([]);
});
