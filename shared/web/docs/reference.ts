/** Renders the endpoints and resources of the reference page from the OpenAPI document. */
import { html } from 'hono/html';
import { readOnly } from '../../api/openapi/common-field-texts.ts';
import { resolve } from '../../api/openapi/document.ts';
import type {
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  SchemaObject,
} from '../../api/openapi/document-types.ts';
import { operationTags } from '../../api/openapi/tags.ts';
import type { Markup } from '../pages/markup.ts';
import {
  type DocumentedField,
  type FieldContext,
  fieldBlock,
  fieldList,
  fieldOf,
  fieldsOf,
  resolved,
  type Schemas,
} from './fields.ts';
import { type Block, codeBlock, markdownOf, prose, table } from './prose.ts';
import { errorList, exampleResponse, firstExample, responseFields } from './response-section.ts';
import { headerVersionOf, sampleLanguages, samplesOf } from './samples.ts';

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

/** Renders an endpoint: description, parameters, body, response, errors, samples and an example response. */
export function endpointSection(document: OpenApiDocument, endpoint: DocumentedOperation): Markup {
  const { method, path, operation } = endpoint;
  return html`<section class="operation" id="${operation.operationId}">
<h3>${operation.summary}</h3>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <span class="path">${path}</span></p>
<div class="columns"><div class="prose">${prose(operation.description)}
${parameterLists(document, operation)}
${bodyFields(document, operation)}
${responseFields(document, operation)}
${errorList(document, operation)}</div>
<div class="samples">${samples(endpoint, headerVersionOf(document))}${exampleResponse(document, operation)}</div></div></section>`;
}

/** Describes a resource with its fields. One with variants has their common fields and a table of the variants. */
export function objectSection(schemas: Schemas, name: string): Exclude<Block, string> {
  const schema = schemas[name] ?? {};
  const variants = schema.oneOf?.map((variant) => resolved(variant, schemas)) ?? [];
  const shown = variants.length > 0 ? mergeVariants(variants) : schema;
  const fields = fieldBlock(fieldsOf(shown, { schemas, direction: 'response', id: name }));
  const title = `The ${name} object`;
  const { description = '' } = schema;
  return {
    markdown: markdownOf([`## ${title}`, description, fields]),
    html: html`<section class="object" id="${name}"><h3>${title}</h3>
<div class="prose">${prose(description)}</div>
${fields.html}
${variants.length > 0 && prose(variantTable(variants, schema.discriminator?.propertyName ?? ''))}</section>`,
  };
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

function variantTable(variants: readonly SchemaObject[], discriminator: string): string {
  const rows = variants.map(({ description, properties }) => [
    `\`${properties?.[discriminator]?.const}\``,
    description,
  ]);
  return table([discriminator, 'Description'], rows);
}

/** Headers are the same for all operations, so the guide to headers describes them. */
const locations = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
] as const;

function parameterLists(document: OpenApiDocument, operation: OperationObject): Markup[] {
  const parameters = operation.parameters.map((each) => resolve<ParameterObject>(document, each));
  return locations.flatMap(([location, title]) => {
    // A field of the body can have the name of a parameter.
    const context = requestContext(document, `${operation.operationId}.${location}`);
    const rows = parameters.filter(({ in: place }) => place === location);
    if (rows.length === 0) return [];
    const fields = rows.map(({ schema, description, explode, ...parameter }) =>
      fieldOf(parameter, { ...schema, description: parameterText(description, explode) }, context),
    );
    return [html`<h4 id="${operation.operationId}-${location}">${title}</h4>${fieldList(fields)}`];
  });
}

/** Returns the description of a parameter, with what `explode` means. */
export const parameterText = (description: string, explode: ParameterObject['explode']) =>
  explode === false ? `${description} Separate several values with commas.` : description;

function requestContext({ components }: OpenApiDocument, id: string): FieldContext {
  return { schemas: components.schemas, direction: 'request', id };
}

