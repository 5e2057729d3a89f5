/** Finds the highest invoice numbers of an export, so that the series of the account can go on after them. Pure. */

/** The numbers with a prefix. */
export interface NumberSeriesFound {
  readonly prefix: string;
  readonly highest: string;
  readonly next: number;
}

/** The largest `next` of a series has nine digits. */
const trailing = /^(.*?)(\d{1,9})$/;

/** Returns the highest number of each prefix, those with the most numbers first. Numbers that do not end with a digit are ignored. */
export function numberSeriesOf(numbers: readonly string[]): NumberSeriesFound[] {
  const found = new Map<string, { count: number; highest: string; last: number }>();
  for (const number of numbers) {
    const [, prefix, digits] = trailing.exec(number) ?? [];
    if (prefix === undefined || digits === undefined) continue;
    const known = found.get(prefix) ?? { count: 0, highest: number, last: -1 };
    const { highest, last } = Number(digits) > known.last ? { highest: number, last: Number(digits) } : known;
    found.set(prefix, { count: known.count + 1, highest, last });
  }
  return [...found]
    .toSorted(([, one], [, other]) => other.count - one.count)
    .map(([prefix, { highest, last }]) => ({ prefix, highest, next: last + 1 }));
}
