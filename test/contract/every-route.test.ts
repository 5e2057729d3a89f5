/** What holds for every route of the table, so that a new one is held to it as soon as it stands there. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, apiOf, newAccount } from '../support/api.ts';
import { stopClock, type TestClock } from '../support/clock.ts';
import { expectError, expectHeaders, faultOf } from '../support/expectations.ts';
import { freshAddress, type HttpResponse } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait-until.ts';
import {
  allBut,
  type Endpoint,
  exampleOf,
  hasId,
  invalidAuthorizations,
  missingAuthorizations,
  newKey,
  revokeAll,
  rowsOf,
  serves,
  useUp,
} from './examples.ts';

let stack: Stack;
let clock: TestClock;
beforeAll(async () => {
  stack = await startTestStack();
  // No hour turns while requests are counted.
  clock = stopClock();
});
afterAll(() => stack.close());

const fresh = async () => newAccount(stack.baseUrl);
const anyone = () => apiOf(stack.baseUrl, undefined);
const withKey = (apiKey: string) => apiOf(stack.baseUrl, apiKey);
const brokenBody = { body: '{', headers: { 'Content-Type': 'text/plain', 'Idempotency-Key': '' } };

/** Sends the endpoint's request about nothing that exists. */
const ask = ({ method, path }: Endpoint, api: Api, options: Parameters<Api['send']>[2] = {}) =>
  api.send(method, path, options);

/** Sends a request that succeeds. */
async function succeed(endpoint: Endpoint, api: Api, headers: Record<string, string> = {}) {
  const { path, body } = await exampleOf(endpoint, api);
  return { path, body, response: await api.send(endpoint.method, path, { body, headers }) };
}

const upper = (id: string) => id.toUpperCase();

/** An answer without what differs from one request to the next. */
function lasting({ status, headers, text }: HttpResponse) {
  const { date: _, 'x-request-id': __, 'x-ratelimit-remaining': ___, ...same } = headers;
  return { status, headers: same, text };
}

describe.each(rowsOf(() => true))('%s', (_, endpoint) => {
  test.each(Object.entries(missingAuthorizations))('401 missing_api_key: %s', async (_, value) => {
    const headers = value === undefined ? {} : { Authorization: value };
    expectError(await ask(endpoint, anyone(), { ...brokenBody, headers }), 401, 'missing_api_key');
  });

  test('401 invalid_api_key: what is no key, mistyped, forged or never issued, before anything else is judged', async () => {
    const { test: api } = await fresh();
    for (const [what, Authorization] of Object.entries(await invalidAuthorizations(api.apiKey))) {
      const response = await ask(endpoint, anyone(), { ...brokenBody, headers: { Authorization } });
      expect({ what, ...faultOf(response) }).toEqual({ what, status: 401, code: 'invalid_api_key' });
      expectError(response, 401, 'invalid_api_key');
    }
  });

  test('401 expired_api_key and revoked_api_key, the latter also if both; with any body', async () => {
    const account = await fresh();
    const localAddress = freshAddress();
    const expiresAt = clock.now() - 60_000;
    for (const [apiKey, code] of [
      [await newKey(account, { expiresAt }), 'expired_api_key'],
      [await newKey(account, { revoked: true }), 'revoked_api_key'],
      [await newKey(account, { expiresAt, revoked: true }), 'revoked_api_key'],
    ] as const) {
      const headers = { ...brokenBody.headers, Authorization: `Bearer ${apiKey}` };
      expectError(await ask(endpoint, anyone(), { ...brokenBody, headers, localAddress }), 401, code);
    }
  });

  test.each(['bearer', 'BEARER', 'bEaReR', 'Bearer  '])('the scheme may be spelled %j', async (scheme) => {
    const { test: api } = await fresh();
    const usual = await ask(endpoint, api);
    const response = await ask(endpoint, api, { headers: { Authorization: `${scheme} ${api.apiKey}` } });
    expect(response.status).not.toBe(401);
    expect(response.status).toBe(usual.status);
  });

  test('429 rate_limit_exceeded goes before 403, 404 and 400, and tells when to come again', async () => {
    const account = await fresh();
    await useUp(account.accountId);
    const apiKey = await newKey(account, { permissions: [] });
    const response = await ask(endpoint, withKey(apiKey), brokenBody);
    expectError(response, 429, 'rate_limit_exceeded');
    expect(response.headers).toMatchObject({ 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '0' });
    const wait = Number(response.headers['retry-after']);
    expect(Math.floor(clock.now() / 1000) + wait).toBe(Number(response.headers['x-ratelimit-reset']));
  });

  test('every answer has a request id of its own, and counts one request less', async () => {
    const { test: api } = await fresh();
    const answers = [
      await ask(endpoint, api),
      await ask(endpoint, api, brokenBody),
      await ask(endpoint, api),
    ];
    expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(3);
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['4999', '4998', '4997']);
  });
});

describe.each(rowsOf(({ route }) => route.permission !== undefined))('%s', (_, endpoint) => {
  const permission = endpoint.route.permission ?? 'invoices:read';

  test('403 insufficient_permissions for a key with every permission but the one, before 404 and 400', async () => {
    const account = await fresh();
    const api = withKey(await newKey(account, { permissions: allBut(permission) }));
    const response = await ask(endpoint, api, brokenBody);
    expectError(response, 403, 'insufficient_permissions');
    expect(response.json.error.message).toContain(permission);
    expect(response.headers['x-ratelimit-remaining']).toBe('4999');
  });

  test('the one permission is enough', async () => {
    const account = await fresh();
    const { path, body } = await exampleOf(endpoint, account.test);
    const api = withKey(await newKey(account, { permissions: [permission] }));
    expect((await api.send(endpoint.method, path, { body })).status).toBe(endpoint.route.status);
  });
});

