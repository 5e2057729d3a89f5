/**
 * Divides names into the words by which people search. Pure.
 *
 * - Case, accents of Latin letters, and characters between words do not matter. Tibetan and Indic scripts keep their vowel signs.
 * - A name has at most five words. A word of one letter finds too much, so it is left out.
 */

/** How many words of a name lead to it. */
const maxWords = 5;
/** The beginnings of a word that lead to it, in letters. A shorter word leads to the name as a whole. */
const shortest = 3;
const longest = 8;

/** Returns the words of a name, each once, as they are compared. */
export function nameWordsOf(name: string): readonly string[] {
  return wordsIn(name).slice(0, maxWords);
}

/** Returns the words that a person searches, as `nameWordsOf`. */
export const searchedWordsOf = (text: string): readonly string[] => wordsIn(text);

function wordsIn(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase();
  const words = plain.split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => [...word].length > 1);
  return [...new Set(words)];
}

/** Returns the beginning of a word by which names are stored: three letters, or a word of two. */
export const firstLettersOf = (word: string): string => [...word].slice(0, shortest).join('');

/** Returns the longer beginnings of a word, of up to eight letters. The longest one stands for all words that begin with it. */
export function longerBeginningsOf(word: string): readonly string[] {
  const letters = [...word];
  const end = Math.min(longest, letters.length);
  return Array.from({ length: Math.max(0, end - shortest) }, (_, index) =>
    letters.slice(0, shortest + 1 + index).join(''),
  );
}

/** Returns what the names that a word can find are stored under: the longest beginning of the word that names have. */
export const searchedBeginningOf = (word: string): string => [...word].slice(0, longest).join('');

/** Whether each word begins a word of the name. A word of two letters must be a whole one. */
export function matchesName(words: readonly string[], name: string): boolean {
  const own = nameWordsOf(name);
  return (
    words.length > 0 &&
    words.every((word) =>
      own.some((each) => ([...word].length < shortest ? each === word : each.startsWith(word))),
    )
  );
}
