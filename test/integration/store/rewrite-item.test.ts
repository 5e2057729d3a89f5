/** Tests changes of single items while other writers change or delete them. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import type { Key } from '../../../shared/store/keys.ts';
import { rewriteItem } from '../../../shared/store/rewrite-item.ts';
import { injectFault, interceptCalls } from '../../support/intercept-calls.ts';
import { startTestStack } from '../../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../../support/table.ts';

let stack: Stack;
let table: TestTable;
const key: Key = { pk: 'inv_1', sk: 'RECORD' };
const item = { ...key, version: 1, text: 'before', obsolete: true, other: 'stays' };
const stored = async () => (await table.get(key)) as TestItem | undefined;

beforeAll(async () => {
  stack = await startTestStack();
  table = tableOf(stack);
});
beforeEach(() => table.put(item));
afterAll(() => stack.close());

/** Changes the text to capital letters, and removes an attribute. */
const capitalize = (current: TestItem) =>
  current.text === current.text.toUpperCase()
    ? undefined
    : { text: current.text.toUpperCase(), obsolete: undefined };

/** Runs `capitalize` while another writer acts between its read and its write. */
async function rewriteWhile(act: () => Promise<unknown>): Promise<boolean> {
  const meanwhile = injectFault(
    ({ operation }) => operation === 'UpdateItem',
    async (_, send) => {
      await act();
      return send();
    },
  );
  const interception = interceptCalls(meanwhile);
  const isChanged = await rewriteItem(item, capitalize).finally(interception.remove);
  expect(meanwhile.left()).toBe(0);
  return isChanged;
}

test('an item gets the changes and the next version, and its other attributes stay', async () => {
  expect(await rewriteItem(item, capitalize)).toBe(true);
  expect(await stored()).toEqual({ ...key, version: 2, text: 'BEFORE', other: 'stays' });
  expect(await rewriteItem((await stored()) as TestItem, capitalize)).toBe(false);
  expect((await stored())?.version).toBe(2);
});

test('an item without a version gets none', async () => {
  const { version: _, ...unversioned } = item;
  await table.put(unversioned);
  expect(await rewriteItem(unversioned, capitalize)).toBe(true);
  expect(await stored()).toEqual({ ...key, text: 'BEFORE', other: 'stays' });
});

test('a change between the read and the write is kept, and the plan applies to it', async () => {
  const change = () => table.put({ ...item, version: 2, text: 'meanwhile', other: 'changed' });
  expect(await rewriteWhile(change)).toBe(true);
  expect(await stored()).toEqual({ ...key, version: 3, text: 'MEANWHILE', other: 'changed' });
});

test('an item that another writer has brought up to date is not changed again', async () => {
  expect(await rewriteWhile(() => table.put({ ...item, version: 2, text: 'DONE' }))).toBe(false);
  expect(await stored()).toMatchObject({ version: 2, text: 'DONE' });
});

test('an item that is deleted between the read and the write stays deleted', async () => {
  expect(await rewriteWhile(() => table.delete(key))).toBe(false);
  expect(await stored()).toBeUndefined();
});
