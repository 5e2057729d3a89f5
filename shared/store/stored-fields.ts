/**
 * Describes the attributes of stored items, so that an item is checked where it is read. A check is a plain function: a record of
 * 20 attributes takes less than a microsecond, and each GET and each row of a list pays for it.
 *
 * - A check accepts everything that a later version may store in the same attribute: other statuses, codes and event types, and
 *   further attributes of nested objects.
 * - An error names the item and the attribute. It never contains the value, which could be personal data.
 */

import { fromStoredText, type StoredText } from './stored-text.ts';

/** How one property is stored. `V` is the type of the property. */
export interface Field<V> {
  /** What the attribute must be, as the end of a sentence: "it must be …". */
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
  /** Only a type: a check of another type does not compile. */
  readonly type?: (value: V) => V;
}

/** The checks of all properties of `T`. */
export type Fields<T> = { readonly [Name in keyof T & string]-?: Field<T[Name]> };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Milliseconds since 1970 that `Date` can represent. */
const latestInstant = 8.64e15;
const isInstant = (value: unknown) => Number.isInteger(value) && Math.abs(value as number) <= latestInstant;

export const text: Field<string> = { expected: 'a text', accepts: (value) => typeof value === 'string' };

/** A text that is one of some known texts. A later version may store others. */
export const textOf = <V extends string>(): Field<V> => text as unknown as Field<V>;

/** A text, or its compressed form: see `stored-text.ts`. */
export const compressibleText: Field<string> = {
  expected: 'a text or a compressed text',
  accepts: (value) => typeof value === 'string' || value instanceof Uint8Array,
};

export const flag: Field<boolean> = {
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
};

export const finite: Field<number> = { expected: 'a number', accepts: Number.isFinite };

/** A value of JSON that is no list and no object. */
export const scalar: Field<string | number | boolean | null> = {
  expected: 'a text, a number, true, false or null',
  accepts: (value) => value === null || ['string', 'number', 'boolean'].includes(typeof value),
};

export const integer: Field<number> = { expected: 'an integer', accepts: Number.isSafeInteger };

/** An integer from 0 on. */
export const count: Field<number> = {
  expected: 'an integer from 0 on',
  accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};

/** An integer from 1 on. */
export const positive: Field<number> = {
  expected: 'an integer from 1 on',
  accepts: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
};

/** An instant in milliseconds since 1970. */
export const instant: Field<number> = {
  expected: 'an instant in milliseconds since 1970',
  accepts: isInstant,
};

/** The property has another form than its attribute, which is a text or compressed text. `json` of the record type says which. */
export const compressibleJson = <V extends object>(): Field<V> => compressibleText as unknown as Field<V>;

/** JSON text of an object with texts: see `metadata.ts`. */
export const jsonObject: Field<string> = {
  expected: 'the JSON text of an object with texts',
  accepts: (value) => {
    if (typeof value !== 'string') return false;
    try {
      const parsed: unknown = JSON.parse(value);
      return isObject(parsed) && Object.values(parsed).every(text.accepts);
    } catch {
      return false;
    }
  },
};

/** One of these values. Only for what no later version can extend without a change of this version. */
export function oneOf<V extends string | boolean>(...values: readonly V[]): Field<V> {
  const known = new Set<unknown>(values);
  return { expected: `one of ${values.join(', ')}`, accepts: (value) => known.has(value) };
}

/** The attribute may be missing. */
export function optional<V>({ expected, accepts }: Field<V>): Field<V | undefined> {
  return { expected, accepts: (value) => value === undefined || accepts(value) };
}

/** The attribute may be null. */
export function nullable<V>({ expected, accepts }: Field<V>): Field<V | null> {
  return { expected: `${expected}, or null`, accepts: (value) => value === null || accepts(value) };
}

/** Each of the attributes may be absent. */
export const optionalEach = <T extends object>(fields: Fields<T>) =>
  mapFields(fields, optional) as { readonly [Name in keyof T]: Field<T[Name] | undefined> };

/** Each of the attributes may be null. */
export const nullableEach = <T extends object>(fields: Fields<T>) =>
  mapFields(fields, nullable) as { readonly [Name in keyof T]: Field<T[Name] | null> };

function mapFields<T extends object>(fields: Fields<T>, map: (field: Field<unknown>) => unknown): unknown {
  const all = Object.entries(fields as Readonly<Record<string, Field<unknown>>>);
  return Object.fromEntries(all.map(([name, field]) => [name, map(field)]));
}

export function arrayOf<V>({ expected, accepts }: Field<V>): Field<readonly V[]> {
  return {
    expected: `a list, each element ${expected}`,
    accepts: (value) => Array.isArray(value) && value.every((element) => accepts(element)),
  };
}

