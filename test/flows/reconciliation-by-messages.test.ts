/** The daily reconciliation as it runs deployed: from message to message, until all accounts are gone through. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadHandler } from '../../infra/local/handler.ts';
import type { Stack } from '../../infra/local/stack.ts';
import type { Stretch } from '../../shared/reconciliation/reconcile.ts';
import { keys } from '../../shared/store/keys.ts';
import { newAccount } from '../support/api.ts';
import { newBusyAccount, tamper } from '../support/busy-account.ts';
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
  ...(await import('../../shared/reconciliation/reconcile.ts')),
  ...(await import('../../shared/reconciliation/report.ts')),
  ...(await import('../../shared/reconciliation/looks.ts')),
  ...(await import('../../shared/reconciliation/store.ts')),
  ...(await import('../../shared/reconciliation/difference.ts')),
});

test('once a day a message for each account and mode leads through all of its records, and ends in the report', async () => {
  const { owner } = await newBusyAccount(stack, table);
  await newAccount(stack.baseUrl);
  const { readReport, beginReconciliation } = await service();
  const begin = await loadHandler<unknown, void>('functions/background/begin-reconciliation.ts');
  const at = Date.now();
  const day = new Date(at).toISOString().slice(0, 10);
  expect(await readReport(day)).toBeUndefined();
  await begin({}, {} as never);
  const report = await waitUntil('all accounts are gone through', async () => {
    const found = await readReport(day);
    return found && found.ended === found.owners ? found : undefined;
  });
  expect(report).toMatchObject({ owners: 4, ended: 4, records: 9, differences: [] });
  expect(report.begunAt).toBeGreaterThanOrEqual(at);
  // A second beginning on the same day does nothing.
  await beginReconciliation(report.begunAt);
  expect(await readReport(day)).toEqual(report);
  const entries = await table.all(keys.reconciliation(day, '').pk);
  const ninetyDays = 90 * 86_400;
  for (const { expiresAt } of entries)
    expect(Math.abs(expiresAt - report.begunAt / 1000 - ninetyDays)).toBeLessThan(60);
  expect(entries.map(({ sk }) => sk)).toContain(`END#${owner.account}#test`);
});

test('a run whose time is over sends the message for the next page: nothing is left out, however short it is', async () => {
  const { owner } = await newBusyAccount(stack, table);
  // Numbers were left out, so that there are more pages than one.
  const { skipNumbers, reconcile, readReport, reportBegin } = await service();
  await skipNumbers(owner, 300);
  await stack.queues.pause();
  const first: Stretch = { ...owner, resource: 'invoice', page: 0, day: '2027-02-01', records: 0 };
  await reportBegin(first.day, 1, Date.now());
  await reconcile(first, Date.now(), 0);
  expect(await readReport(first.day)).toMatchObject({ ended: 0 });
  stack.queues.resume();
  const ended = () => readReport(first.day).then((report) => (report?.ended === 1 ? report : undefined));
  expect(await waitUntil('it has come to the end', ended)).toMatchObject({ records: 9 });
  // Each page for itself comes to the same.
  const places: string[] = [];
  const { pagesFrom, readNumbers } = await service();
  const numbers = await readNumbers(owner);
  if (!numbers) throw new Error('There is an account.');
  for await (const { resource, page } of pagesFrom(first, numbers)) places.push(`${resource} ${page}`);
  expect(places).toEqual(['invoice 0', 'invoice 1', 'payment 0', 'payment 1', 'refund 0', 'refund 1']);
});

test('a difference is reported when it stands at a further look, once, and not when it was first seen', async () => {
  const account = await newBusyAccount(stack, table);
  const { owner } = account;
  const [, , paid] = await account.records('pay_');
  await tamper(table, paid ?? {}, { amount: 2400 });
  const { look, readNumbers, identityOf, readReport, reportBegin, reconcile } = await service();
  const place = { ...owner, resource: 'payment', page: 0 } as const;
  const message: Stretch = { ...place, day: '2027-02-02', records: 0 };
  await reportBegin(message.day, 1, Date.now());
  await reconcile(message, Date.now());
  expect(await readReport(message.day)).toMatchObject({ ended: 1, differences: [] });
  const numbers = await readNumbers(owner);
  const { found } = numbers ? await look(place, numbers) : { found: [] };
  const suspects = found.map(identityOf);
  for (const looks of [1, 4])
    await reconcile({ ...message, again: { suspects, known: [], looks } }, Date.now());
  const expected = { rule: 'amount_differs', id: paid?.pk, seq: 3, expected: 2500, found: 2400 };
  expect((await readReport(message.day))?.differences).toEqual([
    { ...owner, resource: 'payment', ...expected },
  ]);
});

test('what was found to stand is left out when its page is looked at for the sake of another difference', async () => {
  const account = await newBusyAccount(stack, table);
  const [, , paid] = await account.records('pay_');
  await tamper(table, paid ?? {}, { amount: 2400 });
  const { look, lookAgain, readNumbers, identityOf } = await service();
  const place = { ...account.owner, resource: 'payment', page: 0 } as const;
  const numbers = await readNumbers(account.owner);
  const { found } = numbers ? await look(place, numbers) : { found: [] };
  const identities = new Set(found.map(identityOf));
  expect(identities.size).toBe(1);
  expect(await lookAgain(place, identities, new Set())).toEqual({ standing: found, open: [] });
  expect(await lookAgain(place, new Set(), new Set())).toEqual({ standing: [], open: found });
  expect(await lookAgain(place, new Set(), identities)).toEqual({ standing: [], open: [] });
});
