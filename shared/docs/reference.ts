/** Renders the endpoints and resources of the reference page from the OpenAPI document. */
import { html } from 'hono/html';
import { resolve } from '../openapi/document.ts';
import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  ResponseObject,
  SchemaObject,
} from '../openapi/document-types.ts';
import type { Markup } from '../pages/markup.ts';
import { field, fieldList, resolved } from './fields.ts';
import { codeBlock, prose } from './prose.ts';
import { samplesOf } from './samples.ts';

/** An operation with its method and path. */
export interface DocumentedOperation {
  /** In uppercase. */
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** Returns the endpoints of a tag, in the order of the document. */
export function endpointsOf({ paths }: OpenApiDocument, tag: string): readonly DocumentedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags[0] === tag)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** Renders an endpoint: description, parameters, body, errors, samples and an example response. */
export function endpointSection(document: OpenApiDocument, endpoint: DocumentedOperation): Markup {
  const { method, path, operation } = endpoint;
  return html`<section class="operation" id="${operation.operationId}">
<h3>${operation.summary}</h3>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <span class="path">${path}</span></p>
<div class="columns"><div class="prose">${prose(operation.description)}
${parameterLists(document, operation)}
${bodyFields(document, operation)}
${errorList(document, operation)}</div>
<div class="samples">${samples(endpoint)}${exampleResponse(document, operation)}</div></div></section>`;
}

/** Renders a resource with its fields. A resource with variants shows their common fields and a table of the variants. */
export function objectSection({ components: { schemas } }: OpenApiDocument, name: string): Markup {
  const schema = schemas[name] ?? {};
  const variants = schema.oneOf?.map((variant) => resolved(variant, schemas)) ?? [];
  return html`<section class="object" id="${name}"><h3>The ${name} object</h3>
<div class="prose">${prose(schema.description ?? '')}</div>
${fieldList(variants.length > 0 ? mergeVariants(variants) : schema, schemas)}
${variants.length > 0 && variantTable(variants, schema.discriminator?.propertyName ?? '')}</section>`;
}

/** Merges the variants of an object: each field accepts every value that it has in one of them. */
function mergeVariants(variants: readonly SchemaObject[]): SchemaObject {
  const [first = {}] = variants;
  const fields = Object.entries(first.properties ?? {}).map(([name, field]) => {
    const forms = new Map(
      variants.map(({ properties }) => [JSON.stringify(properties?.[name]), properties?.[name] ?? {}]),
    );
    if (forms.size === 1) return [name, field];
    if (field.const !== undefined)
      return [name, { type: 'string', enum: [...forms.values()].map((form) => form.const) }];
    return [name, { description: field.description, anyOf: [...forms.values()] }];
  });
  return { ...first, properties: Object.fromEntries(fields) };
}

function variantTable(variants: readonly SchemaObject[], discriminator: string): Markup {
  const rows = variants.map(
    ({ description, properties }) =>
      html`<tr><td><code>${properties?.[discriminator]?.const}</code></td><td>${prose(description ?? '')}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Variants"><table>
<thead><tr><th scope="col">${discriminator}</th><th scope="col">Description</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

const locations = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
] as const;

/** Leaves out the headers: they are the same for all endpoints, and the guides describe them. */
function parameterLists(document: OpenApiDocument, operation: OperationObject): Markup[] {
  const parameters = operation.parameters.map((each) => resolve<ParameterObject>(document, each));
  return locations.flatMap(([location, title]) => {
    const rows = parameters.filter((parameter) => parameter.in === location);
    if (rows.length === 0) return [];
    const fields = rows.map(({ schema, description, ...parameter }) =>
      field(parameter, { ...schema, description }, document.components.schemas),
    );
    return [html`<h4>${title}</h4><dl class="fields">${fields}</dl>`];
  });
}

function bodyFields({ components: { schemas } }: OpenApiDocument, { requestBody }: OperationObject) {
  if (!requestBody) return undefined;
  const body = resolved(requestBody.content['application/json'].schema, schemas);
  if (!body.oneOf) return html`<h4>Request body</h4>${fieldList(body, schemas)}`;
  return body.oneOf.map((alternative) => {
    const { description = '' } = resolved(alternative, schemas);
    return html`<h4>Request body${conditionOf(alternative, body, schemas)}</h4>${prose(description)}${fieldList(alternative, schemas)}`;
  });
}

/** Names the field and the value that select an alternative. */
function conditionOf(
  alternative: SchemaObject,
  { discriminator }: SchemaObject,
  schemas: OpenApiDocument['components']['schemas'],
) {
  if (!discriminator) return undefined;
  const { propertyName } = discriminator;
  const { properties = {} } = resolved(alternative, schemas);
  const { const: value, enum: values } = properties[propertyName] ?? {};
  return html` with <code>${propertyName}</code> <code>${value ?? values?.[0]}</code>`;
}

function errorList(document: OpenApiDocument, { responses }: OperationObject): Markup {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => {
      const { 'x-error-codes': codes = [] } = resolve<ResponseObject>(document, response);
      const links = codes.map(
        (code, index) => html`${index > 0 && ', '}<a href="#error-${code}"><code>${code}</code></a>`,
      );
      return html`<tr><td>${status}</td><td>${links}</td></tr>`;
    });
  return html`<details><summary>Errors</summary><table>
<thead><tr><th scope="col">Status</th><th scope="col">Codes</th></tr></thead><tbody>${rows}</tbody></table></details>`;
}

function samples({ method, path, operation }: DocumentedOperation): Markup[] {
  const body = firstExample(operation.requestBody?.content) as Record<string, unknown> | undefined;
  const { curl, typescript } = samplesOf({ operationId: operation.operationId, method, path, body });
  return [
    html`<div class="curl">${codeBlock(curl, `${operation.summary} with curl`)}</div>`,
    html`<div class="typescript">${codeBlock(typescript, `${operation.summary} in TypeScript`)}</div>`,
  ];
}

function exampleResponse(
  document: OpenApiDocument,
  { responses, summary }: OperationObject,
): Markup | undefined {
  const [status = '', reference] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? [];
  if (!reference) return undefined;
  const { content } = resolve<ResponseObject>(document, reference);
  const example = JSON.stringify(firstExample(content), null, 2);
  return html`<h4>Response: ${status}</h4>${codeBlock(example, `${summary}: response`)}`;
}

function firstExample(content: ResponseObject['content']): unknown {
  const { example, examples = {} } = content?.['application/json'] ?? {};
  return example ?? Object.values(examples)[0]?.value;
}
