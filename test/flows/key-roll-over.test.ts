/** Tests how API keys are replaced and changed, also with crashes, repetitions and concurrent calls. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { AuditAction, AuditOrigin } from '../../shared/base/audit-origin.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { apiKeyStatus, maxUsableKeys } from '../../shared/domain/accounts/account.ts';
import { type KeyRollOver, rollOverKey } from '../../shared/domain/accounts/key-roll-over.ts';
import { type CreatedKey, createKey, listKeys, revokeKey } from '../../shared/domain/accounts/key-store.ts';
import { updateKey } from '../../shared/domain/accounts/key-update.ts';
import { readAuditEntries } from '../../shared/domain/audit/audit-store.ts';
import { apiOf, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { type Interception, interceptCalls } from '../support/intercept-calls.ts';
import { ProcessCrashed } from '../support/invocations.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';

const hourMs = 3_600_000;

let stack: Stack;
let clock: TestClock;
let owner: Owner;
const interceptions: Interception[] = [];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: hourMs });
  clock = stopClock();
});
beforeEach(() => freshOwner());
afterEach(() => {
  for (const { remove } of interceptions.splice(0)) remove();
});
afterAll(() => stack.close());

async function freshOwner(): Promise<void> {
  owner = { account: (await newAccount(stack.baseUrl)).accountId, mode: 'test' };
}

const outcomeOf = async ({ value }: { value: string }) => {
  const { status, json } = await apiOf(stack.baseUrl, value).get('/api/invoices');
  return status === 200 ? 'allowed' : json.error.code;
};
const find = async (keyId: string) => (await listKeys(owner)).find((key) => key.keyId === keyId);
const originOf = (action: AuditAction): AuditOrigin => ({
  actor: { type: 'operator', id: 'test' },
  action,
  requestId: null,
  source: null,
});
/** Returns the entries of the audit log about a key, newest first. */
async function entriesOf(keyId: string) {
  await untilRelayed(tableOf(stack), `${owner.account}#${owner.mode}`);
  const entries = await readAuditEntries(owner, undefined, 100, clock.now());
  return entries.filter(({ resource }) => resource === keyId);
}
const rollOver = async (asked: Partial<KeyRollOver> & { keyId: string }): Promise<CreatedKey> => {
  const created = await rollOverKey({ owner, overlapMs: hourMs, ...asked });
  if (!created) throw new Error(`There is no key ${asked.keyId}.`);
  return created;
};

/** Runs `work` so that the process crashes before or after its call `at`. Returns whether it crashed. */
async function crashAt(at: number, isAfter: boolean, work: () => Promise<unknown>): Promise<boolean> {
  let calls = 0;
  const interception = interceptCalls(async (_, send) => {
    const index = calls++;
    if (index > at || (index === at && !isAfter)) throw new ProcessCrashed('roll over');
    return send();
  });
  interceptions.push(interception);
  const crashed = await work().then(
    () => false,
    () => true,
  );
  interception.remove();
  return crashed;
}

test('a new key replaces the old one, which works until the end of the overlap', async () => {
  const old = await createKey({
    owner,
    name: 'Shop',
    note: 'In Thimphu\nRoom 2',
    permissions: ['invoices:read'],
  });
  clock.advance(1_000);
  const created = await rollOver({ keyId: old.keyId, origin: originOf('key.roll_over') });
  expect(created.value).not.toBe(old.value);
  expect(await find(created.keyId)).toMatchObject({
    name: 'Shop',
    note: 'In Thimphu\nRoom 2',
    permissions: ['invoices:read'],
    createdAt: clock.now(),
    expiresAt: undefined,
    replaces: old.keyId,
    replacedBy: undefined,
  });
  const expiresAt = clock.now() + hourMs;
  expect(await find(old.keyId)).toMatchObject({ expiresAt, replacedBy: created.keyId, revokedAt: undefined });
  expect([await outcomeOf(old), await outcomeOf(created)]).toEqual(['allowed', 'allowed']);
  expect(await entriesOf(old.keyId)).toMatchObject([
    {
      action: 'key.roll_over',
      changes: [
        { field: 'expiresAt', before: null, after: new Date(expiresAt).toISOString() },
        { field: 'replacedBy', before: null, after: created.keyId },
      ],
    },
  ]);
  clock.advance(hourMs);
  expect([await outcomeOf(old), await outcomeOf(created)]).toEqual(['expired_api_key', 'allowed']);
});

