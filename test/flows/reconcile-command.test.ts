/** Tests `remit reconcile` against a stack: its output, its repairs and its exit codes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { ReportedDifference } from '../../shared/operations/reconciliation/report.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type BusyAccount, editIndexPage, newBusyAccount, overwriteItem } from '../support/busy-account.ts';
import { run, runJson, tableLineOf } from '../support/command-line.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
let account: BusyAccount;
beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
  account = await newBusyAccount(stack, table);
});
afterAll(() => stack?.close());

const reconcile = (...args: string[]) => run('reconcile', args);

test('without differences it succeeds', async () => {
  const counts = { records: 9, remembered: 0, providerPayments: 0, open: 0 };
  const result = { ...counts, differences: [], notCompared: [], repaired: [] };
  expect(await runJson('reconcile', ['run'])).toEqual(result);
  // The pending invoice is not final, so it is read again.
  const again = { ...result, records: 1, remembered: 8 };
  expect(await runJson('reconcile', ['run', '--account', account.owner.account])).toEqual(again);
  expect((await reconcile('run')).out).toContain(
    'Compared 1 records. 8 other records agreed in an earlier comparison and were not read again.',
  );
  expect(await runJson('reconcile', ['run', '--full'])).toEqual(result);
  expect(await reconcile('run', '--account', 'acct_none')).toMatchObject({ code: 1, out: '' });
});

test('differences are shown with exit code 1, and --repair only adds missing entries to lists', async () => {
  const [pending, , byCard] = await account.records('inv_');
  const [, , paid] = await account.records('pay_');
  await editIndexPage(table, { owner: account.owner, resource: 'invoice' }, 'p', 3, 'remove');
  await overwriteItem(table, paid ?? {}, { amount: 2400 });
  const shown = await reconcile('run', '--full', '--account', account.owner.account);
  expect(shown).toMatchObject({ code: 1, error: tableLineOf(stack) });
  for (const text of [
    byCard?.pk,
    'index_behind',
    'pending in all',
    paid?.pk,
    'amount_differs',
    '2500',
    '2400',
  ])
    expect(shown.out).toContain(text);
  expect(shown.out).not.toContain(pending?.pk);

  const { code, out } = await reconcile('run', '--repair', '--json');
  expect(code).toBe(1);
  // The journal has the amount of before, too.
  const rules = (json: string) =>
    JSON.parse(json)
      .differences.map(({ rule }: { rule: string }) => rule)
      .filter((rule: string) => rule !== 'journal_records_differ');
  expect(rules(out)).toEqual(['amount_differs', 'index_behind']);
  expect(JSON.parse(out).repaired).toEqual([{ id: byCard?.pk, rule: 'index_behind' }]);
  expect(rules((await reconcile('run', '--json')).out)).toEqual(['amount_differs']);
  await overwriteItem(table, paid ?? {}, { amount: 2500 });
  expect((await reconcile('run')).code).toBe(0);
});

test('a record and API keys that cannot be read are named, and the rest is compared', async () => {
  const [pending] = await account.records('inv_');
  const [refund] = await account.records('ref_');
  const state = (await table.get(tableKeys.accountState(account.owner))) ?? {};
  const brokenKeys = Object.fromEntries(Object.keys(state.k).map((hash) => [hash, null]));
  await overwriteItem(table, pending ?? {}, { description: { unknown: 'form' } });
  await overwriteItem(table, refund ?? {}, { amount: 1 });
  await table.put({ ...state, k: brokenKeys });
  const { code, out } = await reconcile('run', '--full', '--json');
  expect(code).toBe(1);
  const { notCompared, differences, records } = JSON.parse(out);
  expect(notCompared).toEqual([]);
  expect(records).toBe(8);
  const found = differences.map(({ id, rule }: Record<string, string>) => [id, rule]);
  expect(found).toContainEqual([pending?.pk, 'record_malformed']);
  expect(found.map(([, rule]: string[]) => rule)).toContain('key_entry_missing');
  const shown = (await reconcile('run', '--full')).out;
  expect(shown).toContain('its attribute description has another form');
  await table.put(pending ?? {});
  await table.put(refund ?? {});
  await table.put(state);
  expect((await reconcile('run', '--full')).code).toBe(0);
});

test('an unfinished report is shown, and a missing report is an error', async () => {
  const { reportBegin, reportDifferences, reportEnd } = await import(
    '../../shared/operations/reconciliation/report.ts'
  );
  const day = '2027-01-31';
  expect(await reconcile('report', '--day', day)).toMatchObject({ code: 1 });
  for (const invalid of ['yesterday', '2026-02-30'])
    expect(await reconcile('report', '--day', invalid)).toMatchObject({ code: 2 });
  const begunAt = Date.parse('2027-01-31T00:10:00.000Z');
  await reportBegin(day, 2, begunAt);
  await reportEnd(day, account.owner, { records: 9, remembered: 2, full: false }, begunAt);
  const report = {
    day,
    begunAt: '2027-01-31T00:10:00.000Z',
    owners: 2,
    ended: 1,
    records: 9,
    remembered: 2,
    full: 0,
    notCompared: [],
  };
  expect(await runJson('reconcile', ['report', '--day', day])).toEqual({ ...report, differences: [] });
  const identity = { ...account.owner, resource: 'refund', seq: 1, id: 'ref_1' } as const;
  const difference: ReportedDifference = {
    ...identity,
    rule: 'currency_differs',
    expected: 'USD',
    found: 'INR',
  };
  await reportDifferences(day, [{ ...difference, evidence: 'ref_1@1' }], begunAt);
  const shown = await reconcile('report', '--day', day, '--json');
  expect(shown.code).toBe(1);
  expect(JSON.parse(shown.out)).toEqual({ ...report, differences: [difference] });
});

test('skip-numbers skips numbers in both modes and creates no records', async () => {
  const { account: accountId } = account.owner;
  const args = ['skip-numbers', '--count', '100', '--account', accountId];
  expect(await runJson('reconcile', args)).toEqual({ count: 100, owners: 2 });
  expect(await table.get(tableKeys.accountState(account.owner))).toMatchObject({ si: 104, sp: 103, sr: 102 });
  expect((await table.get(tableKeys.accountState({ account: accountId, mode: 'live' })))?.si).toBe(100);
  for (const count of ['0', '1000001', 'x'])
    expect(await reconcile('skip-numbers', '--count', count)).toMatchObject({ code: 2 });
  expect((await reconcile('run')).code).toBe(0);
});
