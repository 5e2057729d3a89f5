/** Cuts texts to the lengths that providers take. */

/**
 * Returns a text of at most `maxLength` UTF-16 units. A longer text ends with `…`. Control characters become spaces.
 * @param fallback replaces an empty text
 */
export function fitText(text: string, maxLength: number, fallback: string): string {
  const clean = text.replace(/\p{Cc}+/gu, ' ').trim() || fallback;
  if (clean.length <= maxLength) return clean;
  let cut = '';
  for (const character of clean) {
    if (cut.length + character.length > maxLength - 1) break;
    cut += character;
  }
  return `${cut}…`;
}
