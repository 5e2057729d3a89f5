/**
 * Tests that the OpenAPI document has only forms that generators of clients understand. `npm run check:clients` generates
 * clients and runs them, but needs Python, Go and Java.
 */
import { describe, expect, test } from '@jest/globals';
import { openApiDocument } from '../../../shared/api/openapi/document.ts';
import { routes } from '../../../shared/api/routes.ts';

const document = JSON.parse(JSON.stringify(openApiDocument(routes)));

/** Returns every object in `node`, with its JSON pointer. */
function objectsIn(node: unknown, pointer = '#'): [string, Record<string, unknown>][] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.entries(node).flatMap(([key, value]) => objectsIn(value, `${pointer}/${key}`));
  return Array.isArray(node) ? inner : [[pointer, node as Record<string, unknown>], ...inner];
}

function referencesIn(node: unknown): string[] {
  return objectsIn(node).flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []));
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

  test('has no component that no path refers to', () => {
    const reached = new Set<string>();
    const open = referencesIn(document.paths);
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
