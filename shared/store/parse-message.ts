/** Reads the bodies of queue messages. */
import type { Item } from './records.ts';
import { MalformedItemError } from './stored-fields.ts';

/** Returns the JSON object in the body of a message. @throws MalformedItemError */
export function parseMessage(body: string): Item {
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    throw new MalformedItemError('message', 'its body is not JSON');
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    throw new MalformedItemError('message', 'its body is not an object');
  return message as Item;
}
