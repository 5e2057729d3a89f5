/**
 * Runs the background functions of webhooks as the pollers would, on outbox items and timers of the table. An outbox
 * item becomes a record of the stream, and a timer becomes a message of its queue. So a test decides when and how often
 * each function runs.
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import { type LambdaHandler, lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import { triggers } from '../../infra/triggers.ts';
import { runAsInvocation } from './invocations.ts';
import type { TestItem } from './table.ts';

/** How an invocation of a background function ended. */
export interface InvocationOutcome {
  readonly crashed: boolean;
  /** The indexes of the records that failed, in order. */
  readonly failed: readonly number[];
}

let count = 0;

/** Relays outbox items in one batch. `label` names the invocation. */
export function relayItems(
  items: readonly TestItem[],
  label = `relay-${count++}`,
): Promise<InvocationOutcome> {
  const Records = items.map((item, index) => ({
    eventID: String(index),
    dynamodb: { SequenceNumber: String(index), NewImage: marshall(item, { removeUndefinedValues: true }) },
  }));
  return run(triggers.publishOutbox.handler, Records, label);
}

/** Returns the body of the message that a timer is sent as. */
export function toMessageBody(timer: TestItem): string {
  const { due, kind, reference, group, minute, first } = timer;
  return JSON.stringify({ due, kind, reference, group, minute, first });
}

const workers = {
  webhook: triggers.deliverWebhook,
  recovery: triggers.recoverDeliveries,
  overdue: triggers.overdue,
};

/** Runs the function of a queue on one batch of messages. */
export function handleMessages(
  queue: keyof typeof workers,
  messages: readonly string[],
  label = `${queue}-${count++}`,
): Promise<InvocationOutcome> {
  const { handler } = workers[queue];
  const Records = messages.map((body, index) => ({ messageId: String(index), body }));
  return run(handler, Records, label);
}

async function run(file: string, Records: readonly object[], label: string): Promise<InvocationOutcome> {
  const handler: LambdaHandler<unknown, unknown> = await loadHandler(file);
  try {
    const answer = await runAsInvocation(label, () => handler({ Records }, lambdaContext(file, 60_000)));
    const { batchItemFailures } = answer as { batchItemFailures: { itemIdentifier: string }[] };
    const failed = batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier));
    return { crashed: false, failed: failed.sort((a, b) => a - b) };
  } catch {
    return { crashed: true, failed: Records.map((_, index) => index) };
  }
}
