/**
 * Reads the facts of a page of numbers: records by the ids that follow from their numbers, lists by their keys.
 *
 * - Everything is read strongly consistent, except the records that a digest holds, and the records and filtered lists that belong
 *   only to these. They are final and have agreed, so only an edit in the table is new about them. Eventually consistent reads
 *   cost half.
 * - A read that misses an edit of the last seconds changes nothing: the digest keeps what it holds, and the next full
 *   comparison finds the edit. A read that misses more than that is a candidate, and a strong read checks each candidate.
 */

import { type Owner, type Resource, recordId } from '../../base/ids.ts';
import { now } from '../../base/time.ts';
import { customerType } from '../../domain/customers/record.ts';
import { draftType } from '../../domain/drafts/record.ts';
import { exportType } from '../../domain/exports/record.ts';
import type { Invoice } from '../../domain/invoices/invoice.ts';
import { paymentsOf } from '../../domain/invoices/received-money.ts';
import { invoiceType } from '../../domain/invoices/record.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { paymentType } from '../../domain/payments/record.ts';
import type { RowUse } from '../../domain/payments/row-use.ts';
import { parseRowUse } from '../../domain/payments/row-use-store.ts';
import { productType } from '../../domain/products/record.ts';
import { refundType } from '../../domain/refunds/record.ts';
import type { Refund } from '../../domain/refunds/refund.ts';
import { scheduleType } from '../../domain/schedules/record.ts';
import { statementType } from '../../domain/statements/record.ts';
import { tableKeys } from '../../store/keys.ts';
import { readIndex } from '../../store/lists/pages/read-index.ts';
import { readIndexPages } from '../../store/lists/pages/single-pages.ts';
import {
  type Consistency,
  type FoundRecords,
  mergeFound,
  type NumberedRecord,
  type NumberedType,
  readItems,
  readRecords,
} from '../../store/records.ts';
import { MalformedItemError, parseOrError } from '../../store/stored-fields.ts';
import { numbersOf } from './digest.ts';
import type { Facts, PageLocation, RecordOf } from './facts.ts';
import { type AllocatedNumbers, mapInChunks, readAllocatedNumbers } from './reconciliation-store.ts';

// Without the payment URL: it is not compared, and computing it requires a setting.
const { derive: _, ...plainInvoices } = invoiceType;
/** The record types by resource. */
export const recordTypes = {
  invoice: plainInvoices as typeof invoiceType,
  payment: paymentType,
  refund: refundType,
  customer: customerType,
  product: productType,
  draft: draftType,
  statement: statementType,
  schedule: scheduleType,
  export: exportType,
} as const;

/** The resources whose records are compared with no other records. */
const withoutRelated: ReadonlySet<Resource> = new Set([
  'customer',
  'product',
  'draft',
  'statement',
  'schedule',
  'export',
]);

const batchSize = 100;
const queriesAtOnce = 50;

/**
 * Reads the facts of the page at `location`.
 * @param wanted the numbers to compare; by default all numbers of the page
 * @param isRemembered whether the digest holds a number; by default none
 */