test('without an overlap, the old key is revoked at once', async () => {
  const old = await createKey({ owner, name: 'Shop' });
  const created = await rollOver({ keyId: old.keyId, overlapMs: 0 });
  expect([await outcomeOf(old), await outcomeOf(created)]).toEqual(['revoked_api_key', 'allowed']);
  expect(await find(old.keyId)).toMatchObject({ revokedAt: clock.now(), replacedBy: created.keyId });
});

test('an overlap does not prolong the old key, and the new key lives as long as the old one was made for', async () => {
  const old = await createKey({ owner, name: 'Shop', expiresAt: clock.now() + 3 * hourMs });
  clock.advance(2.5 * hourMs);
  const created = await rollOver({ keyId: old.keyId, overlapMs: 24 * hourMs });
  expect(await find(old.keyId)).toMatchObject({ expiresAt: clock.now() + hourMs / 2 });
  expect(created.expiresAt).toBe(clock.now() + 3 * hourMs);
  const asked = clock.now() + hourMs;
  expect((await rollOver({ keyId: created.keyId, expiresAt: asked })).expiresAt).toBe(asked);
});

test('a key that is revoked, expired or replaced cannot be rolled over, and neither can an unknown one', async () => {
  const revoked = await createKey({ owner, name: 'Revoked' });
  await revokeKey(owner, revoked.keyId);
  const expired = await createKey({ owner, name: 'Expired', expiresAt: clock.now() + 1_000 });
  const replaced = await createKey({ owner, name: 'Replaced' });
  const created = await rollOver({ keyId: replaced.keyId });
  clock.advance(1_000);
  await expect(rollOver(revoked)).rejects.toMatchObject({ code: 'key_already_revoked' });
  await expect(rollOver(expired)).rejects.toMatchObject({ code: 'key_already_expired' });
  await expect(rollOver({ keyId: replaced.keyId })).rejects.toMatchObject({
    code: 'key_already_replaced',
    message: expect.stringContaining(created.keyId),
  });
  expect(await rollOverKey({ owner, keyId: 'key_0', overlapMs: 0 })).toBeUndefined();
  expect(await listKeys(owner)).toHaveLength(5);
});

test('all keys can be rolled over at the limit, and replaced keys make no room for others', async () => {
  for (let count = 1; count < maxUsableKeys; count++) await createKey({ owner, name: `Key ${count}` });
  const first = await listKeys(owner);
  expect(first).toHaveLength(maxUsableKeys);
  for (const { keyId } of first) await rollOver({ keyId });
  const second = (await listKeys(owner)).filter(({ replaces }) => replaces !== undefined);
  expect(second).toHaveLength(maxUsableKeys);
  await expect(createKey({ owner, name: 'More' })).rejects.toMatchObject({ code: 'key_limit_reached' });
  const [next] = second;
  await expect(rollOver({ keyId: next?.keyId ?? '' })).rejects.toMatchObject({
    code: 'key_limit_reached',
    message: expect.stringContaining('overlapHours 0'),
  });
  expect(await outcomeOf(await rollOver({ keyId: next?.keyId ?? '', overlapMs: 0 }))).toBe('allowed');
  clock.advance(hourMs);
  expect(await outcomeOf(await rollOver({ keyId: second[1]?.keyId ?? '' }))).toBe('allowed');
  await revokeKey(owner, second[2]?.keyId ?? '');
  expect(await outcomeOf(await createKey({ owner, name: 'More' }))).toBe('allowed');
});

test.each([hourMs, 0])(
  'a crash at any call with an overlap of %i ms leaves a usable key, and the same attempt completes the operation',
  async (overlapMs) => {
    let crashes = 0;
    for (let at = 0, crashed = true; crashed; at++) {
      for (const isAfter of [false, true]) {
        await freshOwner();
        const old = await createKey({ owner, name: 'Shop' });
        const random = randomBytes(20);
        const asked = { keyId: old.keyId, overlapMs, random, origin: originOf('key.roll_over') };
        crashed = await crashAt(at, isAfter, () => rollOver(asked));
        crashes += crashed ? 1 : 0;
        const listed = await find(old.keyId);
        const outcome = await outcomeOf(old);
        expect(outcome === 'allowed').toBe(listed && apiKeyStatus(listed, clock.now()) === 'active');
        const others = (await listKeys(owner)).filter(({ replaces }) => replaces === old.keyId);
        expect(others.length).toBe(listed?.replacedBy ? 1 : 0);
        if (isAfter && at % 2 === 0) await createKey({ owner, name: 'Other' });
        const created = await rollOver(asked);
        expect(await outcomeOf(created)).toBe('allowed');
        expect(await outcomeOf(old)).toBe(overlapMs > 0 ? 'allowed' : 'revoked_api_key');
        expect((await listKeys(owner)).filter(({ name }) => name === 'Shop')).toHaveLength(2);
        expect(await rollOver(asked)).toMatchObject({ value: created.value });
        expect(await entriesOf(old.keyId)).toHaveLength(1);
      }
    }
    expect(crashes).toBeGreaterThan(6);
  },
);

