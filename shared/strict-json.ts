/**
 * Checks that a text is strict JSON, decodes UTF-8, and writes JSON in a canonical form. `validate.ts` checks the fields.
 * - The check is stricter than `JSON.parse`. Two parsers can understand a duplicate key or `__proto__` differently, and such
 *   a body must not move money.
 */
import { maskLongNumbers } from './card-numbers.ts';

/** The maximum number of nested objects and arrays, including the body itself. */
const maxDepth = 32;

/** The error for a text that is not a strict JSON object. `reason` is a message for the client. */
export class StrictJsonError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = 'StrictJsonError';
    this.reason = reason;
  }
}

const notJson = 'The body is not valid JSON. Send one JSON object.';

/**
 * Checks what `JSON.parse` does not check:
 * - The text is an object.
 * - No object has the same key twice, or the key `__proto__`. Keys are compared after unescaping.
 * - The text has at most 32 levels.
 *
 * Does not find every syntax error. Call `JSON.parse` after this function to find the others.
 * @throws StrictJsonError
 */
export function assertStrictJson(text: string): void {
  if (!/^[\t\n\r ]*\{/.test(text)) throw new StrictJsonError(notObjectReason(text));
  const open: (Set<string> | undefined)[] = []; // the keys of each open object; undefined for an array
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : undefined);
      if (open.length > maxDepth) throw new StrictJsonError(tooDeep);
      isKeyNext = char === '{';
    } else if (char === '}' || char === ']') {
      open.pop();
      isKeyNext = false;
    } else if (char === ',') {
      isKeyNext = open.at(-1) !== undefined;
    } else if (char === '"') {
      const end = findStringEnd(text, at);
      if (isKeyNext) addKey(open.at(-1), text.slice(at, end));
      isKeyNext = false;
      at = end - 1;
    }
  }
}

const tooDeep = `The body is nested too deeply. Send at most ${maxDepth} levels of objects and arrays.`;

/**
 * Returns the reason why a text is not an object: it is another JSON value, or not JSON at all. Deeply nested texts are safe to
 * parse, because V8 parses JSON without recursion.
 */
function notObjectReason(text: string): string {
  try {
    JSON.parse(text);
    return 'The body must be a JSON object, enclosed in braces.';
  } catch {
    return notJson;
  }
}

/** Returns the index after the closing quote of the string that begins at `start`. */
function findStringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] === '\\') at++;
  }
  throw new StrictJsonError(notJson);
}

function addKey(keys: Set<string> | undefined, literal: string): void {
  const key = unescapeKey(literal);
  if (key === '__proto__') throw new StrictJsonError('The body has the key "__proto__". Remove this key.');
  if (keys?.has(key)) {
    throw new StrictJsonError(
      `The body has the key "${maskLongNumbers(key).slice(0, 64)}" twice in the same object. Send it only once.`,
    );
  }
  keys?.add(key);
}

function unescapeKey(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return JSON.parse(literal);
  } catch {
    throw new StrictJsonError(notJson);
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8 bytes. Returns undefined if they are not valid UTF-8. Keeps a byte order mark in the text, so that the JSON
 * parser rejects it.
 */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Writes a JSON value in a canonical form, which is the same for equal values.
 * - Keys are sorted by code unit, and there is no white space.
 * - All else is as in `JSON.stringify`: `undefined` is left out of objects, and is `null` elsewhere.
 * - The function is recursive. Pass only values whose depth `assertStrictJson` has checked.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}
