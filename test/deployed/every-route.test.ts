/** Every route of the table is there, calls its function, and the function may do what a success takes. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { exampleOf, rowsOf, serves } from '../contract/examples.ts';
import { newAccount } from '../support/api.ts';
import { expectHeaders } from '../support/expectations.ts';
import { startTestStack } from '../support/stack.ts';
import { testHere } from './reach.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

describe.each(rowsOf(serves))('%s', (_, endpoint) => {
  const ifReachable = endpoint.path.startsWith('/api/webhooks') ? testHere : test;

  ifReachable('succeeds as it is described, and HEAD like GET', async () => {
    const { test: api } = await newAccount(stack.baseUrl);
    const { path, body } = await exampleOf(endpoint, api);
    const methods = endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method];
    for (const method of methods) {
      const response = await api.send(method, path, { body });
      expect(response.status).toBe(endpoint.route.status);
      expectHeaders(response);
    }
  });
});
