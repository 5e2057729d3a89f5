/**
 * Whatever the description says that an operation can answer, it does answer: each status and each error code is provoked,
 * and the answer is held against the description. What is not described, no test of any file lets pass.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { resolve } from '../../shared/openapi/document.ts';
import type { SchemaObject } from '../../shared/openapi/document-types.ts';
import { newAccount } from '../support/api.ts';
import { document, operationAt } from '../support/document.ts';
import { startTestStack } from '../support/stack.ts';
import { type Endpoint, rowsOf, serves } from './examples.ts';
import { provoke, succeed } from './provocations.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

/** What is described: statuses of success, and of errors with each code. */
function documentedOf({ method, path }: Endpoint): string[] {
  const [, operation] = operationAt(method, path) ?? [];
  return Object.entries(operation?.responses ?? {}).flatMap(([status, response]) => {
    const codes = codesOf(resolve(document, response).content?.['application/json'].schema);
    return codes.length === 0 ? [status] : codes.map((code) => `${status} ${code}`);
  });
}

function codesOf(schema: SchemaObject | undefined): string[] {
  const narrowed = schema?.allOf?.at(-1)?.properties?.error?.properties?.code;
  return (narrowed?.enum ?? []) as string[];
}

describe.each(rowsOf(serves))('%s', (_, endpoint) => {
  test('every status and error code that is described is answered', async () => {
    const documented = documentedOf(endpoint);
    const answered: string[] = [];
    for (const expected of documented) {
      const stand = { baseUrl: stack.baseUrl, account: await newAccount(stack.baseUrl), endpoint };
      const [, code] = expected.split(' ');
      const { status, json } = await (code === undefined ? succeed(stand) : provoke(code, stand));
      answered.push(status < 400 ? `${status}` : `${status} ${json.error.code}`);
    }
    expect(documented.length).toBeGreaterThan(8);
    expect(answered).toEqual(documented);
  });
});
