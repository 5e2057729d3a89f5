/**
 * Reads and writes deliveries. Each write is conditional on the version before it, so concurrent writers cannot
 * overwrite each other.
 *
 * - DynamoDB deletes expired items within days. Until then, no read returns an expired delivery, event or health. Only an attempt
 *   reads expired deliveries, to end them.
 */
import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { env } from '../../base/env.ts';
import { deliveryId, type Owner } from '../../base/ids.ts';
import { hasExpired, type Instant, now } from '../../base/time.ts';
import { dynamodb } from '../../store/client.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import {
  fromItem,
  fromItems,
  type Item,
  type LoadedRecord,
  readItems,
  readRecord,
  toItem,
} from '../../store/records.ts';
import {
  compressibleText,
  defineItem,
  integer,
  type MalformedItemError,
  text,
} from '../../store/stored-fields.ts';
import type { TimerMessage } from '../../store/timers/timer-item.ts';
import { endTimer } from '../../store/timers/timers.ts';
import { type TransactionItem, writeTransaction } from '../../store/transactions.ts';
import { type Delivery, type DeliveryReference, isExpired } from './delivery.ts';
import { deliveryTimer } from './delivery-timer.ts';
import type { Health } from './health.ts';
import { toHealth } from './health-store.ts';
import { deliveryType, webhookType } from './record.ts';
import type { Webhook } from './webhook.ts';

/** Everything that an attempt needs. Deleted parts are undefined. */
export interface DeliveryWork {
  readonly delivery: Delivery | undefined;
  readonly webhook: Webhook | undefined;
  readonly health: Health | undefined;
  /** The event's id and the text to send. Attempts that were read together share the object. */
  readonly event: { readonly id: string; readonly body: string } | undefined;
}

/** Reads everything that an attempt needs, in one strongly consistent call. */
export async function readDeliveryWork(reference: DeliveryReference): Promise<DeliveryWork> {
  return (await readDeliveryWorks([reference]))(reference);
}

/** DynamoDB reads 100 items in one call, and an attempt needs four. */
const worksPerCall = 25;

/**
 * Reads everything that several attempts need, strongly consistent, in one call for 25 of them.
 * @returns a function that returns what one of them needs
 */
export async function readDeliveryWorks(
  references: readonly DeliveryReference[],
): Promise<(reference: DeliveryReference) => DeliveryWork> {
  const calls: Promise<Item[]>[] = [];
  for (let start = 0; start < references.length; start += worksPerCall) {
    const keys = references
      .slice(start, start + worksPerCall)
      .flatMap((each) => Object.values(workKeys(each)));
    // Attempts share an event, an endpoint or its health, and DynamoDB refuses a call with duplicate keys.
    const distinct = new Map(keys.map((key) => [nameOfKey(key), key]));
    calls.push(readItems([...distinct.values()]));
  }
  const items = new Map(
    (await Promise.all(calls)).flat().map((item) => [nameOfKey(item as Item & Key), item]),
  );
  const events = new Map<string, DeliveryWork['event']>();
  return (reference) => {
    const keys = workKeys(reference);
    const itemOf = (key: Key) => items.get(nameOfKey(key));
    const event = events.get(nameOfKey(keys.event)) ?? toSentEvent(itemOf(keys.event));
    events.set(nameOfKey(keys.event), event);
    return {
      delivery: fromItem(deliveryType(reference.webhookId), reference, itemOf(keys.delivery)),
      webhook: fromItem(webhookType, reference, itemOf(keys.webhook)),
      health: toHealth(itemOf(keys.health), now()),
      event,
    };
  };
}

const nameOfKey = ({ pk, sk }: Key) => `${pk} ${sk}`;

const workKeys = (reference: DeliveryReference) => ({
  delivery: tableKeys.delivery(reference.webhookId, reference.id),
  webhook: tableKeys.webhook(reference, reference.webhookId),
  health: tableKeys.webhookHealth(reference.webhookId),
  event: tableKeys.event(reference, reference.position),
});

function toSentEvent(item: Item | undefined): DeliveryWork['event'] {
  if (!item || hasExpired(item.expiresAt, now())) return undefined;
  return parseSentEvent(item);
}

const parseSentEvent = defineItem<NonNullable<DeliveryWork['event']> & { readonly expiresAt: number }>(
  ({ pk, sk }) => `${pk}#${sk}`,
  { id: text, body: compressibleText, expiresAt: integer },
  ['body'],
);

/** Reads one delivery to an endpoint. */
export async function readDelivery(
  owner: Owner,
  webhookId: string,
  id: string,
): Promise<LoadedRecord<Delivery>> {
  const loaded = await readRecord(deliveryType(webhookId), owner, id);
  return { ...loaded, record: loaded.record && isKept(loaded.record) ? loaded.record : undefined };
}

const isKept = (delivery: Delivery): boolean => !isExpired(delivery, now());

/**
 * Reads the deliveries of one event to several endpoints, in one strongly consistent call.
 * @param at the event's time
 * @returns those that exist, in the order of the endpoints
 */
