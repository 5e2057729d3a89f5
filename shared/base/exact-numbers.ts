/**
 * Judges the numbers of a JSON text by their digits. `JSON.parse` rounds a number to a double, before any rule sees it: it
 * reads the amount `99.99999999999999999` as 100.
 */

/** A number whose digits a double cannot hold. No schema of a number accepts it, and it equals only the same digits. */
export class InexactNumber {
  readonly inexactNumber: string;

  constructor(digits: string) {
    this.inexactNumber = digits;
  }
}

/** Texts without such a part have only numbers of at most 15 digits, which a double holds. */
const canRound = /\d[.eE]|\d{16}/;

/** Returns the reviver with which `JSON.parse` reads a text exactly. Undefined if the text needs none. */
export function exactReviver(text: string): ((key: string, value: unknown) => unknown) | undefined {
  return canRound.test(text) ? keepDigits : undefined;
}

/** @param context has the text of a number: see the proposal "JSON.parse source text access" */
function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  const digits = normalizeDigits(source);
  return digits === normalizeDigits(String(value)) ? value : new InexactNumber(digits ?? source);
}

/** Returns a decimal number as its digits and an exponent, which is the same for equal numbers. Undefined for infinity. */
function normalizeDigits(text: string): string | undefined {
  const [, sign = '', whole, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (start < end && all[start] === '0') start += 1;
  while (end > start && all[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${sign}${all.slice(start, end)}e${Number(exponent) - fraction.length + all.length - end}`;
}
