/** The fields of a JSON schema as a list: name, kind, whether it is required, what it means. */
import { html } from 'hono/html';
import type { OpenApiDocument, SchemaObject as Schema } from '../openapi/document-types.ts';
import type { Markup } from '../pages/markup.ts';
import { prose } from './prose.ts';

export type Schemas = OpenApiDocument['components']['schemas'];

/** The resources that have a section of their own, by the tag whose endpoints it stands with. */
export const objects: Readonly<Record<string, readonly string[]>> = {
  Invoices: ['Invoice'],
  Payments: ['Payment'],
  Refunds: ['Refund'],
  Events: ['Event'],
  Webhooks: ['Webhook', 'Delivery'],
};

const named = new Set(Object.values(objects).flat());

/** The fields of `schema`, which is an object; those of objects within it stand indented below theirs. */
export function fieldList(schema: Schema, schemas: Schemas): Markup {
  const { properties = {}, required = [] } = resolved(schema, schemas);
  const rows = Object.entries(properties).map(([name, property]) =>
    field({ name, required: required.includes(name) }, property, schemas),
  );
  return html`<dl class="fields">${rows}</dl>`;
}

interface Named {
  readonly name: string;
  readonly required: boolean;
}

/** One field or parameter. An object that has a name of its own is described there. */
export function field({ name, required }: Named, schema: Schema, schemas: Schemas): Markup {
  const own = resolved(schema, schemas);
  const inner = innerOf(schema, schemas);
  return html`<div><dt><code>${name}</code> <span class="kind">${kindOf(schema, schemas)}</span>${required && html` <span class="required">required</span>`}</dt>
<dd>${prose(schema.description ?? own.description ?? '')}${valuesOf(own)}${inner && fieldList(inner, schemas)}</dd></div>`;
}

/** The schema itself, or the one that it refers to. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const name = nameOf(schema);
  const found = name === undefined ? schema : schemas[name];
  if (!found) throw new Error(`There is no schema ${name}.`);
  return found;
}

function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.replace('#/components/schemas/', '');
}

/** An object's fields are told where it stands, unless it has a section of its own. */
function innerOf(schema: Schema, schemas: Schemas): Schema | undefined {
  const own = resolved(schema, schemas);
  const item = own.items ?? withoutNull(own);
  return hasSection(item) || !resolved(item, schemas).properties ? undefined : item;
}

function hasSection(schema: Schema): boolean {
  return named.has(nameOf(schema) ?? '');
}

/** What is no alternative to null is itself. */
function withoutNull(schema: Schema): Schema {
  const others = alternatives(schema).filter(({ type }) => type !== 'null');
  return others.length === 1 && others[0] ? others[0] : schema;
}

function alternatives({ anyOf, oneOf }: Schema): readonly Schema[] {
  return anyOf ?? oneOf ?? [];
}

function kindOf(schema: Schema, schemas: Schemas): Markup {
  const name = nameOf(schema);
  if (hasSection(schema)) return html`<a href="#${name}">${name}</a>`;
  const { type, items, format, const: constant } = resolved(schema, schemas);
  if (constant !== undefined) return html`<code>${constant}</code>`;
  if (type === 'array' && items) return html`array of ${kindOf(items, schemas)}`;
  const several = alternatives(schema);
  if (several.length > 0) {
    return html`${several.map((each, index) => html`${index > 0 && ' or '}${kindOf(each, schemas)}`)}`;
  }
  const types = typeof type === 'string' ? type : type?.join(' or ');
  return html`${types ?? 'string'}${format !== undefined && `, ${format}`}`;
}

function valuesOf({ enum: values, default: preset }: Schema): Markup | undefined {
  const ready = values?.filter((value) => value !== null) ?? [];
  if (ready.length === 0 && preset === undefined) return undefined;
  const choice = ready.map((value, index) => html`${index > 0 && ', '}<code>${value}</code>`);
  return html`<p class="values">${ready.length > 0 && html`One of ${choice}. `}${preset !== undefined && html`Default: <code>${preset}</code>.`}</p>`;
}
