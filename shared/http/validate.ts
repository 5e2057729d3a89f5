/** Validates a body or a query with a schema, and returns the first error with its code, field and message. */
import * as v from 'valibot';
import { maskLongNumbers } from '../card-numbers.ts';
import type { ErrorCode } from '../errors.ts';
import { errorCodeOfField } from './field-error-codes.ts';

export type Validation<Output> =
  | { ok: true; output: Output }
  | { ok: false; code: ErrorCode; field: string; message: string };

/**
 * Validates `input` with `schema`, whose objects must be strict. Never throws.
 *
 * - Reports only the first error. Fields are checked in the order of the schema, and unknown fields after all known ones.
 * - A missing field has the same message as an invalid one: the message of the field's own schema.
 * @param options `unknown` is the noun for unknown fields in messages
 * @returns the output of the schema, or the error. The code is `unknown_parameter` or that of `errorCodeOfField`. The field
 *   is a dotted path.
 */
export function validate<const Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  { unknown }: { unknown: 'parameter' | 'field' } = { unknown: 'parameter' },
): Validation<v.InferOutput<Schema>> {
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return { ok: true, output: result.output };
  const [issue] = result.issues;
  const keys = (issue.path ?? []).map((item) => item.key);
  // The client chooses the names of unknown fields, and one could contain a card number.
  const field = keys.length === 0 ? 'body' : maskLongNumbers(keys.join('.'));
  if (isUnknownKey(issue)) {
    return { ok: false, code: 'unknown_parameter', field, message: unknownMessage(field, unknown) };
  }
  const message = isMissingKey(issue) ? missingMessage(schema, keys, field) : issue.message;
  return { ok: false, code: errorCodeOfField(field), field, message };
}

function isUnknownKey(issue: v.BaseIssue<unknown>): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never';
}

function unknownMessage(field: string, noun: string): string {
  const name = field.length > 64 ? `${field.slice(0, 64)}…` : field;
  return `${name} is not a known ${noun}. Remove it or check its spelling.`;
}

/** Whether a key is missing. valibot reports this for the object, and marks it with the last origin of the path. */
function isMissingKey(issue: v.BaseIssue<unknown>): boolean {
  return issue.path?.at(-1)?.origin === 'key' && issue.input === undefined;
}

/** Returns the message of the missing field's own schema for `undefined`. */
function missingMessage(schema: v.GenericSchema, keys: readonly unknown[], field: string): string {
  let entry: SchemaShape | undefined = schema;
  for (const key of keys) entry = entryOf(entry, String(key));
  const result = entry && v.safeParse(entry, undefined, { abortEarly: true });
  return result?.issues?.[0].message ?? `${field} is required.`;
}

type SchemaShape = v.GenericSchema & {
  wrapped?: SchemaShape;
  item?: SchemaShape;
  entries?: Record<string, SchemaShape>;
};

/** Returns the schema of an object's key or of an array's items. Unwraps `optional`, `nullish` and similar schemas. */
function entryOf(schema: SchemaShape | undefined, key: string): SchemaShape | undefined {
  if (schema?.wrapped !== undefined) return entryOf(schema.wrapped, key);
  return schema?.item ?? schema?.entries?.[key];
}
