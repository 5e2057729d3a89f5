/** Tests API keys that only some addresses may use: what is refused, what it costs, and what an attacker cannot change. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Stack } from '../../infra/local/stack.ts';
import type { AuditOrigin } from '../../shared/base/audit-origin.ts';
import type { Owner } from '../../shared/base/ids.ts';
import { now } from '../../shared/base/time.ts';
import { createKey } from '../../shared/domain/accounts/key-store.ts';
import { updateKey } from '../../shared/domain/accounts/key-update.ts';
import {
  isAddressAllowed,
  parseAddressRanges,
  toAddressRanges,
} from '../../shared/domain/auth/address-ranges.ts';
import { hashApiKey, parseApiKey } from '../../shared/domain/auth/api-key.ts';
import { authorizeRequest, recallRefusal } from '../../shared/domain/auth/authorize-request.ts';
import { admit } from '../../shared/domain/auth/rate-limit.ts';
import { accountStateAttributes } from '../../shared/store/account-state.ts';
import { tableKeys } from '../../shared/store/keys.ts';
import { type Api, apiOf, invoiceBody, newAccount } from '../support/api.ts';
import { countUnits, sumOf } from '../support/capacity-units.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { freshAddress, type HttpResponse } from '../support/http.ts';
import { type Interception, interceptCalls } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';
import { type TestItem, type TestTable, tableOf } from '../support/table.ts';

const hourMs = 3_600_000;
const { keys: keysName } = accountStateAttributes;

let stack: Stack;
let table: TestTable;
let clock: TestClock;
let owner: Owner;
let free: Api;
let localAddress: string;
const interceptions: Interception[] = [];

beforeAll(async () => {
  stack = await startTestStack({ scheduleIntervalMs: hourMs });
  table = tableOf(stack);
});
beforeEach(async () => {
  // Away from the end of an hour, so all requests of a test are in the same hour.
  clock = stopClock(Math.ceil(Date.now() / hourMs) * hourMs + 60_000);
  const account = await newAccount(stack.baseUrl, 'standard');
  owner = { account: account.accountId, mode: 'test' };
  free = account.test;
  localAddress = freshAddress();
});
afterEach(() => {
  for (const { remove } of interceptions.splice(0)) remove();
});
afterAll(() => stack.close());

const newKey = async (...allowedAddresses: string[]) => {
  const key = await createKey({ owner, name: 'Guarded', allowedAddresses });
  return { ...key, api: apiOf(stack.baseUrl, key.value) };
};
const list = (api: Api, from = localAddress) => api.get('/api/invoices', { localAddress: from });
const codeOf = ({ status, json }: HttpResponse) => (status < 300 ? 'allowed' : json.error.code);
const remainingOf = ({ headers }: HttpResponse) => Number(headers['x-ratelimit-remaining']);
const readState = async (): Promise<TestItem> => (await table.get(tableKeys.accountState(owner))) ?? {};
const changeState = async (fields: object) => table.put({ ...(await readState()), ...fields });
const hourName = () => accountStateAttributes.hour(Math.floor(clock.now() / hourMs));

/** Changes the entry of a key. */
async function changeEntry(value: string, change: (entry: TestItem) => void): Promise<void> {
  const state = await readState();
  change(state[keysName][hashApiKey(value)]);
  await table.put(state);
}

