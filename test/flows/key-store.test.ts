/** Tests how API keys are created, listed and revoked, also with lost responses, crashes and concurrent calls. */
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { apiKeyStatus, maxUsableKeys } from '../../shared/domain/accounts/account.ts';
import { correctEntries } from '../../shared/domain/accounts/key-entries.ts';
import { createKey, listKeys, revokeKey } from '../../shared/domain/accounts/key-store.ts';
import { hashApiKey } from '../../shared/domain/auth/api-key.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { apiOf, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import {
  type FaultHandler,
  type Interception,
  injectFault,
  interceptCalls,
  loseResponse,
} from '../support/intercept-calls.ts';
import { currentInvocation, ProcessCrashed, runAsInvocation } from '../support/invocations.ts';
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

const codeOf = async (apiKey: string) => {
  const { status, json } = await apiOf(stack.baseUrl, apiKey).get('/api/invoices');
  return status === 200 ? 'allowed' : json.error.code;
};
/** Returns the hashes of all keys in the account state, except the first key of the account. */
const usableHashes = async () => {
  const entries = (await table.get(tableKeys.accountState(owner)))?.[accountStateAttributes.keys];
  return Object.keys(entries).filter((hash) => hash !== hashApiKey(firstKey));
};
const findByName = async (name: string) => (await listKeys(owner)).find((key) => key.name === name);
const readStatus = async (name: string) => {
  const key = await findByName(name);
  return key && apiKeyStatus(key, clock.now());
};
/** Sends all later calls of the service through `fault`. */
const interceptWith = (fault: FaultHandler) => void interceptions.push(interceptCalls(fault));

test('a key can be listed and revoked after many large items of the list', async () => {
  const template = (await table.all(tableKeys.accountState(owner).pk)).find(({ name }) => name === 'Default');
  const createdAt = clock.now() - 1_000;
  const large = ['hash1', 'hash2', 'hash3', 'hash4'].map((hash) => ({
    ...template,
    ...tableKeys.accountKey(owner, createdAt, hash),
    createdAt,
    revokedAt: createdAt,
    name: 'x'.repeat(350_000),
  }));
  await table.putAll(large);
  clock.advance(1);
  const { keyId, value } = await createKey({ owner, name: 'New' });
  expect((await listKeys(owner)).map(({ name }) => name.slice(0, 7))).toEqual([
    ...large.map(() => 'xxxxxxx'),
    'Default',
    'New',
  ]);
  expect(await revokeKey(owner, keyId)).toMatchObject({ keyId, revokedAt: clock.now() });
  expect(await codeOf(value)).toBe('revoked_api_key');
});

test('the tenth key works although the response to its write is lost, and a revocation makes room for another key', async () => {
  for (let count = 2; count < maxUsableKeys; count++) await createKey({ owner, name: `Key ${count}` });
  const fault = injectFault(({ operation }) => operation === 'TransactWriteItems', loseResponse);
  interceptWith(fault);
  const last = await createKey({ owner, name: 'Last' });
  expect(fault.left()).toBe(0);
  expect(await codeOf(last.value)).toBe('allowed');
  expect(await readStatus('Last')).toBe('active');
  await expect(createKey({ owner, name: 'Eleventh' })).rejects.toMatchObject({ code: 'key_limit_reached' });
  await revokeKey(owner, last.keyId);
  expect(await codeOf((await createKey({ owner, name: 'Again' })).value)).toBe('allowed');
});

test('at most ten keys can be created at once', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 14 }, (_, index) => createKey({ owner, name: `Key ${index}` })),
  );
  const created = results.filter(({ status }) => status === 'fulfilled');
  expect(created.length).toBeLessThanOrEqual(maxUsableKeys - 1);
  expect(created.length).toBeGreaterThan(1);
  const listed = await listKeys(owner);
  expect(listed).toHaveLength(created.length + 1);
  expect((await usableHashes()).length).toBe(created.length);
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  for (const { code, message } of reasons) expect(code ?? message).toMatch(/key_limit_reached|Try again/);
});

test('a key whose creation crashes after its transaction works, and the first request adds its entry', async () => {
  const random = randomBytes(20);
  let written = false;
  interceptWith(async ({ operation }, send) => {
    if (written) throw new ProcessCrashed('create');
    written = operation === 'TransactWriteItems';
    return send();
  });
  await expect(createKey({ owner, name: 'Crashed', random })).rejects.toThrow();
  interceptions.pop()?.remove();
  expect(await usableHashes()).toEqual([]);
  const { value } = await createKey({ owner, name: 'Crashed', random });
  expect(await codeOf(value)).toBe('allowed');
  expect(await usableHashes()).toEqual([hashApiKey(value)]);
  expect(await findByName('Crashed')).toMatchObject({ lastUsedAt: Math.floor(clock.now() / 1000) * 1000 });
});

test('no key that is listed as revoked works after any interleaving or crash of a creation and a revocation', async () => {
  let [interleavings, repeated] = [0, 0];
  for (const crashing of [undefined, 'revoke', 'create'] as const) {
    for (let at = 3, reached = true; reached; at++) {
      for (let until = 0, waited = true; waited; until++) {
        await freshOwner();
        const outcome = await createAndRevoke({ at, until, crashing });
        reached = outcome.reached;
        waited = outcome.waited;
        if (!reached) break;
        interleavings += 1;
        repeated += await expectRevoked(outcome, crashing);
      }
    }
  }
  expect(interleavings).toBeGreaterThan(30);
  expect(repeated).toBeGreaterThan(5);
});

