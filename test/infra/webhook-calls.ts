/** Runs the functions of webhooks and their two background functions through all code paths. */
import { expect } from '@jest/globals';
import { partitions } from '../../infra/grants.ts';
import { parseTarget } from '../../shared/base/aws-targets.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { relaySampleEvents } from '../api/webhooks/new-webhook.ts';
import { type Mailbox, startMailboxReceiver } from '../api/webhooks/receiver.ts';
import type { TestClock } from '../support/clock.ts';
import { failingHealth } from '../support/failing-health.ts';
import type { TestItem, TestTable } from '../support/table.ts';
import {
  type CrashCondition,
  type FunctionCallOptions,
  type ObservedFunctions,
  queueEvent,
} from './observed-calls.ts';

/** The test tools that these runs need. */
export interface WebhookDriverDependencies extends Pick<ObservedFunctions, 'run' | 'request'> {
  readonly table: TestTable;
  readonly owner: Owner;
  readonly clock: TestClock;
  /** Relays all outbox items. */
  readonly relayAll: () => Promise<void>;
  /** Creates an invoice and relays its outbox item. */
  readonly relayInvoice: () => Promise<void>;
}

const deliver = 'functions/background/deliver-webhook.ts';
const recoverDeliveries = 'functions/background/recover-deliveries.ts';
const path = '/api/webhooks';

export async function driveWebhooks(dependencies: WebhookDriverDependencies): Promise<void> {
  const receiver = await startMailboxReceiver();
  try {
    const mailbox = receiver.mailbox();
    const id = await configuration(dependencies, mailbox);
    await attempts(dependencies, mailbox, id);
    await recovery(dependencies, id);
    await targets(dependencies);
    await deletion(dependencies, id);
  } finally {
    await receiver.close();
  }
}

const sendRequest = (
  { request }: WebhookDriverDependencies,
  name: string,
  method: string,
  call: FunctionCallOptions = {},
) => request(`functions/webhooks/${name}.ts`, method, path, call);

async function configuration(dependencies: WebhookDriverDependencies, { url }: Mailbox): Promise<string> {
  const body = { url, events: ['*'] };
  const created = await sendRequest(dependencies, 'create', 'POST', { body, idempotencyKey: 'webhook' });
  expect(created).toMatchObject({ statusCode: 201, status: 'enabled' });
  const { id } = created;
  expect(
    await sendRequest(dependencies, 'create', 'POST', { body, idempotencyKey: 'webhook' }),
  ).toMatchObject({
    id,
  });
  expect(await sendRequest(dependencies, 'list', 'GET')).toMatchObject({ pagination: { total: 1 } });
  expect(await sendRequest(dependencies, 'get', 'GET', { id })).toMatchObject({ statusCode: 200, id });
  for (const idempotencyKey of ['changed', 'unchanged']) {
    const change = { id, body: { description: 'Shop' }, idempotencyKey };
    expect(await sendRequest(dependencies, 'update', 'PATCH', change)).toMatchObject({ description: 'Shop' });
  }
  const rotated = await sendRequest(dependencies, 'rotate-secret', 'POST', { id, idempotencyKey: 'rotate' });
  expect(rotated.secret).not.toBe(created.secret);
  const tested = await sendRequest(dependencies, 'test', 'POST', { id, idempotencyKey: 'test' });
  expect(tested).toMatchObject({ statusCode: 200, succeeded: true });
  return id;
}

/** Returns the timers of a kind. */
async function timersOf({ table }: WebhookDriverDependencies, kind: string): Promise<TestItem[]> {
  const timers = await table.all(partitions.timer.slice(0, -1));
  return timers.filter((timer) => timer.kind === kind);
}

/** Runs the worker with the message of each timer of `kind`. Returns the timers. */
async function work(
  dependencies: WebhookDriverDependencies,
  file: string,
  kind: string,
  crash?: CrashCondition,
): Promise<TestItem[]> {
  const timers = await timersOf(dependencies, kind);
  for (const timer of timers) {
    expect(await dependencies.run(file, queueEvent(timer), crash)).toEqual({ batchItemFailures: [] });
  }
  return timers;
}

const statusesOf = async (dependencies: WebhookDriverDependencies, id: string): Promise<string[]> =>
  (await sendRequest(dependencies, 'list-deliveries', 'GET', { id })).data.map(
    ({ status }: TestItem) => status,
  );

