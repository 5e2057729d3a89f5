import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../../infra/local/stack.ts';
import { invoiceBody, listenToRequestLog, newAccount } from '../../support/api.ts';
import { startTestStack } from '../../support/stack.ts';

let stack: Stack;
let log: Awaited<ReturnType<typeof listenToRequestLog>>;

beforeAll(async () => {
  stack = await startTestStack();
  log = await listenToRequestLog();
});
afterAll(() => stack.close());

test('creates an invoice with exactly the ten fields, in three calls in sequence', async () => {
  const { test: api } = await newAccount(stack.baseUrl);
  const response = await api.post('/api/invoices', invoiceBody());
  expect(response.status).toBe(201);
  expect(Object.keys(response.json)).toHaveLength(10);
  expect(log.lineOf(response)).toMatchObject({ dynamodbCalls: 4, dynamodbCallsInSequence: 3 });
});
