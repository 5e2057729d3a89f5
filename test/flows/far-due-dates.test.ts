/**
 * Tests that an invoice that is due in more than three days has no timer until the daily reconciliation sets it, and that it
 * turns overdue in time.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Mode } from '../../shared/base/ids.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount, type TestAccount } from '../support/api.ts';
import { countUnits, sumOf } from '../support/capacity-units.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { installFaults } from '../support/fault-layer.ts';
import { runAsInvocation } from '../support/invocations.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';
import { waitUntil } from '../support/wait-until.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let account: TestAccount;
let api: Api;
beforeAll(async () => {
  // The tests start each sweep and each reconciliation.
  stack = await startTestStack({ scheduleIntervalMs: 60 * minuteMs });
  table = tableOf(stack);
  clock = stopClock();
});
beforeEach(async () => {
  account = await newAccount(stack.baseUrl);
  api = account.live;
});
afterAll(() => stack.close());

const at = (instant: number) => new Date(instant).toISOString();
/** Dates are few days ahead, because the sweep reads each minute of the days that pass. */
const dueIn = (days: number, extraMs = 0) => clock.now() + days * dayMs + extraMs;
const dueTimesOf = async (id: string) => (await table.timersOf(id)).map(({ due }) => due);
const statusOf = async (id: string) => (await api.get(`/api/invoices/${id}`)).json.status;
const owner = (mode: Mode = 'live') => ({ account: account.accountId, mode });

const relayed = (mode: Mode = 'live') => untilRelayed(table, `${account.accountId}#${mode}`);

async function createInvoiceDueAt(due: number): Promise<string> {
  const { id } = (await api.post('/api/invoices', invoiceBody({ dueDate: at(due) }))).json;
  await relayed();
  return id;
}

async function reconcile(mode: Mode = 'live'): Promise<void> {
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  const result = await reconcileNow(owner(mode), { full: false, waitsMs: [0, 0] });
  expect(result).toMatchObject({ differences: [], unconfirmed: [], failures: [] });
}

/** Runs sweeps until an invoice is overdue. The message of a lease arrives at its second or third sweep. */
async function sweepUntilOverdue(id: string): Promise<void> {
  await waitUntil('the invoice is overdue', async () => {
    await stack.schedule.run();
    return (await statusOf(id)) === 'overdue';
  });
}

test.each([
  ['exactly three days ahead', 0, 1],
  ['a moment later', 1, 0],
])('an invoice that is due %s', async (_, extraMs, timers) => {
  const id = await createInvoiceDueAt(dueIn(3, extraMs));
  expect(await table.timersOf(id)).toHaveLength(timers);
});

test('the reconciliation sets a timer once its date is near, and the invoice turns overdue then', async () => {
  const due = dueIn(5);
  const id = await createInvoiceDueAt(due);
  await reconcile();
  clock.to(due - 3 * dayMs - 1);
  await reconcile();
  expect(await dueTimesOf(id)).toEqual([]);
  clock.to(due - 3 * dayMs);
  await reconcile();
  const timers = await table.timersOf(id);
  expect(timers.map((timer) => timer.due)).toEqual([due]);
  clock.to(due - 3 * minuteMs);
  await stack.schedule.run();
  expect(await statusOf(id)).toBe('pending');
  clock.to(due + 1_000);
  await sweepUntilOverdue(id);
  await waitUntil('the timer is completed', async () => (await table.timersOf(id)).length === 0);
});

test('a reconciliation that finds the timer reads it, and writes nothing', async () => {
  const id = await createInvoiceDueAt(dueIn(2));
  const before = await table.timersOf(id);
  await reconcile();
  const units = countUnits(stack);
  try {
    await Promise.all([stack.stream.pause(), stack.queues.pause()]);
    units.take();
    const { setDueTimers } = await import('../../shared/operations/reconciliation/set-due-timers.ts');
    const { readInvoice, requireInvoice } = await import('../../shared/domain/invoices/invoice-store.ts');
    const invoice = requireInvoice(await readInvoice(owner(), id));
    units.take();
    await setDueTimers(owner(), [invoice], clock.now());
    const calls = units.take();
    expect([sumOf(calls, 'read'), sumOf(calls, 'write')]).toEqual([0.5, 0]);
  } finally {
    units.remove();
    stack.stream.resume();
    stack.queues.resume();
  }
  expect(await table.timersOf(id)).toEqual(before);
});

test('a pending invoice whose date has passed, because no reconciliation ran for days, turns overdue', async () => {
  const id = await createInvoiceDueAt(dueIn(4));
  clock.advance(5 * dayMs);
  await stack.schedule.run();
  expect(await statusOf(id)).toBe('pending');
  await reconcile();
  expect(await table.timersOf(id)).toHaveLength(1);
  clock.advance(3 * minuteMs);
  await sweepUntilOverdue(id);
  await waitUntil('the timer is completed', async () => (await table.timersOf(id)).length === 0);
});

test('an update to a near date sets a timer, and an update to a far one does not', async () => {
  const id = await createInvoiceDueAt(dueIn(4));
  const near = dueIn(1);
  await api.patch(`/api/invoices/${id}`, { dueDate: at(near) });
  await relayed();
  expect(await dueTimesOf(id)).toEqual([near]);
  await api.patch(`/api/invoices/${id}`, { dueDate: at(dueIn(40)) });
  await relayed();
  expect(await dueTimesOf(id)).toEqual([near]);
  clock.to(near + 1_000);
  await waitUntil('the old timer is completed', async () => {
    await stack.schedule.run();
    return (await table.timersOf(id)).length === 0;
  });
  expect(await statusOf(id)).toBe('pending');
});

