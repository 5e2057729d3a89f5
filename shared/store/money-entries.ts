/**
 * Says what records add to the accounts of the journal. Pure.
 *
 * - The type of a record says which balance each account has because of the record. The entries of a change are the differences of
 *   the balances before and after it. So the entries of all changes of a record always add up to its balance.
 */
import type { Instant } from '../base/time.ts';
import type { Field } from './stored-fields.ts';

/** What a record or a change adds to an account. */
export interface MoneyEntry {
  readonly account: string;
  readonly currency: string;
  /** In the smallest unit of the currency. Above 0: a debit. Below 0: a credit. */
  readonly amount: number;
  /** The moment on whose day sums count the amount: when it is due, or when it was received. Undefined: that of the change. */
  readonly on?: Instant | undefined;
}

/** Entries as items store them: `<account> <currency> <amount> <on>`, with commas between. Names and amounts have no spaces. */
const stored = /^[^ ,]+ [A-Z]{3} -?\d{1,15}(?: -?\d{1,15})?(?:,[^ ,]+ [A-Z]{3} -?\d{1,15}(?: -?\d{1,15})?)*$/;

/** The stored form of entries. It is short, so that an outbox item with entries takes no more units. */
export const storedEntries: Field<string> = {
  expected: 'entries of the journal',
  accepts: (value) => typeof value === 'string' && stored.test(value),
};

/** Returns the stored form of entries, of which there is at least one. */
export const toStoredEntries = (entries: readonly MoneyEntry[]): string =>
  entries
    .map(({ account, currency, amount, on }) => [account, currency, amount, on ?? []].flat().join(' '))
    .join(',');

/** Returns entries from their stored form. @param text that `storedEntries` accepts */
export const fromStoredEntries = (text: string): readonly MoneyEntry[] =>
  text.split(',').map((entry) => {
    const [account = '', currency = '', amount, on] = entry.split(' ');
    return { account, currency, amount: Number(amount), ...(on !== undefined && { on: Number(on) }) };
  });

/** A record before and after a change. Undefined: it does not exist. */
export interface ChangedRecord {
  /** The type of the record. */
  readonly type: { balanceOf?(record: object): readonly MoneyEntry[] };
  readonly before: object | undefined;
  readonly after: object | undefined;
}

/**
 * Returns what a change of records adds to the accounts, one entry for each account, currency and moment.
 * @throws Error if the entries of a currency do not add up to 0
 */
export function entriesOfChange(records: readonly ChangedRecord[]): readonly MoneyEntry[] {
  const entries = sumEntries(
    records.flatMap(({ type, before, after }) => [
      ...balanceOf(type, after),
      ...balanceOf(type, before).map((entry) => ({ ...entry, amount: -entry.amount })),
    ]),
  );
  requireBalanced(entries);
  return entries;
}

/** Returns entries with one for each account, currency and moment, without those of 0. */
export function sumEntries(entries: readonly MoneyEntry[]): readonly MoneyEntry[] {
  const sums = new Map<string, MoneyEntry>();
  for (const entry of entries) {
    const name = `${entry.account} ${entry.currency} ${entry.on ?? ''}`;
    sums.set(name, { ...entry, amount: (sums.get(name)?.amount ?? 0) + entry.amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0);
}

const balanceOf = (type: ChangedRecord['type'], record: object | undefined): readonly MoneyEntry[] =>
  record ? (type.balanceOf?.(record) ?? []) : [];

/** Returns the sum of each currency that is not 0. Entries balance if there is none. */
export function imbalancesOf(
  entries: readonly MoneyEntry[],
): readonly (readonly [currency: string, sum: number])[] {
  const sums = new Map<string, number>();
  for (const { currency, amount } of entries) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].filter(([, sum]) => sum !== 0);
}

function requireBalanced(entries: readonly MoneyEntry[]): void {
  for (const [currency, sum] of imbalancesOf(entries))
    throw new Error(`The entries of a change in ${currency} add up to ${sum}, and must add up to 0.`);
}
