/** Tests responses before the business logic: authentication, routing and body errors, and the OpenAPI document. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, apiOf, invoiceBody, newAccount } from '../support/api.ts';
import { errorSummary, expectError } from '../support/expectations.ts';
import { request } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let api: Api;
let withoutKey: Api;
beforeAll(async () => {
  stack = await startTestStack();
  api = (await newAccount(stack.baseUrl)).test;
  withoutKey = apiOf(stack.baseUrl, undefined);
});
afterAll(() => stack.close());

const post = (body: unknown, headers = {}) => api.post('/api/invoices', body, { headers });
const json = { 'Content-Type': 'application/json' };

describe('keys', () => {
  test.each([
    ['no key', {}, 'missing_api_key'],
    ['another scheme', { Authorization: 'Basic c2tfdGVzdA==' }, 'invalid_api_key'],
    ['an unknown key', { Authorization: `Bearer sk_test_${'0'.repeat(40)}` }, 'invalid_api_key'],
  ])('%s gets 401', async (_, headers, code) => {
    expectError(await withoutKey.get('/api/invoices', { headers }), 401, code);
    expectError(await withoutKey.post('/api/nothing', '{', { headers }), 401, code);
  });
});

describe('routes', () => {
  test.each(['/', '/favicon.ico', '/invoices'])('%s gets 404 without a key', async (path) => {
    expectError(await withoutKey.get(path), 404, 'route_not_found');
    expectError(await withoutKey.post(path, {}), 404, 'route_not_found');
  });

  test.each([
    ['GET', '/api'],
    ['GET', '/api/nothing'],
    ['PUT', '/api/invoices'],
    ['POST', '/api/invoices/x/y'],
    ['OPTIONS', '/api/invoices'],
  ])('%s %s gets 404 with a key', async (method, path) => {
    expectError(await api.send(method, path), 404, 'route_not_found');
  });

  test('HEAD returns the GET response without a body', async () => {
    const { status, bytes } = await api.send('HEAD', '/api/invoices');
    expect([status, bytes.length]).toEqual([200, 0]);
  });
});

describe('bodies', () => {
  test.each([
    ['broken JSON', '{"amount":'],
    ['an array', '[]'],
    ['a field twice', '{"amount":1,"amount":2}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s gets 400 invalid_json', async (_, body) => {
    expectError(await post(body, json), 400, 'invalid_json', 'body');
  });

  test('errors name an invalid field, an unknown field and an invalid content type', async () => {
    expectError(await post(invoiceBody({ amount: 0 })), 400, 'invalid_amount', 'amount');
    expectError(await post(invoiceBody({ color: 'red' })), 400, 'unknown_parameter', 'color');
    const headers = { 'Content-Type': 'text/plain' };
    expectError(await post('amount', headers), 400, 'invalid_content_type', 'Content-Type');
    expectError(await api.get('/api/invoices?limit=500'), 400, 'invalid_limit', 'limit');
  });

  test('more than 64 KiB gets 400 body_too_large from the gateway and from the function', async () => {
    for (const kib of [65, 11 * 1024]) {
      const response = await post(invoiceBody({ description: 'x'.repeat(kib * 1024) }));
      expect(errorSummary(response)).toEqual({ status: 400, code: 'body_too_large', field: 'body' });
    }
  });
});

test('the OpenAPI document is public and describes these endpoints', async () => {
  const { status, json: document } = await request({ baseUrl: stack.baseUrl, path: '/openapi.json' });
  expect([status, document.openapi]).toEqual([200, '3.1.0']);
  expect(document.paths['/api/invoices/{id}']).toHaveProperty('patch');
});
