/**
 * Checks that a text is strict JSON, decodes UTF-8, and writes JSON in a canonical form. `validate.ts` checks the fields.
 * - The check is stricter than `JSON.parse`. Two parsers can understand a duplicate key or `__proto__` differently, and such
 *   a body must not move money.
 */
import { maskLongNumbers } from './card-numbers.ts';
import { findSyntaxError, positionIn } from './json-syntax.ts';

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

/** Returns the message for a text that is not JSON. It names the position of the first error, and a common cause. */
export function syntaxErrorMessage(text: string): string {
  const at = findSyntaxError(text);
  const position = positionIn(text, at);
  if (at >= text.length)
    return `The body is not valid JSON: it is incomplete at ${position}. Send one JSON object.`;
  const isAfterComma = /,[\t\n\r ]*$/.test(text.slice(0, at)) && /[}\]]/.test(text[at] ?? '');
  const remedy = isAfterComma
    ? 'Remove the comma before it.'
    : text[at] === "'"
      ? 'Use double quotes.'
      : 'Send one JSON object.';
  return `The body is not valid JSON at ${position}. ${remedy}`;
}

/** The keys of each open object, and the index of the open item of each open array. */
type OpenContainers = (Set<string> | number)[];

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
  const open: OpenContainers = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : 0);
      if (open.length > maxDepth) throw new StrictJsonError(tooDeep);
      isKeyNext = char === '{';
    } else if (char === '}' || char === ']') {
      open.pop();
      isKeyNext = false;
    } else if (char === ',') {
      const container = open.at(-1);
      isKeyNext = typeof container === 'object';
      if (typeof container === 'number') open[open.length - 1] = container + 1;
    } else if (char === '"') {
      const end = findStringEnd(text, at);
      if (isKeyNext) addKey(open, text, at, end);
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
    return syntaxErrorMessage(text);
  }
}

/** Returns the index after the closing quote of the string that begins at `start`. */
function findStringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] === '\\') at++;
  }
  throw new StrictJsonError(syntaxErrorMessage(text));
}

/** Adds the key that is at `at` to the keys of the innermost object. */
function addKey(open: OpenContainers, text: string, at: number, end: number): void {
  const key = unescapeKey(text, at, end);
  const keys = open.at(-1);
  const isTwice = typeof keys === 'object' && keys.has(key);
  if (isTwice || key === '__proto__') {
    const path = [...open.slice(0, -1).map(lastKeyOf), key].join('.');
    const shown = `"${maskLongNumbers(path).slice(0, 64)}"`;
    const position = positionIn(text, at);
    throw new StrictJsonError(
      isTwice
        ? `The body has the key ${shown} twice, again at ${position}. Send it only once.`
        : `The body has the key ${shown} at ${position}. Remove this key.`,
    );
  }
  if (typeof keys === 'object') keys.add(key);
}

/** The last key of an open object, or the index of an array's open item. */
const lastKeyOf = (container: Set<string> | number) =>
  typeof container === 'number' ? container : [...container].at(-1);

function unescapeKey(text: string, at: number, end: number): string {
  const literal = text.slice(at, end);
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return JSON.parse(literal);
  } catch {
    throw new StrictJsonError(syntaxErrorMessage(text));
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
