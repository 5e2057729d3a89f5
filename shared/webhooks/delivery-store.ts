/** Deliveries in the table: read together with all that an attempt needs, and changed one version at a time. */
import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { env } from '../env.ts';
import type { Owner } from '../ids.ts';
import { dynamodb } from '../store/client.ts';
import { type Key, keys } from '../store/keys.ts';
import { fromItem, type Reading, readItems, readRecord, toItem } from '../store/records.ts';
import { nextTimer, type Timer, type TimerMessage } from '../store/timers.ts';
import { type TransactionItem, writeTransaction } from '../store/transactions.ts';
import type { Instant } from '../time.ts';
import { type Delivery, deliveryType } from './delivery.ts';
import type { Health } from './health.ts';
import { webhookType } from './record.ts';
import type { Webhook } from './webhook.ts';

/** Which delivery a message is about: all that is needed to read it, its endpoint and its event at once. */
export interface DeliveryReference extends Owner {
  readonly webhookId: string;
  readonly id: string;
  readonly position: number;
}

/** What an attempt needs; what is undefined is not there any more. */
export interface Work {
  readonly delivery: Delivery | undefined;
  readonly webhook: Webhook | undefined;
  readonly health: Health | undefined;
  /** The bytes of the event. */
  readonly event: { readonly id: string; readonly body: string } | undefined;
}

/** One call, strongly consistent. */
export async function readWork(reference: DeliveryReference): Promise<Work> {
  const { webhookId, id, position } = reference;
  const wanted = {
    delivery: keys.delivery(webhookId, id),
    webhook: keys.webhook(reference, webhookId),
    health: keys.webhookHealth(webhookId),
    event: keys.event(reference, position),
  };
  const items = await readItems(Object.values(wanted));
  const itemOf = ({ pk, sk }: Key) => items.find((item) => item.pk === pk && item.sk === sk);
  return {
    delivery: fromItem(deliveryType(webhookId), reference, itemOf(wanted.delivery)),
    webhook: fromItem(webhookType, reference, itemOf(wanted.webhook)),
    health: itemOf(wanted.health) as Health | undefined,
    event: itemOf(wanted.event) as Work['event'],
  };
}

/** Reads one delivery to an endpoint. */
export function readDelivery(owner: Owner, webhookId: string, id: string): Promise<Reading<Delivery>> {
  return readRecord(deliveryType(webhookId), owner, id);
}

/** What came of a write: it was written, or another has come before, which left `present`. */
export type Written =
  | { readonly written: true }
  | { readonly written: false; readonly present: Delivery | undefined };

/** Puts a delivery that is not there yet. */
export function putDelivery(delivery: Delivery): Promise<Written> {
  return put(delivery, { ConditionExpression: 'attribute_not_exists(pk)' });
}

/** Puts the next version of a delivery, if it still is in the version before. */
export function replaceDelivery(next: Delivery): Promise<Written> {
  return put(next, isVersionBefore(next));
}

/** Puts the next version of a delivery that comes again later, with the timer for that in place of the one that led here. */
export async function postponeDelivery(
  next: Delivery,
  from: TimerMessage,
  timer: Timer,
  now: Instant,
): Promise<boolean> {
  const { actions, confirm } = nextTimer(from, timer, now);
  const { written } = await writeTransaction([putAction(next, isVersionBefore(next)), ...actions]);
  if (written) await confirm();
  return written;
}

interface Page {
  readonly deliveries: readonly Delivery[];
  readonly more: boolean;
}

/** Deliveries to an endpoint, newest first, older than `before`. */
export function queryDeliveries(
  owner: Owner,
  webhookId: string,
  { before = lastDeliveryId, limit }: { before?: string | undefined; limit: number },
): Promise<Page> {
  return query(owner, webhookId, { condition: 'sk < :place', place: before, limit, forward: false });
}

/** Deliveries to an endpoint, oldest first, from an id on. */
export function queryDeliveriesFrom(
  owner: Owner,
  webhookId: string,
  { from, limit }: { from: string; limit: number },
): Promise<Page> {
  return query(owner, webhookId, { condition: 'sk >= :place', place: from, limit, forward: true });
}

/** Behind all ids. */
const lastDeliveryId = 'dlv_~';

async function query(
  owner: Owner,
  webhookId: string,
  { condition, place, limit, forward }: { condition: string; place: string; limit: number; forward: boolean },
): Promise<Page> {
  const { Items: items = [], LastEvaluatedKey: last } = await dynamodb.send(
    new QueryCommand({
      TableName: env.tableName(),
      KeyConditionExpression: `pk = :pk AND ${condition}`,
      ExpressionAttributeValues: { ':pk': keys.delivery(webhookId, '').pk, ':place': place },
      ScanIndexForward: forward,
      ConsistentRead: true,
      Limit: limit,
    }),
  );
  const type = deliveryType(webhookId);
  return { deliveries: items.flatMap((item) => fromItem(type, owner, item) ?? []), more: last !== undefined };
}

interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

const isVersionBefore = ({ version }: Delivery): Condition => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': version - 1 },
});

async function put(delivery: Delivery, condition: Condition): Promise<Written> {
  const type = deliveryType(delivery.webhookId);
  const change = randomUUID();
  try {
    await dynamodb.send(
      new PutCommand({
        TableName: env.tableName(),
        Item: toItem(type, delivery, change),
        ...condition,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { written: true };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const item = error.Item && unmarshall(error.Item);
    // The SDK has tried again after an answer that was lost.
    if (item?.change === change) return { written: true };
    return { written: false, present: fromItem(type, delivery, item) };
  }
}

function putAction(delivery: Delivery, condition: Condition): TransactionItem {
  const Item = toItem(deliveryType(delivery.webhookId), delivery, randomUUID());
  return { Put: { TableName: env.tableName(), Item, ...condition } };
}
