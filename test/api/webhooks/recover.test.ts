/** Tests POST /api/webhooks/:id/recover: it restarts the schedule of each missed delivery once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { defaultPostLimits } from '../../../shared/platform/outbound/post.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { injectFault, interceptCalls, respondWithError } from '../../support/intercept-calls.ts';
import { setPostLimits } from '../../support/outbound.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { badSinces } from './fields.ts';
import {
  isReplay,
  newWebhook,
  ownerOf,
  readDeliveries,
  relaySampleEvents,
  underKey,
  unknownWebhookId,
  waitForDeliveries,
  webhookPath,
} from './new-webhook.ts';
import { type Mailbox, type MailboxReceiver, startMailboxReceiver } from './receiver.ts';

let stack: Stack;
let table: TestTable;
let receiver: MailboxReceiver;
let clock: TestClock;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  receiver = await startMailboxReceiver();
  clock = stopClock();
  // While the clock stands still, a message that a busy machine does not answer in time is not sent again.
  setPostLimits({ ...defaultPostLimits, totalMs: 600_000 });
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

interface TestWebhook {
  readonly account: TestAccount;
  readonly api: Api;
  readonly mailbox: Mailbox;
  readonly webhook: { readonly id: string };
}

async function newTestWebhook(): Promise<TestWebhook> {
  const account = await newAccount(stack.baseUrl);
  const mailbox = receiver.mailbox();
  const webhook = await newWebhook(account.test, { url: mailbox.url });
  return { account, api: account.test, mailbox, webhook };
}

const enable = ({ api, webhook }: TestWebhook, enabled = true) =>
  api.patch(webhookPath(webhook), { status: enabled ? 'enabled' : 'disabled' });
const relayEvents = ({ account }: TestWebhook, count = 1) =>
  relaySampleEvents(ownerOf(account), Array(count).fill('invoice.paid'));
const recover = ({ api, webhook }: TestWebhook, since: number | string, options = {}) =>
  api.post(
    webhookPath(webhook, '/recover'),
    { since: typeof since === 'number' ? new Date(since).toISOString() : since },
    options,
  );
const idsOf = ({ mailbox }: TestWebhook) => mailbox.received.map(({ json }) => json.id);

/** Relays events that are skipped because the endpoint is disabled. Returns their ids. */
async function skipEvents(subject: TestWebhook, count: number): Promise<string[]> {
  await enable(subject, false);
  const ids = await relayEvents(subject, count);
  await enable(subject);
  return ids;
}

/** Runs the schedule for some hours, until the endpoint has no outbox item and no timer. */
const runToEnd = ({ account, webhook }: TestWebhook) =>
  waitUntil(
    'no work is left',
    async () => {
      clock.advance(5 * 60_000);
      await stack.schedule.run();
      if ((await table.outboxOf(`${account.accountId}#test`)).length > 0) return false;
      return (await table.all('TIMER#')).every(({ reference }) => !reference.includes(webhook.id));
    },
    { everyMs: 500 },
  );

const haveSucceeded = (deliveries: readonly { status: string }[]) =>
  deliveries.length > 0 && deliveries.every(({ status }) => status === 'succeeded');

test('200; failed and skipped deliveries are delivered once, and succeeded ones are not sent again', async () => {
  const subject = await newTestWebhook();
  const { api, mailbox, webhook } = subject;
  const since = clock.now();
  const [good = ''] = await relayEvents(subject);
  await waitForDeliveries(api, webhook, 'the first delivery has succeeded', haveSucceeded);
  mailbox.respondWith(410);
  const [failed = ''] = await relayEvents(subject);
  await waitUntil(
    'the endpoint is disabled',
    async () => (await api.get(webhookPath(webhook))).json.disabledReason === 'gone',
  );
  mailbox.respondWith(200);
  const skipped = await skipEvents(subject, 3);
  const statuses = (await readDeliveries(api, webhook)).map(({ status }) => status).sort();
  expect(statuses).toEqual(['failed', 'skipped', 'skipped', 'skipped', 'succeeded']);

  const response = await recover(subject, since);
  expect([response.status, response.json]).toEqual([
    200,
    { id: webhook.id, since: new Date(since).toISOString() },
  ]);
  expectHeaders(response);
  const deliveries = await waitForDeliveries(api, webhook, 'all have succeeded', haveSucceeded);
  await runToEnd(subject);
  expect(idsOf(subject).sort()).toEqual([good, failed, failed, ...skipped].sort());
  const attempts = new Map(
    deliveries.map(({ eventId, attempts }) => [
      eventId,
      attempts.map(({ number, status }: { number: number; status: number }) => [number, status]),
    ]),
  );
  expect(attempts.get(good)).toEqual([[1, 200]]);
  expect(attempts.get(failed)).toEqual([
    [1, 410],
    [2, 200],
  ]);
  for (const id of skipped) expect(attempts.get(id)).toEqual([[1, 200]]);
});

