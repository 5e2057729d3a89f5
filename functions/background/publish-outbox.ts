/** Consumes the table's stream: relays new outbox items. The sweep relays the items that fail here, a minute later. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { streamHandler } from '../../shared/background/batch.ts';
import { relayAll } from '../../shared/outbox/relay.ts';
import { fromOutboxItem } from '../../shared/store/commit/outbox-item.ts';
import { now } from '../../shared/time.ts';

export const handler = streamHandler(
  ({ dynamodb }) => fromOutboxItem(unmarshall(dynamodb?.NewImage as Record<string, AttributeValue>)),
  (items) => relayAll(items, now()),
);
