/** How webhook endpoints are kept: each an item beside the others of its owner, and one that counts them. */
import { isRecordId } from '../ids.ts';
import { keys } from '../store/keys.ts';
import type { RecordBase, RecordType } from '../store/records.ts';
import type { Webhook } from './webhook.ts';

export const webhookType: RecordType<Webhook> = {
  isId: (id) => isRecordId('webhook', id),
  keyOf: keys.webhook,
  toAttributes: ({ number, url, events, description, disabledReason, secrets, createdAt, updatedAt }) => ({
    ...{ number, url, events, description, disabledReason, secrets, createdAt, updatedAt },
  }),
  fromItem: (item) => {
    const { pk: _, sk: id, change: __, ...attributes } = item;
    return { ...attributes, id } as unknown as Webhook;
  },
};

/** How many endpoints there are; changed in the transaction of each creation and deletion. */
export interface Registry extends RecordBase {
  readonly count: number;
}

export const registryId = 'REGISTRY';

export const registryType: RecordType<Registry> = {
  isId: (id) => id === registryId,
  keyOf: keys.webhook,
  toAttributes: ({ count }) => ({ count }),
  fromItem: (item) => {
    const { pk: _, sk: id, change: __, ...attributes } = item;
    return { ...attributes, id } as unknown as Registry;
  },
};
