/**
 * Tries the rows of a statement, those of some invoices at a time, until no time is left.
 *
 * - The rows of an invoice are tried one after the other, in the order of their ids.
 * - An invoice can have rows at the beginning and at the end of a statement. So the first row that was not tried can be of any invoice.
 */
import type { RowMatch } from './match-rows.ts';

/** The payments of so many invoices have their sequence numbers in one call. A run that ends leaves gaps of at most so many. */
const invoicesAtOnce = 50;

/**
 * Tries the rows.
 * @param tryGroups tries the rows of some invoices, and returns those for which no time was left
 * @returns the id of the first row that was not tried: all rows with smaller ids were. Undefined: all were tried
 */
export async function tryInGroups(
  matches: readonly RowMatch[],
  tryGroups: (groups: readonly (readonly RowMatch[])[]) => Promise<readonly RowMatch[]>,
): Promise<string | undefined> {
  const groups = [...Map.groupBy(matches, ({ invoiceId }) => invoiceId).values()];
  for (let end = invoicesAtOnce; end - invoicesAtOnce < groups.length; end += invoicesAtOnce) {
    const left = await tryGroups(groups.slice(end - invoicesAtOnce, end));
    const untried = left.length > 0 ? [...left, ...groups.slice(end).flat()] : [];
    const [first] = untried.map(({ row }) => row.id).sort();
    if (first !== undefined) return first;
  }
  return undefined;
}
