/** Reconciles one owner immediately and returns the result to the caller. Writes no report. */
import type { Owner } from '../../base/ids.ts';
import { now, toTimestamp } from '../../base/time.ts';
import { pageSize } from '../../store/keys.ts';
import { reconcileJournal } from './compare-journal.ts';
import { comparePlannedPage, confirmDifferences, firstPage, planPages } from './compare-pages.ts';
import {
  type Difference,
  type DocumentDifference,
  type ItemDifference,
  identityOf,
  type JournalDifference,
  type KeyDifference,
} from './difference.ts';
import { putLastDay } from './digest-store.ts';
import { findDocumentDifferences } from './document-differences.ts';
import type { PageLocation } from './facts.ts';
import { isolate } from './isolate.ts';
import { findItemDifferences } from './item-differences.ts';
import { findKeyDifferences } from './key-differences.ts';
import { readAllocatedNumbers } from './reconciliation-store.ts';

/** A part of an owner that could not be compared. */
export interface ComparisonFailure extends Owner {
  /** For example `page 0 of the invoices`. */
  readonly part: string;
  readonly message: string;
}

export interface ReconciliationResult {
  /** The number of records that were read and compared. */
  readonly records: number;
  /** The number of records that were taken from digests, because they agreed in an earlier comparison. */
  readonly remembered: number;
  /** The confirmed differences. */
  readonly differences: readonly (
    | Difference
    | KeyDifference
    | ItemDifference
    | DocumentDifference
    | JournalDifference
  )[];
  /** Possible differences: the records still changed, or an outbox item was not relayed, at the last check. */
  readonly unconfirmed: readonly Difference[];
  /** The parts whose items cannot be read. The other parts are compared. */
  readonly failures: readonly ComparisonFailure[];
}

/**
 * The wait before each check of the candidates, in milliseconds. Changes in progress rarely take longer than all of
 * them.
 */
const usualWaitsMs = [1_000, 5_000, 15_000, 60_000];

/**
 * Compares the records of an owner, and then checks the candidates until each is confirmed or gone.
 * @param full whether to read all records, also those that digests hold
 * @throws the failure of a call to AWS
 */
export async function reconcileNow(
  owner: Owner,
  { full, waitsMs = usualWaitsMs }: { full: boolean; waitsMs?: readonly number[] },
): Promise<ReconciliationResult> {
  const numbers = await readAllocatedNumbers(owner);
  if (!numbers) return { records: 0, remembered: 0, differences: [], unconfirmed: [], failures: [] };
  const begunAt = now();
  let records = 0;
  let remembered = 0;
  let unconfirmed: Difference[] = [];
  const failures: ComparisonFailure[] = [];
  const isolated = <T>(part: string, work: () => Promise<T>) =>
    isolate(work, ({ message }) => failures.push({ ...owner, part, message }));
  for await (const planned of planPages({ ...owner, ...firstPage }, numbers)) {
    const { resource, page } = planned;
    const compared = await isolated(`page ${page} of the ${resource}s`, () =>
      comparePlannedPage(planned, numbers, { full, now: begunAt }),
    );
    if (!compared) continue;
    records += compared.records;
    remembered += compared.remembered;
    unconfirmed.push(...compared.candidates);
  }
  if (full && failures.length === 0) await putLastDay(owner, toTimestamp(begunAt).slice(0, 10));
  const differences: Difference[] = [];
  for (const waitMs of waitsMs) {
    if (unconfirmed.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const candidates = new Set(unconfirmed.map(identityOf));
    const confirmed = new Set(differences.map(identityOf));
    const locations = locationsOf(unconfirmed);
    unconfirmed = [];
    for (const location of locations) {
      const checked = await confirmDifferences(location, candidates, confirmed);
      differences.push(...checked.confirmed);
      unconfirmed.push(...checked.unconfirmed);
    }
  }
  const keyDifferences = (await isolated('the API keys', () => findKeyDifferences(owner))) ?? [];
  const others = (await isolated('the other items', () => findItemDifferences(owner, begunAt, full))) ?? [];
  const documents =
    (await isolated('the documents', () => findDocumentDifferences(owner, begunAt, full))) ?? [];
  const journal = await isolated('the journal', () => reconcileJournal(owner, full));
  if (journal && !journal.isComplete)
    failures.push({ ...owner, part: 'the journal', message: 'The account changed during each check.' });
  const all = [...differences, ...keyDifferences, ...others, ...documents, ...(journal?.differences ?? [])];
  return { records, remembered, differences: all, unconfirmed, failures };
}

/** Returns the pages of the differences, each page once. */
function locationsOf(differences: readonly Difference[]): PageLocation[] {
  const locations = differences.map(({ account, mode, resource, seq }): [string, PageLocation] => {
    const page = Math.floor(seq / pageSize);
    return [`${resource} ${page}`, { account, mode, resource, page }];
  });
  return [...new Map(locations).values()];
}
