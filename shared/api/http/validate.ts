/** Validates a body or a query with a schema, and returns the first error with its code, field and message. */
import * as v from 'valibot';
import { ApiError, type FieldError } from '../../base/errors.ts';
import { allFieldErrors, fieldErrorsOf, type UnknownNoun } from './field-errors.ts';

export type Validation<Output> =
  | { ok: true; output: Output }
  | (FieldError & { ok: false; findAll: () => readonly FieldError[] });

/**
 * Validates `input` with `schema`, whose objects must be strict. Never throws.
 *
 * - Reports the first error. Fields are checked in the order of the schema, and unknown fields after all known ones.
 * @param options `unknown` is the noun for unknown fields in messages
 * @returns the output of the schema, or the first error and a function that finds all errors. The code is
 *   `unknown_parameter` or that of `errorCodeOfField`. The field is a dotted path.
 */
export function validate<const Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  { unknown }: { unknown: UnknownNoun } = { unknown: 'parameter' },
): Validation<v.InferOutput<Schema>> {
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return { ok: true, output: result.output };
  const [first] = fieldErrorsOf(schema, result.issues[0], unknown) as [FieldError];
  return { ok: false, ...first, findAll: () => allFieldErrors(schema, input, unknown) };
}

/** Returns the output of the schema. @throws ApiError for the first error that `validate` finds */
export function requireValid<const Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
): v.InferOutput<Schema> {
  const result = validate(schema, input);
  if (result.ok) return result.output;
  const { code, ok: _, ...detail } = result;
  throw new ApiError(code, detail);
}
