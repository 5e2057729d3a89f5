/** Drives the functions of webhooks, and the two that work in the background for them, through all that they do. */
import { expect } from '@jest/globals';
import { partitions } from '../../infra/grants.ts';
import type { Owner } from '../../shared/ids.ts';
import { keys } from '../../shared/store/keys.ts';
import { publishEvents } from '../api/webhooks/new-webhook.ts';
import { type Mailbox, startReceiver } from '../api/webhooks/receiver.ts';
import type { TestClock } from '../support/clock.ts';
import type { TestItem, TestTable } from '../support/table.ts';
import { type Call, type Death, type Observed, queueEvent } from './observed-calls.ts';

/** What the functions run in. */
export interface Surroundings extends Pick<Observed, 'run' | 'request'> {
  readonly table: TestTable;
  readonly owner: Owner;
  readonly clock: TestClock;
  /** Publishes what is in the outbox. */
  readonly publishAll: () => Promise<void>;
  /** Creates an invoice before that. */
  readonly publishInvoice: () => Promise<void>;
}

const deliver = 'functions/background/deliver-webhook.ts';
const takeUp = 'functions/background/recover-deliveries.ts';
const path = '/api/webhooks';

export async function driveWebhooks(surroundings: Surroundings): Promise<void> {
  const receiver = await startReceiver();
  try {
    const mailbox = receiver.mailbox();
    const id = await configuration(surroundings, mailbox);
    await attempts(surroundings, mailbox, id);
    await recovery(surroundings, id);
    await deletion(surroundings, id);
  } finally {
    await receiver.close();
  }
}

const ask = ({ request }: Surroundings, name: string, method: string, call: Call = {}) =>
  request(`functions/webhooks/${name}.ts`, method, path, call);

async function configuration(surroundings: Surroundings, { url }: Mailbox): Promise<string> {
  const body = { url, events: ['*'] };
  const created = await ask(surroundings, 'create', 'POST', { body, idempotencyKey: 'webhook' });
  expect(created).toMatchObject({ answered: 201, status: 'enabled' });
  const { id } = created;
  expect(await ask(surroundings, 'create', 'POST', { body, idempotencyKey: 'webhook' })).toMatchObject({
    id,
  });
  expect(await ask(surroundings, 'list', 'GET')).toMatchObject({ pagination: { total: 1 } });
  expect(await ask(surroundings, 'get', 'GET', { id })).toMatchObject({ answered: 200, id });
  for (const idempotencyKey of ['changed', 'unchanged']) {
    const change = { id, body: { description: 'Shop' }, idempotencyKey };
    expect(await ask(surroundings, 'update', 'PATCH', change)).toMatchObject({ description: 'Shop' });
  }
  const rotated = await ask(surroundings, 'rotate-secret', 'POST', { id, idempotencyKey: 'rotate' });
  expect(rotated.secret).not.toBe(created.secret);
  const tested = await ask(surroundings, 'test', 'POST', { id, idempotencyKey: 'test' });
  expect(tested).toMatchObject({ answered: 200, succeeded: true });
  return id;
}

const timersOf = async ({ table }: Surroundings, kind: string): Promise<TestItem[]> =>
  (await table.all(partitions.timer.slice(0, -1))).filter((timer) => timer.kind === kind);

/** Runs the worker on each timer of that kind, as its message would; returns the timers. */
async function work(
  surroundings: Surroundings,
  file: string,
  kind: string,
  dies?: Death,
): Promise<TestItem[]> {
  const timers = await timersOf(surroundings, kind);
  for (const timer of timers) {
    expect(await surroundings.run(file, queueEvent(timer), dies)).toEqual({ batchItemFailures: [] });
  }
  return timers;
}

const statusesOf = async (surroundings: Surroundings, id: string): Promise<string[]> =>
  (await ask(surroundings, 'list-deliveries', 'GET', { id })).data.map(({ status }: TestItem) => status);

