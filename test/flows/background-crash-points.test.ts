/** Tests that the background functions lose nothing and repeat nothing after a crash at any call or a longer outage. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type LambdaHandler, lambdaContext } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { expectConsistentInvoices } from '../model/expect-consistent-invoices.ts';
import type { AccountUnderTest } from '../support/account-under-test.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { type FaultLayer, installFaults, type ScriptedFault } from '../support/fault-layer.ts';
import { runAsInvocation } from '../support/invocations.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let layer: FaultLayer;
let client: AccountUnderTest;
let nextCrash: { at: number; fault: ScriptedFault } | undefined;
const handlers = new Map<string, LambdaHandler<unknown, unknown>>();

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
  const script = ({ index }: { index: number }) => (nextCrash?.at === index ? nextCrash.fault : undefined);
  layer = await installFaults({ seed: 0, script });
  for (const { handler } of Object.values(triggers)) {
    handlers.set(handler, (await import(`../../${handler}`)).handler);
  }
});
beforeEach(async () => {
  const { accountId, test: api } = await newAccount(stack.baseUrl);
  client = { owner: `${accountId}#test`, api, table, now: clock.now };
});
afterEach(() => {
  stack.stream.resume();
  stack.queues.resume();
});
afterAll(async () => {
  layer.remove();
  await stack.close();
});

/** Runs a background function as an invocation. `crashed` is true if it reached the call at which it must crash. */
async function invoke(file: string, event: unknown): Promise<{ crashed: boolean; answer: unknown }> {
  const handler = handlers.get(file) as LambdaHandler<unknown, unknown>;
  let answer: unknown;
  const run = runAsInvocation(file, async () => {
    answer = await handler(event, lambdaContext(file, 60_000));
  });
  const crashed = await run.then(
    () => false,
    () => true,
  );
  return { crashed, answer };
}

/**
 * Runs `oneCase` with a crash before and after each call, until there is no such call. Returns the number of crashes.
 */
async function crashAtEveryCall(oneCase: () => Promise<boolean>): Promise<number> {
  let crashes = 0;
  for (let at = 0; ; at++) {
    for (const fault of ['crash before call', 'crash after call'] as const) {
      nextCrash = { at, fault };
      const crashed = await oneCase();
      if (!crashed) return crashes;
      crashes += 1;
    }
  }
}

const at = (instant: number) => new Date(instant).toISOString();
const create = async (due?: number) =>
  (await client.api.post('/api/invoices', invoiceBody({ ...(due && { dueDate: at(due) }) }))).json
    .id as string;
const outboxItems = () => table.outboxOf(client.owner);
const relay = (item: TestItem) =>
  invoke(triggers.publishOutbox.handler, {
    Records: [{ eventID: 'e', dynamodb: { SequenceNumber: '1', NewImage: marshall(item) } }],
  });
const sweep = () => invoke(triggers.sweep.handler, {});
const statusOf = async (id: string) => (await client.api.get(`/api/invoices/${id}`)).json.status;
const waitUntilOverdue = (ids: readonly string[]) =>
  waitUntil('they are overdue', async () => {
    const statuses = await Promise.all(ids.map(statusOf));
    return statuses.every((status) => status === 'overdue');
  });

test.each([
  ['a due date two days away', 2 * 24 * 60 * minuteMs, 1],
  ['a due date within the minute, whose message is sent immediately', 30_000, 2],
])(
  'after a crash of the relay at any call, %s: the sweep completes the work, once',
  async (_, ms, finalVersions) => {
    await stack.stream.pause();
    await stack.queues.pause();
    let created = 0;
    const crashes = await crashAtEveryCall(async () => {
      const id = await create(clock.now() + ms);
      created += 1;
      const [item] = (await outboxItems()) as [TestItem];
      const { crashed } = await relay(item);
      nextCrash = undefined;
      clock.advance(2 * minuteMs);
      await sweep();
      expect(await outboxItems()).toEqual([]);
      expect((await table.timersOf(id)).length).toBeGreaterThanOrEqual(1);
      return crashed;
    });
    // Before and after the calls for index pages, event and audit entry, timer and deletion.
    expect(crashes).toBeGreaterThanOrEqual(8);
    stack.stream.resume();
    stack.queues.resume();
    clock.advance(5 * minuteMs);
    await sweep();
    await waitUntil('all due invoices are overdue', async () => {
      const { pagination } = (await client.api.get('/api/invoices?status=pending')).json;
      return finalVersions === 1 || pagination.total === 0;
    });
    const chains = await expectConsistentInvoices(client);
    expect(chains.map(({ versions }) => versions.length)).toEqual(Array(created).fill(finalVersions));
  },
);

