/** Finds the sections of a documentation that answer a question. The reference page and `remit mcp` use it. */

export interface SearchedSection {
  readonly title: string;
  /** Names the text that the section is in. */
  readonly place: string;
  readonly text: string;
  /** How much better it is than others with the same words. The default is 1. */
  readonly weight?: number;
}

/**
 * Returns a function that returns the sections with words of a question, the best first.
 * - A word matches by its stem, so `verification` finds `verify`. If no section has it, words with one typing error match.
 * - A word counts less in a long section.
 * - A word counts more if few sections contain it, and most in a title. A section with all words is before one with some.
 * - The page contains the source of this function, so it uses nothing from outside of itself.
 */
export function indexSections<T extends SearchedSection>(sections: readonly T[]): (question: string) => T[] {
  const ignored = new Set(
    'a an and are as at be because by can could do does for from have how i if in is it its me might my not of on or our should that the there this to we what when where which why will with would you your'.split(
      ' ',
    ),
  );
  const wordsOf = (text: string): string[] =>
    (text.match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
      const parts = word
        .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
        .toLowerCase()
        .split(' ');
      return parts.length > 1 ? [...parts, word.toLowerCase()] : parts;
    });
  const stemOf = (word: string): string =>
    word.replace(/(?<=...)(ication|ation|ure|ies|ing|ed|es|s|e|y)$/, '').replace(/(?<=...)(.)\1$/, '$1');
  const isNear = (one: string, other: string): boolean => {
    let start = 0;
    while (start < one.length && one[start] === other[start]) start++;
    const rests = [one, one.slice(0, start) + one.slice(start + 1)];
    const swapped = one.slice(0, start) + (one[start + 1] ?? '') + (one[start] ?? '') + one.slice(start + 2);
    return (
      rests.includes(other.slice(0, start) + other.slice(start + 1)) ||
      rests[1] === other ||
      swapped === other
    );
  };
  const entries = sections.map((section) => {
    const counts = new Map<string, number>();
    for (const word of wordsOf(section.text)) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { title: wordsOf(section.title), place: wordsOf(section.place), counts, size: counts.size };
  });
  const usualSize = entries.reduce((sum, { size }) => sum + size, 0) / (entries.length || 1);
  const vocabulary = new Set(
    entries.flatMap(({ title, place, counts }) => [...title, ...place, ...counts.keys()]),
  );
  const formsOf = (word: string): ReadonlySet<string> => {
    const found = [...vocabulary].filter((each) => each === word || each.startsWith(stemOf(word)));
    return new Set(
      found.length > 0 || word.length < 4 ? found : [...vocabulary].filter((each) => isNear(word, each)),
    );
  };
  const partOf = (words: readonly string[], forms: ReadonlySet<string>): number =>
    words.filter((word) => forms.has(word)).length / (words.length || 1);
  return (question) => {
    const all = wordsOf(question);
    const asked = [
      ...new Set(all.some((word) => !ignored.has(word)) ? all.filter((word) => !ignored.has(word)) : all),
    ];
    const scores = entries.map(() => ({ sum: 0, words: 0 }));
    for (const forms of asked.map(formsOf)) {
      const hits = entries.map(({ title, place, counts, size }) => {
        const inTitle = partOf(title, forms);
        let inText = 0;
        for (const form of forms) inText += counts.get(form) ?? 0;
        return (
          (inTitle > 0 ? 2 + 2 * inTitle : 0) +
          (partOf(place, forms) > 0 ? 1 : 0) +
          inText / (inText + 0.5 + size / (usualSize * 4 || 1))
        );
      });
      const rareness = Math.log(1 + entries.length / (1 + hits.filter(Boolean).length));
      scores.forEach((score, index) => {
        const hit = hits[index] ?? 0;
        score.sum += hit * rareness;
        score.words += hit > 0 ? 1 : 0;
      });
    }
    return scores
      .map(({ sum, words }, index) => ({
        index,
        score: sum * (words / asked.length) ** 2 * (sections[index]?.weight ?? 1),
      }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .flatMap(({ index }) => sections[index] ?? []);
  };
}
