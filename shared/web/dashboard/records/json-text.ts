/** Formats JSON for people, safe to look at. */

/** Characters that change the direction of the text around them, and other invisible ones, except line feeds. */
const invisible = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** Returns a JSON text with line breaks and indentation. Invisible characters are escaped as JSON allows. */
export function prettyJson(json: string): string {
  return escapeInvisible(JSON.stringify(JSON.parse(json), null, 2));
}

/** Escapes invisible characters, so that they cannot change what a reader sees. Keeps line feeds. */
export function escapeInvisible(text: string): string {
  return text.replace(invisible, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
