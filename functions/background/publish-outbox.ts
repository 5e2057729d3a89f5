/** The stream's consumer: publishes each new outbox item. What it fails at, the sweep takes up a minute later. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { streamHandler } from '../../shared/batch.ts';
import type { OutboxItem } from '../../shared/store/outbox.ts';
import { now } from '../../shared/time.ts';
import { publish } from '../../shared/webhooks/publish.ts';

export const handler = streamHandler(async ({ dynamodb }) => {
  const item = unmarshall(dynamodb?.NewImage as Record<string, AttributeValue>);
  await publish(item as OutboxItem, now());
});
