/**
 * The grants against what the functions really call: each is driven through all that it does, and every action on
 * every kind of item must be granted to it, and nothing that it never called.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Grant, grants, partitions } from '../../infra/grants.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/ids.ts';
import { type Key, keys } from '../../shared/store/keys.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { type Call, type Observed, observeCalls, queueEvent, streamEvent } from './observed-calls.ts';
import { driveMoney } from './payment-calls.ts';
import { driveWebhooks } from './webhook-calls.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let observed: Observed;
let unknownKey: string;
let owner: Owner;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await Promise.all([stack.stream.pause(), stack.queues.pause(), stack.schedule.pause()]);
  clock = stopClock();
  table = tableOf(stack);
  const { createAccount } = await import('../../shared/accounts/store.ts');
  const { newApiKey } = await import('../../shared/admission/api-key.ts');
  const account = await createAccount({ name: 'Test', plan: 'enterprise' });
  owner = { account: account.accountId, mode: 'test' };
  unknownKey = await newApiKey(owner);
  observed = await observeCalls(stack, account.keys.test);
}, 60_000);

afterAll(() => stack?.close());

const run: Observed['run'] = (...call) => observed.run(...call);
const request: Observed['request'] = (...call) => observed.request(...call);

const invoice = (fields: object = {}) => ({
  body: { customerId: 'cust_1', amount: 2500, currency: 'USD', description: 'Website design', ...fields },
});
const create = (call: Call) => request('functions/invoices/create.ts', 'POST', '/api/invoices', call);
const update = (id: string, call: Call) =>
  request('functions/invoices/update.ts', 'PATCH', `/api/invoices/${id}`, { id, ...call });
const cancel = (id: string, call: Call = {}) =>
  request('functions/invoices/cancel.ts', 'DELETE', `/api/invoices/${id}`, { id, ...call });
const list = (call: Call = {}) => request('functions/invoices/list.ts', 'GET', '/api/invoices', call);

/** Publishes what is in the outbox, as the stream would have it done. */
async function publishAll(): Promise<void> {
  const event = streamEvent(await table.all(partitions.outbox.slice(0, -1)));
  expect(await run('functions/background/publish-outbox.ts', event)).toEqual({ batchItemFailures: [] });
}

/** Makes every minute up to tomorrow one that is closed, so that timers are put twice. */
const closeMinutes = () =>
  table.put({
    ...keys.watermark,
    closed: Math.floor(clock.now() / 60_000) + 1_440,
    done: Math.floor(clock.now() / 60_000) - 1,
  });

const soon = (ms: number) => new Date(clock.now() + ms).toISOString();

test('every function is granted what it calls, and nothing else', async () => {
  const { id } = await create({ ...invoice(), idempotencyKey: 'one' });
  expect(await create({ ...invoice(), idempotencyKey: 'one' })).toMatchObject({ answered: 201, id });
  const second = await create(invoice({ dueDate: soon(30_000) }));
  await publishAll();
  await closeMinutes();
  const third = await create(invoice({ dueDate: soon(600_000) }));
  await publishAll();

  expect(await request('functions/invoices/get.ts', 'GET', `/api/invoices/${id}`, { id })).toMatchObject({
    id,
  });
  expect(await update(id, { body: { amount: 1 }, idempotencyKey: 'two' })).toMatchObject({ amount: 1 });
  expect(await update(id, { body: { amount: 1 }, idempotencyKey: 'three' })).toMatchObject({ amount: 1 });
  expect(await cancel(id, { idempotencyKey: 'four' })).toMatchObject({ answered: 200 });
  expect(await cancel(id, { idempotencyKey: 'five' })).toMatchObject({ answered: 400 });
  expect(await update(id, { body: { amount: 2 }, idempotencyKey: 'six' })).toMatchObject({ answered: 400 });

  // A page that was not told of a change, and a record that is gone.
  const changed = await table.get(keys.record(second.id));
  await table.put({ ...changed, status: 'overdue' });
  await table.delete(keys.record(third.id));
  expect(await list({ query: { customerId: 'cust_1' } })).toMatchObject({ pagination: { total: 2 } });
  await table.put({ ...changed });

  const apiHandlers = Object.entries<Grant>(grants).flatMap(([file, { table: access }]) =>
    access.apiKey ? [file] : [],
  );
  for (const file of apiHandlers) {
    for (const key of [unknownKey, '']) {
      expect(await request(file, 'GET', '/api/nowhere', { key })).toMatchObject({ answered: 401 });
    }
  }
  const nowhere = { idempotencyKey: 'seven' };
  expect(await request('functions/meta/not-found.ts', 'POST', '/api/nowhere', nowhere)).toMatchObject({
    answered: 404,
  });

  const overdue = { reference: second.id, kind: 'overdue', due: changed?.overdueAt, minute: 1 };
  clock.advance(120_000);
  expect(await run('functions/background/overdue.ts', queueEvent(overdue))).toEqual({
    batchItemFailures: [],
  });
  await create(invoice({ dueDate: soon(130_000) }));

  const newInvoice = async () => (await create(invoice())).id as string;
  await driveMoney({ run, request, table, newInvoice, publishAll, advance: clock.advance });

  // A number that is missing before a young event is looked for again.
  await publishAll();
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

  const publishInvoice = async () => {
    await newInvoice();
    await publishAll();
  };
  await driveWebhooks({ run, request, table, owner, publishAll, publishInvoice, clock });

  // The sweep takes up what nobody published, once with marks that it makes itself, once with minutes closed.
  await table.delete(keys.watermark);
  clock.advance(120_000);
  await run('functions/background/sweep.ts', {});
  await create(invoice({ dueDate: soon(400_000) }));
  clock.advance(120_000);
  await closeMinutes();
  await run('functions/background/sweep.ts', {});
  await table.delete(keys.watermark);
  await create(invoice({ dueDate: soon(900_000) }));
  await publishAll();

  // All that the functions were driven through has left enough that does not agree.
  await run('functions/background/begin-reconciliation.ts', {});
  const stretch = { ...owner, resource: 'invoice', page: 0, day: '2027-01-31', records: 0 };
  for (const again of [undefined, { suspects: [], known: [], looks: 1 }]) {
    const event = queueEvent({ ...stretch, again });
    expect(await run('functions/background/reconcile.ts', event)).toEqual({ batchItemFailures: [] });
  }

  const granted = Object.entries<Grant>(grants).flatMap(
    ([file, { table: access, sendsTo = [], drawsNumbers }]) => [
      ...(drawsNumbers ? [`${file} UpdateItem head`] : []),
      ...Object.entries(access).flatMap(([partition, actions]) =>
        actions.map((action) => `${file} ${action} ${partition}`),
      ),
      ...sendsTo.map((name) => `${file} SendMessage ${name}`),
    ],
  );
  expect([...observed.called].sort()).toEqual(granted.sort());
});
