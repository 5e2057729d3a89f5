/** Collects the numbers of documents, and says which are missing. Pure. */

/** The numbers of a series that a comparison has found. Numbers in a row take two integers, so a message can hold those of a series. */
export interface SeriesNumbers {
  /** The kind of the documents and the prefix of the numbers, as `nameOfSeries` returns them. */
  readonly name: string;
  /** The first and the last number that the series had given when the comparison began. */
  readonly first: number;
  readonly last: number;
  /** The digits of the shortest number. */
  readonly digits: number;
  /** The first and the last number of each range, in their order. No range follows another one without a gap. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Adds a number that was found. Undefined: it was found before. @param digits of its text */
export function addNumber(series: SeriesNumbers, count: number, digits: number): SeriesNumbers | undefined {
  const starts = [...series.starts];
  const ends = [...series.ends];
  // The documents are almost in the order of their numbers.
  const before = starts.findLastIndex((start) => start <= count);
  if ((ends[before] ?? 0) >= count) return undefined;
  const joinsBefore = ends[before] === count - 1;
  const joinsAfter = starts[before + 1] === count + 1;
  if (joinsBefore && joinsAfter) {
    starts.splice(before + 1, 1);
    ends.splice(before, 1);
  } else if (joinsBefore) ends[before] = count;
  else if (joinsAfter) starts[before + 1] = count;
  else {
    starts.splice(before + 1, 0, count);
    ends.splice(before + 1, 0, count);
  }
  return { ...series, digits: Math.min(series.digits, digits), starts, ends };
}

/** Numbers without documents: the first and the last one. */
type Gap = readonly [from: number, to: number];

/** Returns the gaps between numbers that were found, and up to the last one that the series has given. @param from the first number to expect */
export function gapsOf({ starts, ends, last }: SeriesNumbers, from: number): readonly Gap[] {
  const expected = [from, ...ends.map((end) => end + 1)];
  const found = [...starts, last + 1];
  return expected.flatMap((start, index) => {
    const end = Math.min(found[index] ?? 0, last + 1) - 1;
    return start <= end ? [[start, end] as const] : [];
  });
}
