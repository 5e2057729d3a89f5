/**
 * Finds and erases the records of a customer, and moves them from the lists of the customer to those of the pseudonym.
 *
 * - Records change by commits, so a concurrent request decides again on the erased record, and neither change is lost.
 * - A record leaves the old lists after it is in the new ones. So both lists together contain all records at any moment,
 *   and an interrupted erasure finds them again.
 * - Records leave a list in chunks, each immediately after its records have changed. So a list never contains more than a chunk
 *   of records that are no rows any more, and reads it together (`listRecords`).
 * - What is committed and not relayed yet is in the outbox. It is read before the lists, so no record is missed.
 */

import { realClock } from '../../base/clock.ts';
import { type Owner, type Resource, recordId } from '../../base/ids.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { throwAfterAllSettled } from '../../base/throw-after-all-settled.ts';
import { now } from '../../base/time.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import type { Checkout } from '../../domain/payments/checkouts/checkout.ts';
import { readCheckout } from '../../domain/payments/checkouts/checkout-store.ts';
import { creditItems } from '../../domain/payments/credit-store.ts';
import { searchedRecord } from '../../domain/search/searched-events.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import type { IdKeys } from '../../store/account-state.ts';
import { type Change, Command } from '../../store/commit/command.ts';
import { commitInBackground } from '../../store/commit/commit.ts';
import { type OutboxItem, readUnrelayed } from '../../store/commit/outbox-item.ts';
import { addIndexEntries } from '../../store/lists/pages/add-index-entries.ts';
import { indexEntryOf } from '../../store/lists/pages/index-pages.ts';
import { readIndex } from '../../store/lists/pages/read-index.ts';
import { removeIndexEntries } from '../../store/lists/pages/remove-index-entries.ts';
import { type NumberedRecord, type NumberedType, readRecords, requireRecords } from '../../store/records.ts';
import { changedEntries } from '../../store/search/search-entries.ts';
import { recordTypes } from '../reconciliation/read-facts.ts';
import { mapInChunks, readAllocatedNumbers } from '../reconciliation/reconciliation-store.ts';
import { eraseEventBody } from './copies.ts';
import {
  type Erasure,
  eraseCheckout,
  eraseInvoice,
  erasePayment,
  eraseRefund,
  isOfCustomer,
} from './transitions.ts';

const batchSize = 100;
const callsAtOnce = 16;

/** The records to erase. */
export interface RecordsOf {
  readonly owner: Owner;
  readonly erasure: Erasure;
  /** Invoices with higher sequence numbers were created later, and stay. */
  readonly lastInvoice: number;
  /** Nothing is written, and only the records that would be erased are counted. */
  readonly dryRun: boolean;
  /** Shows how far a step is. */
  readonly onProgress: (text: string) => void;
}

/** The result of one pass over the records of a customer. */
export interface RecordsPass {
  /** The records that changed. */
  readonly changed: { readonly invoices: number; readonly payments: number; readonly refunds: number };
  /** The entries that were removed from the lists of the customer. */
  readonly removed: number;
  /** The changes whose events and index entries contain personal data, and are not relayed yet. */
  readonly unrelayed: number;
  /** All records of the customer, by id. */
  readonly records: ReadonlyMap<string, RecordNumber>;
  /** The rows of bank statements that made its payments, or show their refunds. */
  readonly rows: ReadonlySet<string>;
}

interface RecordNumber {
  readonly resource: Resource;
  readonly seq: number;
}

/** Erases all records once. */
export async function eraseRecords(scope: RecordsOf): Promise<RecordsPass> {
  const { owner, erasure } = scope;
  const unrelayed = await readUnrelayed(owner);
  const idKeys = (await readAllocatedNumbers(owner))?.idKeys;
  if (!idKeys) throw new Error(`There is no account ${owner.account}.`);
  const read = { scope, unrelayed, idKeys };

  const invoices = await readListed(read, 'invoice', ({ seq }) => seq <= scope.lastInvoice);
  const erasedInvoices = await eraseListed(scope, 'invoice', invoices, (invoice) =>
    eraseInvoice(erasure, invoice),
  );
  await eraseOpenCheckouts(scope, invoices.own);
  const invoiceIds = new Set(invoices.own.map(({ id }) => id));
  const payments = await readListed(read, 'payment', ({ invoiceId }) => invoiceIds.has(invoiceId));
  const erasedPayments = await eraseListed(
    scope,
    'payment',
    payments,
    (payment) => erasePayment(erasure, payment),
    // What is left of the credit stays, also for open invoices of the pseudonym.
    (payment, change) => creditItems([payment], [change]),
  );
  const refunds = await readRefunds(
    read,
    payments.own.map(({ id }) => id),
  );
  const changedRefunds = await eraseAll(scope, recordTypes.refund, refunds, (refund) =>
    eraseRefund(erasure, refund),
  );

  const records = new Map<string, RecordNumber>();
  for (const { id, seq } of invoices.own) records.set(id, { resource: 'invoice', seq });
  for (const { id, seq } of payments.own) records.set(id, { resource: 'payment', seq });
  for (const { id, seq } of refunds) records.set(id, { resource: 'refund', seq });
  return {
    changed: { invoices: erasedInvoices.changed, payments: erasedPayments.changed, refunds: changedRefunds },
    removed: erasedInvoices.removed + erasedPayments.removed,
    unrelayed: unrelayed.filter(personalDataFinder(erasure, records)).length,
    records,
    rows: new Set([...payments.own, ...refunds].flatMap(({ statementRow }) => statementRow ?? [])),
  };
}

