/**
 * Writes forged, widened and prolonged sessions and members to the table, with what the role of each function allows and without the
 * signing secret. None may give access.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { grantedFiles, statementsOf } from '../../infra/function-policies.ts';
import { localUsers } from '../../infra/local/local-users.ts';
import type { Stack } from '../../infra/local/stack.ts';
import { Policy } from '../../infra/policies/policy.ts';
import { requestsOf } from '../../infra/policies/table-requests.ts';
import { canonicalJson } from '../../shared/base/strict-json.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import {
  type DashboardAccount,
  newDashboardAccount,
  sessionOf,
  signedIn,
} from '../support/dashboard-user.ts';
import { createVisitor, headingOf, type Visitor, withDashboard } from '../support/dashboard-visitor.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

const cookie = '__Host-remit-session';
const signIn = 'functions/dashboard/sign-in.ts';

let stack: Stack;
let table: TestTable;
let account: DashboardAccount;
let hashOf: (sessionId: string) => string;
let forgetPublicKeys: () => void;
let userOf: (role: keyof typeof localUsers) => string;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000, ...withDashboard() });
  table = tableOf(stack);
  const { hashSessionId, userIdOf } = await import('../../shared/domain/users/session.ts');
  hashOf = hashSessionId;
  ({ forgetPublicKeys } = await import('../../shared/domain/users/public-key-store.ts'));
  const issuer = stack.dashboard?.issuer.url ?? '';
  userOf = (role) => userIdOf({ issuer, subject: localUsers[role].subject });
});
beforeEach(async () => {
  account = await newDashboardAccount(stack);
});
afterAll(() => stack?.close());

const ownersOnly = () => account.path('/settings/audit-log', 'live');
const visitorWith = (id: string): Visitor => {
  const visitor = createVisitor(stack);
  visitor.cookies.set(cookie, id);
  return visitor;
};
const itemOf = async (id: string) => (await table.get(tableKeys.session(hashOf(id)))) as TestItem;
const membersItem = async () => (await table.get(tableKeys.members(account.accountId))) as TestItem;

/** Makes an own key pair, and signs items as the service does. */
function ownSigner() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const id = 'A'.repeat(22);
  const key = { ...tableKeys.signingKey(id), publicKey: publicKey.export({ format: 'jwk' }).x };
  const signed = ({ signature: _, usedAt, ...item }: TestItem): TestItem => {
    const text = Buffer.from(canonicalJson(item));
    return { ...item, usedAt, signature: `${id}:${sign(null, text, privateKey).toString('base64url')}` };
  };
  return { key, signed };
}

/** The functions whose role lets them put this item, besides that of the sign-in, which makes sessions. */
function filesThatPut(Item: TestItem): string[] {
  const requests = requestsOf('PutCommand', { TableName: 'table', Item }, 'table');
  return grantedFiles.filter((file) => {
    const policy = new Policy(statementsOf(file));
    return requests.every((request) => policy.refusalOf(request) === undefined);
  });
}

describe('a session', () => {
  const id = 'F'.repeat(43);
  const outcome = async (visitor: Visitor) => {
    const page = await visitor.get(ownersOnly());
    return page.status === 303 ? 'no session' : `${page.status} ${headingOf(page)}`;
  };

  test('that the service has stored gives access', async () => {
    expect(await outcome(await signedIn(stack, 'owner'))).toBe('200 Audit log');
    expect(await outcome(await signedIn(stack, 'viewer'))).not.toBe('200 Audit log');
  });

  test('that is made without the secret, or signed with another key, gives none', async () => {
    const real = await itemOf(await sessionOf(stack, 'owner'));
    const forged: TestItem = { ...real, ...tableKeys.session(hashOf(id)), hash: hashOf(id) };
    const { signature: _, ...unsigned } = forged;
    const { signed, key } = ownSigner();
    for (const item of [
      forged,
      unsigned,
      signed(forged),
      { ...forged, signature: '' },
      { ...forged, signature: ':' },
      { ...forged, signature: { id: real.signature } },
      { ...forged, signature: real.signature.split(':')[0] },
    ]) {
      await table.put(item as TestItem);
      expect(await outcome(visitorWith(id))).toBe('no session');
    }
    // Only commands and the function of the sign-in can store a public key.
    expect(filesThatPut(key)).toEqual([signIn]);
    expect(filesThatPut(forged)).toEqual([signIn]);
  });

  test('cannot get another user, a longer life or a newer sign-in', async () => {
    const [own, later] = [await sessionOf(stack, 'viewer', 11 * 60_000), await sessionOf(stack, 'owner')];
    const [item, ownerItem] = [await itemOf(own), await itemOf(later)];
    const { pk: _, sk: __, ...ofOwner } = ownerItem;
    const changes: Record<string, unknown>[] = [
      { user: ownerItem.user },
      { user: ownerItem.user, subject: ownerItem.subject, email: ownerItem.email },
      { ...ofOwner },
      { signature: ownerItem.signature },
      { endsAt: item.endsAt + 1 },
      { startedAt: item.startedAt + 1 },
      { authenticatedAt: item.authenticatedAt + 660_000 },
      { email: ownerItem.email },
      { isEmailVerified: !item.isEmailVerified },
      { expiresAt: item.expiresAt + 1 },
      { browser: 'other' },
      { other: true },
    ];
    for (const change of changes) {
      await table.put({ ...item, ...change });
      expect([change, await outcome(visitorWith(own))]).toEqual([change, 'no session']);
    }
    await table.put(item);
    expect(await outcome(visitorWith(own))).not.toBe('no session');
  });

  test('is not made by the time of its use, which all functions of the dashboard may write', async () => {
    await table.put({ ...tableKeys.session(hashOf(id)), usedAt: Date.now() });
    expect(await outcome(visitorWith(id))).toBe('no session');
    const own = await sessionOf(stack, 'owner');
    const item = await itemOf(own);
    await table.put({ ...item, usedAt: Date.now() + 100 * 3_600_000, endsAt: Date.now() - 1 });
    expect(await outcome(visitorWith(own))).toBe('no session');
  });

  test('of another user is not listed, whatever the partition of a user names', async () => {
    const other = await itemOf(await sessionOf(stack, 'viewer'));
    await table.put(tableKeys.userSession(userOf('owner'), other.hash));
    const page = await (await signedIn(stack, 'owner')).get('/sign-in/sessions');
    expect(page.text).not.toContain(other.hash);
  });

  test('that is refused is in the log', async () => {
    const { logger } = await import('../../shared/base/log.ts');
    const error = jest.spyOn(logger, 'error');
    const own = await sessionOf(stack, 'owner');
    await table.put({ ...(await itemOf(own)), browser: 'other' });
    await outcome(visitorWith(own));
    expect(error).toHaveBeenCalledWith('a session without a valid signature was refused', {
      hash: hashOf(own),
    });
    error.mockRestore();
  });
});