function bodyFields(document: OpenApiDocument, operation: OperationObject) {
  const { requestBody } = operation;
  if (!requestBody) return undefined;
  const context = requestContext(document, operation.operationId);
  const { schemas } = context;
  const body = resolved(requestBody.content['application/json'].schema, schemas);
  if (!body.oneOf) {
    const fields = fieldsOf(body, context);
    const firstUses = firstUsesOf(document);
    const isNew = (field: DocumentedField) => firstUses.get(meaningOf(field)) === context.id;
    const own = fields.filter((field) => field.description !== readOnly && isNew(field));
    const known = fields.filter((field) => field.description !== readOnly && !isNew(field));
    return html`<h4 id="${context.id}-body">Request body</h4>${own.length > 0 && fieldList(own)}${knownNote(known, firstUses)}${readOnlyNote(fields)}`;
  }
  return body.oneOf.map((alternative) => {
    const { description = '' } = resolved(alternative, schemas);
    const [name, value] = conditionOf(alternative, body, schemas);
    const inner = { ...context, id: `${context.id}.${value}` };
    return html`<h4 id="${context.id}-body-${value}">Request body with <code>${name}</code> <code>${value}</code></h4>${prose(description)}${fieldList(fieldsOf(alternative, inner))}`;
  });
}

/** The operation that first describes a field of its body, by what the page says of the field. */
const firstUsesByDocument = new WeakMap<OpenApiDocument, ReadonlyMap<string, string>>();

function firstUsesOf(document: OpenApiDocument): ReadonlyMap<string, string> {
  const known = firstUsesByDocument.get(document);
  if (known) return known;
  const uses = new Map<string, string>();
  for (const { operation } of operationTags.flatMap(({ name }) => endpointsOf(document, name))) {
    const context = requestContext(document, operation.operationId);
    const schema = operation.requestBody?.content['application/json'].schema;
    const body = schema && resolved(schema, context.schemas);
    for (const field of body && !body.oneOf ? fieldsOf(body, context) : [])
      if (!uses.has(meaningOf(field))) uses.set(meaningOf(field), operation.operationId);
  }
  firstUsesByDocument.set(document, uses);
  return uses;
}

/** What the page says of a field, besides whether the field is required and whether null removes it. */
const meaningOf = ({ name, type, description, values, fields }: DocumentedField): string =>
  JSON.stringify([name, type.replace(/ or null$/, ''), description, values, fields?.map(meaningOf)]);

/** Links the fields that another operation describes. */
function knownNote(fields: readonly DocumentedField[], firstUses: ReadonlyMap<string, string>): Markup | '' {
  if (fields.length === 0) return '';
  const links = fields.map((field) => {
    const first = firstUses.get(meaningOf(field));
    const isRequired = field.presence === 'required' ? ' (required)' : '';
    return `[\`${field.name}\`](#${first}.${field.name})${isRequired}`;
  });
  return prose(`With the same meaning as elsewhere: ${links.join(', ')}.`);
}

/** Names the fields that a client can only send back, in one sentence. */
function readOnlyNote(fields: readonly DocumentedField[]): Markup | '' {
  const names = fields.filter(({ description }) => description === readOnly).map(({ name }) => `\`${name}\``);
  return names.length === 0
    ? ''
    : prose(`Read-only, accepted only with their current values: ${names.join(', ')}.`);
}

/** Returns the field and the value that select an alternative. */
function conditionOf(
  alternative: SchemaObject,
  { discriminator }: SchemaObject,
  schemas: OpenApiDocument['components']['schemas'],
): readonly [name: string, value: string] {
  const name = discriminator?.propertyName ?? '';
  const { const: value, enum: values } = resolved(alternative, schemas).properties?.[name] ?? {};
  return [name, String(value ?? values?.[0])];
}

function samples({ method, path, operation }: DocumentedOperation, apiVersion: string | undefined): Markup[] {
  const body = firstExample(operation.requestBody?.content) as Record<string, unknown> | undefined;
  const texts = samplesOf({ operationId: operation.operationId, method, path, body, apiVersion });
  return sampleLanguages.map(
    ({ id, name }) => html`<div class="${id}">${codeBlock(texts[id], `${operation.summary}: ${name}`)}</div>`,
  );
}
