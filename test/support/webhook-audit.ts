/**
 * Checks an owner's events and deliveries once no work is left. Pure.
 *
 * - No event and no delivery is lost, and none is pending.
 * - A receiver that got an event more than once got the same bytes under the same id.
 */

import { eventBodyIn } from '../../shared/domain/versions/convert.ts';
import { type ApiVersion, firstApiVersion } from '../../shared/domain/versions/versions.ts';
import { fromStoredText } from '../../shared/store/stored-text.ts';
import type { TestItem } from './table.ts';
import type { ReceivedMessage } from './webhook-receiver.ts';

/** An endpoint that was created before the owner's first event. */
export interface AuditedEndpoint {
  readonly id: string;
  /** Its messages arrive at this path, or below it. */
  readonly path: string;
  /** The event types that it was always subscribed to. */
  readonly events: readonly string[];
  /** The event types that it was subscribed to for some time. */
  readonly temporaryEvents?: readonly string[];
  /** The version of its events, if it is not the first one. */
  readonly apiVersion?: ApiVersion;
}

export interface AuditedOwner {
  /** `account#mode`. */
  readonly owner: string;
  readonly endpoints: readonly AuditedEndpoint[];
}

/**
 * Returns what is wrong with the owner's events and deliveries.
 * @param all all items of the table
 * @param received all messages of the receiver
 */
export function webhookViolations(
  all: readonly TestItem[],
  { owner, endpoints }: AuditedOwner,
  received: readonly ReceivedMessage[],
): string[] {
  const events = all.filter(({ pk }) => pk === `EVENTS#${owner}`).sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const deliveries = deliveryItemsOf(all, owner);
  return [
    ...leftoverViolations(all, owner),
    ...logViolations(all, owner, events),
    ...deliveries.flatMap((delivery) => deliveryViolations(delivery, events)),
    ...endpoints.flatMap((endpoint) => endpointViolations(endpoint, events, deliveries, received)),
  ];
}

export const deliveryItemsOf = (all: readonly TestItem[], owner: string): TestItem[] =>
  all.filter(({ pk, account, mode }) => pk.startsWith('DELIVERIES#') && `${account}#${mode}` === owner);

/** Returns the timers of an owner's deliveries and recoveries. */
export const webhookTimersOf = (all: readonly TestItem[], owner: string): TestItem[] =>
  all.filter(
    ({ pk, kind, reference }) =>
      pk.startsWith('TIMER#') &&
      (kind === 'webhook' || kind === 'recovery') &&
      reference.startsWith(`${owner.replace('#', '/')}/`),
  );

function leftoverViolations(all: readonly TestItem[], owner: string): string[] {
  const items = all.filter(({ pk, sk }) => pk.startsWith('OUTBOX#') && sk.includes(`#${owner}#`));
  return [...items, ...webhookTimersOf(all, owner)].map(({ pk, sk }) => `${pk} ${sk} is left`);
}

/** Checks that each event is stored once, and that positions are consecutive. */
function logViolations(all: readonly TestItem[], owner: string, events: readonly TestItem[]): string[] {
  const cursor = all.find(({ pk }) => pk === `EVENTCURSOR#${owner}`)?.position ?? 0;
  const pointers = new Map(all.filter(({ sk }) => sk === 'EVENT').map((item) => [item.pk, item.position]));
  const violations = cursor === events.length ? [] : [`the cursor is ${cursor}, of ${events.length} events`];
  for (const [index, { id, sk }] of events.entries()) {
    if (Number(sk) !== index + 1)
      violations.push(`event position ${Number(sk)} is stored at place ${index + 1}`);
    if (pointers.get(`EVENT#${id}`) !== Number(sk)) violations.push(`event ${id} has no pointer to it`);
  }
  if (new Set(events.map(({ id }) => id)).size !== events.length) violations.push('an event is stored twice');
  return violations;
}

function deliveryViolations(delivery: TestItem, events: readonly TestItem[]): string[] {
  const { sk, status, nextAttemptAt, eventId, position } = delivery;
  const violations = events[position - 1]?.id === eventId ? [] : [`${sk} is not of event ${position}`];
  if (status === 'pending') violations.push(`${sk} is still pending`);
  else if (nextAttemptAt !== undefined) violations.push(`${sk} is ${status}, but has a next attempt`);
  return violations;
}

/** Event types that `*` does not include. */
const uncommonTypes = [
  'invoice.updated',
  'invoice.cancelled',
  'invoice.overdue',
  'payment.updated',
  'payment.disputed',
  'payment.held',
  'payment.voided',
  'refund.failed',
];

/** Whether an endpoint with these event types receives events of `type`. */
export const isSubscribed = (types: readonly string[], type: string): boolean =>
  types.includes(type) || (types.includes('*') && !uncommonTypes.includes(type));

/**
 * Checks that each event of the endpoint's types has one delivery, that successful deliveries were received, and that
 * the received messages are unchanged.
 */
function endpointViolations(
  { id, path, events: permanentEvents, temporaryEvents = [], apiVersion = firstApiVersion }: AuditedEndpoint,
  events: readonly TestItem[],
  deliveries: readonly TestItem[],
  received: readonly ReceivedMessage[],
): string[] {
  const own = deliveries.filter(({ pk }) => pk === `DELIVERIES#${id}`);
  const statusOf = new Map(own.map(({ eventId, status }) => [eventId, status]));
  const messages = received.filter((message) => `${message.path}/`.startsWith(`${path}/`));
  const arrived = new Set(messages.map((message) => message.id));
  const bodies = new Map(
    events.map((event) => [event.id, eventBodyIn(apiVersion, fromStoredText(event.body))]),
  );
  const violations: string[] = [];
  for (const { id: eventId, type } of events) {
    const hasDelivery = statusOf.has(eventId);
    const isRight = hasDelivery
      ? isSubscribed([...permanentEvents, ...temporaryEvents], type)
      : !isSubscribed(permanentEvents, type);
    if (!isRight) violations.push(`${id}: ${type} ${eventId} ${hasDelivery ? 'has' : 'lacks'} a delivery`);
    if (statusOf.get(eventId) === 'succeeded' && !arrived.has(eventId))
      violations.push(`${id} never got ${eventId}`);
  }
  if (statusOf.size !== own.length) violations.push(`${id} has two deliveries of one event`);
  for (const message of messages) {
    if (message.verifiedBy.length === 0) {
      const { at, signedAt } = message;
      violations.push(`${id} cannot verify ${message.id}, signed at ${signedAt} and received at ${at}`);
    }
    const body = bodies.get(message.id);
    if (body === undefined || body !== message.body)
      violations.push(`${id} got other bytes under ${message.id}`);
    if (!statusOf.has(message.id)) violations.push(`${id} got ${message.id} without a delivery`);
  }
  return violations;
}