describe.each(rowsOf(serves))('%s', (_, endpoint) => {
  test('success has the status and shape of the table, and all headers', async () => {
    const { response } = await succeed(endpoint, (await fresh()).test);
    expect(response.status).toBe(endpoint.route.status);
    expectHeaders(response);
    const { response: schema } = endpoint.route;
    if (schema) expect(v.safeParse(schema, response.json).issues).toBeUndefined();
  });

  test('a revoked or expired key is refused from the very next request on', async () => {
    const account = await fresh();
    const localAddress = freshAddress();
    const end = (Math.floor(clock.now() / 1000) + 60) * 1000;
    const expiring = withKey(await newKey(account, { expiresAt: end }));
    clock.to(end - 1);
    expect((await succeed(endpoint, expiring)).response.status).toBe(endpoint.route.status);
    clock.to(end);
    expectError(await ask(endpoint, expiring, { localAddress }), 401, 'expired_api_key');
    expect((await succeed(endpoint, account.test)).response.status).toBe(endpoint.route.status);
    await revokeAll(account.accountId);
    expectError(await ask(endpoint, account.test, { localAddress }), 401, 'revoked_api_key');
  });

  test('one trailing slash and a doubled leading one are forgiven', async () => {
    const { test: api } = await fresh();
    const { path, body } = await exampleOf(endpoint, api);
    for (const spelling of [`${path}/`, `/${path}`]) {
      const response = await api.send(endpoint.method, spelling, { body });
      expect(response.json?.error?.code).not.toBe('route_not_found');
    }
  });

  test(`an unknown query parameter is ${endpoint.route.query ? '400 unknown_parameter' : 'ignored'}`, async () => {
    const { test: api } = await fresh();
    const { path, body } = await exampleOf(endpoint, api);
    const response = await api.send(endpoint.method, `${path}?colour=red&colour=blue`, { body });
    if (endpoint.route.query) expectError(response, 400, 'unknown_parameter', 'colour');
    else expect(response.status).toBe(endpoint.route.status);
  });
});

describe.each(rowsOf(hasId))('%s', (_, endpoint) => {
  const takesEmptyBody = !endpoint.route.body || v.safeParse(endpoint.route.body, {}).success;

  test("an id that is unknown, malformed, of the other mode or another account's is 404, and nothing tells them apart", async () => {
    const [mine, other] = await Promise.all([fresh(), fresh()]);
    const { path, body } = await exampleOf(endpoint, mine.test);
    const misspelt = [() => 'no-id', upper, (id: string) => `${id}0`, (id: string) => id.slice(0, -1)];
    const send = (api: Api, at: string) => api.send(endpoint.method, at, { body });
    const unknown = await send(other.test, endpoint.path);
    expectError(unknown, 404, unknown.json?.error?.code);
    expect(unknown.json.error.code).toMatch(/^(?!route_)\w+_not_found$/);
    for (const spell of misspelt)
      expect(lasting(await send(mine.test, path.replace(/[a-z]+_[0-9a-z]{26}/, spell)))).toEqual(
        lasting(unknown),
      );
    for (const api of [mine.live, other.test, other.live])
      expect(lasting(await send(api, path))).toEqual(lasting(unknown));
    expect((await send(mine.test, path)).status).toBe(endpoint.route.status);
  });

  if (endpoint.route.body && takesEmptyBody) {
    test('a body that is no JSON is judged before the resource', async () => {
      const { test: api } = await fresh();
      expectError(await ask(endpoint, api, { body: '{' }), 400, 'invalid_json', 'body');
      expect((await ask(endpoint, api)).status).toBe(404);
    });
  }
});

describe.each(rowsOf(({ route }) => route.method === 'GET'))('%s', (_, endpoint) => {
  test('HEAD is GET without a body, also when it is refused', async () => {
    const { test: api } = await fresh();
    const { path } = await exampleOf(endpoint, api);
    for (const [at, who] of [
      [path, api],
      [endpoint.path, api],
      [path, anyone()],
    ] as const) {
      const [get, head] = await waitUntil('it does not change meanwhile', async () => {
        const answers = [await who.get(at), await who.send('HEAD', at), await who.get(at)] as const;
        const same = answers[0].headers['content-length'] === answers[2].headers['content-length'];
        return same ? answers : undefined;
      });
      expect(head.bytes).toHaveLength(0);
      expect({ ...lasting(head), text: '' }).toEqual({ ...lasting(get), text: '' });
    }
  });
});

describe.each(rowsOf(({ route }) => route.method === 'GET' || route.method === 'DELETE'))(
  '%s',
  (_, endpoint) => {
    test.each(['text/plain', 'application/json', 'application/x-www-form-urlencoded', ''])(
      'a body and the content type %j are ignored',
      async (type) => {
        const { test: api } = await fresh();
        const { path } = await exampleOf(endpoint, api);
        const body = Buffer.concat([Buffer.from('{"amount":'), Buffer.alloc(70_000, 0xff)]);
        const response = await api.send(endpoint.method, path, { body, headers: { 'Content-Type': type } });
        expect(response.status).toBe(endpoint.route.status);
      },
    );
  },
);
