/**
 * Where flows of webhooks are tested: a stack whose pollers stand still, a clock that the test moves, a receiver, and
 * owners with endpoints at it.
 */
import { expect } from '@jest/globals';
import { invoiceBody } from './api.ts';
import type { Observed } from './chains-agree.ts';
import { type MortalStack, startMortalStack } from './mortal-stack.ts';
import type { TestItem } from './table.ts';
import { deliveriesOf, type KnownEndpoint, webhookFaults, webhookTimersOf } from './webhook-audit.ts';
import {
  type Answer,
  type Received,
  startWebhookReceiver,
  type WebhookReceiver,
} from './webhook-receiver.ts';
import { handleMessages, messageOf, publishItems } from './webhook-workers.ts';

export interface Endpoint extends KnownEndpoint {
  readonly secret: string;
}

export interface WebhookOwner extends Observed {
  readonly endpoints: readonly Endpoint[];
  /** Makes invoices, and so an event each; they wait in the outbox while the stream stands still. */
  createInvoices(count: number): Promise<void>;
  deliveries(): Promise<TestItem[]>;
  /** The one delivery to the endpoint at that place. */
  deliveryTo(place: number): Promise<TestItem>;
  /** What the endpoint at that place has got. */
  messagesTo(place: number): readonly Received[];
  /** The endpoint at that place as the API shows it. */
  shown(place: number): Promise<TestItem>;
  /** The timers of its deliveries and recoveries, those due first in front. */
  timers(): Promise<TestItem[]>;
}

export interface WebhookStand extends MortalStack {
  readonly receiver: WebhookReceiver;
  /** An owner with that many endpoints, each at a path of its own. */
  newOwner(endpoints?: number, events?: readonly string[]): Promise<WebhookOwner>;
  /** An owner whose first event was sent to each of that many endpoints once, and answered so. */
  afterFirstAttempt(endpoints: number, answer: (place: number) => Answer): Promise<WebhookOwner>;
  publish(owner: WebhookOwner): Promise<void>;
  /** Hands over the messages of all timers that are due, as queue and sweep do in the end. */
  handleDue(owner: WebhookOwner): Promise<void>;
  /** Publishes all and lets time pass until nothing waits, then judges what has become of it; returns the deliveries. */
  rest(owner: WebhookOwner): Promise<TestItem[]>;
}

export async function startWebhookStand(): Promise<WebhookStand> {
  const mortal = await startMortalStack();
  const receiver = await startWebhookReceiver();
  await Promise.all([mortal.stack.stream.pause(), mortal.stack.queues.pause()]);
  const { table, clock } = mortal;
  let count = 0;

  const newOwner = async (endpoints = 1, events: readonly string[] = ['*']): Promise<WebhookOwner> => {
    const client = await mortal.newClient();
    const made = await Promise.all(
      Array.from({ length: endpoints }, () => newEndpoint(client, receiver, `/hook-${count++}`, events)),
    );
    const deliveries = async () => deliveriesOf(await table.all('DELIVERIES#'), client.owner);
    return {
      ...client,
      endpoints: made,
      createInvoices: async (number) => {
        const requests = Array.from({ length: number }, () =>
          client.api.post('/api/invoices', invoiceBody()),
        );
        expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(Array(number).fill(201));
      },
      deliveries,
      deliveryTo: async (place) =>
        (await deliveries()).find(({ pk }) => pk.endsWith(made[place]?.id ?? '?')) ?? {},
      messagesTo: (place) => receiver.receivedAt(made[place]?.path ?? ''),
      shown: async (place) => (await client.api.get(`/api/webhooks/${made[place]?.id}`)).json,
      timers: async () =>
        webhookTimersOf(await table.all('TIMER#'), client.owner).sort((a, b) => a.due - b.due),
    };
  };
  const publish = async ({ owner }: WebhookOwner) => {
    const items = await table.outboxOf(owner);
    if (items.length > 0) await publishItems(items);
  };
  const handleDue = async ({ timers }: WebhookOwner) => {
    const due = (await timers()).filter((timer) => timer.due <= clock.now());
    for (const queue of ['recovery', 'webhook'] as const) {
      const messages = due.filter(({ kind }) => kind === queue).map(messageOf);
      for (let at = 0; at < messages.length; at += 50)
        await handleMessages(queue, messages.slice(at, at + 50));
    }
  };
  const rest = async (owner: WebhookOwner) => {
    for (let step = 0; step < maxSteps; step++) {
      await publish(owner);
      const [first] = await owner.timers();
      if (!first) break;
      if (first.due > clock.now()) clock.to(first.due);
      await handleDue(owner);
    }
    const all = await table.all('');
    expect(webhookFaults(all, owner, receiver.received)).toEqual([]);
    return deliveriesOf(all, owner.owner);
  };
  const afterFirstAttempt = async (endpoints: number, answer: (place: number) => Answer) => {
    const owner = await newOwner(endpoints);
    const paths = owner.endpoints.map(({ path }) => path);
    receiver.answer(({ path }) => answer(paths.indexOf(path)));
    await owner.createInvoices(1);
    await publish(owner);
    await handleDue(owner);
    return owner;
  };
  const close = async () => {
    await mortal.close();
    await receiver.close();
  };
  return { ...mortal, receiver, newOwner, afterFirstAttempt, publish, handleDue, rest, close };
}

/** More than the attempts of a few deliveries that all fail. */
const maxSteps = 200;

async function newEndpoint(
  { api }: Observed,
  receiver: WebhookReceiver,
  path: string,
  events: readonly string[],
): Promise<Endpoint> {
  const { status, json } = await api.post('/api/webhooks', { url: receiver.urlOf(path), events });
  expect(status).toBe(201);
  receiver.trust(path, json.secret);
  return { id: json.id, path, events, secret: json.secret };
}