export async function readFacts<R extends Resource>(
  location: PageLocation & { resource: R },
  numbers: AllocatedNumbers,
  wanted: readonly number[] = numbersOf(location),
  isRemembered: (seq: number) => boolean = () => false,
): Promise<Facts<R>> {
  const { account, mode, resource, page } = location;
  const owner = { account, mode };
  const ids = new Map(
    wanted.map((seq) => [seq, recordId(numbers.idKeys.of(seq), { account, mode, resource }, seq)]),
  );
  const type = recordTypes[resource] as unknown as NumberedType<RecordOf[R]>;
  const read: ReadRecords = async (readType, seqAndIds) => {
    const strong = new Set(seqAndIds.flatMap(([seq, id]) => (isRemembered(seq) ? [] : id)));
    const eventual = seqAndIds.flatMap(([, id]) => (strong.has(id) ? [] : id));
    const found = await Promise.all([
      readByIds(readType, owner, [...strong], 'strong'),
      readByIds(readType, owner, eventual, 'eventual'),
    ]);
    const { records, malformed: unreadable } = mergeFound(found);
    for (const [id, error] of unreadable) malformed.set(id, error);
    return records;
  };
  const malformed = new Map<string, MalformedItemError>();
  const records = await read(type, [...ids]);
  const lists = await readLists(location, [...records.values()], isRemembered);
  const related = await readRelated(owner, resource, numbers, records, read, malformed);
  const last = Math.max(0, ...[...ids].flatMap(([seq, id]) => (records.has(id) ? seq : [])));
  // More numbers may have been allocated after `numbers` was read.
  const { allocated } =
    last > numbers.allocated[resource] ? ((await readAllocatedNumbers(owner)) ?? numbers) : numbers;
  return {
    ...owner,
    resource,
    readAt: now(),
    page,
    allocated: allocated[resource],
    ids,
    records,
    malformed,
    lists,
    ...related,
  };
}

/** Reads records by their ids. The number is that of the page's record because of which a record is read. */
type ReadRecords = <T extends NumberedRecord>(
  type: NumberedType<T>,
  seqAndIds: readonly (readonly [seq: number, id: string])[],
) => Promise<Map<string, T>>;

async function readLists(
  { account, mode, resource, page }: PageLocation,
  records: readonly NumberedRecord[],
  isRemembered: (seq: number) => boolean,
): Promise<Map<string, Uint8Array>> {
  const changing = records.filter(({ seq }) => !isRemembered(seq));
  const strong = new Set(['', ...changing.flatMap(({ filterKeys }) => filterKeys)]);
  const others = new Set(records.flatMap(({ filterKeys }) => filterKeys)).difference(strong);
  const read = (filterKeys: ReadonlySet<string>, consistency: Consistency) =>
    mapInChunks([...filterKeys], batchSize, (chunk) =>
      readIndexPages({ account, mode }, resource, page, chunk, consistency),
    );
  const pages = [...(await read(strong, 'strong')), ...(await read(others, 'eventual'))];
  return new Map(pages.flatMap((each) => [...each]));
}

