/** Reads what the rows of a statement could be matched with: invoices, payments that people have recorded, and refunds. */
import { isRecordId, type Owner } from '../../base/ids.ts';
import { limitConcurrency } from '../../base/limit-concurrency.ts';
import { tableHasher } from '../../platform/secrets/deployment-secret.ts';
import { noteLeftOut } from '../../store/left-out-items.ts';
import { type NumberedRecord, type NumberedType, readRecords } from '../../store/records.ts';
import { queryNewest } from '../../store/search/query-entries.ts';
import { comparableTerm, termLookup } from '../../store/search/search-entries.ts';
import { customerType } from '../customers/record.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invoiceType } from '../invoices/record.ts';
import { isPayable } from '../invoices/transitions.ts';
import type { Payment } from '../payments/payment.ts';
import { paymentType } from '../payments/record.ts';
import { isReference } from '../payments/transfer.ts';
import { refundType } from '../refunds/record.ts';
import type { Refund } from '../refunds/refund.ts';
import { namedRefundsOf } from './match-refunds.ts';
import { namedInvoicesOf } from './match-rows.ts';
import type { StatementRow } from './statement.ts';

/** How many invoices with the amount of a row are compared with it, the newest ones. */
const maxOfAmount = 10;
/** How many records with the reference of a row are compared with it, the newest ones. */
const maxOfReference = 4;
const idsPerCall = 100;
const queriesAtOnce = 32;

/** What a row could be matched with. */
interface Candidates {
  readonly invoices: readonly Invoice[];
  /** The ids of those whose payment references are in the row, or that replace them. */
  readonly named: readonly string[];
  /** The ids of payments with the reference or the amount of the row. */
  readonly payments: readonly string[];
}

/** Reads the invoices that rows name, those that replace them, and those that have their amounts. Returns what a row could be matched with. */
export async function readCandidates(
  owner: Owner,
  rows: readonly StatementRow[],
): Promise<(row: StatementRow) => Candidates> {
  const [byAmount, byReference] = await Promise.all([findAmounts(owner, rows), findReferences(owner, rows)]);
  const idsOf = (row: StatementRow) => [
    ...new Set([...namedInvoicesOf(row), ...ofAmount(byAmount, 'invoice', row)]),
  ];
  const invoices = await readWithReplacements(owner, [...new Set(rows.flatMap(idsOf))], rows);
  return (row) => {
    const named = namedInvoicesOf(row).flatMap((id) => [...chainOf(invoices, id)]);
    const ids = [...new Set([...named, ...idsOf(row)])];
    return {
      invoices: ids.flatMap((id) => invoices.get(id) ?? []),
      named,
      payments: [...(byReference.get(row.reference ?? '') ?? []), ...ofAmount(byAmount, 'payment', row)],
    };
  };
}

/** Reads invoices by id, and those that replace the ones that rows name. A further call for each replacement of a replacement. */
async function readWithReplacements(
  owner: Owner,
  ids: readonly string[],
  rows: readonly StatementRow[],
): Promise<ReadonlyMap<string, Invoice>> {
  const found = new Map<string, Invoice>();
  const named = rows.flatMap(namedInvoicesOf);
  for (let next = ids; next.length > 0; ) {
    const read = await readInvoicesById(owner, next);
    for (const [id, invoice] of read) found.set(id, invoice);
    const last = named.flatMap((id) => [...chainOf(found, id)].at(-1) ?? []);
    next = read.size > 0 ? [...new Set(last)].filter((id) => !found.has(id)) : [];
  }
  return found;
}

/** Returns the id of an invoice, and those of the invoices that replace it, as far as they are known. */
function* chainOf(invoices: ReadonlyMap<string, Invoice>, id: string): Generator<string> {
  for (let next: string | undefined = id; next !== undefined; next = invoices.get(next)?.replacedBy)
    yield next;
}

/** Reads the payments that rows could be the money of: those of their amounts, and those of the invoices that they name. */
export async function readRecorded(
  owner: Owner,
  rows: readonly StatementRow[],
  candidates: (row: StatementRow) => Candidates,
): Promise<(row: StatementRow) => Payment[]> {
  const idsOf = (row: StatementRow) => {
    const { invoices, named, payments } = candidates(row);
    const ofNamed = invoices.filter(({ id }) => named.includes(id)).flatMap(transfersOf);
    return [...new Set([...ofNamed, ...payments])];
  };
  const found = await readById(paymentType, owner, [...new Set(rows.flatMap(idsOf))]);
  return (row) => idsOf(row).flatMap((id) => found.get(id) ?? []);
}

/** Returns the ids of the payments of an invoice that were received outside the service. One payment of all of it says nothing. */
const transfersOf = ({ parts, receipt }: Invoice): string[] =>
  parts
    ? parts.flatMap(({ paymentId, transfer }) => (transfer === undefined ? [] : [paymentId]))
    : receipt?.method === 'offline'
      ? [receipt.paymentId]
      : [];

