/**
 * Decodes percent-encoded paths and queries as API Gateway does. An invalid path has no decoded form. In a query,
 * U+FFFD replaces invalid bytes.
 */
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const replacementCharacter = Buffer.from('\uFFFD');

/** A text that is its own decoded form. */
const plain = /^[ -$&-~]*$/;

/** Returns the decoded text, or undefined if an escape is invalid or the bytes are not UTF-8. */
export function decodePercent(text: string): string | undefined {
  if (plain.test(text)) return text;
  if (/%(?![0-9a-f]{2})/i.test(text)) return undefined;
  try {
    return strict.decode(toBytes(text));
  } catch {
    return undefined;
  }
}

/** Returns the name and value pairs of a query string in order. `+` is a space. U+FFFD replaces invalid bytes. */
export function decodeQuery(query: string): readonly (readonly [string, string])[] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1
        ? [decodeFormText(pair), '']
        : [decodeFormText(pair.slice(0, equals)), decodeFormText(pair.slice(equals + 1))];
    });
}

function decodeFormText(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  return plain.test(spaced) ? spaced : lenient.decode(toBytes(spaced));
}

/** Returns the bytes of a request target. Node provides it as Latin-1 text, one character for each byte. */
function toBytes(text: string): Uint8Array {
  const parts = text.match(/%[0-9a-f]{2}|%|[^%]+/gi) ?? [];
  return Buffer.concat(
    parts.map((part) => {
      if (part === '%') return replacementCharacter;
      return part.startsWith('%') ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part, 'latin1');
    }),
  );
}
