/** Checks that every route exists, calls its function, and that the function has the permissions to succeed. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { exampleOf, newAccountWithAllPermissions, rowsOf, serves } from '../contract/examples.ts';
import { expectHeaders } from '../support/expectations.ts';
import { startTestStack } from '../support/stack.ts';
import { testIfLocal } from './reach.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

describe.each(rowsOf(serves))('%s', (_, endpoint) => {
  const ifReachable = endpoint.path.startsWith('/api/webhooks') ? testIfLocal : test;

  ifReachable('succeeds as documented, and HEAD like GET', async () => {
    const { test: api } = await newAccountWithAllPermissions(stack.baseUrl);
    const { path, body } = await exampleOf(endpoint, api);
    const methods = endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method];
    for (const method of methods) {
      const response = await api.send(method, path, { body });
      expect(response.status).toBe(endpoint.route.status);
      expectHeaders(response, endpoint.name === 'getDocumentPdf' ? 'application/pdf' : undefined);
    }
  });
});
