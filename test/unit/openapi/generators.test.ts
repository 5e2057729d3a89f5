/**
 * Tests that the OpenAPI document has only forms that generators of clients understand. `npm run check:clients` generates
 * clients and runs them, but needs the languages of these clients.
 */
import { describe, expect, test } from '@jest/globals';
import { openApiDocument } from '../../../shared/api/openapi/document.ts';
import { servedDocument } from '../../../shared/api/openapi/served-document.ts';
import { routes } from '../../../shared/api/routes.ts';
import { type ApiVersion, apiVersions } from '../../../shared/domain/versions/versions.ts';

const document = JSON.parse(JSON.stringify(servedDocument(openApiDocument(routes))));

/** Returns every object in `node`, with its JSON pointer. */
function objectsIn(node: unknown, pointer = '#'): [string, Record<string, unknown>][] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.entries(node).flatMap(([key, value]) => objectsIn(value, `${pointer}/${key}`));
  return Array.isArray(node) ? inner : [[pointer, node as Record<string, unknown>], ...inner];
}

function referencesIn(node: unknown): string[] {
  return objectsIn(node).flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []));
}

/** Returns the names of the schemas that `node` refers to, also through others. */
function schemasReachedFrom(node: unknown, found = new Set<string>()): Set<string> {
  for (const reference of referencesIn(node)) {
    const name = reference.replace('#/components/schemas/', '');
    if (name === reference || found.has(name)) continue;
    found.add(name);
    schemasReachedFrom(document.components.schemas[name], found);
  }
  return found;
}

describe('the document', () => {
  const objects = objectsIn(document);

  test('combines no schemas with allOf', () => {
    expect(objects.filter(([, node]) => 'allOf' in node).map(([pointer]) => pointer)).toEqual([]);
  });

  test('has no null among the values of an enum', () => {
    const withNull = objects.filter(([, node]) => Array.isArray(node.enum) && node.enum.includes(null));
    expect(withNull.map(([pointer]) => pointer)).toEqual([]);
  });

  test('has no component that nothing refers to', () => {
    const reached = new Set<string>();
    const open = referencesIn([document.paths, document.webhooks]);
    for (let reference = open.pop(); reference !== undefined; reference = open.pop()) {
      if (reached.has(reference)) continue;
      reached.add(reference);
      const path = reference.slice('#/'.length).split('/');
      open.push(...referencesIn(path.reduce((node, key) => node[key], document)));
    }
    const { securitySchemes, ...components } = document.components;
    const all = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named as object).map((name) => `#/components/${kind}/${name}`),
    );
    expect(all.filter((reference) => !reached.has(reference))).toEqual([]);
    expect(Object.keys(securitySchemes)).toEqual(['apiKey']);
  });

  test('gives messages a tag of their own, and only as references', () => {
    const operations = Object.values<Record<string, { tags: string[] }>>(document.paths).flatMap(
      Object.values,
    );
    const tags = new Set(operations.flatMap((operation) => operation.tags));
    const messages = Object.values<{ post: { tags: string[] } }>(document.components.pathItems);
    expect(new Set(messages.flatMap(({ post }) => post.tags))).toEqual(new Set(['Webhook messages']));
    expect(tags).not.toContain('Webhook messages');
    expect(Object.values(document.webhooks)).toEqual(
      Object.keys(document.components.pathItems).map((name) => ({ $ref: `#/components/pathItems/${name}` })),
    );
  });

  test('has a semantic version, and the version of the API beside it', () => {
    const infoOf = (version: ApiVersion) => openApiDocument(routes, '.', version).info;
    expect(apiVersions.map((version) => infoOf(version)['x-api-version'])).toEqual(apiVersions);
    expect(apiVersions.map((version) => infoOf(version).version)).toEqual(
      apiVersions.map((_, index) => `1.${index}.0`),
    );
  });

  test('has no pattern beside the format of a time', () => {
    const times = objects.filter(([, { format }]) => format === 'date-time');
    expect(times.length).toBeGreaterThan(20);
    expect(times.filter(([, node]) => 'pattern' in node).map(([pointer]) => pointer)).toEqual([]);
  });

  test('opens what clients receive, and closes what they send', () => {
    const bodies = Object.values<Record<string, { requestBody?: object }>>(document.paths)
      .flatMap((methods) => Object.values(methods))
      .map(({ requestBody }) => requestBody);
    const sent = schemasReachedFrom(bodies);
    const received = schemasReachedFrom([document.paths, document.components]).difference(sent);
    expect([...sent]).toEqual(expect.arrayContaining(['CreateInvoice', 'TaxIdInput', 'UpdateWebhook']));
    expect([...received]).toEqual(expect.arrayContaining(['Invoice', 'TaxId', 'Event', 'Error']));
    for (const [pointer, node] of objects) {
      const [, name = ''] = /^#\/components\/schemas\/(\w+)/.exec(pointer) ?? [];
      if (sent.has(name) && node.properties)
        expect([pointer, node.additionalProperties]).toEqual([pointer, false]);
      if (!received.has(name)) continue;
      expect([pointer, node.additionalProperties]).not.toEqual([pointer, false]);
      if (typeof node.properties === 'object' && node.type === 'object')
        expect([pointer, node.additionalProperties]).toEqual([pointer, true]);
      expect([pointer, 'enum' in node]).toEqual([pointer, false]);
    }
    const { status, currency } = document.components.schemas.Invoice.properties;
    expect(status['x-extensible-enum']).toEqual(['pending', 'paid', 'overdue', 'cancelled']);
    expect(currency).toMatchObject({ type: 'string', 'x-extensible-enum': ['BTN', 'USD', 'INR'] });
  });

  test('gives each list of values a type, without which generated clients have a value of any type', () => {
    const lists = objects.filter(([, node]) => 'x-extensible-enum' in node || 'const' in node);
    expect(lists.length).toBeGreaterThan(20);
    expect(lists.filter(([, node]) => !('type' in node)).map(([pointer]) => pointer)).toEqual([]);
  });

  test('shows events of all types as objects, so a page with a new type can be read', () => {
    const { oneOf, properties } = document.components.schemas.Event;
    expect(oneOf).toBeUndefined();
    expect(properties.data).toMatchObject({ type: 'object', additionalProperties: true });
    expect(properties.type['x-extensible-enum']).toContain('invoice.paid');
  });

  test('has no schema with the name of the constructor of another one, which Go generates', () => {
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => names.includes(name.replace(/^New/, '')) && /^New/.test(name))).toEqual([]);
  });

  test('asks for no fault in any operation', () => {
    expect(JSON.stringify(document)).not.toContain('TestFault');
    expect(objects.filter(([, { name }]) => name === 'X-Test-Fault')).toEqual([]);
  });

  test('describes the version header once', () => {
    const described = objects.filter(([, { name }]) => name === 'X-API-Version');
    expect(described.map(([pointer]) => pointer)).toEqual(['#/components/parameters/ApiVersion']);
  });

  test('has one schema for all errors', () => {
    const errors = objectsIn(document.paths)
      .concat(objectsIn(document.components.responses))
      .filter(([, node]) => 'x-error-codes' in node)
      .map(([, { content }]) => (content as Record<string, { schema: unknown }>)['application/json']?.schema);
    expect(new Set(errors.map((schema) => JSON.stringify(schema)))).toEqual(
      new Set([JSON.stringify({ $ref: '#/components/schemas/Error' })]),
    );
  });
});
