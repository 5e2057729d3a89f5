/**
 * Defines metadata: texts of the client by key, which the service stores and shows, and never reads.
 *
 * - Keys of an update replace those that exist, and null removes a key. The limits apply to the result.
 * - A key is data, also if it is the name of a property such as `constructor`. So records store metadata as JSON text: the AWS
 *   SDK cannot store an object with such a key. `__proto__` is refused, as everywhere in a body.
 */
import * as v from 'valibot';
import { containsCardNumber, maskLongNumbers } from './card-numbers.ts';
import { ApiError } from './errors.ts';
import { cardNumberMessage, isPlainText } from './text.ts';

type Metadata = Readonly<Record<string, string>>;
/** Null removes a key. */
type MetadataUpdate = Readonly<Record<string, string | null>>;

const maxKeys = 20;
const maxKeyLength = 40;
const maxValueLength = 500;
/** In bytes, as JSON in UTF-8 without spaces. */
const maxBytes = 4096;

const limits = `at most ${maxKeys} keys of 1 to ${maxKeyLength} characters, with texts of at most ${maxValueLength} characters, and at most ${maxBytes} bytes as JSON in UTF-8`;
const createMessage = `metadata must be an object such as {"orderId": "1047"}: ${limits}.`;
const updateMessage = `metadata must be null, or an object such as {"orderId": "1047", "draft": null}: ${limits}. Null removes a key, or all keys.`;

/** The metadata of a new resource. */
export const newMetadataSchema = /* @__PURE__ */ v.custom<Metadata>(
  (input) => faultOf(input, false) === undefined,
  ({ input }) => faultOf(input, false) ?? createMessage,
);

/** The metadata of an update: the keys to set or remove. `mergeMetadata` checks how many there are then. */
export const metadataUpdateSchema = /* @__PURE__ */ v.custom<MetadataUpdate>(
  (input) => faultOf(input, true) === undefined,
  ({ input }) => faultOf(input, true) ?? updateMessage,
);

/** Metadata in responses. */
export const shownMetadataSchema = /* @__PURE__ */ v.record(v.string(), v.string());

/** Returns metadata as the API shows it. @param stored the result of `mergeMetadata` */
export function showMetadata(stored = '{}'): Record<string, string> {
  return JSON.parse(stored);
}

/**
 * Applies an update to stored metadata.
 * @param stored JSON text, or undefined if the resource has no metadata
 * @param update null removes all keys, undefined leaves the metadata as it is
 * @returns the JSON text to store, the same for the same metadata; undefined if no key is left
 * @throws ApiError `invalid_metadata` if the result has too many keys or bytes
 */
export function mergeMetadata(
  stored: string | undefined,
  update: MetadataUpdate | null | undefined,
): string | undefined {
  if (update === undefined) return stored;
  const entries = Object.entries({ ...(update && showMetadata(stored)), ...update });
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const merged = Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
  const message = sizeFaultOf(merged);
  if (message !== undefined) throw new ApiError('invalid_metadata', { field: 'metadata', message });
  return Object.keys(merged).length > 0 ? JSON.stringify(merged) : undefined;
}

/** Returns what is wrong with metadata in a request and what to do. Undefined if it is valid. */
function faultOf(input: unknown, isUpdate: boolean): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return isUpdate ? updateMessage : createMessage;
  for (const [key, value] of Object.entries(input)) {
    const fault = keyFaultOf(key) ?? (isUpdate && value === null ? undefined : valueFaultOf(key, value));
    if (fault !== undefined) return fault;
  }
  return isUpdate ? undefined : sizeFaultOf(input as Metadata);
}

function keyFaultOf(key: string): string | undefined {
  if (key.trim() === '' || key === '__proto__' || !isPlainText(key, maxKeyLength))
    return `metadata has the key ${shown(key)}. A key must have 1 to ${maxKeyLength} characters. It must not be only white space or __proto__, or contain NUL or unpaired surrogates.`;
  return undefined;
}

function valueFaultOf(key: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || !isPlainText(value, maxValueLength))
    return `metadata has no valid text for the key ${shown(key)}. Send a text of at most ${maxValueLength} characters, without NUL and unpaired surrogates.`;
  return containsCardNumber(value) ? cardNumberMessage('metadata') : undefined;
}

function sizeFaultOf(metadata: Metadata): string | undefined {
  const count = Object.keys(metadata).length;
  if (count > maxKeys) return `metadata would have ${count} keys. Have at most ${maxKeys}.`;
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  return bytes > maxBytes
    ? `metadata would have ${bytes} bytes as JSON in UTF-8. Have at most ${maxBytes}.`
    : undefined;
}

/** A key for a message. The client chose it, so it is cut, and it could contain a part of a card number. */
function shown(key: string): string {
  const text = maskLongNumbers(key.toWellFormed());
  return JSON.stringify(text.length > maxKeyLength ? `${text.slice(0, maxKeyLength)}…` : text);
}
