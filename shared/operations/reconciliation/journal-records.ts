/** Adds up what the invoices and payments of an account say of the accounts of the journal. */
import { addSums, type Sum } from '../../base/exact-sum.ts';
import { type Owner, recordId } from '../../base/ids.ts';
import type { MoneyEntry } from '../../store/money-entries.ts';
import { mergeFound, type NumberedRecord, type NumberedType, readRecords } from '../../store/records.ts';
import { recordTypes } from './read-facts.ts';
import { type AllocatedNumbers, mapInChunks, readAllocatedNumbers } from './reconciliation-store.ts';

const batchSize = 100;
/** So many records are read each day, of which a call reads 100. An account with more is compared when all of its records are read. */
const recordsOfEachDay = 2_000;
const resources = ['invoice', 'payment'] as const;

/** Amounts in the smallest unit of the currency, by account and currency: `receivable BTN`. */
export type Balances = Map<string, Sum>;

/** Adds entries to balances. */
export function addTo(balances: Balances, entries: readonly MoneyEntry[]): void {
  for (const { account, currency, amount } of entries) {
    const name = `${account} ${currency}`;
    balances.set(name, addSums(balances.get(name) ?? 0, amount));
  }
}

/** Whether the balances of the records are compared. @param isFull whether they are, however many records there are */
export async function areRecordsCompared(owner: Owner, isFull: boolean): Promise<boolean> {
  const numbers = await readAllocatedNumbers(owner);
  return numbers !== undefined && (isFull || areFew(numbers));
}

const areFew = ({ allocated }: AllocatedNumbers): boolean =>
  resources.reduce((sum, resource) => sum + allocated[resource], 0) <= recordsOfEachDay;

/**
 * Returns the balances of all records, read strongly consistent. The caller finds out whether one has changed meanwhile.
 * @param isFull whether to read them however many they are
 * @returns undefined if the account has too many records, or one that cannot be read, which is a difference of its own
 */
export async function readBalances(owner: Owner, isFull: boolean): Promise<Balances | undefined> {
  const numbers = await readAllocatedNumbers(owner);
  if (!numbers) return undefined;
  if (!isFull && !areFew(numbers)) return undefined;
  const { allocated, idKeys } = numbers;
  const balances: Balances = new Map();
  for (const resource of resources) {
    const ids = Array.from({ length: allocated[resource] }, (_, index) =>
      recordId(idKeys.of(index + 1), { ...owner, resource }, index + 1),
    );
    const type = recordTypes[resource] as NumberedType<NumberedRecord>;
    const found = mergeFound(await mapInChunks(ids, batchSize, (chunk) => readRecords(type, owner, chunk)));
    if (found.malformed.size > 0) return undefined;
    for (const record of found.records.values()) addTo(balances, type.balanceOf?.(record) ?? []);
  }
  return balances;
}
