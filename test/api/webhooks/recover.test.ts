/** POST /api/webhooks/:id/recover: what an endpoint has missed since then begins its schedule anew, once. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { type Api, newAccount, type TestAccount } from '../../support/api.ts';
import { stopClock, type TestClock } from '../../support/clock.ts';
import { expectError, expectHeaders } from '../../support/expectations.ts';
import { errorAnswer, faultOn, intercept } from '../../support/faults.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestTable, tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { badSinces } from './fields.ts';
import {
  deliveriesOf,
  isReplay,
  newWebhook,
  ownerOf,
  pathOf,
  publishEvents,
  underKey,
  unknownId,
  waitForDeliveries,
} from './new-webhook.ts';
import { type Mailbox, type Receiver, startReceiver } from './receiver.ts';

let stack: Stack;
let table: TestTable;
let receiver: Receiver;
let clock: TestClock;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  receiver = await startReceiver();
  clock = stopClock();
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

interface Subject {
  readonly account: TestAccount;
  readonly api: Api;
  readonly mailbox: Mailbox;
  readonly webhook: { readonly id: string };
}

async function newSubject(): Promise<Subject> {
  const account = await newAccount(stack.baseUrl);
  const mailbox = receiver.mailbox();
  const webhook = await newWebhook(account.test, { url: mailbox.url });
  return { account, api: account.test, mailbox, webhook };
}

const enable = ({ api, webhook }: Subject, enabled = true) =>
  api.patch(pathOf(webhook), { status: enabled ? 'enabled' : 'disabled' });
const publish = ({ account }: Subject, count = 1) =>
  publishEvents(ownerOf(account), Array(count).fill('invoice.paid'));
const recover = ({ api, webhook }: Subject, since: number | string, options = {}) =>
  api.post(
    pathOf(webhook, '/recover'),
    { since: typeof since === 'number' ? new Date(since).toISOString() : since },
    options,
  );
const idsOf = ({ mailbox }: Subject) => mailbox.received.map(({ json }) => json.id);

/** Events that are skipped, their ids. */
async function miss(subject: Subject, count: number): Promise<string[]> {
  await enable(subject, false);
  const ids = await publish(subject, count);
  await enable(subject);
  return ids;
}

/** Nothing about this endpoint is under way, nor waits to be looked at, once all that is due in the next hours was. */
const comesToRest = ({ account, webhook }: Subject) =>
  waitUntil(
    'all is done',
    async () => {
      clock.advance(5 * 60_000);
      await stack.schedule.run();
      if ((await table.outboxOf(`${account.accountId}#test`)).length > 0) return false;
      return (await table.all('TIMER#')).every(({ reference }) => !reference.includes(webhook.id));
    },
    { everyMs: 500 },
  );

const haveSucceeded = (deliveries: readonly { status: string }[]) =>
  deliveries.every(({ status }) => status === 'succeeded');

