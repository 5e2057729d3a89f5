/** Consumes the table's stream: relays new outbox items. The sweep relays the items that fail here, a minute later. */
import { streamHandler } from '../../shared/background/batch.ts';
import { fromStreamImage } from '../../shared/background/stream-image.ts';
import { relayStored } from '../../shared/outbox/relay.ts';
import { now } from '../../shared/time.ts';

export const handler = streamHandler(
  ({ dynamodb }) => fromStreamImage(dynamodb?.NewImage ?? {}),
  (items) => relayStored(items, now()),
);
