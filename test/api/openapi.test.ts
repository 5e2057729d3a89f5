/** The API's description: what any client may read without a key. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Stack } from '../../infra/local/stack.ts';
import { errorCodes } from '../../shared/errors.ts';
import { type Route, routes } from '../../shared/routes.ts';
import { intercept } from '../support/faults.ts';
import { request } from '../support/http.ts';
import { startTestStack } from '../support/stack.ts';

let stack: Stack;
beforeAll(async () => {
  // Only the request itself may be seen to call DynamoDB.
  stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
  await stack.schedule.pause();
});
afterAll(() => stack.close());

test('the description is open to anyone and costs no DynamoDB call', async () => {
  const interception = intercept();
  const response = await request({ baseUrl: stack.baseUrl, path: '/openapi.json' });
  interception.remove();
  expect(response.status).toBe(200);
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': expect.stringMatching(/^\S+$/),
  });
  expect(response.json).toMatchObject({ openapi: '3.1.0', info: { title: 'Remit' } });
  expect(interception.calls).toEqual([]);
});

test('it describes every endpoint of the API, with success, errors and parameters', async () => {
  const { json } = await request({ baseUrl: stack.baseUrl, path: '/openapi.json' });
  const described = Object.entries<Record<string, object>>(json.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const served = Object.values<Route>(routes).filter(({ path }) => path.startsWith('/api/'));
  expect(described.sort()).toEqual(served.map(({ method, path }) => `${method} ${path}`).sort());
  for (const { method, path, status, permission } of served) {
    const { responses, parameters } = json.paths[path][method.toLowerCase()];
    expect(responses[status].content['application/json'].schema).toMatchObject({ type: 'object' });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '429', '500']));
    expect('403' in responses).toBe(permission !== undefined);
    expect(parameters.some(({ name }: { name: string }) => name === 'Idempotency-Key')).toBe(
      method !== 'GET',
    );
  }
});

test('every error code is described under its status', async () => {
  const { json } = await request({ baseUrl: stack.baseUrl, path: '/openapi.json' });
  for (const [code, { status }] of Object.entries(errorCodes)) {
    const { schema } = json.components.responses[status].content['application/json'];
    expect(schema.properties.error.properties.code.enum).toContain(code);
  }
});
