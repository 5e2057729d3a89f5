/**
 * Tests what all routes have in common. A new route in the table is tested automatically.
 *
 * Each run tests for every route that it needs a key with its permission, serves what the table says, and shows nothing of
 * other accounts and of the other mode.
 */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { Stack } from '../../infra/local/stack.ts';
import { alternativesOf, type Permission } from '../../shared/domain/auth/permissions.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
import { type Api, apiOf, type TestAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { errorSummary, expectError, expectHeaders, textForBothModes } from '../support/expectations.ts';
import { freshAddress, type HttpResponse } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  allBut,
  type Endpoint,
  exampleOf,
  exhaustRateLimit,
  hasId,
  invalidAuthorizations,
  missingAuthorizations,
  newAccountWithAllPermissions,
  newKey,
  revokeAll,
  rowsOf,
  sampledRowsOf,
  serves,
} from './examples.ts';

let stack: Stack;
let clock: TestClock;
/** For requests that create nothing. */
let shared: TestAccount;
/** Keys that no endpoint accepts. */
let refused: Record<'expired' | 'revoked' | 'both' | 'ofOtherAddresses' | 'limited', string>;
beforeAll(async () => {
  stack = await startTestStack();
  // The hour must not change while the test counts requests.
  clock = stopClock();
  shared = await createAccount();
  const expiresAt = clock.now() - 60_000;
  const allowedAddresses = ['192.0.2.0/24', '2001:db8::/32'];
  const exhausted = await createAccount();
  await exhaustRateLimit(exhausted.accountId);
  refused = {
    expired: await newKey(shared, { expiresAt }),
    revoked: await newKey(shared, { revoked: true }),
    both: await newKey(shared, { expiresAt, revoked: true }),
    ofOtherAddresses: await newKey(shared, { allowedAddresses, permissions: [] }),
    limited: await newKey(exhausted, { permissions: [] }),
  };
});
afterAll(() => stack.close());

const keysWithout = new Map<string, Promise<string>>();
/** Returns a key with all other permissions. */
function keyWithout(required: readonly Permission[]): Promise<string> {
  const create = async () => newKey(await createAccount(), { permissions: allBut(...required) });
  const key = keysWithout.get(`${required}`) ?? create();
  keysWithout.set(`${required}`, key);
  return key;
}

const createAccount = async () => newAccountWithAllPermissions(stack.baseUrl);
const withoutKey = () => apiOf(stack.baseUrl, undefined);
const withKey = (apiKey: string) => apiOf(stack.baseUrl, apiKey);
const brokenBody = { body: '{', headers: { 'Content-Type': 'text/plain', 'Idempotency-Key': '' } };

/** Sends the request of the endpoint with an ID that does not exist. */
const sendUnknown = ({ method, path }: Endpoint, api: Api, options: Parameters<Api['send']>[2] = {}) =>
  api.send(method, path, options);

/** Sends a valid request. */
async function succeed(endpoint: Endpoint, api: Api, headers: Record<string, string> = {}) {
  const { path, body } = await exampleOf(endpoint, api);
  return { path, body, response: await api.send(endpoint.method, path, { body, headers }) };
}

const toUpperCase = (id: string) => id.toUpperCase();

/** Returns the parts of a response that are the same for each repetition of the request. */
function stableParts({ status, headers, text }: HttpResponse) {
  const { date: _, 'x-request-id': __, 'x-ratelimit-remaining': ___, ...stable } = headers;
  return { status, headers: stable, text };
}

describe.each(rowsOf(() => true))('%s', (_, endpoint) => {
  test('401 without a key, before any other check', async () => {
    const response = await sendUnknown(endpoint, withoutKey(), { ...brokenBody });
    expectError(response, 401, 'missing_api_key');
  });
});

