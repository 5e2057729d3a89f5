/**
 * Tests that the cost of a daily reconciliation follows the day's changes, and that the report says what was not read.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { editIndexPage, overwriteItem } from '../support/busy-account.ts';
import { countUnits, sumOf, type UnitCounter } from '../support/capacity-units.ts';
import { setClock, stopClock } from '../support/clock.ts';
import { newPaidInvoices, type PaidInvoices } from '../support/paid-invoices.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

const count = 2_600;
let stack: Stack;
let table: TestTable;
let account: PaidInvoices;
let units: UnitCounter;
beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  account = await newPaidInvoices(stack, { count, customers: 50 });
  units = countUnits(stack);
});
afterAll(async () => {
  units?.remove();
  await stack?.close();
});

/** Runs a comparison while no other function runs. Returns its result and its units. */
async function compare(full: boolean) {
  const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
  await Promise.all([stack.stream.pause(), stack.queues.pause()]);
  units.take();
  const result = await reconcileNow(account.owner, { full, waitsMs: [0, 0] });
  const calls = units.take();
  stack.stream.resume();
  stack.queues.resume();
  const { records, remembered, differences } = result;
  expect(result).toMatchObject({ unconfirmed: [], failures: [] });
  // The records of the account were put into the table, so the journal has nothing of them.
  const rules = differences.map(({ rule }) => rule).filter((rule) => rule !== 'journal_records_differ');
  return { records, remembered, rules, read: sumOf(calls, 'read'), write: sumOf(calls, 'write') };
}

const quiescent = () =>
  waitUntil('the refunds are processed and the outbox is empty', async () => {
    const refunds = (await table.all('ref_')).filter((item) => item.account === account.owner.account);
    const outbox = await table.outboxOf(`${account.owner.account}#test`);
    return outbox.length === 0 && refunds.every(({ status }) => status === 'processed');
  });

test('the first comparison reads all records, and the next ones only what changed', async () => {
  const first = await compare(false);
  expect(first).toMatchObject({ records: 2 * count, remembered: 0, rules: [] });
  // Per invoice: itself, its payment, and a share of its customer's page. Per payment: itself, its invoice, its lists.
  expect(first.read).toBeGreaterThan(5 * count);

  const unchanged = { records: 0, remembered: 2 * count, rules: [] };
  const idle = await compare(false);
  expect(idle).toEqual({ ...unchanged, read: idle.read, write: 1 });
  // Ten of them read the endpoints, the events, the journal, the connections, the series and documents, the products, the drafts, the
  // statements, the schedules and the exports.
  expect(idle.read).toBeLessThanOrEqual(25);

  // A refund changes three final records, and is new itself.
  const payment = account.keyOf('payment', 300).pk;
  expect((await account.api.post('/api/refunds', { paymentId: payment, amount: 100 })).status).toBe(201);
  await quiescent();
  const afterRefund = await compare(false);
  expect(afterRefund).toMatchObject({ records: 3, remembered: 2 * count - 2, rules: [] });
  expect(afterRefund.read).toBeLessThanOrEqual(idle.read + 40);
  expect(await compare(false)).toMatchObject({ records: 0, remembered: 2 * count + 1, rules: [] });

  // A change that one list page shows. The recheck reads the whole page of the record.
  await editIndexPage(table, { owner: account.owner, resource: 'invoice' }, 'p', 7, 'remove');
  const afterLoss = await compare(false);
  expect(afterLoss).toMatchObject({ records: 1, remembered: 2 * count, rules: ['index_behind'] });
  expect(afterLoss.read).toBeLessThan(first.read / 10);
  await editIndexPage(table, { owner: account.owner, resource: 'invoice' }, 'p', 7, 'add');
  expect(await compare(false)).toMatchObject({ records: 1, remembered: 2 * count, rules: [] });
  expect(await compare(false)).toMatchObject({ records: 0, remembered: 2 * count + 1, rules: [] });
});

test('only a full comparison finds an edited record, and then each comparison finds it until it is repaired', async () => {
  await overwriteItem(table, account.keyOf('payment', 900), { amount: 2400 });
  expect(await compare(false)).toMatchObject({ records: 0, rules: [] });
  const full = await compare(true);
  expect(full).toMatchObject({ records: 2 * count + 1, remembered: 0, rules: ['amount_differs'] });
  // The payment, and the invoice that a changed payment could have changed.
  expect(await compare(false)).toMatchObject({ records: 2, rules: ['amount_differs'] });
  await overwriteItem(table, account.keyOf('payment', 900), { amount: 2500 });
  expect(await compare(false)).toMatchObject({ records: 2, rules: [] });
  expect(await compare(false)).toMatchObject({ records: 0, remembered: 2 * count + 1, rules: [] });
  const [day] = new Date().toISOString().split('T');
  expect(await table.get(tableKeys.fullReconciliation(account.owner))).toMatchObject({ day });
});

test('numbers without a record are read until they have been allocated for an hour', async () => {
  const { skipSequenceNumbers } = await import(
    '../../shared/operations/reconciliation/reconciliation-store.ts'
  );
  const clock = stopClock();
  try {
    await compare(false);
    const before = await compare(false);
    await skipSequenceNumbers(account.owner, 500);
    const first = await compare(false);
    expect(first.read).toBeGreaterThan(before.read + 3 * 500);
    clock.advance(50 * 60_000);
    expect((await compare(false)).read).toBeGreaterThan(before.read + 3 * 500);
    for (const minutes of [20, 70]) {
      clock.advance(minutes * 60_000);
      await compare(false);
    }
    // Each of the nine kinds of records has two more index pages, and some a volume.
    expect((await compare(false)).read).toBeLessThanOrEqual(before.read + 20);
  } finally {
    setClock();
  }
});
