/** Reads what the pages of webhook endpoints and deliveries show. Writes nothing. */
import type { Owner } from '../../../base/ids.ts';
import { isRecordId } from '../../../base/ids.ts';
import type { Delivery, ListDeliveries } from '../../../domain/webhooks/delivery.ts';
import { listDeliveryPage } from '../../../domain/webhooks/delivery-log.ts';
import { readDelivery, readDeliveryWork } from '../../../domain/webhooks/delivery-store.ts';
import type { Health } from '../../../domain/webhooks/health.ts';
import { readHealthOf } from '../../../domain/webhooks/health-store.ts';
import type { Webhook } from '../../../domain/webhooks/webhook.ts';
import { readWebhook, readWebhooks } from '../../../domain/webhooks/webhook-store.ts';

/** An endpoint, with its health if it fails. */
export interface EndpointState {
  readonly webhook: Webhook;
  readonly health: Health | undefined;
}

/** Whether an endpoint fails: its last attempt failed, or Remit has disabled it. */
export function isFailing({ webhook, health }: EndpointState): boolean {
  if (webhook.status === 'enabled') return health !== undefined;
  return webhook.disabledReason === 'gone' || webhook.disabledReason === 'failing';
}

/** Reads all endpoints of an owner, newest first. Two calls in sequence. */
export async function readEndpoints(owner: Owner): Promise<EndpointState[]> {
  return withHealth(await readWebhooks(owner));
}

/** Reads the health of endpoints. One call. */
export async function withHealth(webhooks: readonly Webhook[]): Promise<EndpointState[]> {
  const health = await readHealthOf(webhooks.map(({ id }) => id));
  return webhooks.map((webhook) => ({ webhook, health: health.get(webhook.id) }));
}

/**
 * Reads an endpoint. One call in sequence.
 * @returns undefined if the owner has no such endpoint
 */
export async function readEndpoint(owner: Owner, id: string): Promise<EndpointState | undefined> {
  if (!isRecordId('webhook', id)) return undefined;
  const [{ record: webhook }, health] = await Promise.all([readWebhook(owner, id), readHealthOf([id])]);
  return webhook && { webhook, health: health.get(id) };
}

/** A filter can match very few deliveries, so a page examines at most 300. */
const maxQueries = 3;

/** Reads an endpoint and a page of its deliveries, newest first. Three calls in sequence. */
export async function readEndpointDeliveries(owner: Owner, id: string, query: ListDeliveries) {
  const [endpoint, log] = await Promise.all([
    readEndpoint(owner, id),
    listDeliveryPage(owner, id, query, maxQueries),
  ]);
  return endpoint && { ...endpoint, ...log };
}

export interface DeliveryDetail {
  readonly webhook: Webhook;
  readonly delivery: Delivery;
  /** The text that each attempt sends. Undefined after 30 days, when the event is deleted. */
  readonly body: string | undefined;
}

/**
 * Reads a delivery with its endpoint and event. Two calls in sequence.
 * @returns undefined if the owner has no such endpoint or delivery
 */
export async function readDeliveryDetail(
  owner: Owner,
  webhookId: string,
  id: string,
): Promise<DeliveryDetail | undefined> {
  const { record } = await readDelivery(owner, webhookId, id);
  if (!record) return undefined;
  const { delivery, webhook, event } = await readDeliveryWork(record);
  return delivery && webhook && { webhook, delivery, body: event?.body };
}
