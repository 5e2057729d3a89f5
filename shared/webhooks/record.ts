/** How webhook endpoints are kept: each an item beside the others of its owner, and one that counts them. */
import { isRecordId } from '../ids.ts';
import { keys } from '../store/keys.ts';
import type { RecordBase, RecordType } from '../store/records.ts';
import type { Webhook } from './webhook.ts';

export const webhookType: RecordType<Webhook> = {
  isId: (id) => isRecordId('webhook', id),
  keyOf: keys.webhook,
  idIn: 'sk',
  attributes: [
    ...(['number', 'url', 'events', 'description', 'disabledReason', 'secrets'] as const),
    ...(['createdAt', 'updatedAt'] as const),
  ],
};

/** How many endpoints there are; changed in the transaction of each creation and deletion. */
export interface Registry extends RecordBase {
  readonly count: number;
}

export const registryId = 'REGISTRY';

export const registryType: RecordType<Registry> = {
  isId: (id) => id === registryId,
  keyOf: keys.webhook,
  idIn: 'sk',
  attributes: ['count'],
};
