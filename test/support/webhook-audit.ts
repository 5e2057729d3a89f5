/**
 * What must be true of an owner's events and deliveries once everything has come to rest: nothing is lost, nothing waits,
 * and who got an event more than once got the same bytes under the same id. Pure: it judges what it is given.
 */
import type { TestItem } from './table.ts';
import type { Received } from './webhook-receiver.ts';

/** An endpoint that was there, and enabled or not, before the first of the owner's events. */
export interface KnownEndpoint {
  readonly id: string;
  /** Its messages come to this path, or below it. */
  readonly path: string;
  /** What it has asked for all the time. */
  readonly events: readonly string[];
  /** What it has asked for at some time. */
  readonly sometimes?: readonly string[];
}

export interface Audited {
  /** `account#mode`. */
  readonly owner: string;
  readonly endpoints: readonly KnownEndpoint[];
}

/** Of all that the table holds and the receiver has received, what is wrong with this owner's part. */
export function webhookFaults(
  all: readonly TestItem[],
  { owner, endpoints }: Audited,
  received: readonly Received[],
): string[] {
  const events = all.filter(({ pk }) => pk === `EVENTS#${owner}`).sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const deliveries = deliveriesOf(all, owner);
  return [
    ...leftFaults(all, owner),
    ...logFaults(all, owner, events),
    ...deliveries.flatMap((delivery) => deliveryFaults(delivery, events)),
    ...endpoints.flatMap((endpoint) => endpointFaults(endpoint, events, deliveries, received)),
  ];
}

export const deliveriesOf = (all: readonly TestItem[], owner: string): TestItem[] =>
  all.filter(({ pk, account, mode }) => pk.startsWith('DELIVERIES#') && `${account}#${mode}` === owner);

/** The timers that lead to an owner's deliveries and recoveries. */
export const webhookTimersOf = (all: readonly TestItem[], owner: string): TestItem[] =>
  all.filter(
    ({ pk, kind, reference }) =>
      pk.startsWith('TIMER#') &&
      (kind === 'webhook' || kind === 'recovery') &&
      reference.startsWith(`${owner.replace('#', '/')}/`),
  );

function leftFaults(all: readonly TestItem[], owner: string): string[] {
  const items = all.filter(({ pk, sk }) => pk.startsWith('OUTBOX#') && sk.includes(`#${owner}#`));
  return [...items, ...webhookTimersOf(all, owner)].map(({ pk, sk }) => `${pk} ${sk} is left`);
}

/** Each event exists once, under consecutive positions. */
function logFaults(all: readonly TestItem[], owner: string, events: readonly TestItem[]): string[] {
  const cursor = all.find(({ pk }) => pk === `EVENTCURSOR#${owner}`)?.position ?? 0;
  const pointers = new Map(all.filter(({ sk }) => sk === 'EVENT').map((item) => [item.pk, item.position]));
  const faults = cursor === events.length ? [] : [`the cursor is ${cursor}, of ${events.length} events`];
  for (const [index, { id, sk }] of events.entries()) {
    if (Number(sk) !== index + 1) faults.push(`event position ${Number(sk)} stands in place ${index + 1}`);
    if (pointers.get(`EVENT#${id}`) !== Number(sk)) faults.push(`event ${id} has no pointer to it`);
  }
  if (new Set(events.map(({ id }) => id)).size !== events.length) faults.push('an event is there twice');
  return faults;
}

function deliveryFaults(delivery: TestItem, events: readonly TestItem[]): string[] {
  const { sk, status, nextAttemptAt, eventId, position } = delivery;
  const faults = events[position - 1]?.id === eventId ? [] : [`${sk} is not of event ${position}`];
  if (status === 'pending') faults.push(`${sk} has no end`);
  else if (nextAttemptAt !== undefined) faults.push(`${sk} is ${status} and to be attempted again`);
  return faults;
}

const onlyNamed = ['invoice.updated', 'invoice.cancelled', 'invoice.overdue', 'refund.failed'];

/** Whether an endpoint that has asked for these kinds of events gets those of that type. */
export const asksFor = (wanted: readonly string[], type: string): boolean =>
  wanted.includes(type) || (wanted.includes('*') && !onlyNamed.includes(type));

/** Each event that it wants has one delivery; what is recorded as taken was received, and as it was made. */
function endpointFaults(
  { id, path, events: wanted, sometimes = [] }: KnownEndpoint,
  events: readonly TestItem[],
  deliveries: readonly TestItem[],
  received: readonly Received[],
): string[] {
  const own = deliveries.filter(({ pk }) => pk === `DELIVERIES#${id}`);
  const statusOf = new Map(own.map(({ eventId, status }) => [eventId, status]));
  const messages = received.filter((message) => `${message.path}/`.startsWith(`${path}/`));
  const arrived = new Set(messages.map((message) => message.id));
  const bodies = new Map(events.map(({ id, body }) => [id, body]));
  const faults: string[] = [];
  for (const { id: eventId, type } of events) {
    const has = statusOf.has(eventId);
    const isRight = has ? asksFor([...wanted, ...sometimes], type) : !asksFor(wanted, type);
    if (!isRight) faults.push(`${id}: ${type} ${eventId} ${has ? 'has' : 'lacks'} a delivery`);
    if (statusOf.get(eventId) === 'succeeded' && !arrived.has(eventId))
      faults.push(`${id} never got ${eventId}`);
  }
  if (statusOf.size !== own.length) faults.push(`${id} has two deliveries of one event`);
  for (const message of messages) {
    if (message.verifiedBy.length === 0) faults.push(`${id} cannot verify ${message.id}`);
    if (bodies.get(message.id) !== message.body) faults.push(`${id} got other bytes under ${message.id}`);
    if (!statusOf.has(message.id)) faults.push(`${id} got ${message.id} without a delivery`);
  }
  return faults;
}