test('after a crash of the overdue worker at any call, the timer fires again and the invoice turns overdue once', async () => {
  const crashes = await crashAtEveryCall(async () => {
    const due = clock.now() + 2 * minuteMs;
    const id = await create(due);
    const [timer] = (await waitUntil('its timer is stored', async () => {
      const timers = await table.timersOf(id);
      return timers.length > 0 && timers;
    })) as TestItem[];
    clock.to(due);
    const message = { due, kind: 'overdue', reference: id, minute: timer?.minute };
    const event = { Records: [{ messageId: 'm', body: JSON.stringify(message) }] };
    const { crashed } = await invoke(triggers.overdue.handler, event);
    nextCrash = undefined;
    clock.advance(3 * minuteMs);
    await sweep();
    await waitUntil('its timer is completed', async () => (await table.timersOf(id)).length === 0);
    expect(await statusOf(id)).toBe('overdue');
    return crashed;
  });
  // Before and after each of the record, the transaction, two index pages and the deletion of the timer.
  expect(crashes).toBe(10);
  const chains = await expectConsistentInvoices(client);
  const types = chains.map(({ versions }) => versions.map(({ eventType }) => eventType).join());
  expect(new Set(types)).toEqual(new Set(['invoice.created,invoice.overdue']));
});

test('after a crash of the sweep at any write or message, the next sweeps do the remaining work', async () => {
  const ids: string[] = [];
  let crashes = 0;
  for (let write = 0; ; write++) {
    const outcomes: boolean[] = [];
    for (const fault of ['crash before call', 'crash after call'] as const) {
      const due = clock.now() + 5 * minuteMs;
      const id = await create(due);
      ids.push(id);
      await waitUntil('its timer is stored', async () => (await table.timersOf(id)).length === 1);
      await stack.stream.pause();
      ids.push(await create(due));
      clock.to(due);
      let writes = 0;
      const script = ({ operation }: { operation: string }) => {
        if (/^(Query|GetItem)$/.test(operation)) return undefined;
        return writes++ === write ? fault : undefined;
      };
      layer.setPlan({ seed: 0, script });
      outcomes.push((await sweep()).crashed);
      layer.setPlan({ seed: 0 });
      stack.stream.resume();
      clock.advance(3 * minuteMs);
      await sweep();
      await waitUntilOverdue(ids.slice(-2));
    }
    if (outcomes.includes(false)) break;
    crashes += 2;
  }
  expect(crashes).toBeGreaterThanOrEqual(16);
  await waitUntil('all timers are completed', async () => {
    // A timer that a worker completes while a sweep leases it is sent once more.
    clock.advance(minuteMs);
    await sweep();
    return (await table.all('TIMER#')).every(({ reference }) => !ids.includes(reference));
  });
  const chains = await expectConsistentInvoices(client);
  expect(chains.map(({ versions }) => versions.length)).toEqual(Array(ids.length).fill(2));
});

test('after an outage of the stream, the queue and the sweep, all due invoices turn overdue and nothing is lost', async () => {
  await stack.stream.pause();
  await stack.queues.pause();
  const start = clock.now();
  const ids = [
    await create(start + 5 * minuteMs),
    await create(start + 30_000),
    await create(start + 60 * minuteMs),
  ];
  await client.api.patch(`/api/invoices/${ids[2]}`, { dueDate: at(start + 15 * minuteMs), amount: 9 });
  clock.advance(10 * minuteMs);
  await sweep();
  expect(await outboxItems()).toEqual([]);
  clock.advance(6 * minuteMs);
  await sweep();
  await purgeQueues(stack);
  stack.queues.resume();
  ids.push(await create(clock.now() + 2 * minuteMs));
  // No sweep runs for an hour.
  clock.advance(60 * minuteMs);
  expect(await Promise.all(ids.map(statusOf))).toEqual(Array(4).fill('pending'));
  stack.stream.resume();
  await waitUntil('the outbox is empty', async () => (await outboxItems()).length === 0);
  for (let minutes = 0; minutes < 4; minutes++) {
    clock.advance(minuteMs);
    await sweep();
  }
  await waitUntilOverdue(ids);
  const chains = await expectConsistentInvoices(client);
  expect(chains.map(({ versions }) => versions.map(({ eventType }) => eventType))).toEqual([
    ['invoice.created', 'invoice.overdue'],
    ['invoice.created', 'invoice.updated', 'invoice.overdue'],
    ['invoice.created', 'invoice.overdue'],
    ['invoice.created', 'invoice.overdue'],
  ]);
});
