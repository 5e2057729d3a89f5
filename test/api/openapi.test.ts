/** Tests the OpenAPI document: how it is served, and that it is complete and valid. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { Stack } from '../../infra/local/stack.ts';
import { errorCodes } from '../../shared/errors.ts';
import { openApiDocument, resolve } from '../../shared/openapi/document.ts';
import type { OperationObject } from '../../shared/openapi/document-types.ts';
import { type Route, routes } from '../../shared/routes.ts';
import { document, expectValid } from '../support/document.ts';
import { request } from '../support/http.ts';
import { interceptCalls } from '../support/intercept-calls.ts';
import { startTestStack } from '../support/stack.ts';

const operations: [string, OperationObject][] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, OperationObject] => [
    `${method.toUpperCase()} ${path}`,
    operation,
  ]),
);
const messages = Object.entries(document.webhooks).map(([type, { post }]): [string, OperationObject] => [
  type,
  post,
]);

describe('the endpoint', () => {
  let stack: Stack;
  beforeAll(async () => {
    // No background work may call DynamoDB while the test counts calls.
    stack = await startTestStack({ scheduleIntervalMs: 3_600_000 });
    await stack.schedule.pause();
  });
  afterAll(() => stack.close());

  test('needs no API key and no DynamoDB call', async () => {
    const interception = interceptCalls();
    const response = await request({ baseUrl: stack.baseUrl, path: '/openapi.json' });
    interception.remove();
    expect(response.status).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'x-request-id': expect.stringMatching(/^\S+$/),
    });
    const expected = openApiDocument(routes, stack.baseUrl);
    expect(response.json).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(interception.calls).toEqual([]);
  });

  test('returns 304 if the client already has the document', async () => {
    const get = (headers = {}) => request({ baseUrl: stack.baseUrl, path: '/openapi.json', headers });
    const etag = (await get()).headers.etag ?? '';
    const again = await get({ 'If-None-Match': `"other", ${etag}` });
    expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
    expect((await get({ 'If-None-Match': '"other"' })).status).toBe(200);
  });
});

test('the document describes every endpoint of the API, with its permission, responses and headers', () => {
  const served = Object.entries<Route>(routes).filter(([, { path }]) => path.startsWith('/api/'));
  expect(operations.map(([name]) => name).sort()).toEqual(
    served.map(([, { method, path }]) => `${method} ${path}`).sort(),
  );
  for (const [name, { method, path, status, permission, query }] of served) {
    const { operationId, responses, security, ...operation } = operationOf(`${method} ${path}`);
    expect([operationId, security]).toEqual([name, [{ apiKey: [permission] }]]);
    expect(operation.description).toContain(`\`${permission}\``);
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining([`${status}`, '400', '401', '403', '429', '500']),
    );
    const parameters = operation.parameters.map((one) => resolve(document, one).name);
    expect(parameters).toEqual([
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter),
      ...Object.keys((query as { entries?: object } | undefined)?.entries ?? {}),
      ...(method === 'GET' ? [] : ['Idempotency-Key']),
    ]);
    for (const [code, response] of Object.entries(responses)) {
      const { headers } = resolve(document, response);
      expect(Object.keys(headers ?? {})).toEqual(
        expect.arrayContaining(['X-Request-Id', 'X-RateLimit-Reset']),
      );
      expect('Retry-After' in (headers ?? {})).toBe(code === '429');
    }
  }
});

test('without a base URL, paths are relative to the URL of the document, also below a stage path', () => {
  const [server] = document.servers;
  const base = 'https://example.com/prod/openapi.json';
  expect(new URL(`${server?.url}/api/invoices`, base).pathname).toBe('/prod/api/invoices');
});

test('every error code belongs to an operation, except those of unknown paths and of the command line', () => {
  const described = new Set(
    operations.flatMap(([, { responses }]) =>
      Object.values(responses).flatMap((response) => {
        const { schema } = resolve(document, response).content?.['application/json'] ?? {};
        return schema?.allOf?.at(-1)?.properties?.error?.properties?.code?.enum ?? [];
      }),
    ),
  );
  const missing = Object.keys(errorCodes).filter((code) => !described.has(code));
  expect(missing).toEqual(['key_limit_reached', 'route_not_found']);
});

describe('every description is a complete sentence', () => {
  const isSentence = /^[A-Z`\d].*\.$/s;

  test.each([...operations, ...messages])(
    '%s',
    (_, { tags, summary, description, parameters, responses }) => {
      expect(document.tags.map(({ name }) => name)).toEqual(expect.arrayContaining([...tags]));
      expect(summary).toMatch(/^[A-Z]\w* \w+/);
      expect(description).toMatch(isSentence);
      for (const parameter of parameters) {
        const { description, example, schema } = resolve(document, parameter);
        expect(description).toMatch(isSentence);
        const { type } = schema;
        expect(typeof example).toBe(type === 'integer' ? 'number' : 'string');
        expectValid(description, schema, example);
      }
      for (const response of Object.values(responses)) {
        expect(resolve(document, response).description).toMatch(isSentence);
      }
    },
  );

  test.each(Object.entries(document.components.schemas))('%s and its fields', (_, schema) => {
    expect(schema.description).toMatch(isSentence);
    for (const [field, described] of Object.entries(schema.properties ?? {})) {
      expect({ field, text: described.description }).toEqual({
        field,
        text: expect.stringMatching(isSentence),
      });
    }
  });

  test('tags and headers', () => {
    for (const { description } of [...document.tags, ...Object.values(document.components.headers)]) {
      expect(description).toMatch(isSentence);
    }
  });
});

describe('every body has an example, and every example matches its schema', () => {
  test.each([...operations, ...messages])('%s', (_, { requestBody, responses }) => {
    const bodies = [requestBody, ...Object.values(responses).map((response) => resolve(document, response))];
    let examples = 0;
    for (const content of bodies.flatMap((body) => body?.content?.['application/json'] ?? [])) {
      const named = Object.values(content.examples ?? {}).map(({ value }) => value);
      const values = [...('example' in content ? [content.example] : []), ...named];
      expect(values).not.toHaveLength(0);
      for (const value of values) expectValid(JSON.stringify(value), content.schema, value);
      examples += values.length;
    }
    expect(examples).toBeGreaterThan(0);
  });
});

test('the service accepts every request example', () => {
  for (const { method, path, body } of Object.values<Route>(routes)) {
    if (!body) continue;
    const content = operationOf(`${method} ${path}`).requestBody?.content['application/json'];
    const named = Object.values(content?.examples ?? {}).map(({ value }) => value);
    for (const example of [...named, ...(content?.example ? [content.example] : [])]) {
      expect({ path, issues: v.safeParse(body, example).issues }).toEqual({ path, issues: undefined });
    }
  }
});

function operationOf(name: string): OperationObject {
  const found = operations.find(([other]) => other === name);
  if (!found) throw new Error(`The document does not describe ${name}.`);
  return found[1];
}
