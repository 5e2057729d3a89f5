/** Makes texts of other people printable: in a document, each of their characters is visible, and none changes the text around it. */

/** The longest run of characters in which a line cannot break. A longer one is broken into pieces, so it stays inside its column. */
const maxRun = 32;
const pieceLength = 16;

/** What ends a line or a paragraph: all of it becomes a line feed. */
const lineBreaks = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;

/**
 * Characters that are never visible: controls of the writing direction, with which a text could reverse what follows it, variation
 * selectors, fillers and tags. The two joiners stay, because they decide the form of letters.
 */
const invisible = /(?![\u200c\u200d])[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu;

/** Characters without a place to break a line: all but white space, hyphens, and the marks between Tibetan syllables. */
const unbroken = new RegExp(`[^\\s\\-\u0f0b\u0f0d\u200b]{${maxRun + 1},}`, 'gu');

export interface Printable {
  readonly text: string;
  /** The characters that no font has, each once. */
  readonly missing: readonly string[];
}

/**
 * Returns a text as documents print it. A character that no font has becomes its code point: `[U+2603]`.
 * @param isCovered whether a font has a character, given as its code point
 */
export function toPrintable(text: string, isCovered: (codePoint: number) => boolean): Printable {
  const missing = new Set<string>();
  const isMissing = (character: string) => character !== '\n' && !isCovered(character.codePointAt(0) ?? 0);
  const characters = [
    ...text.toWellFormed().replace(lineBreaks, '\n').replaceAll('\t', ' ').replace(invisible, ''),
  ];
  let shown = '';
  for (const [index, character] of characters.entries()) {
    if (!isMissing(character)) {
      shown += character;
      continue;
    }
    missing.add(character);
    const follows = index > 0 && isMissing(characters[index - 1] ?? '');
    shown = `${follows ? `${shown.slice(0, -1)} ` : `${shown}[`}${nameOf(character)}]`;
  }
  return { text: shown.replace(unbroken, breakable), missing: [...missing] };
}

/** Returns the name of a character in Unicode: `U+2603`. */
export const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Puts a place to break a line between some characters, and never into the letters and marks that form one. */
function breakable(run: string): string {
  const clusters = Array.from(new Intl.Segmenter('en').segment(run), ({ segment }) => segment);
  const parts: string[] = [];
  for (let start = 0; start < clusters.length; start += pieceLength)
    parts.push(clusters.slice(start, start + pieceLength).join(''));
  return parts.join('\u200b');
}
