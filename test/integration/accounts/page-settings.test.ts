/** Tests the cache of the account settings that the payment page shows. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { ShortCache } from '../../../shared/base/short-cache.ts';
import { createAccount, readPageSettings } from '../../../shared/domain/accounts/account-store.ts';
import { updateSettings } from '../../../shared/domain/accounts/settings-store.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import {
  type DynamodbAttempt,
  type Interception,
  injectFault,
  interceptCalls,
  respondWithError,
} from '../../support/intercept-calls.ts';
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
  const names = { name: 'Client 12, pays late', displayName: 'Druk Shop Pvt Ltd' };
  account = (await createAccount({ ...names, plan: 'standard' })).accountId;
  interception = interceptCalls();
});
afterEach(() => interception.remove());
afterAll(() => stack.close());

const replaceFault = (fault: Parameters<typeof interceptCalls>[0]) => {
  interception.remove();
  interception = interceptCalls(fault);
};
const read = (atMs = 0, of = account) => readPageSettings(of, start + atMs);
const readPayee = async (atMs = 0) => (await read(atMs)).payee;

test('the payee is the display name and never the account name, and settings that are not set are undefined', async () => {
  const notSet = {
    paymentInstructions: undefined,
    paymentQr: undefined,
    closed: false,
    isInMaintenance: false,
  };
  expect(await read()).toEqual({ payee: 'Druk Shop Pvt Ltd', ...notSet });
  await updateSettings(account, { displayName: 'Druk Shop', paymentInstructions: 'Cash', paymentQr: '0002' });
  const all = {
    payee: 'Druk Shop',
    paymentInstructions: 'Cash',
    paymentQr: '0002',
    closed: false,
    isInMaintenance: false,
  };
  expect(await read(30_000)).toEqual(all);
  await updateSettings(account, { displayName: null, paymentInstructions: null, paymentQr: null });
  expect(await read(60_000)).toEqual({ payee: undefined, ...notSet });
});

test('one strongly consistent GetItem reads the settings, and the cache keeps them for 30 seconds', async () => {
  const reads: DynamodbAttempt[] = [];
  const readAndRecord = async (atMs?: number) => {
    const first = interception.calls.length;
    const payee = await readPayee(atMs);
    reads.push(...interception.calls.slice(first));
    return payee;
  };
  await updateSettings(account, { displayName: 'before' });
  expect(await readAndRecord()).toBe('before');
  await updateSettings(account, { displayName: 'after' });
  expect(await readAndRecord(29_999)).toBe('before');
  expect(await readAndRecord(30_000)).toBe('after');
  expect(await readAndRecord(59_999)).toBe('after');
  const { pk, sk } = tableKeys.account(account);
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

test('an entry from the future is not used', async () => {
  expect(await readPayee(10_000)).toBe('Druk Shop Pvt Ltd');
  await updateSettings(account, { displayName: 'after' });
  expect(await readPayee(9_999)).toBe('after');
});

test('concurrent callers share one read', async () => {
  const settings = await Promise.all(Array.from({ length: 20 }, () => read()));
  expect(new Set(settings).size).toBe(1);
  expect(interception.calls).toHaveLength(1);
});

test('each account has its own settings', async () => {
  const { accountId: other } = await createAccount({
    name: 'Client 13',
    displayName: 'Other',
    plan: 'standard',
  });
  expect([await read(), await read(0, other)]).toMatchObject([
    { payee: 'Druk Shop Pvt Ltd' },
    { payee: 'Other' },
  ]);
});

test('a failed read rejects all its callers, and the next call reads again', async () => {
  const denied = injectFault(() => true, respondWithError('AccessDeniedException'));
  replaceFault(denied);
  const outcomes = await Promise.allSettled([read(), read()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(denied.left()).toBe(0);
  expect(interception.calls).toHaveLength(1);
  expect(await readPayee()).toBe('Druk Shop Pvt Ltd');
});

test('a slow read that fails does not remove a newer entry', async () => {
  let fail = () => {};
  const failure = new Promise<void>((resolve) => {
    fail = resolve;
  });
  replaceFault(
    injectFault(
      () => true,
      async (call, send) => {
        await failure;
        return respondWithError('AccessDeniedException')(call, send);
      },
    ),
  );
  const slow = read();
  await waitUntil('the slow read is in progress', () => interception.calls.length === 1);
  expect(await readPayee(30_000)).toBe('Druk Shop Pvt Ltd');
  fail();
  await expect(slow).rejects.toThrow('AccessDenied');
  expect(await readPayee(31_000)).toBe('Druk Shop Pvt Ltd');
  expect(interception.calls).toHaveLength(2);
});

test('an unknown account is an error, and is found after it was created', async () => {
  const absent = `${account}x`;
  await expect(read(0, absent)).rejects.toThrow(`There is no account ${absent}.`);
  await tableOf(stack).put({
    ...tableKeys.account(absent),
    name: 'Client 14',
    displayName: 'Late',
    plan: 'standard',
    createdAt: start,
  });
  expect(await read(0, absent)).toMatchObject({ payee: 'Late' });
});

test('the cache keeps 1000 names and removes the oldest entry first', async () => {
  const reads: string[] = [];
  const cache = new ShortCache<string>();
  const get = (name: string, at: number) =>
    cache.get(name, at, async () => {
      reads.push(name);
      return name;
    });
  for (let number = 0; number < 1000; number++) await get(`${number}`, start);
  await get('0', start + 30_000);
  await get('1000', start + 30_000);
  expect(reads).toHaveLength(1002);
  await get('0', start + 29_999 + 30_000);
  await get('2', start + 29_999);
  expect(reads).toHaveLength(1002);
  await get('1', start + 29_999);
  expect(reads.slice(1002)).toEqual(['1']);
});

test('updating an unknown account does not create it', async () => {
  expect(await updateSettings('acct_absent', { displayName: 'x' })).toBeUndefined();
  expect(await tableOf(stack).get(tableKeys.account('acct_absent'))).toBeUndefined();
});
