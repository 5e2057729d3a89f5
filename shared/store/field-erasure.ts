/**
 * Says what an erasure of personal data leaves of a field. Each resource declares its fields, stored and shown, and what an
 * erasure does with each. A field that is not declared does not compile.
 */

/** What replaces the values of fields. */
export interface FieldReplacement {
  /** The text that replaces the customer id. */
  readonly pseudonym: string;
  /** Whether the value is of a resource as the API shows it, or of a stored record. */
  readonly isShown: boolean;
}

/** Returns what an erasure leaves of a value. It leaves its own result as it is. */
export type FieldErasure<Value = unknown> = (value: Value, replacement: FieldReplacement) => unknown;

type FieldNames<T> = T extends unknown ? Exclude<keyof T & string, InternalField> : never;
/** The fields of records that no resource declares: an erasure decides on them itself, or they say nothing of a person. */
type InternalField = 'account' | 'mode' | 'version' | 'objectVersion' | 'seq' | 'filterKeys';
type ValueOf<Forms, Name> = Forms extends unknown ? (Name extends keyof Forms ? Forms[Name] : never) : never;

/**
 * What an erasure does with each field of the forms of a resource: its record, and what the API shows of it. An object has a
 * decision for each of its parts, or is replaced as a whole.
 */
export type FieldErasures<Forms> = {
  readonly [Field in FieldNames<Forms>]:
    | FieldErasure<ValueOf<Forms, Field>>
    | FieldErasures<Extract<ValueOf<Forms, Field>, object>>;
};

/** A declaration without its types. */
export interface ErasureTable {
  readonly [field: string]: FieldErasure<never> | ErasureTable;
}

/** A value without parts. So what takes only these values cannot decide on an object. */
type Scalar = string | number | boolean | null | undefined;

/** The text that replaces free texts. It is valid in every field. */
export const erasedText = '[erased]';

/** The value stays. It says nothing of a person, or the books need it. */
export const keepValue: FieldErasure<Scalar> = (value) => value;

export const replaceCustomerId: FieldErasure = (_, { pseudonym }) => pseudonym;

/** Replaces a text. Null and undefined stay. */
export const eraseText: FieldErasure<Scalar> = (value) => (typeof value === 'string' ? erasedText : value);

/** Replaces a text that is not one of the service's own. */
export const eraseTextBut =
  (...ownTexts: readonly string[]): FieldErasure<Scalar> =>
  (value, replacement) =>
    ownTexts.includes(value as string) ? value : eraseText(value, replacement);

/** Replaces any value. */
export const replaceWith =
  (value: unknown): FieldErasure =>
  () =>
    value;

/** Removes metadata. The API shows that as an empty object. */
export const removeMetadata: FieldErasure = (_, { isShown }) => (isShown ? {} : undefined);

/** Erases the parts of each object of a list. */
export const eraseEach =
  <T extends object>(erasures: FieldErasures<T>): FieldErasure<readonly T[] | undefined> =>
  (values, replacement) =>
    values?.map((value) => eraseFields(erasures as ErasureTable, value, replacement));

/**
 * Returns a copy of a resource, or of a part of its fields, without personal data. Fields keep their order. A field that no
 * declaration names stays in a record: it is internal, or of a newer release. In a shown resource it becomes null, or `erasedText`.
 */
export function eraseFields(erasures: ErasureTable, values: object, replacement: FieldReplacement): object {
  const erased = Object.entries(values).map(([field, value]) => {
    const erasure = Object.hasOwn(erasures, field) ? erasures[field] : undefined;
    return [field, erasure ? eraseValue(erasure, value, replacement) : eraseUnknown(value, replacement)];
  });
  return Object.fromEntries(erased);
}

function eraseValue(erasure: ErasureTable[string], value: unknown, replacement: FieldReplacement): unknown {
  if (typeof erasure === 'function') return erasure(value as never, replacement);
  return typeof value === 'object' && value !== null ? eraseFields(erasure, value, replacement) : value;
}

const eraseUnknown: FieldErasure = (value, { isShown }) => {
  if (!isShown) return value;
  return typeof value === 'string' ? erasedText : null;
};
