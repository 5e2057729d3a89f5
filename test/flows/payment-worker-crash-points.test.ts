import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { keys } from '../../shared/store/keys.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { type Observed, quietTable } from '../support/chains-agree.ts';
import type { TestClock } from '../support/clock.ts';
import { comeToRest } from '../support/come-to-rest.ts';
import { type Deaths, invokeWorker, messageEvent } from '../support/dying-workers.ts';
import { invocationHeader } from '../support/invocations.ts';
import { type AgreedMoney, agreedMoney } from '../support/money-agrees.ts';
import { type MortalStack, startMortalStack } from '../support/mortal-stack.ts';
import { cardBody, cards } from '../support/pay.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import type { TestItem, TestTable } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let deaths: Deaths;
let mortal: MortalStack;

beforeAll(async () => {
  mortal = await startMortalStack();
  ({ stack, table, clock, deaths } = mortal);
});
afterAll(() => mortal.close());

/** Work that a timer leads to. */
interface Work {
  readonly what: string;
  readonly worker: string;
  /** Brings something about that the worker has to look at; returns the timer's reference. */
  readonly prepare: (client: Observed) => Promise<string>;
  /** How much later the worker comes. */
  readonly afterMs: number;
  readonly calls: number;
  /** What has become of each of the `count` pieces of work. */
  readonly verify: (money: AgreedMoney, count: number, client: Observed) => void | Promise<void>;
}

let count = 0;
const newInvoice = async ({ api }: Observed): Promise<string> =>
  (await api.post('/api/invoices', invoiceBody())).json.id;

const paid = async (client: Observed, number: string): Promise<string> =>
  (await client.api.post('/api/payments', cardBody(await newInvoice(client), number))).json.id;

/** A request that dies when it asks the provider; returns the payment's id. */
async function deserted(client: Observed, fate: 'dies before' | 'dies after'): Promise<string> {
  const invoiceId = await newInvoice(client);
  const label = `deserted-${count++}`;
  deaths.set(label, { at: 'PutItem', fate });
  const headers = { [invocationHeader]: label, 'Idempotency-Key': label };
  const body = cardBody(invoiceId, cards.completes);
  await expect(client.api.post('/api/payments', body, { headers })).rejects.toThrow();
  return (await table.get(keys.record(invoiceId)))?.paymentInProgress;
}

/** A payment that completes although its invoice is cancelled meanwhile. */
async function late(client: Observed): Promise<string> {
  const invoiceId = await newInvoice(client);
  const { id } = (await client.api.post('/api/payments', cardBody(invoiceId, cards.settlesLater))).json;
  await client.api.delete(`/api/invoices/${invoiceId}`);
  return id;
}

const refunded = async (client: Observed, paymentId: string): Promise<string> =>
  (await client.api.post('/api/refunds', { paymentId, amount: 1000 })).json.id;

const all = (count: number, fields: object) => Array(count).fill(expect.objectContaining(fields));
const settles = triggers.settlePayment.handler;
const refunds = triggers.processRefund.handler;

