/** Tests which sign-ins the audit log records: each one in the accounts of the user, and failed ones in that of the deployment. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { localUsers } from '../../infra/local/local-users.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { readAuditEntries } from '../../shared/domain/audit/audit-store.ts';
import { setClock, stopClock } from '../support/clock.ts';
import { addLocalMembers, createVisitor, headingOf, withDashboard } from '../support/dashboard-visitor.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { waitUntil } from '../support/wait-until.ts';

let stack: Stack;
let accounts: string[];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
  accounts = [];
  for (const name of ['Druk Shop', 'Tea House']) {
    const { accountId } = await createAccount({ name, plan: 'standard' });
    await addLocalMembers(stack, accountId);
    accounts.push(accountId);
  }
});
afterAll(() => stack?.close());

const relayed = () =>
  waitUntil('the outbox is empty', async () => (await tableOf(stack).all('OUTBOX#')).length === 0);
const signInsOf = async (account: string, mode: 'test' | 'live') => {
  await relayed();
  const entries = await readAuditEntries({ account, mode }, undefined, 100, Date.now());
  return entries.filter(({ action }) => action.startsWith('user.'));
};
const failedSignIns = async () => {
  await relayed();
  const entries = await readAuditEntries('deployment', undefined, 100, Date.now());
  return entries.filter(({ outcome }) => outcome === 'failed');
};

test('a sign-in and a step-up are entries of both modes of each account of the user', async () => {
  const visitor = createVisitor(stack);
  await visitor.signIn(localUsers.owner);
  const expected = {
    actor: { type: 'user', id: expect.stringMatching(/^usr_/) },
    outcome: 'done',
    resource: expect.stringMatching(/^usr_/),
    requestId: expect.stringMatching(/^[\w-]{36}$/),
    changes: [
      { field: 'browser', before: null, after: expect.any(String) },
      { field: 'newBrowser', before: null, after: 'true' },
    ],
  };
  for (const account of accounts)
    for (const mode of ['test', 'live'] as const)
      expect(await signInsOf(account, mode)).toMatchObject([{ ...expected, action: 'user.sign_in' }]);
  await visitor.signIn(localUsers.owner, '/sign-in/start?new=1');
  expect((await signInsOf(accounts[0] ?? '', 'live')).map(({ action }) => action)).toEqual([
    'user.step_up',
    'user.sign_in',
  ]);
});

test('a failed sign-in of somebody unknown is an entry of the deployment, at most five a minute for each instance', async () => {
  const clock = stopClock();
  try {
    const fail = async () => {
      const page = await createVisitor(stack).get('/sign-in/callback?state=forged&code=x');
      expect([page.status, headingOf(page)]).toEqual([400, expect.any(String)]);
    };
    for (let index = 0; index < 12; index++) await fail();
    const first = await failedSignIns();
    expect(first).toHaveLength(5);
    expect(first[0]).toMatchObject({
      actor: { type: 'user', id: null },
      action: 'user.sign_in',
      resource: null,
      changes: [{ field: 'reason', before: null, after: 'sign_in_mismatch' }],
    });
    clock.advance(60_000);
    await fail();
    const entries = await failedSignIns();
    expect(entries).toHaveLength(6);
    expect(entries[0]?.changes).toContainEqual({ field: 'leftOut', before: null, after: '7' });
  } finally {
    setClock();
  }
});

test('a user of many accounts has an entry in each of them', async () => {
  const { signInActions } = await import('../../shared/domain/users/sign-in-entries.ts');
  const { tableKeys } = await import('../../shared/store/keys.ts');
  const { writeTransaction } = await import('../../shared/store/transactions.ts');
  const many = Array.from({ length: 70 }, (_, index) => `acct_${String(index).padStart(16, '0')}`);
  const items = many.map((account) => ({ ...tableKeys.userAccount('usr_many', account), account }));
  await tableOf(stack).putAll(items);
  const record = { action: 'user.sign_in', requestId: 'request' } as const;
  const actions = await signInActions('usr_many', 'Firefox', record, Date.now());
  expect(actions.length).toBeLessThanOrEqual(96);
  await writeTransaction(actions);
  for (const account of [many[0], many[47], many[48], many[69]])
    expect(await signInsOf(account ?? '', 'test')).toHaveLength(1);
});
