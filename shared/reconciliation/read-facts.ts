/**
 * Reads the facts of a page of numbers, strongly consistent: records by the ids that follow from their numbers, lists
 * by their keys.
 */
import { type Owner, type Resource, recordId } from '../ids.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import type { Payment } from '../payments/payment.ts';
import { paymentType } from '../payments/record.ts';
import { refundType } from '../refunds/record.ts';
import type { Refund } from '../refunds/refund.ts';
import { readIndex } from '../store/index/index-pages.ts';
import { readIndexPages } from '../store/index/single-pages.ts';
import { type NumberedRecord, type NumberedType, readRecords } from '../store/records.ts';
import { numbersOf } from './digest.ts';
import type { Facts, PageLocation, RecordOf } from './facts.ts';
import { type AllocatedNumbers, mapInChunks, readAllocatedNumbers } from './store.ts';

// Without the payment URL: it is not compared, and computing it requires a setting.
const { derive: _, ...plainInvoices } = invoiceType;
/** The record types by resource. */
export const recordTypes = {
  invoice: plainInvoices as typeof invoiceType,
  payment: paymentType,
  refund: refundType,
} as const;

const batchSize = 100;
const queriesAtOnce = 50;

/**
 * Reads the facts of the page at `location`.
 * @param wanted the numbers to compare; by default all numbers of the page
 */
export async function readFacts<R extends Resource>(
  location: PageLocation & { resource: R },
  numbers: AllocatedNumbers,
  wanted: readonly number[] = numbersOf(location),
): Promise<Facts<R>> {
  const { account, mode, resource, page } = location;
  const owner = { account, mode };
  const ids = new Map(
    wanted.map((seq) => [seq, recordId(numbers.idKeys.of(seq), { account, mode, resource }, seq)]),
  );
  const records = await readByIds(recordTypes[resource] as unknown as NumberedType<RecordOf[R]>, owner, [
    ...ids.values(),
  ]);
  const lists = await readLists(location, [...records.values()]);
  const related = await readRelated(owner, resource, numbers, records);
  const last = Math.max(0, ...[...ids].flatMap(([seq, id]) => (records.has(id) ? seq : [])));
  // More numbers may have been allocated after `numbers` was read.
  const { allocated } =
    last > numbers.allocated[resource] ? ((await readAllocatedNumbers(owner)) ?? numbers) : numbers;
  return { ...owner, resource, page, allocated: allocated[resource], ids, records, lists, ...related };
}

async function readLists(
  { account, mode, resource, page }: PageLocation,
  records: readonly NumberedRecord[],
): Promise<Map<string, Uint8Array>> {
  const filterKeys = [...new Set(['', ...records.flatMap((record) => record.filterKeys)])];
  const read = await mapInChunks(filterKeys, batchSize, (chunk) =>
    readIndexPages({ account, mode }, resource, page, chunk),
  );
  return new Map(read.flatMap((pages) => [...pages]));
}

/** Reads the invoices, payments and refunds that the records of a page are compared with. */
async function readRelated(
  owner: Owner,
  resource: Resource,
  numbers: AllocatedNumbers,
  records: ReadonlyMap<string, NumberedRecord>,
): Promise<Pick<Facts, 'invoices' | 'payments' | 'refunds'>> {
  const own = [...records.values()];
  const none = { invoices: new Map(), payments: new Map(), refunds: [] };
  if (resource === 'invoice') {
    const invoices = own as Invoice[];
    const ids = invoices.flatMap(({ receipt, paymentInProgress }) =>
      [receipt?.paymentId ?? [], paymentInProgress ?? []].flat(),
    );
    const withRefunds = invoices.filter(({ refundedMinor = 0 }) => refundedMinor > 0);
    const refunds = await readRefunds(
      owner,
      numbers,
      withRefunds.flatMap(({ id, receipt }) => listsOfRefunds(id, receipt?.paymentId)),
    );
    return { ...none, payments: await readByIds(recordTypes.payment, owner, ids), refunds };
  }
  if (resource === 'payment') {
    const payments = own as Payment[];
    const invoices = await readByIds(
      recordTypes.invoice,
      owner,
      payments.map(({ invoiceId }) => invoiceId),
    );
    const withRefunds = payments.filter(
      ({ id, status, invoiceId, amountRefunded, amountReserved }) =>
        amountRefunded + amountReserved > 0 ||
        (status === 'completed' && invoices.get(invoiceId)?.receipt?.paymentId !== id),
    );
    const refunds = await readRefunds(
      owner,
      numbers,
      withRefunds.flatMap(({ id, invoiceId }) => listsOfRefunds(invoiceId, id)),
    );
    return { ...none, invoices, refunds };
  }
  const refunds = own as Refund[];
  const [payments, invoices] = await Promise.all([
    readByIds(
      recordTypes.payment,
      owner,
      refunds.map(({ paymentId }) => paymentId),
    ),
    readByIds(
      recordTypes.invoice,
      owner,
      refunds.map(({ invoiceId }) => invoiceId),
    ),
  ]);
  return { ...none, payments, invoices };
}

/** The two lists that contain a refund. If one list lacks it, which is a difference of its own, the other finds it. */
const listsOfRefunds = (invoiceId: string, paymentId: string | undefined): string[] => [
  `#invoice#${invoiceId}`,
  ...(paymentId === undefined ? [] : [`#payment#${paymentId}`]),
];

async function readRefunds(
  owner: Owner,
  { idKeys }: AllocatedNumbers,
  lists: readonly string[],
): Promise<Refund[]> {
  const views = await mapInChunks([...new Set(lists)], queriesAtOnce, (chunk) =>
    Promise.all(chunk.map((list) => readIndex(owner, 'refund', [list]))),
  );
  const seqs = views.flat().flatMap((view) => view.select(undefined, 0, Number.POSITIVE_INFINITY).seqs);
  const ids = seqs.map((seq) => recordId(idKeys.of(seq), { ...owner, resource: 'refund' }, seq));
  const refunds = await readByIds(recordTypes.refund, owner, ids);
  return [...refunds.values()].sort((one, other) => one.seq - other.seq);
}

async function readByIds<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  ids: readonly string[],
): Promise<Map<string, T>> {
  const found = await mapInChunks([...new Set(ids)], batchSize, (chunk) => readRecords(type, owner, chunk));
  return new Map(found.flatMap((records) => [...records]));
}