export function objectOf<T extends object>(fields: Fields<T>): Field<T> {
  const checks = Object.entries(fields as object as Readonly<Record<string, Field<never>>>);
  return {
    expected: `an object with ${checks.map(([name]) => name).join(', ')}`,
    accepts: (value) => isObject(value) && checks.every(([name, { accepts }]) => accepts(value[name])),
  };
}

/** An object with values of one form, by name. */
export function mapOf<V>({ expected, accepts }: Field<V>): Field<Readonly<Record<string, V>>> {
  return {
    expected: `an object, each value ${expected}`,
    accepts: (value) => isObject(value) && Object.values(value).every((each) => accepts(each)),
  };
}

/** Bytes. */
export const binary: Field<Uint8Array> = {
  expected: 'bytes',
  accepts: (value) => value instanceof Uint8Array,
};

/** An object whose attributes are checked elsewhere. */
export const anyObject: Field<object> = { expected: 'an object', accepts: isObject };

/**
 * An item that cannot be read, because an attribute is missing or has another form. The service never changes or deletes it: the
 * values that it has may be the only copy.
 */
export class MalformedItemError extends Error {
  override readonly name: string = 'MalformedItemError';
  /** The id of the record, or the name of another item. Contains no personal data. */
  readonly item: string;
  /** What is wrong with it. */
  readonly problem: string;

  /**
   * @param problem what is wrong with it. Contains no value of the item.
   * @param remedy what to do, as sentences
   */
  constructor(
    item: string,
    problem: string,
    {
      cause,
      remedy = 'Nothing changes it until somebody repairs the item.',
    }: { cause?: unknown; remedy?: string } = {},
  ) {
    super(`${item} is malformed: ${problem}. ${remedy}`, { cause });
    this.item = item;
    this.problem = problem;
  }
}

/** The checks of an item, each with the name of its attribute. */
export type AttributeChecks = readonly (readonly [attribute: string, field: Field<never>])[];

/** Returns the checks of an item. */
export const checksOf = (fields: object): AttributeChecks =>
  Object.entries(fields as Readonly<Record<string, Field<never>>>);

/**
 * Checks the attributes of an item.
 * @param name names the item in the error, and is computed only for it
 * @throws MalformedItemError for the first attribute that is missing or has another form
 */
export function requireAttributes(
  checks: AttributeChecks,
  item: Readonly<Record<string, unknown>>,
  name: () => string,
): void {
  for (const [attribute, { accepts, expected }] of checks) {
    if (accepts(item[attribute])) continue;
    const fault = item[attribute] === undefined ? 'is missing' : 'has another form';
    throw new MalformedItemError(name(), `its attribute ${attribute} ${fault}, and must be ${expected}`);
  }
}

/** The attributes of an item by name. */
type Attributes = Readonly<Record<string, unknown>>;

/**
 * Defines how the items of a kind are read. `T` has the attributes that are used.
 * @param nameOf names an item in the error. The name contains no personal data.
 * @param texts the attributes that are stored compressed if they are long
 * @returns a function that checks an item and returns it. It throws `MalformedItemError`.
 */
export function defineItem<T extends object>(
  nameOf: (item: Attributes) => string,
  fields: Fields<T>,
  texts: readonly (keyof T & string)[] = [],
): (item: Attributes) => T {
  const checks = checksOf(fields);
  return (item) => {
    requireAttributes(checks, item, () => nameOf(item));
    if (texts.length === 0) return item as T;
    const read = texts.map((name) => [name, decompress(nameOf(item), name, item[name] as StoredText)]);
    return { ...item, ...Object.fromEntries(read) } as T;
  };
}

/**
 * Returns a text that can be stored compressed.
 * @param item names the item in the error
 * @throws MalformedItemError
 */
export function decompress(item: string, name: string, stored: StoredText): string {
  try {
    return fromStoredText(stored);
  } catch (cause) {
    throw new MalformedItemError(item, `its attribute ${name} is compressed in another form`, { cause });
  }
}

/**
 * Returns the value of a JSON text that can be stored compressed.
 * @param item names the item in the error
 * @param field the check of the value
 * @throws MalformedItemError
 */
export function parseJson(item: string, name: string, stored: StoredText, field: Field<never>): unknown {
  const json = decompress(item, name, stored);
  const value = jsonValueOf(json);
  if (field.accepts(value)) return value;
  throw new MalformedItemError(item, `its attribute ${name} has another form, and must be ${field.expected}`);
}

function jsonValueOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Returns what `parse` returns, or the error if the item is malformed. */
export function parseOrError<T>(item: Attributes, parse: (item: Attributes) => T): T | MalformedItemError {
  try {
    return parse(item);
  } catch (error) {
    if (error instanceof MalformedItemError) return error;
    throw error;
  }
}

/** Returns the result of a read, or the error if the item is malformed. */
export function orMalformed<T>(read: Promise<T>): Promise<T | MalformedItemError> {
  return read.catch((error: unknown) => {
    if (error instanceof MalformedItemError) return error;
    throw error;
  });
}
