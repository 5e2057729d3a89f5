/** API keys: how they are created, listed and revoked, also with calls that get lost, deaths, and in each other's way. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { maxUsableKeys, statusOf } from '../../shared/accounts/account.ts';
import { createKey, listKeys, revokeKey } from '../../shared/accounts/key-store.ts';
import { hashOfKey } from '../../shared/admission/api-key.ts';
import type { Owner } from '../../shared/ids.ts';
import { headAttributes } from '../../shared/store/heads.ts';
import { keys } from '../../shared/store/keys.ts';
import { apiOf, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { type Fault, faultOn, type Interception, intercept, lostAnswer } from '../support/faults.ts';
import { currentInvocation, ProcessDied, runAs } from '../support/invocations.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestTable, tableOf } from '../support/table.ts';

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let owner: Owner;
let firstKey: string;
const interceptions: Interception[] = [];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  table = tableOf(stack);
  clock = stopClock();
});
beforeEach(() => freshOwner());
afterEach(() => {
  for (const { remove } of interceptions.splice(0)) remove();
});
afterAll(() => stack.close());

async function freshOwner(): Promise<void> {
  const account = await newAccount(stack.baseUrl);
  owner = { account: account.accountId, mode: 'test' };
  firstKey = account.test.apiKey;
}

const use = async (apiKey: string) => {
  const { status, json } = await apiOf(stack.baseUrl, apiKey).get('/api/invoices');
  return status === 200 ? 'admitted' : json.error.code;
};
/** Hashes of the keys that the head admits, without the one that the account began with. */
const admitted = async () => {
  const entries = (await table.get(keys.head(owner)))?.[headAttributes.keys];
  return Object.keys(entries).filter((hash) => hash !== hashOfKey(firstKey));
};
const listed = async (name: string) => (await listKeys(owner)).find((key) => key.name === name);
const statusNow = async (name: string) => {
  const key = await listed(name);
  return key && statusOf(key, clock.now());
};
/** Every call of the service from now on goes through `fault`. */
const put = (fault: Fault) => void interceptions.push(intercept(fault));

test('keys are listed and can be revoked however much stands before them in the list', async () => {
  const like = (await table.all(keys.head(owner).pk)).find(({ name }) => name === 'Default');
  const createdAt = clock.now() - 1_000;
  const large = ['key_1', 'key_2', 'key_3', 'key_4'].map((keyId) => ({
    ...{ ...like, ...keys.accountKey(owner, createdAt, keyId), keyId, createdAt, revokedAt: createdAt },
    name: 'x'.repeat(350_000),
  }));
  await table.putAll(large);
  clock.advance(1);
  const { keyId, value } = await createKey({ owner, name: 'New' });
  expect((await listKeys(owner)).map(({ name }) => name.slice(0, 7))).toEqual([
    ...large.map(() => 'xxxxxxx'),
    ...['Default', 'New'],
  ]);
  expect(await revokeKey(owner, keyId)).toMatchObject({ keyId, revokedAt: clock.now() });
  expect(await use(value)).toBe('revoked_api_key');
});

test('the last key that there is room for works though the answer about it gets lost, and room comes back', async () => {
  for (let count = 2; count < maxUsableKeys; count++) await createKey({ owner, name: `Key ${count}` });
  const fault = faultOn(isAddition, lostAnswer);
  put(fault);
  const last = await createKey({ owner, name: 'Last' });
  expect(fault.left()).toBe(0);
  expect(await use(last.value)).toBe('admitted');
  expect(await statusNow('Last')).toBe('active');
  await expect(createKey({ owner, name: 'Eleventh' })).rejects.toMatchObject({ code: 'key_limit_reached' });
  await revokeKey(owner, last.keyId);
  expect(await use((await createKey({ owner, name: 'Again' })).value)).toBe('admitted');
});

test('a key that is revoked between the attempts to add it cannot be used', async () => {
  put(
    faultOn(isAddition, async (call, send) => {
      await send();
      await revokeKey(owner, (await listed('Meanwhile'))?.keyId ?? '');
      return lostAnswer(call, send);
    }),
  );
  await expect(createKey({ owner, name: 'Meanwhile' })).rejects.toThrow(/^The key key_\w+ was revoked while/);
  expect(await admitted()).toEqual([]);
  expect(await statusNow('Meanwhile')).toBe('revoked');
});

test('however a creation and a revocation meet, and whichever dies, no key that is listed as revoked can be used', async () => {
  let [meetings, refused, repeated] = [0, 0, 0];
  for (const dies of [undefined, 'revoke', 'create'] as const) {
    for (let at = 2, met = true; met; at++) {
      for (let until = 0, held = true; held; until++) {
        await freshOwner();
        const outcome = await meet({ at, until, dies });
        met = outcome.met;
        held = outcome.held;
        if (!met) break;
        meetings += 1;
        refused += outcome.error === undefined ? 0 : 1;
        repeated += await expectAgreement(outcome, dies);
      }
    }
  }
  expect(meetings).toBeGreaterThan(60);
  expect(Math.min(refused, repeated)).toBeGreaterThan(10);
});

