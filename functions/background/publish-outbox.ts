/** Consumes the table's stream: relays new outbox items. The sweep relays the items that fail here, a minute later. */

import { now } from '../../shared/base/time.ts';
import { streamHandler } from '../../shared/operations/background/batch.ts';
import { fromStreamImage } from '../../shared/operations/background/stream-image.ts';
import { relayStored } from '../../shared/operations/outbox/relay.ts';

export const handler = streamHandler(
  ({ dynamodb }) => fromStreamImage(dynamodb?.NewImage ?? {}),
  (items) => relayStored(items, now()),
);
