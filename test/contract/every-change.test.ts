/**
 * Tests what all routes that change data have in common: idempotency keys, and the rejection of invalid bodies. Each run tests
 * for every route that a repeated request with a key has no second effect.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import type { Api } from '../support/api.ts';
import { stopClock } from '../support/clock.ts';
import { errorSummary, expectError, expectHeaders } from '../support/expectations.ts';
import { isExhaustive } from '../support/run.ts';
import { startTestStack } from '../support/stack.ts';
import { changes, exampleOf, newAccountWithAllPermissions, rowsOf, sampledRowsOf } from './examples.ts';

let stack: Stack;
let api: Api;
beforeAll(async () => {
  stack = await startTestStack();
  // The hour must not change while the test counts requests.
  stopClock();
});
afterAll(() => stack.close());

/** The number of some resources per account is limited, so each endpoint has a new account. */
const useNewAccount = () =>
  beforeAll(async () => {
    ({ test: api } = await newAccountWithAllPermissions(stack.baseUrl));
  });

const invalidKeys: Record<string, string | string[]> = {
  empty: '',
  'spaces only': '   ',
  '256 characters': 'k'.repeat(256),
  'not ASCII': 'cl\u00e9',
  'a tab': 'a\tb',
  'sent twice': ['one', 'two'],
  'sent twice with the same value': ['one', 'one'],
};
const allValidKeys = ['1', 'k'.repeat(255), 'order 17 / "a,b" ~!', '__proto__', 'constructor'];
const validKeys = isExhaustive ? allValidKeys : ['order 17 / "a,b" ~!'];

describe.each(rowsOf(changes))('%s', (_, endpoint) => {
  useNewAccount();

  test.each(validKeys)(
    'the key %j is accepted, and a repeated request returns the same response',
    async (key) => {
      const { path, body } = await exampleOf(endpoint, api);
      const send = () => api.send(endpoint.method, path, { body, headers: { 'Idempotency-Key': key } });
      const [first, second] = [await send(), await send()];
      for (const response of [first, second]) {
        expect(response.status).toBe(endpoint.route.status);
        expectHeaders(response);
      }
      expect(second.text).toBe(first.text);
      expect(first.headers).not.toHaveProperty('idempotent-replayed');
      expect(second.headers['idempotent-replayed']).toBe('true');
      expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
      expect(Number(second.headers['x-ratelimit-remaining'])).toBe(
        Number(first.headers['x-ratelimit-remaining']) - 1,
      );
    },
  );

  test('a different request with a used key is 400 idempotency_key_reused, and does not change the stored response', async () => {
    const key = { 'Idempotency-Key': `reused ${endpoint.name}` };
    const { path, body } = await exampleOf(endpoint, api);
    const first = await api.send(endpoint.method, path, { body, headers: key });
    const other = await exampleOf(endpoint, api);
    const different = `${other.path}?other=1`;
    const response = await api.send(endpoint.method, different, { body: other.body, headers: key });
    expectError(response, 400, 'idempotency_key_reused');
    const again = await api.send(endpoint.method, path, { body, headers: key });
    expect([again.status, again.text]).toEqual([first.status, first.text]);
  });
});

describe.each(sampledRowsOf(changes))('%s', (_, endpoint) => {
  useNewAccount();

  test('400 invalid_idempotency_key, and the request has no effect', async () => {
    const { path, body } = await exampleOf(endpoint, api);
    for (const [description, key] of Object.entries(invalidKeys))
      for (const sent of [body, '{']) {
        const headers = { 'Idempotency-Key': key };
        const response = await api.send(endpoint.method, path, { body: sent, headers });
        const expected = { description, status: 400, code: 'invalid_idempotency_key' };
        expect({ description, ...errorSummary(response) }).toEqual(expected);
        expectError(response, 400, 'invalid_idempotency_key');
      }
    expect((await api.send(endpoint.method, path, { body })).status).toBe(endpoint.route.status);
  });
});

describe.each(sampledRowsOf(({ route }) => route.body !== undefined))('%s', (_, endpoint) => {
  useNewAccount();

  test('errors of the content type are reported before invalid JSON, and invalid JSON before invalid fields', async () => {
    const { path } = await exampleOf(endpoint, api);
    const send = (body: string, type: string) =>
      api.send(endpoint.method, path, { body, headers: { 'Content-Type': type } });
    expectError(await send('{', 'text/plain'), 400, 'invalid_content_type', 'Content-Type');
    expectError(await send('{"amount":0', 'application/json'), 400, 'invalid_json', 'body');
    const large = ' '.repeat(endpoint.name === 'updateAccount' ? 327_681 : 65_537);
    expectError(await send(large, 'text/plain'), 400, 'invalid_content_type', 'Content-Type');
    expectError(await send(large, 'application/json'), 400, 'body_too_large', 'body');
  });

  test('an unknown field is 400 unknown_parameter with its name', async () => {
    const { path, body } = await exampleOf(endpoint, api);
    const response = await api.send(endpoint.method, path, { body: { ...(body as object), color: 'red' } });
    expectError(response, 400, 'unknown_parameter', 'color');
  });
});