test('more deliveries than one message handles: all 130 are delivered once', async () => {
  const subject = await newTestWebhook();
  const since = clock.now();
  const missed = await skipEvents(subject, 130);
  await recover(subject, since);
  await waitForDeliveries(subject.api, subject.webhook, 'all have succeeded', haveSucceeded);
  await runToEnd(subject);
  expect(idsOf(subject).sort()).toEqual([...missed].sort());
});

test('since is exact to the millisecond: events of that time and later are recovered, earlier ones are not', async () => {
  const subject = await newTestWebhook();
  const old = await skipEvents(subject, 2);
  clock.advance(1);
  const since = clock.now();
  const some = await skipEvents(subject, 2);
  clock.advance(3_600_000);
  const more = await skipEvents(subject, 2);
  const offset = new Date(since + 6 * 3_600_000).toISOString().replace('Z', '+06:00');
  expect((await recover(subject, offset)).json.since).toBe(new Date(since).toISOString());
  await waitUntil('the recovered events have arrived', () => subject.mailbox.received.length >= 4);
  await runToEnd(subject);
  expect(idsOf(subject).sort()).toEqual([...some, ...more].sort());
  const skipped = (await readDeliveries(subject.api, subject.webhook, '&status=skipped')).map(
    ({ eventId }) => eventId,
  );
  expect(skipped.sort()).toEqual([...old].sort());
});

test('a repeated recovery delivers each event once, with and without a key', async () => {
  const subject = await newTestWebhook();
  const since = clock.now();
  const missed = await skipEvents(subject, 60);
  const [first, ...others] = [
    await recover(subject, since, underKey('recover')),
    await recover(subject, since, underKey('recover')),
    await recover(subject, since),
    await recover(subject, since),
  ];
  for (const each of others) expect([each.status, each.json]).toEqual([200, first?.json]);
  expect(others.map(isReplay)).toEqual([true, false, false]);
  await waitForDeliveries(subject.api, subject.webhook, 'all have succeeded', haveSucceeded);
  await runToEnd(subject);
  await recover(subject, since);
  await runToEnd(subject);
  expect(idsOf(subject).sort()).toEqual([...missed].sort());
  for (const { attempts } of await readDeliveries(subject.api, subject.webhook))
    expect(attempts).toHaveLength(1);
});

test('a failed request starts no recovery, and its repetition under the same key does', async () => {
  const subject = await newTestWebhook();
  const since = clock.now();
  const missed = await skipEvents(subject, 1);
  const fault = injectFault(
    ({ operation, body }) =>
      operation === 'TransactWriteItems' &&
      body.includes('IDEMPOTENCY#') &&
      body.includes(subject.webhook.id),
    respondWithError('ValidationException'),
  );
  const interception = interceptCalls(fault);
  const failed = await recover(subject, since, underKey('recover')).finally(interception.remove);
  expect([failed.status, fault.left()]).toEqual([500, 0]);
  await runToEnd(subject);
  expect(idsOf(subject)).toEqual([]);
  const again = await recover(subject, since, underKey('recover'));
  expect([again.status, isReplay(again)]).toEqual([200, false]);
  await waitUntil('the event has arrived', () => idsOf(subject).length > 0);
  await runToEnd(subject);
  expect(idsOf(subject)).toEqual(missed);
});

