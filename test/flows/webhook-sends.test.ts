/** Tests that tests and redeliveries to receivers that do not answer occupy few functions, and delay nobody else. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { defaultPostLimits } from '../../shared/platform/outbound/post.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import {
  newWebhook,
  ownerOf,
  relaySampleEvents,
  underKey,
  waitForDeliveries,
  webhookPath,
} from '../api/webhooks/new-webhook.ts';
import { type Mailbox, type MailboxReceiver, startMailboxReceiver } from '../api/webhooks/receiver.ts';
import { type Api, invoiceBody, listenToRequestLog, newAccount, type TestAccount } from '../support/api.ts';
import { setClock, stopClock } from '../support/clock.ts';
import { expectError } from '../support/expectations.ts';
import { type FaultLayer, installFaults } from '../support/fault-layer.ts';
import type { HttpResponse } from '../support/http.ts';
import { injectFault, interceptCalls, respondWithError } from '../support/intercept-calls.ts';
import { invocationHeader } from '../support/invocations.ts';
import { setPostLimits } from '../support/outbound.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let receiver: MailboxReceiver;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;
let account: TestAccount;
let api: Api;
let layer: FaultLayer;
const crashes = new Map<string, number>();
const cleanUp: (() => unknown)[] = [];

beforeAll(async () => {
  stack = await startTestStack();
  receiver = await startMailboxReceiver();
  log = await listenToRequestLog();
  const script = ({ label, index }: { label: string; index: number }) =>
    crashes.get(label) === index ? ('crash before call' as const) : undefined;
  layer = await installFaults({ seed: 0, script });
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = account.test;
});
afterEach(async () => {
  for (const undo of cleanUp.splice(0)) await undo();
  setClock();
  setPostLimits();
});
afterAll(async () => {
  layer.remove();
  await stack.close();
  await receiver.close();
});

/** Creates endpoints of one account whose receivers answer only after `answer` is called. */
async function newHangingWebhooks(count: number, of = api) {
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const mailboxes: Mailbox[] = [];
  const webhooks: { id: string }[] = [];
  for (let created = 0; created < count; created++) {
    const mailbox = receiver.mailbox();
    mailbox.respondWith(async () => {
      await answered;
      return { status: 200 };
    });
    mailboxes.push(mailbox);
    webhooks.push(await newWebhook(of, { url: mailbox.url }));
  }
  cleanUp.push(() => resolve());
  const waiting = () => mailboxes.reduce((sum, { received }) => sum + received.length, 0);
  return { webhooks, waiting, answer: () => resolve(), mailboxes };
}

const send = (webhook: { id: string }, options = {}, of = api) =>
  of.post(webhookPath(webhook, '/test'), undefined, options);
const sendsOf = () =>
  tableOf(stack).get(tableKeys.webhookSends({ account: account.accountId, mode: 'test' }));

test('of 200 tests of an endpoint that does not answer, one is in flight, and the others get 429 immediately', async () => {
  // On a busy machine, neither the first request nor its lease may end before the last request.
  setPostLimits({ ...defaultPostLimits, totalMs: 600_000 });
  stopClock();
  const { webhooks, waiting, answer } = await newHangingWebhooks(1);
  const [webhook = { id: '' }] = webhooks;
  const refused: HttpResponse[] = [];
  const sent = Array.from({ length: 200 }, async () => {
    const response = await send(webhook);
    if (response.status === 429) refused.push(response);
    return response;
  });
  await waitUntil('all but one are refused', () => refused.length === 199);
  expect(waiting()).toBe(1);
  for (const response of refused) {
    expectError(response, 429, 'webhook_busy');
    expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(5);
  }
  expect((await api.post('/api/invoices', invoiceBody())).status).toBe(201);
  answer();
  expect((await Promise.all(sent)).filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await send(webhook)).json.succeeded).toBe(true);
});

