/**
 * Defines how webhook endpoints and deliveries are stored: one item for each, and one registry item that counts the
 * endpoints.
 */
import { isRecordId, type Owner } from '../ids.ts';
import { type Key, tableKeys } from '../store/keys.ts';
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
 * Counts the endpoints of an account and mode. Its version rises with each change of the events that an endpoint gets, in the same
 * transaction: its creation and deletion, and changes of its events or its status. So a list of endpoints can be remembered, see
 * `known-webhooks.ts`.
 */
export interface Registry extends RecordBase {
  readonly count: number;
}

export const registryId = 'REGISTRY';

export const registryKey = (owner: Owner): Key => tableKeys.webhook(owner, registryId);

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
