/**
 * Describes the fields of a JSON Schema: name, type, whether the field is required, its values and its description.
 * - Each field has a fragment of its own, such as `createInvoice.amount`, so links and the search can lead to it.
 */
import { html } from 'hono/html';
import type { OpenApiDocument, SchemaObject as Schema } from '../../api/openapi/document-types.ts';
import type { Markup } from '../pages/markup.ts';
import { constraintsOf } from './constraints.ts';
import { type Block, inline, list, prose } from './prose.ts';

export type Schemas = OpenApiDocument['components']['schemas'];

/** The resources that have their own section, by the tag or guide whose section shows them. */
export const objectsByTag: Readonly<Record<string, readonly string[]>> = {
  Invoices: [
    'Invoice',
    'InvoiceLine',
    'InvoiceLineInput',
    'Buyer',
    'BuyerInput',
    'Gst',
    'GstInput',
    'InvoiceTax',
    'InvoiceTotals',
  ],
  Payments: ['Payment'],
  Refunds: ['Refund'],
  Customers: ['Customer', 'Address', 'AddressInput'],
  Products: ['Product'],
  Drafts: ['Draft', 'DraftLine', 'DraftGst'],
  Schedules: ['Schedule', 'ScheduleInvoice', 'ScheduleOccurrence'],
  Exports: ['Export'],
  Documents: ['Document', 'DocumentContent'],
  Account: ['Seller', 'SellerInput'],
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

/** A field, parameter or header as the pages show it. Its texts are Markdown. */
export interface DocumentedField {
  readonly id?: string;
  readonly name: string;
  readonly type: string;
  readonly presence?: 'required' | 'optional' | 'not always present' | undefined;
  readonly description: string;
  /** The values that it accepts. */
  readonly values?: string;
  /** The fields of a nested object. */
  readonly fields?: readonly DocumentedField[];
}

/** Renders fields as a list. The fields of a nested object are indented below its own field. */
export function fieldList(fields: readonly DocumentedField[]): Markup {
  return html`<dl class="fields">${fields.map(fieldRow)}</dl>`;
}

/** Returns fields as a block of a text. */
export const fieldBlock = (fields: readonly DocumentedField[]): Exclude<Block, string> => ({
  markdown: list(fields.map(fieldItem)),
  html: fieldList(fields),
});

function fieldRow({ id, name, type, presence, description, values, fields = [] }: DocumentedField): Markup {
  const kind = presence === 'required' ? presence : 'optional';
  return html`<div${id !== undefined && html` id="${id}"`}><dt><code>${name}</code> <span class="kind">${inline(type)}</span>${presence && html` <span class="${kind}">${presence}</span>`}</dt>
<dd>${prose(description)}${values && html`<p class="values">${inline(values)}</p>`}${fields.length > 0 && fieldList(fields)}</dd></div>`;
}

function fieldItem({ name, type, presence, description, values, fields = [] }: DocumentedField): string {
  const text = [description, values].filter(Boolean).join(' ').replace(/\s+/g, ' ');
  const item = `\`${name}\` *${type}*${presence ? ` *${presence}*` : ''}${text && `: ${text}`}`;
  return [item, ...(fields.length > 0 ? [list(fields.map(fieldItem))] : [])]
    .join('\n')
    .replaceAll('\n', '\n  ');
}

/** Returns the fields of an object schema. */
export function fieldsOf(schema: Schema, context: FieldContext): DocumentedField[] {
  const { properties = {}, required = [] } = resolved(schema, context.schemas);
  return Object.entries(properties).map(([name, property]) =>
    fieldOf({ name, required: required.includes(name) }, property, context),
  );
}

/** Returns one field, parameter or header. A resource with its own section is only linked. */
export function fieldOf(
  { name, required }: { readonly name: string; readonly required: boolean },
  schema: Schema,
  context: FieldContext,
): DocumentedField {
  const { schemas, direction } = context;
  const own = resolved(schema, schemas);
  const nested = nestedObjectOf(schema, schemas);
  const id = `${context.id}.${name}`;
  const absent = direction === 'request' ? 'optional' : 'not always present';
  return {
    id,
    name,
    type: typeOf(schema, schemas),
    presence: required ? (direction === 'request' ? 'required' : undefined) : absent,
    description: schema.description ?? own.description ?? '',
    values: constraintsOf({ ...resolved(withoutNull(own), schemas), ...own }),
    fields: nested ? fieldsOf(nested, { ...context, id }) : [],
  };
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

function typeOf(schema: Schema, schemas: Schemas): string {
  const name = sectionOf(schema);
  if (name !== undefined) return `[${name}](#${name})`;
  const { type, items, format, const: constant } = resolved(schema, schemas);
  if (constant !== undefined) return `\`${constant}\``;
  if (type === 'array' && items) return `array of ${typeOf(items, schemas)}`;
  const several = alternatives(schema);
  if (several.length > 0) return several.map((each) => typeOf(each, schemas)).join(' or ');
  const types = typeof type === 'string' ? type : type?.join(' or ');
  return `${types ?? 'string'}${format === undefined || format === 'int64' ? '' : `, ${format}`}`;
}
