/**
 * Compares the journal of an account with its records and its sums, as a part of the daily reconciliation. If the account has another
 * time zone than the sums, the sums are to be built again.
 *
 * - The records are compared when nothing follows from a change any more and no change comes while they are read. So the records and
 *   the journal are of one moment.
 * - The journal is read once, and gives the sums that must be stored. An entry that does not balance, or a sum that differs, is a
 *   difference. Sums that differ are built again.
 */
import { type Sum, sumIn } from '../../base/exact-sum.ts';
import type { Owner } from '../../base/ids.ts';
import { readAccount } from '../../domain/accounts/account-store.ts';
import { readUnrelayed } from '../../store/commit/outbox-item.ts';
import type { Item } from '../../store/records.ts';
import type { JournalDifference } from './difference.ts';
import { FoldedJournal, maxDifferences, totalsName } from './folded-journal.ts';
import { areRecordsCompared, type Balances, readBalances } from './journal-records.ts';
import { deleteBefore, maxJournalTries, readDays, readState, rebuildSums } from './rebuild-sums-store.ts';

export interface JournalComparison {
  readonly differences: readonly JournalDifference[];
  /** Whether the sums must be built again: one differs, or they have another time zone than the fold. */
  readonly isRebuildDue: boolean;
  /**
   * `unfinished`: the time was over before the end of the journal. `changing`: changes came during each try, so not all is compared.
   * Both continue with the same fold.
   */
  readonly status: 'complete' | 'unfinished' | 'changing';
}

const nothing: JournalComparison = { differences: [], isRebuildDue: false, status: 'complete' };

/** Whether the account has a journal with sums. */
export async function hasSums(owner: Owner): Promise<boolean> {
  return (await readState(owner))?.sumsZone !== undefined;
}

/** Begins a comparison: deletes sums that are not in use any more. @returns a fold that contains nothing yet */
export async function beginFold(owner: Owner): Promise<FoldedJournal> {
  await deleteBefore(owner, (await readState(owner))?.sums ?? 0);
  return new FoldedJournal(owner, (await readAccount(owner.account))?.timeZone ?? 'UTC');
}

/**
 * Folds the journal until `end`, and then compares it with the stored sums and with the records. A change between two reads makes the
 * comparison begin again.
 * @param fold continues from its position
 * @param isFull whether to read all records also of a large account
 * @param end on the clock of `performance.now()`
 * @throws MalformedItemError if an item cannot be read; the error of DynamoDB
 */
export async function compareJournal(
  owner: Owner,
  fold: FoldedJournal,
  isFull: boolean,
  end: number,
): Promise<JournalComparison> {
  let found = nothing;
  for (let tries = 0; tries < maxJournalTries; tries++) {
    const before = await readState(owner);
    if (before?.sumsZone === undefined) return nothing;
    if (!(await fold.readTo(before.position, end))) return { ...found, status: 'unfinished' };
    if (before.sumsZone !== fold.timeZone) return { ...nothing, isRebuildDue: true };
    const days = await readDays(owner, before.sums ?? 0);
    const isQuiet = (await readUnrelayed(owner)).length === 0;
    const balances = isQuiet ? await readBalances(owner, isFull) : undefined;
    const isStillQuiet = isQuiet && (await readUnrelayed(owner)).length === 0;
    const after = await readState(owner);
    if (after?.position !== before.position || after.sums !== before.sums) continue;
    const stored = new Map([...days.map(dayOf), [totalsName, after]] as [string, Item][]);
    const ofSums = sumDifferences(owner, fold, stored);
    const ofRecords = balances && isStillQuiet ? recordDifferences(owner, fold.balances, balances) : [];
    found = {
      differences: [...unbalancedOf(owner, fold), ...ofSums, ...ofRecords].slice(0, maxDifferences),
      isRebuildDue: ofSums.length > 0,
      status: 'complete',
    };
    if (isStillQuiet || !(await areRecordsCompared(owner, isFull))) return found;
  }
  return { ...found, status: 'changing' };
}

/**
 * Compares the whole journal at once, and builds sums again that differ.
 * @returns what differs, and whether all was compared
 * @throws as `compareJournal`
 */
export async function reconcileJournal(
  owner: Owner,
  isFull = false,
): Promise<{ readonly differences: readonly JournalDifference[]; readonly isComplete: boolean }> {
  if (!(await hasSums(owner))) return { differences: [], isComplete: true };
  const fold = await beginFold(owner);
  const { differences, isRebuildDue, status } = await compareJournal(
    owner,
    fold,
    isFull,
    Number.POSITIVE_INFINITY,
  );
  const isRebuilt = !isRebuildDue || (await rebuildSums(owner, fold));
  return { differences, isComplete: status === 'complete' && isRebuilt };
}

const dayOf = (item: Item): [string, Item] => [String(item.sk).split('#')[1] ?? '', item];

/** A difference of the journal has no number and no evidence. */
const baseOf = (owner: Owner) => ({ ...owner, resource: 'journal', seq: 0, evidence: '' }) as const;

function recordDifferences(owner: Owner, journal: Balances, records: Balances): JournalDifference[] {
  return [...new Set([...journal.keys(), ...records.keys()])].flatMap((id) => {
    const [expected, found] = [records.get(id) ?? 0, journal.get(id) ?? 0];
    if (expected === found) return [];
    const rule = 'journal_records_differ' as const;
    return { ...baseOf(owner), id, rule, expected: shown(expected), found: shown(found) };
  });
}

const unbalancedOf = (owner: Owner, { unbalanced }: FoldedJournal): JournalDifference[] =>
  unbalanced.map((position) => {
    const rule = 'journal_unbalanced' as const;
    return { ...baseOf(owner), id: `position ${position}`, rule, expected: 0, found: 'another sum' };
  });

function sumDifferences(
  owner: Owner,
  { days }: FoldedJournal,
  stored: ReadonlyMap<string, Item>,
): JournalDifference[] {
  return [...new Set([...days.keys(), ...stored.keys()])].flatMap((day) => {
    const amounts = days.get(day) ?? new Map<string, Sum>();
    const item = stored.get(day) ?? {};
    const attributes = new Set([...amounts.keys(), ...Object.keys(item).filter(isFigure)]);
    return [...attributes].flatMap((attribute) => {
      const [expected, found] = [amounts.get(attribute) ?? 0, sumIn(item, attribute)];
      if (expected === found) return [];
      const rule = 'journal_sums_differ' as const;
      return {
        ...baseOf(owner),
        id: `${day} ${attribute}`,
        rule,
        expected: shown(expected),
        found: shown(found),
      };
    });
  });
}

/** Reports are JSON, which has no bigint. */
const shown = (sum: Sum): number | string => (typeof sum === 'bigint' ? String(sum) : sum);

/** The names of figures have a currency and a colon. */
const isFigure = (attribute: string): boolean => attribute.includes(':');
