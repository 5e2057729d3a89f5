import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { createAccount, readPageSettings, updateSettings } from '../../../shared/accounts/store.ts';
import { keys } from '../../../shared/store/keys.ts';
import { errorAnswer, faultOn, type Interception, intercept } from '../../support/faults.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';
import { waitUntil } from '../../support/wait-until.ts';

const start = Date.UTC(2026, 0, 1);

let stack: Stack;
let account: string;
let interception: Interception;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
});
beforeEach(async () => {
  account = (await createAccount({ name: 'Druk Shop Pvt Ltd', plan: 'standard' })).accountId;
  interception = intercept();
});
afterEach(() => interception.remove());
afterAll(() => stack.close());

const instead = (fault: Parameters<typeof intercept>[0]) => {
  interception.remove();
  interception = intercept(fault);
};
const read = (atMs = 0, of = account) => readPageSettings(of, start + atMs);
const named = async (atMs = 0) => (await read(atMs)).payee;

test('the payee is the display name, or else the name, and what is not set is undefined', async () => {
  const nothing = { paymentInstructions: undefined, paymentQr: undefined, closed: false };
  expect(await read()).toEqual({ payee: 'Druk Shop Pvt Ltd', ...nothing });
  await updateSettings(account, { displayName: 'Druk Shop', paymentInstructions: 'Cash', paymentQr: '0002' });
  const all = { payee: 'Druk Shop', paymentInstructions: 'Cash', paymentQr: '0002', closed: false };
  expect(await read(30_000)).toEqual(all);
  await updateSettings(account, { displayName: null, paymentInstructions: null, paymentQr: null });
  expect(await read(60_000)).toEqual({ payee: 'Druk Shop Pvt Ltd', ...nothing });
});

test('settings are read by one strongly consistent GetItem, and kept for 30 seconds from then on', async () => {
  await updateSettings(account, { displayName: 'before' });
  expect(await named()).toBe('before');
  await updateSettings(account, { displayName: 'after' });
  expect(await named(29_999)).toBe('before');
  expect(await named(30_000)).toBe('after');
  expect(await named(59_999)).toBe('after');
  const reads = interception.calls.filter(({ operation }) => operation !== 'UpdateItem');
  const { pk, sk } = keys.account(account);
  expect(reads.map(({ operation, body }) => ({ operation, ...JSON.parse(body) }))).toEqual(
    Array(2).fill(
      expect.objectContaining({
        operation: 'GetItem',
        ConsistentRead: true,
        Key: { pk: { S: pk }, sk: { S: sk } },
      }),
    ),
  );
});

test('what was read at a later time than now is not used', async () => {
  expect(await named(10_000)).toBe('Druk Shop Pvt Ltd');
  await updateSettings(account, { displayName: 'after' });
  expect(await named(9_999)).toBe('after');
});

test('those who ask at once share one read', async () => {
  const settings = await Promise.all(Array.from({ length: 20 }, () => read()));
  expect(new Set(settings).size).toBe(1);
  expect(interception.calls).toHaveLength(1);
});

test('accounts have settings of their own', async () => {
  const { accountId: other } = await createAccount({ name: 'Other', plan: 'standard' });
  expect([await read(), await read(0, other)]).toMatchObject([
    { payee: 'Druk Shop Pvt Ltd' },
    { payee: 'Other' },
  ]);
});

test('a read that fails is an error for all who wait for it, and the next one reads again', async () => {
  const denied = faultOn(() => true, errorAnswer('AccessDeniedException'));
  instead(denied);
  const outcomes = await Promise.allSettled([read(), read()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(denied.left()).toBe(0);
  expect(interception.calls).toHaveLength(1);
  expect(await named()).toBe('Druk Shop Pvt Ltd');
});

test('a slow read that fails does not take away what was read since', async () => {
  let fail = () => {};
  const held = new Promise<void>((resolve) => {
    fail = resolve;
  });
  instead(
    faultOn(
      () => true,
      async (call, send) => {
        await held;
        return errorAnswer('AccessDeniedException')(call, send);
      },
    ),
  );
  const slow = read();
  await waitUntil('the slow read is under way', () => interception.calls.length === 1);
  expect(await named(30_000)).toBe('Druk Shop Pvt Ltd');
  fail();
  await expect(slow).rejects.toThrow('AccessDenied');
  expect(await named(31_000)).toBe('Druk Shop Pvt Ltd');
  expect(interception.calls).toHaveLength(2);
});

test('an account that does not exist is an error, and is found once it does', async () => {
  const absent = `${account}x`;
  await expect(read(0, absent)).rejects.toThrow(`There is no account ${absent}.`);
  await tableOf(stack).put({ ...keys.account(absent), name: 'Late', plan: 'standard', createdAt: start });
  expect(await read(0, absent)).toMatchObject({ payee: 'Late' });
});

test('a thousand accounts are kept, and the one that was read longest ago makes room', async () => {
  const { PageSettingsMemory } = await import('../../../shared/accounts/page-settings.ts');
  const reads: string[] = [];
  const memory = new PageSettingsMemory(async (accountId) => {
    reads.push(accountId);
    return { payee: accountId, paymentInstructions: undefined, paymentQr: undefined, closed: false };
  });
  for (let number = 0; number < 1000; number++) await memory.recall(`${number}`, start);
  await memory.recall('0', start + 30_000);
  await memory.recall('1000', start + 30_000);
  expect(reads).toHaveLength(1002);
  await memory.recall('0', start + 29_999 + 30_000);
  await memory.recall('2', start + 29_999);
  expect(reads).toHaveLength(1002);
  await memory.recall('1', start + 29_999);
  expect(reads.slice(1002)).toEqual(['1']);
});

test('an update of an account that does not exist makes none', async () => {
  expect(await updateSettings('acct_absent', { displayName: 'x' })).toBeUndefined();
  expect(await tableOf(stack).get(keys.account('acct_absent'))).toBeUndefined();
});