test('a revocation that died anywhere can be repeated, and the time of the last use stays', async () => {
  let deaths = 0;
  for (let at = 0, died = true; died; at++) {
    for (const isAfter of [false, true]) {
      const { keyId, value } = await createKey({ owner, name: `Key ${at} ${isAfter}` });
      expect(await use(value)).toBe('admitted');
      const lastUsedAt = Math.floor(clock.now() / 1000) * 1000;
      clock.advance(60_000);
      let calls = 0;
      put(async (_, send) => {
        const index = calls++;
        if (index > at || (index === at && !isAfter)) throw new ProcessDied('revoke');
        return send();
      });
      died = await revokeKey(owner, keyId).then(
        () => false,
        () => true,
      );
      interceptions.pop()?.remove();
      deaths += died ? 1 : 0;
      const revoked = await revokeKey(owner, keyId);
      expect(revoked).toMatchObject({ lastUsedAt, revokedAt: expect.any(Number) });
      expect(await revokeKey(owner, keyId)).toEqual(revoked);
      expect(await listed(`Key ${at} ${isAfter}`)).toEqual(revoked);
      expect(await use(value)).toBe('revoked_api_key');
    }
  }
  expect(deaths).toBeGreaterThan(10);
});

test('a key that expired, gave way to another and is revoked then still shows when it was used last', async () => {
  const { keyId, value } = await createKey({ owner, name: 'Old', expiresAt: clock.now() + 60_000 });
  expect(await use(value)).toBe('admitted');
  const lastUsedAt = Math.floor(clock.now() / 1000) * 1000;
  clock.advance(120_000);
  await createKey({ owner, name: 'New' });
  expect(await admitted()).not.toContain(hashOfKey(value));
  expect(await listed('Old')).toMatchObject({ lastUsedAt });
  expect(await revokeKey(owner, keyId)).toMatchObject({ lastUsedAt });
  expect(await listed('Old')).toMatchObject({ lastUsedAt });
});

function isAddition({ operation, body }: { operation: string; body: string }): boolean {
  return operation === 'UpdateItem' && body.includes('size(');
}

interface Meeting {
  /** The call of the creation, from 0, before which the revocation begins. */
  readonly at: number;
  /** The call of the revocation, from 0, before which it waits for the creation to end. */
  readonly until: number;
  /** Who dies: a revocation where it waits, a creation after the call at which the revocation began. */
  readonly dies: 'create' | 'revoke' | undefined;
}

interface Outcome {
  /** Whether there were such calls. */
  readonly met: boolean;
  readonly held: boolean;
  /** What was created, or why not. */
  readonly value?: string;
  readonly error?: Error;
  readonly isRevoked: boolean;
}

/** Creates the key `Meanwhile`, and revokes it meanwhile. */
async function meet({ at, until, dies }: Meeting): Promise<Outcome> {
  const waiting = Promise.withResolvers<void>();
  const goingOn = Promise.withResolvers<void>();
  const calls = { create: 0, revoke: 0 };
  let revocation: Promise<boolean> | undefined;
  let held = false;
  const beforeCreate = async (index: number) => {
    if (dies === 'create' && index > at) throw new ProcessDied('create');
    if (index !== at) return;
    const keyId = (await runAs('look', () => listed('Meanwhile')))?.keyId ?? '';
    revocation = runAs('revoke', () => revokeKey(owner, keyId)).then(
      () => true,
      () => false,
    );
    await Promise.race([revocation, waiting.promise]);
  };
  const beforeRevoke = async (index: number) => {
    if (index !== until) return;
    held = true;
    waiting.resolve();
    await goingOn.promise;
    if (dies === 'revoke') throw new ProcessDied('revoke');
  };
  put(async (_, send) => {
    const label = currentInvocation()?.label;
    if (label === 'create') await beforeCreate(calls.create++);
    if (label === 'revoke') await beforeRevoke(calls.revoke++);
    return send();
  });
  const created = await runAs('create', () => createKey({ owner, name: 'Meanwhile' })).then(
    ({ value }) => ({ value }),
    (error: Error) => ({ error }),
  );
  goingOn.resolve();
  const isRevoked = (await revocation) ?? false;
  interceptions.pop()?.remove();
  return { met: revocation !== undefined, held, ...created, isRevoked };
}

/** Returns how often the key had to be revoked again: once if it is not listed as revoked. */
async function expectAgreement(
  { value, error, isRevoked }: Outcome,
  dies: 'create' | 'revoke' | undefined,
): Promise<number> {
  const again = (await statusNow('Meanwhile')) === 'revoked' ? 0 : 1;
  if (isRevoked && dies !== 'create') expect(again).toBe(0);
  if (error && dies !== 'create') {
    expect(error.message).toContain('was revoked while it was made');
    expect(again).toBe(0);
  }
  if (again) await revokeKey(owner, (await listed('Meanwhile'))?.keyId ?? '');
  expect(await statusNow('Meanwhile')).toBe('revoked');
  expect(await admitted()).toEqual([]);
  if (value) expect(await use(value)).toBe('revoked_api_key');
  return again;
}
