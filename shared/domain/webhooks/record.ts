/**
 * Defines how webhook endpoints and deliveries are stored: one item for each, and one registry item that counts the
 * endpoints.
 */
import { isRecordId, type Owner } from '../../base/ids.ts';
import { type Key, tableKeys } from '../../store/keys.ts';
import { defineRecordType, type RecordBase, type RecordType } from '../../store/records.ts';
import {
  arrayOf,
  count,
  type Field,
  finite,
  instant,
  integer,
  jsonObject,
  nullable,
  objectOf,
  optional,
  positive,
  scalar,
  text,
  textOf,
} from '../../store/stored-fields.ts';
import type { Delivery, DeliveryAttempt } from './delivery.ts';
import type { EventFilter, FilterValue } from './event-filter.ts';
import type { EncryptedSecret, EventSelector, Webhook } from './webhook.ts';

export const webhookType = defineRecordType<Webhook>({
  isId: (id) => isRecordId('webhook', id),
  keyOf: tableKeys.webhook,
  idIn: 'sk',
  attributes: {
    number: positive,
    url: text,
    events: arrayOf(textOf<EventSelector>()),
    description: nullable(text),
    disabledReason: nullable(textOf<NonNullable<Webhook['disabledReason']>>()),
    secrets: arrayOf(objectOf<EncryptedSecret>({ ciphertext: text, until: optional(instant) })),
    apiVersion: textOf<Webhook['apiVersion']>(),
    metadata: optional(jsonObject),
    filters: optional(
      arrayOf(
        objectOf<EventFilter>({
          path: text,
          equals: optional(scalar),
          in: optional(arrayOf(scalar) as Field<readonly FilterValue[]> as unknown as Field<FilterValue[]>),
          prefix: optional(text),
          greaterThan: optional(finite),
        }),
      ),
    ),
    createdAt: instant,
    updatedAt: instant,
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
  attributes: { count },
});

const anyDelivery = defineRecordType<Delivery, 'webhookId'>({
  isId: (id) => isRecordId('delivery', id),
  keyOf: (_, id) => tableKeys.delivery('', id),
  idIn: 'sk',
  derive: () => ({ webhookId: '' }),
  attributes: {
    eventId: text,
    eventType: text,
    position: positive,
    attempts: arrayOf(
      objectOf<DeliveryAttempt>({
        number: positive,
        at: instant,
        durationMs: count,
        status: optional(integer),
        error: optional(text),
        cause: optional(text),
        answer: text,
      }),
    ),
    tries: count,
    nextAttemptAt: optional(instant),
    fault: optional(textOf<NonNullable<Delivery['fault']>>()),
    clockOffset: optional(integer),
    createdAt: instant,
    expiresAt: integer,
  },
});

/** Returns how the deliveries to one endpoint are stored. */
export function deliveryType(webhookId: string): RecordType<Delivery> {
  return {
    ...anyDelivery,
    isId: (id) => isRecordId('webhook', webhookId) && isRecordId('delivery', id),
    keyOf: (_, id) => tableKeys.delivery(webhookId, id),
    derive: () => ({ webhookId }),
  };
}