/** Reads the names of the customers of open invoices. Returns that of an invoice: of the buyer that it says itself, or else of its customer. */
export async function readNames(
  owner: Owner,
  candidates: readonly Invoice[],
): Promise<(invoice: Invoice) => string | undefined> {
  const open = candidates.filter(isPayable);
  const ids = [...new Set(open.flatMap(({ buyer, customerId }) => (buyer ? [] : [customerId])))];
  const customers = await readById(customerType, owner, ids.filter(customerType.isId));
  return ({ buyer, customerId }) => buyer?.name ?? customers.get(customerId)?.name ?? undefined;
}

/** What a row of money that went out could be. */
interface WentOut {
  readonly refunds: readonly Refund[];
  /** Those that have its reference. */
  readonly payments: readonly Payment[];
}

/** Reads the refunds that have the amounts of rows, and the payments that have their references. Returns those of a row. */
export async function readWentOut(
  owner: Owner,
  rows: readonly StatementRow[],
): Promise<(row: StatementRow) => WentOut> {
  const [byAmount, byReference] = await Promise.all([findAmounts(owner, rows), findReferences(owner, rows)]);
  const refundsOf = (row: StatementRow) => ofAmount(byAmount, 'refund', row);
  const paymentsOf = ({ reference = '' }: StatementRow) => byReference.get(reference) ?? [];
  const [refunds, payments] = await Promise.all([
    readById(refundType, owner, [...new Set(rows.flatMap(refundsOf))]),
    readById(paymentType, owner, [...new Set(rows.flatMap(paymentsOf))]),
  ]);
  return (row) => ({
    refunds: refundsOf(row).flatMap((id) => refunds.get(id) ?? []),
    payments: paymentsOf(row).flatMap((id) => payments.get(id) ?? []),
  });
}

/**
 * Reads the refunds that rows of money that went out name, and those of their amounts. Two calls in sequence.
 * @returns the refunds that could be a row. Undefined for a row whose amount more refunds can have than were read
 */
export async function readNamedRefunds(
  owner: Owner,
  rows: readonly StatementRow[],
): Promise<(row: StatementRow) => readonly Refund[] | undefined> {
  const byAmount = await findAmounts(
    owner,
    rows.filter((row) => namedRefundsOf(row).length === 0),
  );
  const isPartial = ({ amount }: StatementRow) => (byAmount.get(amount)?.length ?? 0) >= 2 * maxOfAmount;
  const idsOf = (row: StatementRow) => {
    const named = namedRefundsOf(row);
    if (named.length > 0) return named;
    // All that were read: one that is left out could be the second that fits.
    return (byAmount.get(row.amount) ?? []).filter((id) => isRecordId('refund', id));
  };
  const refunds = await readById(refundType, owner, [...new Set(rows.flatMap(idsOf))]);
  return (row) =>
    namedRefundsOf(row).length === 0 && isPartial(row)
      ? undefined
      : idsOf(row).flatMap((id) => refunds.get(id) ?? []);
}

type ByAmount = ReadonlyMap<number, readonly string[]>;

/** Returns the ids of the newest records of a kind with the amount of a row. */
const ofAmount = (byAmount: ByAmount, resource: 'invoice' | 'payment' | 'refund', { amount }: StatementRow) =>
  (byAmount.get(amount) ?? []).filter((id) => isRecordId(resource, id)).slice(0, maxOfAmount);

/** Returns the ids of the newest payments with the reference of each row, by the reference. */
async function findReferences(
  owner: Owner,
  rows: readonly StatementRow[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const references = [
    ...new Set(rows.flatMap(({ reference = '' }) => (isReference(reference) ? reference : []))),
  ];
  if (references.length === 0) return new Map();
  const hash = await tableHasher();
  const limited = limitConcurrency(queriesAtOnce);
  const found = references.map(async (reference) => {
    const term = termLookup(hash, { kind: 'reference', value: comparableTerm(reference) });
    const ids = await limited(() => queryNewest(owner, term, maxOfReference));
    return [reference, ids.filter((id) => isRecordId('payment', id))] as const;
  });
  return new Map(await Promise.all(found));
}

/** Returns the ids of the newest records with the amount of each row, by the amount of the row. */
async function findAmounts(owner: Owner, rows: readonly StatementRow[]): Promise<ByAmount> {
  if (rows.length === 0) return new Map();
  const hash = await tableHasher();
  const amounts = [...new Set(rows.map(({ amount }) => amount))];
  const limited = limitConcurrency(queriesAtOnce);
  return new Map(
    await Promise.all(
      amounts.map(async (amount) => {
        const term = termLookup(hash, { kind: 'amount', value: String(Math.abs(amount)) });
        return [amount, await limited(() => queryNewest(owner, term, 2 * maxOfAmount))] as const;
      }),
    ),
  );
}

/** Reads invoices by id. Malformed ones are left out. */
export const readInvoicesById = (owner: Owner, ids: readonly string[]) => readById(invoiceType, owner, ids);

/** Reads records by id, 100 in each call. Malformed ones are left out. */
async function readById<T extends NumberedRecord>(
  type: NumberedType<T>,
  owner: Owner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, T>> {
  const calls = Array.from({ length: Math.ceil(ids.length / idsPerCall) }, (_, index) =>
    readRecords(type, owner, ids.slice(index * idsPerCall, (index + 1) * idsPerCall)),
  );
  const found = await Promise.all(calls);
  for (const { malformed } of found) noteLeftOut(malformed.values());
  return new Map(found.flatMap(({ records }) => [...records]));
}
