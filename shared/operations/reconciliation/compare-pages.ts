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
import type { Owner } from '../../base/ids.ts';
import type { Instant } from '../../base/time.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { type OutboxItem, readUnrelayed } from '../../store/commit/outbox-item.ts';
import { pageSize } from '../../store/keys.ts';
import { readListedPages } from '../../store/lists/pages/single-pages.ts';
import { type Difference, identityOf } from './difference.ts';
import {
  contradictsDigest,
  countRemembered,
  disputedRecords,
  emptyDigest,
  isRemembered,
  nextDigest,
  numbersToCompare,
  type PlannedPage,
  relatedRecords,
} from './digest.ts';
import { forgetRecords, putDigest, readDigests, requestFull } from './digest-store.ts';
import { type Facts, type PageLocation, resources } from './facts.ts';
import { type ComparedDays, isPageDue } from './full-schedule.ts';
import { findIndexDifferences } from './index-differences.ts';
import { findMoneyDifferences, findUncertainNumbers } from './money-differences.ts';
import { readFacts } from './read-facts.ts';
import { type AllocatedNumbers, findLastPage, readAllocatedNumbers } from './reconciliation-store.ts';
import { setDueTimers } from './set-due-timers.ts';
import { setReminderTimers } from './set-reminder-timers.ts';

/** The first page of every owner. */
export const firstPage = { resource: resources[0], page: 0 } as const;

/** How many pages are planned with two queries. */
const pagesAtOnce = 50;

/** Lists all pages of an owner's numbers, starting with page `from`, with what is needed to compare each. */
export async function* planPages(from: PageLocation, numbers: AllocatedNumbers): AsyncGenerator<PlannedPage> {
  const owner: Owner = { account: from.account, mode: from.mode };
  for (const resource of resources.slice(resources.indexOf(from.resource))) {
    const last = (await findLastPage(owner, resource, numbers)) ?? -1;
    const start = resource === from.resource ? from.page : 0;
    for (let first = start; first <= last; first += pagesAtOnce) {
      const end = Math.min(last, first + pagesAtOnce - 1);
      // Digests first: the lists then show at least what the digests hold.
      const digests = await readDigests(owner, resource, first, end);
      const listed = await readListedPages(owner, resource, first, end);
      for (let page = first; page <= end; page++) {
        yield {
          ...owner,
          resource,
          page,
          listed: listed.get(page) ?? new Uint8Array(pageSize),
          digest: digests.get(page) ?? emptyDigest,
        };
      }
    }
  }
}

/** The result of one comparison of a page. */
export interface PageResult {
  /** The number of records that were read and compared. */
  readonly records: number;
  /** The number of records that were taken from the digest. */
  readonly remembered: number;
  /** Possible differences: some may be changes in progress. */
  readonly candidates: readonly Difference[];
}

/** Which records of a page are compared, besides those that its digest does not hold. */
export interface ComparisonScope {
  /** Whether the comparison of the owner is full: all records of all pages. */
  readonly full: boolean;
  /** The days for which the pages that are due are compared with all of their records. Without them, no page is due. */
  readonly days?: ComparedDays | undefined;
  readonly now: Instant;
}

/**
 * Compares the records of a page that its digest does not hold, or all of them, and updates the digest. Sets the timers of
 * due dates and reminders that are near.
 */
export async function comparePlannedPage(
  page: PlannedPage,
  numbers: AllocatedNumbers,
  { full, days, now }: ComparisonScope,
): Promise<PageResult> {
  const allocated = numbers.allocated[page.resource];
  const isWhole = full || (days !== undefined && isPageDue(page, page.digest.allocatedAt, days));
  const wanted = isWhole ? undefined : numbersToCompare(page, allocated);
  const remembered = isWhole ? 0 : countRemembered(page, allocated);
  if (!full && contradictsDigest(page)) await requestFull(page);
  if (wanted?.length === 0) return { records: 0, remembered, candidates: [] };
  const facts = await readFacts(page, numbers, wanted, (seq) => isRemembered(page, seq));
  if (page.resource === 'invoice') {
    const invoices = [...facts.records.values()] as Invoice[];
    await setDueTimers(page, invoices, now);
    await setReminderTimers(page, invoices, now, days && Date.parse(days.since));
  }
  const candidates = differencesIn(facts);
  // Must be before the digest is stored: it is what shows that a payment or refund of this page has changed these.
  await forgetRecords(page, relatedRecords(page, facts));
  const disputed = new Set([
    ...disputedRecords(page, candidates).map(({ seq }) => seq),
    ...findUncertainNumbers(facts),
  ]);
  const digest = nextDigest(page, facts, disputed, now);
  if (digest) await putDigest(page, digest);
  return { records: facts.records.size, remembered, candidates };
}

/** Compares all records of a page once. The result may contain changes in progress. */
export async function comparePage(
  location: PageLocation,
  numbers: AllocatedNumbers,
): Promise<readonly Difference[]> {
  return differencesIn(await readFacts(location, numbers));
}

const differencesIn = (facts: Facts) => [...findIndexDifferences(facts), ...findMoneyDifferences(facts)];

/**
 * Checks a page again, with all of its records. Removes records with confirmed differences from the digest, so each
 * comparison finds them until the difference is gone.
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
  const present = numbers ? await comparePage(location, numbers) : [];
  const found = present.filter((difference) => !confirmed.has(identityOf(difference)));
  const isConfirmed = (difference: Difference) =>
    candidates.has(identityOf(difference)) && !unrelayed.some((item) => explains(item, difference));
  const newlyConfirmed = found.filter(isConfirmed);
  await forgetRecords(owner, disputedRecords(location, newlyConfirmed));
  return {
    confirmed: newlyConfirmed,
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
