/** Tests that the payment and refund workers complete their work after a crash at any call. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { readQuiescentTable } from '../model/expect-consistent-invoices.ts';
import { expectConsistentMoney, type ShownMoney } from '../model/expect-consistent-money.ts';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import type { TestClock } from '../support/clock.ts';
import { type CrashTestStack, startCrashTestStack } from '../support/crash-test-stack.ts';
import { type CrashPlan, invokeWorker, toQueueEvent } from '../support/crashing-workers.ts';
import { invocationHeader } from '../support/invocations.ts';
import { cardPaymentBody, cards } from '../support/pay.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import { runUntilQuiescent } from '../support/run-until-quiescent.ts';
import type { TestItem, TestTable } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let crashes: CrashPlan;
let crashStack: CrashTestStack;

beforeAll(async () => {
  crashStack = await startCrashTestStack();
  ({ stack, table, clock, crashes } = crashStack);
});
afterAll(() => crashStack.close());

/** Work that a timer starts. */
interface Work {
  readonly what: string;
  readonly worker: string;
  /** Creates a payment or refund that the worker must complete. Returns the reference of its timer. */
  readonly prepare: (client: AccountUnderTest) => Promise<string>;
  /** How much later the worker runs, in milliseconds. */
  readonly afterMs: number;
  /** The number of calls that the worker makes at least. */
  readonly calls: number;
  /** Checks the results of all `count` pieces of work. */
  readonly verify: (money: ShownMoney, count: number, client: AccountUnderTest) => void | Promise<void>;
}

let count = 0;
const newInvoice = async ({ api }: AccountUnderTest): Promise<string> =>
  (await api.post('/api/invoices', invoiceBody())).json.id;

const payByCard = async (client: AccountUnderTest, number: string): Promise<string> =>
  (await client.api.post('/api/payments', cardPaymentBody(await newInvoice(client), number))).json.id;

/** Sends a payment request that crashes at the call of the provider. Returns the id of its payment. */
async function abandonPayment(
  client: AccountUnderTest,
  fault: 'crash before call' | 'crash after call',
): Promise<string> {
  const invoiceId = await newInvoice(client);
  const label = `abandoned-${count++}`;
  crashes.set(label, { at: 'PutItem', fault });
  const headers = { [invocationHeader]: label, 'Idempotency-Key': label };
  const body = cardPaymentBody(invoiceId, cards.completes);
  await expect(client.api.post('/api/payments', body, { headers })).rejects.toThrow();
  return (await table.get(tableKeys.record(invoiceId)))?.paymentInProgress;
}

/** Creates a payment whose invoice is cancelled before the payment completes. Returns the payment's id. */
async function payCancelledInvoice(client: AccountUnderTest): Promise<string> {
  const invoiceId = await newInvoice(client);
  const { id } = (await client.api.post('/api/payments', cardPaymentBody(invoiceId, cards.settlesLater)))
    .json;
  await client.api.delete(`/api/invoices/${invoiceId}`);
  return id;
}

const refund = async (client: AccountUnderTest, paymentId: string): Promise<string> =>
  (await client.api.post('/api/refunds', { paymentId, amount: 1000 })).json.id;

const all = (count: number, fields: object) => Array(count).fill(expect.objectContaining(fields));
const settlePayment = triggers.settlePayment.handler;
const processRefund = triggers.processRefund.handler;

