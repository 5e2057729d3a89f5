/** Tests the OpenAPI document: how it is served, and that it is complete and valid. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { Stack } from '../../infra/local/stack.ts';
import { openApiDocument, resolve } from '../../shared/api/openapi/document.ts';
import type { OperationObject } from '../../shared/api/openapi/document-types.ts';
import { servedDocument } from '../../shared/api/openapi/served-document.ts';
import { type Route, routes } from '../../shared/api/routes.ts';
import { errorCodes } from '../../shared/base/errors.ts';
import { newestApiVersion } from '../../shared/domain/versions/versions.ts';
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
    const expected = servedDocument(openApiDocument(routes, stack.baseUrl, newestApiVersion));
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

  test('every example has an idempotency key of its own, so a client can send all of them', async () => {
    const { createAccount } = await import('../../shared/domain/accounts/account-store.ts');
    const { keys } = await createAccount({ name: 'Examples', plan: 'standard' });
    const codes: (string | undefined)[] = [];
    const sent = new Set<unknown>();
    for (const [name, { parameters, requestBody }] of operations) {
      const key = parameters
        .map((one) => resolve(document, one))
        .find((one) => one.name === 'Idempotency-Key');
      if (!key) continue;
      const [method = '', template = ''] = name.split(' ');
      const path = parameters.reduce((text, one) => {
        const { name: parameter, example } = resolve(document, one);
        return text.replace(`{${parameter}}`, String(example));
      }, template);
      const bodies = examplesOf(requestBody?.content['application/json'] ?? { example: undefined });
      expect(examplesOf(key)).toHaveLength(bodies.length);
      for (const [index, value] of examplesOf(key).entries()) {
        sent.add(value);
        const headers = { Authorization: `Bearer ${keys.test}`, 'Idempotency-Key': String(value) };
        const body = bodies[index] === undefined ? undefined : JSON.stringify(bodies[index]);
        const response = await request({ baseUrl: stack.baseUrl, method, path, headers, body });
        codes.push(response.json.error?.code ?? `${response.status} ${name}`);
      }
    }
    expect(codes).toHaveLength(sent.size);
    expect(codes).not.toContain('idempotency_key_reused');
    expect(codes).toEqual(expect.arrayContaining(['201 POST /api/invoices', '201 POST /api/webhooks']));
  });
});

test('the document describes every endpoint of the API, with its permission, responses and headers', () => {
  const served = Object.entries<Route>(routes).filter(([, { path }]) => path.startsWith('/api/'));
  expect(operations.map(([name]) => name).sort()).toEqual(
    served.map(([, { method, path }]) => `${method} ${path}`).sort(),
  );
  for (const [name, { method, path, status, permission, query, creates }] of served) {
    const { operationId, responses, security, ...operation } = operationOf(`${method} ${path}`);
    // One of several permissions is enough.
    const enough = [permission].flat();
    expect([operationId, security]).toEqual([name, enough.map((each) => ({ apiKey: [each] }))]);
    for (const each of enough) expect(operation.description).toContain(`\`${each}\``);
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining([`${status}`, '400', '401', '403', '429', '500']),
    );
    const parameters = operation.parameters.map((one) => resolve(document, one).name);
    expect(parameters).toEqual([
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter),
      ...Object.keys((query as { entries?: object } | undefined)?.entries ?? {}),
      ...(method === 'GET' ? [] : ['Idempotency-Key']),
      ...(creates === 'invoice' ? ['Prefer'] : []),
      'X-API-Version',
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
      Object.values(responses).flatMap((response) => resolve(document, response)['x-error-codes'] ?? []),
    ),
  );
  const missing = Object.keys(errorCodes).filter((code) => !described.has(code));
  expect(missing).toEqual(['route_not_found']);
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
        const { description, schema, ...examples } = resolve(document, parameter);
        expect(description).toMatch(isSentence);
        const { type } = schema;
        for (const example of examplesOf(examples)) {
          expect(typeof [example].flat()[0]).toBe(type === 'integer' ? 'number' : 'string');
          expect(Array.isArray(example)).toBe(type === 'array');
          expectValid(description, schema, example);
        }
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
      const values = examplesOf(content);
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

test('every ID and request ID has the pattern that the service produces', () => {
  const one = String.raw`\^?\(?[a-z|]+\)?_\[0-9a-hjkmnp-z\]\{(16|26)\}\$`;
  // Two kinds of IDs can differ in their length. A list of events that is empty continues from `start`.
  const id = new RegExp(String.raw`^${one}(\|${one})?(\|\^start\$)?(\|\^\\d\{1,15\}\$)?$`);
  // These IDs belong to the client's system, or are only compared with the current value. The next number of a series is none.
  const free = [
    'customerId',
    'requestId',
    'UpdateInvoice',
    'ReplaceInvoice',
    'ConfirmClaim',
    'RejectClaim',
    'UpdateCustomer',
    'UpdateProduct',
    'UpdateDraft',
    'DraftLine',
    'UpdateAccount',
    'NumberSeriesInput',
    'UpdateWebhook',
    'AuditActor',
    'InvoiceLine',
    'InvoiceLineInput',
    'Schedule',
    'UpdateSchedule',
    'ScheduleOccurrence',
  ];
  for (const [name, { properties = {} }] of Object.entries(document.components.schemas)) {
    for (const [field, { pattern, $ref }] of Object.entries(properties)) {
      if (!/(^i|I)d$|^next$/.test(field) || free.includes(field) || free.includes(name) || $ref) continue;
      expect({ name, field, pattern }).toEqual({ name, field, pattern: expect.stringMatching(id) });
    }
  }
  for (const [name, { parameters }] of operations) {
    for (const parameter of parameters.map((one) => resolve(document, one))) {
      if (parameter.in !== 'path') continue;
      expect({ name, pattern: parameter.schema.pattern }).toEqual({
        name,
        pattern: expect.stringMatching(id),
      });
    }
  }
  expect(resolve(document, document.components.headers['X-Request-Id'] ?? { $ref: '' })).toMatchObject({
    schema: { pattern: expect.stringContaining('[0-9a-f]{8}-') },
  });
});

/** The examples of a parameter or of a body: one without a name, or several with names. */
function examplesOf(described: {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}): unknown[] {
  const { example, examples } = described;
  return examples ? Object.values(examples).map(({ value }) => value) : [example];
}

function operationOf(name: string): OperationObject {
  const found = operations.find(([other]) => other === name);
  if (!found) throw new Error(`The document does not describe ${name}.`);
  return found[1];
}