describe.each(sampledRowsOf(() => true))('%s', (_, endpoint) => {
  test.each(Object.entries(missingAuthorizations))('401 missing_api_key: %s', async (_, value) => {
    const headers = value === undefined ? {} : { Authorization: value };
    expectError(
      await sendUnknown(endpoint, withoutKey(), { ...brokenBody, headers }),
      401,
      'missing_api_key',
    );
  });

  test('401 invalid_api_key: a malformed, mistyped, forged or unknown key, before any other check', async () => {
    const values = await invalidAuthorizations(shared.test.apiKey);
    for (const [description, Authorization] of Object.entries(values)) {
      const response = await sendUnknown(endpoint, withoutKey(), {
        ...brokenBody,
        headers: { Authorization },
      });
      const expected = { description, status: 401, code: 'invalid_api_key' };
      expect({ description, ...errorSummary(response) }).toEqual(expected);
      expectError(response, 401, 'invalid_api_key');
    }
  });

  test('401 expired_api_key and revoked_api_key (also if the key is both), with any body', async () => {
    const localAddress = freshAddress();
    for (const [apiKey, code] of [
      [refused.expired, 'expired_api_key'],
      [refused.revoked, 'revoked_api_key'],
      [refused.both, 'revoked_api_key'],
    ] as const) {
      const headers = { ...brokenBody.headers, Authorization: `Bearer ${apiKey}` };
      expectError(
        await sendUnknown(endpoint, withoutKey(), { ...brokenBody, headers, localAddress }),
        401,
        code,
      );
    }
  });

  test('403 address_not_allowed for a key of other addresses, before any other check', async () => {
    const options = { ...brokenBody, localAddress: freshAddress() };
    const response = await sendUnknown(endpoint, withKey(refused.ofOtherAddresses), options);
    expectError(response, 403, 'address_not_allowed');
    expect(response.headers['x-ratelimit-limit']).toBe('1000');
  });

  test('each case of the scheme is accepted', async () => {
    const { test: api } = shared;
    const expected = await sendUnknown(endpoint, api);
    expect(expected.status).not.toBe(401);
    for (const scheme of ['bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
      const headers = { Authorization: `${scheme} ${api.apiKey}` };
      const { status } = await sendUnknown(endpoint, api, { headers });
      expect({ scheme, status }).toEqual({ scheme, status: expected.status });
    }
  });

  test('429 rate_limit_exceeded is checked before 403, 404 and 400, and has Retry-After', async () => {
    const response = await sendUnknown(endpoint, withKey(refused.limited), brokenBody);
    expectError(response, 429, 'rate_limit_exceeded');
    expect(response.headers).toMatchObject({ 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '0' });
    const wait = Number(response.headers['retry-after']);
    expect(Math.floor(clock.now() / 1000) + wait).toBe(Number(response.headers['x-ratelimit-reset']));
  });

  test('every response has a unique request ID, and counts one request', async () => {
    const { test: api } = shared;
    const responses = [
      await sendUnknown(endpoint, api),
      await sendUnknown(endpoint, api, brokenBody),
      await sendUnknown(endpoint, api),
    ];
    expect(new Set(responses.map(({ headers }) => headers['x-request-id'])).size).toBe(3);
    const [first = 0, ...others] = responses.map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(first).toBeGreaterThan(2);
    expect(others).toEqual([first - 1, first - 2]);
  });
});

describe.each(rowsOf(({ route }) => route.permission !== undefined))('%s', (_, endpoint) => {
  const required = alternativesOf(endpoint.route.permission);

  test('403 insufficient_permissions for a key with all other permissions, before 404 and 400', async () => {
    const api = withKey(await keyWithout(required));
    const response = await sendUnknown(endpoint, api, brokenBody);
    expectError(response, 403, 'insufficient_permissions');
    expect(response.json.error.message).toContain(
      required.map((permission) => `\`${permission}\``).join(' or '),
    );
    const { headers } = await sendUnknown(endpoint, api, brokenBody);
    const remaining = Number(response.headers['x-ratelimit-remaining']);
    expect(Number(headers['x-ratelimit-remaining'])).toBe(remaining - 1);
  });
});

describe.each(sampledRowsOf(({ route }) => route.permission !== undefined))('%s', (_, endpoint) => {
  const required = alternativesOf(endpoint.route.permission);

  test.each(required)('a key with only the required permission %s is accepted', async (permission) => {
    const account = await createAccount();
    const { path, body } = await exampleOf(endpoint, account.test);
    // An export shows only what its key may read.
    const ofKind = permission.startsWith('exports:') ? (['invoices:read'] as const) : [];
    const api = withKey(await newKey(account, { permissions: [permission, ...ofKind] }));
    expect((await api.send(endpoint.method, path, { body })).status).toBe(endpoint.route.status);
  });
});

const inNewestVersion = { 'X-API-Version': newestApiVersion };
/** Expects the status and the schema of the route table, and all headers. */
function expectSuccess({ route }: Endpoint, response: HttpResponse): void {
  expect(response.status).toBe(route.status);
  expectHeaders(response, route.file);
  if (route.response) expect(v.safeParse(route.response, response.json).issues).toBeUndefined();
}

// A request with an ID is tested below, with IDs of other accounts.
describe.each(rowsOf((endpoint) => serves(endpoint) && !hasId(endpoint)))('%s', (_, endpoint) => {
  test('a successful response has the status and the schema of the route table, and all headers', async () => {
    const { response } = await succeed(endpoint, (await createAccount()).test, inNewestVersion);
    expectSuccess(endpoint, response);
  });
});

describe.each(sampledRowsOf(serves))('%s', (_, endpoint) => {
  test('a revoked or expired key is rejected from the next request on', async () => {
    const account = await createAccount();
    const localAddress = freshAddress();
    const end = (Math.floor(clock.now() / 1000) + 60) * 1000;
    const expiring = withKey(await newKey(account, { expiresAt: end }));
    clock.to(end - 1);
    expect((await succeed(endpoint, expiring)).response.status).toBe(endpoint.route.status);
    clock.to(end);
    expectError(await sendUnknown(endpoint, expiring, { localAddress }), 401, 'expired_api_key');
    expect((await succeed(endpoint, account.test)).response.status).toBe(endpoint.route.status);
    await revokeAll(account.accountId);
    expectError(await sendUnknown(endpoint, account.test, { localAddress }), 401, 'revoked_api_key');
  });

  test('one trailing slash and a doubled leading slash are accepted', async () => {
    const { test: api } = await createAccount();
    const { path, body } = await exampleOf(endpoint, api);
    for (const variant of [`${path}/`, `/${path}`]) {
      const response = await api.send(endpoint.method, variant, { body });
      expect(response.json?.error?.code).not.toBe('route_not_found');
    }
  });

  const isList = endpoint.method === 'GET' && endpoint.route.query !== undefined;
  test(`an unknown query parameter is ${isList ? '400 unknown_parameter' : 'ignored'}`, async () => {
    const { test: api } = await createAccount();
    const { path, body } = await exampleOf(endpoint, api);
    const response = await api.send(
      endpoint.method,
      `${path}${path.includes('?') ? '&' : '?'}color=red&color=blue`,
      { body },
    );
    if (isList) expectError(response, 400, 'unknown_parameter', 'color');
    else expect(response.status).toBe(endpoint.route.status);
  });
});

describe.each(rowsOf(hasId))('%s', (_, endpoint) => {
  const takesEmptyBody = !endpoint.route.body || v.safeParse(endpoint.route.body, {}).success;

  test('an ID that is unknown, malformed, of the other mode or of another account returns the same 404, and another one what the table says', async () => {
    const [own, other] = [await createAccount(), shared];
    const { path, body } = await exampleOf(endpoint, own.test);
    const malformed = [() => 'no-id', toUpperCase, (id: string) => `${id}0`, (id: string) => id.slice(0, -1)];
    const send = (api: Api, at: string) => api.send(endpoint.method, at, { body });
    const unknown = await send(other.test, endpoint.path);
    expectError(unknown, 404, unknown.json?.error?.code);
    expect(unknown.json.error.code).toMatch(/^(?!route_)\w+_not_found$/);
    for (const change of malformed)
      expect(stableParts(await send(own.test, path.replace(/[a-z]+_[0-9a-z]{16,26}/, change)))).toEqual(
        stableParts(unknown),
      );
    expect(stableParts(await send(other.test, path))).toEqual(stableParts(unknown));
    // The message names the mode of the key.
    const unknownLive = await send(other.live, endpoint.path);
    for (const api of [own.live, other.live])
      expect(stableParts(await send(api, path))).toEqual(stableParts(unknownLive));
    expect(textForBothModes(unknownLive)).toBe(textForBothModes(unknown));
    const headers = inNewestVersion;
    expectSuccess(endpoint, await own.test.send(endpoint.method, path, { body, headers }));
  });

  if (endpoint.route.body && takesEmptyBody) {
    test('invalid JSON is reported before a resource that does not exist', async () => {
      const { test: api } = await createAccount();
      expectError(await sendUnknown(endpoint, api, { body: '{' }), 400, 'invalid_json', 'body');
      expect((await sendUnknown(endpoint, api)).status).toBe(404);
    });
  }
});

describe.each(sampledRowsOf(({ route }) => route.method === 'GET'))('%s', (_, endpoint) => {
  test('HEAD returns the headers of GET without a body, also for errors', async () => {
    const { test: api } = await createAccount();
    const { path } = await exampleOf(endpoint, api);
    for (const [target, caller] of [
      [path, api],
      [endpoint.path, api],
      [path, withoutKey()],
    ] as const) {
      const [get, head] = await waitUntil('two equal responses', async () => {
        const responses = [
          await caller.get(target),
          await caller.send('HEAD', target),
          await caller.get(target),
        ] as const;
        const isEqual = responses[0].headers['content-length'] === responses[2].headers['content-length'];
        return isEqual ? responses : undefined;
      });
      expect(head.bytes).toHaveLength(0);
      expect({ ...stableParts(head), text: '' }).toEqual({ ...stableParts(get), text: '' });
    }
  });
});

describe.each(sampledRowsOf(({ route }) => route.method === 'GET' || route.method === 'DELETE'))(
  '%s',
  (_, endpoint) => {
    test('a body and its content type are ignored', async () => {
      const { test: api } = await createAccount();
      const body = Buffer.concat([Buffer.from('{"amount":'), Buffer.alloc(70_000, 0xff)]);
      for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded', '']) {
        const { path } = await exampleOf(endpoint, api);
        const headers = { 'Content-Type': type };
        const { status } = await api.send(endpoint.method, path, { body, headers });
        expect({ type, status }).toEqual({ type, status: endpoint.route.status });
      }
    });
  },
);
