/**
 * Text from elsewhere, made fit for a terminal: what could move its cursor, change its title or turn the direction of
 * writing is shown as an escape. Whatever the commands print goes through here.
 */

/** Controls, surrogates on their own and separators; the joiners stay, which Indic scripts and emoji are written with. */
const unseen = /(?!\p{Join_Control})[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** In lines: line feeds stay. */
export function visible(text: string): string {
  return text.replace(unseen, (character) => (character === '\n' ? character : escaped(character)));
}

/** In one line. */
export function visibleLine(text: string): string {
  return text.replace(unseen, (character) => (character === '\n' ? '\\n' : escaped(character)));
}

/** The same, spelled as in JSON, so that JSON text stays the same value. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
