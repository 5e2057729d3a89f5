/**
 * Writes filters of a webhook endpoint as lines of text and reads them, for the dashboard and the command line: `data.amount > 100000`,
 * `data.currency in BTN, INR`, `data.metadata.shop = Paro`, `data.number starts with INV-`. A value that reads as JSON is that value, and
 * any other is a text.
 */
import type { EventFilter, FilterValue } from './event-filter.ts';

const line = /^(\S+)\s+(=|>|in|starts with)\s+(.+)$/s;

/** Reads a filter. A line of another form gives a filter without a kind, which the schema refuses. */
export function parseFilter(text: string): EventFilter {
  const [, path = text.trim(), operator, value = ''] = line.exec(text.trim()) ?? [];
  switch (operator) {
    case '=':
      return { path, equals: scalarOf(value) };
    case '>':
      return { path, greaterThan: scalarOf(value) as number };
    case 'in':
      return { path, in: valuesOf(value) };
    case 'starts with':
      return { path, prefix: String(parseJson(value) ?? value) };
    default:
      return { path };
  }
}

/** Writes a filter as `parseFilter` reads it. */
export function formatFilter({ path, equals, in: values, prefix, greaterThan }: EventFilter): string {
  if (equals !== undefined) return `${path} = ${textOf(equals)}`;
  if (values !== undefined) return `${path} in ${listOf(values)}`;
  if (prefix !== undefined) return `${path} starts with ${textOf(prefix)}`;
  return `${path} > ${greaterThan}`;
}

function valuesOf(text: string): FilterValue[] {
  const list = parseJson(`[${text}]`);
  if (Array.isArray(list) && list.every(isScalar)) return list;
  return text.split(',').map((part) => scalarOf(part.trim()));
}

function scalarOf(text: string): FilterValue {
  const value = parseJson(text);
  return isScalar(value) ? value : text;
}

/** Quotes all values of a list if one of them needs it, so that the whole list is JSON. */
function listOf(values: readonly FilterValue[]): string {
  const texts = values.map(textOf);
  const arePlain = texts.every((text, index) => text === values[index]);
  return (arePlain ? texts : values.map((value) => JSON.stringify(value))).join(', ');
}

/** Quotes a text that would read as something else, alone or in a list. */
function textOf(value: FilterValue): string {
  const isPlain = typeof value === 'string' && /^[^\s",[\]{}][^",]*$/.test(value) && value === value.trim();
  return isPlain && parseJson(value) === undefined ? value : JSON.stringify(value);
}

const isScalar = (value: unknown): value is FilterValue =>
  value !== undefined && (value === null || typeof value !== 'object');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
