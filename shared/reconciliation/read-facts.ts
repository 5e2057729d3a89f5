/** Reads all that a page of numbers is judged by, strongly consistent: records by their computed ids, lists by their keys. */
import { type Owner, type Resource, recordId } from '../ids.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import type { Payment } from '../payments/payment.ts';
import { paymentType } from '../payments/record.ts';
import { refundType } from '../refunds/record.ts';
import type { Refund } from '../refunds/refund.ts';
import { readIndex } from '../store/index-pages.ts';
import { pageSize } from '../store/keys.ts';
import { type NumberedRecord, type NumberedType, readRecords } from '../store/records.ts';
import { readPages } from '../store/single-pages.ts';
import type { Facts, Place, Records } from './facts.ts';
import { inParts, type Numbers, readNumbers } from './store.ts';

// Where an invoice can be paid is of no interest, and needs a setting.
const { derived: _, ...plainInvoices } = invoiceType;
/** How records are read, by resource. */
export const types = {
  invoice: plainInvoices as typeof invoiceType,
  payment: paymentType,
  refund: refundType,
} as const;

const batchSize = 100;
const queriesAtOnce = 50;

/** All that a page of numbers is judged by. */
export async function readFacts<R extends Resource>(
  place: Place & { resource: R },
  numbers: Numbers,
): Promise<Facts<R>> {
  const { account, mode, resource, page } = place;
  const owner = { account, mode };
  const ids = idsOf(place, numbers);
  const records = await readByIds(types[resource] as unknown as NumberedType<Records[R]>, owner, [
    ...ids.values(),
  ]);
  const lists = await readLists(place, [...records.values()]);
  const named = await readNamed(owner, resource, numbers, records);
  const last = Math.max(0, ...[...ids].flatMap(([seq, id]) => (records.has(id) ? seq : [])));
  // Some may have been drawn since.
  const { drawn } = last > numbers.drawn[resource] ? ((await readNumbers(owner)) ?? numbers) : numbers;
  return { ...owner, resource, page, drawn: drawn[resource], ids, records, lists, ...named };
}

function idsOf({ account, mode, resource, page }: Place, { idKeys }: Numbers): Map<number, string> {
  const seqs = Array.from({ length: pageSize }, (_, low) => page * pageSize + low).filter((seq) => seq > 0);
  return new Map(seqs.map((seq) => [seq, recordId(idKeys.of(seq), { account, mode, resource }, seq)]));
}

async function readLists(
  { account, mode, resource, page }: Place,
  records: readonly NumberedRecord[],
): Promise<Map<string, Uint8Array>> {
  const dimensions = [...new Set(['', ...records.flatMap((record) => record.dimensions)])];
  const read = await inParts(dimensions, batchSize, (part) =>
    readPages({ account, mode }, resource, page, part),
  );
  return new Map(read.flatMap((pages) => [...pages]));
}

/** The invoices, payments and refunds that the records of a page are compared with. */
async function readNamed(
  owner: Owner,
  resource: Resource,
  numbers: Numbers,
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
    return { ...none, payments: await readByIds(types.payment, owner, ids), refunds };
  }
  if (resource === 'payment') {
    const payments = own as Payment[];
    const invoices = await readByIds(
      types.invoice,
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
      types.payment,
      owner,
      refunds.map(({ paymentId }) => paymentId),
    ),
    readByIds(
      types.invoice,
      owner,
      refunds.map(({ invoiceId }) => invoiceId),
    ),
  ]);
  return { ...none, payments, invoices };
}

/** A refund stands in two lists: one that is missing in the one, which is a difference of its own, is found by the other. */
const listsOfRefunds = (invoiceId: string, paymentId: string | undefined): string[] => [
  `#invoice#${invoiceId}`,
  ...(paymentId === undefined ? [] : [`#payment#${paymentId}`]),
];

async function readRefunds(owner: Owner, { idKeys }: Numbers, lists: readonly string[]): Promise<Refund[]> {
  const views = await inParts([...new Set(lists)], queriesAtOnce, (part) =>
    Promise.all(part.map((list) => readIndex(owner, 'refund', [list]))),
  );
  const seqs = views.flat().flatMap((view) => view.select(undefined, 0, Number.POSITIVE_INFINITY).seqs);
  const ids = seqs.map((seq) => recordId(idKeys.of(seq), { ...owner, resource: 'refund' }, seq));
  const refunds = await readByIds(types.refund, owner, ids);
  return [...refunds.values()].sort((one, other) => one.seq - other.seq);
}

async function readByIds<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  ids: readonly string[],
): Promise<Map<string, T>> {
  const found = await inParts([...new Set(ids)], batchSize, (part) => readRecords(type, owner, part));
  return new Map(found.flatMap((records) => [...records]));
}
