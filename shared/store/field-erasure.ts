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
export type FieldErasure = (value: unknown, replacement: FieldReplacement) => unknown;

type FieldNames<T> = T extends unknown ? Exclude<keyof T & string, InternalField> : never;
/** The fields of records that no resource declares: an erasure decides on them itself, or they say nothing of a person. */
type InternalField = 'account' | 'mode' | 'version' | 'objectVersion' | 'seq' | 'filterKeys';

/** The erasure of each field of the forms of a resource: its record, and what the API shows of it. */
export type FieldErasures<Forms> = { readonly [Field in FieldNames<Forms>]: FieldErasure };

/** The text that replaces free texts. It is valid in every field. */
export const erasedText = '[erased]';

/** The value stays. It says nothing of a person, or the books need it. */
export const keepValue: FieldErasure = (value) => value;

export const replaceCustomerId: FieldErasure = (_, { pseudonym }) => pseudonym;

/** Replaces a text. Null and undefined stay. */
export const eraseText: FieldErasure = (value) => (typeof value === 'string' ? erasedText : value);

/** Replaces a text that is not one of the service's own. */
export const eraseTextBut =
  (...ownTexts: readonly string[]): FieldErasure =>
  (value, replacement) =>
    ownTexts.includes(value as string) ? value : eraseText(value, replacement);

/** Replaces any value. */
export const replaceWith =
  (value: unknown): FieldErasure =>
  () =>
    value;

/** Removes metadata. The API shows that as an empty object. */
export const removeMetadata: FieldErasure = (_, { isShown }) => (isShown ? {} : undefined);

/** Erases the parts of an object. Null and undefined stay. */
export const eraseParts =
  <T extends object>(erasures: FieldErasures<T>): FieldErasure =>
  (value, replacement) =>
    typeof value === 'object' && value !== null ? eraseFields(erasures, value, replacement) : value;

/**
 * Returns a copy of a resource, or of a part of its fields, without personal data. Fields keep their order. A field that this
 * release does not know becomes null, or `erasedText`.
 */
export function eraseFields(
  erasures: Readonly<Record<string, FieldErasure>>,
  values: object,
  replacement: FieldReplacement,
): object {
  const erased = Object.entries(values).map(([field, value]) => {
    const erase = Object.hasOwn(erasures, field) ? erasures[field] : undefined;
    const unknown = typeof value === 'string' ? erasedText : null;
    return [field, erase ? erase(value, replacement) : unknown];
  });
  return Object.fromEntries(erased);
}
