/**
 * Records the first messages whose watchdogs are outbox items. No timer leads to them, so a test that plays the queue handles them
 * beside the messages of the timers.
 */
import { queueClient } from '../../shared/store/queue-client.ts';
import type { TestItem } from './table.ts';

export interface FirstMessages {
  /** Returns the messages that were sent for these outbox items. */
  of(outbox: readonly TestItem[]): TestItem[];
  stop(): void;
}

/** Records the messages that are sent from now on. */
export function recordFirstMessages(): FirstMessages {
  const messages = new Map<string, TestItem>();
  const name = 'testFirstMessages';
  queueClient.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { Entries: entries = [] } = args.input as { Entries?: readonly { MessageBody: string }[] };
      for (const message of entries.map(({ MessageBody }) => JSON.parse(MessageBody)))
        if (message.outboxItem) messages.set(message.outboxItem.sk, message);
      return result;
    },
    { step: 'initialize', name },
  );
  return {
    of: (outbox) => outbox.flatMap(({ sk }) => messages.get(sk) ?? []),
    stop: () => void queueClient.middlewareStack.remove(name),
  };
}
