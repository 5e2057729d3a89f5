/** Consumes the table's stream: relays new outbox items. The sweep relays the items that fail here, a minute later. */
import { streamHandler } from '../../shared/background/batch.ts';
import { fromStreamImage } from '../../shared/background/stream-image.ts';
import { relayAll } from '../../shared/outbox/relay.ts';
import { fromOutboxItem } from '../../shared/store/commit/outbox-item.ts';
import { now } from '../../shared/time.ts';

export const handler = streamHandler(
  ({ dynamodb }) => fromOutboxItem(fromStreamImage(dynamodb?.NewImage ?? {})),
  (items) => relayAll(items, now()),
);
