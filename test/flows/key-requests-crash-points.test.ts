/** Tests requests that change API keys and crash before or after each of their calls. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { createKey, listKeys } from '../../shared/domain/accounts/key-store.ts';
import { permissions } from '../../shared/domain/auth/permissions.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { keyRequestNames, keyRequests } from '../api/key-requests.ts';
import { type Api, apiOf, newAccount } from '../support/api.ts';
import { stopClock } from '../support/clock.ts';
import { expectError } from '../support/expectations.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import {
  currentInvocation,
  followRequests,
  invocationHeader,
  ProcessCrashed,
} from '../support/invocations.ts';
import { startTestStack } from '../support/stack.ts';
import { tableOf } from '../support/table.ts';

let stack: Stack;
let followed: Awaited<ReturnType<typeof followRequests>>;

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  stopClock();
  followed = await followRequests();
});
afterAll(() => {
  followed?.stop();
  return stack?.close();
});

const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

test.each(keyRequestNames)(
  '%s returns the same bytes after a crash before or after any call, and takes effect once',
  async (name) => {
    let crashes = 0;
    for (let at = 0, crashed = true; crashed; at++) {
      for (const isAfter of [false, true]) {
        const owner = { account: (await newAccount(stack.baseUrl)).accountId, mode: 'test' } as const;
        const manager = apiOf(stack.baseUrl, (await createKey({ owner, name: 'Caller', permissions })).value);
        const { method, path, body } = await keyRequests[name](manager);
        const before = (await listKeys(owner)).length;
        const key = randomUUID();
        crashed = await sendAndCrash(manager, { at, isAfter, method, path, body, key });
        crashes += crashed ? 1 : 0;
        const first = await manager.send(method, path, { body, ...withKey(key) });
        expect(first.status).toBe(name === 'create' ? 201 : 200);
        const again = await manager.send(method, path, { body, ...withKey(key) });
        expect([again.status, again.text]).toEqual([first.status, first.text]);
        expect(again.headers['idempotent-replayed']).toBe('true');
        const keys = await listKeys(owner);
        expect(keys).toHaveLength(before + (name === 'create' || name === 'rollOver' ? 1 : 0));
        const { value, id } = first.json;
        if (value) expect((await apiOf(stack.baseUrl, value).get('/api/events')).status).toBe(200);
        const listed = keys.find(({ keyId }) => keyId === id);
        if (name === 'revoke') expect(listed?.revokedAt).toBeDefined();
        if (name === 'update')
          expect(listed).toMatchObject({ name: 'New', allowedAddresses: ['192.0.2.1/32'] });
        expectError(
          await manager.post('/api/keys', { name: 'Other' }, withKey(key)),
          400,
          'idempotency_key_reused',
        );
        const stored = JSON.stringify(await tableOf(stack).all(tableKeys.idempotency(owner, '').pk));
        if (value) expect(stored).not.toContain(value);
      }
    }
    expect(crashes).toBeGreaterThan(6);
  },
);

/** Sends a request whose function crashes before or after its call `at`. Returns whether it crashed. */
async function sendAndCrash(
  manager: Api,
  asked: { at: number; isAfter: boolean; method: string; path: string; body: unknown; key: string },
): Promise<boolean> {
  const { at, isAfter, method, path, body, key } = asked;
  const label = randomUUID();
  let calls = 0;
  let crashed = false;
  const interception = interceptCalls(async (_, send) => {
    if (currentInvocation()?.label !== label) return send();
    const index = calls++;
    crashed ||= index >= at;
    if (index > at || (index === at && !isAfter)) throw new ProcessCrashed(label);
    return send();
  });
  const headers = { ...withKey(key).headers, [invocationHeader]: label };
  try {
    await manager.send(method, path, { body, headers });
  } finally {
    interception.remove();
  }
  return crashed;
}
