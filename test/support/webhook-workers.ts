/**
 * Runs the background functions of webhooks on what waits for them in the table, as the pollers would: an item of the
 * outbox as a record of the stream, a timer as the message of its queue. So a test says when, how often and by whom.
 */
import { marshall } from '@aws-sdk/util-dynamodb';
import { type LambdaHandler, lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import { triggers } from '../../infra/triggers.ts';
import { runAs } from './invocations.ts';
import type { TestItem } from './table.ts';

/** What a background function was given, and how it ended. */
export interface Run {
  readonly died: boolean;
  /** The places of the records that failed, in order. */
  readonly failed: readonly number[];
}

let count = 0;

/** Publishes items of the outbox in one batch; `label` names the invocation. */
export function publishItems(items: readonly TestItem[], label = `publisher-${count++}`): Promise<Run> {
  const Records = items.map((item, place) => ({
    eventID: String(place),
    dynamodb: { SequenceNumber: String(place), NewImage: marshall(item, { removeUndefinedValues: true }) },
  }));
  return run(triggers.publishOutbox.handler, Records, label);
}

/** The message that a timer is sent as. */
export function messageOf({ due, kind, reference, group, minute }: TestItem): string {
  return JSON.stringify({ due, kind, reference, group, minute });
}

/** Hands messages to the function of the queue in one batch. */
export function handleMessages(
  queue: 'webhook' | 'recovery',
  messages: readonly string[],
  label = `${queue}-${count++}`,
): Promise<Run> {
  const { handler } = queue === 'webhook' ? triggers.deliverWebhook : triggers.recoverDeliveries;
  const Records = messages.map((body, place) => ({ messageId: String(place), body }));
  return run(handler, Records, label);
}

async function run(file: string, Records: readonly object[], label: string): Promise<Run> {
  const handler: LambdaHandler<unknown, unknown> = await loadHandler(file);
  try {
    const answer = await runAs(label, () => handler({ Records }, lambdaContext(file, 60_000)));
    const { batchItemFailures } = answer as { batchItemFailures: { itemIdentifier: string }[] };
    const failed = batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier));
    return { died: false, failed: failed.sort((a, b) => a - b) };
  } catch {
    return { died: true, failed: Records.map((_, place) => place) };
  }
}
