/**
 * Tests each operation in each version of the API: the answer matches the document of that version. Each response of a test is
 * compared with the document of the version that it names.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { permissions } from '../../shared/domain/auth/permissions.ts';
import { apiVersions, firstApiVersion } from '../../shared/domain/versions/versions.ts';
import { apiOf, newAccount } from '../support/api.ts';
import { documentOf } from '../support/document.ts';
import { startTestStack } from '../support/stack.ts';
import { rowsOf, serves } from './examples.ts';
import { succeed } from './provocations.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack?.close());

describe.each(apiVersions)('version %s', (version) => {
  test.each(rowsOf(serves))('%s', async (_, endpoint) => {
    const account = await newAccount(stack.baseUrl);
    const { createKey } = await import('../../shared/domain/accounts/key-store.ts');
    const owner = { account: account.accountId, mode: 'test' } as const;
    const { value } = await createKey({ owner, name: 'Caller', permissions, apiVersion: version });
    const api = apiOf(stack.baseUrl, value);
    const { status, headers } = await succeed({
      baseUrl: stack.baseUrl,
      account: { ...account, test: api },
      endpoint,
    });
    expect([status, headers['x-api-version']]).toEqual([endpoint.route.status, version]);
  });
});

test('the first version shows exactly the fields of the interface', () => {
  const { Invoice, CreateInvoice } = documentOf(firstApiVersion).components.schemas;
  expect(Object.keys(Invoice?.properties ?? {}).sort()).toEqual([
    'amount',
    'createdAt',
    'currency',
    'customerId',
    'description',
    'dueDate',
    'id',
    'paymentUrl',
    'status',
    'updatedAt',
  ]);
  expect([...(Invoice?.required ?? [])].sort()).toEqual(Object.keys(Invoice?.properties ?? {}).sort());
  expect(Object.keys(CreateInvoice?.properties ?? {}).sort()).toEqual([
    'amount',
    'currency',
    'customerId',
    'description',
    'dueDate',
  ]);
});
