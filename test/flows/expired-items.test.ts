/** Tests that an item past its expiry is gone for every read, also while DynamoDB has not deleted it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import type { TimerMessage } from '../../shared/store/timers/timer-item.ts';
import {
  newWebhook,
  ownerOf,
  relaySampleEvents,
  waitForDeliveries,
  webhookPath,
} from '../api/webhooks/new-webhook.ts';
import { type Mailbox, type MailboxReceiver, startMailboxReceiver } from '../api/webhooks/receiver.ts';
import { setClock } from '../support/clock.ts';
import { type DashboardAccount, newDashboardAccount, signedIn } from '../support/dashboard-user.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { expectError } from '../support/expectations.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const dayMs = 86_400_000;

let stack: Stack;
let receiver: MailboxReceiver;
let mailbox: Mailbox;
let account: DashboardAccount;
let webhook: { id: string };

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  receiver = await startMailboxReceiver();
});
beforeEach(async () => {
  account = await newDashboardAccount(stack);
  mailbox = receiver.mailbox();
  mailbox.respondWith(() => ({ status: 500, body: 'out of order' }));
  webhook = await newWebhook(account.test, { url: mailbox.url });
});
afterEach(() => setClock());
afterAll(async () => {
  await stack?.close();
  await receiver?.close();
});

const passDays = (days: number) => setClock(() => Date.now() + days * dayMs);

/** Sends an event to the endpoint. Returns its id and that of its delivery, which has failed once. */
async function deliver(): Promise<{ event: string; delivery: string }> {
  const [event = ''] = await relaySampleEvents(ownerOf(account), ['invoice.paid']);
  const [delivery] = await waitForDeliveries(account.test, webhook, 'an attempt was made', (all) =>
    all.some(({ eventId, attempts }) => eventId === event && attempts.length > 0),
  );
  return { event, delivery: delivery.id };
}

test('a delivery is gone like its event: it is neither shown nor sent', async () => {
  const { event, delivery } = await deliver();
  passDays(29);
  expect((await account.test.get(webhookPath(webhook, '/deliveries'))).json.data).toHaveLength(1);
  passDays(31);
  const sent = mailbox.received.length;
  const owner = await signedIn(stack);

  expectError(await account.test.get(`/api/events/${event}`), 404, 'event_not_found');
  expect((await account.test.get(webhookPath(webhook, '/deliveries'))).json).toEqual({
    data: [],
    cursor: { hasMore: false, next: null },
  });
  expect((await account.test.get(webhookPath(webhook, '/deliveries?status=pending'))).json.data).toEqual([]);
  const path = webhookPath(webhook, `/deliveries/${delivery}/redeliver`);
  expectError(await account.test.post(path), 404, 'delivery_not_found');
  expect((await owner.get(account.path(`/webhooks/${webhook.id}/deliveries/${delivery}`))).status).toBe(404);
  expect((await owner.get(account.path(`/webhooks/${webhook.id}`))).text).not.toContain(delivery);
  expect((await owner.get(account.path(`/events/${event}`))).status).toBe(404);
  expect(mailbox.received.length).toBe(sent);
  // The item is still there.
  expect(await tableOf(stack).get(tableKeys.delivery(webhook.id, delivery))).toBeDefined();
});

test('an export contains no expired delivery', async () => {
  const { delivery } = await deliver();
  const { exportAccount } = await import('../../shared/operations/export/account-export.ts');
  const { now } = await import('../../shared/base/time.ts');
  const lines = async () => {
    const found: string[] = [];
    for await (const line of exportAccount(account.accountId, undefined, now()))
      found.push(JSON.stringify(line));
    return found.join('\n');
  };
  expect(await lines()).toContain(delivery);
  passDays(31);
  expect(await lines()).not.toContain(delivery);
});

test('the newest deliveries are listed page by page, and the last page before the expired ones says so', async () => {
  await deliver();
  passDays(10);
  const { delivery } = await deliver();
  passDays(32);
  const page = await account.test.get(webhookPath(webhook, '/deliveries?limit=1'));
  expect(page.json).toMatchObject({ data: [{ id: delivery }], cursor: { hasMore: false } });
});

test('an attempt that waits for an expired delivery is not made, and a recovery restarts none', async () => {
  const table = tableOf(stack);
  const { delivery } = await deliver();
  const timer = await waitUntil('the delivery waits for its second attempt', async () =>
    (await table.all('TIMER#')).find(({ reference }) => reference.includes(webhook.id)),
  );
  passDays(31);
  const sent = mailbox.received.length;
  const { dispatchDeliveries } = await import('../../shared/domain/webhooks/dispatch.ts');
  await Promise.all(dispatchDeliveries([timer as TimerMessage]));
  const key = tableKeys.delivery(webhook.id, delivery);
  expect(await table.get(key)).toMatchObject({ status: 'skipped' });

  const since = new Date(Date.now() - dayMs).toISOString();
  expect((await account.test.post(webhookPath(webhook, '/recover'), { since })).status).toBe(200);
  await waitUntil('the recovery has ended', async () => {
    const timers = await table.all('TIMER#');
    return !timers.some(({ kind, reference }) => kind === 'recovery' && reference.includes(webhook.id));
  });
  expect(await table.get(key)).toMatchObject({ status: 'skipped' });
  expect(mailbox.received.length).toBe(sent);
});

test('the health of an endpoint that got no event for 30 days counts for nothing', async () => {
  const { readHealth, readHealthOf, recordFailure } = await import(
    '../../shared/domain/webhooks/health-store.ts'
  );
  const { shouldDisable } = await import('../../shared/domain/webhooks/health.ts');
  const { readDeliveryWork } = await import('../../shared/domain/webhooks/delivery-store.ts');
  const { delivery } = await deliver();
  const start = Date.now();
  for (let count = 0; count < 12; count++)
    await recordFailure(webhook.id, { final: true }, start + count * 2 * 3_600_000);
  expect(await readHealth(webhook.id)).toMatchObject({ failures: 12 });
  passDays(40);
  expect(await readHealth(webhook.id)).toBeUndefined();
  expect((await readHealthOf([webhook.id])).size).toBe(0);
  const reference = { ...ownerOf(account), webhookId: webhook.id, id: delivery, position: 1 };
  expect((await readDeliveryWork(reference)).health).toBeUndefined();

  const now = Date.now() + 40 * dayMs;
  const results = await Promise.all([1, 2].map(() => recordFailure(webhook.id, { final: true }, now)));
  expect(results.map(({ failures }) => failures).sort()).toEqual([1, 2]);
  expect(results.every((health) => health.failingSince === now && !shouldDisable(health, now))).toBe(true);
});

test('a report of the reconciliation is gone after its time', async () => {
  const { putReportEntries, readReportEntries, readReportEntry } = await import(
    '../../shared/operations/reconciliation/reconciliation-store.ts'
  );
  const soon = Math.floor(Date.now() / 1000) + 60;
  await putReportEntries('2001-01-01', [{ name: 'BEGIN', content: { begunAt: 1, owners: 0 } }], soon);
  expect(await readReportEntries('2001-01-01')).toHaveLength(1);
  passDays(1);
  expect([await readReportEntries('2001-01-01'), await readReportEntry('2001-01-01', 'BEGIN')]).toEqual([
    [],
    undefined,
  ]);
});