interface ReadContext {
  readonly scope: RecordsOf;
  readonly unrelayed: readonly OutboxItem[];
  readonly idKeys: IdKeys;
}

interface Listed<T> {
  /** The records to erase, also those that are erased already. */
  readonly own: readonly T[];
  /** Those of them that the list of the customer still contains. */
  readonly moving: readonly T[];
  /**
   * The numbers of records that an earlier erasure has taken from the list. An outdated change, for example of a stream
   * that was delayed, has added them again.
   */
  readonly outdated: readonly number[];
}

type TypeOf<R extends Resource> = (typeof recordTypes)[R];
type RecordIn<Type> = Type extends NumberedType<infer T> ? T : never;

/** Reads the records in the lists of the customer and of the pseudonym. @param isOwn whether a record is to be erased */
async function readListed<R extends 'invoice' | 'payment'>(
  read: ReadContext,
  resource: R,
  isOwn: (record: RecordIn<TypeOf<R>>) => boolean,
): Promise<Listed<RecordIn<TypeOf<R>>>> {
  const { owner, erasure } = read.scope;
  const [old = [], next = []] = await Promise.all(
    [erasure.from, erasure.to].map((filterKey) => readNumbers(owner, resource, filterKey)),
  );
  const unlisted = findUnrelayed(read, resource, [erasure.from, erasure.to]);
  const found = await readByNumbers<RecordIn<TypeOf<R>>>(read, resource, [...old, ...next, ...unlisted]);
  const inOldList = new Set(old);
  const own = found.filter((record) => isOfCustomer(erasure, record) && isOwn(record));
  const others = found.filter((record) => !isOfCustomer(erasure, record));
  return {
    own,
    moving: own.filter(({ seq }) => inOldList.has(seq)),
    outdated: others.map(({ seq }) => seq).filter((seq) => inOldList.has(seq)),
  };
}

/** Reads the refunds of payments. */
async function readRefunds(read: ReadContext, paymentIds: readonly string[]) {
  const limited = limitConcurrency(callsAtOnce);
  const filterKeys = paymentIds.map((id) => `#payment#${id}`);
  const listed = await Promise.all(
    filterKeys.map((filterKey) => limited(() => readNumbers(read.scope.owner, 'refund', filterKey))),
  );
  const unlisted = findUnrelayed(read, 'refund', filterKeys);
  return readByNumbers<RecordIn<TypeOf<'refund'>>>(read, 'refund', [...listed.flat(), ...unlisted]);
}

async function readNumbers(owner: Owner, resource: Resource, filterKey: string): Promise<number[]> {
  const view = await readIndex(owner, resource, [filterKey]);
  return view.select(undefined, 0, Number.POSITIVE_INFINITY).seqs;
}

/** Returns the ids of the records in a list. */
export async function readListedIds(owner: Owner, resource: Resource, filterKey: string): Promise<string[]> {
  const idKeys = (await readAllocatedNumbers(owner))?.idKeys;
  if (!idKeys) return [];
  const seqs = await readNumbers(owner, resource, filterKey);
  return seqs.map((seq) => recordId(idKeys.of(seq), { ...owner, resource }, seq));
}

/** Returns the numbers that the outbox will add to one of the lists. */
function findUnrelayed(
  { unrelayed }: ReadContext,
  resource: Resource,
  filterKeys: readonly string[],
): number[] {
  return unrelayed
    .flatMap(({ indexEntries }) => indexEntries)
    .filter(
      (entry) => entry.resource === resource && entry.filterKeys.some((key) => filterKeys.includes(key)),
    )
    .map(({ seq }) => seq);
}

async function readByNumbers<T extends NumberedRecord>(
  { scope: { owner }, idKeys }: ReadContext,
  resource: Resource,
  seqs: readonly number[],
): Promise<T[]> {
  const ids = [...new Set(seqs)].map((seq) => recordId(idKeys.of(seq), { ...owner, resource }, seq));
  const type = recordTypes[resource] as unknown as NumberedType<T>;
  const found = await mapInChunks(ids, batchSize, (chunk) => readRecords(type, owner, chunk));
  return found.flatMap((each) => [...requireRecords(each).values()]);
}

/**
 * Erases the records of a list, chunk by chunk, and moves each chunk to the list of the pseudonym.
 * @returns how many changed, and how many entries left the list
 */
