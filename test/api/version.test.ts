/** Tests the headers that each response of a function has, and that each log line names the version that is running. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { type Api, newAccount } from '../support/api.ts';
import { request } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
let api: Api;
beforeAll(async () => {
  process.env.POWERTOOLS_LOG_LEVEL = 'CRITICAL';
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
  const { logger } = await import('../../shared/base/log.ts');
  const { write } = process.stdout;
  const lines: string[] = [];
  process.stdout.write = ((line: string) => lines.push(line) > 0) as typeof write;
  try {
    logger.critical('a test', { version: 'another', field: 1, none: undefined });
    logger.critical('a second test', { big: 1n });
  } finally {
    process.stdout.write = write;
  }
  const entry = { level: 'CRITICAL', service: 'remit', version: '1.4.0+3f9a0c21b7de' };
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { ...entry, message: 'a test', timestamp: expect.stringMatching(/^\d{4}-.*Z$/), field: 1 },
    { ...entry, message: 'a second test', timestamp: expect.any(String) },
  ]);
});
