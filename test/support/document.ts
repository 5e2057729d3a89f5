/**
 * Checks each response that a test receives from the API against the OpenAPI document. The document must describe its
 * status, error code and headers for the operation, and its body must match the schema.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument, resolve } from '../../shared/api/openapi/document.ts';
import type {
  HeaderObject,
  OpenApiDocument,
  OperationObject,
  ResponseObject,
} from '../../shared/api/openapi/document-types.ts';
import { routes } from '../../shared/api/routes.ts';
import { type ErrorCode, errorCodes } from '../../shared/base/errors.ts';
import { apiVersions, newestApiVersion } from '../../shared/domain/versions/versions.ts';
import type { HttpResponse } from './http.ts';

/** The document of each version, by the version. */
export const documents: ReadonlyMap<string, OpenApiDocument> = new Map(
  apiVersions.map((version) => [version, openApiDocument(routes, '.', version)]),
);
/** The document of the newest version. */
export const document = documentOf(newestApiVersion);
// `npm run check` lints the document. To compile the schema of schemas takes each file a tenth of a second.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
addFormats.default(ajv);
for (const [version, each] of documents) ajv.addSchema(each, `openapi-${version}`);
const validators = new Map<string, ValidateFunction>();

/** Returns the document of a version. */
export function documentOf(version: string): OpenApiDocument {
  const found = documents.get(version);
  if (!found) throw new Error(`There is no version ${version} of the API.`);
  return found;
}

/**
 * Throws if the response does not match the documented operation in the version that the response names. Ignores paths without
 * an operation.
 */
export function expectDocumented(method: string, path: string, response: HttpResponse): void {
  const isHead = method === 'HEAD';
  const { 'x-api-version': version = newestApiVersion } = response.headers;
  const [template, operation] = operationAt(isHead ? 'GET' : method, path, String(version)) ?? [];
  if (!operation) return;
  // A path with invalid percent-encoding matches no route.
  if (path.includes('%') && response.json?.error?.code === 'route_not_found') return;
  const name = `${method} ${template} ${response.status} in version ${version}`;
  const found = operation.responses[response.status];
  if (!found) throw new Error(`${name} is not documented: ${response.text}.`);
  const documented = resolve(document, found);
  expectHeaders(name, documented, response);
  const schema = documented.content?.['application/json']?.schema;
  if (schema && !isHead) expectValid(`${name}: ${response.text}`, schema, response.json, String(version));
  if (response.status >= 400 && !isHead) expectDocumentedError(name, documented, response);
}

/** Throws if the error code is not documented, or if type and field do not fit the code. */
function expectDocumentedError(name: string, documented: ResponseObject, { json, text }: HttpResponse): void {
  const { code, type, field } = json.error as { code: ErrorCode; type: string; field?: string };
  if (!documented['x-error-codes']?.includes(code))
    throw new Error(`${name} has an undocumented code: ${text}.`);
  if (errorCodes[code].type !== type) throw new Error(`${name} has the wrong type: ${text}.`);
  if ((field !== undefined) !== (type === 'validation_error'))
    throw new Error(`Only a validation error has a field: ${name}: ${text}.`);
  expectDetails(`${name}: ${text}`, json.error);
  if (!json.error.docUrl.endsWith(`/docs/errors/${code}`))
    throw new Error(`${name} links to another error code: ${text}.`);
}

/** Throws unless a validation error lists all field errors: itself first, each field once, with codes of field errors. */
function expectDetails(what: string, { field, code, message, details = [] }: ShownError): void {
  const shown = field !== undefined && field.length > 128 ? `${field.slice(0, 128)}…` : field;
  const [first] = details;
  if (first?.field !== shown || (first && (first.code !== code || first.message !== message)))
    throw new Error(`The first detail must be the error itself: ${what}.`);
  if (new Set(details.map((detail) => detail.field)).size < details.length)
    throw new Error(`A field has more than one detail: ${what}.`);
  if (details.some((detail) => errorCodes[detail.code].type !== 'validation_error'))
    throw new Error(`A detail has a code that is not of a field: ${what}.`);
}

type Detail = { readonly field: string; readonly code: ErrorCode; readonly message: string };
type ShownError = Partial<Detail> & { readonly details?: readonly Detail[] };

/** Returns the path template and the operation of a request, or undefined if the document of the version has none. */
export function operationAt(
  method: string,
  path: string,
  version: string = newestApiVersion,
): [string, OperationObject] | undefined {
  const { paths } = documentOf(version);
  const pathname = path.replace(/[?#].*/, '').replace(/(?<=.)\/$/, '');
  const template = Object.keys(paths).find((candidate) => matches(candidate, pathname));
  const operation = template && paths[template]?.[method.toLowerCase()];
  return operation ? [template, operation] : undefined;
}

/**
 * Throws if `value` does not match `schema`, a schema of the document of a version.
 * @param what names the value in the error message
 */
export function expectValid(
  what: string,
  schema: object,
  value: unknown,
  version: string = newestApiVersion,
): void {
  // References point into the document.
  const text = JSON.stringify(schema).replaceAll('"#/', `"openapi-${version}#/`);
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  if (!validate(value))
    throw new Error(`${what} does not match its schema: ${ajv.errorsText(validate.errors)}.`);
}

/** Throws if a required header is missing, has an invalid value, or if one of the API's own headers is not documented. */
function expectHeaders(name: string, { headers = {} }: ResponseObject, response: HttpResponse): void {
  const documented = new Map(
    Object.entries(headers).map(([header, reference]) => [header.toLowerCase(), reference]),
  );
  for (const [header, reference] of documented) {
    const { required, schema } = resolve<HeaderObject>(document, reference);
    const value = response.headers[header];
    if (value === undefined && required) throw new Error(`${name} lacks the header ${header}.`);
    if (value === undefined) continue;
    expectValid(`${name}, ${header}`, schema, schema.type === 'integer' ? Number(value) : value);
  }
  const ownHeaders = Object.keys(response.headers).filter((header) =>
    /^(x-(request|api|ratelimit)-|retry-|idempotent-)/.test(header),
  );
  const unknown = ownHeaders.filter((header) => !documented.has(header));
  if (unknown.length > 0) throw new Error(`${name} has undocumented headers: ${unknown}.`);
}

function matches(template: string, pathname: string): boolean {
  const segments = template.split('/');
  const actual = pathname.split('/');
  return (
    segments.length === actual.length &&
    segments.every((segment, index) => (segment.startsWith('{') ? actual[index] : segment === actual[index]))
  );
}
