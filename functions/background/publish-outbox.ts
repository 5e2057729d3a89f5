/** Consumes the table's stream: relays each new outbox item. The sweep relays the items that fail here, a minute later. */
import { streamHandler } from '../../shared/background/batch.ts';
import { fromStreamImage } from '../../shared/background/stream-image.ts';
import { relay } from '../../shared/outbox/relay.ts';
import { fromOutboxItem } from '../../shared/store/commit/outbox-item.ts';
import { now } from '../../shared/time.ts';

export const handler = streamHandler(async ({ dynamodb }) => {
  await relay(fromOutboxItem(fromStreamImage(dynamodb?.NewImage ?? {})), now());
});
