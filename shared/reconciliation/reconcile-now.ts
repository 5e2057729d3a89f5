/** Reconciles one owner immediately and returns the result to the caller. Writes no report. */
import type { Owner } from '../ids.ts';
import { pageSize } from '../store/keys.ts';
import { comparePage, confirmDifferences, firstPage, listPagesFrom } from './compare-pages.ts';
import { type Difference, identityOf } from './difference.ts';
import type { PageLocation } from './facts.ts';
import { readAllocatedNumbers } from './store.ts';

export interface ReconciliationResult {
  /** The number of compared records. */
  readonly records: number;
  /** The confirmed differences. */
  readonly differences: readonly Difference[];
  /** Possible differences: the records still changed, or an outbox item was not relayed, at the last check. */
  readonly unconfirmed: readonly Difference[];
}

/**
 * The wait before each check of the candidates, in milliseconds. Changes in progress rarely take longer than all of
 * them.
 */
const usualWaitsMs = [1_000, 5_000, 15_000, 60_000];

/** Compares all records of an owner, and then checks the candidates until each is confirmed or gone. */
export async function reconcileNow(owner: Owner, waitsMs = usualWaitsMs): Promise<ReconciliationResult> {
  const numbers = await readAllocatedNumbers(owner);
  if (!numbers) return { records: 0, differences: [], unconfirmed: [] };
  let records = 0;
  let unconfirmed: Difference[] = [];
  for await (const location of listPagesFrom({ ...owner, ...firstPage }, numbers)) {
    const compared = await comparePage(location, numbers);
    records += compared.records;
    unconfirmed.push(...compared.candidates);
  }
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
  return { records, differences, unconfirmed };
}

/** Returns the pages of the differences, each page once. */
function locationsOf(differences: readonly Difference[]): PageLocation[] {
  const locations = differences.map(({ account, mode, resource, seq }): [string, PageLocation] => {
    const page = Math.floor(seq / pageSize);
    return [`${resource} ${page}`, { account, mode, resource, page }];
  });
  return [...new Map(locations).values()];
}
