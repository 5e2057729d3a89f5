/** Tests how the address ranges of API keys are changed, also with crashes, repetitions and concurrent calls. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { rollOverKey } from '../../shared/domain/accounts/key-roll-over.ts';
import { createKey, listKeys, revokeKey } from '../../shared/domain/accounts/key-store.ts';
import { updateKey } from '../../shared/domain/accounts/key-update.ts';
import { readAuditEntries } from '../../shared/domain/audit/audit-store.ts';
import { reconcileNow } from '../../shared/operations/reconciliation/reconcile-now.ts';
import { apiOf, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { freshAddress } from '../support/http.ts';
import { type Interception, interceptCalls } from '../support/intercept-calls.ts';
import { currentInvocation, ProcessCrashed, runAsInvocation } from '../support/invocations.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';
import { untilRelayed } from '../support/until-relayed.ts';

const here = freshAddress();
const there = freshAddress();
const elsewhere = '192.0.2.0/24';
const only = (address: string) => [`${address}/32`];

let stack: Stack;
let clock: TestClock;
let owner: Owner;
const interceptions: Interception[] = [];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  clock = stopClock();
});
beforeEach(async () => {
  owner = { account: (await newAccount(stack.baseUrl)).accountId, mode: 'test' };
});
afterEach(() => {
  for (const { remove } of interceptions.splice(0)) remove();
});
afterAll(() => stack.close());

const outcomeOf = async (value: string, localAddress: string) => {
  const { status, json } = await apiOf(stack.baseUrl, value).get('/api/webhooks', { localAddress });
  return status === 200 ? 'allowed' : json.error.code;
};
const outcomes = async (value: string) => [await outcomeOf(value, here), await outcomeOf(value, there)];
const find = async (keyId: string) => (await listKeys(owner)).find((key) => key.keyId === keyId);
const differences = async () => {
  const result = await reconcileNow(owner, { full: true, waitsMs: [] });
  expect(result.failures).toEqual([]);
  return result.differences;
};
const [refused, allowed] = ['address_not_allowed', 'allowed'];

test('a change takes effect with the next request, and the audit log has the ranges before and after', async () => {
  const { value, keyId } = await createKey({ owner, name: 'A' });
  const origin = {
    actor: { type: 'operator', id: 'test' },
    action: 'key.update',
    requestId: null,
    source: null,
  } as const;
  expect(await outcomes(value)).toEqual([allowed, allowed]);
  const steps: [readonly string[] | null, string[]][] = [
    [only(here), [allowed, refused]],
    [
      [...only(there), elsewhere],
      [refused, allowed],
    ],
    [[elsewhere], [refused, refused]],
    [null, [allowed, allowed]],
  ];
  for (const [allowedAddresses, expected] of steps) {
    const changed = await updateKey(owner, keyId, { allowedAddresses }, origin);
    expect(await outcomes(value)).toEqual(expected);
    expect(changed?.allowedAddresses ?? null).toEqual(allowedAddresses);
    expect((await find(keyId))?.allowedAddresses).toEqual(changed?.allowedAddresses);
    clock.advance(1);
  }
  await untilRelayed(tableOf(stack), `${owner.account}#${owner.mode}`);
  const entries = await readAuditEntries(owner, undefined, 10, clock.now());
  const texts = entries.map(({ changes }) => changes);
  const field = 'allowedAddresses';
  expect(texts).toEqual([
    [{ field, before: elsewhere, after: null }],
    [{ field, before: `${there}/32, ${elsewhere}`, after: elsewhere }],
    [{ field, before: `${here}/32`, after: `${there}/32, ${elsewhere}` }],
    [{ field, before: null, after: `${here}/32` }],
  ]);
  expect(await differences()).toEqual([]);
});

test('after a crash at any call the list shows the ranges that apply, and the same call completes the change', async () => {
  let crashes = 0;
  for (let at = 0, crashed = true; crashed; at++) {
    for (const isAfter of [false, true]) {
      const { value, keyId } = await createKey({ owner, name: 'A', allowedAddresses: only(here) });
      expect(await outcomeOf(value, here)).toBe(allowed);
      const change = { allowedAddresses: only(there) };
      crashed = await crashAt(at, isAfter, () => updateKey(owner, keyId, change));
      crashes += crashed ? 1 : 0;
      const { allowedAddresses } = (await find(keyId)) ?? {};
      expect([only(here), only(there)]).toContainEqual(allowedAddresses);
      const isChanged = allowedAddresses?.[0] === only(there)[0];
      expect(await outcomes(value)).toEqual(isChanged ? [refused, allowed] : [allowed, refused]);
      expect(await updateKey(owner, keyId, change)).toMatchObject({
        ...change,
        lastUsedAt: expect.any(Number),
      });
      expect(await outcomes(value)).toEqual([refused, allowed]);
      expect((await find(keyId))?.allowedAddresses).toEqual(only(there));
      expect(await differences()).toEqual([]);
      await revokeKey(owner, keyId);
    }
  }
  expect(crashes).toBeGreaterThan(10);
});

test('an interrupted change applies, and a request, another change or a repair corrects the entry', async () => {
  for (const corrected of ['request', 'change'] as const) {
    const { value, keyId } = await createKey({ owner, name: 'A', allowedAddresses: only(here) });
    let written = false;
    const interception = interceptCalls(async ({ operation }, send) => {
      if (written) throw new ProcessCrashed('update');
      written = operation === 'TransactWriteItems';
      return send();
    });
    interceptions.push(interception);
    await expect(updateKey(owner, keyId, { allowedAddresses: only(there) })).rejects.toThrow();
    interception.remove();
    expect((await find(keyId))?.allowedAddresses).toEqual(only(there));
    expect((await differences()).map(({ id, rule }) => [id, rule])).toEqual([
      [keyId, 'key_addresses_differ'],
    ]);
    if (corrected === 'change') await createKey({ owner, name: 'B' });
    expect(await outcomes(value)).toEqual([refused, allowed]);
    expect(await differences()).toEqual([]);
  }
});

test('of changes at once one wins, and the list, the item and the requests agree', async () => {
  const { value, keyId } = await createKey({ owner, name: 'A' });
  for (let round = 0; round < 5; round++) {
    const requests = Array.from({ length: 10 }, () => outcomeOf(value, here));
    await Promise.all([
      updateKey(owner, keyId, { allowedAddresses: only(here) }),
      updateKey(owner, keyId, { allowedAddresses: only(there) }),
      updateKey(owner, keyId, { name: `Round ${round}` }),
      createKey({ owner, name: `B ${round}` }),
    ]);
    for (const outcome of await Promise.all(requests)) expect([allowed, refused]).toContain(outcome);
    const key = await find(keyId);
    expect(key?.name).toBe(`Round ${round}`);
    const isHere = key?.allowedAddresses?.[0] === only(here)[0];
    expect(await outcomes(value)).toEqual(isHere ? [allowed, refused] : [refused, allowed]);
    expect(await differences()).toEqual([]);
  }
});

test('a call that read ranges which were changed meanwhile stores entries that requests correct', async () => {
  const { value, keyId } = await createKey({ owner, name: 'A', allowedAddresses: only(here) });
  const update = (allowedAddresses: readonly string[]) =>
    runAsInvocation('other', async () => void (await updateKey(owner, keyId, { allowedAddresses })));
  let writes = 0;
  interceptions.push(
    interceptCalls(async ({ operation, body }, send) => {
      const isOfKeys = currentInvocation()?.label === 'keys';
      const isEntry = isOfKeys && operation === 'UpdateItem' && body.includes('STATE');
      // Each write of the entries is late: the ranges are others by then.
      if (isEntry) await update(writes++ % 2 === 0 ? only(here) : only(there));
      return send();
    }),
  );
  await runAsInvocation(
    'keys',
    async () => void (await updateKey(owner, keyId, { allowedAddresses: only(there) })),
  );
  for (const { remove } of interceptions.splice(0)) remove();
  expect(writes).toBeGreaterThan(1);
  const isHere = (await find(keyId))?.allowedAddresses?.[0] === only(here)[0];
  expect(await outcomes(value)).toEqual(isHere ? [allowed, refused] : [refused, allowed]);
  expect(await differences()).toEqual([]);
});

test('a key that is rolled over keeps its ranges', async () => {
  const { keyId, value } = await createKey({ owner, name: 'A', allowedAddresses: only(here) });
  const created = await rollOverKey({ owner, keyId, overlapMs: 3_600_000 });
  expect(created?.allowedAddresses).toEqual(only(here));
  expect(await outcomes(created?.value ?? '')).toEqual([allowed, refused]);
  expect(await outcomes(value)).toEqual([allowed, refused]);
});

/** Runs `work` so that the process crashes before or after its call `at`. Returns whether it crashed. */
async function crashAt(at: number, isAfter: boolean, work: () => Promise<unknown>): Promise<boolean> {
  let calls = 0;
  const interception = interceptCalls(async (_, send) => {
    const index = calls++;
    if (index > at || (index === at && !isAfter)) throw new ProcessCrashed('update');
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
