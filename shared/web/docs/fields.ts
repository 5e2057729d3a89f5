/**
 * Renders the fields of a JSON Schema as a list: name, type, whether the field is required, its values and its description.
 * - Each field has a fragment of its own, such as `createInvoice.amount`, so links and the search can lead to it.
 */
import { html } from 'hono/html';
import type { OpenApiDocument, SchemaObject as Schema } from '../../api/openapi/document-types.ts';
import type { Markup } from '../pages/markup.ts';
import { constraintsOf } from './constraints.ts';
import { prose } from './prose.ts';

export type Schemas = OpenApiDocument['components']['schemas'];

/** The resources that have their own section, by the tag or guide whose section shows them. */
export const objectsByTag: Readonly<Record<string, readonly string[]>> = {
  Invoices: ['Invoice'],
  Payments: ['Payment'],
  Refunds: ['Refund'],
  Events: ['Event'],
  Webhooks: ['Webhook', 'Delivery'],
  Keys: ['ApiKey'],
  'Audit log': ['AuditEntry'],
  pagination: ['Pagination', 'Cursor'],
};

const namesWithSection = new Set(Object.values(objectsByTag).flat());

/** Where fields are shown. */
export interface FieldContext {
  readonly schemas: Schemas;
  /** What a client sends has required and optional fields. In what it receives, a required field is always present. */
  readonly direction: 'request' | 'response';
  /** The beginning of the fragments of the fields. It is unique on the page. */
  readonly id: string;
}

/** Renders the fields of an object schema. The fields of a nested object are indented below its own field. */
export function fieldList(schema: Schema, context: FieldContext): Markup {
  const { properties = {}, required = [] } = resolved(schema, context.schemas);
  const rows = Object.entries(properties).map(([name, property]) =>
    field({ name, required: required.includes(name) }, property, context),
  );
  return html`<dl class="fields">${rows}</dl>`;
}

interface FieldName {
  readonly name: string;
  readonly required: boolean;
}

/** Renders one field, parameter or header. A resource with its own section is only linked. */
export function field({ name, required }: FieldName, schema: Schema, context: FieldContext): Markup {
  const { schemas } = context;
  const own = resolved(schema, schemas);
  const nested = nestedObjectOf(schema, schemas);
  const inner = { ...context, id: `${context.id}.${name}` };
  const values = constraintsOf({ ...resolved(withoutNull(own), schemas), ...own });
  return html`<div id="${inner.id}"><dt><code>${name}</code> <span class="kind">${typeOf(schema, schemas)}</span>${presence(required, context)}</dt>
<dd>${prose(schema.description ?? own.description ?? '')}${values}${nested && fieldList(nested, inner)}</dd></div>`;
}

function presence(required: boolean, { direction }: FieldContext): Markup | undefined {
  if (direction === 'response')
    return required ? undefined : html` <span class="optional">not always present</span>`;
  return required
    ? html` <span class="required">required</span>`
    : html` <span class="optional">optional</span>`;
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

/** Returns the name of a resource that has its own section, or undefined if the schema is no such resource. */
export function sectionOf(schema: Schema): string | undefined {
  const name = nameOf(schema);
  return name !== undefined && namesWithSection.has(name) ? name : undefined;
}

/** Returns the nested object schema whose fields are shown below a field; undefined if it has its own section. */
function nestedObjectOf(schema: Schema, schemas: Schemas): Schema | undefined {
  if (sectionOf(schema)) return undefined;
  const own = resolved(schema, schemas);
  const item = own.items ?? withoutNull(own);
  return sectionOf(item) || !resolved(item, schemas).properties ? undefined : item;
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
  const name = sectionOf(schema);
  if (name !== undefined) return html`<a href="#${name}">${name}</a>`;
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