const works: readonly Work[] = [
  {
    what: 'an abandoned payment fails',
    worker: settlePayment,
    afterMs: 60_000,
    calls: 10,
    prepare: (client) => abandonPayment(client, 'crash before call'),
    verify: async ({ payments }, count, { api }) => {
      expect(payments).toEqual(all(count, { status: 'failed', failureCode: 'processing_error' }));
      const next = await api.post('/api/payments', cardPaymentBody(payments[0].invoiceId, cards.completes));
      expect(next.json.status).toBe('completed');
    },
  },
  {
    what: 'a payment that the provider has captured completes',
    worker: settlePayment,
    afterMs: 60_000,
    calls: 11,
    prepare: (client) => abandonPayment(client, 'crash after call'),
    verify: ({ payments }, count) => expect(payments).toEqual(all(count, { status: 'completed' })),
  },
  {
    what: 'a payment whose outcome is not known yet is polled again',
    worker: settlePayment,
    afterMs: 1_000,
    calls: 6,
    prepare: (client) => payByCard(client, cards.settlesLater),
    verify: ({ payments }, count) => expect(payments).toEqual(all(count, { status: 'completed' })),
  },
  {
    what: 'a payment of a cancelled invoice completes and is refunded',
    worker: settlePayment,
    afterMs: 6_000,
    calls: 9,
    prepare: payCancelledInvoice,
    verify: ({ payments, refunds }, count) => {
      expect(payments).toEqual(all(count, { status: 'completed', amountRefunded: 2500 }));
      expect(refunds).toEqual(all(count, { status: 'processed', amount: 2500 }));
    },
  },
  {
    what: 'a refund is processed',
    worker: processRefund,
    afterMs: 0,
    calls: 8,
    prepare: async (client) => refund(client, await payByCard(client, cards.completes)),
    verify: ({ payments, refunds }, count) => {
      expect(payments).toEqual(all(count, { amountRefunded: 1000 }));
      expect(refunds).toEqual(all(count, { status: 'processed', amount: 1000 }));
    },
  },
  {
    what: 'a refund that fails later releases its amount',
    worker: processRefund,
    afterMs: 0,
    calls: 7,
    prepare: async (client) => refund(client, await payByCard(client, cards.refundFailsLater)),
    verify: async ({ payments, refunds }, count, { api }) => {
      expect(payments).toEqual(all(count, { amountRefunded: 0 }));
      expect(refunds).toEqual(all(count, { status: 'failed', failureCode: 'refund_refused' }));
      const whole = await api.post('/api/refunds', { paymentId: payments[0].id });
      expect(whole.json).toMatchObject({ status: 'pending', amount: 2500 });
    },
  },
  {
    what: 'a compensating refund is created',
    worker: processRefund,
    afterMs: 0,
    calls: 6,
    prepare: async (client) => {
      const id = await payCancelledInvoice(client);
      clock.advance(6_000);
      const timer = await timerOf(id, 'payment');
      await invokeWorker('settle', settlePayment, toQueueEvent(timer));
      return id;
    },
    verify: ({ payments, refunds }, count) => {
      expect(payments).toEqual(all(count, { status: 'completed', amountRefunded: 2500 }));
      expect(refunds).toEqual(all(count, { status: 'processed', amount: 2500 }));
    },
  },
];

async function timerOf(id: string, kind: string): Promise<TestItem> {
  return waitUntil('its timer is stored', async () => {
    const timers = (await table.all('TIMER#')).filter((timer) => timer.reference === id);
    timers.sort((a, b) => a.due - b.due);
    return timers.find((timer) => timer.kind === kind);
  });
}

/** No worker makes as many calls. */
const mostCalls = 13;

test.each(works)(
  '$what after a crash at any call, by a repeated message or by the timer',
  async ({ what, worker, prepare, afterMs, calls, verify }) => {
    await stack.queues.pause();
    const { accountId, test: api } = await newAccount(stack.baseUrl);
    const client: AccountUnderTest = { owner: `${accountId}#test`, api, table, now: clock.now };
    const cases = Array.from({ length: mostCalls * 2 }, (_, index) => index);
    const kind = worker === settlePayment ? 'payment' : 'refund';
    const ids: string[] = [];
    for (const _ of cases) ids.push(await prepare(client));
    // Now all timers are stored. The first one of each reference is the one that fires.
    await readQuiescentTable(client);
    const prepared = await Promise.all(
      ids.map(async (id, index) => ({ index, timer: await timerOf(id, kind) })),
    );
    // Purge the messages of the stack, because the test sends its own messages below.
    await purgeQueues(stack);
    clock.advance(afterMs);
    const crashed = await Promise.all(
      prepared.map(async ({ index, timer: { due, kind, reference, minute } }) => {
        const label = `${what}-${index}`;
        const at = Math.floor(index / 2);
        crashes.set(label, { at, fault: index % 2 === 0 ? 'crash before call' : 'crash after call' });
        const event = toQueueEvent({ due, kind, reference, minute });
        const isCrashed = await invokeWorker(label, worker, event);
        // Every other message is delivered again. The others are lost.
        if (at % 2 === 0) await invokeWorker(`${label} again`, worker, event);
        return isCrashed;
      }),
    );
    expect(crashed.filter(Boolean).length).toBeGreaterThanOrEqual(calls * 2);
    expect(crashed).toContain(false);
    await runUntilQuiescent({ stack, table, clock });
    await verify(await expectConsistentMoney(client), cases.length, client);
    await runUntilQuiescent({ stack, table, clock });
  },
);