async function attempts(surroundings: Surroundings, mailbox: Mailbox, id: string): Promise<void> {
  const { table, owner, clock, publishInvoice, run } = surroundings;
  await publishInvoice();
  mailbox.answer(500);
  await table.delete(keys.watermark);
  const [first] = await work(surroundings, deliver, 'webhook');
  // The same message again finds that it is not due.
  await table.delete(keys.watermark);
  expect(await run(deliver, queueEvent(first ?? {}))).toEqual({ batchItemFailures: [] });
  clock.advance(10_000);
  mailbox.answer(200);
  await work(surroundings, deliver, 'webhook');
  expect(await statusesOf(surroundings, id)).toEqual(['succeeded']);

  // Gone, while its owner changes the endpoint again and again.
  clock.advance(1_000);
  await publishInvoice();
  mailbox.answer(410);
  let changes = 0;
  await work(surroundings, deliver, 'webhook', async (actions) => {
    const disables = actions.some(({ name, partition }) => `${name} ${partition}` === 'PutItem webhook');
    if (disables && changes++ < 3) {
      const item = await table.get(keys.webhook(owner, id));
      await table.put({ ...item, version: item?.version + 1 });
    }
    return false;
  });
  expect(changes).toBeGreaterThan(3);
  expect(await ask(surroundings, 'get', 'GET', { id })).toMatchObject({ disabledReason: 'gone' });
  mailbox.answer(200);
  expect(await ask(surroundings, 'test', 'POST', { id })).toMatchObject({ succeeded: true });
  expect(await table.get(keys.webhookHealth(id))).toBeUndefined();
  await enable(surroundings, id);
  mailbox.answer(410);
  expect(await ask(surroundings, 'test', 'POST', { id })).toMatchObject({ succeeded: false });
  await enable(surroundings, id);

  // Disabled while a delivery waits.
  clock.advance(1_000);
  await publishInvoice();
  await ask(surroundings, 'update', 'PATCH', { id, body: { status: 'disabled' } });
  await work(surroundings, deliver, 'webhook');
  expect(await statusesOf(surroundings, id)).toEqual(['skipped', 'failed', 'succeeded']);
  const { data } = await ask(surroundings, 'list-deliveries', 'GET', { id });
  await enable(surroundings, id);
  mailbox.answer(410);
  const again = { id, deliveryId: data[0].id };
  expect(await ask(surroundings, 'redeliver', 'POST', again)).toMatchObject({ status: 'skipped' });
  expect(await ask(surroundings, 'get', 'GET', { id })).toMatchObject({ disabledReason: 'gone' });
  await table.put({ ...keys.webhookHealth(id), failingSince: clock.now() });
  mailbox.answer(200);
  const once = { ...again, idempotencyKey: 'redeliver' };
  expect(await ask(surroundings, 'redeliver', 'POST', once)).toMatchObject({ status: 'succeeded' });
}

async function enable(surroundings: Surroundings, id: string): Promise<void> {
  const call = { id, body: { status: 'enabled' } };
  expect(await ask(surroundings, 'update', 'PATCH', call)).toMatchObject({ status: 'enabled' });
}

async function recovery(surroundings: Surroundings, id: string): Promise<void> {
  const { table, owner, clock, publishAll } = surroundings;
  const since = new Date(clock.now()).toISOString();
  await publishEvents(owner, Array(60).fill('invoice.paid'));
  await enable(surroundings, id);
  const recover = async (idempotencyKey: string) => {
    const call = { id, body: { since }, idempotencyKey };
    expect(await ask(surroundings, 'recover', 'POST', call)).toMatchObject({ answered: 200, since });
  };
  await recover('recover');
  await publishAll();
  await table.delete(keys.watermark);
  await work(surroundings, takeUp, 'recovery');
  expect(await timersOf(surroundings, 'recovery')).toHaveLength(1);
  await work(surroundings, takeUp, 'recovery');
  expect(await timersOf(surroundings, 'recovery')).toEqual([]);
  await work(surroundings, deliver, 'webhook');
  // Left to the sweep.
  await recover('recover later');
}

async function deletion(surroundings: Surroundings, id: string): Promise<void> {
  const { id: other } = await ask(surroundings, 'create', 'POST', {
    ...{ body: { url: 'http://127.0.0.1:9/', events: ['*'] } },
  });
  expect(other).not.toBe(id);
  expect(await ask(surroundings, 'delete', 'DELETE', { id, idempotencyKey: 'delete' })).toMatchObject({ id });
}
