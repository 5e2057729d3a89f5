/**
 * Every response that a test receives from the API, against the OpenAPI document: its status must be documented for
 * that endpoint, its headers present, and its body of the documented shape.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../shared/http/openapi.ts';
import { routes } from '../../shared/routes.ts';
import type { HttpResponse } from './http.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is read as any reader of JSON would
type Json = any;

const document: Json = openApiDocument(routes);
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const validators = new Map<string, ValidateFunction>();

/** Throws if the response is not what the document says of that operation. A path that no operation has is none of its business. */
export function expectDocumented(method: string, path: string, response: HttpResponse): void {
  const pathname = path.replace(/[?#].*/, '').replace(/(?<=.)\/$/, '');
  const template = Object.keys(document.paths).find((candidate) => matches(candidate, pathname));
  const operation = template && document.paths[template][method.toLowerCase()];
  if (!operation || response.json?.error?.code === 'route_not_found') return;
  const name = `${method} ${template} ${response.status}`;
  const documented = resolve(operation.responses[response.status]);
  if (!documented) throw new Error(`${name} is not documented: ${response.text}`);
  for (const [header, definition] of Object.entries<Json>(documented.headers)) {
    if (response.headers[header.toLowerCase()] === undefined && resolve(definition).required) {
      throw new Error(`${name} lacks the header ${header}.`);
    }
  }
  const validate = validatorOf(name, documented.content['application/json'].schema);
  if (!validate(response.json)) {
    throw new Error(`${name} is not as documented: ${ajv.errorsText(validate.errors)}: ${response.text}`);
  }
}

function matches(template: string, pathname: string): boolean {
  const segments = template.split('/');
  const actual = pathname.split('/');
  return (
    segments.length === actual.length &&
    segments.every((segment, index) => segment.startsWith('{') || segment === actual[index])
  );
}

function resolve(node: Json): Json {
  if (!node?.$ref) return node;
  return String(node.$ref)
    .slice('#/'.length)
    .split('/')
    .reduce((place: Json, key) => place[key], document);
}

function validatorOf(name: string, schema: object): ValidateFunction {
  const known = validators.get(name) ?? ajv.compile(schema);
  validators.set(name, known);
  return known;
}