async function attempts(
  dependencies: WebhookDriverDependencies,
  mailbox: Mailbox,
  id: string,
): Promise<void> {
  const { table, owner, clock, relayInvoice, run } = dependencies;
  await relayInvoice();
  mailbox.respondWith(500);
  await table.delete(tableKeys.watermark);
  const [first] = await work(dependencies, deliver, 'webhook');
  // The same message again: the delivery is not due.
  await table.delete(tableKeys.watermark);
  expect(await run(deliver, queueEvent(first ?? {}))).toEqual({ batchItemFailures: [] });
  // The first retry fails, too. Then another delivery and a redelivery succeed.
  clock.advance(10_000);
  await work(dependencies, deliver, 'webhook');
  mailbox.respondWith(200);
  const [{ id: deliveryId }] = (await sendRequest(dependencies, 'list-deliveries', 'GET', { id })).data;
  await relayInvoice();
  await work(dependencies, deliver, 'webhook');
  await sendRequest(dependencies, 'redeliver', 'POST', { id, deliveryId });
  await work(dependencies, deliver, 'webhook');
  expect(await statusesOf(dependencies, id)).toEqual(['succeeded', 'succeeded']);

  // The receiver returns 410 while the endpoint's owner repeatedly changes the endpoint.
  clock.advance(1_000);
  await relayInvoice();
  mailbox.respondWith(410);
  let changes = 0;
  await work(dependencies, deliver, 'webhook', async (actions) => {
    const disables = actions.some(({ name, partition }) => `${name} ${partition}` === 'PutItem webhook');
    if (disables && changes++ < 3) {
      const item = await table.get(tableKeys.webhook(owner, id));
      await table.put({ ...item, version: item?.version + 1 });
    }
    return false;
  });
  expect(changes).toBeGreaterThan(3);
  expect(await sendRequest(dependencies, 'get', 'GET', { id })).toMatchObject({ disabledReason: 'gone' });
  mailbox.respondWith(200);
  expect(await sendRequest(dependencies, 'test', 'POST', { id })).toMatchObject({ succeeded: true });
  expect(await table.get(tableKeys.webhookHealth(id))).toBeUndefined();
  await enable(dependencies, id);
  mailbox.respondWith(410);
  expect(await sendRequest(dependencies, 'test', 'POST', { id })).toMatchObject({ succeeded: false });
  await enable(dependencies, id);

  // The owner disables the endpoint while a delivery is pending.
  clock.advance(1_000);
  await relayInvoice();
  await sendRequest(dependencies, 'update', 'PATCH', { id, body: { status: 'disabled' } });
  await work(dependencies, deliver, 'webhook');
  expect(await statusesOf(dependencies, id)).toEqual(['skipped', 'failed', 'succeeded', 'succeeded']);
  const { data } = await sendRequest(dependencies, 'list-deliveries', 'GET', { id });
  await enable(dependencies, id);
  mailbox.respondWith(410);
  const again = { id, deliveryId: data[0].id };
  expect(await sendRequest(dependencies, 'redeliver', 'POST', again)).toMatchObject({ status: 'skipped' });
  expect(await sendRequest(dependencies, 'get', 'GET', { id })).toMatchObject({ disabledReason: 'gone' });
  await table.put(failingHealth(id, clock.now()));
  mailbox.respondWith(200);
  const once = { ...again, idempotencyKey: 'redeliver' };
  expect(await sendRequest(dependencies, 'redeliver', 'POST', once)).toMatchObject({ status: 'succeeded' });
}

async function enable(dependencies: WebhookDriverDependencies, id: string): Promise<void> {
  const call = { id, body: { status: 'enabled' } };
  expect(await sendRequest(dependencies, 'update', 'PATCH', call)).toMatchObject({ status: 'enabled' });
}

async function recovery(dependencies: WebhookDriverDependencies, id: string): Promise<void> {
  const { table, owner, clock, relayAll } = dependencies;
  const since = new Date(clock.now()).toISOString();
  await relaySampleEvents(owner, Array(60).fill('invoice.paid'));
  await enable(dependencies, id);
  const recover = async (idempotencyKey: string) => {
    const call = { id, body: { since }, idempotencyKey };
    expect(await sendRequest(dependencies, 'recover', 'POST', call)).toMatchObject({
      statusCode: 200,
      since,
    });
  };
  await recover('recover');
  await relayAll();
  await table.delete(tableKeys.watermark);
  await work(dependencies, recoverDeliveries, 'recovery');
  expect(await timersOf(dependencies, 'recovery')).toHaveLength(1);
  await work(dependencies, recoverDeliveries, 'recovery');
  expect(await timersOf(dependencies, 'recovery')).toEqual([]);
  await work(dependencies, deliver, 'webhook');
  // The sweep processes this recovery.
  await recover('recover later');
}

/** Sends to a target of each type: a test event, a delivery, and that delivery again. */
async function targets(dependencies: WebhookDriverDependencies): Promise<void> {
  const ids: string[] = [];
  for (const target of (process.env.EVENT_TARGETS ?? '').split(',')) {
    const body = { type: parseTarget(target)?.type, target, events: ['invoice.created'] };
    const created = await sendRequest(dependencies, 'create', 'POST', { body, apiVersion: newestApiVersion });
    expect(created).toMatchObject({ statusCode: 201, secret: null });
    const { id } = created;
    ids.push(id);
    const change = { id, body: { target }, apiVersion: newestApiVersion };
    expect(await sendRequest(dependencies, 'update', 'PATCH', change)).toMatchObject({ target });
    expect(await sendRequest(dependencies, 'test', 'POST', { id })).toMatchObject({ succeeded: true });
  }
  await dependencies.relayInvoice();
  await work(dependencies, deliver, 'webhook');
  for (const id of ids) {
    const [{ id: deliveryId }] = (await sendRequest(dependencies, 'list-deliveries', 'GET', { id })).data;
    const again = await sendRequest(dependencies, 'redeliver', 'POST', { id, deliveryId });
    expect(again).toMatchObject({ status: 'succeeded' });
    await sendRequest(dependencies, 'delete', 'DELETE', { id });
  }
}

async function deletion(dependencies: WebhookDriverDependencies, id: string): Promise<void> {
  const { id: other } = await sendRequest(dependencies, 'create', 'POST', {
    body: { url: 'http://127.0.0.1:9/', events: ['*'] },
  });
  expect(other).not.toBe(id);
  expect(await sendRequest(dependencies, 'delete', 'DELETE', { id, idempotencyKey: 'delete' })).toMatchObject(
    { id },
  );
}
