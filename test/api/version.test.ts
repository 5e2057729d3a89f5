/** Tests the headers that each response of a function has, and that each log line names the version that is running. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, newAccount } from '../support/api.ts';
import { request } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let api: Api;
beforeAll(async () => {
  process.env.REMIT_VERSION = '1.4.0+3f9a0c21b7de';
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  api = (await newAccount(stack.baseUrl)).test;
});
afterAll(async () => {
  delete process.env.REMIT_VERSION;
  await stack?.close();
});

test.each([
  ['/api/invoices', 200],
  ['/api/invoices/inv_none', 404],
  ['/docs', 200],
  ['/openapi.json', 200],
  ['/pay/inv_none', 404],
  ['/none', 404],
])('the response to GET %s names the version and asks for HTTPS', async (path, status) => {
  const headers = { Authorization: `Bearer ${api.apiKey}` };
  const response = await request({ baseUrl: stack.baseUrl, path, headers });
  expect([response.status, response.headers['x-remit-version']]).toEqual([status, '1.4.0+3f9a0c21b7de']);
  expect(response.headers['strict-transport-security']).toBe('max-age=31536000');
});

test('each log line names the version of the function', async () => {
  // The module reads the variable when it is loaded, as in Lambda.
  const { logger } = await import('../../shared/log.ts');
  expect(logger.getPersistentLogAttributes()).toMatchObject({ version: '1.4.0+3f9a0c21b7de' });
});
