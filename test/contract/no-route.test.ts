/** Paths that no route takes: outside of the API nobody needs a key, inside nobody learns anything without one. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { apiOf, invoiceBody, newAccount } from '../support/api.ts';
import { expectError } from '../support/expectations.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

const fresh = async () => newAccount(stack.baseUrl);
const anyone = () => apiOf(stack.baseUrl, undefined);

describe('paths', () => {
  test.each(['/', '/apis/invoices', '/API/invoices', '/favicon.ico', '/invoices'])(
    '%s is 404 without a key, and with any',
    async (path) => {
      const { test: api } = await fresh();
      for (const who of [anyone(), api]) {
        expectError(await who.get(path), 404, 'route_not_found');
        expectError(await who.post(path, {}), 404, 'route_not_found');
      }
      const headers = { Authorization: 'Bearer nonsense' };
      expectError(await anyone().get(path, { headers }), 404, 'route_not_found');
    },
  );

  test.each([
    '/api',
    '/api/',
    '//api',
    '/api/no',
    '/api/invoices/a/b',
    '/api/invoices//',
    '/api//invoices',
    '///api/x',
  ])('%s is inside: 401 without a key, 404 with one', async (path) => {
    const { test: api } = await fresh();
    expectError(await anyone().get(path), 401, 'missing_api_key');
    expectError(await api.get(path), 404, 'route_not_found');
    expectError(await api.post(path, '{', { headers: { 'Idempotency-Key': '' } }), 404, 'route_not_found');
  });
});

test.each(['/%61pi/invoices', '/ap%69/invoices', '//%61pi/invoices'])(
  '%s, an escaped spelling of /api, is no way around the key and no 500',
  async (path) => {
    const { test: api } = await fresh();
    for (const [method, at] of [
      ['GET', path],
      ['POST', path],
      ['DELETE', `${path}/inv_${'0'.repeat(26)}`],
    ] as const) {
      expect([401, 404]).toContain(
        (await anyone().send(method, at, { headers: { 'Idempotency-Key': 'k' } })).status,
      );
      expect([200, 201, 404]).toContain(
        (await api.send(method, at, { ...(method === 'POST' && { body: invoiceBody() }) })).status,
      );
    }
  },
);

test.each(['PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE', 'POST'])(
  '%s is 404 where no route takes it, and 401 without a key',
  async (method) => {
    const { test: api } = await fresh();
    const path = method === 'POST' ? '/api/invoices/x' : '/api/invoices';
    expectError(await api.send(method, path, { body: '{' }), 404, 'route_not_found');
    expectError(await anyone().send(method, path), 401, 'missing_api_key');
  },
);

test.each(['PATCH', 'DELETE'])('%s of a whole list is 404', async (method) => {
  const { test: api } = await fresh();
  expectError(await api.send(method, '/api/invoices', { body: {} }), 404, 'route_not_found');
});
