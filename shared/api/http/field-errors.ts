/** Turns the issues of a schema into field errors: each with its code, its dotted path and a message. */
import * as v from 'valibot';
import { maskLongNumbers } from '../../base/card-numbers.ts';
import type { FieldError } from '../../base/errors.ts';
import { errorCodeOfField } from './field-error-codes.ts';
import { missingFieldMessage } from './required-fields.ts';
import { similarName } from './similar-name.ts';

/** What messages call an unknown field. */
export type UnknownNoun = 'parameter' | 'field';

const maxErrors = 20;
/** The client chooses the names of unknown fields, so the list of all errors cuts them. */
const maxFieldLength = 128;
const maxShownLength = 64;

/**
 * Finds all errors of an input, at most 20: one for each field, in the order of the schema, and unknown fields of an object
 * after its known ones. Names of more than 128 characters are cut.
 */
export function allFieldErrors(
  schema: v.GenericSchema,
  input: unknown,
  noun: UnknownNoun,
): readonly FieldError[] {
  const found = new Map<string, FieldError>();
  for (const issue of v.safeParse(schema, input).issues ?? []) {
    for (const error of fieldErrorsOf(schema, issue, noun)) {
      if (found.size === maxErrors) return [...found.values()];
      const field = cut(error.field, maxFieldLength);
      if (!found.has(field)) found.set(field, { ...error, field });
    }
  }
  return [...found.values()];
}

/** Returns the errors of an issue. An issue about an unknown key is reported for each unknown key of its object. */
export function fieldErrorsOf(
  schema: v.GenericSchema,
  issue: v.BaseIssue<unknown>,
  noun: UnknownNoun,
): readonly FieldError[] {
  const keys = (issue.path ?? []).map((item) => String(item.key));
  if (isUnknownKey(issue)) return unknownKeys(schema, issue, keys, noun);
  const field = fieldOf(keys);
  const message = isMissingKey(issue) ? missingMessage(schema, issue, keys) : issue.message;
  return [{ code: errorCodeOfField(field, schema), field, message }];
}

/** The client chooses the names of unknown fields, and one could contain a card number. */
const fieldOf = (keys: readonly string[]) => (keys.length === 0 ? 'body' : maskLongNumbers(keys.join('.')));

const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text);

/** valibot reports only the first unknown key of an object. */
function isUnknownKey(issue: v.BaseIssue<unknown>): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never';
}

function unknownKeys(
  schema: v.GenericSchema,
  issue: v.BaseIssue<unknown>,
  keys: readonly string[],
  noun: UnknownNoun,
): readonly FieldError[] {
  const parents = keys.slice(0, -1);
  const object = objectOf(schema, issue, parents);
  return object.unknown.slice(0, maxErrors).map((key) => {
    const field = fieldOf([...parents, key]);
    const meant = similarName(key, object.missing);
    const remedy = meant
      ? `Did you mean ${fieldOf([...parents, meant])}?`
      : 'Remove it or check its spelling.';
    return {
      code: 'unknown_parameter',
      field,
      message: `${cut(field, maxShownLength) || 'The empty name'} is not a known ${noun}. ${remedy}`,
    };
  });
}

/** Whether a key is missing. valibot reports this for the object, and marks it with the last origin of the path. */
function isMissingKey(issue: v.BaseIssue<unknown>): boolean {
  return issue.path?.at(-1)?.origin === 'key' && issue.input === undefined;
}

/** Returns the message for a missing field. It names the unknown field that the client sent instead, if there is one. */
function missingMessage(
  schema: v.GenericSchema,
  issue: v.BaseIssue<unknown>,
  keys: readonly string[],
): string {
  const parents = keys.slice(0, -1);
  const { unknown, missing } = objectOf(schema, issue, parents);
  const field = fieldOf(keys);
  const sent = unknown.slice(0, maxErrors).find((key) => similarName(key, missing) === keys.at(-1));
  if (sent === undefined) return missingFieldMessage(field);
  const shown = cut(fieldOf([...parents, sent]), maxShownLength);
  return `${field} is missing, and ${shown} is unknown. Did you mean ${field}?`;
}

/** Compares the object of an issue with its schema. Returns the keys that are not known, and the known keys that it lacks. */
function objectOf(schema: v.GenericSchema, issue: v.BaseIssue<unknown>, parents: readonly string[]) {
  const known = Object.keys(schemaAt(schema, parents)?.entries ?? {});
  const sent = Object.keys(issue.path?.at(-1)?.input as object);
  const [knownKeys, sentKeys] = [new Set(known), new Set(sent)];
  return {
    unknown: sent.filter((key) => !knownKeys.has(key)),
    missing: known.filter((key) => !sentKeys.has(key)),
  };
}

type SchemaShape = v.GenericSchema & {
  wrapped?: SchemaShape;
  item?: SchemaShape;
  entries?: Record<string, SchemaShape>;
};

/** Returns the schema at a path of keys. Unwraps `optional`, `nullish` and similar schemas. */
function schemaAt(schema: SchemaShape | undefined, keys: readonly string[]): SchemaShape | undefined {
  if (schema?.wrapped !== undefined) return schemaAt(schema.wrapped, keys);
  const [key, ...rest] = keys;
  if (key === undefined || schema === undefined) return schema;
  return schemaAt(schema.item ?? schema.entries?.[key], rest);
}
