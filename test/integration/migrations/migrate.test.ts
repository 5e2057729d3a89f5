/** Tests migrations of real items: what they write, an interruption at any call, and requests that run meanwhile. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { countSchemas, migrateTable } from '../../../shared/migrations/migrate.ts';
import { type Migration, planMigration } from '../../../shared/migrations/migration.ts';
import { scanTable } from '../../../shared/migrations/store.ts';
import { itemKindOf } from '../../../shared/store/item-kinds.ts';
import { type Key, tableKeys } from '../../../shared/store/keys.ts';
import { type Api, invoiceBody, newAccount } from '../../support/api.ts';
import { run, runJson } from '../../support/command-line.ts';
import { type FaultHandler, interceptCalls } from '../../support/intercept-calls.ts';
import { currentInvocation, ProcessCrashed, runAsInvocation } from '../../support/invocations.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../../support/table.ts';

let stack: Stack;
let table: TestTable;
let api: Api;
let ids: string[];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  await stack.stream.pause();
});
beforeEach(async () => {
  for (const item of await table.all('inv_')) await table.delete(item as unknown as Key);
  api = (await newAccount(stack.baseUrl)).test;
  ids = [];
  for (let count = 0; count < 3; count++) {
    ids.push((await api.post('/api/invoices', invoiceBody({ description: `Invoice ${count}` }))).json.id);
  }
});
afterAll(() => stack.close());

/** Invoices get an attribute in another form, twice. */
const migrations: readonly Migration[] = [
  {
    kind: 'invoice',
    to: 2,
    change: ({ description }) => ({ description: undefined, text: { language: 'en', value: description } }),
  },
  { kind: 'invoice', to: 3, change: ({ text }) => ({ text: [text] }) },
];

const migrate = (dryRun = false) => migrateTable(migrations, { dryRun, onProgress: () => {} });
const invoiceItem = async (id: string) => (await table.get(tableKeys.record(id))) as TestItem;
const expectMigrated = async () => {
  for (const [count, id] of ids.entries()) {
    const item = await invoiceItem(id);
    expect(item.text).toEqual([{ language: 'en', value: `Invoice ${count}` }]);
    expect([item.schema, item.description]).toEqual([3, undefined]);
  }
  expect(await table.get(tableKeys.migrationProgress)).toBeUndefined();
};

/** Runs `work` while `fault` handles its calls. Calls of the stack's own functions pass. */
async function withFault<T>(fault: FaultHandler, work: () => Promise<T>): Promise<T> {
  const interception = interceptCalls((call, send) =>
    currentInvocation()?.label === 'migrate' ? fault(call, send) : send(),
  );
  return runAsInvocation('migrate', work).finally(interception.remove);
}

test('each item gets all changes of its migrations, the next version, and nothing else changes', async () => {
  const before = await table.all('');
  expect((await migrate(true)).migrated).toBe(3);
  expect(await table.all('')).toEqual(before);
  expect((await migrate()).migrated).toBe(3);
  await expectMigrated();
  const isInvoice = (item: TestItem) => itemKindOf(item as unknown as Key) === 'invoice';
  const others = (items: TestItem[]) => items.filter((item) => !isInvoice(item));
  expect(others(await table.all(''))).toEqual(others(before));
  for (const old of before.filter(isInvoice)) {
    const { description: _, ...kept } = old;
    expect(await invoiceItem(old.pk)).toMatchObject({ ...kept, version: old.version + 1 });
  }
  expect((await migrate()).migrated).toBe(0);
});

test('a run that is interrupted at any call is continued by the next run', async () => {
  let crashes = 0;
  for (let at = 0, crashed = true; crashed; at++) {
    for (const id of ids) {
      const { text: _, schema: __, ...item } = await invoiceItem(id);
      await table.put({ ...item, description: `Invoice ${ids.indexOf(id)}` });
    }
    let calls = 0;
    const crash: FaultHandler = async (_, send) => {
      if (calls++ >= at) throw new ProcessCrashed('migrate');
      return send();
    };
    crashed = await withFault(crash, () => migrate()).then(
      () => false,
      () => true,
    );
    crashes += crashed ? 1 : 0;
    await migrate();
    await expectMigrated();
  }
  expect(crashes).toBeGreaterThan(3);
});

test('a run continues after the page that it saved, and its counts include the part before', async () => {
  // The run goes through the items in the order of a scan, which is not the order of their keys.
  const { items } = (await scanTable(undefined).next()).value ?? { items: [] };
  const { pk, sk } = items[0] ?? {};
  await table.put({ ...tableKeys.migrationProgress, read: 7, migrated: 5, next: { pk, sk } });
  const { read, migrated } = await migrate();
  expect(items.length).toBeGreaterThan(3);
  // The item that stores the progress is a part of the table too, before or after the position.
  expect([items.length - 1, items.length]).toContain(read - 7);
  expect(migrated).toBeGreaterThanOrEqual(5);
});

test('a change between the read and the write of an item is kept', async () => {
  const [id = ''] = ids;
  let changed = false;
  const change: FaultHandler = async ({ operation, body }, send) => {
    if (operation === 'UpdateItem' && body.includes(id) && !changed) {
      changed = true;
      await api.patch(`/api/invoices/${id}`, { description: 'Changed meanwhile' });
    }
    return send();
  };
  expect((await withFault(change, () => migrate())).migrated).toBe(3);
  expect(await invoiceItem(id)).toMatchObject({
    version: 3,
    schema: 3,
    text: [{ language: 'en', value: 'Changed meanwhile' }],
  });
});

test('an item that is deleted between the read and the write stays deleted', async () => {
  const [id = ''] = ids;
  const deletion: FaultHandler = async ({ operation, body }, send) => {
    if (operation === 'UpdateItem' && body.includes(id)) await table.delete(tableKeys.record(id));
    return send();
  };
  expect((await withFault(deletion, () => migrate())).migrated).toBe(2);
  expect(await table.get(tableKeys.record(id))).toBeUndefined();
});

test('items are counted by kind and schema, with those that need a migration', async () => {
  const [id = ''] = ids;
  await table.put({ ...(await invoiceItem(id)), schema: 3 });
  const counts = await countSchemas(migrations, () => {});
  expect(counts.filter(({ kind }) => kind === 'invoice')).toEqual([
    { kind: 'invoice', schema: 1, items: 2, outdated: 2 },
    { kind: 'invoice', schema: 3, items: 1, outdated: 0 },
  ]);
});

test('a migration of another kind or schema changes nothing', () => {
  const item = { ...tableKeys.record(ids[0] ?? ''), schema: 3 };
  expect(planMigration(item, migrations)).toBeUndefined();
  expect(planMigration({ ...tableKeys.watermark }, migrations)).toBeUndefined();
});

test('the command shows the schemas, and items of a newer release are a failure', async () => {
  const counts = await runJson('migrate', ['status']);
  expect(counts).toContainEqual({ kind: 'invoice', schema: 1, items: 3, outdated: 0, state: 'current' });
  expect(await runJson('migrate', ['run', '--dry-run'])).toMatchObject({ migrated: 0, dryRun: true });
  expect(await runJson('migrate', ['run'])).toMatchObject({ migrated: 0, dryRun: false });

  const unknown = { pk: 'SOMETHING#new', sk: 'NEW' };
  await table.put(unknown);
  const { code, out } = await run('migrate', ['status']);
  await table.delete(unknown);
  expect(code).toBe(1);
  expect(out).toContain('A newer release has written items that this release does not know.');
});