test('a revocation can be repeated after a crash at any call, and the time of the last use is kept', async () => {
  let crashes = 0;
  for (let at = 0, crashed = true; crashed; at++) {
    for (const isAfter of [false, true]) {
      const { keyId, value } = await createKey({ owner, name: `Key ${at} ${isAfter}` });
      expect(await codeOf(value)).toBe('allowed');
      const lastUsedAt = Math.floor(clock.now() / 1000) * 1000;
      clock.advance(60_000);
      let calls = 0;
      interceptWith(async (_, send) => {
        const index = calls++;
        if (index > at || (index === at && !isAfter)) throw new ProcessCrashed('revoke');
        return send();
      });
      crashed = await revokeKey(owner, keyId).then(
        () => false,
        () => true,
      );
      interceptions.pop()?.remove();
      crashes += crashed ? 1 : 0;
      const revoked = await revokeKey(owner, keyId);
      expect(revoked).toMatchObject({ lastUsedAt, revokedAt: expect.any(Number) });
      expect(await revokeKey(owner, keyId)).toEqual(revoked);
      expect(await findByName(`Key ${at} ${isAfter}`)).toEqual(revoked);
      expect(await codeOf(value)).toBe('revoked_api_key');
    }
  }
  expect(crashes).toBeGreaterThan(8);
});

test('a key that expired, was replaced by another and is then revoked still has the time of its last use', async () => {
  const { keyId, value } = await createKey({ owner, name: 'Old', expiresAt: clock.now() + 60_000 });
  expect(await codeOf(value)).toBe('allowed');
  const lastUsedAt = Math.floor(clock.now() / 1000) * 1000;
  clock.advance(120_000);
  await createKey({ owner, name: 'New' });
  expect(await usableHashes()).not.toContain(hashApiKey(value));
  expect(await findByName('Old')).toMatchObject({ lastUsedAt });
  expect(await revokeKey(owner, keyId)).toMatchObject({ lastUsedAt });
  expect(await findByName('Old')).toMatchObject({ lastUsedAt });
});

interface Interleaving {
  /** The index of the creation's call before which the revocation starts. */
  readonly at: number;
  /** The index of the revocation's call before which it waits until the creation ends. */
  readonly until: number;
  /** Which process crashes: the revocation where it waits, or the creation after the revocation started. */
  readonly crashing: 'create' | 'revoke' | undefined;
}

interface Outcome {
  /** Whether the creation reached the call `at`. */
  readonly reached: boolean;
  /** Whether the revocation reached the call `until`. */
  readonly waited: boolean;
  /** The value of the created key, or the error. */
  readonly value?: string;
  readonly error?: Error;
  readonly isRevoked: boolean;
}

/** Creates the key `Meanwhile`, and revokes it at the same time. */
async function createAndRevoke({ at, until, crashing }: Interleaving): Promise<Outcome> {
  const waiting = Promise.withResolvers<void>();
  const creationEnded = Promise.withResolvers<void>();
  const calls = { create: 0, revoke: 0 };
  let revocation: Promise<boolean> | undefined;
  let waited = false;
  const beforeCreate = async (index: number) => {
    if (crashing === 'create' && index > at) throw new ProcessCrashed('create');
    if (index !== at) return;
    const keyId = (await runAsInvocation('list', () => findByName('Meanwhile')))?.keyId ?? '';
    revocation = runAsInvocation('revoke', () => revokeKey(owner, keyId)).then(
      () => true,
      () => false,
    );
    await Promise.race([revocation, waiting.promise]);
  };
  const beforeRevoke = async (index: number) => {
    if (index !== until) return;
    waited = true;
    waiting.resolve();
    await creationEnded.promise;
    if (crashing === 'revoke') throw new ProcessCrashed('revoke');
  };
  interceptWith(async (_, send) => {
    const label = currentInvocation()?.label;
    if (label === 'create') await beforeCreate(calls.create++);
    if (label === 'revoke') await beforeRevoke(calls.revoke++);
    return send();
  });
  const created = await runAsInvocation('create', () => createKey({ owner, name: 'Meanwhile' })).then(
    ({ value }) => ({ value }),
    (error: Error) => ({ error }),
  );
  creationEnded.resolve();
  const isRevoked = (await revocation) ?? false;
  interceptions.pop()?.remove();
  return { reached: revocation !== undefined, waited, ...created, isRevoked };
}

/** Checks the outcome. Returns 1 if the key was not listed as revoked and had to be revoked again, otherwise 0. */
async function expectRevoked(
  { value, error, isRevoked }: Outcome,
  crashing: 'create' | 'revoke' | undefined,
): Promise<number> {
  const again = (await readStatus('Meanwhile')) === 'revoked' ? 0 : 1;
  if (isRevoked) expect(again).toBe(0);
  if (crashing !== 'create') expect(error).toBeUndefined();
  if (again) {
    // A key that is not listed as revoked works.
    if (value) expect(await codeOf(value)).toBe('allowed');
    await revokeKey(owner, (await findByName('Meanwhile'))?.keyId ?? '');
  }
  expect(await readStatus('Meanwhile')).toBe('revoked');
  if (value) expect(await codeOf(value)).toBe('revoked_api_key');
  // A process that crashed can leave an entry, which the next change of the keys removes.
  if (crashing) await correctEntries(owner, clock.now());
  expect(await usableHashes()).toEqual([]);
  return again;
}
