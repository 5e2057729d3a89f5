/** Renders what an operation returns: the fields of a successful response, an example, and the possible error codes. */
import { html } from 'hono/html';
import { resolve } from '../../api/openapi/document.ts';
import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ResponseObject,
  SchemaObject,
} from '../../api/openapi/document-types.ts';
import type { Markup } from '../pages/markup.ts';
import { type FieldContext, fieldList, fieldsOf, resolved, type Schemas, sectionOf } from './fields.ts';
import { codeBlock, headingId } from './prose.ts';

/** Returns the status and the content of the successful response, or undefined if the operation has none. */
function successOf(
  document: OpenApiDocument,
  { responses }: OperationObject,
): readonly [status: string, content: ResponseObject['content']] | undefined {
  const [status, reference] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? [];
  if (status === undefined || !reference) return undefined;
  return [status, resolve<ResponseObject>(document, reference).content];
}

/** Renders the fields of the successful response. A resource with its own section is only linked. */
export function responseFields(document: OpenApiDocument, operation: OperationObject): Markup | undefined {
  const [status, content] = successOf(document, operation) ?? [];
  const schema = content?.['application/json']?.schema;
  if (!schema) return undefined;
  const { schemas } = document.components;
  const id = `${operation.operationId}.response`;
  return html`<h4 id="${operation.operationId}-response">Response: ${status}</h4>${fieldsOrLink(schema, { schemas, direction: 'response', id })}`;
}

function fieldsOrLink(schema: SchemaObject, context: FieldContext): Markup {
  const name = sectionOf(schema);
  if (name !== undefined) return html`<p>The <a href="#${name}">${name} object</a>.</p>`;
  const own = resolved(schema, context.schemas);
  const [base, others] = extensionOf(own, context.schemas) ?? [];
  if (base === undefined) return fieldList(fieldsOf(own, context));
  return html`<p>The fields of the <a href="#${base}">${base} object</a>, and:</p>
${fieldList(fieldsOf({ ...own, properties: others ?? {} }, context))}`;
}

/** Returns the resource whose fields are all in `schema`, and the other fields. Undefined if no resource is like that. */
function extensionOf(
  { properties = {} }: SchemaObject,
  schemas: Schemas,
): readonly [base: string, others: Readonly<Record<string, SchemaObject>>] | undefined {
  const same = (one: SchemaObject | undefined, other: SchemaObject | undefined) =>
    JSON.stringify(one) === JSON.stringify(other);
  const names = Object.keys(schemas).filter((name) => sectionOf({ $ref: `#/components/schemas/${name}` }));
  for (const name of names) {
    const inherited = Object.entries(schemas[name]?.properties ?? {});
    if (inherited.length === 0 || !inherited.every(([key, value]) => same(properties[key], value))) continue;
    const keys = new Set(inherited.map(([key]) => key));
    return [name, Object.fromEntries(Object.entries(properties).filter(([key]) => !keys.has(key)))];
  }
  return undefined;
}

/** Renders the example of the successful response. */
export function exampleResponse(document: OpenApiDocument, operation: OperationObject): Markup | undefined {
  const [status, content] = successOf(document, operation) ?? [];
  if (status === undefined || !content?.['application/json']) return undefined;
  const example = JSON.stringify(firstExample(content), null, 2);
  return html`<h4 id="${operation.operationId}-example">Response: ${status}</h4>${codeBlock(example, `${operation.summary}: response`)}`;
}

/** Returns the first example of a body. */
export function firstExample(content: ResponseObject['content']): unknown {
  const { example, examples = {} } = content?.['application/json'] ?? {};
  return example ?? Object.values(examples)[0]?.value;
}

/** Groups of operations whose common error codes the guide to errors lists once, with the heading there. */
export const errorGroups = [
  { heading: 'Errors of every operation', has: () => true },
  {
    heading: 'Errors of every change',
    has: ({ parameters }: OperationObject, document: OpenApiDocument) =>
      parameters.some((each) => resolve<ParameterObject>(document, each).name === 'Idempotency-Key'),
  },
  { heading: 'Errors of every body', has: ({ requestBody }: OperationObject) => requestBody !== undefined },
] as const;

/** Renders the error codes of an operation by status, without those of its groups. They are folded at first. */
export function errorList(document: OpenApiDocument, operation: OperationObject): Markup {
  const groups = errorGroups.filter(({ has }) => has(operation, document));
  const common = new Set(
    groups.flatMap((group) => groupErrorCodes(document, group).flatMap(([, codes]) => codes)),
  );
  const rows = errorCodesOf(document, operation).flatMap(([status, all]) => {
    const codes = all.filter((code) => !common.has(code));
    if (codes.length === 0) return [];
    const links = codes.map(
      (code, index) => html`${index > 0 && ', '}<a href="#error-${code}"><code>${code}</code></a>`,
    );
    return [html`<tr><td>${status}</td><td>${links}</td></tr>`];
  });
  const table = html`<table>
<thead><tr><th scope="col">Status</th><th scope="col">Codes</th></tr></thead><tbody>${rows}</tbody></table>`;
  const links = groups.map(
    ({ heading }, index) =>
      html`${index > 0 && ', '}<a href="#${headingId('errors', heading)}">${heading.toLowerCase()}</a>`,
  );
  return html`<details><summary>Errors</summary>${rows.length > 0 && table}<p>And the ${links}.</p></details>`;
}

/** Returns the error codes that all operations of a group have, by status, without those of every operation for other groups. */
export function groupErrorCodes(
  document: OpenApiDocument,
  { has }: (typeof errorGroups)[number],
): readonly StatusCodes[] {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const ofEvery = has === errorGroups[0].has ? [] : groupErrorCodes(document, errorGroups[0]);
  const known = new Set(ofEvery.flatMap(([, codes]) => codes));
  const [first, ...others] = operations
    .filter((operation) => has(operation, document))
    .map((operation) => errorCodesOf(document, operation));
  const sets = others.map((statuses) => new Set(statuses.flatMap(([, codes]) => codes)));
  return (first ?? [])
    .map(
      ([status, codes]) =>
        [status, codes.filter((code) => !known.has(code) && sets.every((each) => each.has(code)))] as const,
    )
    .filter(([, codes]) => codes.length > 0);
}

type StatusCodes = readonly [status: string, codes: readonly string[]];

function errorCodesOf(document: OpenApiDocument, { responses }: OperationObject): readonly StatusCodes[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => [
      status,
      resolve<ResponseObject>(document, response)['x-error-codes'] ?? [],
    ]);
}
