/**
 * Starts the stack for tests of webhook flows. Its pollers are paused, the test moves its clock, and owners have
 * endpoints at one receiver.
 */
import { expect } from '@jest/globals';
import type { AccountUnderTest } from './account-under-test.ts';
import { invoiceBody } from './api.ts';
import { type CrashTestStack, startCrashTestStack } from './crash-test-stack.ts';
import type { TestItem } from './table.ts';
import {
  type AuditedEndpoint,
  deliveryItemsOf,
  webhookTimersOf,
  webhookViolations,
} from './webhook-audit.ts';
import {
  type MessageResponse,
  type ReceivedMessage,
  startWebhookReceiver,
  type WebhookReceiver,
} from './webhook-receiver.ts';
import { handleMessages, relayItems, toMessageBody } from './webhook-workers.ts';

export interface WebhookEndpoint extends AuditedEndpoint {
  readonly secret: string;
}

export interface WebhookOwner extends AccountUnderTest {
  readonly endpoints: readonly WebhookEndpoint[];
  /** Creates invoices, each with an event. The events wait in the outbox while the stream is paused. */
  createInvoices(count: number): Promise<void>;
  deliveries(): Promise<TestItem[]>;
  /** The only delivery to the endpoint with that index. */
  deliveryTo(index: number): Promise<TestItem>;
  /** The messages that the endpoint with that index received. */
  messagesTo(index: number): readonly ReceivedMessage[];
  /** The endpoint with that index as the API shows it. */
  shown(index: number): Promise<TestItem>;
  /** The timers of the owner's deliveries and recoveries, in the order in which they are due. */
  timers(): Promise<TestItem[]>;
}

export interface WebhookTestStack extends CrashTestStack {
  readonly receiver: WebhookReceiver;
  /** Creates an owner with endpoints, each with its own path. */
  newOwner(endpoints?: number, events?: readonly string[]): Promise<WebhookOwner>;
  /** Creates an owner whose first event was sent once to each endpoint. `response` decides the response of each. */
  afterFirstAttempt(endpoints: number, response: (index: number) => MessageResponse): Promise<WebhookOwner>;
  /** Relays the owner's outbox items. */
  relay(owner: WebhookOwner): Promise<void>;
  /** Handles the messages of all timers that are due. */
  handleDue(owner: WebhookOwner): Promise<void>;
  /** Relays everything, advances the clock until no work is left, and audits the result. Returns the deliveries. */
  runToEnd(owner: WebhookOwner): Promise<TestItem[]>;
}

export async function startWebhookTestStack(): Promise<WebhookTestStack> {
  const crashStack = await startCrashTestStack();
  const receiver = await startWebhookReceiver();
  await Promise.all([crashStack.stack.stream.pause(), crashStack.stack.queues.pause()]);
  const { table, clock } = crashStack;
  let count = 0;

  const newOwner = async (endpoints = 1, events: readonly string[] = ['*']): Promise<WebhookOwner> => {
    const client = await crashStack.newClient();
    const created = await Promise.all(
      Array.from({ length: endpoints }, () => newEndpoint(client, receiver, `/hook-${count++}`, events)),
    );
    // The audit entries of the endpoints. So the outbox contains only what the test does.
    const items = await table.outboxOf(client.owner);
    if (items.length > 0) await relayItems(items);
    const deliveries = async () => deliveryItemsOf(await table.all('DELIVERIES#'), client.owner);
    return {
      ...client,
      endpoints: created,
      createInvoices: async (number) => {
        const requests = Array.from({ length: number }, () =>
          client.api.post('/api/invoices', invoiceBody()),
        );
        expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(Array(number).fill(201));
      },
      deliveries,
      deliveryTo: async (index) =>
        (await deliveries()).find(({ pk }) => pk.endsWith(created[index]?.id ?? '?')) ?? {},
      messagesTo: (index) => receiver.receivedAt(created[index]?.path ?? ''),
      shown: async (index) => (await client.api.get(`/api/webhooks/${created[index]?.id}`)).json,
      timers: async () => {
        const timers = webhookTimersOf(await table.all('TIMER#'), client.owner);
        return timers.sort((a, b) => a.due - b.due);
      },
    };
  };
  const relay = async ({ owner }: WebhookOwner) => {
    const items = await table.outboxOf(owner);
    if (items.length > 0) await relayItems(items);
  };
  const handleDue = async ({ timers }: WebhookOwner) => {
    const due = (await timers()).filter((timer) => timer.due <= clock.now());
    for (const queue of ['recovery', 'webhook'] as const) {
      const messages = due.filter(({ kind }) => kind === queue).map(toMessageBody);
      for (let start = 0; start < messages.length; start += 50)
        await handleMessages(queue, messages.slice(start, start + 50));
    }
  };
  const runToEnd = async (owner: WebhookOwner) => {
    for (let step = 0; step < maxSteps; step++) {
      await relay(owner);
      const [first] = await owner.timers();
      if (!first) break;
      if (first.due > clock.now()) clock.to(first.due);
      await handleDue(owner);
    }
    const all = await table.all('');
    expect(webhookViolations(all, owner, receiver.received)).toEqual([]);
    return deliveryItemsOf(all, owner.owner);
  };
  const afterFirstAttempt = async (endpoints: number, response: (index: number) => MessageResponse) => {
    const owner = await newOwner(endpoints);
    const paths = owner.endpoints.map(({ path }) => path);
    receiver.respondWith(({ path }) => response(paths.indexOf(path)));
    await owner.createInvoices(1);
    await relay(owner);
    await handleDue(owner);
    return owner;
  };
  const close = async () => {
    await crashStack.close();
    await receiver.close();
  };
  return { ...crashStack, receiver, newOwner, afterFirstAttempt, relay, handleDue, runToEnd, close };
}

/** More than the attempts of a few deliveries that always fail. */
const maxSteps = 200;

async function newEndpoint(
  { api }: AccountUnderTest,
  receiver: WebhookReceiver,
  path: string,
  events: readonly string[],
): Promise<WebhookEndpoint> {
  const { status, json } = await api.post('/api/webhooks', { url: receiver.urlOf(path), events });
  expect(status).toBe(201);
  receiver.trust(path, json.secret);
  return { id: json.id, path, events, secret: json.secret };
}