test('a crash after the transaction leaves nothing undone', async () => {
  const old = await createKey({ owner, name: 'Shop' });
  const random = randomBytes(20);
  let written = false;
  const interception = interceptCalls(async ({ operation }, send) => {
    if (written) throw new ProcessCrashed('roll over');
    written = operation === 'TransactWriteItems';
    return send();
  });
  await expect(rollOver({ keyId: old.keyId, overlapMs: 0, random })).rejects.toThrow();
  interception.remove();
  expect(await outcomeOf(old)).toBe('revoked_api_key');
  await expect(rollOver({ keyId: old.keyId })).rejects.toMatchObject({ code: 'key_already_replaced' });
  const value = await rollOver({ keyId: old.keyId, overlapMs: 0, random });
  expect(await outcomeOf(value)).toBe('allowed');
});

test('of two attempts at once, one replaces the key, and the same attempt twice makes one key', async () => {
  const old = await createKey({ owner, name: 'Shop' });
  const results = await Promise.allSettled([1, 2, 3].map(() => rollOver({ keyId: old.keyId })));
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
  const random = randomBytes(20);
  const other = await createKey({ owner, name: 'Other' });
  const same = await Promise.all([1, 2, 3].map(() => rollOver({ keyId: other.keyId, random })));
  expect(new Set(same.map(({ value }) => value)).size).toBe(1);
  expect((await listKeys(owner)).map(({ name }) => name).sort()).toEqual([
    'Default',
    'Other',
    'Other',
    'Shop',
    'Shop',
  ]);
});

test('a revocation of the old or the new key holds, whatever was interrupted before', async () => {
  for (const which of ['old', 'new'] as const) {
    for (let at = 2, crashed = true; crashed; at++) {
      await freshOwner();
      const old = await createKey({ owner, name: 'Shop' });
      const random = randomBytes(20);
      crashed = await crashAt(at, true, () => rollOver({ keyId: old.keyId, random }));
      const created = (await listKeys(owner)).find(({ replaces }) => replaces === old.keyId);
      const keyId = which === 'old' ? old.keyId : created?.keyId;
      if (!keyId) continue;
      await revokeKey(owner, keyId);
      await createKey({ owner, name: 'Other' });
      expect(await find(keyId)).toMatchObject({ revokedAt: clock.now() });
      if (which === 'old') {
        expect(await outcomeOf(old)).toBe('revoked_api_key');
        expect(await outcomeOf(await rollOver({ keyId: old.keyId, random }))).toBe('allowed');
      } else {
        expect(await outcomeOf(old)).toBe('allowed');
        await expect(rollOver({ keyId: old.keyId, random })).rejects.toThrow('was revoked');
      }
    }
  }
});

test('the name and the note can be changed, with an entry of the audit log for each change', async () => {
  const { keyId } = await createKey({ owner, name: 'Shop' });
  const update = (change: Parameters<typeof updateKey>[2]) =>
    updateKey(owner, keyId, change, originOf('key.update'));
  expect(await update({ note: 'Ask Dorji' })).toMatchObject({ name: 'Shop', note: 'Ask Dorji' });
  clock.advance(1_000);
  expect(await update({ name: 'Store', note: null })).toMatchObject({ name: 'Store', note: undefined });
  expect(await update({ name: 'Store' })).toMatchObject({ name: 'Store' });
  expect(await find(keyId)).toMatchObject({ name: 'Store', note: undefined });
  expect(await updateKey(owner, 'key_0', { name: 'x' })).toBeUndefined();
  expect((await entriesOf(keyId)).map(({ changes }) => changes)).toEqual([
    [
      { field: 'name', before: 'Shop', after: 'Store' },
      { field: 'note', before: 'Ask Dorji', after: null },
    ],
    [{ field: 'note', before: null, after: 'Ask Dorji' }],
  ]);
});

test('changes at once are all recorded with what they replaced', async () => {
  const { keyId } = await createKey({ owner, name: 'Shop' });
  await Promise.all(['A', 'B', 'C'].map((name) => updateKey(owner, keyId, { name }, originOf('key.update'))));
  const changes = (await entriesOf(keyId)).flatMap((entry) => entry.changes);
  expect(changes).toHaveLength(3);
  const before = changes.map((change) => change.before);
  expect(new Set(before).size).toBe(3);
  expect(before).toContain('Shop');
  expect(before).not.toContain((await find(keyId))?.name);
});