async function eraseListed<R extends 'invoice' | 'payment'>(
  scope: RecordsOf,
  resource: R,
  { own, moving, outdated }: Listed<RecordIn<TypeOf<R>>>,
  erase: (record: RecordIn<TypeOf<R>>) => Change<RecordIn<TypeOf<R>>> | undefined,
  itemsOf?: ItemsOf<RecordIn<TypeOf<R>>>,
): Promise<{ changed: number; removed: number }> {
  const type = recordTypes[resource] as unknown as NumberedType<RecordIn<TypeOf<R>>>;
  const isMoving = new Set<NumberedRecord>(moving);
  let changed = 0;
  let removed = await leaveOldList(scope, resource, outdated);
  for (let start = 0; start < own.length; start += batchSize) {
    const chunk = own.slice(start, start + batchSize);
    scope.onProgress(`Erasing ${resource}s: ${start} of ${own.length}.`);
    changed += await eraseAll(scope, type, chunk, erase, itemsOf);
    removed += await moveToNewList(
      scope,
      resource,
      chunk.filter((record) => isMoving.has(record)),
    );
  }
  return { changed, removed };
}

/** Returns the items that move with a record. */
type ItemsOf<T extends NumberedRecord> = (before: T, change: Change<T>) => ReturnType<typeof creditItems>;

/** Commits the change of each record, with the items that move with it. Returns how many changed. */
async function eraseAll<T extends NumberedRecord>(
  { owner, dryRun }: RecordsOf,
  type: NumberedType<T>,
  records: readonly T[],
  erase: (record: T) => Change<T> | undefined,
  itemsOf: ItemsOf<T> = () => ({ deletes: [], puts: [] }),
): Promise<number> {
  if (dryRun) return records.filter(erase).length;
  const limited = limitConcurrency(callsAtOnce);
  const hash = await tableHasher();
  let changed = 0;
  const eraseOne = async (record: T) => {
    const command = new Command<[T], boolean>([{ type, owner, id: record.id, record }], (present) => {
      const change = present && erase(present);
      if (!change) return { changes: [undefined], answer: false };
      const searched = (each: T) => searchedRecord(owner, each, (each as unknown as Invoice).createdAt);
      const entries = changedEntries(hash, searched(present), searched(change.record));
      const { deletes, puts } = itemsOf(present, change);
      return { changes: [change], answer: true, deletes: [...entries.deletes, ...deletes], puts };
    });
    if (await commitInBackground(command, realClock(now()))) changed += 1;
  };
  await throwAfterAllSettled(records.map((record) => limited(() => eraseOne(record))));
  return changed;
}

/**
 * Erases the personal data of open checkouts. Checkouts that have ended have none. A checkout whose reference at the provider is
 * not known keeps its data until it ends, which takes an hour: with other data, the provider would not recognize it.
 */
async function eraseOpenCheckouts(
  { owner, erasure, dryRun }: RecordsOf,
  invoices: readonly Invoice[],
): Promise<void> {
  if (dryRun) return;
  for (const { openCheckout } of invoices) {
    if (openCheckout === undefined) continue;
    const command = new Command<[Checkout]>([await readCheckout(owner, openCheckout)], (checkout) => ({
      changes: [checkout && eraseCheckout(erasure, checkout)],
      answer: undefined,
    }));
    await commitInBackground(command, realClock(now()));
  }
}

/** Moves erased records from the list of the customer to that of the pseudonym. Returns how many left the former. */
async function moveToNewList<R extends 'invoice' | 'payment'>(
  scope: RecordsOf,
  resource: R,
  moving: readonly RecordIn<TypeOf<R>>[],
): Promise<number> {
  const { owner, erasure, dryRun } = scope;
  const entries = moving.map((record) => indexEntryOf(resource, { ...record, filterKeys: [erasure.to] }));
  // An interrupted run can have committed a record without adding it to the new list.
  if (!dryRun) await addIndexEntries(owner, entries);
  return leaveOldList(
    scope,
    resource,
    moving.map(({ seq }) => seq),
  );
}

async function leaveOldList(
  { owner, erasure, dryRun }: RecordsOf,
  resource: Resource,
  seqs: readonly number[],
): Promise<number> {
  if (dryRun) return 0;
  await removeIndexEntries(owner, resource, erasure.from, seqs);
  return seqs.length;
}

/** Returns whether relaying an item adds erased records to the customer's lists, or stores events that are not erased. */
function personalDataFinder(
  erasure: Erasure,
  records: RecordsPass['records'],
): (item: OutboxItem) => boolean {
  const ids = new Set(records.keys());
  const names = new Set([...records.values()].map(({ resource, seq }) => `${resource} ${seq}`));
  return ({ indexEntries, events }) =>
    indexEntries.some(
      ({ resource, seq, filterKeys }) => filterKeys.includes(erasure.from) && names.has(`${resource} ${seq}`),
    ) || events.some(({ body }) => eraseEventBody({ erasure, ids, mailed: ids }, body) !== undefined);
}
