/**
 * Renders and reads metadata as a text field with one `key=text` per line.
 *
 * Clients can store keys and texts that such a line cannot express, for example with line breaks. The field leaves them out,
 * and a form never changes them.
 */
import { type mergeMetadata, showMetadata } from '../../../base/metadata.ts';
import type { Markup } from '../../pages/markup.ts';
import { renderField } from '../forms.ts';
import { linesOf, type SentFields, type ValidatedFields } from './form-fields.ts';

type StoredMetadata = ReturnType<typeof mergeMetadata>;

export const metadataField = {
  label: 'Metadata',
  hint: 'Optional texts of your own, one key=text per line, for example orderId=1047.',
} as const;

const describeHidden = (count: number) =>
  count === 1
    ? 'One text cannot be shown here and stays as it is. Change it with the API.'
    : `${count} texts cannot be shown here and stay as they are. Change them with the API.`;

const malformedText =
  'Metadata must have one key=text per line, such as orderId=1047, and each key only once.';

/** Returns the value of the field that shows stored metadata. */
export function metadataLines(stored: StoredMetadata): string {
  return Object.entries(showMetadata(stored))
    .filter(isLine)
    .map(([key, text]) => `${key}=${text}`)
    .join('\n');
}

/**
 * Renders the field.
 * @param stored the metadata of the record that the form changes. The hint says if the field leaves out some of it.
 */
export function renderMetadataField(
  value: string,
  error: string | undefined,
  stored?: StoredMetadata,
): Markup {
  const hidden = Object.entries(showMetadata(stored)).filter((entry) => !isLine(entry)).length;
  const hint = hidden > 0 ? `${metadataField.hint} ${describeHidden(hidden)}` : metadataField.hint;
  return renderField({ name: 'metadata', type: 'textarea', label: metadataField.label, hint, value, error });
}

/** The texts of the field by key. Undefined if the form has no such field. */
type SentMetadata = Readonly<Record<string, string>> | undefined;

/** Reads the field. Returns `malformed` if a line has no key, or if two lines have the same one. */
export function sentMetadata(fields: SentFields): SentMetadata | 'malformed' {
  if (typeof fields.get('metadata') !== 'string') return undefined;
  const lines = linesOf(fields, 'metadata').split('\n');
  const entries = lines.flatMap((line) => (line.trim() === '' ? [] : [parseLine(line)]));
  const keys = new Set(entries.map(([key]) => key));
  return keys.has('') || keys.size < entries.length ? 'malformed' : Object.fromEntries(entries);
}

/**
 * Validates the other fields of a form together with its metadata.
 * @param metadata the result of `sentMetadata`
 * @param validateWith validates the fields with this metadata
 */
export function validateWithMetadata<Output>(
  metadata: ReturnType<typeof sentMetadata>,
  validateWith: (metadata: SentMetadata) => ValidatedFields<Output>,
): ValidatedFields<Output> {
  if (metadata !== 'malformed') return validateWith(metadata);
  const result = validateWith(undefined);
  return { ok: false, errors: { ...(!result.ok && result.errors), metadata: malformedText } };
}

/**
 * Returns the update that makes stored metadata that of the field. Null removes a key. Undefined if nothing changes.
 * @param stored the metadata of the record that the form showed
 */
export function toMetadataUpdate(
  stored: StoredMetadata,
  sent: SentMetadata,
): Record<string, string | null> | undefined {
  if (!sent) return undefined;
  const present = Object.entries(showMetadata(stored));
  const removed = present.filter((entry) => isLine(entry) && !Object.hasOwn(sent, entry[0]));
  const texts = new Map(present);
  const set = Object.entries(sent).filter(([key, text]) => texts.get(key) !== text);
  const update = [...removed.map(([key]) => [key, null] as const), ...set];
  return update.length > 0 ? Object.fromEntries(update) : undefined;
}

/** Whether a line expresses a key and its text exactly. */
function isLine([key, text]: readonly [string, string]): boolean {
  const line = `${key}=${text}`;
  const [parsedKey, parsedText] = parseLine(line);
  return !/[\r\n]/.test(line) && parsedKey === key && parsedText === text;
}

/** The key is '' if the line has none. */
function parseLine(line: string): readonly [string, string] {
  const position = line.indexOf('=');
  return position < 0 ? ['', ''] : [line.slice(0, position).trim(), line.slice(position + 1).trim()];
}
