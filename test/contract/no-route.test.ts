/** Tests paths without a route. Outside the API they return 404 without a key; under `/api` they return 401 first. */
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

const createAccount = async () => newAccount(stack.baseUrl);
const withoutKey = () => apiOf(stack.baseUrl, undefined);

describe('paths', () => {
  test.each(['/', '/apis/invoices', '/API/invoices', '/favicon.ico', '/invoices'])(
    '%s is 404 without a key and with any key',
    async (path) => {
      const { test: api } = await createAccount();
      for (const caller of [withoutKey(), api]) {
        expectError(await caller.get(path), 404, 'route_not_found');
        expectError(await caller.post(path, {}), 404, 'route_not_found');
      }
      const headers = { Authorization: 'Bearer nonsense' };
      expectError(await withoutKey().get(path, { headers }), 404, 'route_not_found');
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
  ])('%s is part of the API: 401 without a key, 404 with a key', async (path) => {
    const { test: api } = await createAccount();
    expectError(await withoutKey().get(path), 401, 'missing_api_key');
    expectError(await api.get(path), 404, 'route_not_found');
    expectError(await api.post(path, '{', { headers: { 'Idempotency-Key': '' } }), 404, 'route_not_found');
  });
});

describe('the page for people who shortened the link of an invoice', () => {
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  test.each(['/', '/pay', '/pay/'])('%s is a page in a browser, and JSON for other clients', async (path) => {
    const page = await withoutKey().get(path, { headers: { Accept: browser } });
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      vary: 'Accept, Accept-Encoding',
    });
    expect(page.text).toContain('Open the link in your invoice');
    expect(page.text).toContain('/docs"');
    for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5', 'text/html;q=0']) {
      const headers = { Accept: accept };
      expectError(await withoutKey().get(path, { headers }), 404, 'route_not_found');
    }
    expectError(await withoutKey().post(path, {}, { headers: { Accept: browser } }), 404, 'route_not_found');
  });

  test('other paths are JSON in a browser, too', async () => {
    const headers = { Accept: browser };
    expectError(await withoutKey().get('/invoices', { headers }), 404, 'route_not_found');
    expectError(await withoutKey().get('/api', { headers }), 401, 'missing_api_key');
  });
});

test.each(['/%61pi/invoices', '/ap%69/invoices', '//%61pi/invoices'])(
  '%s, an escaped form of /api, does not bypass authentication and does not return 500',
  async (path) => {
    const { test: api } = await createAccount();
    for (const [method, target] of [
      ['GET', path],
      ['POST', path],
      ['DELETE', `${path}/inv_${'0'.repeat(26)}`],
    ] as const) {
      expect([401, 404]).toContain(
        (await withoutKey().send(method, target, { headers: { 'Idempotency-Key': 'k' } })).status,
      );
      expect([200, 201, 404]).toContain(
        (await api.send(method, target, { ...(method === 'POST' && { body: invoiceBody() }) })).status,
      );
    }
  },
);

test.each(['%zz', '%ff', '50%'])('%p in a path is 404 and names the wrong %', async (segment) => {
  const { test: api } = await createAccount();
  const { error } = (await api.get(`/api/invoices/${segment}`)).json;
  expect(error.code).toBe('route_not_found');
  expect(error.message).toContain('The path contains a % that does not start');
});

test.each(['PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'PURGE', 'POST'])(
  '%s is 404 if the path has no route for it, and 401 without a key',
  async (method) => {
    const { test: api } = await createAccount();
    const path = method === 'POST' ? '/api/invoices/x' : '/api/invoices';
    expectError(await api.send(method, path, { body: '{' }), 404, 'route_not_found');
    expectError(await withoutKey().send(method, path), 401, 'missing_api_key');
  },
);

test.each(['PATCH', 'DELETE'])('%s of a list is 404', async (method) => {
  const { test: api } = await createAccount();
  expectError(await api.send(method, '/api/invoices', { body: {} }), 404, 'route_not_found');
});
