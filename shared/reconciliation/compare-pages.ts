/**
 * Finds differences page by page, and confirms them by a later check.
 *
 * Invariant: a change that is still in progress is not a difference. Records and lists are not read at one moment. So a
 * candidate is confirmed only if a later check, which reads the outbox first, finds exactly the same difference and no
 * unrelayed item explains it:
 *
 * - Everything that follows from the first change has been relayed by then, or is in that outbox.
 * - The records have the same versions in both checks, so what they say of one another was the same between the checks.
 */
import type { Owner } from '../ids.ts';
import type { OutboxItem } from '../store/commit/outbox-item.ts';
import { type Difference, identityOf } from './difference.ts';
import { type PageLocation, resources } from './facts.ts';
import { findIndexDifferences } from './index-differences.ts';
import { findMoneyDifferences } from './money-differences.ts';
import { readFacts } from './read-facts.ts';
import { type AllocatedNumbers, findLastPage, readAllocatedNumbers, readUnrelayed } from './store.ts';

/** The first page of every owner. */
export const firstPage = { resource: 'invoice', page: 0 } as const;

/** Lists all pages of an owner's numbers, starting with page `from`. */
export async function* listPagesFrom(
  from: PageLocation,
  numbers: AllocatedNumbers,
): AsyncGenerator<PageLocation> {
  const { account, mode } = from;
  for (const resource of resources.slice(resources.indexOf(from.resource))) {
    const last = (await findLastPage({ account, mode }, resource, numbers)) ?? -1;
    const first = resource === from.resource ? from.page : 0;
    for (let page = first; page <= last; page++) yield { account, mode, resource, page };
  }
}

/** Compares a page once. Returns the number of its records and the candidates, which may be changes in progress. */
export async function comparePage(
  location: PageLocation,
  numbers: AllocatedNumbers,
): Promise<{ records: number; candidates: readonly Difference[] }> {
  const facts = await readFacts(location, numbers);
  return {
    records: facts.records.size,
    candidates: [...findIndexDifferences(facts), ...findMoneyDifferences(facts)],
  };
}

/**
 * Checks a page again.
 * @param candidates the identities of the differences that an earlier check found on the page
 * @param confirmed the identities of the differences that are already confirmed; the result omits them
 * @returns the confirmed differences, and those to check again: new ones, and those that an unrelayed item explains
 */
export async function confirmDifferences(
  location: PageLocation,
  candidates: ReadonlySet<string>,
  confirmed: ReadonlySet<string>,
): Promise<{ confirmed: readonly Difference[]; unconfirmed: readonly Difference[] }> {
  const owner: Owner = { account: location.account, mode: location.mode };
  const unrelayed = await readUnrelayed(owner);
  const numbers = await readAllocatedNumbers(owner);
  const present = numbers ? (await comparePage(location, numbers)).candidates : [];
  const found = present.filter((difference) => !confirmed.has(identityOf(difference)));
  const isConfirmed = (difference: Difference) =>
    candidates.has(identityOf(difference)) && !unrelayed.some((item) => explains(item, difference));
  return {
    confirmed: found.filter(isConfirmed),
    unconfirmed: found.filter((difference) => !isConfirmed(difference)),
  };
}

/** Whether an unrelayed item will still update the lists for the record, or for a record that belongs to it. */
function explains({ indexEntries }: OutboxItem, { resource, seq, id }: Difference): boolean {
  return indexEntries.some(
    (entry) =>
      (entry.resource === resource && entry.seq === seq) || entry.filterKeys.includes(`#${resource}#${id}`),
  );
}
