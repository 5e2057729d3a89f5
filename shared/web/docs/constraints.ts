/** Tells which values a schema accepts, in Markdown: its choices, range, length, form and default. */
import type { SchemaObject as Schema } from '../../api/openapi/document-types.ts';
import { patternText } from '../../api/openapi/pattern-texts.ts';

/** Returns one paragraph with all constraints of a schema. Empty if it has none. */
export function constraintsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, uniqueItems } = schema;
  const parts = [
    choices(schema),
    range(minimum, maximum),
    range(minLength, maxLength, 'character'),
    range(minItems, maxItems, 'item'),
    uniqueItems === true && 'Each listed once.',
    form(schema),
    schema.default !== undefined && `Default: ${code(schema.default)}.`,
  ];
  return parts.filter(Boolean).join(' ');
}

const code = (value: unknown) => `\`${value}\``;

function choices({ enum: values, items }: Schema): string | undefined {
  const own = values?.filter((value) => value !== null) ?? [];
  if (own.length > 0) return `${own.length === 1 ? 'Always' : 'One of'} ${own.map(code).join(', ')}.`;
  return items?.enum && `Each is one of ${items.enum.map(code).join(', ')}.`;
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
function form({ pattern }: Schema): string | undefined {
  return typeof pattern === 'string' ? (patternText(pattern) ?? `Must match ${code(pattern)}.`) : undefined;
}
