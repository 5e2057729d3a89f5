import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { LambdaHandler } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { triggers } from '../../infra/triggers.ts';
import { invoiceBody, newAccount } from '../support/api.ts';
import { agreedChains, type Observed } from '../support/chains-agree.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { type Fate, type FaultLayer, installFaults } from '../support/fault-layer.ts';
import { runAs } from '../support/invocations.ts';
import { purgeQueues } from '../support/purge-queues.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let layer: FaultLayer;
let client: Observed;
let death: { at: number; fate: Fate } | undefined;
const handlers = new Map<string, LambdaHandler<unknown, unknown>>();

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
  const script = ({ index }: { index: number }) => (death?.at === index ? death.fate : undefined);
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

/** Runs a background function as an invocation; `died` tells whether it came to the call at which it was to die. */
async function invoke(file: string, event: unknown): Promise<{ died: boolean; answer: unknown }> {
  const handler = handlers.get(file) as LambdaHandler<unknown, unknown>;
  let answer: unknown;
  const run = runAs(file, async () => {
    answer = await handler(event, {} as never);
  });
  const died = await run.then(
    () => false,
    () => true,
  );
  return { died, answer };
}

/** Lets it die at each of its calls in turn, each time on something fresh; returns how many deaths there were. */
async function dieEverywhere(oneCase: () => Promise<boolean>): Promise<number> {
  let deaths = 0;
  for (let at = 0; ; at++) {
    for (const fate of ['dies before', 'dies after'] as const) {
      death = { at, fate };
      const died = await oneCase();
      if (!died) return deaths;
      deaths += 1;
    }
  }
}

const at = (instant: number) => new Date(instant).toISOString();
const create = async (due?: number) =>
  (await client.api.post('/api/invoices', invoiceBody({ ...(due && { dueDate: at(due) }) }))).json
    .id as string;
const outboxItems = () => table.outboxOf(client.owner);
const publish = (item: TestItem) =>
  invoke(triggers.publishOutbox.handler, {
    Records: [{ eventID: 'e', dynamodb: { SequenceNumber: '1', NewImage: marshall(item) } }],
  });
const sweep = () => invoke(triggers.sweep.handler, {});
const timersOf = async (id: string) =>
  (await table.all('TIMER#')).filter(({ reference }) => reference === id);
const statusOf = async (id: string) => (await client.api.get(`/api/invoices/${id}`)).json.status;
const turnsOverdue = (ids: readonly string[]) =>
  waitUntil('they are overdue', async () => {
    const statuses = await Promise.all(ids.map(statusOf));
    return statuses.every((status) => status === 'overdue');
  });

test.each([
  ['a due date a month away', 30 * 24 * 60 * minuteMs, 1],
  ['a due date within the minute, which goes to the queue at once', 30_000, 2],
])(
  'the outbox consumer dies at any call, %s: the sweep completes the work, once',
  async (_, ms, versionsInTheEnd) => {
    await stack.stream.pause();
    await stack.queues.pause();
    let created = 0;
    const deaths = await dieEverywhere(async () => {
      const id = await create(clock.now() + ms);
      created += 1;
      const [item] = (await outboxItems()) as [TestItem];
      const { died } = await publish(item);
      death = undefined;
      clock.advance(2 * minuteMs);
      await sweep();
      expect(await outboxItems()).toEqual([]);
      expect((await timersOf(id)).length).toBeGreaterThanOrEqual(1);
      return died;
    });
    // Two index pages, cursor, transaction, timer, marks, (queue,) deletion: before and after each.
    expect(deaths).toBeGreaterThanOrEqual(14);
    stack.stream.resume();
    stack.queues.resume();
    clock.advance(5 * minuteMs);
    await sweep();
    await waitUntil('what is due is overdue', async () => {
      const { pagination } = (await client.api.get('/api/invoices?status=pending')).json;
      return versionsInTheEnd === 1 || pagination.total === 0;
    });
    const chains = await agreedChains(client);
    expect(chains.map(({ versions }) => versions.length)).toEqual(Array(created).fill(versionsInTheEnd));
  },
);

test('the overdue consumer dies at any call and its message is lost: the timer comes again, and the invoice turns overdue once', async () => {
  const deaths = await dieEverywhere(async () => {
    const due = clock.now() + 2 * minuteMs;
    const id = await create(due);
    const [timer] = (await waitUntil('its timer stands', async () => {
      const timers = await timersOf(id);
      return timers.length > 0 && timers;
    })) as TestItem[];
    clock.to(due);
    const message = { due, kind: 'overdue', reference: id, minute: timer?.minute };
    const event = { Records: [{ messageId: 'm', body: JSON.stringify(message) }] };
    const { died } = await invoke(triggers.overdue.handler, event);
    death = undefined;
    clock.advance(3 * minuteMs);
    await sweep();
    await waitUntil('its timer has come again', async () => (await timersOf(id)).length === 0);
    expect(await statusOf(id)).toBe('overdue');
    return died;
  });
  // The record, the transaction, two index pages, the timer's deletion.
  expect(deaths).toBe(10);
  const chains = await agreedChains(client);
  const types = chains.map(({ versions }) => versions.map(({ type }) => type).join());
  expect(new Set(types)).toEqual(new Set(['invoice.created,invoice.overdue']));
});

test('the sweep dies at any of its writes or sends: the next ones do what it left', async () => {
  const ids: string[] = [];
  let deaths = 0;
  for (let write = 0; ; write++) {
    const outcomes: boolean[] = [];
    for (const fate of ['dies before', 'dies after'] as const) {
      const due = clock.now() + 5 * minuteMs;
      const id = await create(due);
      ids.push(id);
      await waitUntil('its timer stands', async () => (await timersOf(id)).length === 1);
      await stack.stream.pause();
      ids.push(await create(due));
      clock.to(due);
      let writes = 0;
      const script = ({ operation }: { operation: string }) => {
        if (/^(Query|GetItem)$/.test(operation)) return undefined;
        return writes++ === write ? fate : undefined;
      };
      layer.setPlan({ seed: 0, script });
      outcomes.push((await sweep()).died);
      layer.setPlan({ seed: 0 });
      stack.stream.resume();
      clock.advance(3 * minuteMs);
      await sweep();
      await turnsOverdue(ids.slice(-2));
    }
    if (outcomes.includes(false)) break;
    deaths += 2;
  }
  expect(deaths).toBeGreaterThanOrEqual(16);
  await waitUntil('all timers are gone', async () =>
    (await table.all('TIMER#')).every(({ reference }) => !ids.includes(reference)),
  );
  const chains = await agreedChains(client);
  expect(chains.map(({ versions }) => versions.length)).toEqual(Array(ids.length).fill(2));
});

test('stream silent for ten minutes, queue purged, sweep stopped and started: due dates come, nothing is lost', async () => {
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
  // Nobody sweeps for an hour.
  clock.advance(60 * minuteMs);
  expect(await Promise.all(ids.map(statusOf))).toEqual(Array(4).fill('pending'));
  stack.stream.resume();
  await waitUntil('the stream has passed all', async () => (await outboxItems()).length === 0);
  for (let minutes = 0; minutes < 4; minutes++) {
    clock.advance(minuteMs);
    await sweep();
  }
  await turnsOverdue(ids);
  const chains = await agreedChains(client);
  expect(chains.map(({ versions }) => versions.map(({ type }) => type))).toEqual([
    ['invoice.created', 'invoice.overdue'],
    ['invoice.created', 'invoice.updated', 'invoice.overdue'],
    ['invoice.created', 'invoice.overdue'],
    ['invoice.created', 'invoice.overdue'],
  ]);
});
