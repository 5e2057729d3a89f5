/** What anyone meets at the door: errors in the envelope whoever answers them, bodies as bytes, and the description. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, apiOf, invoiceBody, newAccount } from '../support/api.ts';
import { expectError, faultOf } from '../support/expectations.ts';
import { request } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let api: Api;
let anyone: Api;
beforeAll(async () => {
  stack = await startTestStack();
  api = (await newAccount(stack.baseUrl)).test;
  anyone = apiOf(stack.baseUrl, undefined);
});
afterAll(() => stack.close());

const post = (body: unknown, headers = {}) => api.post('/api/invoices', body, { headers });
const json = { 'Content-Type': 'application/json' };

describe('keys', () => {
  test.each([
    ['none', {}, 'missing_api_key'],
    ['one of another scheme', { Authorization: 'Basic c2tfdGVzdA==' }, 'invalid_api_key'],
    ['one that never was', { Authorization: `Bearer sk_test_${'0'.repeat(40)}` }, 'invalid_api_key'],
  ])('%s is 401', async (_, headers, code) => {
    expectError(await anyone.get('/api/invoices', { headers }), 401, code);
    expectError(await anyone.post('/api/nothing', '{', { headers }), 401, code);
  });
});

describe('routes', () => {
  test.each(['/', '/favicon.ico', '/invoices'])('%s is 404 for anyone', async (path) => {
    expectError(await anyone.get(path), 404, 'route_not_found');
    expectError(await anyone.post(path, {}), 404, 'route_not_found');
  });

  test.each([
    ['GET', '/api'],
    ['GET', '/api/nothing'],
    ['PUT', '/api/invoices'],
    ['POST', '/api/invoices/x/y'],
    ['OPTIONS', '/api/invoices'],
  ])('%s %s is 404 with a key', async (method, path) => {
    expectError(await api.send(method, path), 404, 'route_not_found');
  });

  test('HEAD is GET without a body', async () => {
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
  ])('%s is 400 invalid_json', async (_, body) => {
    expectError(await post(body, json), 400, 'invalid_json', 'body');
  });

  test('a wrong field, an unknown one and a wrong content type are named', async () => {
    expectError(await post(invoiceBody({ amount: 0 })), 400, 'invalid_amount', 'amount');
    expectError(await post(invoiceBody({ colour: 'red' })), 400, 'unknown_parameter', 'colour');
    const headers = { 'Content-Type': 'text/plain' };
    expectError(await post('amount', headers), 400, 'invalid_content_type', 'Content-Type');
    expectError(await api.get('/api/invoices?limit=500'), 400, 'invalid_limit', 'limit');
  });

  test('more than 64 KiB is 400 body_too_large, whoever notices', async () => {
    for (const kib of [65, 11 * 1024]) {
      const response = await post(invoiceBody({ description: 'x'.repeat(kib * 1024) }));
      expect(faultOf(response)).toEqual({ status: 400, code: 'body_too_large', field: 'body' });
    }
  });
});

test('the description is open to anyone, and describes these endpoints', async () => {
  const { status, json: document } = await request({ baseUrl: stack.baseUrl, path: '/openapi.json' });
  expect([status, document.openapi]).toEqual([200, '3.1.0']);
  expect(document.paths['/api/invoices/{id}']).toHaveProperty('patch');
});
