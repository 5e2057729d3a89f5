/** Renders which values a schema accepts: its choices, range, length, form and default. */
import { html } from 'hono/html';
import type { SchemaObject as Schema } from '../../api/openapi/document-types.ts';
import { patternText } from '../../api/openapi/pattern-texts.ts';
import type { Markup } from '../pages/markup.ts';
import { inline } from './prose.ts';

/** Returns one paragraph with all constraints of a schema, or undefined if it has none. */
export function constraintsOf(schema: Schema): Markup | undefined {
  const parts = [...choices(schema), ...sizes(schema), ...form(schema), ...defaultOf(schema)];
  if (parts.length === 0) return undefined;
  return html`<p class="values">${parts.map((part, index) => html`${index > 0 && ' '}${part}`)}</p>`;
}

function choices({ enum: values, items }: Schema): Markup[] {
  const own = values?.filter((value) => value !== null) ?? [];
  if (own.length > 0) return [html`${own.length === 1 ? 'Always' : 'One of'} ${codes(own)}.`];
  return items?.enum ? [html`Each is one of ${codes(items.enum)}.`] : [];
}

const codes = (values: readonly unknown[]) =>
  values.map((value, index) => html`${index > 0 && ', '}<code>${String(value)}</code>`);

function sizes(schema: Schema): Markup[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, uniqueItems } = schema;
  return [
    range(minimum, maximum),
    range(minLength, maxLength, 'character'),
    range(minItems, maxItems, 'item'),
    uniqueItems === true ? 'Each listed once.' : undefined,
  ]
    .filter((text) => text !== undefined)
    .map((text) => html`${text}`);
}

/** Returns a range in words, such as `1 to 255 characters.` */
function range(least: unknown, most: unknown, unit?: string): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  const last = most ?? least;
  const units = unit === undefined ? '' : ` ${unit}${last === 1 ? '' : 's'}`;
  if (most === undefined) return `At least ${least}${units}.`;
  return least === undefined ? `At most ${most}${units}.` : `${least} to ${most}${units}.`;
}

/** The form is the pattern in words, or the pattern itself if it has no words. */
function form({ pattern }: Schema): Markup[] {
  if (typeof pattern !== 'string') return [];
  const text = patternText(pattern);
  return [text === undefined ? html`Must match <code>${pattern}</code>.` : html`${inline(text)}`];
}

function defaultOf({ default: value }: Schema): Markup[] {
  return value === undefined ? [] : [html`Default: <code>${String(value)}</code>.`];
}
