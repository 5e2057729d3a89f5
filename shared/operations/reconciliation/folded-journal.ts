/**
 * Adds up the journal of an account and mode: the sums of each day, the totals, and the balance of each account of the journal.
 *
 * - The journal only grows. So the fold up to a position never changes, and another invocation can continue it from there.
 * - The fold knows no generation of the stored sums. So it serves both to compare stored sums and to build new ones.
 */
import { addSums, type Sum, toSum } from '../../base/exact-sum.ts';
import type { Owner } from '../../base/ids.ts';
import { positionOf, toJournalEntry } from '../../domain/journal/journal-item.ts';
import { readJournal } from '../../domain/journal/journal-store.ts';
import { additionsOf } from '../../domain/journal/sums.ts';
import { imbalancesOf } from '../../store/money-entries.ts';
import type { Item } from '../../store/records.ts';
import { addTo, type Balances } from './journal-records.ts';

/** The name of the totals among the names of days. */
export const totalsName = 'total';

/** More differences than this have one cause. */
export const maxDifferences = 20;

/** Amounts by attribute. */
export type Amounts = ReadonlyMap<string, Sum>;

type NamedAmounts = readonly (readonly [name: string, amount: string])[];

/** A fold in a form that JSON can hold. Amounts are texts. */
export interface FoldContent {
  readonly timeZone: string;
  readonly position: number;
  readonly days: readonly (readonly [day: string, amounts: NamedAmounts])[];
  readonly balances: NamedAmounts;
  readonly unbalanced: readonly number[];
}

const toNamed = (amounts: Amounts): NamedAmounts =>
  [...amounts].map(([name, amount]) => [name, String(amount)] as const);
const fromNamed = (amounts: NamedAmounts) =>
  new Map(amounts.map(([name, amount]) => [name, toSum(BigInt(amount))] as const));

/** The sums that follow from the journal up to a position. */
export class FoldedJournal {
  /** The amounts of each day, and those of `totalsName`. */
  readonly days = new Map<string, Map<string, Sum>>();
  /** The positions of the first entries that do not balance. */
  readonly unbalanced: number[] = [];
  readonly balances: Balances = new Map();
  /** The days whose amounts have changed since the caller cleared this. */
  readonly changed = new Set<string>();
  /** The position up to which the journal is contained. */
  position = 0;
  /** An IANA name. It decides on which day a moment is. */
  readonly timeZone: string;
  readonly #owner: Owner;

  constructor(owner: Owner, timeZone: string) {
    this.#owner = owner;
    this.timeZone = timeZone;
  }

  /** Returns the fold that `toContent` described. */
  static fromContent(owner: Owner, content: FoldContent): FoldedJournal {
    const fold = new FoldedJournal(owner, content.timeZone);
    fold.position = content.position;
    for (const [day, amounts] of content.days) fold.days.set(day, fromNamed(amounts));
    for (const [account, amount] of fromNamed(content.balances)) fold.balances.set(account, amount);
    fold.unbalanced.push(...content.unbalanced);
    return fold;
  }

  toContent(): FoldContent {
    const { timeZone, position, unbalanced } = this;
    const days = [...this.days].map(([day, amounts]) => [day, toNamed(amounts)] as const);
    return { timeZone, position, days, balances: toNamed(this.balances), unbalanced };
  }

  /**
   * Adds the entries up to a position, at least one of them, until `end`.
   * @param end on the clock of `performance.now()`
   * @returns whether the position is reached
   * @throws MalformedItemError
   */
  async readTo(position: number, end: number): Promise<boolean> {
    if (position <= this.position) return true;
    let hasAdded = false;
    for await (const item of readJournal(this.#owner, this.position)) {
      if (positionOf(item) > position) break;
      if (hasAdded && performance.now() >= end) return false;
      this.#add(item);
      this.position = positionOf(item);
      hasAdded = true;
    }
    this.position = position;
    return true;
  }

  #add(item: Item): void {
    const entry = toJournalEntry(item);
    if (imbalancesOf(entry.entries).length > 0 && this.unbalanced.length < maxDifferences)
      this.unbalanced.push(positionOf(item));
    addTo(this.balances, entry.entries);
    const named = (sk: string) => ({ pk: '', sk });
    for (const { key, attribute, amount } of additionsOf(entry, this.timeZone, named, named(totalsName))) {
      const amounts = this.days.get(key.sk) ?? new Map<string, Sum>();
      this.days.set(key.sk, amounts);
      amounts.set(attribute, addSums(amounts.get(attribute) ?? 0, amount));
      this.changed.add(key.sk);
    }
  }
}
