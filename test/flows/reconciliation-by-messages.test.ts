/**
 * Tests the daily reconciliation as it runs in a deployment: message after message, until all accounts are compared.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { lambdaContext, loadHandler } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { ReconciliationBatch } from '../../shared/operations/reconciliation/batch.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { newAccount } from '../support/api.ts';
import { newBusyAccount, overwriteItem } from '../support/busy-account.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let table: TestTable;
beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
});
afterAll(() => stack?.close());

const service = async () => ({
  ...(await import('../../shared/operations/reconciliation/batch.ts')),
  ...(await import('../../shared/operations/reconciliation/reconcile.ts')),
  ...(await import('../../shared/operations/reconciliation/report.ts')),
  ...(await import('../../shared/operations/reconciliation/compare-pages.ts')),
  ...(await import('../../shared/operations/reconciliation/reconciliation-store.ts')),
  ...(await import('../../shared/operations/reconciliation/difference.ts')),
});

test('a message for each account and mode starts the comparison of all its records, which ends in the report', async () => {
  const { owner } = await newBusyAccount(stack, table);
  await newAccount(stack.baseUrl);
  const { readReport, beginReconciliation } = await service();
  const begin = await loadHandler<unknown, void>('functions/background/begin-reconciliation.ts');
  const at = Date.now();
  const day = new Date(at).toISOString().slice(0, 10);
  expect(await readReport(day)).toBeUndefined();
  await begin({}, lambdaContext('begin-reconciliation', 60_000));
  const report = await waitUntil('all accounts are compared', async () => {
    const found = await readReport(day);
    return found && found.ended === found.owners ? found : undefined;
  });
  expect(report).toMatchObject({ owners: 4, ended: 4, records: 9, remembered: 0, full: 4, differences: [] });
  expect(report.begunAt).toBeGreaterThanOrEqual(at);
  // Beginning again on the same day does nothing.
  await beginReconciliation(report.begunAt);
  expect(await readReport(day)).toEqual(report);
  const entries = await table.all(tableKeys.reconciliation(day, '').pk);
  const ninetyDays = 90 * 86_400;
  for (const { expiresAt } of entries)
    expect(Math.abs(expiresAt - report.begunAt / 1000 - ninetyDays)).toBeLessThan(60);
  expect(entries.map(({ sk }) => sk)).toContain(`END#${owner.account}#test`);
});

test('a run whose time is over sends the message for the next page, so that no page is skipped', async () => {
  const { owner } = await newBusyAccount(stack, table);
  // Skipped numbers make a second page.
  const { skipSequenceNumbers, reconcileBatch, readReport, reportBegin } = await service();
  await skipSequenceNumbers(owner, 300);
  await stack.queues.pause();
  const first: ReconciliationBatch = { ...owner, day: '2027-02-01' };
  await reportBegin(first.day, 1, Date.now());
  await reconcileBatch(first, Date.now(), 0);
  expect(await readReport(first.day)).toMatchObject({ ended: 0 });
  stack.queues.resume();
  const ended = () => readReport(first.day).then((report) => (report?.ended === 1 ? report : undefined));
  expect(await waitUntil('all pages are compared', ended)).toMatchObject({ records: 9 });
  const pages: string[] = [];
  const { planPages, firstPage, readAllocatedNumbers } = await service();
  const numbers = await readAllocatedNumbers(owner);
  if (!numbers) throw new Error('The account state is missing.');
  for await (const { resource, page } of planPages({ ...owner, ...firstPage }, numbers))
    pages.push(`${resource} ${page}`);
  const resources = [
    'refund',
    'payment',
    'invoice',
    'customer',
    'product',
    'draft',
    'statement',
    'schedule',
    'export',
  ];
  expect(pages).toEqual(resources.flatMap((resource) => [`${resource} 0`, `${resource} 1`]));
});

const resources = ['invoice', 'payment', 'refund'] as const;

/** Runs whole daily comparisons of one account by hand. Returns how many records each one read. */
async function compareDaily() {
  const { owner } = await newBusyAccount(stack, table);
  const { readReport, reportBegin, reconcileBatch } = await service();
  const { isPageDue } = await import('../../shared/operations/reconciliation/full-schedule.ts');
  await stack.queues.pause();
  const begunAt = Date.now();
  const dayOf = (number: number) => new Date(begunAt + number * 86_400_000).toISOString().slice(0, 10);
  const compare = async (number: number) => {
    await reportBegin(dayOf(number), 1, Date.now());
    const before = (await readReport(dayOf(number)))?.records ?? 0;
    await reconcileBatch({ ...owner, day: dayOf(number) }, Date.now());
    return ((await readReport(dayOf(number)))?.records ?? 0) - before;
  };
  const isDue = (resource: (typeof resources)[number], number: number) =>
    isPageDue({ ...owner, resource, page: 0 }, begunAt, { since: dayOf(number - 1), day: dayOf(number) });
  const lastDay = async () => (await table.get(tableKeys.fullReconciliation(owner)))?.day;
  return { owner, compare, isDue, dayOf, lastDay };
}

