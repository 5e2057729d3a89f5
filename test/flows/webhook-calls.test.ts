/**
 * Tests how many calls to DynamoDB and SQS one change costs from its commit to the receivers and after that, and how many of
 * them wait for one another before the first request to a receiver.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { countingCalls } from '../../shared/store/call-count.ts';
import { currentInvocation } from '../support/invocations.ts';
import { startWebhookTestStack, type WebhookTestStack } from '../support/webhook-test-stack.ts';
import { handleMessages, relayItems, toMessageBody } from '../support/webhook-workers.ts';

let testStack: WebhookTestStack;

beforeAll(async () => {
  testStack = await startWebhookTestStack();
});
afterAll(() => testStack.close());

/** The most messages that one invocation of the dispatcher receives. */
const batchSize = 10;

/**
 * Returns the calls of one change with that number of endpoints. The third change of an account is the measured one: from
 * then on, the relay remembers the end of the event log, and the endpoints.
 */
async function callsOfChange(endpoints: number) {
  const owner = await testStack.newOwner(endpoints);
  for (const _ of ['first', 'second']) {
    await owner.createInvoices(1);
    await testStack.relay(owner);
    await testStack.handleDue(owner);
  }
  await owner.createInvoices(1);

  const relayed: string[] = [];
  const relayCount = { calls: 0, inSequence: 0 };
  let beforeSend: number | undefined;
  const dispatched: string[] = [];
  let operations = relayed;
  testStack.layer.setPlan({
    seed: 0,
    script: ({ label, operation }) => {
      if (label !== currentInvocation()?.label || !label.startsWith('counted')) return undefined;
      operations.push(operation);
      if (operation.startsWith('SendMessage')) beforeSend ??= relayCount.inSequence;
      return undefined;
    },
  });
  const items = await testStack.table.outboxOf(owner.owner);
  await countingCalls(relayCount, () => relayItems(items, 'counted relay'));

  operations = dispatched;
  let beforePost: number | undefined;
  const messages = (await owner.timers()).map(toMessageBody);
  for (let start = 0; start < messages.length; start += batchSize) {
    const count = { calls: 0, inSequence: 0 };
    testStack.receiver.respondWith(() => {
      beforePost ??= count.inSequence;
      return { status: 200 };
    });
    const batch = messages.slice(start, start + batchSize);
    await countingCalls(count, () => handleMessages('webhook', batch, `counted dispatcher ${start}`));
  }
  const statuses = (await owner.deliveries()).map(({ status }) => status);
  expect(statuses).toEqual(Array(3 * endpoints).fill('succeeded'));
  return {
    relay: counted(relayed),
    dispatcher: counted(dispatched),
    all: relayed.length + dispatched.length,
    inSequence: (beforeSend ?? 0) + 1 + (beforePost ?? 0),
  };
}

/** Returns how often each operation was called. */
function counted(operations: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const operation of [...operations].sort()) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
}

test.each([
  { endpoints: 1, batches: 1, all: 9 },
  { endpoints: 20, batches: 2, all: 49 },
])(
  'a change with $endpoints endpoints costs few calls, and the message waits for two of them',
  async ({ endpoints, batches, all }) => {
    expect(await callsOfChange(endpoints)).toEqual({
      relay: {
        // The index pages, the version of the endpoints, and the ends of the event log and of the audit log.
        BatchGetItem: 1,
        // The event with its pointer and the timers of its deliveries, and the entry in the audit log.
        TransactWriteItems: 1,
        // The marks of the timers.
        GetItem: 1,
        PutItem: endpoints,
        SendMessageBatch: batches,
        // The terms of the search, beside the first message, and the deletion of the outbox item.
        BatchWriteItem: 2,
      },
      // Each outcome is stored with the deletion of its timer.
      dispatcher: { BatchGetItem: batches, TransactWriteItems: endpoints },
      all,
      // Index pages, event, message, and the read of the dispatcher.
      inSequence: 4,
    });
  },
);