test('an account has five sends in flight in each mode, and other accounts have their own', async () => {
  const { webhooks, waiting, answer } = await newHangingWebhooks(9);
  const other = await newAccount(stack.baseUrl);
  const others = await newHangingWebhooks(1, other.test);
  const refused: HttpResponse[] = [];
  const sent = webhooks.map(async (webhook) => {
    const response = await send(webhook);
    if (response.status === 429) refused.push(response);
    return response.status;
  });
  await waitUntil('four are refused', () => refused.length === 4);
  await waitUntil('five wait', () => waiting() === 5);
  expect(new Set(refused.map(({ json }) => json.error.message))).toEqual(
    new Set([expect.stringContaining('Five tests or redeliveries')]),
  );
  const [otherWebhook = { id: '' }] = others.webhooks;
  const otherSent = send(otherWebhook, {}, other.test);
  await waitUntil('the other account sends', () => others.waiting() === 1);
  answer();
  others.answer();
  expect((await otherSent).status).toBe(200);
  expect((await Promise.all(sent)).filter((status) => status === 200)).toHaveLength(5);
  for (const webhook of webhooks) expect((await send(webhook)).status).toBe(200);
  const { pk: _, sk: __, expiresAt: ___, ...leases } = (await sendsOf()) ?? {};
  expect(leases).toEqual({});
});

test('a test and a redelivery of one endpoint exclude each other', async () => {
  const mailbox = receiver.mailbox();
  const webhook = await newWebhook(api, { url: mailbox.url });
  await relaySampleEvents(ownerOf(account), ['invoice.paid']);
  const [delivery] = await waitForDeliveries(
    api,
    webhook,
    'the first attempt was made',
    ([one]) => one?.attempts.length === 1,
  );
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  cleanUp.push(() => resolve());
  mailbox.respondWith(async () => {
    await answered;
    return { status: 200 };
  });
  const path = webhookPath(webhook, `/deliveries/${delivery.id}/redeliver`);
  const redelivery = api.post(path);
  await waitUntil('the redelivery waits', () => mailbox.received.length === 2);
  expectError(await send(webhook), 429, 'webhook_busy');
  expectError(await api.post(path), 429, 'webhook_busy');
  resolve();
  expect((await redelivery).json.attempts).toHaveLength(2);
  expect((await api.post(path)).json.attempts).toHaveLength(3);
});

test('the lease of a process that crashed ends after 30 seconds', async () => {
  const clock = stopClock();
  const webhook = await newWebhook(api, { url: receiver.mailbox().url });
  // The count, the API key, the endpoint, its health and the lease come before the release.
  crashes.set('killed', 5);
  await send(webhook, { headers: { [invocationHeader]: 'killed' } }).catch(() => {});
  await waitUntil('the process has crashed', () => layer.invocation('killed')?.ended);
  expectError(await send(webhook), 429, 'webhook_busy');
  clock.advance(29_999);
  expectError(await send(webhook), 429, 'webhook_busy');
  clock.advance(1);
  expect((await send(webhook)).json.succeeded).toBe(true);
});

test('five leases that have ended do not block the account', async () => {
  const clock = stopClock();
  const { takeSendLease } = await import('../../shared/domain/webhooks/lease-store.ts');
  const { readWebhooks } = await import('../../shared/domain/webhooks/webhook-store.ts');
  for (let count = 0; count < 5; count++) await newWebhook(api, { url: receiver.mailbox().url });
  const owner = { account: account.accountId, mode: 'test' } as const;
  for (const webhook of await readWebhooks(owner)) await takeSendLease(webhook);
  const next = await newWebhook(api, { url: receiver.mailbox().url });
  expectError(await send(next), 429, 'webhook_busy');
  clock.advance(30_000);
  expect((await send(next)).json.succeeded).toBe(true);
});

test('if the lease cannot be released, the client gets the result', async () => {
  const webhook = await newWebhook(api, { url: receiver.mailbox().url });
  const isRelease = ({ body }: { body: string }) => body.includes('WEBHOOKSENDS#') && body.includes('REMOVE');
  const interception = interceptCalls(injectFault(isRelease, respondWithError('ValidationException')));
  cleanUp.push(interception.remove);
  expect((await send(webhook)).json.succeeded).toBe(true);
  interception.remove();
  expectError(await send(webhook), 429, 'webhook_busy');
});

test('a repetition under the same key during the send gets 429, and later the stored answer', async () => {
  const { webhooks, waiting, answer } = await newHangingWebhooks(1);
  const [webhook = { id: '' }] = webhooks;
  const first = send(webhook, underKey('once'));
  await waitUntil('the send waits', () => waiting() === 1);
  expectError(await send(webhook, underKey('once')), 429, 'webhook_busy');
  answer();
  const { text } = await first;
  expect((await send(webhook, underKey('once'))).text).toBe(text);
  expect(waiting()).toBe(1);
});

test('a test needs three calls in sequence: authorization, the lease and its release', async () => {
  const webhook = await newWebhook(api, { url: receiver.mailbox().url });
  expect(log.lineOf(await send(webhook))).toMatchObject({ dynamodbCallsInSequence: 3 });
});
