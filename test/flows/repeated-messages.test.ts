/** Queues deliver at least once, and after an outage they hold several messages of one thing: that must not multiply. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import { keys } from '../../shared/store/keys.ts';
import { invoiceBody } from '../support/api.ts';
import type { Observed } from '../support/chains-agree.ts';
import { messageEvent } from '../support/dying-workers.ts';
import { type MortalStack, startMortalStack } from '../support/mortal-stack.ts';
import { cardBody, cards } from '../support/pay.ts';
import type { TestItem } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let mortal: MortalStack;
let client: Observed;
beforeAll(async () => {
  mortal = await startMortalStack();
  // The test is the consumer.
  await mortal.stack.queues.pause();
  client = await mortal.newClient();
});
afterAll(() => mortal.close());

const workers = {
  payment: 'functions/background/settle-payment.ts',
  refund: 'functions/background/process-refund.ts',
} as const;

const newInvoice = async () => (await client.api.post('/api/invoices', invoiceBody())).json;
const pay = async (number: string) =>
  (await client.api.post('/api/payments', cardBody((await newInvoice()).id, number))).json;

/** A refund whose outcome the provider does not know for a day. */
async function newRefund(): Promise<string> {
  const { id: paymentId } = await pay(cards.refundFailsLater);
  const { id } = (await client.api.post('/api/refunds', { paymentId })).json;
  await waitUntil('its timer', async () => (await timersOf(id)).length > 0);
  await deliver(await timersOf(id));
  await delayOutcome(id);
  return id;
}

async function delayOutcome(key: string): Promise<void> {
  const deed = await mortal.table.get(keys.testProvider(key));
  await mortal.table.put({
    ...deed,
    settlement: { ...deed?.settlement, at: mortal.clock.now() + 86_400_000 },
  });
}

const timersOf = async (reference: string) =>
  (await mortal.table.all('TIMER#')).filter((item) => item.reference === reference);

/** Delivers the messages of these timers when the last of them is due, each `copies` times, one after the other. */
async function deliver(timers: readonly TestItem[], copies = 1): Promise<unknown[]> {
  const { clock } = mortal;
  clock.to(Math.max(clock.now(), ...timers.map(({ due }) => due)));
  const answers: unknown[] = [];
  for (const { pk: _pk, sk: _sk, leasedUntil: _, ...message } of timers) {
    const file = workers[message.kind as keyof typeof workers];
    const handler = await loadHandler<unknown, unknown>(file);
    for (let copy = 0; copy < copies; copy += 1) {
      clock.advance(100);
      answers.push(await handler(messageEvent(message), lambdaContext(file, 60_000)));
    }
  }
  return answers;
}

describe('an outcome that stays unknown', () => {
  test.each(['payment', 'refund'] as const)(
    'of a %s is asked for by one chain, however often',
    async (kind) => {
      let id: string;
      if (kind === 'refund') id = await newRefund();
      else {
        ({ id } = await pay(cards.settlesLater));
        await delayOutcome(id);
        await waitUntil('its timers', async () => (await timersOf(id)).length > 1);
      }
      const begin = mortal.clock.now();
      for (let generation = 0; generation < 12; generation += 1) {
        await deliver(await timersOf(id), 3);
        expect((await timersOf(id)).length).toBeLessThanOrEqual(2);
      }
      expect(await timersOf(id)).toHaveLength(1);
      expect(mortal.clock.now() - begin).toBeGreaterThan(300_000);
    },
  );
});

test('money that goes back after a failure is asked for again while the provider does not know', async () => {
  const { id } = await pay(cards.refundFailsLater);
  const payment = await mortal.table.get(keys.record(id));
  await mortal.table.put({ ...payment, status: 'failed', owed: 'reversal', version: payment?.version + 1 });
  await waitUntil('the timer of its intent', async () => (await timersOf(id)).length === 1);
  const message = { kind: 'payment', reference: id, due: mortal.clock.now(), minute: 0 };
  expect(await deliver([message])).toEqual([{ batchItemFailures: [] }]);
  expect(await timersOf(id)).toHaveLength(2);
});
