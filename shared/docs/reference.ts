/** The endpoints and resources of the reference page, as the OpenAPI document describes them. */
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

/** An operation with where it is. */
export interface Endpoint {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** The endpoints of a tag, in the document's order. */
export function endpointsOf({ paths }: OpenApiDocument, tag: string): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags[0] === tag)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** An endpoint with all that there is to say about it. */
export function endpointSection(document: OpenApiDocument, endpoint: Endpoint): Markup {
  const { method, path, operation } = endpoint;
  return html`<section class="operation" id="${operation.operationId}">
<h3>${operation.summary}</h3>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <span class="path">${path}</span></p>
<div class="columns"><div class="prose">${prose(operation.description)}
${parameterLists(document, operation)}
${bodyFields(document, operation)}
${errorList(document, operation)}</div>
<div class="samples">${samples(endpoint)}${exampleAnswer(document, operation)}</div></div></section>`;
}

/** A resource with its fields; if it is of several kinds, with what they have in common and what each is. */
export function objectSection({ components: { schemas } }: OpenApiDocument, name: string): Markup {
  const schema = schemas[name] ?? {};
  const kinds = schema.oneOf?.map((kind) => resolved(kind, schemas)) ?? [];
  return html`<section class="object" id="${name}"><h3>The ${name} object</h3>
<div class="prose">${prose(schema.description ?? '')}</div>
${fieldList(kinds.length > 0 ? commonForm(kinds) : schema, schemas)}
${kinds.length > 0 && kindTable(kinds, schema.discriminator?.propertyName ?? '')}</section>`;
}

/** An object that any of the kinds is: their first, with all that a field can be in one of them. */
function commonForm(kinds: readonly SchemaObject[]): SchemaObject {
  const [first = {}] = kinds;
  const fields = Object.entries(first.properties ?? {}).map(([name, field]) => {
    const forms = new Map(
      kinds.map(({ properties }) => [JSON.stringify(properties?.[name]), properties?.[name] ?? {}]),
    );
    if (forms.size === 1) return [name, field];
    if (field.const !== undefined)
      return [name, { type: 'string', enum: [...forms.values()].map((form) => form.const) }];
    return [name, { description: field.description, anyOf: [...forms.values()] }];
  });
  return { ...first, properties: Object.fromEntries(fields) };
}

function kindTable(kinds: readonly SchemaObject[], discriminator: string): Markup {
  const rows = kinds.map(
    ({ description, properties }) =>
      html`<tr><td><code>${properties?.[discriminator]?.const}</code></td><td>${prose(description ?? '')}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Kinds"><table>
<thead><tr><th scope="col">${discriminator}</th><th scope="col">What has happened</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

const places = [
  ['path', 'In the path'],
  ['query', 'In the query'],
] as const;

/** Headers are common to all endpoints; the guides tell about them. */
function parameterLists(document: OpenApiDocument, operation: OperationObject): Markup[] {
  const parameters = operation.parameters.map((each) => resolve<ParameterObject>(document, each));
  return places.flatMap(([place, title]) => {
    const rows = parameters.filter((parameter) => parameter.in === place);
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
  if (!body.oneOf) return html`<h4>In the body</h4>${fieldList(body, schemas)}`;
  return body.oneOf.map((alternative) => {
    const { description = '' } = resolved(alternative, schemas);
    return html`<h4>In the body${titleOf(alternative, body, schemas)}</h4>${prose(description)}${fieldList(alternative, schemas)}`;
  });
}

/** By which value of which field an alternative is chosen. */
function titleOf(
  alternative: SchemaObject,
  { discriminator }: SchemaObject,
  schemas: OpenApiDocument['components']['schemas'],
) {
  if (!discriminator) return undefined;
  const { propertyName } = discriminator;
  const { properties = {} } = resolved(alternative, schemas);
  const { const: value, enum: values } = properties[propertyName] ?? {};
  return html`, with ${propertyName} <code>${value ?? values?.[0]}</code>`;
}

function errorList(document: OpenApiDocument, { responses }: OperationObject): Markup {
  const rows = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => {
      const codes = codesOf(resolve<ResponseObject>(document, response));
      const links = codes.map(
        (code, index) => html`${index > 0 && ', '}<a href="#error-${code}"><code>${code}</code></a>`,
      );
      return html`<tr><td>${status}</td><td>${links}</td></tr>`;
    });
  return html`<details><summary>Errors</summary><table>
<thead><tr><th scope="col">Status</th><th scope="col">Codes</th></tr></thead><tbody>${rows}</tbody></table></details>`;
}

/** The error codes that a response names in its schema, wherever they stand in it. */
function codesOf({ content }: ResponseObject): readonly string[] {
  const find = (schema: SchemaObject | undefined): readonly string[] => {
    if (!schema) return [];
    const code = schema.properties?.error?.properties?.code;
    if (code) return (code.enum ?? [code.const]) as readonly string[];
    return [...(schema.allOf ?? []), ...(schema.oneOf ?? [])].flatMap(find);
  };
  return find(content?.['application/json'].schema);
}

function samples({ method, path, operation }: Endpoint): Markup[] {
  const body = firstExample(operation.requestBody?.content) as Record<string, unknown> | undefined;
  const { curl, typescript } = samplesOf({ operationId: operation.operationId, method, path, body });
  return [
    html`<div class="curl">${codeBlock(curl, `${operation.summary}, with curl`)}</div>`,
    html`<div class="typescript">${codeBlock(typescript, `${operation.summary}, in TypeScript`)}</div>`,
  ];
}

function exampleAnswer(
  document: OpenApiDocument,
  { responses, summary }: OperationObject,
): Markup | undefined {
  const [status = '', reference] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? [];
  if (!reference) return undefined;
  const { content } = resolve<ResponseObject>(document, reference);
  const example = JSON.stringify(firstExample(content), null, 2);
  return html`<h4>Answer: ${status}</h4>${codeBlock(example, `${summary}: the answer`)}`;
}

function firstExample(content: ResponseObject['content']): unknown {
  const { example, examples = {} } = content?.['application/json'] ?? {};
  return example ?? Object.values(examples)[0]?.value;
}
