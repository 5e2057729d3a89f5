/**
 * Runs a schema over a body or a query and words the first thing wrong as an error: its code, field and message.
 * How that error is answered is not decided here.
 */
import * as v from 'valibot';

export type Validation<Output> =
  | { ok: true; output: Output }
  | { ok: false; code: string; field: string; message: string };

/**
 * Judges `input` by `schema`, whose objects are strict and whose entries stand in the order of judgement; unknown
 * keys come after all known ones. Only the first error is reported.
 *
 * Out: the schema's output, or the `code` (`unknown_parameter`, else as `codeOfField` says), the `field` as a dotted
 * path, and the schema's own sentence about that field, which is the same for an absent value as for a wrong one.
 * `unknown` is the noun for a key that has no entry. Throws nothing.
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
  const field = keys.length === 0 ? 'body' : withoutNumbers(keys.join('.'));
  if (isUnknownKey(issue)) {
    return { ok: false, code: 'unknown_parameter', field, message: unknownMessage(field, unknown) };
  }
  const message = isMissingKey(issue) ? missingMessage(schema, keys, field) : issue.message;
  return { ok: false, code: codeOfField(field), field, message };
}

const irregular = new Map([
  ['customerId', 'invalid_customer'],
  ['invoiceId', 'invalid_invoice'],
  ['paymentId', 'invalid_payment'],
  ['card.number', 'invalid_card_number'],
  ['card.expMonth', 'invalid_card_expiry'],
  ['card.expYear', 'invalid_card_expiry'],
  ['card.cvc', 'invalid_card_cvc'],
]);

/**
 * The error code for a field that is absent, null, or of a wrong type or value: `invalid_` and the field's dotted path
 * in snake_case, without positions in arrays (`dueDate`: `invalid_due_date`, `events.0`: `invalid_events`), but for a
 * few shorter ones.
 */
export function codeOfField(field: string): string {
  const path = field.replace(/\.\d+(?=\.|$)/g, '');
  const snakeCase = path.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
  return irregular.get(path) ?? `invalid_${snakeCase.toLowerCase()}`;
}

/** A field's name is the client's own: it may hold what belongs into its value, such as a card number. */
function withoutNumbers(name: string): string {
  return name.replace(/\d[\d -]{10,}\d/g, '…');
}

function isUnknownKey(issue: v.BaseIssue<unknown>): boolean {
  return issue.type === 'strict_object' && issue.expected === 'never';
}

function unknownMessage(field: string, noun: string): string {
  const name = field.length > 64 ? `${field.slice(0, 64)}…` : field;
  return `${name} is not a known ${noun} here; leave it out or check its spelling.`;
}

/** valibot lets the object, which knows no remedy, report an absent key, and marks that by the path's last origin. */
function isMissingKey(issue: v.BaseIssue<unknown>): boolean {
  return issue.path?.at(-1)?.origin === 'key' && issue.input === undefined;
}

/** What the absent field's own schema says about `undefined`. */
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

/** The schema of a key of an object, or of the items of an array, through `optional`, `nullish` and the like. */
function entryOf(schema: SchemaShape | undefined, key: string): SchemaShape | undefined {
  if (schema?.wrapped !== undefined) return entryOf(schema.wrapped, key);
  return schema?.item ?? schema?.entries?.[key];
}