test('200 at once; failed and skipped ones are delivered, each once, what has succeeded is not sent again', async () => {
  const subject = await newSubject();
  const { api, mailbox, webhook } = subject;
  const since = clock.now();
  const [good = ''] = await publish(subject);
  await waitForDeliveries(api, webhook, 'one has succeeded', haveSucceeded);
  mailbox.answer(410);
  const [failed = ''] = await publish(subject);
  await waitUntil(
    'the endpoint is gone',
    async () => (await api.get(pathOf(webhook))).json.disabledReason === 'gone',
  );
  mailbox.answer(200);
  const skipped = await miss(subject, 3);
  const statuses = (await deliveriesOf(api, webhook)).map(({ status }) => status).sort();
  expect(statuses).toEqual(['failed', 'skipped', 'skipped', 'skipped', 'succeeded']);

  const response = await recover(subject, since);
  expect([response.status, response.json]).toEqual([
    200,
    { id: webhook.id, since: new Date(since).toISOString() },
  ]);
  expectHeaders(response);
  const deliveries = await waitForDeliveries(api, webhook, 'all have succeeded', haveSucceeded);
  await comesToRest(subject);
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

test('more than are taken up in one step: all 130, each once', async () => {
  const subject = await newSubject();
  const since = clock.now();
  const missed = await miss(subject, 130);
  await recover(subject, since);
  await waitForDeliveries(subject.api, subject.webhook, 'all have succeeded', haveSucceeded);
  await comesToRest(subject);
  expect(idsOf(subject).sort()).toEqual([...missed].sort());
});

test('since is respected to the millisecond: events of that time and later, none before', async () => {
  const subject = await newSubject();
  const old = await miss(subject, 2);
  clock.advance(1);
  const since = clock.now();
  const some = await miss(subject, 2);
  clock.advance(3_600_000);
  const more = await miss(subject, 2);
  const offset = new Date(since + 6 * 3_600_000).toISOString().replace('Z', '+06:00');
  expect((await recover(subject, offset)).json.since).toBe(new Date(since).toISOString());
  await waitUntil('those since have come', () => subject.mailbox.received.length >= 4);
  await comesToRest(subject);
  expect(idsOf(subject).sort()).toEqual([...some, ...more].sort());
  const skipped = (await deliveriesOf(subject.api, subject.webhook, '&status=skipped')).map(
    ({ eventId }) => eventId,
  );
  expect(skipped.sort()).toEqual([...old].sort());
});

test('repeated it is done once, with and without a key', async () => {
  const subject = await newSubject();
  const since = clock.now();
  const missed = await miss(subject, 60);
  const [first, ...others] = [
    await recover(subject, since, underKey('recover')),
    await recover(subject, since, underKey('recover')),
    await recover(subject, since),
    await recover(subject, since),
  ];
  for (const each of others) expect([each.status, each.json]).toEqual([200, first?.json]);
  expect(others.map(isReplay)).toEqual([true, false, false]);
  await waitForDeliveries(subject.api, subject.webhook, 'all have succeeded', haveSucceeded);
  await comesToRest(subject);
  await recover(subject, since);
  await comesToRest(subject);
  expect(idsOf(subject).sort()).toEqual([...missed].sort());
  for (const { attempts } of await deliveriesOf(subject.api, subject.webhook))
    expect(attempts).toHaveLength(1);
});

test('a request that fails has no recovery behind it; sent again under its key it takes effect', async () => {
  const subject = await newSubject();
  const since = clock.now();
  const missed = await miss(subject, 1);
  const fault = faultOn(
    ({ operation, body }) => operation === 'TransactWriteItems' && body.includes(subject.webhook.id),
    errorAnswer('ValidationException'),
  );
  const interception = intercept(fault);
  const failed = await recover(subject, since, underKey('recover')).finally(interception.remove);
  expect([failed.status, fault.left()]).toEqual([500, 0]);
  await comesToRest(subject);
  expect(idsOf(subject)).toEqual([]);
  const again = await recover(subject, since, underKey('recover'));
  expect([again.status, isReplay(again)]).toEqual([200, false]);
  await waitUntil('it has come', () => idsOf(subject).length > 0);
  await comesToRest(subject);
  expect(idsOf(subject)).toEqual(missed);
});

test('what waits for its next attempt goes on waiting', async () => {
  const subject = await newSubject();
  const since = clock.now();
  subject.mailbox.answer(() => ({ status: 503, headers: { 'Retry-After': '3600' } }));
  await publish(subject);
  const attempted = ([one]: { attempts: unknown[] }[]) => one?.attempts.length === 1;
  const [waiting] = await waitForDeliveries(subject.api, subject.webhook, 'one waits', attempted);
  expect(Date.parse(waiting.nextAttemptAt)).toBe(clock.now() + 3_600_000);
  subject.mailbox.answer(200);
  const [missed] = await miss(subject, 1);
  await recover(subject, since);
  await waitUntil('the other one has come', () => idsOf(subject).includes(missed));
  await waitUntil('the recovery is done', async () =>
    (await table.all('TIMER#')).every(
      ({ kind, reference }) => kind !== 'recovery' || !reference.includes(subject.webhook.id),
    ),
  );
  expect(await deliveriesOf(subject.api, subject.webhook, '&status=pending')).toEqual([waiting]);
});

test('an endpoint that is disabled is refused, and may be recovered under the same key once it is enabled', async () => {
  const subject = await newSubject();
  const since = clock.now();
  await enable(subject, false);
  const [missed] = await publish(subject);
  for (const options of [{}, underKey('disabled')]) {
    const response = await recover(subject, since, options);
    expectError(response, 400, 'webhook_disabled');
    expect(response.json.error.message).toContain('enable');
  }
  await enable(subject);
  expect((await recover(subject, since, underKey('disabled'))).status).toBe(200);
  await waitUntil('it has come', () => idsOf(subject).includes(missed));
  await enable(subject, false);
  const again = await recover(subject, since, underKey('disabled'));
  expect([again.status, isReplay(again)]).toEqual([200, true]);
});

test('nothing was missed, or since lies ahead: 200, and nothing is sent', async () => {
  const subject = await newSubject();
  expect((await recover(subject, 0)).status).toBe(200);
  await comesToRest(subject);
  await miss(subject, 1);
  expect((await recover(subject, '9999-12-31T23:59:59Z')).status).toBe(200);
  await comesToRest(subject);
  expect(idsOf(subject)).toEqual([]);
});

test('400 invalid_since for every bad value, 404 for others; nothing is recovered', async () => {
  const subject = await newSubject();
  await miss(subject, 1);
  const { api, webhook, account } = subject;
  for (const [name, json] of badSinces) {
    const response = await api.post(pathOf(webhook, '/recover'), `{"since":${json}}`);
    expect({ name, code: response.json.error?.code }).toEqual({ name, code: 'invalid_since' });
    expectError(response, 400, 'invalid_since', 'since');
    expect(response.json.error.message).toContain('ISO 8601');
  }
  expectError(await api.post(pathOf(webhook, '/recover')), 400, 'invalid_since', 'since');
  const since = '2026-01-01T00:00:00Z';
  expectError(
    await api.post(pathOf(webhook, '/recover'), { since, until: since }),
    400,
    'unknown_parameter',
    'until',
  );
  const stranger = await newAccount(stack.baseUrl);
  for (const theirs of [account.live, stranger.test, stranger.live])
    expectError(await theirs.post(pathOf(webhook, '/recover'), { since }), 404, 'webhook_not_found');
  for (const id of [unknownId, 'nonsense'])
    expectError(await api.post(pathOf({ id }, '/recover'), { since }), 404, 'webhook_not_found');
  await comesToRest(subject);
  expect(idsOf(subject)).toEqual([]);
});