test('a delivery that waits for its next attempt does not change', async () => {
  const subject = await newTestWebhook();
  const since = clock.now();
  subject.mailbox.respondWith(() => ({ status: 503, headers: { 'Retry-After': '3600' } }));
  await relayEvents(subject);
  const attempted = ([one]: { attempts: unknown[] }[]) => one?.attempts.length === 1;
  const [waiting] = await waitForDeliveries(subject.api, subject.webhook, 'the delivery waits', attempted);
  expect(Date.parse(waiting.nextAttemptAt)).toBe(clock.now() + 3_600_000);
  subject.mailbox.respondWith(200);
  const [missed] = await skipEvents(subject, 1);
  await recover(subject, since);
  await waitUntil('the other event has arrived', () => idsOf(subject).includes(missed));
  await waitUntil('the recovery is done', async () =>
    (await table.all('TIMER#')).every(
      ({ kind, reference }) => kind !== 'recovery' || !reference.includes(subject.webhook.id),
    ),
  );
  // The other event arrives before its outcome is stored.
  const pending = await waitUntil('the other delivery has ended', async () => {
    const found = await readDeliveries(subject.api, subject.webhook, '&status=pending');
    return found.length === 1 && found;
  });
  expect(pending).toEqual([waiting]);
});

test('a disabled endpoint is rejected, and can be recovered under the same key once it is enabled', async () => {
  const subject = await newTestWebhook();
  const since = clock.now();
  await enable(subject, false);
  const [missed] = await relayEvents(subject);
  for (const options of [{}, underKey('disabled')]) {
    const response = await recover(subject, since, options);
    expectError(response, 400, 'webhook_disabled');
    expect(response.json.error.message).toContain('enable');
  }
  await enable(subject);
  expect((await recover(subject, since, underKey('disabled'))).status).toBe(200);
  await waitUntil('the event has arrived', () => idsOf(subject).includes(missed));
  await enable(subject, false);
  const again = await recover(subject, since, underKey('disabled'));
  expect([again.status, isReplay(again)]).toEqual([200, true]);
});

test('200 without a message if no event was missed', async () => {
  const subject = await newTestWebhook();
  expect((await recover(subject, 0)).status).toBe(200);
  await runToEnd(subject);
  expect(idsOf(subject)).toEqual([]);
});

test('200 without a message if since is in the future', async () => {
  const subject = await newTestWebhook();
  await skipEvents(subject, 1);
  expect((await recover(subject, '9999-12-31T23:59:59Z')).status).toBe(200);
  await runToEnd(subject);
  expect(idsOf(subject)).toEqual([]);
});

test('400 invalid_since for every invalid value, 404 for other owners; nothing is recovered', async () => {
  const subject = await newTestWebhook();
  await skipEvents(subject, 1);
  const { api, webhook, account } = subject;
  for (const [name, json] of badSinces) {
    const response = await api.post(webhookPath(webhook, '/recover'), `{"since":${json}}`);
    expect({ name, code: response.json.error?.code }).toEqual({ name, code: 'invalid_since' });
    expectError(response, 400, 'invalid_since', 'since');
    expect(response.json.error.message).toContain('ISO 8601');
  }
  expectError(await api.post(webhookPath(webhook, '/recover')), 400, 'invalid_since', 'since');
  const since = '2026-01-01T00:00:00Z';
  expectError(
    await api.post(webhookPath(webhook, '/recover'), { since, until: since }),
    400,
    'unknown_parameter',
    'until',
  );
  const stranger = await newAccount(stack.baseUrl);
  for (const theirs of [account.live, stranger.test, stranger.live])
    expectError(await theirs.post(webhookPath(webhook, '/recover'), { since }), 404, 'webhook_not_found');
  for (const id of [unknownWebhookId, 'nonsense'])
    expectError(await api.post(webhookPath({ id }, '/recover'), { since }), 404, 'webhook_not_found');
  await runToEnd(subject);
  expect(idsOf(subject)).toEqual([]);
});

test('a delivery that an attempt on request changes meanwhile is restarted, too', async () => {
  const subject = await newTestWebhook();
  const { api, mailbox, webhook } = subject;
  const since = clock.now();
  const [id = ''] = await skipEvents(subject, 1);
  mailbox.respondWith(500);
  const [delivery] = await readDeliveries(api, webhook);
  let isChanged = false;
  const calls = interceptCalls(async (call, send) => {
    // The worker stores the restarted delivery, which is pending.
    if (!isChanged && call.operation === 'PutItem' && /"S":"pending"/.test(call.body)) {
      isChanged = true;
      await api.post(webhookPath(webhook, `/deliveries/${delivery?.id}/redeliver`));
      mailbox.respondWith(200);
    }
    return send();
  });
  try {
    await recover(subject, since);
    await waitForDeliveries(api, webhook, 'the delivery has succeeded', haveSucceeded);
  } finally {
    calls.remove();
  }
  expect(isChanged).toBe(true);
  expect(idsOf(subject)).toEqual([id, id]);
});