test('each page is read again on its own day, and a comparison that asks for a full one gets it', async () => {
  const { owner, compare, isDue, dayOf, lastDay } = await compareDaily();
  try {
    // 4 invoices, 3 payments, 2 refunds. One invoice is not final, so every day reads it.
    expect(await compare(1)).toBe(9);
    expect(await lastDay()).toBe(dayOf(1));
    // In these 28 days, each page is due once.
    const read: number[] = [];
    const isAnyDue: boolean[] = [];
    for (let number = 2; number <= 29; number++) {
      read.push(await compare(number));
      isAnyDue.push(resources.some((resource) => isDue(resource, number)));
    }
    const notFinal = Math.min(...read);
    expect(read.map((records) => records > notFinal)).toEqual(isAnyDue);
    expect(isAnyDue.filter(Boolean).length).toBeGreaterThan(0);
    expect(await lastDay()).toBe(dayOf(29));
    // Days without a comparison are made up for.
    expect(await compare(300)).toBe(9);
    const { requestFull, advanceLastDay } = await import(
      '../../shared/operations/reconciliation/digest-store.ts'
    );
    await requestFull(owner);
    await advanceLastDay(owner, { since: dayOf(300), day: dayOf(301) });
    expect(await lastDay()).toBeUndefined();
    expect(await compare(302)).toBe(9);
    expect(await lastDay()).toBe(dayOf(302));
  } finally {
    stack.queues.resume();
  }
});

test('a difference is reported once, after a recheck confirms it, and not when it is first found', async () => {
  const account = await newBusyAccount(stack, table);
  const { owner } = account;
  const [, , paid] = await account.records('pay_');
  await overwriteItem(table, paid ?? {}, { amount: 2400 });
  const { comparePage, readAllocatedNumbers, identityOf, readReport, reportBegin, reconcileBatch } =
    await service();
  const location = { ...owner, resource: 'payment', page: 0 } as const;
  const batch: ReconciliationBatch = { ...owner, day: '2027-02-02' };
  await reportBegin(batch.day, 1, Date.now());
  await reconcileBatch(batch, Date.now());
  // The journal is compared at a moment in which nothing changes, so it needs no recheck.
  const ofRecords = async () =>
    (await readReport(batch.day))?.differences.filter(({ resource }) => resource !== 'journal');
  expect(await readReport(batch.day)).toMatchObject({ ended: 1 });
  expect(await ofRecords()).toEqual([]);
  const numbers = await readAllocatedNumbers(owner);
  const candidates = numbers ? await comparePage(location, numbers) : [];
  const recheck = { ...location, day: batch.day, candidates: candidates.map(identityOf), confirmed: [] };
  for (const checks of [1, 4]) await reconcileBatch({ ...recheck, checks }, Date.now());
  const expected = { rule: 'amount_differs', id: paid?.pk, seq: 3, expected: 2500, found: 2400 };
  expect(await ofRecords()).toEqual([{ ...owner, resource: 'payment', ...expected }]);
});

test('a confirmed difference is omitted when its page is checked again because of another difference', async () => {
  const account = await newBusyAccount(stack, table);
  const [, , paid] = await account.records('pay_');
  await overwriteItem(table, paid ?? {}, { amount: 2400 });
  const { comparePage, confirmDifferences, readAllocatedNumbers, identityOf } = await service();
  const location = { ...account.owner, resource: 'payment', page: 0 } as const;
  const numbers = await readAllocatedNumbers(account.owner);
  const candidates = numbers ? await comparePage(location, numbers) : [];
  const identities = new Set(candidates.map(identityOf));
  expect(identities.size).toBe(1);
  expect(await confirmDifferences(location, identities, new Set())).toEqual({
    confirmed: candidates,
    unconfirmed: [],
  });
  expect(await confirmDifferences(location, new Set(), new Set())).toEqual({
    confirmed: [],
    unconfirmed: candidates,
  });
  expect(await confirmDifferences(location, new Set(), identities)).toEqual({
    confirmed: [],
    unconfirmed: [],
  });
});