describe('the members of an account', () => {
  const statusFor = async (role: 'owner' | 'viewer') =>
    (await (await signedIn(stack, role)).get(ownersOnly())).status;
  const raise = (item: TestItem): TestItem => ({
    ...item,
    members: item.members.map((member: TestItem) =>
      member.user === userOf('viewer') ? { ...member, role: 'owner' } : member,
    ),
  });

  test('cannot be changed without the secret: a changed item gives access to nobody', async () => {
    const item = await membersItem();
    const { signature: _, ...unsigned } = item;
    const { signed, key } = ownSigner();
    const other = await newDashboardAccount(stack);
    const ofOther = (await table.get(tableKeys.members(other.accountId))) as TestItem;
    const invitation = { id: 'invitation_x', hash: 'x', email: 'x@example.com', role: 'owner' };
    for (const changed of [
      raise(item),
      raise(unsigned),
      signed(raise(item)),
      { ...item, version: item.version + 1 },
      { ...item, members: item.members.slice(0, 2) },
      { ...item, members: [...item.members].reverse() },
      { ...item, invitations: [{ ...invitation, createdAt: 1, endsAt: Date.now() + 1e9 }] },
      { ...ofOther, ...tableKeys.members(account.accountId) },
      { ...item, signature: ofOther.signature },
    ]) {
      await table.put(changed as TestItem);
      expect([await statusFor('viewer'), await statusFor('owner')]).toEqual([500, 500]);
    }
    await table.put(item);
    expect([await statusFor('viewer'), await statusFor('owner')]).toEqual([403, 200]);
    // One function changes members, so it holds the secret. It cannot store a public key.
    expect(filesThatPut(item).toSorted()).toEqual(['functions/dashboard/members.ts', signIn]);
    expect(filesThatPut(key)).toEqual([signIn]);
  });

  test('are not signed anew by a change that begins with a forged item', async () => {
    const { changeMembers } = await import('../../shared/domain/users/member-store.ts');
    const forged = raise(await membersItem());
    await table.put(forged);
    await expect(
      changeMembers(account.accountId, (current) => ({ ...current, invitations: [] })),
    ).rejects.toThrow(/have no valid signature.*docs\/operate\/dashboard\.md/);
    expect(await membersItem()).toEqual(forged);
  });

  test('stay valid in another order of their attributes, and under a key that is read again', async () => {
    const item = await membersItem();
    const reversed = (value: object) => Object.fromEntries(Object.entries(value).reverse());
    await table.put(reversed({ ...item, members: item.members.map(reversed) }) as TestItem);
    forgetPublicKeys();
    expect(await statusFor('owner')).toBe(200);
  });

  test('are refused without their public key', async () => {
    const id = (await membersItem()).signature.split(':')[0];
    const key = (await table.get(tableKeys.signingKey(id))) as TestItem;
    const visitor = await signedIn(stack, 'owner');
    await table.delete(tableKeys.signingKey(id));
    forgetPublicKeys();
    expect((await visitor.get(ownersOnly())).status).toBe(303);
    await table.put(key);
    expect((await visitor.get(ownersOnly())).status).toBe(200);
  });
});
