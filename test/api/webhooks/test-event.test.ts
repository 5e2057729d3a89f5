/** Tests POST /api/webhooks/:id/test: the event that the receiver gets, and the response to the owner. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import { renderOutcome } from '../../../shared/web/dashboard/webhooks/webhook-detail.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../../support/api.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { createCertificate } from '../../support/self-signed.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  isReplay,
  newWebhook,
  timestamp,
  underKey,
  unknownWebhookId,
  unreachableUrl,
  webhookPath,
} from './new-webhook.ts';
import { type MailboxReceiver, type MailboxResponse, startMailboxReceiver, verify } from './receiver.ts';

let stack: Stack;
let receiver: MailboxReceiver;
let account: TestAccount;
let api: Api;

beforeAll(async () => {
  stack = await startTestStack();
  receiver = await startMailboxReceiver();
  account = await newAccount(stack.baseUrl);
  api = account.test;
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

const send = (of: { id: string }, options = {}) => api.post(webhookPath(of, '/test'), undefined, options);
const eventId = expect.stringMatching(/^evt_[0-9a-z]{26}$/);

async function newTestWebhook(behavior?: () => MailboxResponse | undefined) {
  const { test: own } = await newAccount(stack.baseUrl);
  api = own;
  const mailbox = receiver.mailbox();
  if (behavior) mailbox.respondWith(behavior);
  const { secret, ...webhook } = await newWebhook(own, { url: mailbox.url, events: ['invoice.paid'] });
  return { mailbox, secret, webhook };
}

test('the receiver gets a signed webhook.test event about its endpoint, and the response shows its answer', async () => {
  const { mailbox, secret, webhook } = await newTestWebhook(() => ({ status: 202, body: 'thank you' }));
  const response = await send(webhook);
  expect(response.status).toBe(200);
  expectHeaders(response);
  expect(response.json).toEqual({
    eventId,
    succeeded: true,
    number: 1,
    at: timestamp,
    durationMs: expect.any(Number),
    status: 202,
    error: null,
    cause: null,
    answer: 'thank you',
  });
  const [received, ...more] = mailbox.received;
  expect(more).toEqual([]);
  if (!received) throw new Error('Nothing was received.');
  expect(received.method).toBe('POST');
  expect(received.headers['webhook-id']).toBe(response.json.eventId);
  expect(verify(secret, received)).toEqual({
    id: response.json.eventId,
    type: 'webhook.test',
    timestamp,
    mode: 'test',
    objectVersion: 1,
    data: webhook,
  });
  expect(received.body.toString()).not.toContain(secret);
});

test('the test event is not stored: no list, no delivery and no id shows it', async () => {
  const { webhook } = await newTestWebhook();
  const { json } = await send(webhook);
  expect((await api.get('/api/events')).json.data).toEqual([]);
  expectError(await api.get(`/api/events/${json.eventId}`), 404, 'event_not_found');
  expect((await api.get(webhookPath(webhook, '/deliveries'))).json.data).toEqual([]);
  expect((await api.get(webhookPath(webhook))).json).toEqual(webhook);
  expect(JSON.stringify(await tableOf(stack).all(''))).not.toContain(json.eventId);
});

test('each test event has a new id', async () => {
  const { webhook, mailbox } = await newTestWebhook();
  const ids = [await send(webhook), await send(webhook)].map(({ json }) => json.eventId);
  expect(new Set(ids).size).toBe(2);
  expect(mailbox.received.map(({ json }) => json.id)).toEqual(ids);
});

test.each([
  [500, 'internal error'],
  [404, ''],
  [302, 'elsewhere'],
  [429, 'slow down'],
])('a receiver that responds %d: 200 with that result, and no other effect', async (status, body) => {
  const headers = { Location: '/hooks/0', 'Retry-After': '60' };
  const { webhook, mailbox } = await newTestWebhook(() => ({ status, body, headers }));
  const response = await send(webhook);
  expect(response.status).toBe(200);
  expect(response.json).toMatchObject({ succeeded: false, status, error: null, answer: body });
  expect(mailbox.received).toHaveLength(1);
  expect((await api.get(webhookPath(webhook))).json).toEqual(webhook);
});

test.each([
  ['without a key', {}],
  ['under a key', underKey('gone')],
])('410 disables the endpoint immediately, %s', async (_, options) => {
  const { webhook, mailbox } = await newTestWebhook(() => ({ status: 410, body: 'gone' }));
  const response = await send(webhook, options);
  expect(response.json).toMatchObject({ succeeded: false, status: 410, error: null, answer: 'gone' });
  const updatedAt = expect.any(String);
  expect((await api.get(webhookPath(webhook))).json).toEqual({
    ...webhook,
    status: 'disabled',
    disabledReason: 'gone',
    updatedAt,
  });
  expect(mailbox.received).toHaveLength(1);
});

test('a success deletes the health of the endpoint, and a failure does not', async () => {
  const { recordFailure } = await import('../../../shared/domain/webhooks/health-store.ts');
  const { webhook, mailbox } = await newTestWebhook(() => ({ status: 500 }));
  const health = () => tableOf(stack).get(tableKeys.webhookHealth(webhook.id));
  await recordFailure(webhook.id, { final: true }, Date.now());
  await send(webhook);
  expect(await health()).toMatchObject({ failures: 1 });
  mailbox.respondWith(200);
  await send(webhook);
  expect(await health()).toBeUndefined();
});

test('a new URL deletes the health of the endpoint, and another change does not', async () => {
  const { recordFailure } = await import('../../../shared/domain/webhooks/health-store.ts');
  const { webhook } = await newTestWebhook();
  const health = () => tableOf(stack).get(tableKeys.webhookHealth(webhook.id));
  await recordFailure(webhook.id, { final: true }, Date.now());
  await api.patch(webhookPath(webhook), { description: 'Shop' });
  expect(await health()).toMatchObject({ failures: 1 });
  await api.patch(webhookPath(webhook), { url: receiver.mailbox().url });
  expect(await health()).toBeUndefined();
});

test('a receiver that closes the connection or does not listen: 200 with the error code', async () => {
  const { webhook } = await newTestWebhook(() => undefined);
  const closed = { succeeded: false, status: null, answer: '' };
  expect((await send(webhook)).json).toMatchObject({ ...closed, error: 'connection_reset' });
  expect((await send(await newWebhook(api, { url: unreachableUrl }))).json).toMatchObject({
    ...closed,
    error: 'connection_refused',
  });
});

test('a receiver with a certificate that nobody trusts: the response, the delivery and the dashboard name the cause', async () => {
  const server = createServer(createCertificate(['127.0.0.1']), (_, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { test: own } = await newAccount(stack.baseUrl);
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { id } = await newWebhook(own, { url, events: ['*'] });
    const outcome = { error: 'tls_failure', cause: 'certificate_self_signed', status: null, answer: '' };
    const { json } = await own.post(webhookPath({ id }, '/test'));
    expect(json).toMatchObject({ succeeded: false, ...outcome });
    expect(renderOutcome(json)).toBe('tls_failure: The certificate is self-signed.');
    await own.post('/api/invoices', invoiceBody());
    const attempts = async () =>
      (await own.get(webhookPath({ id }, '/deliveries'))).json.data[0]?.attempts ?? [];
    await waitUntil('an attempt', async () => (await attempts()).length > 0);
    expect((await attempts())[0]).toMatchObject(outcome);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('the first KiB of a long response is shown, cut between characters', async () => {
  const { webhook } = await newTestWebhook(() => ({ status: 200, body: `x${'ü'.repeat(2000)}` }));
  const { json } = await send(webhook);
  expect(json.answer).toBe(`x${'ü'.repeat(511)}`);
});

test('a disabled endpoint can be tested', async () => {
  const { webhook, mailbox } = await newTestWebhook();
  await api.patch(webhookPath(webhook), { status: 'disabled' });
  expect((await send(webhook)).json.succeeded).toBe(true);
  expect(mailbox.received[0]?.json.data).toMatchObject({ status: 'disabled', disabledReason: 'manual' });
});

test('under a key the event is sent once, and a repetition gets the same response', async () => {
  const { webhook, mailbox } = await newTestWebhook();
  const first = await send(webhook, underKey('test'));
  mailbox.respondWith(500);
  const again = await send(webhook, underKey('test'));
  expect([again.text, isReplay(again)]).toEqual([first.text, true]);
  expect(mailbox.received).toHaveLength(1);
});

test('live mode cannot use endpoints of test mode, and sends to its own', async () => {
  const { webhook } = await newTestWebhook();
  expectError(await account.live.post(webhookPath(webhook, '/test')), 404, 'webhook_not_found');
  const { id } = await newWebhook(account.live, { url: unreachableUrl.replace('http:', 'https:') });
  const { json } = await account.live.post(webhookPath({ id }, '/test'));
  expect(json).toMatchObject({ succeeded: false, error: 'connection_refused' });
});

test('404 for other owners and unknown endpoints', async () => {
  const { webhook, mailbox } = await newTestWebhook();
  expectError(await account.test.post(webhookPath(webhook, '/test')), 404, 'webhook_not_found');
  for (const id of [unknownWebhookId, 'nonsense', 'REGISTRY'])
    expectError(await send({ id }), 404, 'webhook_not_found');
  expect(mailbox.received).toEqual([]);
});
