/** Finds the name that a client meant, so that an error can suggest it. */

/** Names are compared without case, underscores, hyphens, dots and spaces. */
const plain = (name: string) => name.toLowerCase().replace(/[-_. ]/g, '');

/** Longer names are not compared, because the time grows with the product of the lengths. */
const maxLength = 40;

/**
 * Returns the candidate that is most similar to `name`, or undefined if none is similar. A similar name differs only in
 * case and separators, or by one typing error, or by two if the candidate has six or more characters.
 */
export function similarName(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > maxLength) return undefined;
  const distances = candidates.map((candidate) => {
    const [sent, known] = [plain(name), plain(candidate)];
    const distance = typingErrors(sent, known);
    return {
      candidate,
      distance: distance <= (known.length < 6 ? 1 : 2) ? distance : Number.POSITIVE_INFINITY,
    };
  });
  const [best] = distances.sort((a, b) => a.distance - b.distance);
  return best && best.distance < Number.POSITIVE_INFINITY ? best.candidate : undefined;
}

/**
 * Returns the number of typing errors between two texts: characters that are added, left out or replaced, and neighbors that
 * are swapped (the optimal string alignment distance).
 */
function typingErrors(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      rows[i]?.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + cost,
          isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
  }
  return at(a.length, b.length);
}
