/** Tests how a seller profile is stored: versions, the audit log, and the summaries in the account states. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import type { AuditOrigin } from '../../../shared/base/audit-origin.ts';
import { modes } from '../../../shared/base/ids.ts';
import { createAccount } from '../../../shared/domain/accounts/account-store.ts';
import { changeSeller } from '../../../shared/domain/accounts/seller-change-store.ts';
import { readSeller } from '../../../shared/domain/accounts/seller-store.ts';
import { accountStateAttributes, sellerIn } from '../../../shared/store/account-state.ts';
import { tableKeys } from '../../../shared/store/keys.ts';
import {
  type Interception,
  injectFault,
  interceptCalls,
  respondWithError,
} from '../../support/intercept-calls.ts';
import { startTestStack } from '../../support/stack.ts';
import { tableOf } from '../../support/table.ts';

const change = { legalName: 'Druk Crafts', address: { country: 'BT' } } as const;
const origin = {
  actor: { type: 'operator', id: 'pema' },
  action: 'account.update',
  requestId: 'run_1',
  source: null,
} as const satisfies AuditOrigin;

let stack: Stack;
let account: string;
let interception: Interception | undefined;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  // So the outbox keeps its items.
  await stack.stream.pause();
});
beforeEach(async () => {
  account = (await createAccount({ name: 'Druk', plan: 'standard' })).accountId;
});
afterEach(() => interception?.remove());
afterAll(() => stack.close());

const stateOf = async (mode: (typeof modes)[number]) =>
  (await tableOf(stack).get(tableKeys.accountState({ account, mode }))) ?? {};
const summaries = async () => Promise.all(modes.map(async (mode) => sellerIn(await stateOf(mode))));

test('a profile is read as it was changed, and both account states have its summary', async () => {
  expect(await readSeller(account)).toBeUndefined();
  expect(await summaries()).toEqual([undefined, undefined]);
  const seller = await changeSeller(account, change);
  expect(await readSeller(account)).toEqual(seller);
  const summary = { country: 'BT', state: undefined, timeZone: 'Asia/Thimphu' };
  expect(await summaries()).toEqual([summary, summary]);
  await changeSeller(account, { address: { state: 'KA', country: 'IN' }, timeZone: 'Asia/Kolkata' });
  const indian = { country: 'IN', state: '29', timeZone: 'Asia/Kolkata' };
  expect(await summaries()).toEqual([indian, indian]);
});

test('the profile keeps attributes of a newer release', async () => {
  await changeSeller(account, change);
  const table = tableOf(stack);
  const item = await table.get(tableKeys.seller(account));
  await table.put({ ...item, ...tableKeys.seller(account), stamp: 'new' });
  await changeSeller(account, { footer: 'Thanks' });
  expect(await table.get(tableKeys.seller(account))).toMatchObject({
    stamp: 'new',
    version: 2,
    footer: 'Thanks',
  });
});

test('a change that is interrupted before a summary is completed by its repetition', async () => {
  interception = interceptCalls(
    injectFault(({ operation }) => operation === 'UpdateItem', respondWithError('ValidationException'), 2),
  );
  await expect(changeSeller(account, change)).rejects.toThrow();
  interception.remove();
  expect(await readSeller(account)).toMatchObject(change);
  await changeSeller(account, change);
  expect((await summaries()).map((summary) => summary?.country)).toEqual(['BT', 'BT']);
  expect(await tableOf(stack).get(tableKeys.seller(account))).toMatchObject({ version: 1 });
});

test('parallel changes of different fields are all made, and the newest summary stays', async () => {
  await changeSeller(account, change);
  const zones = ['Asia/Kolkata', 'Asia/Tokyo', 'Europe/Berlin'];
  await Promise.all([
    ...zones.map((timeZone) => changeSeller(account, { timeZone })),
    changeSeller(account, { footer: 'Thanks' }),
  ]);
  const seller = await readSeller(account);
  expect(seller?.footer).toBe('Thanks');
  expect((await summaries()).map((summary) => summary?.timeZone)).toEqual([
    seller?.timeZone,
    seller?.timeZone,
  ]);
});

test('an older summary never replaces a newer one', async () => {
  await changeSeller(account, change);
  const key = tableKeys.accountState({ account, mode: 'test' });
  const newer = { c: 'IN', s: '29', z: 'Asia/Kolkata', v: 9 };
  await tableOf(stack).put({ ...(await stateOf('test')), ...key, [accountStateAttributes.seller]: newer });
  await changeSeller(account, { footer: 'Thanks' });
  expect(await stateOf('test')).toMatchObject({ [accountStateAttributes.seller]: newer });
  expect(sellerIn(await stateOf('live'))?.country).toBe('BT');
});

test('an account that does not exist gets no profile', async () => {
  expect(await changeSeller('acct_00000000000absent'.slice(0, 21), change)).toBeUndefined();
});

test('the audit log of both modes gets the changed fields', async () => {
  await changeSeller(account, change, { origin });
  await changeSeller(account, { footer: 'Thanks' }, { origin });
  const outbox = await tableOf(stack).all(tableKeys.outbox({ account, mode: 'test' }, 0, '').pk);
  const audited = outbox.filter((item) => item.account === account);
  expect(audited.map((item) => item.mode).sort()).toEqual(['live', 'live', 'test', 'test']);
  expect(JSON.stringify(audited)).toContain('seller.legalName');
  // The outbox has short names: the operation, its resource and the changes.
  expect(audited.at(-1)).toMatchObject({
    audited: {
      n: 'account.update',
      o: account,
      c: [{ field: 'seller.footer', before: null, after: 'Thanks' }],
    },
  });
});