test('an invoice that is paid before its date is near never has a timer', async () => {
  const id = await createInvoiceDueAt(dueIn(4));
  await api.post('/api/payments', { invoiceId: id, method: 'offline', reference: 'Transfer 1' });
  await relayed();
  clock.advance(2 * dayMs);
  await reconcile();
  expect(await statusOf(id)).toBe('paid');
  expect(await table.timersOf(id)).toEqual([]);
});

test('in test mode, the clock of the account decides when a date is near', async () => {
  api = account.test;
  const due = dueIn(4);
  const { id } = (await api.post('/api/invoices', invoiceBody({ dueDate: at(due) }))).json;
  await relayed('test');
  const offset = 2 * dayMs;
  const key = tableKeys.accountState(owner('test'));
  const item = (await table.all(key.pk)).find(({ sk }) => sk === key.sk) ?? {};
  await table.put({ ...item, t: { o: offset, v: 1 } });
  await reconcile('test');
  expect(await dueTimesOf(id)).toEqual([due - offset]);
  clock.to(due - offset + 1_000);
  await sweepUntilOverdue(id);
});

test('a record that cannot be read keeps no due date of another page from its timer', async () => {
  const { reconcileBatch } = await import('../../shared/operations/reconciliation/reconcile.ts');
  const { skipSequenceNumbers } = await import(
    '../../shared/operations/reconciliation/reconciliation-store.ts'
  );
  const broken = await createInvoiceDueAt(dueIn(4));
  await skipSequenceNumbers(owner(), 300);
  const id = await createInvoiceDueAt(dueIn(4));
  const item = await table.get(tableKeys.record(broken));
  await table.put({ ...item, description: { unknown: 'form' } });
  clock.advance(2 * dayMs);
  await stack.queues.pause();
  const day = at(clock.now()).slice(0, 10);
  await reconcileBatch({ ...owner(), day }, clock.now());
  expect(await table.timersOf(id)).toHaveLength(1);
  // The record is reported as malformed. A comparison after its repair sets its timer.
  const page = { resource: 'invoice', page: 0, records: 0, remembered: 0, full: true } as const;
  const rest = { ...owner(), day, part: 'page', progress: page } as const;
  await reconcileBatch(rest, clock.now());
  expect(await table.timersOf(broken)).toEqual([]);
  await table.put({ ...item });
  await reconcileBatch(rest, clock.now());
  expect(await table.timersOf(broken)).toHaveLength(1);
  stack.queues.resume();
});

test('a date that passed just now is left to its timer', async () => {
  const due = dueIn(4);
  const id = await createInvoiceDueAt(due);
  clock.to(due + 9 * minuteMs);
  await reconcile();
  expect(await table.timersOf(id)).toEqual([]);
  clock.to(due + 10 * minuteMs);
  await reconcile();
  expect(await table.timersOf(id)).toHaveLength(1);
});

test('entries of API keys that cannot be read keep no due date from its timer', async () => {
  const { reconcileBatch } = await import('../../shared/operations/reconciliation/reconcile.ts');
  const id = await createInvoiceDueAt(dueIn(4));
  const state = (await table.get(tableKeys.accountState(owner()))) ?? {};
  const broken = Object.fromEntries(Object.keys(state.k).map((hash) => [hash, null]));
  await table.put({ ...state, k: broken });
  clock.advance(2 * dayMs);
  await stack.queues.pause();
  const batch = { ...owner(), day: at(clock.now()).slice(0, 10) };
  await reconcileBatch(batch, clock.now());
  expect(await table.timersOf(id)).toHaveLength(1);
  await table.put(state);
  stack.queues.resume();
});

/** A crash at each of 40 calls takes 20 s of CPU. */
const crashesAtEach = isExhaustive ? 1 : 5;

test('a page of more invoices than one call reads gets all timers, also after a crash at any call', async () => {
  const count = 120;
  const due = dueIn(4);
  const body = invoiceBody({ dueDate: at(due) });
  await Promise.all(Array.from({ length: count }, () => api.post('/api/invoices', body)));
  await relayed();
  clock.advance(2 * dayMs);
  const timers = async () => (await table.all('TIMER#')).filter((timer) => timer.due === due);
  let crashAt = 0;
  const layer = await installFaults({
    seed: 1,
    script: ({ label, index }) =>
      label === 'reconcile' && index === crashAt ? 'crash after call' : undefined,
  });
  const crashes = () =>
    runAsInvocation('reconcile', () => reconcile()).then(
      () => false,
      () => true,
    );
  try {
    for (; await crashes(); crashAt += crashesAtEach) {
      await reconcile();
      const stored = await timers();
      expect([crashAt, stored.length]).toEqual([crashAt, count]);
      await Promise.all(stored.map(({ pk, sk }) => table.delete({ pk, sk })));
    }
  } finally {
    layer.remove();
  }
  expect(await timers()).toHaveLength(count);
  expect(crashAt).toBeGreaterThan(10);
});
