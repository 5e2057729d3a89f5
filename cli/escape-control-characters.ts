/**
 * Escapes control characters in text that a terminal shows.
 * - Control characters could move the cursor, change the window's title or reverse the writing direction.
 * - All output of the commands is escaped, because it can contain texts from users of the API.
 */

/** Control characters, lone surrogates and separators, but not the joiners that Indic scripts and emoji need. */
const invisibleCharacters = /(?!\p{Join_Control})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Escapes a text of several lines. Keeps line feeds. */
export function escapeControlCharacters(text: string): string {
  return text.replace(invisibleCharacters, (character) =>
    character === '\n' ? character : toUnicodeEscapes(character),
  );
}

/** Escapes a text for one line. Line feeds become `\n`. */
export function escapeToOneLine(text: string): string {
  return text.replace(invisibleCharacters, (character) =>
    character === '\n' ? '\\n' : toUnicodeEscapes(character),
  );
}

/** Returns the escape sequences of JSON, so that escaped JSON text keeps its value. */
function toUnicodeEscapes(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