/** Reads the invoices, payments and refunds that the records of a page are compared with. */
async function readRelated(
  owner: Owner,
  resource: Resource,
  numbers: AllocatedNumbers,
  records: ReadonlyMap<string, NumberedRecord>,
  read: ReadRecords,
  malformed: Map<string, MalformedItemError>,
): Promise<Pick<Facts, 'invoices' | 'payments' | 'refunds' | 'rowUses'>> {
  const own = [...records.values()];
  const none = { invoices: new Map(), payments: new Map(), refunds: [], rowUses: new Map() };
  if (resource === 'invoice') {
    const invoices = own as Invoice[];
    const ids = invoices.flatMap((invoice) =>
      [paymentsOf(invoice), invoice.paymentInProgress ?? []].flat().map((id) => [invoice.seq, id] as const),
    );
    const withRefunds = invoices.filter(({ refundedMinor = 0 }) => refundedMinor > 0);
    const refunds = await readRefunds(
      owner,
      numbers,
      malformed,
      withRefunds.flatMap((invoice) => listsOfRefunds(invoice.id, ...paymentsOf(invoice))),
    );
    const related = invoices.flatMap(({ seq, replaces, replacedBy }) =>
      [replaces ?? [], replacedBy ?? []].flat().map((id) => [seq, id] as const),
    );
    const [payments, others] = await Promise.all([
      read(recordTypes.payment, ids),
      read(recordTypes.invoice, related),
    ]);
    return { ...none, payments, invoices: others, refunds };
  }
  if (resource === 'payment') {
    const payments = own as Payment[];
    const invoices = await read(
      recordTypes.invoice,
      payments.map(({ seq, invoiceId }) => [seq, invoiceId]),
    );
    const withRefunds = payments.filter(
      ({ id, status, voidedAt, invoiceId, amountRefunded, amountReserved }) =>
        amountRefunded + amountReserved > 0 ||
        (status === 'completed' &&
          voidedAt === undefined &&
          !paymentsOf(invoices.get(invoiceId) ?? {}).includes(id)),
    );
    const refunds = await readRefunds(
      owner,
      numbers,
      malformed,
      withRefunds.flatMap(({ id, invoiceId }) => listsOfRefunds(invoiceId, id)),
    );
    const rows = payments.flatMap(({ statementRow }) => statementRow ?? []);
    const ofCredit = payments.flatMap(({ seq, creditFrom, creditUses = [] }) =>
      [creditFrom ?? [], creditUses.map(({ paymentId }) => paymentId)].flat().map((id) => [seq, id] as const),
    );
    const [rowUses, others] = await Promise.all([
      readRowUses(owner, rows, malformed),
      read(recordTypes.payment, ofCredit),
    ]);
    return { ...none, invoices, payments: others, refunds, rowUses };
  }
  if (withoutRelated.has(resource)) return none;
  const refunds = own as Refund[];
  const [payments, invoices, rowUses] = await Promise.all([
    read(
      recordTypes.payment,
      refunds.map(({ seq, paymentId }) => [seq, paymentId]),
    ),
    read(
      recordTypes.invoice,
      refunds.map(({ seq, invoiceId }) => [seq, invoiceId]),
    ),
    readRowUses(
      owner,
      refunds.flatMap(({ statementRow }) => statementRow ?? []),
      malformed,
    ),
  ]);
  return { ...none, payments, invoices, rowUses };
}

async function readRowUses(
  owner: Owner,
  rows: readonly string[],
  malformed: Map<string, MalformedItemError>,
): Promise<Map<string, RowUse>> {
  const items = await mapInChunks([...new Set(rows)], batchSize, (chunk) =>
    readItems(chunk.map((row) => tableKeys.rowUse(owner, row))),
  );
  const uses = new Map<string, RowUse>();
  for (const item of items.flat()) {
    const use = parseOrError(item, (each) => parseRowUse(owner, each));
    if (use instanceof MalformedItemError) malformed.set(String(item.sk), use);
    else uses.set(use.id, use);
  }
  return uses;
}

/** The two kinds of lists that contain a refund. If one list lacks it, which is a difference of its own, the other finds it. */
const listsOfRefunds = (invoiceId: string, ...paymentIds: readonly string[]): string[] => [
  `#invoice#${invoiceId}`,
  ...paymentIds.map((id) => `#payment#${id}`),
];

async function readRefunds(
  owner: Owner,
  { idKeys }: AllocatedNumbers,
  malformed: Map<string, MalformedItemError>,
  lists: readonly string[],
): Promise<Refund[]> {
  const views = await mapInChunks([...new Set(lists)], queriesAtOnce, (chunk) =>
    Promise.all(chunk.map((list) => readIndex(owner, 'refund', [list]))),
  );
  const seqs = views.flat().flatMap((view) => view.select(undefined, 0, Number.POSITIVE_INFINITY).seqs);
  const ids = seqs.map((seq) => recordId(idKeys.of(seq), { ...owner, resource: 'refund' }, seq));
  const found = await readByIds(recordTypes.refund, owner, ids, 'strong');
  for (const [id, error] of found.malformed) malformed.set(id, error);
  return [...found.records.values()].sort((one, other) => one.seq - other.seq);
}

async function readByIds<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  ids: readonly string[],
  consistency: Consistency,
): Promise<FoundRecords<T>> {
  const found = await mapInChunks([...new Set(ids)], batchSize, (chunk) =>
    readRecords(type, owner, chunk, consistency),
  );
  return mergeFound(found);
}
