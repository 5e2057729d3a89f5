/** A reconciliation of some accounts at once, for whoever waits for it: nothing is reported but to the caller. */
import type { Owner } from '../ids.ts';
import { pageSize } from '../store/keys.ts';
import { type Difference, identityOf } from './difference.ts';
import type { Place } from './facts.ts';
import { firstPlace, look, lookAgain, pagesFrom } from './looks.ts';
import { readNumbers } from './store.ts';

export interface Reconciled {
  /** Records that were compared. */
  readonly records: number;
  readonly differences: readonly Difference[];
  /** What may be differences, but was changing or unpublished until the last look. */
  readonly open: readonly Difference[];
}

/** Before each further look: what is under way seldom takes longer. */
const usualWaitsMs = [1_000, 5_000, 15_000, 60_000];

/** Goes through all records of an owner; then looks again at what disagrees, until it stands or is gone. */
export async function reconcileNow(owner: Owner, waitsMs = usualWaitsMs): Promise<Reconciled> {
  const numbers = await readNumbers(owner);
  if (!numbers) return { records: 0, differences: [], open: [] };
  let records = 0;
  let open: Difference[] = [];
  for await (const place of pagesFrom({ ...owner, ...firstPlace }, numbers)) {
    const seen = await look(place, numbers);
    records += seen.records;
    open.push(...seen.found);
  }
  const differences: Difference[] = [];
  for (const waitMs of waitsMs) {
    if (open.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const suspects = new Set(open.map(identityOf));
    const known = new Set(differences.map(identityOf));
    const places = placesOf(open);
    open = [];
    for (const place of places) {
      const seen = await lookAgain(place, suspects, known);
      differences.push(...seen.standing);
      open.push(...seen.open);
    }
  }
  return { records, differences, open };
}

/** The pages that differences were found on, each once. */
function placesOf(differences: readonly Difference[]): Place[] {
  const places = differences.map(({ account, mode, resource, seq }): [string, Place] => {
    const page = Math.floor(seq / pageSize);
    return [`${resource} ${page}`, { account, mode, resource, page }];
  });
  return [...new Map(places).values()];
}
