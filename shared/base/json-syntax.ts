/**
 * Finds the first syntax error of a text that is not JSON, and describes it by line and column. The messages of `JSON.parse`
 * do not always name the position, and they quote the text.
 */

/** What may follow: a value, the first key or the end of an object, another key, and so on. */
type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'next';

const tokens =
  /[{}[\]:,]|"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const space = /[\t\n\r ]*/y;

/**
 * Returns the index of the first character that cannot be part of JSON, or the length of the text if it is JSON or ends too
 * early.
 */
export function findSyntaxError(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  for (let at = 0; ; ) {
    space.lastIndex = at;
    space.test(text);
    at = space.lastIndex;
    tokens.lastIndex = at;
    const [token] = tokens.exec(text) ?? [];
    const follows: Expected | undefined =
      token === undefined ? undefined : nextExpected(token, expected, open);
    if (token === undefined || follows === undefined) return at;
    at += token.length;
    expected = follows;
  }
}

/** Returns what may follow `token`, or undefined if the token itself may not stand here. Opens and closes containers. */
function nextExpected(token: string, expected: Expected, open: string[]): Expected | undefined {
  const container = open.at(-1);
  if (token === '}' || token === ']') {
    const isEmpty = expected === (token === '}' ? 'firstKey' : 'firstValue');
    const closes = token === '}' ? '{' : '[';
    return container === closes && (isEmpty || expected === 'next') && open.pop() ? 'next' : undefined;
  }
  if (token === ',') {
    if (expected !== 'next' || container === undefined) return undefined;
    return container === '{' ? 'key' : 'value';
  }
  if (token === ':') return expected === 'colon' ? 'value' : undefined;
  if (expected === 'key' || expected === 'firstKey') return token.startsWith('"') ? 'colon' : undefined;
  if (expected !== 'value' && expected !== 'firstValue') return undefined;
  if (token === '{' || token === '[') {
    open.push(token);
    return token === '{' ? 'firstKey' : 'firstValue';
  }
  return 'next';
}

/** Returns the position of an index as a client counts it: lines and characters from 1. */
export function positionIn(text: string, index: number): string {
  const lines = text.slice(0, index).split(/\r\n|\r|\n/);
  return `line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
}
