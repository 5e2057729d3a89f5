/** Validates the fields of a form with the schema of an API request, so the dashboard and the API accept the same values. */
import * as v from 'valibot';
import { containsCardNumber } from '../../../base/card-numbers.ts';
import { parseMajorUnits } from '../../../base/money.ts';
import { cardNumberMessage } from '../../../base/text.ts';

/** The message beside each field that is wrong, by the field's name. */
export type FieldErrors = Readonly<Record<string, string>>;

export type ValidatedFields<Output> =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly errors: FieldErrors };

/** What the messages of a form say, by the field's name. */
interface FieldTexts {
  /** How the form names the field. Replaces the field's name in the messages of the schema. */
  readonly label: string;
  /** Replaces the messages of the schema, where the form has another unit or format. */
  readonly message?: string;
}

/** The fields of a form as they were sent: the first value of each. */
export interface SentFields {
  get(name: string): string | null | undefined;
}

/** Returns the text of a field, without white space around it. An absent field is empty. */
export function lineOf(fields: SentFields, name: string): string {
  return (fields.get(name) ?? '').trim();
}

/** Returns the text of a field with several lines. Browsers send CRLF line ends; they become line feeds. */
export function linesOf(fields: SentFields, name: string): string {
  return (fields.get(name) ?? '').replace(/\r\n?/g, '\n').trim();
}

/** Returns the text of a field, or undefined if it is empty. */
export function optionalLineOf(fields: SentFields, name: string): string | undefined {
  return lineOf(fields, name) || undefined;
}

/** Returns the choice of a list of yes and no. A text that is none of them stays, so that it is refused. */
export const choiceOf = (sent: string): boolean | string =>
  sent === 'yes' ? true : sent === 'no' ? false : sent;

/** Returns an amount in the smallest currency unit. A text that is not an amount becomes NaN, which no schema accepts. */
export function sentAmountOf(fields: SentFields, name: string): number {
  return parseMajorUnits(lineOf(fields, name)) ?? Number.NaN;
}

/**
 * Returns what is wrong with a text that the user typed. Undefined if it is valid or absent.
 * @param isValid whether it has a valid form
 * @param texts the message says what form is valid
 */
export function typedTextError(
  text: string | undefined,
  isValid: (text: string) => boolean,
  { label, message }: Required<FieldTexts>,
): string | undefined {
  if (text === undefined) return undefined;
  if (!isValid(text)) return message;
  return containsCardNumber(text) ? cardNumberMessage(label) : undefined;
}

/**
 * Validates `input` with the schema of an API request. Returns the first error of each field, in the words of the form.
 * @param texts the fields of the form
 */
export function validateFields<const Schema extends v.GenericSchema>(
  schema: Schema,
  input: unknown,
  texts: Readonly<Record<string, FieldTexts>>,
): ValidatedFields<v.InferOutput<Schema>> {
  const result = v.safeParse(schema, input);
  if (result.success) return { ok: true, output: result.output };
  const errors: Record<string, string> = {};
  for (const issue of result.issues) {
    const field = String(issue.path?.[0]?.key ?? '');
    errors[field] ??= inFormWords(field, issue.message, texts);
  }
  return { ok: false, errors };
}

/** Returns a message of the API for a field in the words of the form. */
export function inFormWords(
  field: string,
  message: string,
  texts: Readonly<Record<string, FieldTexts>>,
): string {
  const { label, message: own } = texts[field] ?? {};
  if (own !== undefined) return own;
  return label === undefined ? message : message.replace(new RegExp(`\\b${field}\\b`), label);
}
