/**
 * Compares the grants with the calls that the functions make. The test runs every function through all of its code
 * paths. The policy of the function must allow each call, with all of its attributes, and each grant must be used.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { statementsOf } from '../../infra/function-policies.ts';
import { type Grant, grants, partitions } from '../../infra/grants.ts';
import { setEnvironment } from '../../infra/local/environment.ts';
import type { ProviderDouble } from '../../infra/local/provider-doubles/common/provider-double.ts';
import { startStripeDouble } from '../../infra/local/provider-doubles/stripe/stripe-double.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { type Owner, sandboxMark } from '../../shared/base/ids.ts';
import { sourceBatchSize } from '../../shared/domain/auth/source-counts.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { type Key, outboxPartitionOf, tableKeys } from '../../shared/store/keys.ts';
import { connectTo } from '../support/checkouts.ts';
import { setClock, stopClock, type TestClock } from '../support/clock.ts';
import { withDashboard } from '../support/dashboard-visitor.ts';
import { failingHealth } from '../support/failing-health.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { driveAccount } from './account-calls.ts';
import { driveBalance } from './balance-calls.ts';
import { driveCheckouts, payerAt } from './checkout-calls.ts';
import { driveClaims } from './claim-calls.ts';
import { apiClock, driveClock, workerClock } from './clock-calls.ts';
import { compareGrants } from './compare-grants.ts';
import { driveCustomers } from './customer-calls.ts';
import { driveDashboard } from './dashboard-calls.ts';
import { driveDocuments } from './document-calls.ts';
import { driveDrafts } from './draft-calls.ts';
import { driveExports } from './export-calls.ts';
import { driveFolds } from './fold-calls.ts';
import { driveKeys } from './key-calls.ts';
import { driveMails } from './mail-calls.ts';
import {
  type FunctionCallOptions,
  type ObservedFunctions,
  observeCalls,
  queueEvent,
  streamEvent,
} from './observed-calls.ts';
import { driveOwnTaxes } from './own-tax-calls.ts';
import { driveMoney } from './payment-calls.ts';
import { driveProducts } from './product-calls.ts';
import { driveSandboxes } from './sandbox-calls.ts';
import { driveSchedules } from './schedule-calls.ts';
import { driveIdSearches } from './search-calls.ts';
import { driveSetAside } from './set-aside-calls.ts';
import { driveStatements } from './statement-calls.ts';
import { driveWarnings } from './warning-calls.ts';
import { driveWebhooks } from './webhook-calls.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let observed: ObservedFunctions;
let liveKey: string;
let unknownKey: string;
let owner: Owner;
let double: ProviderDouble;

beforeAll(async () => {
  // So the test shows all calls that are denied, not only the first one.
  const options = { scheduleIntervalMs: 3_600_000, enforcesPolicies: false };
  stack = await startTestStack({ ...options, ...withDashboard() });
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  clock = stopClock();
  table = tableOf(stack);
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  const { newApiKey } = await import('../../shared/domain/auth/api-key.ts');
  const account = await createAccount({ name: 'Test', plan: 'enterprise' });
  owner = { account: account.accountId, mode: 'test' };
  liveKey = account.keys.live;
  unknownKey = await newApiKey(owner);
  double = await startStripeDouble();
  setEnvironment({ STRIPE_API_URL: double.url });
  observed = await observeCalls(stack, account.keys.test);
});

afterAll(async () => {
  await double?.close();
  await stack?.close();
});

const run: ObservedFunctions['run'] = (...call) => observed.run(...call);
const request: ObservedFunctions['request'] = (...call) => observed.request(...call);

const invoice = (fields: object = {}) => ({
  body: { customerId: 'cust_1', amount: 2500, currency: 'USD', description: 'Website design', ...fields },
});
const create = (call: FunctionCallOptions) =>
  request('functions/invoices/create.ts', 'POST', '/api/invoices', call);
const update = (id: string, call: FunctionCallOptions) =>
  request('functions/invoices/update.ts', 'PATCH', `/api/invoices/${id}`, { id, ...call });
const cancel = (id: string, call: FunctionCallOptions = {}) =>
  request('functions/invoices/cancel.ts', 'DELETE', `/api/invoices/${id}`, { id, ...call });
const replace = (id: string, call: FunctionCallOptions = {}) =>
  request('functions/invoices/replace.ts', 'POST', `/api/invoices/${id}/replace`, { id, ...call });
const list = (call: FunctionCallOptions = {}) =>
  request('functions/invoices/list.ts', 'GET', '/api/invoices', call);

/** Relays all outbox items, as the stream would. */
async function relayAll(): Promise<void> {
  const accounts = [owner.account, `acct_${sandboxMark}`];
  const items = await Promise.all(accounts.map((each) => table.partition(outboxPartitionOf(each))));
  const event = streamEvent(items.flat());
  expect(await run('functions/background/publish-outbox.ts', event)).toEqual({ batchItemFailures: [] });
}

