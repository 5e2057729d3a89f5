/**
 * Defines how webhook endpoints and deliveries are stored: one item for each, and one registry item that counts the
 * endpoints.
 */
import { isRecordId } from '../ids.ts';
import { tableKeys } from '../store/keys.ts';
import { defineRecordType, type RecordBase, type RecordType } from '../store/records.ts';
import type { Delivery } from './delivery.ts';
import type { Webhook } from './webhook.ts';

export const webhookType = defineRecordType<Webhook>({
  isId: (id) => isRecordId('webhook', id),
  keyOf: tableKeys.webhook,
  idIn: 'sk',
  attributes: {
    number: true,
    url: true,
    events: true,
    description: true,
    disabledReason: true,
    secrets: true,
    apiVersion: true,
    metadata: true,
    createdAt: true,
    updatedAt: true,
  },
});

/**
 * Counts the endpoints of an account and mode. Each creation and deletion of an endpoint changes the registry in the
 * same transaction.
 */
export interface Registry extends RecordBase {
  readonly count: number;
}

export const registryId = 'REGISTRY';

export const registryType = defineRecordType<Registry>({
  isId: (id) => id === registryId,
  keyOf: tableKeys.webhook,
  idIn: 'sk',
  attributes: { count: true },
});

/** Returns how the deliveries to one endpoint are stored. */
export function deliveryType(webhookId: string): RecordType<Delivery> {
  return defineRecordType<Delivery, 'webhookId'>({
    isId: (id) => isRecordId('webhook', webhookId) && isRecordId('delivery', id),
    keyOf: (_, id) => tableKeys.delivery(webhookId, id),
    idIn: 'sk',
    attributes: {
      eventId: true,
      eventType: true,
      position: true,
      attempts: true,
      tries: true,
      nextAttemptAt: true,
      fault: true,
      clockOffset: true,
      createdAt: true,
      expiresAt: true,
    },
    derive: () => ({ webhookId }),
  });
}
