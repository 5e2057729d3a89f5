/**
 * Tests that each operation can return every status and error code that the OpenAPI document describes. All other tests reject
 * responses that the document does not describe, so document and service have the same responses.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { resolve } from '../../shared/api/openapi/document.ts';
import type { TestAccount } from '../support/api.ts';
import { document, operationAt } from '../support/document.ts';
import { startTestStack } from '../support/stack.ts';
import { type Endpoint, newAccountWithAllPermissions, rowsOf, serves } from './examples.ts';
import { provoke, succeed } from './provocations.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

/**
 * Returns the described responses: the status of success, and status and code of each error. `api/documents/pdf` makes the PDF of more
 * than 4 MB that 303 needs.
 */
function describedResponses({ method, path }: Endpoint): string[] {
  const [, operation] = operationAt(method, path) ?? [];
  return Object.entries(operation?.responses ?? {}).flatMap(([status, response]) => {
    const { 'x-error-codes': codes = [] } = resolve(document, response);
    if (status === '303') return [];
    return codes.length === 0 ? [status] : codes.map((code) => `${status} ${code}`);
  });
}

/** Few enough that no account reaches the limit of its API keys or of its webhook endpoints. */
const responsesPerAccount = 6;

describe.each(rowsOf(serves))('%s', (_, endpoint) => {
  test('returns every described status and error code', async () => {
    const documented = describedResponses(endpoint);
    const returned: string[] = [];
    let account: TestAccount | undefined;
    for (const [index, expected] of documented.entries()) {
      if (index % responsesPerAccount === 0) account = undefined;
      account ??= await newAccountWithAllPermissions(stack.baseUrl);
      const context = { baseUrl: stack.baseUrl, account, endpoint };
      const [, code] = expected.split(' ');
      const { status, json } = await (code === undefined ? succeed(context) : provoke(code, context));
      returned.push(status < 400 ? `${status}` : `${status} ${json.error.code}`);
    }
    expect(documented.length).toBeGreaterThan(8);
    expect(returned).toEqual(documented);
  });
});