export async function readDeliveriesOfEvent(
  owner: Owner,
  webhookIds: readonly string[],
  event: string,
  at: Instant,
): Promise<Delivery[]> {
  const keys = webhookIds.map((webhookId) => tableKeys.delivery(webhookId, deliveryId(webhookId, event, at)));
  const items = keys.length === 0 ? [] : await readItems(keys);
  return webhookIds.flatMap((webhookId, index) => {
    const own = items.filter(({ pk }) => pk === keys[index]?.pk);
    const { records, malformed } = fromItems(deliveryType(webhookId), owner, own);
    noteLeftOut(malformed.values());
    return [...records.values()].filter(isKept);
  });
}

/** The result of a conditional write. If another writer was first, `stored` is the delivery that it left. */
export type PutResult =
  | { readonly written: true }
  | { readonly written: false; readonly stored: Delivery | undefined };

/** Stores a new delivery, if it does not exist. */
export function putNewDelivery(delivery: Delivery): Promise<PutResult> {
  return put(delivery, isAbsent);
}

/** Returns the delivery in an item. @param like the same delivery in another state */
function toDelivery(like: Delivery, item: Item | undefined): Delivery | undefined {
  return fromItem(deliveryType(like.webhookId), like, item);
}

/** Stores the next version of a delivery, if the stored version is the one before. */
export function replaceDelivery(next: Delivery): Promise<PutResult> {
  return put(next, isVersionBefore(next, false));
}

/**
 * Stores the next version of a delivery and deletes the timer that led to it, in one transaction. If the delivery is still pending,
 * the transaction also stores the timer of its next attempt.
 * @param isNew whether the delivery may not be stored yet. Then this also stores it if none exists.
 * @param from the timer that led to the present attempt
 */
export async function recordOutcome(
  next: Delivery,
  isNew: boolean,
  from: TimerMessage,
  now: Instant,
): Promise<PutResult> {
  const following = next.status === 'pending' ? deliveryTimer(next) : undefined;
  const { actions, confirm } = endTimer(from, following, now);
  const result = await writeTransaction([putAction(next, isVersionBefore(next, isNew)), ...actions]);
  if (!result.written) return { written: false, stored: toDelivery(next, result.failed[0]?.item) };
  await confirm();
  return { written: true };
}

interface Page {
  readonly deliveries: readonly Delivery[];
  readonly malformed: readonly MalformedItemError[];
  /** The id of the last item, also of a malformed one. The next page continues there. */
  readonly last: string | undefined;
  readonly more: boolean;
}

/** Reads the deliveries to an endpoint that are older than `before`, newest first. */
export function queryDeliveries(
  owner: Owner,
  webhookId: string,
  { before = lastDeliveryId, limit }: { before?: string | undefined; limit: number },
): Promise<Page> {
  return query(owner, webhookId, { condition: 'sk < :from', from: before, limit, forward: false });
}

/** Reads the deliveries to an endpoint from an id on, oldest first. */
export function queryDeliveriesFrom(
  owner: Owner,
  webhookId: string,
  { from, limit }: { from: string; limit: number },
): Promise<Page> {
  return query(owner, webhookId, { condition: 'sk >= :from', from, limit, forward: true });
}

/** Sorts after all delivery ids. */
const lastDeliveryId = 'dlv_~';

async function query(
  owner: Owner,
  webhookId: string,
  { condition, from, limit, forward }: { condition: string; from: string; limit: number; forward: boolean },
): Promise<Page> {
  const { Items: items = [], LastEvaluatedKey: last } = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: `pk = :pk AND ${condition}`,
      ExpressionAttributeValues: { ':pk': tableKeys.delivery(webhookId, '').pk, ':from': from },
      ScanIndexForward: forward,
      ConsistentRead: true,
      Limit: limit,
    }),
  );
  const { records, malformed } = fromItems(deliveryType(webhookId), owner, items);
  const deliveries = [...records.values()].filter(isKept);
  // All deliveries that are older than an expired one have expired, too.
  const endsInPast = !forward && deliveries.length < records.size;
  return {
    deliveries,
    malformed: [...malformed.values()],
    last: items.at(-1)?.sk as string | undefined,
    more: last !== undefined && !endsInPast,
  };
}

interface Condition {
  readonly ConditionExpression: string;
  readonly ReturnValuesOnConditionCheckFailure: 'ALL_OLD';
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

const isAbsent: Condition = {
  ConditionExpression: 'attribute_not_exists(pk)',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
};

const isVersionBefore = ({ version }: Delivery, isNew: boolean): Condition => ({
  ConditionExpression: isNew ? 'version = :version OR attribute_not_exists(pk)' : 'version = :version',
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  ExpressionAttributeValues: { ':version': version - 1 },
});

async function put(delivery: Delivery, condition: Condition): Promise<PutResult> {
  const type = deliveryType(delivery.webhookId);
  const change = randomUUID();
  try {
    await dynamodb.send(
      new PutCommand({
        TableName: env.tableName(),
        Item: toItem(type, delivery, change),
        ...condition,
      }),
    );
    return { written: true };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const item = error.Item && unmarshall(error.Item);
    // The response of the first try was lost, and the SDK tried again.
    if (item?.change === change) return { written: true };
    return { written: false, stored: fromItem(type, delivery, item) };
  }
}

function putAction(delivery: Delivery, condition: Condition): TransactionItem {
  const Item = toItem(deliveryType(delivery.webhookId), delivery, randomUUID());
  return { Put: { TableName: env.tableName(), Item, ...condition } };
}
