/**
 * What the service takes for JSON: stricter than `JSON.parse`, because a body that two readers could understand in
 * two ways (a key twice, `__proto__`) must not move money. Fields and their values are judged elsewhere.
 */

/** Levels of objects and arrays, the body itself being the first. */
const maxDepth = 32;

/** The text is not what the service takes for a JSON object; `reason` is a sentence fit for the client. */
export class StrictJsonError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.name = 'StrictJsonError';
    this.reason = reason;
  }
}

const notJson = 'The body is not valid JSON; send one JSON object.';

/**
 * Checks what `JSON.parse` lets pass: that the text is an object, that no key stands twice in one object or is
 * `__proto__` (both compared after unescaping), and that it has at most 32 levels. Throws `StrictJsonError`, and on
 * a text that is no JSON either that or nothing: such a text is for the parser to refuse.
 */
export function assertStrictJson(text: string): void {
  if (!/^[\t\n\r ]*\{/.test(text)) throw new StrictJsonError(reasonForNoObject(text));
  const open: (Set<string> | undefined)[] = []; // the keys of each open object, undefined for an array
  let keyIsNext = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : undefined);
      if (open.length > maxDepth) throw new StrictJsonError(tooDeep);
      keyIsNext = char === '{';
    } else if (char === '}' || char === ']') {
      open.pop();
      keyIsNext = false;
    } else if (char === ',') {
      keyIsNext = open.at(-1) !== undefined;
    } else if (char === '"') {
      const end = endOfString(text, at);
      if (keyIsNext) addKey(open.at(-1), text.slice(at, end));
      keyIsNext = false;
      at = end - 1;
    }
  }
}

const tooDeep = `The body is nested too deep; at most ${maxDepth} levels of objects and arrays are taken.`;

/** Distinguishes `[1]` from `nonsense`; the parser's own depth is no danger, as V8 parses without recursion. */
function reasonForNoObject(text: string): string {
  try {
    JSON.parse(text);
    return 'The body must be a JSON object, in braces.';
  } catch {
    return notJson;
  }
}

/** The index behind the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] === '\\') at++;
  }
  throw new StrictJsonError(notJson);
}

function addKey(keys: Set<string> | undefined, literal: string): void {
  const key = unescaped(literal);
  if (key === '__proto__') throw new StrictJsonError('The body has a key "__proto__"; leave that key out.');
  if (keys?.has(key)) {
    throw new StrictJsonError(
      `The body has the key "${key.slice(0, 64)}" twice in one object; send it once.`,
    );
  }
  keys?.add(key);
}

function unescaped(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return JSON.parse(literal);
  } catch {
    throw new StrictJsonError(notJson);
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text of UTF-8 bytes, or `undefined` if they are not UTF-8. A byte order mark stays in the text, where JSON does
 * not allow it.
 */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * One text for all spellings of the same JSON value: keys sorted by code unit, no white space, numbers and strings as
 * `JSON.stringify` writes them. As there, `undefined` is left out of objects and is `null` elsewhere. Recursive:
 * meant for values that `assertStrictJson` has limited in depth.
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