/** Makes the cursor of the event log malformed. The next relay replaces it by the position of the newest event. */
async function breakEventCursor(): Promise<void> {
  const key = tableKeys.eventCursor(owner);
  await table.put({ ...key, ...(await table.get(key)), position: 'malformed' });
}

/** Marks every minute until tomorrow as closed, so workers write their timers twice. */
const closeMinutes = () => {
  const [closed, done] = [Math.floor(clock.now() / 60_000) + 1_440, Math.floor(clock.now() / 60_000) - 1];
  return table.put({ ...tableKeys.watermark, closed, done });
};

const soon = (ms: number) => new Date(clock.now() + ms).toISOString();

test('every function is granted exactly the actions that it calls', async () => {
  expect(await create({ ...invoice(), key: liveKey })).toMatchObject({ statusCode: 201 });
  const { id } = await create({ ...invoice(), idempotencyKey: 'one' });
  const referenced = { ...invoice({ reference: 'A-1' }), apiVersion: newestApiVersion };
  const { id: referencedId } = await create(referenced);
  expect(await create(referenced)).toMatchObject({ statusCode: 400 });
  expect(await list({ query: { reference: 'A-1' }, apiVersion: newestApiVersion })).toMatchObject({
    data: [{ id: referencedId }],
  });
  expect(await create({ ...invoice(), idempotencyKey: 'one' })).toMatchObject({ statusCode: 201, id });
  const second = await create(invoice({ dueDate: soon(30_000) }));
  await relayAll();
  await closeMinutes();
  const third = await create(invoice({ dueDate: soon(600_000) }));
  await breakEventCursor();
  // A request that has crashed before it added its index entry.
  const pageKey = tableKeys.indexPage(owner, 'invoice', '', 0);
  const page = await table.get(pageKey);
  await table.delete(pageKey);
  await relayAll();
  await table.put({ ...page });

  expect(await request('functions/invoices/get.ts', 'GET', `/api/invoices/${id}`, { id })).toMatchObject({
    id,
  });
  expect(await update(id, { body: { amount: 1 }, idempotencyKey: 'two' })).toMatchObject({ amount: 1 });
  expect(await update(id, { body: { amount: 1 }, idempotencyKey: 'three' })).toMatchObject({ amount: 1 });
  expect(await cancel(id, { idempotencyKey: 'four' })).toMatchObject({ statusCode: 200 });
  expect(await cancel(id, { idempotencyKey: 'five' })).toMatchObject({ statusCode: 400 });
  expect(await update(id, { body: { amount: 2 }, idempotencyKey: 'six' })).toMatchObject({ statusCode: 400 });

  const { id: replaced } = await create({ ...invoice({ reference: 'B-1' }), apiVersion: newestApiVersion });
  expect(await replace(replaced, { idempotencyKey: 'seven' })).toMatchObject({ statusCode: 200 });
  expect(await replace(replaced, { idempotencyKey: 'eight' })).toMatchObject({ statusCode: 400 });
  await table.delete(tableKeys.record((await table.get(tableKeys.record(replaced)))?.replacedBy as string));
  await table.delete(tableKeys.record(replaced));

  // An index page that is behind its record, which the list updates. Then a record that does not exist.
  const changed = await table.get(tableKeys.record(second.id));
  await table.put({ ...changed, status: 'overdue' });
  expect(await list({ query: { customerId: 'cust_1' } })).toMatchObject({ pagination: { total: 4 } });
  await table.delete(tableKeys.record(third.id));
  expect(await list({ query: { customerId: 'cust_1' } })).toMatchObject({ pagination: { total: 3 } });
  await table.put({ ...changed });

  const apiHandlers = Object.entries<Grant>(grants).flatMap(([file, { table: access }]) =>
    access.apiKey && access.source ? [file] : [],
  );
  for (const file of apiHandlers) {
    // The table learns of requests without a valid key in batches.
    for (const key of [unknownKey, ...Array(sourceBatchSize).fill('')]) {
      expect(await request(file, 'GET', '/api/nowhere', { key })).toMatchObject({ statusCode: 401 });
    }
  }
  const nowhere = { idempotencyKey: 'seven' };
  expect(await request('functions/meta/not-found.ts', 'POST', '/api/nowhere', nowhere)).toMatchObject({
    statusCode: 404,
  });

  const overdue = { reference: second.id, kind: 'overdue', due: changed?.overdueAt, minute: 1 };
  clock.advance(120_000);
  expect(await run('functions/background/overdue.ts', queueEvent(overdue))).toEqual({
    batchItemFailures: [],
  });
  await create(invoice({ dueDate: soon(130_000) }));

  const newInvoice = async (fields: object = {}) => (await create(invoice(fields))).id as string;
  await driveMoney({ run, request, table, newInvoice, relayAll, advance: clock.advance });
  await driveClaims({ request, table, newInvoice });
  await connectTo(double, owner);
  await driveCheckouts({ run, request, table, double, owner, newInvoice, relayAll, closeMinutes });

  // If the number before a recent event is missing, the list reads it again.
  await relayAll();
  const events = await table.all(partitions.event.slice(0, -1));
  await table.delete(events.at(-2) as Key);
  const [newest] = (await request('functions/events/list.ts', 'GET', '/api/events')).data;
  expect(newest.id).toBe(events.at(-1)?.id);
  const before = { query: { before: newest.id } };
  expect(await request('functions/events/list.ts', 'GET', '/api/events', before)).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ id: events.at(-3)?.id })]),
  });
  const one = { id: newest.id };
  expect(await request('functions/events/get.ts', 'GET', '/api/events', one)).toMatchObject(newest);

  const relayInvoice = async () => {
    await newInvoice();
    await relayAll();
  };
  const leaveDocuments = await driveDocuments({
    run,
    request,
    owner,
    relayAll,
    advance: clock.advance,
  });
  await driveWebhooks({ run, request, table, owner, relayAll, relayInvoice, clock });

  await leaveDocuments();
  // The sweep relays the remaining items: once with a watermark that it creates, once with closed minutes.
  await table.delete(tableKeys.watermark);
  await breakEventCursor();
  clock.advance(120_000);
  await run('functions/background/sweep.ts', {});
  await create(invoice({ dueDate: soon(400_000) }));
  // In live mode, the sweep finds neither an index page nor the end of the event log, which has the time zone of the sums.
  await create({ ...invoice(), key: liveKey });
  await table.delete(tableKeys.eventCursor({ ...owner, mode: 'live' }));
  const scope = `${owner.account}#live`;
  for (const prefix of ['INDEX', 'EVENTS'])
    for (const { pk, sk } of await table.all(`${prefix}#${scope}`)) await table.delete({ pk, sk });
  clock.advance(120_000);
  await closeMinutes();
  await run('functions/background/sweep.ts', {});
  await table.delete(tableKeys.watermark);
  await create(invoice({ dueDate: soon(900_000) }));
  await relayAll();

  // The relay finds neither the end of the event log nor a free position after it.
  await create({ ...invoice(), key: liveKey });
  await table.delete(tableKeys.eventCursor({ ...owner, mode: 'live' }));
  await relayAll();

  // The calls above have left enough inconsistent records.
  await run('functions/background/begin-reconciliation.ts', {});
  const batch = { ...owner, day: '2027-01-31' };
  // The comparison sets the timers of near due dates: once in closed minutes, once without a watermark.
  const deleteWatermark = () => table.delete(tableKeys.watermark);
  const recheck = { resource: 'invoice', page: 0, candidates: [], confirmed: [], checks: 1 };
  for (const { part, prepare } of [
    { part: {}, prepare: closeMinutes },
    { part: {}, prepare: deleteWatermark },
    { part: recheck, prepare: closeMinutes },
  ]) {
    await prepare();
    const event = queueEvent({ ...batch, ...part });
    expect(await run('functions/background/reconcile.ts', event)).toEqual({ batchItemFailures: [] });
  }

  // A payment that no worker settled is a difference an hour later. The clock then goes back, so that sign-ins are recent.
  await payerAt({ run, table, double }).pay((await create(invoice())).id);
  setClock(() => clock.now() + 3_700_000);
  const absent = { resource: 'provider_payment', seq: 0, id: 'pi_absent', rule: 'provider_payment_unknown' };
  const open = { ...owner, ...absent, expected: '', found: 0 };
  const name = `OPEN#${owner.account}#${owner.mode}#stripe#pi_absent#provider_payment_unknown`;
  await table.put({ ...tableKeys.reconciliation('OPEN', name), ...open });
  const books = { provider: 'stripe', since: 0, candidates: [], isSecond: false, tries: 0 };
  const event = queueEvent({ ...batch, books });
  expect(await run('functions/background/reconcile.ts', event)).toEqual({ batchItemFailures: [] });
  setClock(clock.now);

  const setAhead = (ms: number) => setClock(() => clock.now() + ms);
  await driveSetAside({ run, table, owner, now: clock.now });
  await driveFolds({ run, request, table, owner, setAhead, queueEvent });
  await driveKeys({ request, setAhead });
  await driveCustomers({ request, table });
  await driveProducts({ request, table });
  await driveDrafts({ request, table });
  await driveSchedules({ run, request, table, owner, relayAll });
  await driveStatements({ run, request, table, owner, newInvoice, relayAll });
  await driveOwnTaxes({ run, request, owner });
  await driveMails({ run, request, stack, table, owner, relayAll, closeMinutes, setAhead });
  await driveExports({ run, request, table, newInvoice, relayAll, setAhead });
  await request('functions/journal/list.ts', 'GET', '/api/journal');
  await request('functions/summary/get.ts', 'GET', '/api/summary');
  await driveBalance({ request, table });
  const idIn = async (resource: 'payments' | 'refunds') =>
    String((await request(`functions/${resource}/list.ts`, 'GET', `/api/${resource}`)).data[0]?.id);
  const ids = [await idIn('payments'), await idIn('refunds')];
  for (const q of ['1250', 'cust_1', 'a@example.com', 'Dorji', ...ids])
    await request('functions/search/find.ts', 'GET', '/api/search', { query: { q } });
  await driveIdSearches({ request, owner });
  await driveWarnings({ request, key: liveKey, setAhead });
  await driveAccount({ request });
  // The sums are built again.
  const { updateSettings } = await import('../../shared/domain/accounts/settings-store.ts');
  await updateSettings(owner.account, { timeZone: 'Asia/Thimphu' });
  const withCustomers = queueEvent(batch);
  expect(await run('functions/background/reconcile.ts', withCustomers)).toEqual({ batchItemFailures: [] });
  // The second message finds the sums of before the rebuild, and compares.
  for (const journal of [{ tries: 0 }, { tries: 0 }]) {
    const message = queueEvent({ ...batch, journal });
    expect(await run('functions/background/reconcile.ts', message)).toEqual({ batchItemFailures: [] });
  }
  await driveSandboxes({ run, request, table, clock, relayAll });
  const clockDriver = { run, request, table, advance: clock.advance, closeMinutes };
  await driveClock(clockDriver, apiClock({ request }));
  await driveClock(clockDriver, workerClock({ run, request, table }));

  await driveDashboard({
    run,
    stack,
    account: owner.account,
    relayAll,
    deleteRecord: (id) => table.delete(tableKeys.record(id)),
    putHealth: (id) => table.put(failingHealth(id, clock.now())),
    deletePublicKeys: async () => {
      for (const item of await table.all('SIGNINGKEYS')) await table.delete(item as never);
    },
    ageSession: async (hash) => {
      const item = await table.get(tableKeys.session(hash));
      if (item) await table.put({ ...item, usedAt: clock.now() - 600_000 });
    },
    payInvoice: payerAt({ run, table, double }).pay,
    beginPaying: payerAt({ run, table, double }).begin,
    processRefund: async (id) => {
      await run(
        'functions/background/process-refund.ts',
        queueEvent({ reference: id, kind: 'refund', due: 1, minute: 1 }),
      );
    },
    completeExport: async (id) => {
      await relayAll();
      await run(
        'functions/background/make-export.ts',
        queueEvent({ reference: id, kind: 'export', due: 1, minute: 1 }),
      );
    },
    useKey: async (key) => expect(await list({ key })).toMatchObject({ statusCode: 200 }),
    driveClock: (requestsOf) => driveClock(clockDriver, requestsOf),
  });

  const { denied, unneeded } = compareGrants(observed.requests, statementsOf);
  // The deployment secret decrypts what webhooks stored before the webhook secret was in use. No SDK makes the call to SES.
  const notSeen = /cognito-idp:|ses:|deliver-webhook.ts secretsmanager:GetSecretValue on secret deployment/;
  expect({ denied, unneeded: unneeded.filter((each) => !notSeen.test(each)) }).toEqual({
    denied: [],
    unneeded: [],
  });
});
