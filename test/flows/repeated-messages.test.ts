/**
 * Tests that repeated queue messages do not multiply. Queues deliver at least once, and after an outage a queue can
 * hold several messages about the same record.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import { invoiceBody } from '../support/api.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { toQueueEvent } from '../support/crashing-workers.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import type { TestItem } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let crashStack: CrashTestStack;
let client: AccountUnderTest;
beforeAll(async () => {
  crashStack = await startCrashTestStack();
  // The test handles the messages itself.
  await crashStack.stack.queues.pause();
  client = await crashStack.newClient();
});
afterAll(() => crashStack.close());

const workers = {
  payment: 'functions/background/settle-payment.ts',
  refund: 'functions/background/process-refund.ts',
} as const;

const newInvoice = async () => (await client.api.post('/api/invoices', invoiceBody())).json;
const pay = async (number: string) =>
  (await client.api.post('/api/payments', cardPaymentBody((await newInvoice()).id, number))).json;

/** Creates a refund whose outcome the provider does not know for a day. */
async function newRefund(): Promise<string> {
  const { id: paymentId } = await pay(cards.refundFailsLater);
  const { id } = (await client.api.post('/api/refunds', { paymentId })).json;
  await waitUntil('its timer is stored', async () => (await crashStack.table.timersOf(id)).length > 0);
  await deliver(await crashStack.table.timersOf(id));
  await delayOutcome(id);
  return id;
}

async function delayOutcome(key: string): Promise<void> {
  const operation = await crashStack.table.get(tableKeys.testProvider(key));
  await crashStack.table.put({
    ...operation,
    settlement: { ...operation?.settlement, at: crashStack.clock.now() + 86_400_000 },
  });
}

/** Delivers the messages of timers one after another, each `copies` times, when the last of them is due. */
async function deliver(timers: readonly TestItem[], copies = 1): Promise<unknown[]> {
  const { clock } = crashStack;
  clock.to(Math.max(clock.now(), ...timers.map(({ due }) => due)));
  const results: unknown[] = [];
  for (const { pk: _pk, sk: _sk, leasedUntil: _, ...message } of timers) {
    const file = workers[message.kind as keyof typeof workers];
    const handler = await loadHandler<unknown, unknown>(file);
    for (let copy = 0; copy < copies; copy += 1) {
      clock.advance(100);
      results.push(await handler(toQueueEvent(message), lambdaContext(file, 60_000)));
    }
  }
  return results;
}

describe('an outcome that stays unknown', () => {
  test.each(['payment', 'refund'] as const)(
    'of a %s is polled by one chain of timers, also with repeated messages',
    async (kind) => {
      let id: string;
      if (kind === 'refund') id = await newRefund();
      else {
        ({ id } = await pay(cards.settlesLater));
        await delayOutcome(id);
        await waitUntil(
          'its timers are stored',
          async () => (await crashStack.table.timersOf(id)).length > 1,
        );
      }
      const begin = crashStack.clock.now();
      for (let generation = 0; generation < 12; generation += 1) {
        await deliver(await crashStack.table.timersOf(id), 3);
        expect((await crashStack.table.timersOf(id)).length).toBeLessThanOrEqual(2);
      }
      expect(await crashStack.table.timersOf(id)).toHaveLength(1);
      expect(crashStack.clock.now() - begin).toBeGreaterThan(300_000);
    },
  );
});

test('a pending compensation after a failure is polled again while its outcome is unknown', async () => {
  const { id } = await pay(cards.refundFailsLater);
  const payment = await crashStack.table.get(tableKeys.record(id));
  await crashStack.table.put({
    ...payment,
    status: 'failed',
    pendingCompensation: 'reversal',
    version: payment?.version + 1,
  });
  await waitUntil(
    'only the timer of the pending operation is left',
    async () => (await crashStack.table.timersOf(id)).length === 1,
  );
  const message = { kind: 'payment', reference: id, due: crashStack.clock.now(), minute: 0 };
  expect(await deliver([message])).toEqual([{ batchItemFailures: [] }]);
  expect(await crashStack.table.timersOf(id)).toHaveLength(2);
});