const works: readonly Work[] = [
  {
    ...{ what: 'an abandoned payment is given up', worker: settles, afterMs: 60_000, calls: 10 },
    prepare: (client) => deserted(client, 'dies before'),
    verify: async ({ payments }, count, { api }) => {
      expect(payments).toEqual(all(count, { status: 'failed', failureCode: 'processing_error' }));
      const anew = await api.post('/api/payments', cardBody(payments[0].invoiceId, cards.completes));
      expect(anew.json.status).toBe('completed');
    },
  },
  {
    ...{ what: 'a payment that the provider has taken completes', worker: settles },
    ...{ afterMs: 60_000, calls: 11 },
    prepare: (client) => deserted(client, 'dies after'),
    verify: ({ payments }, count) => expect(payments).toEqual(all(count, { status: 'completed' })),
  },
  {
    ...{ what: 'an outcome that is not known yet is asked for again', worker: settles },
    ...{ afterMs: 1_000, calls: 6 },
    prepare: (client) => paid(client, cards.settlesLater),
    verify: ({ payments }, count) => expect(payments).toEqual(all(count, { status: 'completed' })),
  },
  {
    ...{ what: 'a payment completes on a cancelled invoice and is refunded', worker: settles },
    ...{ afterMs: 6_000, calls: 9 },
    prepare: late,
    verify: ({ payments, refunds }, count) => {
      expect(payments).toEqual(all(count, { status: 'completed', amountRefunded: 2500 }));
      expect(refunds).toEqual(all(count, { status: 'processed', amount: 2500 }));
    },
  },
  {
    ...{ what: 'a refund is processed', worker: refunds, afterMs: 0, calls: 8 },
    prepare: async (client) => refunded(client, await paid(client, cards.completes)),
    verify: ({ payments, refunds }, count) => {
      expect(payments).toEqual(all(count, { amountRefunded: 1000 }));
      expect(refunds).toEqual(all(count, { status: 'processed', amount: 1000 }));
    },
  },
  {
    ...{ what: 'a refund that fails later gives its amount back', worker: refunds },
    ...{ afterMs: 0, calls: 7 },
    prepare: async (client) => refunded(client, await paid(client, cards.refundFailsLater)),
    verify: async ({ payments, refunds }, count, { api }) => {
      expect(payments).toEqual(all(count, { amountRefunded: 0 }));
      expect(refunds).toEqual(all(count, { status: 'failed', failureCode: 'refund_refused' }));
      const whole = await api.post('/api/refunds', { paymentId: payments[0].id });
      expect(whole.json).toMatchObject({ status: 'pending', amount: 2500 });
    },
  },
  {
    ...{ what: 'a refund that is owed is made', worker: refunds, afterMs: 0, calls: 6 },
    prepare: async (client) => {
      const id = await late(client);
      clock.advance(6_000);
      const settled = await timerOf(id, 'payment');
      await invokeWorker('settles', settles, messageEvent(settled));
      return id;
    },
    verify: ({ payments, refunds }, count) => {
      expect(payments).toEqual(all(count, { status: 'completed', amountRefunded: 2500 }));
      expect(refunds).toEqual(all(count, { status: 'processed', amount: 2500 }));
    },
  },
];

async function timerOf(id: string, kind: string): Promise<TestItem> {
  return waitUntil('its timer stands', async () => {
    const timers = (await table.all('TIMER#')).filter((timer) => timer.reference === id);
    timers.sort((a, b) => a.due - b.due);
    return timers.find((timer) => timer.kind === kind);
  });
}

/** More than any worker makes. */
const mostCalls = 13;

test.each(works)(
  '$what, whatever call the worker dies at, and whether its message comes again or its timer',
  async ({ what, worker, prepare, afterMs, calls, verify }) => {
    await stack.queues.pause();
    const { accountId, test: api } = await newAccount(stack.baseUrl);
    const client: Observed = { owner: `${accountId}#test`, api, table, now: clock.now };
    const places = Array.from({ length: mostCalls * 2 }, (_, place) => place);
    const kind = worker === settles ? 'payment' : 'refund';
    const ids: string[] = [];
    for (const _ of places) ids.push(await prepare(client));
    // By now all of its timers stand, of which the first is the one that comes.
    await quietTable(client);
    const prepared = await Promise.all(
      ids.map(async (id, place) => ({ place, timer: await timerOf(id, kind) })),
    );
    // The messages that are under way already are lost: those that come are the ones below.
    await purgeQueues(stack);
    clock.advance(afterMs);
    const died = await Promise.all(
      prepared.map(async ({ place, timer: { due, kind, reference, minute } }) => {
        const label = `${what}-${place}`;
        const at = Math.floor(place / 2);
        deaths.set(label, { at, fate: place % 2 === 0 ? 'dies before' : 'dies after' });
        const event = messageEvent({ due, kind, reference, minute });
        const dies = await invokeWorker(label, worker, event);
        // Every other message is delivered again; the others are lost.
        if (at % 2 === 0) await invokeWorker(`${label} again`, worker, event);
        return dies;
      }),
    );
    expect(died.filter(Boolean).length).toBeGreaterThanOrEqual(calls * 2);
    expect(died).toContain(false);
    await comeToRest({ stack, table, clock });
    await verify(await agreedMoney(client), places.length, client);
    await comeToRest({ stack, table, clock });
  },
);