describe('a request from an address that may not use the key', () => {
  test('is refused on every kind of path, counts against its address, and changes nothing of the account', async () => {
    const { api } = await newKey('192.0.2.0/24', '2001:db8::/32');
    await list(free);
    const before = await readState();
    const options = { localAddress };
    const refused = [
      await api.get('/api/invoices', options),
      await api.post('/api/invoices', invoiceBody(), options),
      await api.post('/api/invoices', '{', options),
      await api.get(`/api/invoices/inv_${'0'.repeat(26)}`, options),
      await api.get('/api/nothing', options),
      await api.send('HEAD', '/api/invoices', options),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    expect(refused.map(remainingOf)).toEqual([999, 998, 997, 996, 995, 994]);
    expect(refused[0]?.json.error).toEqual({
      type: 'permission_error',
      code: 'address_not_allowed',
      message:
        'The API key may not be used from this address. Send the request from an allowed address, or allow this one for the key.',
      docUrl: expect.stringMatching(/\/docs\/errors\/address_not_allowed$/),
    });
    expect(new Set(refused.slice(0, 5).map(codeOf))).toEqual(new Set(['address_not_allowed']));
    expect(await readState()).toEqual(before);
    expect(codeOf(await list(free))).toBe('allowed');
  });

  test('is refused, although headers name an allowed address', async () => {
    const { api } = await newKey('192.0.2.1');
    const names = ['X-Forwarded-For', 'X-Real-IP', 'Forwarded', 'CF-Connecting-IP', 'True-Client-IP'];
    for (const name of names) {
      const headers = { [name]: name === 'Forwarded' ? 'for=192.0.2.1' : '192.0.2.1' };
      expect(codeOf(await api.get('/api/invoices', { localAddress, headers }))).toBe('address_not_allowed');
    }
  });

  test('beyond the limit of its address gets 429 and makes no more calls, and other addresses are served', async () => {
    const { tableHash } = await import('../../shared/platform/secrets/deployment-secret.ts');
    const allowed = freshAddress();
    const { api } = await newKey(allowed);
    const hour = Math.floor(now() / hourMs);
    await table.put({
      ...tableKeys.source(await tableHash('source', `${localAddress}/32`), hour),
      count: 1000,
    });
    for (let count = 1; count < 10; count++) expect(codeOf(await list(api))).toBe('address_not_allowed');
    expect(codeOf(await list(api))).toBe('rate_limit_exceeded');
    const interception = interceptCalls();
    interceptions.push(interception);
    expect(codeOf(await list(api))).toBe('rate_limit_exceeded');
    expect(codeOf(await api.post('/api/invoices', invoiceBody(), { localAddress }))).toBe(
      'rate_limit_exceeded',
    );
    expect(interception.calls.filter(({ body }) => body.includes(owner.account))).toEqual([]);
    expect(codeOf(await list(api, allowed))).toBe('allowed');
  });

  test('beyond the limit of its network makes no more calls from its other addresses, but allowed ones are served', async () => {
    const { tableHash } = await import('../../shared/platform/secrets/deployment-secret.ts');
    const network = '2001:db8:0:7::';
    const { value } = await newKey(`${network}a`);
    const source = tableKeys.source(
      await tableHash('source', `${network}/64`),
      Math.floor(clock.now() / hourMs),
    );
    await table.put({ ...source, count: 1000 });
    const apiKey = await parseApiKey(value);
    if (!apiKey) throw new Error('The key is not valid.');
    const access = {
      permissions: ['invoices:read'] as const,
      creates: undefined,
      writes: false,
      requests: 1,
    } as const;
    const ask = async (address: string) => {
      const remembered = await recallRefusal(apiKey, address, clock.now());
      const { refusal } = remembered ?? (await authorizeRequest(apiKey, access, address, clock.now()));
      return refusal?.code ?? 'allowed';
    };
    for (let host = 1; host < 10; host++) expect(await ask(`${network}${host}`)).toBe('address_not_allowed');
    expect(await ask(`${network}10`)).toBe('rate_limit_exceeded');
    const interception = interceptCalls();
    interceptions.push(interception);
    for (let host = 11; host < 20; host++) expect(await ask(`${network}${host}`)).toBe('rate_limit_exceeded');
    expect(interception.calls.filter(({ body }) => body.includes(owner.account))).toEqual([]);
    expect(await ask(`${network}a`)).toBe('allowed');
  });

  test('does not learn that the account has reached its limit', async () => {
    const allowed = freshAddress();
    const { api } = await newKey(allowed);
    await changeState({ [hourName()]: 1000 });
    expect(codeOf(await list(api))).toBe('address_not_allowed');
    expect(codeOf(await list(api, allowed))).toBe('rate_limit_exceeded');
    expect(codeOf(await list(api))).toBe('address_not_allowed');
    expect(codeOf(await list(api, allowed))).toBe('rate_limit_exceeded');
    expect((await readState())[hourName()]).toBe(1000);
  });

  test('with an expired key gets 401', async () => {
    const asked = { owner, name: 'Guarded', allowedAddresses: ['192.0.2.1'], expiresAt: clock.now() + 1 };
    const { value } = await createKey(asked);
    clock.advance(1);
    expect(codeOf(await list(apiOf(stack.baseUrl, value)))).toBe('expired_api_key');
  });
});

test('a request from an allowed address is served, in one call, and counts against the account', async () => {
  const { api } = await newKey('192.0.2.0/24', localAddress);
  expect([await list(api), await list(api)].map(remainingOf)).toEqual([999, 998]);
  const created = await api.post('/api/invoices', invoiceBody(), { localAddress });
  expect(created.status).toBe(201);
  const network = localAddress.replace(/\d+$/, '0/24');
  const neighbor = localAddress.replace(/\d+$/, '250');
  const wide = (await newKey(network)).api;
  const interception = interceptCalls();
  interceptions.push(interception);
  expect(codeOf(await wide.get('/api/webhooks', { localAddress: neighbor }))).toBe('allowed');
  expect(codeOf(await wide.get('/api/nothing', { localAddress: neighbor }))).toBe('route_not_found');
  const authorizations = interception.calls.filter(({ body }) => body.includes('contains('));
  expect(authorizations.map(({ operation }) => operation)).toEqual(['UpdateItem']);
});

test('a key without ranges sends no check, until the table refuses a request because the key got ranges', async () => {
  const { value, keyId } = await createKey({ owner, name: 'Open' });
  const api = apiOf(stack.baseUrl, value);
  expect(remainingOf(await list(api))).toBe(999);
  const interception = interceptCalls();
  interceptions.push(interception);
  const checks = () =>
    interception.calls
      .filter(({ operation, body }) => operation === 'UpdateItem' && body.includes(hashApiKey(value)))
      .map(({ body }) => body.includes('contains('));
  expect(remainingOf(await list(api))).toBe(998);
  expect(checks()).toEqual([false]);
  const origin = {
    actor: { type: 'operator', id: 'test' },
    action: 'key.update',
    requestId: null,
    source: null,
  };
  await updateKey(owner, keyId, { allowedAddresses: [`${localAddress}/32`] }, origin as AuditOrigin);
  expect(codeOf(await list(api, freshAddress()))).toBe('address_not_allowed');
  expect(checks().slice(-2)).toEqual([false, true]);
  expect(remainingOf(await list(api))).toBe(997);
  expect(checks().slice(-2)).toEqual([true, true]);
});

test('the table decides as the rule does', async () => {
  const { value } = await newKey('192.0.2.1');
  const key = { owner, keyHash: hashApiKey(value) };
  const address = fc.oneof(fc.ipV4(), fc.ipV6());
  const ipv4Range = fc.tuple(fc.ipV4(), fc.integer({ min: 8, max: 32 }));
  const ipv6Range = fc.tuple(fc.ipV6(), fc.constantFrom(32, 36, 40, 44, 48, 52, 56, 60, 64, 128));
  const ranges = fc.array(fc.oneof(ipv4Range, ipv6Range), { minLength: 1, maxLength: 8 });
  let allowed = 0;
  await fc.assert(
    fc.asyncProperty(ranges, address, async (lines, stranger) => {
      const parsed = parseAddressRanges(lines.map(([network, length]) => `${network}/${length}`));
      if (!parsed.ok) return;
      const stored = toAddressRanges(parsed.ranges);
      await changeEntry(value, (entry) => {
        entry.a = stored;
      });
      for (const sender of [stranger, ...lines.map(([network]) => network)]) {
        const counted = await admit(key, { creates: undefined, requests: 1 }, sender, clock.now());
        expect([sender, counted.allowed]).toEqual([sender, isAddressAllowed(stored, sender)]);
        allowed += counted.allowed ? 1 : 0;
      }
    }),
    { numRuns: 40 },
  );
  expect(allowed).toBeGreaterThan(40);
});

describe('somebody who can write the account state', () => {
  test.each([
    ['removes the ranges', undefined],
    ['widens the ranges', new Set([Uint8Array.of(8, 127)])],
  ])('and %s gains nothing, and the reconciliation finds and repairs it', async (_, ranges) => {
    const { reconcileNow } = await import('../../shared/operations/reconciliation/reconcile-now.ts');
    const { isRepairable, repair } = await import('../../shared/operations/reconciliation/repair.ts');
    const allowed = freshAddress();
    const { api, value, keyId } = await newKey(allowed);
    const { a: before } = (await readState())[keysName][hashApiKey(value)];
    await changeEntry(value, (entry) => {
      entry.a = ranges;
    });
    const { differences } = await reconcileNow(owner, { full: true, waitsMs: [] });
    expect(differences.map(({ id, rule }) => [id, rule])).toEqual([[keyId, 'key_addresses_differ']]);
    for (const difference of differences.filter(isRepairable)) await repair(difference);
    expect((await readState())[keysName][hashApiKey(value)].a).toEqual(before);
    expect(await reconcileNow(owner, { full: true, waitsMs: [] })).toMatchObject({
      differences: [],
      failures: [],
    });
    expect(codeOf(await list(api))).toBe('address_not_allowed');
  });
});

test.each([
  ['1 with 4 keys of 8 IPv6 addresses', 4, 'ipv6', 1],
  ['1 with 8 keys of 8 IPv4 addresses', 8, 'ipv4', 1],
  ['1 with 9 keys of 8 IPv4 addresses', 9, 'ipv4', 1],
  ['2 with 9 keys of 8 IPv6 addresses', 9, 'ipv6', 2],
] as const)('a request costs %s', async (_, keys, family, units) => {
  const start = family === 'ipv4' ? '203.0.113.' : '2001:db8::';
  const ranges = Array.from({ length: 7 }, (_, index) => `${start}${index + 1}`);
  for (let count = 1; count < keys; count++) await list((await newKey(`${start}8`, ...ranges)).api);
  const { api } = await newKey(...ranges, localAddress);
  expect((await free.post('/api/invoices', invoiceBody())).status).toBe(201);
  const counter = countUnits(stack);
  const { status } = await api.get('/api/webhooks', { localAddress });
  const calls = counter.take().filter(({ items }) => items.some(({ kind }) => kind === 'ACCOUNT'));
  counter.remove();
  expect([status, sumOf(calls, 'write')]).toEqual([200, units]);
});
