/** Renders the fields of a JSON Schema as a list: name, type, whether the field is required, and description. */
import { html } from 'hono/html';
import type { OpenApiDocument, SchemaObject as Schema } from '../openapi/document-types.ts';
import type { Markup } from '../pages/markup.ts';
import { prose } from './prose.ts';

export type Schemas = OpenApiDocument['components']['schemas'];

/** The resources that have their own section, by the tag whose section shows them. */
export const objectsByTag: Readonly<Record<string, readonly string[]>> = {
  Invoices: ['Invoice'],
  Payments: ['Payment'],
  Refunds: ['Refund'],
  Events: ['Event'],
  Webhooks: ['Webhook', 'Delivery'],
  Keys: ['ApiKey'],
};

const namesWithSection = new Set(Object.values(objectsByTag).flat());

/** Renders the fields of an object schema. The fields of a nested object are indented below its own field. */
export function fieldList(schema: Schema, schemas: Schemas): Markup {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  const rows = Object.entries(properties).map(([name, property]) =>
    field({ name, required: required.includes(name) }, property, schemas),
  );
  return html`<dl class="fields">${rows}</dl>`;
}

interface FieldName {
  readonly name: string;
  readonly required: boolean;
}

/** Renders one field or parameter. A resource with its own section is only linked. */
export function field({ name, required }: FieldName, schema: Schema, schemas: Schemas): Markup {
  const own = resolved(schema, schemas);
  const nested = nestedObjectOf(schema, schemas);
  return html`<div><dt><code>${name}</code> <span class="kind">${typeOf(schema, schemas)}</span>${required && html` <span class="required">required</span>`}</dt>
<dd>${prose(schema.description ?? own.description ?? '')}${valuesOf(own)}${nested && fieldList(nested, schemas)}</dd></div>`;
}

/** Returns the schema itself or, if it is a reference, the schema that it refers to. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const name = nameOf(schema);
  const found = name === undefined ? schema : schemas[name];
  if (!found) throw new Error(`The schema ${name} does not exist.`);
  return found;
}

function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.replace('#/components/schemas/', '');
}

/** Returns the nested object schema whose fields are shown below a field; undefined if it has its own section. */
function nestedObjectOf(schema: Schema, schemas: Schemas): Schema | undefined {
  const own = resolved(schema, schemas);
  const item = own.items ?? withoutNull(own);
  return hasSection(item) || !resolved(item, schemas).properties ? undefined : item;
}

function hasSection(schema: Schema): boolean {
  return namesWithSection.has(nameOf(schema) ?? '');
}

/** Returns the only alternative to null, or the schema itself if it has no such alternative. */
function withoutNull(schema: Schema): Schema {
  const others = alternatives(schema).filter(({ type }) => type !== 'null');
  return others.length === 1 && others[0] ? others[0] : schema;
}

function alternatives({ anyOf, oneOf }: Schema): readonly Schema[] {
  return anyOf ?? oneOf ?? [];
}

function typeOf(schema: Schema, schemas: Schemas): Markup {
  const name = nameOf(schema);
  if (hasSection(schema)) return html`<a href="#${name}">${name}</a>`;
  const { type, items, format, const: constant } = resolved(schema, schemas);
  if (constant !== undefined) return html`<code>${constant}</code>`;
  if (type === 'array' && items) return html`array of ${typeOf(items, schemas)}`;
  const several = alternatives(schema);
  if (several.length > 0) {
    return html`${several.map((each, index) => html`${index > 0 && ' or '}${typeOf(each, schemas)}`)}`;
  }
  const types = typeof type === 'string' ? type : type?.join(' or ');
  return html`${types ?? 'string'}${format !== undefined && format !== 'int64' && `, ${format}`}`;
}

function valuesOf({ enum: values, default: defaultValue }: Schema): Markup | undefined {
  const choices = values?.filter((value) => value !== null) ?? [];
  if (choices.length === 0 && defaultValue === undefined) return undefined;
  const list = choices.map((value, index) => html`${index > 0 && ', '}<code>${value}</code>`);
  return html`<p class="values">${choices.length > 0 && html`One of ${list}. `}${defaultValue !== undefined && html`Default: <code>${defaultValue}</code>.`}</p>`;
}
